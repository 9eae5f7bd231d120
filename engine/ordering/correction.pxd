"""Correction history: the errors that the search has found in the static evaluation, by parts of the position."""

from engine.types cimport *
from engine.board.position cimport *
from engine.variant.features cimport *
from engine.ordering.history cimport Memory
from engine.variant.parameters cimport Tuning

cdef enum:
    CORRECTION_SLOTS = 8192
    CORRECTION_LIMIT = 1024    # largest entry, sixteenths of a centipawn before its weight

    # The parts of a position.
    BY_PAWNS = 0
    BY_OWN_MEN = 1
    BY_ENEMY_MEN = 2
    BY_MINORS = 3
    BY_MAJORS = 4
    BY_MOVES = 5

cdef int correction_of(const Memory* m, const Tuning* t, int level, const Position* pos, int moves) noexcept nogil
cdef void correct(Memory* m, const Tuning* t, int level, const Position* pos, int moves, int depth, int residual) noexcept nogil
cdef void correction_slots(const Position* pos, int moves, int* slots) noexcept nogil
