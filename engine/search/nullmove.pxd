"""Null move: when it is believed."""

from engine.search.worker cimport *

cdef enum:
    FEW_MOVES = 7              # legal moves: with no more than these zugzwang is likely

cdef bint null_move_allowed(const Position* pos, int guard) noexcept nogil
cdef int null_move_reduction(const Tuning* t, int scaled, int plies, int margin) noexcept nogil
cdef bint null_move_holds(Worker* w, int ply, int beta, int depth, int reduction) noexcept nogil
