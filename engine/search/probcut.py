"""ProbCut (Buro 1995): a capture that beats beta by a margin in a shallower search will beat beta in a full one."""

import cython
from cython import address


def probcut(w, ply, beta, depth, cut_node, hash_move, raw):
    """The score of the first capture that reaches `beta` (margin included) in quiescence and in a shallower search.

    NO_SCORE if none does. The table's move is tried first. `raw` is the uncorrected evaluation, as the table keeps it.
    """
    frame = address(w.frames[ply])
    pos = address(frame.pos)
    t = address(w.tuning)
    picker = cython.declare(Picker)
    start_moves(w, address(picker), ply, w.q_program)
    picker.in_quiescence = True
    picker.threshold = beta - frame.eval if beta > frame.eval else 0
    if hash_move and is_noisy(pos, hash_move) and see_ge(pos, hash_move, picker.threshold):
        picker.special[SPECIAL_HASH] = hash_move
    score: cython.int
    tried: cython.int = 0
    while tried < t.probcut_moves:
        move = next_move(address(picker))
        if move == NO_MOVE:
            break
        tried += 1
        expect(w, pos, move)
        make_on_path(w, ply, move)
        score = -qsearch(w, ply + 1, -beta, -beta + 1, False)
        if score >= beta and not w.stopped:
            score = -w.search(w, ply + 1, -beta, -beta + 1, depth - t.probcut_plies * PLY, not cut_node)
        if w.stopped:
            return NO_SCORE
        if score >= beta:
            if w.selectivity.tt:
                saved = seen_move(move, pos.side)
                plies: cython.int = depth // PLY - t.probcut_plies + 1  # the move itself is one
                store(w.table, view_key(pos), ply, saved, score, raw, plies, BOUND_LOWER, False)
            return score
    return NO_SCORE
