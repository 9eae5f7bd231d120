"""Static evaluation: centipawns from the side to move, symmetric under colour flip."""

import cython


def evaluate(pos):
    """Tapered material and placement, and a little for the move."""
    phase = pos.phase if pos.phase < 24 else 24
    score = (mg_of(pos.psq) * phase + eg_of(pos.psq) * (24 - phase)) // 24
    return (-score if pos.side else score) + 10
