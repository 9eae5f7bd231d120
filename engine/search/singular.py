"""Singular extension (Anantharaman et al. 1988): the table's move is searched deeper if no other comes near it."""

import cython
from cython import address


def singular(w, ply, entry, move, beta, depth, cut_node, pv_node, goal):
    """Search all moves but the table's against a bound below its score; return the plies to extend the table's move by.

    CUTS if another move reaches a bound at or above beta: the node then fails high with that bound. `goal` receives the
    bound. If the move is not the only good one and the node is likely to fail high, it loses plies; with level double it loses
    more, and a move far better than all others gains two.
    """
    frame = address(w.frames[ply])
    t = address(w.tuning)
    double: cython.bint = w.selectivity.singular == SINGULAR_DOUBLE
    plies: cython.int = depth // PLY
    goal[0] = entry.score - plies * t.singular_margin // 100
    frame.excluded = move
    score = w.search(w, ply, goal[0] - 1, goal[0], (plies - 1) // 2 * PLY, cut_node)
    frame.excluded = NO_MOVE
    frame.pv_length = 0
    frame.best = NO_MOVE
    if w.stopped:
        return 0
    if score < goal[0]:
        w.counters.singular_extensions += 1
        if double and not pv_node and score < goal[0] - t.double_margin and frame.doubles < t.double_limit:
            w.counters.double_extensions += 1
            return 2
        return 1
    if goal[0] >= beta:
        w.counters.multicuts += 1
        return CUTS
    if not double:
        return -1 if entry.score >= beta else 0
    if entry.score >= beta:
        return -2 + pv_node
    return -2 if cut_node else 0
