"""What runs on a worker of a cluster: the proof, and the games of a pair, each delivered as soon as it ends.

A worker of dask.distributed has threads, so it starts no engine itself: each of its threads that plays keeps one slot
process (`harness.slots.process`), and the slot keeps the engines. They end when the run ends, when they have had no work for
LINGER seconds, and, by the kernel's parent-death signal, when the worker is killed.

Deliveries are events on the worker's own stream to the scheduler, which passes them to the client that plays the run.
They are plain values (no pickles): {"run", "task", "word", "value"}; `pool.ClusterPool` turns them back into news.
"""

from __future__ import annotations

import asyncio
import dataclasses
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from distributed import get_worker

from harness.cluster.proof import Proof, Task, localised, prove, scaled
from harness.engines.children import kill_group
from harness.game.game import Rules
from harness.journal.record import GameRow, PackedGame, moves_checksum, row_checksum
from harness.model import Job, Player
from harness.slots.interface import Failed, KillsSlots, Live, Named, SlotDied
from harness.slots.local import Pool
from harness.slots.worker import SlotSpec

LINGER = 30.0  # seconds for which a slot without work is kept
GLANCE = 0.25  # seconds between two checks that the pair is still wanted
LEAVE = 5.0  # seconds to wait for the slots of a run to end

Deliver = Callable[[str, Any], None]


@dataclasses.dataclass(frozen=True, slots=True)
class RunSpec:
    """What a worker must know about a run. `topic` is the one that its client listens to."""

    run: str
    topic: str
    players: tuple[Player, ...]
    rules: Rules
    sortie: str | None


def packed(game: PackedGame) -> list[Any]:
    """Returns a game in the form in which it is delivered."""
    return [list(game.row), game.row_crc, game.moves, game.evidence, game.moves_crc]


def unpacked(value: Sequence[Any]) -> PackedGame | None:
    """Returns a delivered game, None if it is damaged."""
    try:
        row, row_crc, moves, evidence, moves_crc = value
        game = PackedGame(GameRow._make(row), row_crc, bytes(moves), evidence, moves_crc)
        whole = row_checksum(game.row) == row_crc and moves_checksum(game.moves, game.evidence) == moves_crc
    except (TypeError, ValueError, AttributeError):
        return None
    return game if whole else None


class Unwanted(Exception):
    """Nobody wants this pair any more."""


class Spoiled(Exception):
    """The game has killed one slot after another while the worker lives: its engines must have done it."""


class Stand:
    """One slot process on a worker, for one thread and one run."""

    def __init__(self, spec: RunSpec, factor: float) -> None:
        self.run = spec.run
        players = tuple(
            dataclasses.replace(player, limit=scaled(player.limit, factor))
            for player in localised(spec.players, spec.sortie)
        )
        self._pool = Pool(SlotSpec(players, spec.rules), 1)
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._next_live = 0.0
        self.stop = threading.Event()
        self.closed = False

    def play(self, job: Job, wanted: Callable[[], bool], deliver: Deliver, live_every: float) -> None:
        """Plays one game and delivers its news; raises Unwanted, Spoiled or SlotsFailed."""
        self._pool.play(0, [job])
        while self._pool.busy:
            if self.stop.is_set() or not wanted():
                raise Unwanted
            for message in self._pool.messages(GLANCE):
                match message.news:
                    case PackedGame() as game:
                        deliver("game", packed(game))
                    case Failed(player, _, detail, transcript, stderr, exit_code):
                        deliver("failed", [player, job.id, detail, list(transcript), stderr, exit_code])
                    case SlotDied():
                        self._pool.play(0, [job])
                    case KillsSlots(_, deaths):
                        raise Spoiled(f"game {job.id}: {deaths} slots died of it")
                    case Named(player, name):
                        deliver("name", [player, name])
                    case Live(state) if time.monotonic() >= self._next_live:
                        self._next_live = time.monotonic() + live_every
                        deliver("live", dict(state))

    def begin(self) -> bool:
        """Takes the stand for a pair; False if it has been closed in the meantime."""
        with self._lock:
            self._wake()
            return not self.closed and not self.stop.is_set()

    def rest(self) -> None:
        """Keeps the engines for a while, for the next pair."""
        with self._lock:
            if self.stop.is_set():
                self._close(gently=True)
                return
            self._timer = threading.Timer(LINGER, self._linger)
            self._timer.daemon = True
            self._timer.start()

    def _linger(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._close(gently=True)

    def _close(self, gently: bool) -> None:
        if not self.closed:
            self.closed = True
            self._pool.close(gently)

    def end(self, gently: bool) -> None:
        """Ends the slot and its engines."""
        with self._lock:
            self._wake()
            self._close(gently)

    def _wake(self) -> None:
        """Ends its rest, if it rests."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def resting(self) -> bool:
        return self._timer is not None


class Runs:
    """The runs for which this process has been proved, and their stands. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._specs: dict[str, RunSpec] = {}
        self._stands: dict[tuple[str, int], Stand] = {}
        self._proofs: dict[str, subprocess.Popen[bytes]] = {}

    def proving(self, run: str, process: subprocess.Popen[bytes]) -> None:
        """Notes the process of a proof, to be ended with the run."""
        with self._lock:
            self._proofs[run] = process

    def enter(self, spec: RunSpec) -> None:
        """Notes a run for which this process has been proved."""
        with self._lock:
            self._proofs.pop(spec.run, None)
            self._specs[spec.run] = spec

    def spec(self, run: str) -> RunSpec:
        with self._lock:
            if run not in self._specs:
                raise RuntimeError(f"this worker has not been proved for run {run}")
            return self._specs[run]

    def take(self, run: str, factor: float) -> Stand:
        """Returns the stand of this thread, ready for a pair."""
        spec = self.spec(run)
        key = (run, threading.get_ident())
        with self._lock:
            stand = self._stands.get(key)
        if stand is None or not stand.begin():
            stand = Stand(spec, factor)
            with self._lock:
                self._stands[key] = stand
        return stand

    def leave(self, run: str) -> None:
        """Ends everything that this process does for a run, and waits for the end."""
        with self._lock:
            self._specs.pop(run, None)
            proof = self._proofs.pop(run, None)
            stands = [self._stands.pop(key) for key in list(self._stands) if key[0] == run]
        if proof is not None and proof.poll() is None:
            kill_group(proof.pid)
        for stand in stands:
            stand.stop.set()
            if stand.resting:
                stand.end(gently=True)
        deadline = time.monotonic() + LEAVE
        while not all(stand.closed for stand in stands) and time.monotonic() < deadline:
            time.sleep(0.02)


RUNS = Runs()


def prove_worker(task: Task, spec: RunSpec) -> Proof:
    """The first task of a worker; raises ProofFailed."""
    proof = prove(task, lambda process: RUNS.proving(spec.run, process))
    RUNS.enter(spec)
    return proof


def wanted_here(worker: Any, key: Any) -> bool:
    """Says whether the scheduler still wants this thread's task and this worker is not about to end."""
    state = worker.state.tasks.get(key)
    return state is not None and state.state in ("executing", "long-running") and worker.status.name == "running"


def deliverer(run: str, topic: str) -> Deliver:
    """Returns the function that delivers news of the running task to the client of a run."""
    worker = get_worker()
    key = str(worker.get_current_task())

    def deliver(word: str, value: Any) -> None:
        worker.log_event(topic, {"run": run, "task": key, "word": word, "value": value})

    return deliver


def play_pair(run: str, factor: float, live_every: float, jobs: list[Job]) -> int:
    """The task: plays the games of a pair one after the other, delivers each as it ends, and returns how many.

    `factor`: times are multiplied by it, the speed of the reference machine divided by this one's. `live_every` is the
    number of seconds between two reports on the game in play.
    """
    worker = get_worker()
    key = worker.get_current_task()
    deliver = deliverer(run, RUNS.spec(run).topic)
    stand = RUNS.take(run, factor)
    try:
        for job in jobs:
            stand.play(job, lambda: wanted_here(worker, key), deliver, live_every)
    except Unwanted:
        stand.end(gently=False)
        return 0
    except BaseException:
        stand.end(gently=False)
        raise
    stand.rest()
    return len(jobs)


async def leave(run: str) -> None:
    """Ends a run on this worker: none of its slots and engines is left when this returns."""
    await asyncio.get_running_loop().run_in_executor(None, RUNS.leave, run)
