"""Iterative deepening on a Worker."""

from engine.search.alphabeta cimport *

cdef enum:
    ENOUGH = 0                 # value of ease: further search could change nothing
    VOTE = 15                  # centipawns added to a thread's lead over the worst score, so that the worst has a vote too

cdef bint search_depth(Worker* w, int depth) noexcept nogil
cdef int ease_of(const Worker* w, int depth, int stable, int drop) noexcept nogil
cdef bint time_is_up(Worker* w) noexcept nogil
cdef bint is_crowded(const Control* control, int index, int depth) noexcept nogil
cdef Worker* elected(const Control* control) noexcept nogil
