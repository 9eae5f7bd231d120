"""A network as a Python object: read from a file, shared by all that search with it."""

from engine.types cimport *
from engine.board.position cimport *
from engine.board.game cimport Game
from engine.evaluation.accumulator cimport *
from engine.evaluation.endgame cimport known_endgame, if_winnable

cdef class Network:
    cdef Weights weights
    cdef I16* memory
    cdef readonly str path

    cdef int raw(self, const Position* pos)
