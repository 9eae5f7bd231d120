"""Singular extension on a Worker."""

from engine.search.worker cimport *

cdef enum:
    CUTS = 1000                # no number of plies: the node fails high

cdef int singular(
    Worker* w, int ply, const Entry* entry, Move move, int beta, int depth, bint cut_node, bint pv_node, int* goal,
) noexcept nogil
