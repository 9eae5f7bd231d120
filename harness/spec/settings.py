"""What an experiment says, as values: the tables of the TOML file after all checks and defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from harness.model import Limit, Player


@dataclass(frozen=True, slots=True)
class OpeningSettings:
    """Which lines games start from: `shown` is the file as named, `file` where it is, sha256 its checked contents.

    `start` is the number of the first opening of a sequential order, from 1.
    """

    shown: str
    file: Path
    shipped: bool = False
    order: str = "random"
    plies: int | None = None
    start: int = 1
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When the harness ends a game itself. Scores are centipawns; None switches that half off; syzygy is a folder.

    `resign_sides` says whose scores decide a won game: both players', or the loser's alone.
    """

    resign_score: int | None = None
    resign_moves: int = 4
    resign_sides: str = "both"
    draw_score: int | None = None
    draw_moves: int = 8
    draw_from: int = 40
    syzygy: str | None = None


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test of elo0 against elo1 (normalized or logistic Elo) with error rates alpha and beta."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "normalized"

    @property
    def law(self) -> tuple[float, float, float, float, str]:
        """The test as `stats.outcome` wants it."""
        return self.elo0, self.elo1, self.alpha, self.beta, self.model


@dataclass(frozen=True, slots=True)
class Screen:
    """A fixed-depth node screen: depth in plies, a file of positions (None: the shipped ones), at most `count`."""

    depth: int = 9
    positions: Path | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Tournament:
    """What the kinds with rounds need; divisions hold player indices, strongest division first."""

    rounds: int = 0
    tiebreaks: int = 2
    divisions: tuple[tuple[int, ...], ...] = ()
    promote: int = 1
    seasons: int = 1


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the founding texts that the experiment puts to the test, in a sentence.

    `measure` is what answers it: nodes, time (at equal nodes), hash (the same, and the share of cutoffs by the hash move),
    branching (growth per ply), window (repeated root searches), or elo alone.
    """

    id: str
    text: str
    where: str = ""
    measure: str = "nodes"


@dataclass(frozen=True, slots=True)
class Experiment:
    """Everything a run needs; times in seconds, `base` a player index, players in the order of all figures.

    `paired`: each opening is played twice with colours swapped; else once, the colours alternating from game to game.
    """

    name: str
    kind: str
    players: tuple[Player, ...]
    base: int
    games: int
    limit: Limit
    concurrency: int
    seed: int
    openings: OpeningSettings
    margin: float = 0.1
    patience: float = 10.0
    max_moves: int = 300
    ponder: bool = False
    chess960: bool = False
    restart: bool = False
    paired: bool = True
    adjudication: Adjudication | None = None
    sprt: Sprt | None = None
    screen: Screen | None = None
    tournament: Tournament = field(default_factory=Tournament)
    claim: Claim | None = None
    source: str = ""  # where games that were not played here come from

    @property
    def sortie_base(self) -> Player | None:
        """The `[base]` Sortie, when it takes part."""
        last = self.players[-1]
        return last if last.sortie else None
