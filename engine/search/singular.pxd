"""Singular extension on a Worker."""

from engine.search.worker cimport *

cdef enum:
    CUTS = 1000                # not a number of plies: the node fails high

cdef int singular(
    Worker* w, int ply, const Entry* entry, Move move, int beta, int depth, bint cut_node, bint pv_node, int* goal,
) noexcept nogil

cdef inline bint may_be_singular(const Worker* w, int ply, const Entry* entry, int plies) noexcept nogil:
    """Whether the table's entry is deep and high enough to test its move against all others."""
    return (
        plies >= w.tuning.singular_depth
        and entry.found
        and entry.depth >= plies - w.tuning.singular_slack
        and entry.bound & BOUND_LOWER
        and -MATE_BOUND < entry.score < MATE_BOUND
        and ply < 2 * w.root_depth
    )
