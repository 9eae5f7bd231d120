"""How many slots one scheduler feeds: a whole run on simulated slots whose games take no time (or as long as wished).

There are a scheduler of dask.distributed, a few worker processes with many slots each, and this process as the supervisor,
each with its own processor time. Everything is as in a run: workers prove themselves, a pair is a task, each game is
delivered by its worker and goes into a journal. Only the playing is left out: a slot delivers a game made
beforehand. The figures are tasks and games per second, processor time per task of each part (which a busy machine
does not distort), and bytes per game in the journal and on both connections (by TCP_INFO, the kernel's own count).

Usage: cluster_scheduler.py [--slots N] [--workers N] [--pairs N] [--game-seconds S] [--plies N] [--json]
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import shlex
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from harness.cluster.connect import library  # noqa: E402
from harness.cluster.pool import ClusterPool  # noqa: E402
from harness.cluster.proof import Task, prove  # noqa: E402
from harness.game.game import Rules  # noqa: E402
from harness.journal.journal import FILE, Journal  # noqa: E402
from harness.journal.record import pack  # noqa: E402
from harness.model import GameRecord, Job, MoveRecord  # noqa: E402
from harness.run.display import Display  # noqa: E402
from harness.run.session import Session  # noqa: E402
from harness.schedule import jobs as schedule  # noqa: E402
from harness.spec import reader as experiments  # noqa: E402
from harness.spec import writer as experiment_toml  # noqa: E402

ENGINE = Path(__file__).resolve().with_name("instant_engine.py")
GAME = 10.0  # seconds of a game in `slots_fed`
TCPI_BYTES = "=QQ"  # bytes_acked, bytes_received
TCPI_OFFSET = 120


@dataclass(frozen=True, slots=True)
class Figures:
    """One measurement. Processor milliseconds are per task: a pair, that is two games."""

    slots: int
    workers: int
    games: int
    game_seconds: float
    wall: float
    tasks_per_second: float
    games_per_second: float
    scheduler_ms: float
    supervisor_ms: float
    workers_ms: float
    journal_bytes_per_game: float
    wire_in_bytes_per_game: float  # scheduler to supervisor: games and messages about tasks
    wire_out_bytes_per_game: float  # supervisor to scheduler: tasks
    worker_out_bytes_per_game: float
    worker_in_bytes_per_game: float
    slots_busy: float  # share of slot time spent in games
    scheduler_megabytes: float

    def slots_fed(self) -> dict[str, float]:
        """How many slots with 10 s games would keep one core busy for each part, if the part had the core to itself."""
        pair = 2 * GAME
        return {"scheduler": pair / self.scheduler_ms * 1000, "supervisor": pair / self.supervisor_ms * 1000}


def typical_game(job: Job, plies: int) -> GameRecord:
    """Returns a game with numbers like those of a real one, which compress no better."""
    rng = random.Random(20261121 + job.id)
    squares = [file + rank for file in "abcdefgh" for rank in "12345678"]
    moves = tuple(
        MoveRecord(
            rng.choice(squares) + rng.choice(squares),
            rng.uniform(20, 150),
            rng.uniform(20, 150),
            rng.uniform(0, 0.3),
            rng.randint(8, 16),
            rng.randint(20_000, 90_000),
            rng.randint(-120, 120),
        )
        for _ in range(plies)
    )
    return GameRecord(job, "1/2-1/2", "repetition", moves, time.time(), GAME, host=socket.gethostname())


def simulated_pair(plies: int, seconds: float, run: str, factor: float, live_every: float, jobs: list[Job]) -> int:
    """The task here, in place of `cluster_worker.play_pair`."""
    from harness.cluster.worker import RUNS, deliverer, packed

    deliver = deliverer(run, RUNS.spec(run).topic)
    for job in jobs:
        if seconds:
            time.sleep(seconds)
        deliver("game", packed(pack(typical_game(job, plies))))
    return len(jobs)


def tcp_bytes(sock: socket.socket) -> tuple[int, int]:
    """Returns the bytes that a connection has sent (and the other side has acknowledged) and received."""
    info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    acked, received = struct.unpack_from(TCPI_BYTES, info, TCPI_OFFSET)
    return acked, received


def worker_bytes(dask_worker: Any) -> tuple[int, int]:
    """The same for a worker's stream to its scheduler; runs on the worker."""
    return tcp_bytes(dask_worker.batched_stream.comm.stream.socket)


def client_bytes(client: Any) -> tuple[int, int]:
    return tcp_bytes(client.scheduler_comm.comm.stream.socket)


class Nothing(Display):
    def note(self, text: str) -> None:
        print(text, file=sys.stderr)


@contextmanager
def processes(folder: Path, workers: int, threads: int) -> Iterator[tuple[str, psutil.Process, list[psutil.Process]]]:
    """Starts a scheduler and workers as a user does; yields the address, the scheduler and the workers."""
    found = folder / "scheduler.json"
    quiet = {"DASK_LOGGING__DISTRIBUTED": "critical", "PYTHONPATH": f"{ROOT}:{ENGINE.parent}"}
    environment = {**os.environ, **quiet}
    dask = [sys.executable, "-m", "dask"]
    started = []

    def begin(*words: str) -> psutil.Process:
        line = [*dask, *words, "--scheduler-file", str(found)]
        process = subprocess.Popen(line, env=environment, cwd=folder, stderr=subprocess.DEVNULL)
        started.append(process)
        return psutil.Process(process.pid)

    try:
        scheduler = begin("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        while not found.exists() or not found.read_text().endswith("}"):
            time.sleep(0.05)
        common = ("--nthreads", str(threads), "--resources", f"slot={threads}", "--no-nanny", "--no-dashboard")
        crew = [begin("worker", *common, "--memory-limit", "0") for _ in range(workers)]
        yield json.loads(found.read_text())["address"], scheduler, crew
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def measure(slots: int, workers: int, pairs: int, seconds: float, plies: int) -> Figures:
    """Plays a run of so many pairs on simulated slots."""
    threads = slots // workers
    slots = threads * workers
    distributed = library()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = folder / "table.json"
        table.write_text("{}")
        spec = folder / "simulated.toml"
        engines = "".join(
            f"[engines.{engine}]\ncommand = {json.dumps(shlex.join([sys.executable, str(ENGINE), str(table)]))}\n"
            for engine in "ab"
        )
        spec.write_text(f"[experiment]\ngames = {2 * pairs}\nnodes = 1000\n{engines}")
        experiment = experiments.load(str(spec), {})
        expected = prove(Task(experiment.players, 10.0, None))
        out = folder / "out"
        out.mkdir()
        meta = {
            "experiment": experiment_toml.dump(experiment),
            "seed": "1",
            "scheduled": str(schedule.scheduled(experiment)),
            "version": "benchmark",
        }
        Journal.create(out, meta, experiment.players).close()
        with processes(folder, workers, threads) as (address, scheduler, crew):
            client = distributed.Client(address, set_as_default=False)

            # Named by its module, as in a run: the whole of a script's function would be sent with every task.
            play = partial(importlib.import_module("cluster_scheduler").simulated_pair, plies, seconds)
            with ClusterPool(
                client, address, "benchmark", experiment.players, Rules.of(experiment), None, expected, 60, play=play
            ) as pool:
                while pool.size < slots:
                    pool.wait()
                    for _ in pool.messages(0.1):
                        pass
                own = psutil.Process()
                parts = [scheduler, own]
                before = [cpu(part) for part in parts], sum(map(cpu, crew))
                sent, received = client_bytes(client)
                worker_before = client.run(worker_bytes).values()
                session = Session(experiment, out, Journal(out), Nothing, lambda *_: pool)
                size = (out / FILE).stat().st_size
                began = time.monotonic()
                bytes_after: dict[str, Any] = {}
                close = pool.close

                def counted_close(gently: bool) -> None:
                    if not bytes_after:
                        bytes_after["wall"] = time.monotonic() - began
                        bytes_after["cpu"] = [cpu(part) for part in parts], sum(map(cpu, crew))
                        bytes_after["client"] = client_bytes(client)
                        bytes_after["workers"] = list(client.run(worker_bytes).values())
                        bytes_after["rss"] = scheduler.memory_info().rss
                    close(gently)

                pool.close = counted_close  # type: ignore[method-assign]
                session.play()
                session.journal.close()
            client.close()
        games = 2 * pairs
        wall = bytes_after["wall"]
        after = bytes_after["cpu"]
        grown = (out / FILE).stat().st_size - size
        w_sent = sum(b[0] for b in bytes_after["workers"]) - sum(b[0] for b in worker_before)
        w_received = sum(b[1] for b in bytes_after["workers"]) - sum(b[1] for b in worker_before)
        c_sent, c_received = bytes_after["client"]
        if session.tally.played != games:
            raise SystemExit(f"{session.tally.played} games are in the journal, expected {games}")
        return Figures(
            slots=slots,
            workers=workers,
            games=games,
            game_seconds=seconds,
            wall=wall,
            tasks_per_second=pairs / wall,
            games_per_second=games / wall,
            scheduler_ms=(after[0][0] - before[0][0]) / pairs * 1000,
            supervisor_ms=(after[0][1] - before[0][1]) / pairs * 1000,
            workers_ms=(after[1] - before[1]) / pairs * 1000,
            journal_bytes_per_game=grown / games,
            wire_in_bytes_per_game=(c_received - received) / games,
            wire_out_bytes_per_game=(c_sent - sent) / games,
            worker_out_bytes_per_game=w_sent / games,
            worker_in_bytes_per_game=w_received / games,
            slots_busy=games * seconds / (wall * slots),
            scheduler_megabytes=bytes_after["rss"] / 1e6,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slots", type=int, default=500, help="simulated slots")
    parser.add_argument("--workers", type=int, default=5, help="worker processes that hold them")
    parser.add_argument("--pairs", type=int, default=3000, help="tasks")
    parser.add_argument("--game-seconds", type=float, default=0.0, help="how long a simulated game takes")
    parser.add_argument("--plies", type=int, default=120, help="moves in a game, both sides together")
    parser.add_argument("--json", action="store_true", help="print the figures as a JSON object")
    arguments = parser.parse_args()
    if not 1 <= arguments.workers <= arguments.slots:
        parser.error(f"--slots {arguments.slots}: expected one or more for each of the workers, {arguments.workers}")
    figures = measure(arguments.slots, arguments.workers, arguments.pairs, arguments.game_seconds, arguments.plies)
    if arguments.json:
        print(json.dumps({**asdict(figures), "slots_fed": figures.slots_fed()}))
        return
    print(f"{figures.slots} slots on {figures.workers} workers, {figures.games} games of {figures.game_seconds:g} s")
    print(f"wall {figures.wall:.1f} s: {figures.tasks_per_second:.0f} tasks/s, {figures.games_per_second:.0f} games/s")
    print(
        f"processor per task: scheduler {figures.scheduler_ms:.2f} ms, supervisor {figures.supervisor_ms:.2f} ms, "
        f"workers {figures.workers_ms:.2f} ms"
    )
    print(f"journal {figures.journal_bytes_per_game:.0f} bytes per game of {arguments.plies} plies")
    print(
        f"wire per game: worker to scheduler {figures.worker_out_bytes_per_game:.0f}, back "
        f"{figures.worker_in_bytes_per_game:.0f}; scheduler to supervisor {figures.wire_in_bytes_per_game:.0f}, back "
        f"{figures.wire_out_bytes_per_game:.0f} bytes"
    )
    if figures.game_seconds:
        print(f"slots were in a game {figures.slots_busy * 100:.1f} % of the time")
    print(f"scheduler {figures.scheduler_megabytes:.0f} MB")
    for part, slots in figures.slots_fed().items():
        print(f"one core of the {part} feeds {slots:.0f} slots with games of {GAME:g} s")


if __name__ == "__main__":
    main()
