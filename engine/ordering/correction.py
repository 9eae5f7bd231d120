"""Correction history (CorrHist): the errors that the search has found in the static evaluation.

Each part of a position (pawn structure, the pieces of either side, minor and major pieces, the last two moves) has an entry in
a table of its own; their weighted sum is the correction. All entries learn from the error that remains after it: h += b -
h*|b|/limit, where b grows with that error and the depth. So their sum, not each of them, approaches the error. Keys are those
the side to move sees, so that colour-flipped twins learn alike.
"""

import cython
from cython import cast


def correction_slots(pos, moves, slots):
    """The indexes of a position's six entries; `moves` is a hash of the last two moves, as the side to move sees them."""
    side = pos.side
    mask: U64 = CORRECTION_SLOTS - 1
    kings = zobrist_piece[KING][pos.king[WHITE]] ^ zobrist_piece[KING | 8][pos.king[BLACK]]
    slots[BY_PAWNS] = cast(cython.int, view(pos.pawn_key ^ kings, side) & mask)
    slots[BY_OWN_MEN] = cast(cython.int, view(pos.men_key[side], side) & mask)
    slots[BY_ENEMY_MEN] = cast(cython.int, view(pos.men_key[side ^ 1], side) & mask)
    slots[BY_MINORS] = cast(cython.int, view(pos.minor_key, side) & mask)
    slots[BY_MAJORS] = cast(cython.int, view(pos.men_key[0] ^ pos.men_key[1] ^ pos.minor_key, side) & mask)
    slots[BY_MOVES] = moves & (CORRECTION_SLOTS - 1)


def correction_of(m, t, level, pos, moves):
    """Centipawns to add to the static evaluation; level on uses the pawn structure alone, full all six parts."""
    slots = cython.declare(cython.int[6])
    correction_slots(pos, moves, slots)
    side = pos.side
    sum: cython.int = t.correction_pawn * m.correction[side][BY_PAWNS][slots[BY_PAWNS]]
    if level == CORRECT_FULLY:
        sum += t.correction_men * (
            m.correction[side][BY_OWN_MEN][slots[BY_OWN_MEN]] + m.correction[side][BY_ENEMY_MEN][slots[BY_ENEMY_MEN]]
        )
        sum += t.correction_minor * m.correction[side][BY_MINORS][slots[BY_MINORS]]
        sum += t.correction_major * m.correction[side][BY_MAJORS][slots[BY_MAJORS]]
        sum += t.correction_moves * m.correction[side][BY_MOVES][slots[BY_MOVES]]
    return sum // 1600


def correct(m, t, level, pos, moves, depth, residual):
    """Learn how far the search result lay above (+) or below the corrected evaluation, centipawns."""
    slots = cython.declare(cython.int[6])
    correction_slots(pos, moves, slots)
    bonus: cython.int = residual * depth * t.correction_rate // 100
    if bonus > CORRECTION_LIMIT // 4:
        bonus = CORRECTION_LIMIT // 4
    if bonus < -CORRECTION_LIMIT // 4:
        bonus = -CORRECTION_LIMIT // 4
    size: cython.int = bonus if bonus >= 0 else -bonus
    part: cython.int
    parts: cython.int = 6 if level == CORRECT_FULLY else 1
    for part in range(parts):
        cell = cython.address(m.correction[pos.side][part][slots[part]])
        value: cython.int = cell[0]
        value += bonus - value * size // CORRECTION_LIMIT
        cell[0] = value
