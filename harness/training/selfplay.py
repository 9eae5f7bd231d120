"""Games played by `sortie selfplay` in several processes or on a cluster, handed on in the order of their numbers."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from harness.engines.children import kill_group, start_child
from harness.engines.sortie import beside, release
from harness.errors import BadInput
from harness.training.plan import DataPlan
from harness.training.positions import SIZE

AHEAD = 2  # games given to a process: the one that it plays, and the next, so that it need not wait
BATCH = 8  # games of one task on a cluster
LOSSES = 3  # games that have cost so many workers are given to no more
GLANCE = 1.0  # seconds between two looks at a cluster
RESOURCE = "slot"
BENCH_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Game:
    """A finished game: its number, its cost, White's result (0, 1, 2), and its records."""

    number: int
    plies: int
    nodes: int
    seconds: float  # of processor time
    result: int
    reason: str
    records: bytes


def game_of(line: bytes, records: Callable[[int], bytes]) -> Game:
    """The game that a line of `sortie selfplay` announces; `records` gives the bytes behind it. Raises ValueError.

    Of a process that was killed some may be missing: what follows in a file would not begin where a record does.
    """
    head: dict[str, Any] = json.loads(line)
    size = int(head["positions"]) * SIZE
    found = records(size)
    if len(found) != size:
        raise ValueError(f"{len(found)} of {size} bytes")
    return Game(
        number=int(head["game"]),
        plies=int(head["plies"]),
        nodes=int(head["nodes"]),
        seconds=float(head["seconds"]),
        result=int(head["result"]),
        reason=str(head["reason"]),
        records=found,
    )


def bench(command: tuple[str, ...]) -> str:
    """Version and bench signature of a Sortie: builds that play differently differ here. Raises BadInput."""
    version = release(_last_line(command, "--version"))
    try:
        return f"{version}, bench {int(json.loads(_last_line(command, 'bench', '--json'))['nodes'])}"
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{command[0]}: `bench --json` gives no nodes (is it Sortie?)") from None


def _last_line(command: tuple[str, ...], *words: str) -> str:
    """The last line that a Sortie prints when it is called with `words`. Raises BadInput, with its own reason if it gave one."""
    try:
        done = subprocess.run(
            [*command, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=BENCH_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BadInput(f"{command[0]}: `{' '.join(words)}` fails: {error}") from None
    printed, complaints = (text.decode("utf-8", "replace").strip().splitlines() for text in (done.stdout, done.stderr))
    if done.returncode or not printed:
        reason = complaints[-1] if complaints else f"exit status {done.returncode}, nothing printed"
        raise BadInput(f"{command[0]}: `{' '.join(words)}` fails: {reason}")
    return printed[-1]


class Slots:
    """Processes on this machine that play games by number. Leaving the context ends them."""

    def __init__(self, plan: DataPlan, count: int) -> None:
        self._finished: queue.Queue[Game | BadInput] = queue.Queue()
        self._wanted: queue.Queue[int | None] = queue.Queue()
        self._processes = [self._start(plan) for _ in range(count)]  # while there is no thread yet
        self._threads = [threading.Thread(target=self._serve, args=(one,), daemon=True) for one in self._processes]

    @staticmethod
    def _start(plan: DataPlan) -> subprocess.Popen[bytes]:
        try:
            return start_child(
                [*plan.command, *plan.arguments()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise BadInput(f"{plan.command[0]}: {error.strerror or error}") from None

    def games(self, first: int) -> Iterator[Game]:
        """The games from number `first` on, in order, without end. Raises BadInput if one fails."""
        early: dict[int, Game] = {}
        number = first
        for following in range(first, first + AHEAD * len(self._processes)):
            self._wanted.put(following)
        following = first + AHEAD * len(self._processes)
        for thread in self._threads:
            thread.start()
        while True:
            game = self._finished.get()
            if isinstance(game, BadInput):
                raise game
            self._wanted.put(following)
            following += 1
            early[game.number] = game
            while number in early:
                yield early.pop(number)
                number += 1

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        """Give numbers to a process and collect its games; each process has a thread that runs this."""
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        try:
            while (number := self._wanted.get()) is not None:
                process.stdin.write(f"{number}\n".encode())
                process.stdin.flush()
                line = process.stdout.readline()
                if not line:
                    break
                self._finished.put(game_of(line, process.stdout.read))
            else:
                return
        except (OSError, ValueError, KeyError, TypeError):
            kill_group(process.pid)  # one that lives on would keep its standard error open, which says more
        said = process.stderr.read(2000).decode("utf-8", "replace").strip().splitlines()
        reason = said[-1] if said else f"sortie selfplay: ended before its game, exit status {process.wait()}"
        self._finished.put(BadInput(reason))

    def close(self) -> None:
        """End the processes; games in play are dropped."""
        for _ in self._threads:
            self._wanted.put(None)
        for process in self._processes:
            kill_group(process.pid)
        for process in self._processes:
            process.wait()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(1.0)


@contextmanager
def local(plan: DataPlan, count: int) -> Iterator[Slots]:
    """Processes on this machine."""
    slots = Slots(plan, count)
    try:
        yield slots
    finally:
        slots.close()


def play_batch(
    command: tuple[str, ...] | None, arguments: list[str], first: int, count: int, signature: str
) -> list[Game]:
    """Play some games on a worker of a cluster, without a command by the Sortie beside its Python. Raises BadInput."""
    prove(command, signature)
    words = [*(command or (beside(),)), *arguments]
    numbers = "".join(f"{number}\n" for number in range(first, first + count))
    done = subprocess.run(words, input=numbers.encode(), capture_output=True, check=False)
    games: list[Game] = []
    output, at = done.stdout, 0
    while (end := output.find(b"\n", at)) >= 0:
        line, at = output[at:end], end + 1
        try:
            game = game_of(line, lambda size, start=at: output[start : start + size])  # type: ignore[misc]
        except (ValueError, KeyError, TypeError):
            break
        at += len(game.records)
        games.append(game)
    if done.returncode or len(games) != count:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise BadInput(said[-1] if said else f"sortie selfplay: exit status {done.returncode}")
    return games


@cache
def prove(command: tuple[str, ...] | None, signature: str) -> None:
    """Raises BadInput if the Sortie of this worker of a cluster is another build."""
    found = bench(command or (beside(),))
    if found != signature:
        raise BadInput(f"a worker runs {found}, expected {signature}")


class ClusterSlots:
    """The same games on the workers of a cluster, which may come and go; a lost task is done again.

    `most` limits the games at a time; None: as many as the workers have slots.
    """

    def __init__(
        self, client: Any, plan: DataPlan, signature: str, text: str, wait: float, most: int | None = None
    ) -> None:
        """`text` is the user's name for the cluster, `wait` how many seconds it may be without workers."""
        self._client = client
        self._arguments = plan.arguments()
        self._command = None if plan.command == (beside(),) else plan.command
        self._signature = signature
        self._text, self._wait, self._most = text, wait, most
        task = (prove, self._command, signature)
        self._result(task, self._submit(*task))

    def _submit(self, *task: Any) -> Any:
        return self._client.submit(*task, pure=False, resources={RESOURCE: 1})

    def _slots(self) -> int:
        try:
            workers = self._client.sync(self._client.scheduler.identity)["workers"].values()
        except Exception:  # the connection is gone: `_result` says so
            return 0
        return sum(int(worker.get("resources", {}).get(RESOURCE, 0)) for worker in workers)

    def _result(self, task: tuple[Any, ...], future: Any) -> Any:
        """What a task returns, done again on another worker if one dies of it. Raises BadInput."""
        from distributed import KilledWorker

        losses, seen = 0, time.monotonic()
        try:
            while True:
                try:
                    return future.result(GLANCE)
                except TimeoutError:
                    if self._client.status != "running":
                        raise BadInput("the scheduler is gone") from None
                    if self._slots():
                        seen = time.monotonic()
                    elif time.monotonic() > seen + self._wait:
                        raise BadInput(
                            f"no worker came within {self._wait:g} s: start some with "
                            f"dask worker ADDRESS --nthreads 1 --resources {RESOURCE}=1"
                        ) from None
                except KilledWorker:
                    losses += 1
                    if losses == LOSSES:
                        raise BadInput(f"the same games have cost {LOSSES} workers") from None
                    future = self._submit(*task)
        except BadInput as error:
            raise BadInput(f"--cluster {self._text}: {error}") from None
        except Exception as error:  # whatever the library or a worker with other packages says
            what = "the scheduler is gone" if self._client.status != "running" else f"{type(error).__name__}: {error}"
            raise BadInput(f"--cluster {self._text}: {what}") from None

    def games(self, first: int) -> Iterator[Game]:
        """The games from number `first` on, in order, without end."""
        tasks: deque[tuple[tuple[Any, ...], Any]] = deque()
        following = first
        while True:
            ahead = AHEAD * max(1, self._slots())
            while len(tasks) < min(ahead, self._most or ahead):
                task = (play_batch, self._command, self._arguments, following, BATCH, self._signature)
                tasks.append((task, self._submit(*task)))
                following += BATCH
            yield from self._result(*tasks.popleft())


@contextmanager
def on_cluster(plan: DataPlan, text: str, signature: str, most: int | None = None) -> Iterator[ClusterSlots]:
    """The workers that `--cluster` names; local ones end with the context."""
    from harness.cluster.connect import client_of, library, worker_wait

    library()
    wait = worker_wait()
    with client_of(text) as client:
        yield ClusterSlots(client, plan, signature, text, wait, most)
