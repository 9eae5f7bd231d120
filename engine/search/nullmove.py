"""Null move (C12): when it is tried, by how much it is reduced, and when its result is believed."""

import cython
from cython import address


def null_move_allowed(pos, guard):
    """Whether zugzwang is unlikely enough for a null move (Jazz's page, Mediocre).

    Refused under jazz with fewer than three pieces and no slider among them; under sjaak with fewer than four kinds of men,
    king and pawns included; under pawns with nothing but pawns.
    """
    own = pos.colour[pos.side]
    if guard == GUARD_PAWNS:
        return has_pieces(pos)
    if guard == GUARD_JAZZ:
        sliders = own & (pos.kind[BISHOP] | pos.kind[ROOK] | pos.kind[QUEEN])
        return sliders != 0 or popcount(own & pos.kind[KNIGHT]) >= 3
    kinds: cython.int = 0
    kind: cython.int
    for kind in range(6):
        if own & pos.kind[kind]:
            kinds += 1
    return kinds >= 4


def null_move_reduction(t, scaled, plies, margin):
    """Plies by which the search after a null move is reduced, not counting the null move itself.

    fixed: 2, or 3 from seven plies on (Mediocre); scaled: a constant, plus a share of the depth, plus more the further the
    evaluation exceeds beta (usual in the field).
    """
    if not scaled:
        return 3 if plies > 6 else 2
    surplus = margin // t.null_margin
    return (t.null_base + t.null_slope * plies) // 100 + (surplus if surplus < t.null_surplus else t.null_surplus)


def null_move_holds(w, ply, beta, depth, reduction):
    """Whether a null move that reached beta is believed.

    Level verified never believes the null move of a side with few legal moves, since zugzwang is likely. In deep searches
    it also asks for a second search of the same reduced depth, whose first plies try no null move.
    """
    if w.selectivity.null_move != NULL_VERIFIED:
        return True
    pos = address(w.frames[ply].pos)
    set_pinned(pos)
    if count_moves(pos) <= FEW_MOVES:
        return False
    if depth < w.tuning.null_verify * PLY or w.null_floor:
        return True
    w.null_floor = ply + 3 * (depth // PLY - reduction) // 4
    score: cython.int = w.search(w, ply, beta - 1, beta, depth - reduction * PLY, False)
    w.null_floor = 0
    w.counters.null_verified += 1
    return not w.stopped and score >= beta
