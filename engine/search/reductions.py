"""What a move uses up of the depth: late move reductions (C7) and fractional depth (C16)."""

import cython
from cython import cast


def fill_reductions(w):
    """Base of LMR=plain and table, plies by depth and number of the move; logarithmic in both, as everywhere in the field."""
    depth: cython.int
    count: cython.int
    for depth in range(1, 64):
        for count in range(1, 64):
            w.reductions[depth][count] = cast(cython.int, 0.75 + log(depth) * log(count) / 2.3)


def oneply_reduction(plies, count, quiet, stage):
    """LMR=oneply (Mediocre): a ply less for quiet moves behind the hash move, captures and killers, from three plies on."""
    return plies >= 3 and count > 1 and quiet and stage >= STAGE_QUIETS


def table_reduction(base, quiet, stage, record, cut_node, doubt):
    """LMR=plain, table (the field): `base`, more where a cutoff is expected, less for what else speaks for the move.

    Quiet moves: less for refutations and by their `record` in the histories (0 in plain), more by `doubt` (-3..1, what the
    node and a check say). Captures that lose material: half of the base.
    """
    if not quiet:
        return base // 2 + cut_node if stage == STAGE_BAD_NOISY else 0
    refutation: cython.bint = STAGE_KILLERS <= stage <= STAGE_COMBO
    return base + cut_node + doubt - refutation - record // 5000


def movement_cost(w, pos, move, checking):
    """Depth that a move uses up, hundredths of a ply (comment under Mediocre's post of 19 March 2007; C16).

    A capture that loses nothing 0, one that loses 125, a check 25, any other move 100. Our reading, where the text is silent:
    a capture that gives check costs the smaller of the two, a promotion without capture is an ordinary move, and whether a
    capture loses is the exact value's to say, whatever SEEForm orders by.
    """
    cost: cython.int = PLY
    if captured_kind(pos, move) != NO_PIECE:
        cost = 0 if see_ge(pos, move, 0) else 125
    if checking and cost > 25:
        cost = 25
    if cost != PLY:
        w.counters.fractional_moves += 1
    return cost
