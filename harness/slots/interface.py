"""The interface between a run and the slots that play its games, here or on a cluster, with the messages they send."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from harness.errors import BadInput
from harness.journal.record import PackedGame
from harness.model import Job


@dataclass(frozen=True, slots=True)
class Failed:
    """A start that gave no game."""

    player: int
    job: Job
    detail: str
    transcript: tuple[str, ...] = ()
    stderr: str = ""
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """What an engine calls itself."""

    player: int
    name: str


@dataclass(frozen=True, slots=True)
class Live:
    """The state of a game in play, ready for JSON: see `worker.live_state`."""

    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SlotDied:
    """A slot died during a game, which has to be played again."""

    job: Job


@dataclass(frozen=True, slots=True)
class KillsSlots:
    """A game that killed one slot after another: its engines must have done it, and it is not tried again."""

    job: Job
    deaths: int


@dataclass(frozen=True, slots=True)
class PairLost:
    """A pair that its worker did not finish. `jobs` are its games that were not delivered."""

    jobs: tuple[Job, ...]
    where: str
    why: str
    losses: int  # losses of this pair so far
    final: bool  # whether no other worker is given it


@dataclass(frozen=True, slots=True)
class Cluster:
    """The cluster that plays, sent before the first worker is ready; `engines`: the engine that each player must be."""

    address: str
    host: str  # of the reference machine
    nps: float | None
    engines: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """A worker that may play from now on; times there are multiplied by `factor`."""

    address: str
    host: str
    slots: int
    nps: float | None
    factor: float


@dataclass(frozen=True, slots=True)
class Note:
    """A line for the log, and with `shown` also for the screen."""

    text: str
    shown: bool = False


FromSlot = PackedGame | Failed | Named | Live  # sent by a slot itself
News = FromSlot | SlotDied | KillsSlots | PairLost | Cluster | WorkerReady | Note


@dataclass(frozen=True, slots=True)
class Message:
    """News from a slot, or from none (number -1)."""

    slot: int
    news: News


class Broken(BadInput):
    """The slots are lost. The journal is intact and the run can be resumed, with `option` if there is one."""

    def __init__(self, text: str, option: str = "") -> None:
        super().__init__(text)
        self.option = option


class Slots(Protocol):
    """Slots that play games side by side. A context manager: leaving it ends their engines."""

    @property
    def whole_pairs(self) -> bool:
        """Whether a slot is given both games of a pair at once, else one at a time."""

    def __enter__(self) -> Slots: ...
    def __exit__(self, kind: object, *_: object) -> None: ...

    @property
    def size(self) -> int:
        """How many games may be played at a time."""

    @property
    def busy(self) -> int:
        """How many slots have games to play."""

    def resize(self, size: int) -> None:
        """Changes the number of games at a time; games in play go on to their end."""

    def idle(self) -> list[int]:
        """Returns the numbers of the slots that may be given games."""

    def play(self, number: int, jobs: Sequence[Job]) -> None:
        """Gives an idle slot games to play one after the other."""

    def messages(self, seconds: float) -> Iterable[Message]:
        """Waits at most `seconds` for news and yields all there is."""

    def watch(self, fd: int) -> None:
        """Lets a wait for news also end when this descriptor can be read; its bytes are dropped."""

    def close(self, gently: bool) -> None:
        """Ends all slots and their engines; with `gently`, idle ones let their engines quit."""
