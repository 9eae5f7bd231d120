"""Reductions: how much less deep late moves are searched first."""

from libc.math cimport log

from engine.search.worker cimport *

ctypedef struct Doubt:
    # What is known of a move and its node when its reduction is decided.
    bint quiet
    int stage                  # of the picker, from which the move came
    int record                 # the sum of its histories; 0 if they are not used
    bint cut_node
    bint no_table_move
    bint worsening             # the static evaluation has not risen
    bint was_pv
    bint threatened            # the enemy attacks the piece that moves, and the node is far from the leaves
    bint in_check
    bint checking
    bint table_noisy           # the table's move is a capture
    bint refuted               # nodes a ply deeper have often failed high

cdef void fill_reductions(Worker* w) noexcept nogil
cdef int base_reduction(const Worker* w, int plies, int count, bint quiet) noexcept nogil
cdef int hindsight(Worker* w, int ply, int reduction, int plies) noexcept nogil
cdef int reduction_of(const Tuning* t, int base, const Doubt* doubt) noexcept nogil

cdef inline int late_count(const Tuning* t, int plies, bint steady) noexcept nogil:
    """How many moves a node searches before its quiet moves are late; half as many if the evaluation has not improved."""
    cdef int allowed = t.late_base + t.late_slope * plies * plies // 100
    return allowed if steady else allowed // 2
