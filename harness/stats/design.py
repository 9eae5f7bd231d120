"""Designs of opposites: which changes each of two engines has, match by match, so that every game tests every change.

In each match one engine has some of the changes and its opponent all the others. The signs are columns of Sylvester's
Hadamard matrix, so over all matches every other change is as often with a change as against it: pooled, the games
measure each change as a mean over the presence and absence of the others. Source: Plackett and Burman, "The design of optimum
multifactorial experiments" (1946), each run folded over, so that interactions of two changes cancel between a match's sides.
"""

from __future__ import annotations

FEWEST, MOST = 2, 32  # changes


def matches(changes: int) -> int:
    """The number of matches in a design for so many changes: the least power of two that is no smaller."""
    return 1 << (changes - 1).bit_length()


def has(match: int, change: int) -> bool:
    """Whether the first engine of a match (from 0) has a change (from 0); if not, the second has it.

    The signs of some columns are flipped, by a quadratic form of the column's bits, so that with four changes or more no
    match has all of them on one side.
    """
    bits = [change >> place & 1 for place in range(change.bit_length() + 1)]
    turned = sum(bits[place] & bits[place + 1] for place in range(0, len(bits) - 1, 2))
    return ((match & change).bit_count() + turned) % 2 == 0
