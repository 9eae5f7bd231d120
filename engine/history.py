"""Killers, counter and combo moves, and the forms of the history heuristic (seed text, 6.1 and 6.2).

The forms differ in what earns credit, what is left out, what is debited and how the table is bounded:

original  Winglet W3, C3, C7: cutoff and final alpha-raise, any move, captures too; never debited; saturates.
quiet     the same for quiet moves only; the whole table is halved when one entry passes 2^14.
gated     Sjaak II, C7: cutoffs of quiet moves out of check; the moves tried before are debited; nothing at nodes where no
          move cut off; halved at 0x4000 and before each iteration.
gravity   the field today: h += b - h*|b|/limit, so entries stay bounded and recent evidence weighs more.
"""

import cython


def forget(m):
    """Forget everything: a new game."""
    memset(m, 0, cython.sizeof(Memory))


def start_think(m, o):
    """Before each search: killers go; history too except in the gravity form, which ages by itself (W4)."""
    memset(cython.address(m.killers[0][0]), 0, cython.sizeof(m.killers))
    if o.history != HISTORY_GRAVITY:
        memset(cython.address(m.quiet[0][0]), 0, cython.sizeof(m.quiet))
        m.quiet_max[0] = m.quiet_max[1] = 0


def start_iteration(m, o):
    """Before each iteration the gated form halves its table."""
    if o.history == HISTORY_GATED:
        halve(m)


def halve(m):
    """Halve every butterfly entry."""
    side: cython.int
    i: cython.int
    for side in range(2):
        for i in range(4096):
            m.quiet[side][i] //= 2
        m.quiet_max[side] //= 2


def credit_weight(o, depth):
    """Credit of a cutoff at `depth` plies: 1, d, d*d or 2^d (C3)."""
    if depth < 1:
        depth = 1
    if o.credit_weight == CREDIT_ONE:
        return 1
    if o.credit_weight == CREDIT_DEPTH:
        return depth
    if o.credit_weight == CREDIT_DEPTH2:
        return depth * depth
    return 1 << (depth if depth < 20 else 20)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def raise_entry(m: cython.pointer(Memory), side: cython.int, index: cython.int, bonus: cython.int) -> cython.void:
    """Add to one entry and keep the maximum."""
    value: cython.int = m.quiet[side][index] + bonus
    if value > SATURATE_AT:
        value = SATURATE_AT
    m.quiet[side][index] = value
    if value > m.quiet_max[side]:
        m.quiet_max[side] = value


def credit_original(m, o, pos, move, depth):
    """H[side][from][to] += w(d) for the move that cut off or ended as the PV move of the node; W3, C7."""
    raise_entry(m, pos.side, history_index(o, pos, move), credit_weight(o, depth))


def credit_quiet(m, o, pos, move, depth):
    """As original, quiet moves only; halve all when one exceeds 2^14."""
    if is_noisy(pos, move):
        return
    raise_entry(m, pos.side, history_index(o, pos, move), credit_weight(o, depth))
    if m.quiet_max[pos.side] > HALVE_AT:
        halve(m)


def credit_gated(m, o, pos, move, depth, tried, n):
    """Sjaak II: +w(d) for a quiet cutoff out of check, -w(d) for every quiet move tried before it; C7."""
    if pos.checkers or is_noisy(pos, move) or move_kind(move) == CASTLING:
        return
    weight = credit_weight(o, depth)
    i: cython.int
    for i in range(n):
        if tried[i] != move:
            m.quiet[pos.side][history_index(o, pos, tried[i])] -= weight
            if m.quiet[pos.side][history_index(o, pos, tried[i])] < -HALVE_AT:
                halve(m)
    raise_entry(m, pos.side, history_index(o, pos, move), weight)
    if m.quiet_max[pos.side] >= HALVE_AT:
        halve(m)


def gravity_bonus(depth):
    """Bonus of a cutoff at `depth` plies in the gravity tables."""
    bonus: cython.int = 170 * depth - 100
    return bonus if bonus < 1700 else 1700


def add_gravity(cell, bonus):
    """h += b - h*|b|/limit: bounded by the limit, the closer the slower."""
    size = bonus if bonus >= 0 else -bonus
    value: cython.int = cell[0]
    value += bonus - value * size // HISTORY_LIMIT
    cell[0] = value


def credit_gravity(m, o, pos, move, depth, tried, n):
    """Bonus for the quiet move that cut off, the same malus for the quiet moves tried before it."""
    bonus = gravity_bonus(depth)
    side = pos.side
    index = history_index(o, pos, move)
    m.quiet[side][index] += bonus - m.quiet[side][index] * bonus // HISTORY_LIMIT
    i: cython.int
    for i in range(n):
        if tried[i] != move:
            index = history_index(o, pos, tried[i])
            m.quiet[side][index] += -bonus - m.quiet[side][index] * bonus // HISTORY_LIMIT


def remember_killer(m, o, ply, move):
    """Slot 0 takes the newest quiet move that cut off at this ply, slot 1 the one before; one killer uses slot 0 only."""
    if m.killers[ply][0] != move:
        m.killers[ply][1] = m.killers[ply][0]
        m.killers[ply][0] = move


def correct(m, pos, depth, difference):
    """Learn how far the search result lay above (+) or below the static evaluation, centipawns, for this pawn structure."""
    cell = cython.address(m.correction[pos.side][correction_slot(pos)])
    weight: cython.int = depth + 1 if depth < 15 else 16
    value: cython.int = (cell[0] * (256 - weight) + difference * 16 * weight) // 256
    if value > CORRECTION_LIMIT:
        value = CORRECTION_LIMIT
    if value < -CORRECTION_LIMIT:
        value = -CORRECTION_LIMIT
    cell[0] = value


def correction_of(m, pos):
    """Centipawns to add to the static evaluation."""
    return m.correction[pos.side][correction_slot(pos)] // 16
