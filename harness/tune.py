"""Fitting the evaluation to results: quiet positions of finished games, logistic loss, gradient descent by L-BFGS.

The model is the one called Texel tuning in the field: a position's evaluation e (centipawns, White's view) predicts White's
points as 1 / (1 + 10^(-k e / 400)). Sortie itself says how often each of its weights counts in a position (`sortie
trace`), so the harness knows nothing of the evaluation but names and numbers.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.sparse import csr_matrix

from harness.errors import BadInput
from harness.journal import Reader

Floats = NDArray[np.float64]
Progress = Callable[[str], None]

SKIP_LAST = 6  # engine moves at the end of a game: its result is already on the board
MOST_SCORE = 900  # positions beyond this many centipawns teach nothing about small weights
SCALE = np.log(10) / 400


@dataclass(frozen=True, slots=True)
class Sample:
    """A position of a finished game and White's points in it."""

    fen: str
    points: float


@dataclass(frozen=True, slots=True)
class Data:
    """Quiet positions as the fit sees them; rows of `middle` and `end` are positions, columns weights.

    e = middle @ mg + end @ eg + fixed, centipawns from White's view.
    """

    tables: tuple[tuple[str, int], ...]
    start: Floats  # (weights, 2): middlegame and endgame
    middle: csr_matrix
    end: csr_matrix
    fixed: Floats
    points: Floats


@dataclass(frozen=True, slots=True)
class Fit:
    """A finished fit; losses are mean logistic loss per position (natural logarithm)."""

    weights: Floats  # (weights, 2)
    scale: float
    positions: int
    held_out: int
    loss_before: float
    loss_after: float
    held_before: float
    held_after: float


def samples(folders: Iterable[Path], per_game: int, seed: int) -> Iterator[Sample]:
    """Up to `per_game` positions of every game with a score, none in check, from the openings on; seeded."""
    chance = random.Random(seed)
    for folder in folders:
        with Reader(folder) as reader:
            for game in reader.games():
                if game.fault is not None or game.result not in ("1-0", "0-1", "1/2-1/2"):
                    continue
                points = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[game.result]
                board = chess.Board(game.job.opening.fen)
                for text in game.job.opening.moves:
                    board.push_uci(text)
                last = len(game.moves) - SKIP_LAST
                chosen = set(chance.sample(range(last), min(per_game, last))) if last > 0 else set()
                for place, record in enumerate(game.moves[: max(last, 0)]):
                    calm = record.score is not None and abs(record.score) <= MOST_SCORE
                    move = chess.Move.from_uci(record.move)
                    if place in chosen and calm and not board.is_check() and not board.is_capture(move):
                        yield Sample(board.fen(), points)
                    board.push(move)


def trace(command: str, found: Sequence[Sample], progress: Progress) -> Data:
    """Ask Sortie for the coefficients of every position; those it does not call quiet are left out."""
    with tempfile.NamedTemporaryFile("w", suffix=".fen") as file:
        file.writelines(f"{sample.fen}\n" for sample in found)
        file.flush()
        process = subprocess.Popen(
            [command, "trace", file.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout is not None and process.stderr is not None
        first = process.stdout.readline()
        if not first:
            raise BadInput(f"{command} trace: {process.stderr.read().strip() or 'no answer'}")
        head: dict[str, Any] = json.loads(first)
        rows: list[int] = []
        columns: list[int] = []
        middle: list[float] = []
        end: list[float] = []
        fixed: list[float] = []
        points: list[float] = []
        for sample, line in zip(found, process.stdout, strict=False):
            row = json.loads(line)
            if not row["quiet"]:
                continue
            drawish = row["scale"] / 64 if row["scale"] < 16 else 1.0  # as the evaluation does it
            opening = row["phase"] / 24 * drawish
            closing = (24 - row["phase"]) / 24 * row["scale"] / 64
            for column, count in row["counts"]:
                rows.append(len(points))
                columns.append(column)
                middle.append(count * opening)
                end.append(count * closing)
            fixed.append(row["rest"][0] * opening + row["rest"][1] * closing)
            points.append(sample.points)
            if len(points) % 50_000 == 0:
                progress(f"{len(points)} quiet positions")
        if process.wait() != 0:
            raise BadInput(f"{command} trace: {process.stderr.read().strip()}")
    if len(points) < 1000:
        raise BadInput(f"only {len(points)} quiet positions with a result: a fit needs 1000 at least")
    start = np.array(head["weights"], dtype=np.float64)
    shape = (len(points), len(start))
    return Data(
        tuple((name, length) for name, length in head["layout"]),
        start,
        csr_matrix((middle, (rows, columns)), shape=shape),
        csr_matrix((end, (rows, columns)), shape=shape),
        np.array(fixed),
        np.array(points),
    )


def evaluations(data: Data, weights: Floats) -> Floats:
    """Centipawns of every position under these weights."""
    return np.asarray(data.middle @ weights[:, 0] + data.end @ weights[:, 1] + data.fixed)


def loss(evaluation: Floats, points: Floats, scale: float) -> float:
    """Mean logistic loss of predicting points from evaluations."""
    x = scale * SCALE * evaluation
    return float(np.mean(np.logaddexp(0, x) - points * x))


def fit(data: Data, rounds: int, pull: float, seed: int, progress: Progress) -> Fit:
    """Fit all weights, with a tenth of the positions held out; `pull` holds each weight to where it started.

    The scale k is fitted first, for the weights as they are, and then kept: so a pawn keeps its size.
    """
    order = np.random.default_rng(seed).permutation(len(data.points))
    held, used = np.sort(order[: len(order) // 10]), np.sort(order[len(order) // 10 :])
    middle, end, fixed, points = data.middle[used], data.end[used], data.fixed[used], data.points[used]
    middle_turned, end_turned = middle.T.tocsr(), end.T.tocsr()
    before = evaluations(data, data.start)
    best = minimize_scalar(lambda k: loss(before[used], points, k), bounds=(0.2, 3.0), method="bounded")
    scale = float(best.x)
    progress(f"scale {scale:.3f}")
    size = len(data.start)

    def objective(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(2, size)
        x = scale * SCALE * (middle @ weights[0] + end @ weights[1] + fixed)
        wrong = (1 / (1 + np.exp(-x)) - points) * (scale * SCALE / len(points))
        away = weights - data.start.T
        value = float(np.mean(np.logaddexp(0, x) - points * x)) + pull * float(np.sum(away * away))
        gradient = np.stack([middle_turned @ wrong, end_turned @ wrong]) + 2 * pull * away
        return value, gradient.ravel()

    found = minimize(objective, data.start.T.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": rounds})
    weights = found.x.reshape(2, size).T
    after = evaluations(data, weights)
    return Fit(
        weights,
        scale,
        len(used),
        len(held),
        loss(before[used], points, scale),
        loss(after[used], points, scale),
        loss(before[held], data.points[held], scale),
        loss(after[held], data.points[held], scale),
    )


def weights_file(data: Data, found: Fit, note: str) -> str:
    """The text of engine/weights.py: what `sortie` reads its weights from, readable and diffable."""
    pairs = [(round(mg), round(eg)) for mg, eg in found.weights]
    lines = [f'"""{note}"""', "", "WEIGHTS = {"]
    place = 0
    for name, length in data.tables:
        part = pairs[place : place + length]
        place += length
        if name == "placement":
            lines.append('    "placement": (')
            for kind, piece in enumerate(("pawn", "knight", "bishop", "rook", "queen", "king")):
                lines.append(f"        (  # {piece}")
                for rank in range(8):
                    row = part[64 * kind + 8 * rank : 64 * kind + 8 * rank + 8]
                    lines.append("            " + ", ".join(f"({mg}, {eg})" for mg, eg in row) + ",")
                lines.append("        ),")
            lines.append("    ),")
        else:
            lines.append(f'    "{name}": (')
            for first in range(0, length, 8):
                lines.append("        " + ", ".join(f"({mg}, {eg})" for mg, eg in part[first : first + 8]) + ",")
            lines.append("    ),")
    return "\n".join([*lines, "}", ""])
