"""What the founding texts have and engines of today do not: minimax, plain alpha-beta, one-ply and fractional reductions."""

import cython


def oneply_reduction(plies, count, quiet, stage):
    """LMR=oneply (Mediocre): from three plies on, one ply less for quiet moves after the hash move, captures and killers."""
    return plies >= 3 and count > 1 and quiet and stage >= STAGE_QUIETS


def movement_cost(w, pos, move, checking):
    """The depth that a move costs, hundredths of a ply (comment under Mediocre's post of 19 March 2007; C16).

    A capture that loses nothing costs 0, a losing one 125, a check 25, any other move 100. Where the text is silent we decided:
    a capture that gives check costs the smaller of the two, a promotion without capture is an ordinary move, and the exact
    exchange value decides whether a capture loses, whatever SEEForm says.
    """
    cost: cython.int = PLY
    if captured_kind(pos, move) != NO_PIECE:
        cost = 0 if see_ge(pos, move, 0) else 125
    if checking and cost > 25:
        cost = 25
    if cost != PLY:
        w.counters.fractional_moves += 1
    return cost
