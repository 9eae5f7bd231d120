"""Positions of random games as records, and the network in numpy: what tests of the training share."""

from __future__ import annotations

import random

import chess
import numpy as np

from harness.training import network, positions
from harness.training.network import Arrays


def boards(count: int, seed: int = 1) -> list[chess.Board]:
    """Positions of random games, none in check."""
    chance = random.Random(seed)
    found: list[chess.Board] = []
    while len(found) < count:
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 120 and len(found) < count:
            board.push(chance.choice(list(board.legal_moves)))
            if not board.is_check() and not board.is_game_over():
                found.append(board.copy())
    return found


def records(count: int, seed: int = 1) -> positions.Records:
    chance = random.Random(seed)
    parts = [
        positions.pack(board, chance.randint(-1999, 1999), chance.randrange(3), number // 40)
        for number, board in enumerate(boards(count, seed))
    ]
    return np.frombuffer(b"".join(parts), dtype=positions.RECORD)


def plain_outputs(found: positions.Records, arrays: Arrays) -> np.ndarray:
    """The network in numpy, in double precision."""
    inputs, bias, output, output_bias = (array.astype(np.float64) for array in arrays)
    index, real, bucket = network.active(found)
    sums = (inputs[index] * real[:, None, :, None]).sum(axis=2) + bias
    neurons = np.clip(sums, 0, 1).reshape(len(found), -1) ** 2
    found_outputs: np.ndarray = (neurons * output[bucket]).sum(axis=1) + output_bias[bucket]
    return found_outputs
