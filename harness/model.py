"""The value types that the harness modules hand to each other: players, limits, jobs, finished games."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

WHITE, BLACK = 0, 1


Options = tuple[tuple[str, str], ...]  # (name, value) as sent


@dataclass(frozen=True, slots=True)
class Limit:
    """What a player may use for a move; exactly one of clock, movetime, nodes and depth is set.

    base, increment and movetime are seconds; moves_per_session 0 means the whole game. most_nodes and
    most_depth are caps beside a clock or a movetime: the engine is told both, but only the time is enforced.
    """

    base: float | None = None
    increment: float = 0.0
    moves_per_session: int = 0
    movetime: float | None = None
    nodes: int | None = None
    depth: int | None = None
    most_nodes: int | None = None
    most_depth: int | None = None

    @property
    def timed(self) -> bool:
        """Whether time limits a move, so that it depends on the machine; else nodes or depth do."""
        return self.base is not None or self.movetime is not None


def keeps_to(nodes: int, told: float) -> bool:
    """Whether an engine that is limited to `nodes` and tells of `told` keeps to its limit.

    It may tell too few, for its last line may belong to an iteration long before its move, and search too many, for it may
    count only now and then. Engines that know no such limit move after a few nodes, or when they like.
    """
    return nodes / 10 <= told <= 3 * nodes


@dataclass(frozen=True, slots=True)
class Player:
    """A participant. `index` is its place in the order of players and its key everywhere; names are for people."""

    index: int
    name: str
    command: tuple[str, ...]
    protocol: str  # "xboard", "uci" or "auto"
    limit: Limit
    options: Options = ()
    init: tuple[str, ...] = ()
    directory: str | None = None
    env: tuple[tuple[str, str], ...] = ()
    sortie: bool = False  # the base or a variant of it: its options are Sortie's own, checked by Sortie
    hidden: tuple[str, ...] = ()  # names of options that it takes although it does not announce them
    margin: float | None = None  # seconds; None: that of the experiment
    io_log: bool = False  # keep every line to and from it
    git: tuple[tuple[str, str], ...] = ()  # the source it was built from: its table, with the commit as `ref`

    @property
    def threads(self) -> int:
        """The number of threads that its options ask for, 1 if they ask for none."""
        told = [
            int(value) for name, value in self.options if name.lower() in ("cores", "threads") and value.isdecimal()
        ]
        return max([1, *told])


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a game starts: a position and the moves (coordinates) played from it before the engines think."""

    fen: str
    moves: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """One game to be played. Ids run from 1 through all pairings; pair n of a pairing has games n.1 and n.2."""

    id: int
    pairing: int
    pair: int
    leg: int  # 1 or 2: which game of the pair
    white: int  # player index
    black: int
    opening: Opening
    options: tuple[Options, Options] = ((), ())  # White's and Black's for this game, on top of the players' own


# Scores from here on are mates: MATE + n is mate in n moves, -MATE - n means that the mover is mated in n.
MATE = 100_000


class MoveRecord(NamedTuple):
    """One engine move; a tuple because there is one for every ply.

    Times are milliseconds; score is centipawns from the mover's view, a mate as `MATE` has it.
    """

    move: str  # coordinates; castling in Fischer random as king takes rook
    ms: float
    cpu_ms: float | None = None
    lag_ms: float | None = None
    depth: int | None = None
    nodes: int | None = None
    score: int | None = None
    stats: dict[str, object] | None = None
    line: str = ""  # the line that the engine expected, its own move first, as it wrote it; kept on request


# How an engine can lose a game other than on the board.
FAULTS = frozenset(("time", "stall", "crash", "illegal", "claim", "protocol", "start"))
POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}  # White's points; other results have none


@dataclass(frozen=True, slots=True)
class Fault:
    """Evidence for a game lost by misbehaviour: the player, the kind of fault, and what the engine wrote last."""

    player: int
    reason: str
    position: str
    transcript: tuple[str, ...] = ()
    stderr: str = ""
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game with everything in the journal. `reason` is how it ended: mate, stalemate, resign, time, crash ..."""

    job: Job
    result: str  # "1-0", "0-1", "1/2-1/2", or "*" for a game that could not start
    reason: str
    moves: tuple[MoveRecord, ...]
    started: float  # seconds since the epoch
    seconds: float
    detail: str = ""
    fault: Fault | None = None
    warnings: dict[int, dict[str, int]] = field(default_factory=dict)  # player index -> kind -> count
    host: str = ""
