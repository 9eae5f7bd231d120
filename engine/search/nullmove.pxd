"""Null move: guards against zugzwang, and the reduction."""

from engine.types cimport *
from engine.board.position cimport *
from engine.variant.features cimport *

cdef bint null_move_allowed(const Position* pos, int guard) noexcept nogil
cdef int null_move_reduction(bint scaled, int plies, int margin) noexcept nogil
