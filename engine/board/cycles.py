"""Upcoming repetitions (van Kervinck 2012): two keys that differ by one reversible move, found in a cuckoo table.

Every move of a piece between two squares of an empty board changes the key by a number of its own. The 3668 numbers are in
a table in which each has two possible places, so that a look-up tries no more than two.
"""

import cython
from cython import address


def fill_reversals():
    """Build the table; returns how many moves it holds. Runs once, at import."""
    count: cython.int = 0
    side: cython.int
    kind: cython.int
    one: cython.int
    other: cython.int
    wanted = cython.declare(Reversal)
    driven = cython.declare(Reversal)
    memset(address(reversals[0]), 0, cython.sizeof(reversals))
    for side in range(2):
        for kind in range(KNIGHT, KING + 1):
            for one in range(64):
                if kind == KNIGHT:
                    goals = knight_attacks(one)
                elif kind == BISHOP:
                    goals = bishop_attacks(one, 0)
                elif kind == ROOK:
                    goals = rook_attacks(one, 0)
                elif kind == QUEEN:
                    goals = queen_attacks(one, 0)
                else:
                    goals = king_attacks(one)
                for other in range(one + 1, 64):
                    if not goals & bit(other):
                        continue
                    piece = kind | side << 3
                    wanted.difference = zobrist_piece[piece][one] ^ zobrist_piece[piece][other] ^ zobrist_side
                    wanted.one = one
                    wanted.other = other
                    place: cython.int = first_place(wanted.difference)
                    count += 1
                    while True:
                        driven = reversals[place]
                        reversals[place] = wanted
                        if driven.difference == 0:
                            break
                        # The entry that was driven out moves to its other place.
                        wanted = driven
                        place = first_place(wanted.difference) ^ second_place(wanted.difference) ^ place
    return count


def reversible(pos, difference):
    """Whether one move of the side to move, in `pos`, makes this difference to the key."""
    place = first_place(difference)
    if reversals[place].difference != difference:
        place = second_place(difference)
        if reversals[place].difference != difference:
            return False
    one: cython.int = reversals[place].one
    other: cython.int = reversals[place].other
    if between(one, other) & occupied(pos):
        return False
    return (pos.colour[pos.side] & (bit(one) | bit(other))) != 0


fill_reversals()
