"""The values of an experiment: the tables of the TOML file after all checks and defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from harness.model import Limit, Player
from harness.stats.elo import FEWEST_PAIRS, Z95, Z999, boundary, widened

DYNAMIC_KINDS = ("knockout", "swiss", "league")  # dealt in rounds, by the results of the rounds before


@dataclass(frozen=True, slots=True)
class OpeningSettings:
    """Which lines games start from: `shown` is the file as named, `file` its path, sha256 that of its checked contents.

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
    """When the harness itself ends a game. Scores are centipawns, None: the rule is off; syzygy is a folder.

    `resign_sides` says whose scores decide a won game: both players', or only the loser's or the winner's.
    `syzygy_men` is the largest table to ask (None: any); without `syzygy_fifty` tables are used as if
    there were no fifty-move rule.
    """

    resign_score: int | None = None
    resign_moves: int = 4
    resign_sides: str = "both"
    draw_score: int | None = None
    draw_moves: int = 8
    draw_from: int = 40
    syzygy: str | None = None
    syzygy_men: int | None = None
    syzygy_fifty: bool = True


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
        """The test in the form for `stats.outcome`."""
        return self.elo0, self.elo1, self.alpha, self.beta, self.model


@dataclass(frozen=True, slots=True)
class Decide:
    """Games go on until a pairing is settled; a difference of at most `within` Elo does not matter.

    `until` says which pairings: all, or in a round robin those that decide who is best, or the order of the field.
    `confidence` is the probability that no verdict on any pairing is wrong; None: each single look has 99.9 %.
    A pairing gets no verdict before `least` games.
    """

    within: float = 10.0
    until: str = "all"
    confidence: float | None = None
    least: int = 2 * FEWEST_PAIRS

    def reach(self, pairings: int, pairs: int, seen: int, ended: bool = False) -> float:
        """How many standard errors settle one of `pairings` pairings of `pairs` pairs each, `seen` of which have been played.

        `ended`: its last game is over.
        """
        if self.confidence is None:
            return Z95 if ended else Z999
        return widened(boundary((1.0 - self.confidence) / max(1, pairings), self.least // 2, pairs), max(1, seen))


@dataclass(frozen=True, slots=True)
class Screen:
    """A fixed-depth node screen: depth in plies, a file of positions (None: the shipped ones), `count` of them at most."""

    depth: int = 9
    positions: Path | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Tournament:
    """The settings of kinds with rounds; divisions hold player indices, the strongest division first."""

    rounds: int = 0
    tiebreaks: int = 2
    divisions: tuple[tuple[int, ...], ...] = ()
    promote: int = 1
    seasons: int = 1


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the founding texts that the experiment tests, in a sentence.

    `measure` is what decides it: nodes, time (at equal nodes), hash (the same, and the share of cutoffs by the hash move),
    branching (growth per ply), window (root re-searches), or only elo.
    """

    id: str
    text: str
    where: str = ""
    measure: str = "nodes"


@dataclass(frozen=True, slots=True)
class Parameter:
    """An option to tune: `step` is a change with a noticeable effect; `hidden`: the engine does not announce the option.

    If all four numbers are whole the engine is sent whole numbers.
    """

    name: str
    least: float
    most: float
    start: float
    step: float
    whole: bool = True
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Spsa:
    """Simultaneous perturbation: `schedule.spsa` explains the numbers. `lag` is counted in pairs of games."""

    parameters: tuple[Parameter, ...]
    c_end: float = 1.0
    r_end: float = 0.002
    alpha: float = 0.602
    gamma: float = 0.101
    A: float = 0.0
    lag: int = 16
    played: int = 0  # games of an earlier run, whose values are the starting values


@dataclass(frozen=True, slots=True)
class Experiment:
    """Everything that a run needs; times are in seconds, players in the order of all figures.

    `paired`: each opening is played twice with colours swapped; else once, with colours alternating from game to game.
    `checks`: engines' statements about their moves are checked in play; `affinity`: each slot has cores of its own.
    If the players are derived from those in the file (sweep, factorial, SPSA), `entrants` are the latter, else
    it is empty; `base` is an index among those named.
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
    pv: bool = False
    checks: bool = False
    affinity: bool = False
    adjudication: Adjudication | None = None
    sprt: Sprt | None = None
    decide: Decide | None = None
    screen: Screen | None = None
    tournament: Tournament = field(default_factory=Tournament)
    claim: Claim | None = None
    source: str = ""  # origin of games that were not played here
    entrants: tuple[Player, ...] = ()
    sweep: tuple[Limit, ...] = ()
    spsa: Spsa | None = None

    @property
    def named(self) -> tuple[Player, ...]:
        """The players as the file names them."""
        return self.entrants or self.players

    @property
    def limits(self) -> int:
        """The number of limits: players and pairings come in so many equal blocks."""
        return max(1, len(self.sweep))

    @property
    def matches(self) -> int:
        """The number of matches in a factorial at each limit; 0 for the other kinds."""
        return len(self.players) // self.limits // 2 if self.kind == "factorial" else 0

    @property
    def games_each(self) -> int:
        """The games of one pairing. In a factorial `games` are those of all matches, because each counts for each variant."""
        return self.games // self.matches if self.matches else self.games

    @property
    def sortie_base(self) -> Player | None:
        """The `[base]` Sortie, if it takes part."""
        last = self.named[-1]
        return last if last.sortie else None
