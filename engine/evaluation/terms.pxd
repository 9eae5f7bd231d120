"""Terms and coefficients of the evaluation, as Python objects."""

from engine.types cimport *
from engine.board.position cimport *
from engine.board.movegen cimport NOISY, generate
from engine.board.see cimport see_ge
from engine.evaluation.endgame cimport *
from engine.evaluation.classical cimport *
from engine.board.game cimport Game
cdef bint is_quiet(Position* pos) noexcept nogil
