"""What the harness itself costs, as a ratio to the textbook python-chess loop, measured in one run.

Two copies of an instant engine play the same random games from a book of 99 positions, with colours swapped, at most 100
moves a side, two games at a time. The figures are the processor time of all harness processes per 1,000 plies (without
the engines, start-up included) and the games per minute. The textbook loop is the one in python-chess's documentation:
asyncio, `engine.play.play`, `board.outcome(claim_draw=True)`, a PGN node per move, SAN at the end. Ours runs as it normally
does: clocks, referee, journal, live state.

With CUTECHESS=PATH or FASTCHESS=PATH in the environment these play the same games too (XBoard and UCI, UCI): their own
processor time without the engines', and a column of ratios to the first of them, cutechess-cli with XBoard engines.

Memory is the peak resident set size of the supervisor and of the larger slot.

With `--flat` it instead plays N games and ten times N, each in a fresh process, and compares the two: the
cost per ply and the memory must not depend on the number of games. What a ply costs the engines, which do the same work for
each, shows how busy the machine was: the last column divides by it.

The games are played in rounds, with every harness in each, so that a varying load affects all alike.

Usage: harness_overhead.py [--games N] [--textbook-games N] [--rounds N] [--flat] [--protocol xboard|uci] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import random
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from harness.game.referee import Referee  # noqa: E402
from harness.journal.journal import Journal  # noqa: E402
from harness.run.display import Display  # noqa: E402
from harness.run.session import Session  # noqa: E402
from harness.schedule import jobs as schedule  # noqa: E402
from harness.slots.local import Pool  # noqa: E402
from harness.spec import reader as experiment  # noqa: E402

POSITIONS = 99
PLIES = 200
OTHERS = {"cutechess": ("xboard", "uci"), "fastchess": ("uci",)}  # the protocols, by the variable in lower case
ENGINE = Path(__file__).resolve().with_name("instant_engine.py")


@dataclass(frozen=True, slots=True)
class Cost:
    """One measurement: games and plies played, seconds of wall time and of harness processor time, memory."""

    games: int
    plies: int
    wall: float
    cpu: float
    supervisor: float = 0.0  # peak MiB
    slot: float = 0.0
    engines: float = 0.0  # processor seconds of the engines, only for our harness

    def __add__(self, more: Cost) -> Cost:
        """Both measurements as one, with the larger memory."""
        return Cost(
            self.games + more.games,
            self.plies + more.plies,
            self.wall + more.wall,
            self.cpu + more.cpu,
            max(self.supervisor, more.supervisor),
            max(self.slot, more.slot),
            self.engines + more.engines,
        )

    @property
    def per_thousand(self) -> float:
        return self.cpu / self.plies * 1000

    @property
    def per_minute(self) -> float:
        return self.games / self.wall * 60


def make_table(folder: Path) -> tuple[Path, Path]:
    """Writes the table of games and the book of their start positions; returns their paths."""
    rng = random.Random(20261121)
    table: dict[str, list[str]] = {}
    while len(table) < POSITIONS:
        board = chess.Board()
        for _ in range(8):
            board.push(rng.choice(list(board.legal_moves)))
        if board.is_game_over() or board.fen() in table:
            continue
        referee = Referee(board.fen())
        moves = []
        while referee.ended() is None and len(moves) < PLIES:
            move = rng.choice(list(referee.board.legal_moves))
            moves.append(move.uci())
            referee.push(move)
        table[board.fen()] = moves
    path, book = folder / "table.json", folder / "book.epd"
    path.write_text(json.dumps(table))
    book.write_text("".join(f"{fen}\n" for fen in table))
    return path, book


def command(table: Path) -> list[str]:
    return [sys.executable, "-S", "-E", str(ENGINE), str(table)]


# The textbook loop


async def textbook_player(table: Path, book: list[str], games: int, protocol: str, first: int) -> tuple[int, int]:
    popen = chess.engine.popen_uci if protocol == "uci" else chess.engine.popen_xboard
    engines = [(await popen(command(table)))[1] for _ in range(2)]
    plies = 0
    sink = io.StringIO()
    for number in range(games):
        board = chess.Board(book[(first + number // 2) % len(book)])
        game = chess.pgn.Game()
        game.setup(board)
        node: chess.pgn.GameNode = game
        side = number % 2
        token = object()
        while board.outcome(claim_draw=True) is None and len(board.move_stack) < PLIES:
            result = await engines[side].play(board, chess.engine.Limit(time=1), game=token)
            assert result.move is not None
            node = node.add_variation(result.move)
            board.push(result.move)
            side = 1 - side
            plies += 1
        game.headers["Result"] = board.result(claim_draw=True)
        print(game, file=sink, end="\n\n")
    for engine in engines:
        await engine.quit()
    return games, plies


def textbook(table: Path, book: list[str], games: int, protocol: str) -> Cost:
    """Plays with the textbook loop, two games at a time."""

    async def both() -> list[tuple[int, int]]:
        half = games // 2
        return await asyncio.gather(
            textbook_player(table, book, half, protocol, 0), textbook_player(table, book, half, protocol, half // 2)
        )

    cpu, wall = time.process_time(), time.monotonic()
    counts = asyncio.run(both())
    return Cost(
        sum(c[0] for c in counts), sum(c[1] for c in counts), time.monotonic() - wall, time.process_time() - cpu
    )


# Ours


class MeasuredPool(Pool):
    """A pool that notes what its slots have used before it ends them."""

    cpu = 0.0
    engines = 0.0
    peak = 0.0  # MiB of the largest slot

    def close(self, gently: bool) -> None:
        for pid in self.pids():
            for engine in psutil.Process(pid).children():
                MeasuredPool.engines += sum(engine.cpu_times()[:2])
            MeasuredPool.cpu += time.clock_gettime((~pid << 3) | 2)
            for line in Path(f"/proc/{pid}/status").read_text().split("\n"):
                if line.startswith("VmHWM:"):
                    MeasuredPool.peak = max(MeasuredPool.peak, int(line.split()[1]) / 1024)
        super().close(gently)


def ours(folder: Path, table: Path, book: Path, games: int, protocol: str) -> Cost:
    """Plays the same games with a whole session of the harness, journal included."""
    words = json.dumps(shlex.join(command(table)))
    text = f"""
[experiment]
kind = "match"
games = {games}
time = "60+0.1"
max_moves = {PLIES // 2}
concurrency = 2
[openings]
file = "{book}"
order = "sequential"
[engines.a]
command = {words}
protocol = "{protocol}"
[engines.b]
command = {words}
protocol = "{protocol}"
"""
    spec = folder / f"{protocol}.toml"
    spec.write_text(text)
    results = Path(tempfile.mkdtemp(dir=folder))
    cpu, wall = time.process_time(), time.monotonic()
    MeasuredPool.cpu = MeasuredPool.peak = MeasuredPool.engines = 0.0
    loaded = experiment.load(spec)
    meta = {"experiment": text, "seed": "1", "scheduled": str(schedule.scheduled(loaded)), "version": "0"}
    journal = Journal.create(results, meta, loaded.players)
    session = Session(loaded, results, journal, Display, MeasuredPool)
    status = session.play()
    journal.close()
    assert status == 0 and session.tally.played == games, (status, session.tally)
    used = time.process_time() - cpu + MeasuredPool.cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Cost(
        games, session.tally.plies, time.monotonic() - wall, used, peak, MeasuredPool.peak, MeasuredPool.engines
    )


# Others


def other(name: str, path: str, folder: Path, table: Path, book: Path, games: int, protocol: str) -> Cost:
    """Plays the same games with cutechess-cli or fastchess; their time is that of the program without its children."""
    pgn = folder / f"{name}-{protocol}.pgn"
    wrapper = folder / "instant"
    wrapper.write_text(f"#!/bin/sh\nexec {shlex.join(command(table))}\n")
    wrapper.chmod(0o755)
    each = ["-each", f"cmd={wrapper}", "tc=60+0.1"]
    output = ["-pgnout", str(pgn)] if name == "cutechess" else ["-pgnout", f"file={pgn}"]
    words = [
        path,
        "-engine",
        "name=a",
        "-engine",
        "name=b",
        *each,
        *([f"proto={protocol}"] if name == "cutechess" else []),
    ]
    words += ["-openings", f"file={book}", "format=epd", "order=sequential", "-repeat", "-rounds", str(games // 2)]
    words += ["-games", "2", "-maxmoves", str(PLIES // 2), "-concurrency", "2", *output]
    began = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    clock = (~process.pid << 3) | 2
    used = 0.0
    while process.poll() is None:
        try:
            used = time.clock_gettime(clock)  # of the program alone, not of its engines
        except OSError:
            break
        time.sleep(0.02)
    process.wait()
    wall = time.monotonic() - began
    played, plies = 0, 0
    with open(pgn) as file:
        while (game := chess.pgn.read_game(file)) is not None:
            played += 1
            plies += sum(1 for _ in game.mainline_moves())
    if process.returncode or played != games:
        raise SystemExit(f"{path}: ended with status {process.returncode} after {played} of {games} games")
    return Cost(played, plies, wall, used)


def alone(games: int, protocol: str) -> Cost:
    """The same in a fresh process, whose memory nothing else has used."""
    words = [sys.executable, str(Path(__file__).resolve()), "--alone", "--games", str(games), "--protocol", protocol]
    done = subprocess.run([*words, "--json"], capture_output=True, text=True, check=True)
    return Cost(**json.loads(done.stdout.splitlines()[-1]))


def _figure(value: float, width: int = 12) -> str:
    return (f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value else "-").rjust(width)


def print_rows(rows: dict[str, Cost], base: Cost) -> None:
    """The measurements as a table, ratios against `base`; slots and supervisor of the textbook loop are one process."""
    print(
        f"{'harness':18}{'games':>7}{'plies':>9}{'games/min':>11}{'ratio':>7}{'CPU s/1000 plies':>18}{'ratio':>7}"
        f"{'supervisor':>12}{'slot MiB':>10}{'to engines':>12}"
    )
    for label, cost in rows.items():
        print(
            f"{label:18}{cost.games:7}{cost.plies:9}{cost.per_minute:11.0f}{cost.per_minute / base.per_minute:7.2f}"
            f"{cost.per_thousand:18.4f}{cost.per_thousand / base.per_thousand:7.3f}"
            f"{_figure(cost.supervisor)}{_figure(cost.slot, 10)}{_figure(cost.cpu / cost.engines if cost.engines else 0)}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--textbook-games", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=1, help="how often each plays so many games")
    parser.add_argument("--flat", action="store_true", help="compare N games with ten times N")
    parser.add_argument("--protocol", choices=("xboard", "uci"), default="xboard", help="of --flat")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.flat:
        few, many = alone(given.games, given.protocol), alone(10 * given.games, given.protocol)
        rows = {f"{cost.games} games": cost for cost in (few, many)}
    else:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            table, book_path = make_table(folder)
            if given.alone:
                print(json.dumps(asdict(ours(folder, table, book_path, given.games, given.protocol))))
                return
            book = book_path.read_text().split("\n")[:POSITIONS]
            games = given.games
            measured: dict[str, Callable[[], Cost]] = {
                "textbook uci": partial(textbook, table, book, given.textbook_games, "uci"),
                "gauntlet uci": partial(ours, folder, table, book_path, games, "uci"),
                "gauntlet xboard": partial(ours, folder, table, book_path, games, "xboard"),
            }
            for name, protocols in OTHERS.items():
                if path := os.environ.get(name.upper()):
                    for protocol in protocols:
                        measured[f"{name} {protocol}"] = partial(
                            other, name, path, folder, table, book_path, games, protocol
                        )
            rows = {label: measure() for label, measure in measured.items()}
            for _ in range(1, given.rounds):
                rows = {label: rows[label] + measure() for label, measure in measured.items()}
    base = next(iter(rows.values()))
    print_rows(rows, base)
    peer = next((label for label in rows if label.startswith(tuple(OTHERS))), "")
    for label in [label for label in rows if peer and label.startswith("gauntlet")]:
        cost, against = rows[label], rows[peer]
        print(
            f"{label} to {peer}: {cost.per_thousand / against.per_thousand:.2f} of its processor time a ply, "
            f"{cost.per_minute / against.per_minute:.1f} times its games a minute"
        )
    if given.json:
        figures = {
            label: {
                "cpu_per_1000_plies": cost.per_thousand,
                "cpu_ratio": cost.per_thousand / base.per_thousand,
                "speed_ratio": cost.per_minute / base.per_minute,
                "supervisor_mib": cost.supervisor or None,
                "slot_mib": cost.slot or None,
                "to_engines": cost.cpu / cost.engines if cost.engines else None,
            }
            for label, cost in rows.items()
        }
        print(json.dumps(figures))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
