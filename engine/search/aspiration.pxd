"""Aspiration windows: the narrow window around the last score, and how it opens when the score falls outside."""

from engine.types cimport *
from engine.variant.features cimport *

ctypedef struct Window:
    int alpha
    int beta
    int delta
    bint failed_low
    bint failed_high
    int level

cdef void open_window(Window* w, int level, int score, int width, bint first) noexcept nogil
cdef bint widen(Window* w, int score) noexcept nogil
