"""The register: what finished runs have found, as data (`register.json`). Pages, tables and commands are made of it.

Only `record` writes figures into it, from results folders (`gauntlet run`), node screens (`gauntlet nodes --json`) and counts of
instructions (`benchmarks/instructions.py`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from harness.errors import BadInput
from harness.files import store
from harness.stats import elo as stats

FILE = Path(__file__).with_name("register.json")
WITHIN = 10.0  # Elo: a difference within so many is too small to matter
Ratio = tuple[float, float, float]  # with the ends of its 95 % interval
FEWEST = 1_000  # games behind a verdict that a difference is small


@dataclass(frozen=True, slots=True)
class Part:
    """One of several runs that a match was played in, each with openings in an order of its own; fields as in `Match`.

    `repeated` games do not count, for an earlier run has played the same: see repeats.py.
    """

    seed: int
    games: int
    wins: int
    draws: int
    losses: int
    pairs: tuple[int, ...]
    ended: bool
    version: str
    played: str
    hash: str
    repeated: int = 0


@dataclass(frozen=True, slots=True)
class Match:
    """A variant against its base over all games of a run; figures from the variant's view.

    `pairs` counts complete pairs of games by the variant's score 0, 1/2, 1, 3/2, 2: all that the Elo is worked out from.
    `ended` says that it has as many games as the experiment asks for, or was settled before.
    `openings` is the file of opening lines with the beginning of its SHA-256, and `hash` that of the players and moves of these
    games, so that `command` plays the same again. Where `openings` is empty the run is older than both: it drew from another
    file, and `hash` is that of all games of the run.
    Of a match that was played in several runs `parts` has each, and seed, version, date and hash are those of the first. All
    games of a further run stand behind its hash, also those that it `repeated` and that do not count.
    """

    experiment: str
    variant: str
    base: str
    kind: str
    limit: str
    games: int
    wins: int
    draws: int
    losses: int
    pairs: tuple[int, ...]
    ended: bool
    within: float
    depth: float | None
    base_depth: float | None
    seed: int
    bench: int | None
    version: str
    played: str
    command: str
    hash: str
    openings: str = ""
    repeated: int = 0
    parts: tuple[Part, ...] = ()

    @property
    def runs(self) -> tuple[Part, ...]:
        """All runs behind the figures, one or more."""
        return self.parts or (Part(**{name: getattr(self, name) for name in _OF_A_RUN}),)

    def refuse_all_but_seed(self, other: Match) -> None:
        """Raises BadInput unless the order of openings (the seed), and that alone, tells the runs of both apart."""
        for name in ("experiment", "variant", "base", "kind", "limit", "within", "bench", "openings"):
            ours, theirs = getattr(self, name), getattr(other, name)
            if ours != theirs:
                raise BadInput(f"{self.experiment}/{self.variant}: {name} {theirs} cannot be added to {name} {ours}")
        if {part.seed for part in self.runs} & {part.seed for part in other.runs}:
            raise BadInput(
                f"{self.experiment}/{self.variant}: games of seed {other.seed} are in the register; play others"
            )

    def joined(self, other: Match, planned: int, least: int | None = None) -> Match:
        """Both matches as one, which has ended when it has as many games as were planned, or is settled after at least `least`.

        Raises BadInput as `refuse_all_but_seed`.
        """
        self.refuse_all_but_seed(other)
        parts = self.runs + other.runs
        games = sum(part.games for part in parts)
        pairs = tuple(sum(column) for column in zip(*(part.pairs for part in parts), strict=True))
        settled = least is not None and games >= least and stats.worth(pairs, self.within, stats.Z999) is not None
        return replace(
            self,
            games=games,
            **{name: sum(getattr(part, name) for part in parts) for name in ("wins", "draws", "losses", "repeated")},
            pairs=pairs,
            ended=games >= planned or settled,
            depth=_mean(((self.depth, self.games), (other.depth, other.games))),
            base_depth=_mean(((self.base_depth, self.games), (other.base_depth, other.games))),
            parts=parts,
        )

    @property
    def estimate(self) -> stats.Estimate:
        return stats.match(self.pairs, (self.wins, self.draws, self.losses))

    @property
    def word(self) -> str | None:
        """What it has settled: stronger, weaker, too small to matter; None while that is open.

        A run that has not ended is asked as strictly as one that is looked at again and again.
        """
        found = stats.worth(self.pairs, self.within, stats.Z95 if self.ended else stats.Z999)
        return None if found == stats.SMALL and self.games < FEWEST else found


def agreement(pairs: Sequence[int], match: Match, settled: bool) -> str:
    """Whether two results of the same comparison differ by more than chance allows, at 95 %.

    A match that ended as soon as it was `settled` mostly ended on a run of luck, so it is allowed the 99.9 % that ended it.
    """
    if not sum(pairs) or stats.one_kind(pairs) and sum(pairs) < stats.FEWEST_PAIRS:
        return "too few games to compare"
    totals = [stats.moments(counts) for counts in (pairs, match.pairs)]
    error = math.sqrt(sum(variance / total for total, _, variance in totals))
    gap = abs(totals[0][1] - totals[1][1])
    return "they agree" if gap <= (stats.Z999 if settled else stats.Z95) * error else "they differ by more than chance"


_OF_A_RUN = tuple(one.name for one in fields(Part))


def _mean(weighed: tuple[tuple[float | None, int], ...]) -> float | None:
    """The mean of (value, weight) pairs; None if a value is missing."""
    if any(value is None for value, _ in weighed):
        return None
    return round(sum((value or 0.0) * weight for value, weight in weighed) / sum(weight for _, weight in weighed), 3)


@dataclass(frozen=True, slots=True)
class _Searched:
    """What a variant's searches to one depth cost, over those of the base; geometric mean over positions, 95 % interval."""

    experiment: str
    variant: str
    base: str
    depth: int
    positions: int
    ratio: float
    low: float
    high: float

    @property
    def spent(self) -> Ratio:
        """What a search takes over what the base takes, as near to time as is known."""
        return self.ratio, self.low, self.high


@dataclass(frozen=True, slots=True)
class Screen(_Searched):
    """In nodes; the interval is a bootstrap's."""

    ebf2: float | None
    base_ebf2: float | None
    first_move: float | None
    researches: float | None
    hash_cutoffs: float | None
    seed: int
    bench: int | None
    command: str
    base_researches: float | None = None


@dataclass(frozen=True, slots=True)
class Count(_Searched):
    """In instructions; the base searches the same tree. `time` is the ratio of time over so many rounds, where it was taken."""

    bench: int | None
    command: str
    time: float | None = None
    time_low: float | None = None
    time_high: float | None = None
    rounds: int = 0

    @property
    def spent(self) -> Ratio:
        if self.time is None or self.time_low is None or self.time_high is None:
            return self.ratio, self.low, self.high
        return self.time, self.time_low, self.time_high


@dataclass(slots=True)
class Register:
    """All figures, by `experiment/variant`, of a sweep by `experiment/variant@limit`."""

    matches: dict[str, Match] = field(default_factory=dict)
    screens: dict[str, Screen] = field(default_factory=dict)
    counts: dict[str, Count] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "matches": {key: _with_elo(one) for key, one in sorted(self.matches.items())},
            "screens": {key: asdict(one) for key, one in sorted(self.screens.items())},
            "instructions": {key: asdict(one) for key, one in sorted(self.counts.items())},
        }

    def text(self) -> str:
        """The file, the same bytes for the same figures."""
        note = "written by gauntlet claims --record from finished runs; no figure in it is edited"
        return json.dumps({"note": note, **self.as_json()}, indent=1, allow_nan=False) + "\n"

    def write(self, path: Path = FILE) -> None:
        store(path, self.text().encode())


def _with_elo(match: Match) -> dict[str, Any]:
    """A match with what its pairs say, so that readers of the file need no formula."""
    found = match.estimate
    figures = {"elo": found.elo, "low": found.elo_low, "high": found.elo_high}
    data = {key: value for key, value in asdict(match).items() if value or key not in ("parts", "repeated")}
    return {**data, **{key: None if value is None else round(value, 2) for key, value in figures.items()}}


def read(path: Path = FILE) -> Register:
    """The shipped register, or another; empty where there is no file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Register()
    except ValueError:
        raise BadInput(f"{path}: is not the JSON of a register") from None
    try:
        return Register(
            {key: _match(one) for key, one in data["matches"].items()},
            {key: Screen(**one) for key, one in data["screens"].items()},
            {key: Count(**one) for key, one in data["instructions"].items()},
        )
    except (KeyError, TypeError, AttributeError):
        raise BadInput(f"{path}: is not a register of this version; gauntlet claims --record makes it again") from None


def _match(one: Mapping[str, Any]) -> Match:
    values = {key: value for key, value in one.items() if key not in ("elo", "low", "high")}
    parts = tuple(Part(**{**part, "pairs": tuple(part["pairs"])}) for part in values.get("parts", ()))
    return Match(**{**values, "pairs": tuple(values["pairs"]), "parts": parts})
