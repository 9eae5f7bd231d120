"""A finished game as one row: packed by the slot that played it, stored by the journal, unpacked by every reader."""

from __future__ import annotations

import json
import math
import operator
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from harness.model import POINTS, Fault, GameRecord, Job, MoveRecord, Opening

# What unpacking raises if the bytes are not as `pack` made them.
UNREADABLE = (zlib.error, ValueError, KeyError, TypeError, AttributeError, RecursionError)


class MoveSums(NamedTuple):
    """Sums over one colour's moves, so that a player's means need no unpacking."""

    moves: int
    ms: float  # milliseconds of wall-clock time
    cpu: float  # milliseconds of processor time
    depths: int  # moves with a depth
    depth: int  # the sum of their depths
    timed: float  # milliseconds of the moves with a node count
    counted: int  # number of those moves
    nodes: int  # the sum of their nodes

    def plus(self, more: MoveSums) -> MoveSums:
        """The sums over both sets of moves."""
        return MoveSums._make(map(operator.add, self, more))


NO_MOVES = MoveSums(0, 0.0, 0.0, 0, 0, 0.0, 0, 0)


class GameRow(NamedTuple):
    """A game without its moves: one row of the table `games`; `w_` and `b_` fields are `MoveSums`."""

    id: int
    pairing: int
    pair: int
    leg: int
    white: int
    black: int
    result: str
    reason: str
    culprit: int | None  # index of the player that caused the fault, None without one
    plies: int  # moves made by the engines
    started: float
    seconds: float
    host: str
    detail: str
    warnings: str  # JSON {player index: {word: count}}, '' for none
    fen: str
    line: str  # the opening's moves in coordinates, separated by blanks
    opening: str
    w_moves: int
    w_ms: float
    w_cpu: float
    w_depths: int
    w_depth: int
    w_timed: float
    w_counted: int
    w_nodes: int
    b_moves: int
    b_ms: float
    b_cpu: float
    b_depths: int
    b_depth: int
    b_timed: float
    b_counted: int
    b_nodes: int

    @property
    def points(self) -> float | None:
        """White's points: 1, 0.5 or 0; None for a game without a score."""
        return POINTS.get(self.result)

    @property
    def at_fault(self) -> int:
        """The player whose fault ended a game that a fault ended."""
        if self.culprit is not None:
            return self.culprit
        return self.black if self.points == 1.0 else self.white

    @property
    def job(self) -> Job:
        """The job that was played, without the options of a tuning run's game, which the row lacks."""
        opening = Opening(self.fen, tuple(self.line.split()), self.opening)
        return Job(self.id, self.pairing, self.pair, self.leg, self.white, self.black, opening)

    def sums(self, colour: int) -> MoveSums:
        """The sums over the moves of White (0) or Black (1)."""
        start = _FIRST_SUM + colour * len(MoveSums._fields)
        return MoveSums._make(self[start : start + len(MoveSums._fields)])

    def warning_counts(self) -> dict[int, dict[str, int]]:
        """Returns {player index: {word: count}}."""
        return {int(player): words for player, words in json.loads(self.warnings).items()} if self.warnings else {}


_FIRST_SUM = GameRow._fields.index("w_moves")


class PackedGame(NamedTuple):
    """A row, the packed moves and the evidence, with checksums, as they go over a pipe and into the journal."""

    row: GameRow
    row_crc: int
    moves: bytes
    evidence: str  # JSON of the fault, '' without one
    moves_crc: int


def row_checksum(row: Sequence[Any]) -> int:
    """Returns the CRC-32 of a row's values, equal before and after the database."""
    return zlib.crc32(repr(tuple(row)).encode())


def moves_checksum(moves: bytes, evidence: str) -> int:
    """Returns the CRC-32 of a game's packed moves and evidence."""
    return zlib.crc32(evidence.encode(), zlib.crc32(moves))


def _sums(
    ms: Sequence[float], cpu: Sequence[float | None], depths: Sequence[int | None], nodes: Sequence[int | None]
) -> MoveSums:
    """The sums over the moves of one colour, given as columns."""
    deep = [depth for depth in depths if depth is not None]
    counted = [count for count in nodes if count is not None]
    timed = math.fsum(spent for spent, count in zip(ms, nodes, strict=True) if count is not None) if counted else 0.0
    used = math.fsum(seconds for seconds in cpu if seconds is not None)
    return MoveSums(len(ms), math.fsum(ms), used, len(deep), sum(deep), timed, len(counted), sum(counted))


def _rounded(times: Sequence[float | None]) -> list[float | None]:
    """Times rounded to a microsecond; the many zeros of lag stay as they are. `round` would take five times as long."""
    return [time and int(time * 1000 + 0.5) / 1000 for time in times]


def first_mover(fen: str, line: Sequence[str]) -> int:
    """Returns the colour that makes the first move after an opening."""
    fields = fen.split(None, 2)
    side = 1 if len(fields) > 1 and fields[1] == "b" else 0
    return side ^ (len(line) & 1)


def pack(game: GameRecord) -> PackedGame:
    """Returns the game as the journal stores it."""
    job = game.job
    moves = game.moves
    first = first_mover(job.opening.fen, job.opening.moves)
    words, ms, cpu, lag, depths, nodes, scores, stats, lines = zip(*moves, strict=True) if moves else ((),) * 9
    white, black = (
        _sums(ms[start::2], cpu[start::2], depths[start::2], nodes[start::2]) for start in (first, 1 - first)
    )
    row = GameRow(
        job.id,
        job.pairing,
        job.pair,
        job.leg,
        job.white,
        job.black,
        game.result,
        game.reason,
        game.fault.player if game.fault else None,
        len(moves),
        float(game.started),
        float(game.seconds),
        game.host,
        game.detail,
        json.dumps(game.warnings) if game.warnings else "",
        job.opening.fen,
        " ".join(job.opening.moves),
        job.opening.name,
        *white,
        *black,
    )
    columns: dict[str, object] = {
        "m": " ".join(words),
        "t": _rounded(ms),
        "c": _rounded(cpu),
        "l": _rounded(lag),
        "d": depths,
        "n": nodes,
        "s": scores,
    }
    if any(report is not None for report in stats):
        columns["x"] = stats
    if any(lines):
        columns["p"] = lines
    blob = zlib.compress(json.dumps(columns, separators=(",", ":")).encode(), 1)
    evidence = json.dumps(asdict(game.fault)) if game.fault is not None else ""
    return PackedGame(row, row_checksum(row), blob, evidence, moves_checksum(blob, evidence))


def unpack_moves(blob: bytes) -> tuple[MoveRecord, ...]:
    """Returns the engine moves of a stored game."""
    columns = json.loads(zlib.decompress(blob))
    words = columns["m"].split()
    stats = columns.get("x") or [None] * len(words)
    lines = columns.get("p") or [""] * len(words)
    figures = (columns[key] for key in "tcldns")
    return tuple(MoveRecord(*fields) for fields in zip(words, *figures, stats, lines, strict=True))


def unpack(row: GameRow, blob: bytes, evidence: str) -> GameRecord:
    """Returns the game that `pack` was given (times rounded to a microsecond)."""
    fault = None
    if evidence:
        kept = json.loads(evidence)
        fault = Fault(
            kept["player"],
            kept["reason"],
            kept["position"],
            tuple(kept["transcript"]),
            kept["stderr"],
            kept["exit_code"],
        )
    return GameRecord(
        row.job,
        row.result,
        row.reason,
        unpack_moves(blob),
        row.started,
        row.seconds,
        row.detail,
        fault,
        row.warning_counts(),
        row.host,
    )
