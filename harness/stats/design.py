"""Designs of opposites: which changes each of two engines has, match by match, so that every game speaks of every change.

In each match one engine has some of the changes and its opponent just the others. The signs are columns of Sylvester's
Hadamard matrix, so over all matches every other change stands as often beside a change as against it: pooled, the games
measure each change as a mean over the others being there or not. Source: Plackett and Burman, "The design of optimum
multifactorial experiments" (1946), each run folded over: what two changes do together cancels between a match's sides.
"""

from __future__ import annotations

FEWEST, MOST = 2, 32  # changes


def matches(changes: int) -> int:
    """How many matches a design for so many changes has: the next power of two."""
    return 1 << (changes - 1).bit_length()


def has(match: int, change: int) -> bool:
    """Whether the first engine of a match (from 0) has a change (from 0); if it has not, the second has.

    The signs of some columns are flipped, by a quadratic form of the column's bits, so that with four changes or more no
    match sets all of them against none.
    """
    bits = [change >> place & 1 for place in range(change.bit_length() + 1)]
    turned = sum(bits[place] & bits[place + 1] for place in range(0, len(bits) - 1, 2))
    return ((match & change).bit_count() + turned) % 2 == 0
