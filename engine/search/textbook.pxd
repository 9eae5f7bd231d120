"""What the founding texts have and engines of today do not."""

from engine.search.worker cimport *

# Inline, so that the old engines save a call at every move.
cdef inline int child_score(Worker* w, int ply, int alpha, int beta, int remaining, int reduction) noexcept nogil:
    """The score of the move just made at `ply`, by minimax (Winglet) or by alpha-beta with an open window.

    `remaining` is depth in hundredths of a ply, `reduction` in plies.
    """
    cdef int score = alpha + 1
    if w.selectivity.algorithm == ALGORITHM_MINIMAX:
        return -w.search(w, ply + 1, -INFINITE, INFINITE, remaining, False)
    if reduction > 0:
        w.counters.lmr_reduced += 1
        score = -w.search(w, ply + 1, -beta, -alpha, remaining - reduction * PLY, False)
        w.counters.lmr_researches += score > alpha
    if score > alpha:
        score = -w.search(w, ply + 1, -beta, -alpha, remaining, False)
    return score

cdef int oneply_reduction(int plies, int count, bint quiet, int stage) noexcept nogil
cdef int movement_cost(Worker* w, const Position* pos, Move move, bint checking) noexcept nogil
