"""Reductions: how much less deep late moves are searched first."""

from libc.math cimport log

from engine.search.worker cimport *

ctypedef struct Doubt:
    # What a node and a move say about how deep the move deserves to be searched.
    bint quiet
    int stage                  # that handed the move out
    int record                 # of the histories, 0 where they have no say
    bint cut_node
    bint worsening             # the static evaluation has not risen
    bint was_pv
    bint in_check
    bint checking
    bint table_noisy           # the table's move is a capture
    bint refuted               # the moves after this one were cut off again and again

cdef void fill_reductions(Worker* w) noexcept nogil
cdef int base_reduction(const Worker* w, int plies, int count, bint quiet) noexcept nogil
cdef int reduction_of(const Tuning* t, int base, const Doubt* doubt) noexcept nogil

cdef inline int late_count(const Tuning* t, int plies, bint steady) noexcept nogil:
    """How many moves a node searches before quiet ones are late; half as many when its evaluation gets worse."""
    cdef int allowed = t.late_base + t.late_slope * plies * plies // 100
    return allowed if steady else allowed // 2
