"""What more threads are worth: time to a fixed depth with one core and with `cores N`, position by position in turns.

python benchmarks/threads.py [--cores N] [--depth D] [--rounds R] [--positions FILE] [--json]

Prints for each middlegame of openings/screen.epd the seconds with one core and with N, then the geometric mean of their
ratio (above 1: more cores are faster) with its 95 % bootstrap interval over positions, the same for nodes per second, and
the median and the worst time from a stop to the answer while N threads search. Run it on an idle machine with N cores.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MEMORY = 64  # MiB
POSITIONS = 20
RESAMPLES = 2000
STOPS = 40


class Run(NamedTuple):
    """One search: seconds and nodes to the given depth."""

    seconds: float
    nodes: int


class Ratio(NamedTuple):
    """A geometric mean over positions and its 95 % interval."""

    mean: float
    low: float
    high: float


def middlegames(path: Path) -> list[str]:
    """The FENs of the lines marked as middlegames, or of all lines if none is; 20 at most. ValueError names a bad line."""
    from engine.board.game import Game
    from engine.tools.suites import read_lines, read_positions

    entries, lines = read_positions(str(path)), dict(read_lines(str(path)))
    for entry in entries:
        if not Game(entry.fen).legal_moves():
            raise ValueError(f"{path}:{entry.line}: the game is over there, expected a position with a move")
    chosen = [entry.fen for entry in entries if '"middlegame' in lines[entry.line]] or [entry.fen for entry in entries]
    return chosen[:POSITIONS]


def geometric(ratios: Sequence[float]) -> Ratio:
    """The geometric mean with a percentile bootstrap over positions; the resampling is always the same."""
    logs = [math.log(ratio) for ratio in ratios]
    chance = random.Random(1)
    means = sorted(statistics.fmean(chance.choices(logs, k=len(logs))) for _ in range(RESAMPLES))
    low, high = means[RESAMPLES * 25 // 1000], means[RESAMPLES * 975 // 1000 - 1]
    return Ratio(math.exp(statistics.fmean(logs)), math.exp(low), math.exp(high))


def to_depth(fen: str, depth: int, cores: int) -> Run:
    """Search from empty tables with this many threads."""
    from engine.model import Limits
    from engine.play.options import Settings, network_of
    from engine.search.threads import Searcher
    from engine.tools.suites import open_position

    searcher, settings, game = Searcher(MEMORY, cores), Settings(), open_position(fen)
    searcher.set_network(network_of(settings))
    searcher.clear()
    began = time.perf_counter()
    result = searcher.search(game, settings.features, Limits(depth=depth))
    return Run(time.perf_counter() - began, result.nodes)


def stop_latencies(fens: Sequence[str], cores: int) -> list[float]:
    """Milliseconds from stop(), called by another thread, to the search's answer with all threads ended."""
    from engine.model import Limits
    from engine.play.options import Settings, network_of
    from engine.search.threads import Searcher
    from engine.tools.suites import open_position

    searcher, settings, waits = Searcher(MEMORY, cores), Settings(), []
    searcher.set_network(network_of(settings))
    for number in range(STOPS):
        game = open_position(fens[number % len(fens)])
        searcher.prepare(Limits())
        thread = threading.Thread(target=searcher.search, args=(game, settings.features, Limits()))
        thread.start()
        time.sleep(0.1)
        began = time.perf_counter()
        searcher.stop()
        thread.join()
        waits.append(1000 * (time.perf_counter() - began))
    return waits


def compare(fens: Sequence[str], depth: int, cores: int, rounds: int) -> tuple[Ratio, Ratio]:
    """Ratios of time to depth and of nodes per second; prints a line for each position. Each round reverses the order."""
    times, speeds = [], []
    for fen in fens:
        runs: dict[int, list[Run]] = {1: [], cores: []}
        for turn in range(rounds):
            for count in (1, cores) if turn % 2 == 0 else (cores, 1):
                runs[count].append(to_depth(fen, depth, count))
        one, many = (statistics.median(run.seconds for run in runs[count]) for count in (1, cores))
        speed = [
            sum(run.nodes for run in runs[count]) / sum(run.seconds for run in runs[count]) for count in (1, cores)
        ]
        times.append(one / many)
        speeds.append(speed[1] / speed[0])
        print(f"{one:8.2f} s {many:8.2f} s {one / many:6.2f}  {fen}", flush=True)
    return geometric(times), geometric(speeds)


def whole(text: str) -> int:
    """A whole number, 1 or more; argparse reports anything else."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def main() -> int:
    parser = argparse.ArgumentParser(description="time to a fixed depth with more threads over one")
    parser.add_argument("--cores", type=whole, default=2, help="threads to compare with one (default 2)")
    parser.add_argument("--depth", type=whole, default=15, help="plies (default 15)")
    parser.add_argument("--rounds", type=whole, default=3, help="how often each pair is measured in turns (default 3)")
    parser.add_argument("--positions", type=Path, default=ROOT / "openings" / "screen.epd", help="EPD lines or FENs")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    arguments = parser.parse_args()
    if arguments.cores < 2:
        parser.error(f"argument --cores: expected 2 or more, not {arguments.cores}")
    sys.path.insert(0, str(ROOT))
    try:
        fens = middlegames(arguments.positions)
    except ValueError as error:
        parser.error(f"argument --positions: {error}")
    to_time, speed = compare(fens, arguments.depth, arguments.cores, arguments.rounds)
    waits = stop_latencies(fens, arguments.cores)
    print(
        f"{to_time.mean:6.2f} [{to_time.low:.2f}, {to_time.high:.2f}]  time to depth {arguments.depth}, one core over"
    )
    print(f"        {arguments.cores} cores, {len(fens)} positions (above 1: faster)")
    print(f"{speed.mean:6.2f} [{speed.low:.2f}, {speed.high:.2f}]  nodes per second, {arguments.cores} cores over one")
    print(
        f"{statistics.median(waits):6.2f}  milliseconds from stop to answer, median; worst {max(waits):.2f} (at most 20)"
    )
    if arguments.json:
        print(
            json.dumps(
                {
                    "cores": arguments.cores,
                    "depth": arguments.depth,
                    "positions": len(fens),
                    "time_to_depth": to_time._asdict(),
                    "speed": speed._asdict(),
                    "stop_ms": {"median": statistics.median(waits), "worst": max(waits)},
                }
            )
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
