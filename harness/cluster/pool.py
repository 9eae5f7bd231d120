"""The slots of a cluster as the supervisor sees them: who may play, who plays what, what was delivered, what was lost.

A pair is a task of dask.distributed for one slot of a worker that has proved itself; so the supervisor knows which pairs are
lost with a worker, and counts the losses of each pair. The client's threads only put messages into an inbox; everything else
happens in the thread of the run.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import distributed

from harness.cluster import worker as cluster_worker
from harness.cluster.inbox import Inbox
from harness.cluster.proof import Proof, Task, difference, time_factor
from harness.cluster.worker import RunSpec, Spoiled
from harness.errors import BadInput
from harness.game.game import Rules
from harness.journal.record import PackedGame
from harness.model import Job, Player
from harness.slots.interface import Broken, Cluster, Failed, Live, Message, Named, Note, PairLost, WorkerReady
from harness.slots.local import SlotsFailed

LOSSES = 3  # a pair that has cost so many workers is given to no more
CENSUS = 2.0  # seconds between two checks of which workers are there; more on large clusters
LIVE_PER_SECOND = 100.0  # reports of games in play, from all slots together
FETCH = 2.0  # seconds to fetch a proof that is made: the run stands still meanwhile
FAREWELL = 8.0  # seconds for the workers to let their engines quit
RESOURCE = "slot"

Pair = tuple[int, int]


@dataclass(slots=True, eq=False)
class _Assignment:
    """A pair that a slot plays: its future, and its games not yet delivered."""

    key: str
    pair: Pair
    left: dict[int, Job]
    future: Any = None


@dataclass(slots=True, eq=False)
class _Seat:
    number: int
    worker: _Worker
    task: _Assignment | None = None


@dataclass(slots=True, eq=False)
class _Worker:
    address: str
    host: str
    slots: int
    proving: Any = None
    proved: WorkerReady | None = None
    seats: list[_Seat] = field(default_factory=list)


class ClusterPool:
    """The slots of all workers that have proved themselves. Use as a context manager: leaving it ends their games."""

    whole_pairs = True  # a pair is one task, so that it is known what is lost with a worker

    def __init__(
        self,
        client: Any,
        name: str,
        run: str,
        players: Sequence[Player],
        rules: Rules,
        sortie: str | None,
        expected: Proof,
        wait: float,
        most: int | None = None,
        play: Callable[..., int] = cluster_worker.play_pair,
    ) -> None:
        """`name` is the user's name for the cluster, `wait` how many seconds it may be without workers, `play` the task."""
        self._client = client
        self.name = name
        self.run = run
        self.expected = expected
        self._players = tuple(players)
        # The scheduler forgets the client's topic some time after the client has left.
        self._topic = str(client.id)
        self._spec = RunSpec(run, self._topic, self._players, rules, sortie)
        self._task = Task(self._players, rules.patience, sortie)
        self._wait = wait
        self._most = most
        self._play = play
        self._workers: dict[str, _Worker] = {}
        self._seats: dict[int, _Seat] = {}
        self._by_key: dict[str, _Seat] = {}
        self._losses: dict[Pair, int] = {}
        self._failures: dict[Pair, int] = {}  # errors of our own in the task
        self._broken = ""  # why the run cannot go on
        self._jobs: dict[int, Job] = {}  # given out, not yet delivered
        self._numbers = 0
        self._attempts = 0
        self._inbox = Inbox()
        self._out: deque[Message] = deque()
        self._next_census = 0.0
        self._counting = False
        self._nobody_since = time.monotonic()
        self.refused = ""
        self._closed = False
        client.subscribe_topic("all", self._hear_scheduler)
        client.subscribe_topic(self._topic, self._hear_worker)

    def __enter__(self) -> ClusterPool:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.close(gently=kind is None)

    # Heard in the threads of the client

    def _hear_scheduler(self, event: tuple[float, Any]) -> None:
        message = event[1]
        if isinstance(message, dict) and message.get("action") in ("add-worker", "remove-worker"):
            self._inbox.put(message["action"], message)

    def _hear_worker(self, event: tuple[float, Any]) -> None:
        message = event[1]
        if isinstance(message, dict) and message.get("run") == self.run:
            self._inbox.put("word", message)

    async def _take_census(self) -> None:
        try:
            self._inbox.put("census", (await self._client.scheduler.identity())["workers"])
        except Exception:
            self._inbox.put("census", None)

    # Who is there

    def _census(self) -> None:
        if not self._counting:
            self._counting = True
            self._client.loop.add_callback(self._take_census)

    def _counted(self, found: dict[str, Any] | None) -> None:
        self._counting = False
        self._next_census = time.monotonic() + max(CENSUS, len(self._workers) / 100)
        if found is None:
            return
        for address in [known for known in self._workers if known not in found]:
            self._lose(address, "is gone", True)
        for address, info in found.items():
            if address not in self._workers:
                self._greet(address, info)

    def _greet(self, address: str, info: dict[str, Any]) -> None:
        slots = int(info.get("resources", {}).get(RESOURCE, 0))
        worker = self._workers[address] = _Worker(address, str(info.get("host", "")), slots)
        if slots < 1:
            self._refuse(worker, f"offers no slots: start it with --resources {RESOURCE}=1")
            return
        worker.proving = self._submit(
            cluster_worker.prove_worker, self._task, self._spec, key=f"gauntlet-{self.run}-proof-{address}", to=worker
        )
        worker.proving.add_done_callback(lambda _: self._inbox.put("proof", worker))

    def _submit(self, function: Callable[..., Any], *values: Any, key: str, to: _Worker) -> Any:
        return self._client.submit(
            function,
            *values,
            key=key,
            pure=False,
            workers=[to.address],
            allow_other_workers=False,
            resources={RESOURCE: 1},
        )

    def _refuse(self, worker: _Worker, why: str) -> None:
        text = f"worker {worker.address} does not play: {why}"
        self.refused = self.refused or text
        self._out.append(Message(-1, Note(text, shown=True)))

    def _proof(self, worker: _Worker) -> None:
        future, worker.proving = worker.proving, None
        if future is None or self._workers.get(worker.address) is not worker:
            return
        if future.status != "finished":
            if future.status == "error":
                error = future.exception()
                self._refuse(worker, " ".join(f"{error}".split()) or type(error).__name__)
            return
        try:
            proof: Proof = future.result(FETCH)
        except Exception:
            del self._workers[worker.address]  # the next census has it prove itself again, if it still lives
            return
        why = difference(self._players, proof, self.expected)
        if why is not None:
            self._refuse(worker, why)
            return
        worker.proved = WorkerReady(
            worker.address, proof.host, worker.slots, proof.nps, time_factor(proof, self.expected)
        )
        for _ in range(worker.slots):
            seat = _Seat(self._numbers, worker)
            self._numbers += 1
            worker.seats.append(seat)
            self._seats[seat.number] = seat
        self._out.append(Message(-1, worker.proved))

    def _lose(self, address: str, why: str, counts: bool) -> None:
        worker = self._workers.pop(address, None)
        if worker is None:
            return
        worker.proving = None
        if worker.proved is not None:
            self._out.append(Message(-1, Note(f"worker {address} on {worker.proved.host} {why}")))
        for seat in worker.seats:
            del self._seats[seat.number]
            if seat.task is not None:
                self._drop(seat, why, counts)

    # Who plays what

    @property
    def busy(self) -> int:
        return len(self._by_key)

    @property
    def size(self) -> int:
        """The number of slots there are now."""
        return len(self._seats)

    def resize(self, size: int) -> None:
        """Lets at most so many pairs be played at a time from now on."""
        self._most = size

    def idle(self) -> list[int]:
        """Returns the numbers of the slots that may be given a pair."""
        if self._client.status != "running":
            return []
        free = [number for number, seat in self._seats.items() if seat.task is None]
        return free if self._most is None else free[: max(0, self._most - self.busy)]

    def play(self, number: int, jobs: Sequence[Job]) -> None:
        """Gives the games of a pair (or what is left of it) to an idle slot."""
        seat = self._seats[number]
        assert seat.task is None and seat.worker.proved is not None
        pair = (jobs[0].pairing, jobs[0].pair)
        self._attempts += 1
        key = f"gauntlet-{self.run}-pair-{pair[0]}.{pair[1]}-{self._attempts}"
        task = seat.task = _Assignment(key, pair, {job.id: job for job in jobs})
        self._jobs.update(task.left)
        self._by_key[key] = seat
        live_every = max(1.0, len(self._seats) / LIVE_PER_SECOND)
        factor = seat.worker.proved.factor
        task.future = self._submit(self._play, self.run, factor, live_every, list(jobs), key=key, to=seat.worker)
        task.future.add_done_callback(lambda _: self._inbox.put("done", key))

    def _done(self, key: str) -> None:
        seat = self._by_key.get(key)
        if seat is None or seat.task is None:
            return
        task = seat.task
        status = task.future.status
        if status == "finished" and not task.left:
            self._free(seat)
        elif status == "error":
            self._reported(seat, task, task.future.exception())
        else:
            self._drop(seat, "ended the task without its games", True)

    def _reported(self, seat: _Seat, task: _Assignment, error: BaseException) -> None:
        """Takes back a pair whose task ended in an error: of its engines, of a dying worker, or of our own."""
        text = " ".join(str(error).split())
        ours = not isinstance(error, Spoiled | distributed.KilledWorker)
        if isinstance(error, Spoiled):
            self._losses[task.pair] = LOSSES - 1
        elif ours:
            text = text if isinstance(error, BadInput) else f"{type(error).__name__}: {text}"
            failures = self._failures[task.pair] = self._failures.get(task.pair, 0) + 1
            if isinstance(error, SlotsFailed) or failures >= LOSSES:
                self._broken = f"worker {seat.worker.address}: {text}"
        self._drop(seat, f"reports {text}", not ours)

    def _free(self, seat: _Seat) -> None:
        if seat.task is not None:
            del self._by_key[seat.task.key]
            seat.task.future.release()  # a future that is waited for in a callback is not released with its last name
            seat.task = None

    def _drop(self, seat: _Seat, why: str, counts: bool) -> None:
        """Takes a pair back from a slot, which cancels the task wherever it may still run."""
        task = seat.task
        assert task is not None
        self._free(seat)
        if not task.left:
            return
        if counts:
            self._losses[task.pair] = self._losses.get(task.pair, 0) + 1
        losses = self._losses.get(task.pair, 0)
        lost = PairLost(tuple(task.left.values()), seat.worker.address, why, losses, losses >= LOSSES)
        self._out.append(Message(seat.number, lost))

    # What was delivered

    def _word(self, message: dict[str, Any]) -> None:
        key, word, value = message["task"], message["word"], message["value"]
        seat = self._by_key.get(key)
        number = seat.number if seat is not None else -1
        if word == "game":
            game = self._game(value)
            if game is not None:
                self._delivered(seat, game.row.id)
                self._out.append(Message(number, game))
        elif word == "failed":
            player, game_id, detail, transcript, stderr, exit_code = value
            job = seat.task.left.get(game_id) if seat is not None and seat.task is not None else None
            if job is not None:
                self._delivered(seat, game_id)
                failed = Failed(player, job, detail, tuple(transcript), stderr, exit_code)
                self._out.append(Message(number, failed))
        elif word == "name":
            self._out.append(Message(number, Named(*value)))
        elif word == "live" and seat is not None:
            host = seat.worker.proved.host if seat.worker.proved is not None else ""
            self._out.append(Message(number, Live({**value, "host": host})))

    def _game(self, value: Sequence[Any]) -> PackedGame | None:
        """Returns a delivered game if it is intact and was expected."""
        game = cluster_worker.unpacked(value)
        if game is None:
            self._out.append(Message(-1, Note("a game was delivered damaged: dropped")))
            return None
        given = game.row
        job = self._jobs.get(given.id)
        if job is None:
            self._out.append(Message(-1, Note(f"game {given.id} came a second time: dropped")))
            return None
        if (job.pairing, job.pair, job.leg, job.white, job.black) != tuple(given[1:6]):
            self._out.append(Message(-1, Note(f"game {given.id} was delivered with other players: dropped")))
            return None
        return game

    def _delivered(self, seat: _Seat | None, game: int) -> None:
        self._jobs.pop(game, None)
        if seat is not None and seat.task is not None:
            seat.task.left.pop(game, None)

    # Waiting

    def watch(self, fd: int) -> None:
        """Lets a wait for messages also end when this descriptor can be read; its bytes are dropped."""
        self._inbox.watch(fd)

    def messages(self, seconds: float) -> Iterator[Message]:
        """Waits at most `seconds` for word from the cluster and yields all there is; raises Broken."""
        if not self._out:
            self._inbox.wait(seconds)
        self._work()
        while self._out:
            yield self._out.popleft()
        self._check()

    def _work(self) -> None:
        if time.monotonic() >= self._next_census:
            self._next_census = time.monotonic() + CENSUS
            self._census()
        for word, value in self._inbox.take():
            if word == "word":
                self._word(value)
            elif word == "done":
                self._done(value)
            elif word == "proof":
                self._proof(value)
            elif word == "census":
                self._counted(value)
            elif word == "add-worker":
                self._census()
            elif word == "remove-worker":
                expected = bool(value.get("expected"))
                self._lose(value["worker"], "has left" if expected else "is lost", not expected)

    def _check(self) -> None:
        if self._broken:
            raise self._break(self._broken)
        if self._client.status != "running":
            raise self._break("the scheduler is gone")
        if self._seats:
            self._nobody_since, self.refused = time.monotonic(), ""
        elif time.monotonic() - self._nobody_since > self._wait:
            raise self._break(self._nobody())

    def _break(self, why: str) -> Broken:
        return Broken(f"--cluster {self.name}: {why}", option=f" --cluster {self.name}")

    def _nobody(self) -> str:
        if self.refused:
            return self.refused
        proving = sum(1 for worker in self._workers.values() if worker.proving is not None)
        if proving:
            return f"none of {proving} workers was ready within {self._wait:g} s"
        return (
            f"no worker came within {self._wait:g} s: start some with "
            f"dask worker ADDRESS --nthreads 1 --resources {RESOURCE}=1"
        )

    def wait(self) -> None:
        """Waits for the first worker that may play; raises Broken if none comes in time or all were refused.

        The first message to the run then names the cluster.
        """
        expected = self.expected
        kept = [Message(-1, Cluster(self.name, expected.host, expected.nps, expected.engines))]
        while not self._seats:
            kept += self.messages(0.25)
            known = self._workers.values()
            if self.refused and not self._seats and all(w.proving is None for w in known):
                raise self._break(self.refused)
        self._out.extendleft(reversed(kept))

    # The end

    def close(self, gently: bool) -> None:
        """Ends the run on all workers: no slot and no engine is left on any worker that answers."""
        if self._closed:
            return
        self._closed = True
        self._by_key.clear()
        self._seats.clear()
        for topic in ("all", self._topic):
            with suppress(Exception):  # the connection is gone, and the subscription with it
                self._client.unsubscribe_topic(topic)
        # A frozen worker never answers, so the wait is limited.
        farewell = threading.Thread(target=self._leave, daemon=True)
        farewell.start()
        farewell.join(FAREWELL)
        # Released futures are cancelled wherever they may still wait.
        self._workers.clear()
        self._inbox.close()

    def _leave(self) -> None:
        told = [address for address, worker in self._workers.items() if worker.proved or worker.proving]
        if told and self._client.status == "running":
            with suppress(Exception):  # workers end the run by themselves when nobody wants its pairs
                self._client.run(cluster_worker.leave, self.run, workers=told, on_error="ignore")
