"""Killers, counter and combo moves, and the forms of the history heuristic (docs/sources.md has the texts and claims).

The forms of history differ in what earns credit, what is debited, how the table is bounded and how long it lives (C7):

original  Winglet W3, C3: cutoff and final alpha-raise, any move, captures too; never debited; saturates; zeroed before each
          think (W4).
quiet     the same for quiet moves only; the whole table is halved when one entry passes 2^14; lives for the game.
gated     Sjaak II: cutoffs of quiet moves, not in check; the quiet moves tried before are debited; halved at 0x4000 and
          before each iteration; lives for the game.
gravity   Ethereal, Weiss, Stockfish: h += b - h*|b|/limit, so that entries stay bounded and recent results weigh more;
          lives for the game.

When the form changes the table is zeroed: the scales have nothing in common.
"""

import cython


def forget(m):
    """Forget everything: a new game."""
    memset(m, 0, cython.sizeof(Memory))


def start_think(m, o):
    """Before each search: clear the killers, and the table if the form is original (W4) or has changed."""
    memset(cython.address(m.killers[0][0]), 0, cython.sizeof(m.killers))
    if o.history == HISTORY_ORIGINAL or o.history != m.form:
        m.form = o.history
        memset(cython.address(m.quiet[0][0]), 0, cython.sizeof(m.quiet))
        m.quiet_max[0] = m.quiet_max[1] = 0


def start_iteration(m, o):
    """Before each iteration the gated form halves its table (Sjaak II)."""
    if o.history == HISTORY_GATED:
        halve(m)


def halve(m):
    """Halve every butterfly entry."""
    side: cython.int
    i: cython.int
    for side in range(2):
        for i in range(BUTTERFLIES):
            m.quiet[side][i] //= 2
        m.quiet_max[side] //= 2


def credit_weight(o, depth):
    """Credit of a cutoff at `depth` plies: 1, d, d*d (Winglet W3) or 2^d (Schaeffer 1983), at most 2^20; C3.

    A depth below one ply, which fractional depth can leave, counts as one.
    """
    if depth < 1:
        depth = 1
    if o.credit_weight == CREDIT_ONE:
        return 1
    if o.credit_weight == CREDIT_DEPTH:
        return depth
    if o.credit_weight == CREDIT_DEPTH2:
        return depth * depth
    return 1 << (depth if depth < 20 else 20)


def add_to_entry(m, side, index, credit):
    """Add to one entry, saturating, and keep the largest absolute value."""
    value: cython.int = m.quiet[side][index] + credit
    if value > SATURATE_AT:
        value = SATURATE_AT
    m.quiet[side][index] = value
    if value < 0:
        value = -value
    if value > m.quiet_max[side]:
        m.quiet_max[side] = value


def credit_original(m, o, pos, move, depth):
    """H[side][from][to] += w(d) for the move that cut off or ended as the PV move of the node, saturating; W3, C3, C7."""
    add_to_entry(m, pos.side, history_index(o, pos, move), credit_weight(o, depth))
    return True


def credit_quiet(m, o, pos, move, depth):
    """H += w(d) as in the original form, but quiet moves only; halve all when one exceeds 2^14; C7."""
    if is_noisy(pos, move):
        return False
    add_to_entry(m, pos.side, history_index(o, pos, move), credit_weight(o, depth))
    if m.quiet_max[pos.side] > HALVE_AT:
        halve(m)
    return True


def credit_gated(m, o, pos, move, depth, tried, n):
    """H += w(d) for a quiet cutoff, not in check, H -= w(d) for the moves tried before; halve all at 0x4000; Sjaak II, C7.

    Captures, promotions and castling earn nothing and are not debited either (our reading).
    """
    if pos.checkers or is_noisy(pos, move) or move_kind(move) == CASTLING:
        return False
    weight = credit_weight(o, depth)
    i: cython.int
    for i in range(n):
        if tried[i] != move and move_kind(tried[i]) != CASTLING:
            add_to_entry(m, pos.side, history_index(o, pos, tried[i]), -weight)
    add_to_entry(m, pos.side, history_index(o, pos, move), weight)
    if m.quiet_max[pos.side] >= HALVE_AT:
        halve(m)
    return True


def gravity_bonus(t, depth):
    """What a cutoff at `depth` plies earns in the gravity tables."""
    bonus: cython.int = t.bonus_slope * depth - t.bonus_base
    return bonus if bonus < t.bonus_most else t.bonus_most


def gravity_malus(t, depth):
    """What a move that was tried before the cutoff loses there."""
    malus: cython.int = t.malus_slope * depth - t.malus_base
    return malus if malus < t.malus_most else t.malus_most


def add_gravity(cell, bonus):
    """h += b - h*|b|/limit: bounded by the limit, and slower the closer it gets."""
    size = bonus if bonus >= 0 else -bonus
    value: cython.int = cell[0]
    value += bonus - value * size // HISTORY_LIMIT
    cell[0] = value


def add_gravity_to(cell, bonus):
    """The same for an entry of the butterfly table."""
    size = bonus if bonus >= 0 else -bonus
    cell[0] += bonus - cell[0] * size // HISTORY_LIMIT


def credit_gravity(m, o, pos, move, bonus, malus, tried, n):
    """H += b - H*b/limit for the quiet move that cut off, H -= c + H*c/limit for those tried before it; Ethereal and others, C7."""
    if is_noisy(pos, move):
        return False
    side = pos.side
    add_gravity_to(cython.address(m.quiet[side][history_index(o, pos, move)]), bonus)
    i: cython.int
    for i in range(n):
        if tried[i] != move:
            add_gravity_to(cython.address(m.quiet[side][history_index(o, pos, tried[i])]), -malus)
    return True


def credit_history(m, o, pos, move, depth, bonus, malus, tried, n):
    """Credit a move that cut off in the form of history that is on; return whether it earned anything.

    `tried` are the node's quiet moves. Gravity uses bonus and malus, the other forms the depth.
    """
    if o.history == HISTORY_GRAVITY:
        return credit_gravity(m, o, pos, move, bonus, malus, tried, n)
    if o.history == HISTORY_GATED:
        return credit_gated(m, o, pos, move, depth, tried, n)
    return credit_alpha_raise(m, o, pos, move, depth)


def credit_alpha_raise(m, o, pos, move, depth):
    """Credit the PV move of a node that raised alpha, in the original and quiet forms alone (W3)."""
    if o.history == HISTORY_ORIGINAL:
        return credit_original(m, o, pos, move, depth)
    if o.history == HISTORY_QUIET:
        return credit_quiet(m, o, pos, move, depth)
    return False


def remember_killer(m, ply, move):
    """Slot 0 takes the newest quiet move that cut off at this ply, slot 1 the one before (Jazz's page; C8).

    Both are kept at any level: with Killers=1 only slot 0 is tried.
    """
    if m.killers[ply][0] != move:
        m.killers[ply][1] = m.killers[ply][0]
        m.killers[ply][0] = move

