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


def by_lot(hidden: int, second: int, seed: int) -> Arrays:
    """A random network whose second layer matters at once; in one to be trained it begins at 0."""
    chance = np.random.default_rng([seed, 1])
    start = network.start(hidden, second, seed)
    return start._replace(head=chance.normal(0, 0.5, start.head.shape).astype(np.float32))


def plain_outputs(found: positions.Records, arrays: Arrays) -> np.ndarray:
    """The network in numpy, in double precision."""
    net = Arrays(*(array.astype(np.float64) for array in arrays))
    index, real = network.active(found)
    sums = (net.inputs[index] * real[:, None, :, None]).sum(axis=2) + net.bias
    squares = np.clip(sums, 0, 1).reshape(len(found), -1) ** 2
    second = np.clip(squares @ net.second.T + net.second_bias, 0, 1)
    outputs = squares @ net.output.T + second @ net.head.T + net.output_bias
    # The first output stands for 2.5 pieces, the next for 6.5, and so on; between two of them they are interpolated.
    place = (np.bitwise_count(np.asarray(found["occupancy"])) - 2.5) / 4
    return np.array([np.interp(x, np.arange(network.BUCKETS), row) for x, row in zip(place, outputs, strict=True)])
