"""Static evaluation of a position."""

from engine.types cimport *
from engine.attacks cimport *
from engine.position cimport *

cdef int evaluate(const Position* pos) noexcept nogil
