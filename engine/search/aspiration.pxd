"""Aspiration windows: the narrow window around the last score, and how it opens when the score falls outside."""

from engine.types cimport *
from engine.variant.features cimport *

cdef enum:
    WIDEST = 1000              # centipawns, level pulled: a wider half becomes the full window

ctypedef struct Window:
    int alpha
    int beta
    int delta
    bint failed_low
    bint failed_high
    int level
    int growth                 # hundredths; level pulled only

cdef void open_window(Window* w, int level, int score, int width, int growth, bint early) noexcept nogil
cdef bint widen(Window* w, int score) noexcept nogil
