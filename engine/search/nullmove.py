"""Null move (C12): when passing is believed to prove something, and how deep the answer is searched."""

import cython


def null_move_allowed(pos, guard):
    """Whether zugzwang is unlikely enough for a null move (Jazz's page, Mediocre).

    jazz: not with fewer than three pieces of which none is a slider; sjaak: not with fewer than four kinds of men (king and
    pawns count); pawns: not with pawns alone.
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


def null_move_reduction(scaled, plies, margin):
    """Plies that the search after a null move is shallower by, the null move itself not counted.

    fixed: 2, from seven plies on 3 (Mediocre); scaled: 3, a third of the depth and up to 3 for a margin over beta (the field).
    """
    if not scaled:
        return 3 if plies > 6 else 2
    surplus = margin // 180
    return 3 + plies // 3 + (surplus if surplus < 3 else 3)
