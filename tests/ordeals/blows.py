"""What befalls a run in a soak: blows of every kind to a run on this machine, and to one on a cluster."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from fake_engines.runs import begin, environment, gauntlet
from kill_nine import WAIT, Ordeal, children_of, descendants, living, moves, slots_of

from harness.errors import BadInput
from harness.journal.journal import Reader
from harness.journal.repair import repair

PAUSE = 3.0  # seconds in which the whole harness stands still
FULL = 4.0  # seconds without room on the disk
EARLY = 0.2  # of the blows may fall on a run that has not played yet: a starved one would never begin to
ENDED = 1800.0  # seconds for a run that is left alone to end
COMING = 90.0  # seconds for a scheduler to listen, on a machine that has other work

# The line of moves that a game may have from its position: engines that answer from a table leave nothing to chance.
Lines = dict[str, list[str]]


def strike(pids: Iterable[int], *numbers: int) -> None:
    """Sends signals to processes, some of which may be gone."""
    for number in numbers:
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass


class Soak(Ordeal):
    """One run that is struck until it ends; `lines` are the only moves there can be, where they are known."""

    def __init__(
        self,
        spec: Path,
        out: Path,
        rng: random.Random,
        blows: Counter[str],
        small_disk: bool = False,
        lines: Lines | None = None,
    ) -> None:
        super().__init__(spec, out, rng)
        self.counts = blows
        self.lines = lines
        self.plies = 0
        self.kinds: dict[str, Callable[[], None]] = {
            "supervisor killed": self.kill_supervisor,
            "everything killed": self.kill_everything,
            "slot killed": self.kill_slot,
            "engine killed": self.kill_engine,
            "clock stopped": self.stand_still,
            "SIGTERM": self.terminate,
            "gauntlet stop": self.stop,
            "gauntlet slots": self.widen,
            "gauntlet pause": self.pause,
        }
        if small_disk:
            self.kinds["disk full"] = self.fill_disk

    def strike(self, seconds: float) -> bool:
        """A blow of any kind when the run has played for so long; False when the run had ended before it."""
        what = self.rng.choice(sorted(self.kinds))
        early = self.rng.random() < EARLY
        while not early and not self.under_way():
            if not self.wait(1.0):
                return False
        if not self.wait(seconds):
            return False
        self.kinds[what]()
        self.counts[what] += 1
        return True

    def wait(self, seconds: float) -> bool:
        """Lets the run work; False when it ended."""
        assert self.run is not None
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.run.poll() is not None:
                return False
            self.note()
            time.sleep(0.05)
        return True

    def under_way(self) -> bool:
        """Says whether a game has ended since the run was started last."""
        with suppress(BadInput), Reader(self.out) as reader:
            return reader.count() > len(self.known)
        return False

    def note(self) -> None:
        """Remembers what is alive, so that what stays behind is found."""
        assert self.run is not None
        self.seen |= descendants(self.run.pid)

    # Blows that end it

    def kill_supervisor(self) -> None:
        assert self.run is not None
        self.note()
        strike([self.run.pid], signal.SIGSTOP, signal.SIGKILL)
        self.take_up()

    def kill_everything(self) -> None:
        assert self.run is not None
        self.note()
        strike([self.run.pid, *(pid for pid, _ in living(self.seen))], signal.SIGSTOP, signal.SIGKILL)
        self.take_up()

    def terminate(self) -> None:
        assert self.run is not None
        self.note()
        strike([self.run.pid], signal.SIGTERM)
        self.take_up()

    def stop(self) -> None:
        if self.ask("stop", *(("--now",) if self.rng.random() < 0.5 else ())):
            self.take_up()

    def take_up(self) -> None:
        """Looks into the books of a run that has ended or is about to, and goes on with it."""
        assert self.run is not None
        text, _ = self.run.communicate(timeout=20 * WAIT)
        assert "Traceback" not in text, text
        self.nobody()
        self.books()
        self.start()

    # Blows that it outlives

    def kill_slot(self) -> None:
        if slots := self.slots():
            strike([self.rng.choice(slots)], signal.SIGKILL)

    def kill_engine(self) -> None:
        if engines := [pid for slot in self.slots() for pid in children_of(slot)]:
            strike([self.rng.choice(engines)], signal.SIGKILL)

    def slots(self) -> list[int]:
        assert self.run is not None
        return slots_of(self.run.pid)

    def stand_still(self) -> None:
        """The whole harness stops, as on a machine that is suspended."""
        assert self.run is not None
        self.note()
        everyone = [self.run.pid, *(pid for pid, _ in living(self.seen))]
        strike(everyone, signal.SIGSTOP)
        time.sleep(PAUSE)
        strike(everyone, signal.SIGCONT)

    def widen(self) -> None:
        self.ask("slots", str(self.rng.randrange(1, 5)))

    def pause(self) -> None:
        self.ask("pause")
        self.wait(1.0)
        self.ask("continue")

    def ask(self, word: str, *more: str) -> bool:
        """Asks for something, and says whether it was granted: a run that has just ended, or has not begun, refuses."""
        done = gauntlet(word, self.out, *more, seconds=10 * WAIT)
        assert done.returncode in (0, 2) and "Traceback" not in done.stderr, done.stderr
        return done.returncode == 0

    def fill_disk(self) -> None:
        """No room for a while; a run that gives up because of it is gone on with when it is over."""
        ballast = self.out.parent / "ballast"
        with open(ballast, "wb", buffering=0) as file:
            try:
                while file.write(b"\0" * 65536):
                    pass
            except OSError:
                pass
        self.wait(FULL)
        ballast.unlink()

    # The books

    def books(self) -> None:
        """Every game that was in the journal is still there as it was, and all that are there are whole."""
        if not (self.out / "games.db").exists():
            assert not self.known
            return
        with Reader(self.out) as reader:
            assert reader.at_work() is None
            scheduled = reader.scheduled
        now = moves(self.out)
        assert all(now.get(game) == line for game, line in self.known.items()), "a game was lost or changed"
        assert all(1 <= game <= scheduled for game in now), "a game was never scheduled"
        assert repair(self.out / "games.db") == 0, "a game was torn"
        self.known = now

    def over(self) -> bool:
        """Waits for the end of the run; one that had to give up (no disk, no scheduler) is gone on with, and not over."""
        assert self.run is not None
        self.run.wait(timeout=ENDED)
        if (self.out / "games.db").exists():  # without one it was struck before it had begun
            with Reader(self.out) as reader:
                if reader.state() == "done":
                    return True
        self.take_up()
        return False

    def leave(self) -> None:
        """Stops the run as it is, to be taken up by another soak."""
        assert self.run is not None
        self.note()
        strike([self.run.pid], signal.SIGTERM)
        self.run.communicate(timeout=20 * WAIT)
        self.nobody()

    def finish(self) -> None:
        super().finish()
        with Reader(self.out) as reader:
            for game in reader.games():
                self.plies += len(game.moves)
                if self.lines is not None and game.fault is None:
                    line = self.lines[game.job.opening.fen][: len(game.moves)]
                    assert [move.move for move in game.moves] == line, f"game {game.job.id} has moves of another"


class ClusterSoak(Soak):
    """A run on a scheduler and workers of its own, which are killed like all else."""

    def __init__(
        self, spec: Path, out: Path, rng: random.Random, blows: Counter[str], lines: Lines, workers: int
    ) -> None:
        super().__init__(spec, out, rng, blows, lines=lines)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.size = workers
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self.theirs: set[tuple[int, int]] = set()  # slots and engines of the workers
        self.kinds = {
            "supervisor killed (cluster)": self.kill_supervisor,
            "worker killed": self.kill_worker,
            "scheduler killed": self.kill_scheduler,
            "slot killed (cluster)": self.kill_slot,
            "engine killed (cluster)": self.kill_engine,
            "worker frozen": self.freeze_worker,
        }

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.man()
        begun = (self.out / "games.db").exists()
        what = ("resume", self.out) if begun else ("run", self.spec, "--out", self.out)
        self.run = begin(*what, "--cluster", self.address)

    def man(self) -> None:
        """Starts what is missing of scheduler and workers."""
        if self.scheduler is None or self.scheduler.poll() is not None:
            for worker in self.workers:
                worker.kill()
            self.scheduler = self.dask("scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
            self.listening()
        for worker in self.workers:
            worker.poll()
        self.workers = [worker for worker in self.workers if worker.returncode is None]
        while len(self.workers) < self.size:
            more = ("--nthreads", "1", "--no-nanny", "--resources", "slot=1", "--no-dashboard")
            self.workers.append(self.dask("worker", self.address, *more, "--local-directory", str(self.out.parent)))

    @staticmethod
    def dask(*words: str) -> subprocess.Popen[bytes]:
        line = [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]]
        return subprocess.Popen(line, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def listening(self) -> None:
        """Waits until the scheduler can be reached."""
        deadline = time.monotonic() + COMING
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1.0).close()
                return
            except OSError:
                assert time.monotonic() < deadline, "the scheduler does not listen"
                time.sleep(0.1)

    def note(self) -> None:
        for worker in self.workers:
            self.theirs |= descendants(worker.pid)

    def slots(self) -> list[int]:
        return [slot for worker in self.workers for slot in slots_of(worker.pid)]

    def kill_worker(self) -> None:
        self.note()
        worker = self.rng.choice(self.workers)
        worker.kill()
        worker.wait()
        self.man()

    def freeze_worker(self) -> None:
        worker = self.rng.choice(self.workers)
        strike([worker.pid], signal.SIGSTOP)
        time.sleep(PAUSE)
        strike([worker.pid], signal.SIGCONT)

    def kill_scheduler(self) -> None:
        assert self.scheduler is not None
        self.note()
        self.scheduler.kill()
        self.scheduler.wait()
        self.take_up()

    def leave(self) -> None:
        super().leave()
        self.dismiss()

    def finish(self) -> None:
        self.note()
        super().finish()
        self.dismiss()

    def dismiss(self) -> None:
        """Ends scheduler and workers; their slots and engines must end with them."""
        self.note()
        for process in (*self.workers, self.scheduler):
            if process is not None:
                process.kill()
                process.wait()
        self.seen |= self.theirs
        self.nobody()


def known_before(soak: Soak) -> None:
    """Takes up a run that an earlier soak has left: its journal as it is now is what must stay."""
    if (soak.out / "games.db").exists():
        soak.books()
