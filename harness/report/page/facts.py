"""All that a page needs to know about a run, read from its journal."""

from __future__ import annotations

import hashlib
import json
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.analysis import summary as summaries
from harness.analysis.screen_file import read_screen
from harness.analysis.summary import Summary
from harness.engines.client import MOST_NODES
from harness.journal.journal import FailedStart, Reader, Run, Verdict
from harness.journal.record import UNREADABLE, GameRow, first_mover
from harness.schedule.pairing import Pairing, pairings_of
from harness.spec.settings import DYNAMIC_KINDS, Experiment
from harness.stats import ratings

STAGES, STAGE_LENGTH = 24, 40  # how many names of stages an engine may send, and how long


@dataclass(slots=True)
class MoveFigures:
    """Sums over one player's moves; the cutoffs are from its `# stats` lines, if it printed any."""

    moves: int = 0
    ms: float = 0.0
    cpu_ms: float = 0.0
    measured: int = 0  # moves whose processor time is known
    clocked: float = 0.0  # milliseconds of these
    reported: int = 0  # moves that came with `# stats`
    main_nodes: int = 0
    q_nodes: int = 0
    cutoffs: int = 0
    first: int = 0
    stages: Counter[str] = field(default_factory=Counter)
    index: Counter[int] = field(default_factory=Counter)

    def take(self, stats: Mapping[str, Any]) -> None:
        """Adds the report of one search; values that are no counts are ignored, as they come from an engine."""
        self.reported += 1
        self.main_nodes += _count(stats.get("main_nodes"))
        self.q_nodes += _count(stats.get("q_nodes"))
        self.cutoffs += _count(stats.get("cutoffs"))
        self.first += _count(stats.get("first_move_cutoffs"))
        stages, index = stats.get("cut_stage"), stats.get("cut_index")
        for name, times in stages.items() if isinstance(stages, Mapping) else ():
            if _count(times) and (name in self.stages or len(self.stages) < STAGES) and len(name) <= STAGE_LENGTH:
                self.stages[name] += _count(times)
        for place, times in enumerate(index[:64] if isinstance(index, list) else ()):
            self.index[place] += _count(times)


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_NODES else 0


@dataclass(slots=True)
class HostFigures:
    """One machine: milliseconds of its moves, processor time of the engines in them, delays of the harness."""

    games: int = 0
    ms: float = 0.0
    cpu_ms: float = 0.0
    lags: array[float] = field(default_factory=lambda: array("f"))

    def lag(self, share: float) -> float | None:
        """The delay in milliseconds that this share of all moves stayed below."""
        if not self.lags:
            return None
        import numpy as np

        return float(np.quantile(np.frombuffer(self.lags, dtype=np.float32), share))


class Scan:
    """Figures of moves, gathered game by game, so that of a run at work only new games are read."""

    def __init__(self, players: int) -> None:
        self.players = [MoveFigures() for _ in range(players)]
        self.hosts: dict[str, HostFigures] = {}
        self.evidence: dict[int, Mapping[str, Any]] = {}
        self.rows: dict[int, GameRow] = {}
        self._digests: dict[int, bytes] = {}

    def read(self, reader: Reader) -> None:
        """Takes in the games of the journal that are not in here yet."""
        seen = self.rows.keys()
        fresh = [row for row in reader.rows() if row.id not in seen]
        wanted = {row.id: row for row in fresh}
        found: Iterable[tuple[Any, ...]]
        if len(fresh) * 4 < len(seen):
            found = (
                entry
                for row in fresh
                for entry in reader.query("SELECT id, moves, evidence FROM moves WHERE id = ?", (row.id,))
            )
        else:
            found = reader.query("SELECT id, moves, evidence FROM moves ORDER BY id")
        for number, blob, evidence in found:
            if number in wanted:
                try:
                    self._take(wanted[number], blob, evidence)
                except UNREADABLE:
                    raise reader.damaged(number) from None

    def _take(self, row: GameRow, blob: bytes, evidence: str) -> None:
        self.rows[row.id] = row
        columns = json.loads(zlib.decompress(blob))
        told = f"{row.id} {row.white} {row.black} {row.result} {row.fen} {row.line} {columns['m']}"
        self._digests[row.id] = hashlib.sha256(told.encode("utf-8", "replace")).digest()
        if evidence:
            self.evidence[row.id] = json.loads(evidence)
        host = self.hosts.setdefault(row.host, HostFigures())
        host.games += 1
        host.lags.extend(lag for lag in columns["l"] if lag is not None)
        first = first_mover(row.fen, row.line.split())
        sides = (row.white, row.black) if first == 0 else (row.black, row.white)
        stats = columns.get("x")
        for side, player in enumerate(sides):
            figures = self.players[player]
            ms, cpu = columns["t"][side::2], columns["c"][side::2]
            known = [wall for wall, used in zip(ms, cpu, strict=True) if used is not None]
            used_ms = sum(used for used in cpu if used is not None)
            figures.moves += len(ms)
            figures.ms += sum(ms)
            figures.measured += len(known)
            figures.clocked += sum(known)
            figures.cpu_ms += used_ms
            host.ms += sum(known)
            host.cpu_ms += used_ms
            for report in stats[side::2] if stats else ():
                if isinstance(report, dict):
                    figures.take(report)

    def digest(self) -> str:
        """SHA-256 over ids, players, results, openings and moves: equal for equal games, whenever they were played."""
        whole = hashlib.sha256()
        for number in sorted(self._digests):
            whole.update(self._digests[number])
        return whole.hexdigest()


@dataclass(frozen=True, slots=True)
class Pair:
    """A complete pair: a's points of 2, the ids of its games, when the second ended (0: not known), its opening."""

    number: int
    points: float
    games: tuple[int, int]
    at: float
    row: GameRow


@dataclass(frozen=True, slots=True)
class Facts:
    """A run as it stands; rows are ordered by id."""

    folder: Path
    experiment: Experiment
    experiment_text: str
    summary: Summary
    screen: Mapping[str, Any] | None
    rows: tuple[GameRow, ...]
    pairings: tuple[Pairing, ...]
    scan: Scan
    meta: Mapping[str, str]
    engines: Mapping[int, str]
    runs: tuple[Run, ...]
    failed: tuple[FailedStart, ...]
    verdicts: Mapping[int, Verdict]
    field: ratings.Field
    pairs: tuple[tuple[Pair, ...], ...]  # of each pairing, in the order in which they were completed
    results: Mapping[int, str]  # what a tournament by rounds goes by; empty for the other kinds

    def name(self, player: int) -> str:
        """The name of a player."""
        return self.experiment.players[player].name


def complete_pairs(rows: Iterable[GameRow], pairings: Sequence[Pairing]) -> tuple[tuple[Pair, ...], ...]:
    """The complete pairs of every pairing, in the order in which they were completed."""
    half: dict[tuple[int, int], GameRow] = {}
    found: list[list[Pair]] = [[] for _ in pairings]
    for row in rows:
        if row.points is None:
            continue
        key = row.pairing, row.pair
        other = half.pop(key, None)
        if other is None:
            half[key] = row
            continue
        a = pairings[row.pairing].a
        points = sum((one.points or 0.0) if one.white == a else 1.0 - (one.points or 0.0) for one in (other, row))
        # Games of other programs do not say when they began, and keep the order of their file.
        at = max(one.started + one.seconds if one.started else 0.0 for one in (other, row))
        found[row.pairing].append(Pair(row.pair, points, (other.id, row.id), at, row))
    return tuple(tuple(sorted(pairs, key=lambda pair: (pair.at, pair.number))) for pairs in found)


def gather(reader: Reader, scan: Scan | None = None) -> Facts:
    """The facts of an open journal; with an earlier `scan` of the same run only new games are read."""
    experiment = summaries.of_journal(reader)
    found = scan or Scan(len(experiment.players))
    found.read(reader)
    screen = read_screen(reader.folder)
    summary = summaries.summarise(reader, experiment, screen)
    joint = summaries.joint(experiment, summary.met)
    rows = tuple(found.rows[number] for number in sorted(found.rows))
    couples = pairings_of(experiment)
    return Facts(
        reader.folder,
        experiment,
        reader.meta.get("experiment", ""),
        summary,
        screen,
        rows,
        couples,
        found,
        dict(reader.meta),
        reader.engine_names(),
        tuple(reader.runs()),
        tuple(reader.failed_starts()),
        reader.verdicts(),
        joint,
        complete_pairs(rows, couples),
        summaries.results_of(reader, experiment, rows) if experiment.kind in DYNAMIC_KINDS else {},
    )


def read(folder: Path | str) -> Facts:
    """The facts of a results folder, also while the run goes on. Raises BadInput."""
    with Reader(folder) as reader:
        return gather(reader)
