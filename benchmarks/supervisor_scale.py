"""How many slots one supervisor bears: a whole run on 1,000 simulated slots of many hosts, whose games take no time.

The session, the dealing of games, the journal, live.json and the live page are real; another process serves the page and
is asked for its state all the time. The games are made beforehand. The figures are games a second, the processor time for
a game in the supervisor (without the cost of making games here), its memory, the size of a state, and how
old the state is that a viewer gets. A profile of a second run shows what takes the supervisor's time.

`cluster_scheduler.py` measures the same for the scheduler of a cluster.

Usage: supervisor_scale.py [--slots N] [--hosts N] [--games N] [--plies N] [--players N] [--no-profile] [--json]
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "benchmarks"))

from cluster_scheduler import typical_game  # noqa: E402

from harness.journal.journal import FILE, Journal  # noqa: E402
from harness.journal.record import PackedGame, pack, row_checksum  # noqa: E402
from harness.model import Job  # noqa: E402
from harness.run.display import Display  # noqa: E402
from harness.run.session import Session  # noqa: E402
from harness.schedule import jobs as schedule  # noqa: E402
from harness.slots.interface import Live, Message  # noqa: E402
from harness.spec import reader as experiments  # noqa: E402
from harness.spec import writer as experiment_toml  # noqa: E402

LIVE_EVERY = 1.0  # seconds between two reports of a game in play, as `game.py` sends them
LIVE_PER_SECOND = 100.0  # of all slots together, as a cluster sends them
BATCH = 64  # games that are reported at once
ASK_EVERY = 0.5  # seconds between two requests of the viewer
ROOMS = ("journal", "analysis", "schedule", "run", "stats")


@dataclass(frozen=True, slots=True)
class Figures:
    """One measurement: processor milliseconds for a game, MiB, seconds."""

    slots: int
    hosts: int
    games: int
    pairings: int
    wall: float
    games_per_second: float
    supervisor_ms: float
    memory_before: float
    memory_after: float
    live_bytes: int
    journal_bytes_per_game: float
    state_age_median: float  # of the state that a viewer gets
    state_age_worst: float
    answer_worst: float  # how long a viewer waits for it


class SimulatedSlots:
    """Slots on many hosts: games are returned as soon as they are asked for, in random order."""

    whole_pairs = True  # as on a cluster

    def __init__(self, size: int, hosts: int, plies: int) -> None:
        self.size, self._hosts = size, hosts
        self._free = deque(range(size))
        self._jobs: dict[int, list[Job]] = {}
        self._rng = random.Random(1)
        self._next_live = 0.0
        self._plies = plies
        self._model: PackedGame | None = None
        self.making = 0.0  # processor seconds that are not the supervisor's

    def __enter__(self) -> SimulatedSlots:
        return self

    def __exit__(self, *_: object) -> None:
        self.close(gently=True)

    def watch(self, fd: int) -> None:
        pass

    def resize(self, size: int) -> None:
        self.size = size

    def close(self, gently: bool) -> None:
        self._jobs.clear()

    def idle(self) -> list[int]:
        return list(self._free)

    @property
    def busy(self) -> int:
        return len(self._jobs)

    def play(self, number: int, jobs: Sequence[Job]) -> None:
        self._free.remove(number)
        self._jobs[number] = list(jobs)

    def messages(self, seconds: float) -> Iterator[Message]:
        began = time.thread_time()
        out: list[Message] = []
        numbers = self._rng.sample(sorted(self._jobs), min(BATCH, len(self._jobs)))
        for number in numbers:
            job = self._jobs[number].pop(0)
            if not self._jobs[number]:
                del self._jobs[number]
                self._free.append(number)
            out.append(Message(number, self._game(job, number)))
        now = time.monotonic()
        if now >= self._next_live:
            self._next_live = now + LIVE_EVERY
            some = self._rng.sample(sorted(self._jobs), min(int(LIVE_PER_SECOND), len(self._jobs)))
            out += [Message(number, Live(self._state(self._jobs[number][0]))) for number in some]
        self.making += time.thread_time() - began
        yield from out

    def _game(self, job: Job, number: int) -> PackedGame:
        if self._model is None:
            self._model = pack(typical_game(job, self._plies))
        row = self._model.row._replace(
            id=job.id,
            pairing=job.pairing,
            pair=job.pair,
            leg=job.leg,
            white=job.white,
            black=job.black,
            result=self._rng.choice(("1-0", "0-1", "1/2-1/2")),
            host=f"host{number % self._hosts}",
        )
        return self._model._replace(row=row, row_crc=row_checksum(row))

    def _state(self, job: Job) -> dict[str, object]:
        return {
            "game": job.id,
            "pairing": job.pairing,
            "pair": job.pair,
            "leg": job.leg,
            "white": job.white,
            "black": job.black,
            "fen": job.opening.fen,
            "last": "e2e4",
            "moves": 40,
            "scores": [10, -12],
            "depths": [12, 12],
            "clocks": [5.0, 5.0],
        }


class Watcher(threading.Thread):
    """Asks the live page for its state until it is told to stop."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self.address = address
        self.ages: list[float] = []
        self.waits: list[float] = []
        self.largest = 0  # bytes of a state
        self.leave = threading.Event()

    def run(self) -> None:
        while not self.leave.wait(ASK_EVERY):
            began = time.monotonic()
            try:
                with urllib.request.urlopen(f"{self.address}state.json", timeout=30) as answer:
                    text = answer.read()
                    state = json.loads(text)
                    self.largest = max(self.largest, len(text))
            except OSError:
                continue
            if state.get("state") == "running":
                self.waits.append(time.monotonic() - began)
                self.ages.append(time.time() - state["time"])


def measure(slots: int, hosts: int, games: int, plies: int, players: int, profile: cProfile.Profile | None) -> Figures:
    """Plays a gauntlet of so many players on simulated slots."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = (
            f"[experiment]\ngames = {games // (players - 1) // 2 * 2}\nnodes = 1000\nconcurrency = {min(4096, slots)}\n"
        )
        text += "".join(f'[engines.p{n}]\ncommand = "true"\nprotocol = "uci"\n' for n in range(players))
        (folder / "scale.toml").write_text(text)
        experiment = experiments.load(folder / "scale.toml")
        out = folder / "out"
        out.mkdir()
        total = schedule.scheduled(experiment)
        written = experiment_toml.dump(experiment)
        meta = {"experiment": written, "seed": "1", "scheduled": str(total), "version": "benchmark"}
        journal = Journal.create(out, meta, experiment.players)
        words = [sys.executable, "-m", "harness.cli", "watch", str(out), "--port", "0"]
        page = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert page.stdout is not None
        watcher = Watcher(page.stdout.readline().strip())
        try:
            own = psutil.Process()
            simulated = SimulatedSlots(slots, hosts, plies)
            session = Session(experiment, out, journal, Display, lambda *_: simulated)
            before, cpu, began = own.memory_info().rss, time.thread_time(), time.monotonic()
            watcher.start()
            if profile is not None:
                profile.enable()
            session.play()
            if profile is not None:
                profile.disable()
            wall, cpu = time.monotonic() - began, time.thread_time() - cpu
            after = own.memory_info().rss
        finally:
            watcher.leave.set()
            page.terminate()
            page.wait()
        journal.close()
        assert session.tally.played == total, (session.tally.played, total)
        ages, waits = sorted(watcher.ages) or [0.0], watcher.waits or [0.0]
        return Figures(
            slots=slots,
            hosts=hosts,
            games=total,
            pairings=len(session.tally.pairings),
            wall=wall,
            games_per_second=total / wall,
            supervisor_ms=(cpu - simulated.making) / total * 1000,
            memory_before=before / 2**20,
            memory_after=after / 2**20,
            live_bytes=watcher.largest,
            journal_bytes_per_game=(out / FILE).stat().st_size / total,
            state_age_median=ages[len(ages) // 2],
            state_age_worst=ages[-1],
            answer_worst=max(waits),
        )


def shares(profile: cProfile.Profile) -> dict[str, float]:
    """The share of the supervisor's time that each room takes, including the libraries that it calls."""
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    found = dict.fromkeys(ROOMS, 0.0)
    total = 0.0
    for (file, _, name), (_, _, own, _, callers) in stats.items():
        if "supervisor_scale" in file or name == "<method 'disable' of '_lsprof.Profiler' objects>":
            continue
        total += own
        room = _room(file)
        if room:
            found[room] += own
        else:  # a library's function: its time belongs to the rooms that called it
            for (caller, _, _), times in callers.items():
                if (room := _room(caller)) is not None:
                    found[room] += times[2]
    return {room: spent / total for room, spent in sorted(found.items(), key=lambda item: -item[1])}


def _room(file: str) -> str | None:
    parts = Path(file).parts
    room = parts[parts.index("harness") + 1] if "harness" in parts[:-1] else ""
    return room if room in ROOMS else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--slots", type=int, default=1000)
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--plies", type=int, default=120)
    parser.add_argument("--players", type=int, default=5)
    parser.add_argument("--no-profile", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    sizes = (given.slots, given.hosts)
    figures = measure(*sizes, given.games, given.plies, given.players, None)
    parts: dict[str, float] = {}
    if not given.no_profile:
        profile = cProfile.Profile()
        measure(*sizes, given.games // 4, given.plies, given.players, profile)
        parts = shares(profile)
    if given.json:
        print(json.dumps({**asdict(figures), "shares": parts}))
        return
    f = figures
    print(f"{f.slots} slots on {f.hosts} hosts, {f.games} games of {f.pairings} pairings in {f.wall:.1f} s")
    print(f"{f.games_per_second:.0f} games/s, {f.supervisor_ms:.2f} ms of processor a game in the supervisor")
    print(
        f"memory {f.memory_before:.0f} MiB, {f.memory_after:.0f} MiB after {f.games} games; a state {f.live_bytes} bytes"
    )
    print(f"journal {f.journal_bytes_per_game:.0f} bytes a game")
    print(f"a watcher's state is {f.state_age_median:.2f} s old (worst {f.state_age_worst:.2f} s)")
    print(f"its answer takes {f.answer_worst:.2f} s at most")
    print(f"one core feeds {10_000 / f.supervisor_ms:.0f} slots with games of 10 s")
    if parts:
        print("where the time goes: " + ", ".join(f"{room} {share:.0%}" for room, share in parts.items()))


if __name__ == "__main__":
    main()
