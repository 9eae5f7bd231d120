"""Fitting the evaluation to results: quiet positions of finished games, logistic loss, gradient descent by L-BFGS.

The model is the one called Texel tuning in the field: a position's evaluation e (centipawns, White's view) predicts White's
points as 1 / (1 + 10^(-k e / 400)). Sortie itself tells how often each of its weights counts in a position (`sortie
trace`), so the harness knows only names, numbers and the one term of the evaluation that is not linear: the danger
d to a king, cut off at 0 and DANGER_MOST, costs d^2 / DANGER_SQUARE in the middlegame and d / DANGER_PLAIN in the endgame.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.sparse import csr_matrix

from harness.errors import BadInput
from harness.journal.journal import Reader
from harness.model import POINTS
from harness.terminal.numbers import noun
from harness.terminal.progress import SILENT, Progress

Floats = NDArray[np.float64]

LEAST = 1000  # positions; fewer would fit noise
SKIP_LAST = 6  # engine moves at the end of a game, when its result is already on the board
MOST_SCORE = 900  # centipawns; positions beyond it teach nothing about small weights
SCALE = np.log(10) / 400
DANGER_MOST = 1000.0
DANGER_SQUARE = 1024.0
DANGER_PLAIN = 16.0


@dataclass(frozen=True, slots=True)
class Sample:
    """A position of a finished game, and White's points in that game."""

    fen: str
    points: float
    game: int  # a number that positions of one game share


@dataclass(frozen=True, slots=True)
class Data:
    """Quiet positions in the form of the fit; rows of `middle` and `end` are positions, columns are weights.

    e = middle @ mg + end @ eg + cost(black king) - cost(white king), centipawns from White's view, where a king's cost comes
    from the danger `danger[side] @ mg`, weighted by the position's `opening` and `closing` shares.
    """

    tables: tuple[tuple[str, int], ...]
    start: Floats  # (weights, 2): middlegame and endgame
    middle: csr_matrix
    end: csr_matrix
    danger: tuple[csr_matrix, csr_matrix]  # of the white and the black king
    opening: Floats
    closing: Floats
    points: Floats
    games: NDArray[np.int64]

    def part(self, rows: NDArray[np.int64]) -> Data:
        """Some of the positions."""
        white, black = self.danger
        return Data(
            self.tables,
            self.start,
            self.middle[rows],
            self.end[rows],
            (white[rows], black[rows]),
            self.opening[rows],
            self.closing[rows],
            self.points[rows],
            self.games[rows],
        )


@dataclass(frozen=True, slots=True)
class Fit:
    """A finished fit; losses are the mean logistic loss per position (natural logarithm)."""

    weights: Floats  # (weights, 2)
    scale: float
    positions: int
    held_out: int
    loss_before: float
    loss_after: float
    held_before: float
    held_after: float


def samples(folders: Iterable[Path], per_game: int, seed: int, progress: Progress = SILENT) -> Iterator[Sample]:
    """Up to `per_game` positions of every game with a score, none in check, after the opening; drawn by `seed`."""
    chance = random.Random(seed)
    number = 0
    for folder in folders:
        with Reader(folder) as reader:
            progress.begin(f"reading {folder.name}", reader.count(), "games")
            for game in reader.games():
                progress.advance()
                if game.fault is not None or game.result not in POINTS:
                    continue
                number += 1
                points = POINTS[game.result]
                board = chess.Board(game.job.opening.fen, chess960=True)  # which knows both ways of castling
                for text in game.job.opening.moves:
                    board.push_uci(text)
                last = len(game.moves) - SKIP_LAST
                chosen = set(chance.sample(range(last), min(per_game, last))) if last > 0 else set()
                for place, record in enumerate(game.moves[: max(last, 0)]):
                    calm = record.score is not None and abs(record.score) <= MOST_SCORE
                    move = chess.Move.from_uci(record.move)
                    if place in chosen and calm and not board.is_check() and not board.is_capture(move):
                        yield Sample(_plain_fen(board), points, number)
                    board.push(move)


def _plain_fen(board: chess.Board) -> str:
    """The position without the castling rights of Fischer random, which Sortie takes only in games of it."""
    plain = board.copy(stack=False)
    plain.chess960 = False
    return plain.fen()


def trace(command: str, found: Sequence[Sample], progress: Progress = SILENT) -> Data:
    """Ask Sortie for the coefficients of every position; those it does not call quiet are left out.

    Raises BadInput for fewer than LEAST positions, and with Sortie's own words if it fails.
    """
    if len(found) < LEAST:
        raise BadInput(f"only {len(found)} {noun(len(found), 'position')} with a result: a fit needs {LEAST} at least")
    with tempfile.NamedTemporaryFile("w", suffix=".fen") as file:
        file.writelines(f"{sample.fen}\n" for sample in found)
        file.flush()
        with subprocess.Popen(
            [command, "trace", file.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None and process.stderr is not None
            first = process.stdout.readline()
            if not first:
                raise BadInput(f"{command} trace: {process.stderr.read().strip() or 'no answer'}")
            head: dict[str, Any] = json.loads(first)
            linear, white, black = Entries(), Entries(), Entries()
            opening: list[float] = []
            closing: list[float] = []
            points: list[float] = []
            games: list[int] = []
            progress.begin("weights in each position", len(found), "positions")
            for sample, line in zip(found, process.stdout, strict=False):
                progress.advance()
                if not line.endswith("\n"):
                    break  # Sortie has died meanwhile
                row = json.loads(line)
                if not row["quiet"]:
                    continue
                drawish = row["scale"] / 64 if row["scale"] < 16 else 1.0  # as in the evaluation
                for entries, counts in zip((linear, white, black), (row["counts"], *row["danger"]), strict=True):
                    entries.add(len(points), counts)
                opening.append(row["phase"] / 24 * drawish)
                closing.append((24 - row["phase"]) / 24 * row["scale"] / 64)
                points.append(sample.points)
                games.append(sample.game)
            if process.wait() != 0:
                said = process.stderr.read().strip() or f"exit status {process.returncode}"
                raise BadInput(f"{command} trace: {said}")
    if len(points) < LEAST:
        raise BadInput(
            f"only {len(points)} quiet {noun(len(points), 'position')} with a result: a fit needs {LEAST} at least"
        )
    start = np.array(head["weights"], dtype=np.float64)
    shape = (len(points), len(start))
    counts = linear.matrix(shape)
    shares = np.array(opening), np.array(closing)
    return Data(
        tuple((name, length) for name, length in head["layout"]),
        start,
        csr_matrix(counts.multiply(shares[0][:, None])),
        csr_matrix(counts.multiply(shares[1][:, None])),
        (white.matrix(shape), black.matrix(shape)),
        *shares,
        np.array(points),
        np.array(games),
    )


class Entries:
    """The entries of a sparse matrix as they come in, a row for each position; compact, because there are tens of millions."""

    __slots__ = ("columns", "rows", "values")

    def __init__(self) -> None:
        self.rows, self.columns, self.values = array("i"), array("H"), array("h")

    def add(self, row: int, counts: Sequence[Sequence[int]]) -> None:
        """Add the [[column, count], ...] of a row."""
        for column, count in counts:
            self.rows.append(row)
            self.columns.append(column)
            self.values.append(count)

    def matrix(self, shape: tuple[int, int]) -> csr_matrix:
        """All entries as a matrix of this shape."""
        entries = (np.array(self.values, dtype=np.float64), (np.array(self.rows), np.array(self.columns)))
        return csr_matrix(entries, shape=shape)


def king_costs(data: Data, middle_weights: Floats) -> tuple[Floats, list[tuple[float, Floats]]]:
    """What the kings' dangers add to each position and, for each king, (sign, derivative with respect to its raw danger)."""
    total = np.zeros(len(data.points))
    slopes = []
    for sign, matrix in ((-1.0, data.danger[0]), (1.0, data.danger[1])):
        raw = np.asarray(matrix @ middle_weights)
        danger = np.clip(raw, 0, DANGER_MOST)
        total += sign * (danger * danger / DANGER_SQUARE * data.opening + danger / DANGER_PLAIN * data.closing)
        slope = 2 * danger / DANGER_SQUARE * data.opening + data.closing / DANGER_PLAIN
        slopes.append((sign, np.where((raw > 0) & (raw < DANGER_MOST), slope, 0.0)))
    return total, slopes


def evaluations(data: Data, weights: Floats) -> Floats:
    """Centipawns of every position under these weights."""
    return np.asarray(data.middle @ weights[:, 0] + data.end @ weights[:, 1] + king_costs(data, weights[:, 0])[0])


def loss(evaluation: Floats, points: Floats, scale: float) -> float:
    """Mean logistic loss of predicting points from evaluations."""
    x = scale * SCALE * evaluation
    return float(np.mean(np.logaddexp(0, x) - points * x))


def fit(data: Data, rounds: int, pull: float, seed: int, progress: Progress = SILENT) -> Fit:
    """Fit all weights, with a tenth of the games held out; `pull` draws each weight towards its start.

    The scale k is fitted first, to the old weights, and then fixed, so that a pawn keeps its value. Raises BadInput if there
    is one game only.
    """
    numbers = np.unique(data.games)
    if len(numbers) < 2:
        raise BadInput(f"{len(data.points)} quiet positions, all of one game: a fit needs others to be held out")
    out = np.isin(data.games, np.random.default_rng(seed).choice(numbers, max(1, len(numbers) // 10), replace=False))
    held, used = np.flatnonzero(out), np.flatnonzero(~out)
    part = data.part(used)
    middle_turned, end_turned = part.middle.T.tocsr(), part.end.T.tocsr()
    danger_turned = [matrix.T.tocsr() for matrix in part.danger]
    before = evaluations(data, data.start)
    best = minimize_scalar(lambda k: loss(before[used], part.points, k), bounds=(0.2, 3.0), method="bounded")
    scale = float(best.x)
    progress.line(f"scale {scale:.3f}")
    size = len(data.start)

    def objective(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(2, size)
        kings, slopes = king_costs(part, weights[0])
        x = scale * SCALE * (part.middle @ weights[0] + part.end @ weights[1] + kings)
        wrong = (1 / (1 + np.exp(-x)) - part.points) * (scale * SCALE / len(part.points))
        away = weights - data.start.T
        value = float(np.mean(np.logaddexp(0, x) - part.points * x)) + pull * float(np.sum(away * away))
        gradient = np.stack([middle_turned @ wrong, end_turned @ wrong])
        for turned, (sign, slope) in zip(danger_turned, slopes, strict=True):
            gradient[0] += turned @ (wrong * sign * slope)
        return value, (gradient + 2 * pull * away).ravel()

    # A centipawn in one weight changes the loss by about 1e-6: with SciPy's default gradient tolerance (1e-5) the fit
    # would end far from the minimum.
    options = {"maxiter": rounds, "gtol": 1e-9, "ftol": 1e-9}
    progress.begin("fit", rounds, "steps")
    found = minimize(
        objective,
        data.start.T.ravel(),
        jac=True,
        method="L-BFGS-B",
        options=options,
        callback=lambda _: progress.advance(),
    )
    weights = found.x.reshape(2, size).T
    after = evaluations(data, weights)
    return Fit(
        weights,
        scale,
        len(used),
        len(held),
        loss(before[used], part.points, scale),
        loss(after[used], part.points, scale),
        loss(before[held], data.points[held], scale),
        loss(after[held], data.points[held], scale),
    )


def weights_file(data: Data, found: Fit, note: str) -> str:
    """The text of engine/evaluation/weights.py, from which Sortie reads its weights; readable and diffable."""
    pairs = [(round(mg), round(eg)) for mg, eg in found.weights]
    quoted = note.replace("\\", "\\\\").replace('"', '\\"')  # a folder may be called anything
    lines = [f'"""{quoted}"""', "", "WEIGHTS = {"]
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
