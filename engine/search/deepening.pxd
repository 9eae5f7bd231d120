"""Iterative deepening on a Worker."""

from engine.search.alphabeta cimport *

cdef enum:
    ENOUGH = 0                 # of ease: no more thought could matter

cdef bint search_depth(Worker* w, int depth) noexcept nogil
cdef int ease_of(const Worker* w, int depth, int stable, int drop) noexcept nogil
cdef bint time_is_up(Worker* w) noexcept nogil
