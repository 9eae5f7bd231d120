"""Late move reductions (C7) in hundredths of a ply: by depth and move number, adjusted by what else is known of the move."""

import cython
from cython import cast


def fill_reductions(w):
    """Fill the tables of LMR=plain and table, by depth and move number; logarithmic in both, as is usual in the field."""
    t = cython.address(w.tuning)
    depth: cython.int
    count: cython.int
    for depth in range(1, 64):
        for count in range(1, 64):
            product = 10000.0 * log(depth) * log(count)
            w.reductions[depth][count] = t.lmr_base + cast(cython.int, product / t.lmr_divisor)
            w.noisy_reductions[depth][count] = t.lmr_noisy_base + cast(cython.int, product / t.lmr_noisy_divisor)


def base_reduction(w, plies, count, quiet):
    """The reduction by depth and move number alone."""
    d: cython.int = plies if plies < 63 else 63
    n: cython.int = count if count < 63 else 63
    return w.reductions[d][n] if quiet else w.noisy_reductions[d][n]


def reduction_of(t, base, doubt):
    """`base`, raised by whatever makes the move less likely to be best and lowered by the opposite."""
    sum: cython.int = base
    if doubt.cut_node:
        sum += t.lmr_cut_node
        if doubt.no_table_move:
            sum += t.lmr_no_table_move
    if doubt.was_pv:
        sum -= t.lmr_was_pv
    if doubt.threatened:
        sum -= t.lmr_threatened
    if doubt.checking:
        sum -= t.lmr_check
    if doubt.refuted:
        sum += t.lmr_child_cutoffs
    if not doubt.quiet:
        if doubt.stage != STAGE_BAD_NOISY:
            sum -= t.lmr_good_capture
        return sum - doubt.record * 100 // t.lmr_capture_history
    if doubt.worsening:
        sum += t.lmr_worsening
    if doubt.in_check:
        sum -= t.lmr_in_check
    if doubt.table_noisy:
        sum += t.lmr_table_noisy
    if STAGE_KILLERS <= doubt.stage <= STAGE_COMBO:
        sum -= t.lmr_refutation
    return sum - doubt.record * 100 // t.lmr_history


def hindsight(w, ply, reduction, plies):
    """Plies that the node after a reduced move gains once it has been evaluated: 1, 0 or -1.

    A large reduction was too much if the move did not worsen its side's evaluation; any was too little if it worsened it much.
    +9.4 +- 10.4 Elo, 2,108 games at 20,000 nodes.
    """
    before: cython.int = w.frames[ply - 1].eval
    if before == NO_SCORE:
        return 0
    lost: cython.int = w.frames[ply].eval + before  # each from its own side to move
    added: cython.int = 0
    if reduction >= w.tuning.hindsight_plies and lost <= 0:
        added = 1
    elif plies >= 2 and lost > w.tuning.hindsight_margin:
        added = -1
    w.counters.hindsights += added != 0
    return added
