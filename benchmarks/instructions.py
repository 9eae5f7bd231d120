"""What a variant that searches the same tree costs in instructions, which no other load of the machine disturbs, and in time.

    python benchmarks/instructions.py claim-c13-staging claim-c13-staging-modern --rounds 40 --out counts.json
    gauntlet claims --record counts.json

For the claims whose technique only changes time (C4, C9, C13, C14). Base and variants search the same positions to the same
depth under valgrind, in portions; the cost of starting the process is counted separately and subtracted. The ratio is the
geometric mean over the portions with the 95 % interval of Student's t. Instructions are not time: they leave out caches and
branches, but also a busy host. With --rounds time is measured too: in each round base and variant search every position
of the node screen twice, in one process and in turns of some ten milliseconds. The ratio is the geometric mean over the
rounds with its 95 % interval. The speed of a shared processor drifts by a tenth within seconds; such short turns leave
less than a hundredth in a round. Each round has its own process, because the place of its tables in memory is worth
another hundredth, the same for all rounds of a process. The machine should be idle nevertheless.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from engine.model import Limits
from engine.play.options import Settings, network_of
from engine.search.threads import Searcher
from engine.tools.suites import open_position
from harness.analysis import node_screen
from harness.engines import sortie
from harness.errors import BadInput
from harness.files import store
from harness.model import Player
from harness.spec import reader as experiments
from harness.spec.settings import Screen

T95 = {
    2: 12.706,
    3: 4.303,
    4: 3.182,
    5: 2.776,
    6: 2.571,
    7: 2.447,
    8: 2.365,
    9: 2.306,
    10: 2.262,
}  # 97.5 % quantiles of Student's t by the number of portions
TOTAL = re.compile(rb"I\s+refs:\s+([\d,]+)")
SAME_TREE = ("Choose", "Generation", "Legality")  # switches that change no node


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("experiments", nargs="+", metavar="EXPERIMENT", help="shipped experiments, or files")
    parser.add_argument("--command", help="the Sortie to count, in place of the one beside gauntlet")
    parser.add_argument("--portions", type=int, default=4, choices=sorted(T95))
    parser.add_argument("--positions", type=int, default=4, help="in each portion")
    parser.add_argument("--less", type=int, default=1, help="plies less than the experiment's node screen has")
    parser.add_argument("--rounds", type=int, default=0, help="in which time is taken (0: not at all)")
    parser.add_argument("--out", type=Path, help="file for gauntlet claims --record")
    given = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("instructions.py: valgrind is not installed")
    if given.positions < 1:
        sys.exit(f"instructions.py: --positions: expected 1 or more, not {given.positions}")
    if given.rounds < 0 or given.rounds == 1:
        sys.exit(f"instructions.py: --rounds: expected 0, or 2 or more for an interval, not {given.rounds}")
    if given.command and given.rounds:
        sys.exit("instructions.py: --rounds takes the time of the Sortie of this checkout: leave out --command")
    rows: list[dict[str, object]] = []
    try:
        for name in given.experiments:
            rows += counted(name, given)
            if given.out is not None:
                store(given.out, (json.dumps({"instructions": rows}) + "\n").encode())
    except BadInput as error:
        sys.exit(str(error))


def counted(name: str, given: argparse.Namespace) -> list[dict[str, object]]:
    """A row for each variant of an experiment that only changes time."""
    plan = experiments.load(name)
    base = plan.sortie_base
    if base is None:
        raise BadInput(f"{name}: there is no Sortie in it")
    command = tuple(given.command.split()) if given.command else base.command
    variants = []
    for variant in plan.named:
        changed = {key for key, value in variant.options if dict(base.options).get(key) != value}
        if variant is not base and changed <= set(SAME_TREE):
            variants.append(variant)
    if not variants:
        raise BadInput(f"{name}: no variant that changes only {', '.join(SAME_TREE)}, expected one")
    depth = max(2, (plan.screen or Screen()).depth - given.less)
    fens = node_screen.positions(Screen(count=None))
    # Taken evenly from the whole suite, so that every phase of the game is included.
    step = len(fens) / (given.portions * given.positions)
    chosen = [fens[int(step * number)] for number in range(given.portions * given.positions)]
    portions = [chosen[start :: given.portions] for start in range(given.portions)]
    bench = sortie.bench(command)
    if bench is None:
        raise BadInput(f"{' '.join(command)}: is no Sortie, for its bench gives no node count")
    ours = _instructions(command, base, portions, depth)
    rows = []
    for variant in variants:
        theirs = _instructions(command, variant, portions, depth)
        ratio, low, high = _mean([mine / other for mine, other in zip(theirs, ours, strict=True)])
        timed = _time(variant, base, fens, depth + given.less, given.rounds) if given.rounds else {}
        told = "; time {time} [{time_low}, {time_high}]".format(**timed) if timed else ""
        print(
            f"{name} {variant.name}: {ratio:.4f} [{low:.4f}, {high:.4f}] of the instructions of {base.name}{told}",
            flush=True,
        )
        rows.append(
            {
                "experiment": Path(name).stem,
                "variant": variant.name,
                "base": base.name,
                "depth": depth,
                "positions": len(chosen),
                "ratio": ratio,
                "low": low,
                "high": high,
                "bench": bench,
                "command": f"python benchmarks/instructions.py {Path(name).stem}{_less(given.less)}{_taken(given.rounds)}",
                **timed,
            }
        )
    return rows


def _mean(ratios: list[float]) -> tuple[float, float, float]:
    """The geometric mean with the ends of its 95 % interval, by Student's t."""
    logs = [math.log(one) for one in ratios]
    mean = sum(logs) / len(logs)
    spread = math.sqrt(sum((one - mean) ** 2 for one in logs) / (len(logs) - 1))
    reach = student(len(logs)) * spread / math.sqrt(len(logs))
    return round(math.exp(mean), 5), round(math.exp(mean - reach), 5), round(math.exp(mean + reach), 5)


def student(count: int) -> float:
    """The 97.5 % quantile of Student's t for a mean of so many samples; beyond the table by Fisher's expansion, good to 0.003."""
    if count in T95:
        return T95[count]
    z, freedom = 1.959964, count - 1
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def _time(variant: Player, base: Player, fens: list[str], depth: int, rounds: int) -> dict[str, float]:
    """The ratio of search times over so many rounds, with its interval."""
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as fresh:
        taken = [fresh.submit(_round, variant, base, fens, depth, number) for number in range(rounds)]
        ratios = [one.result() for one in taken]
    ratio, low, high = _mean(ratios)
    return {"time": ratio, "time_low": low, "time_high": high, "rounds": rounds}


def _round(variant: Player, base: Player, fens: list[str], depth: int, number: int) -> float:
    """The ratio of one round: in each turn one side searches first and last, the other twice in between."""
    players = (base, variant)
    outer = number % 2  # the side that begins the first turn, and allocates its memory first
    sides = {side: _opened(players[side]) for side in (outer, 1 - outer)}
    limits = Limits(depth=depth)
    seconds, nodes = [0.0, 0.0], [0, 0]
    for fen in fens:
        game = open_position(fen)
        for side in (outer, 1 - outer, 1 - outer, outer):
            searcher, settings = sides[side]
            searcher.clear()
            began = time.perf_counter()
            found = searcher.search(game, settings.features, limits)
            seconds[side] += time.perf_counter() - began
            nodes[side] += found.nodes
        outer = 1 - outer
    if nodes[0] != nodes[1]:
        raise BadInput(f"{variant.name} searches {nodes[1]} nodes, {base.name} {nodes[0]}: not time alone differs")
    return seconds[1] / seconds[0]


def _opened(player: Player) -> tuple[Searcher, Settings]:
    """A new searcher, and settings with the player's options."""
    settings = Settings()
    for key, value in player.options:
        settings.set(key, value)
    searcher = Searcher(settings.memory)
    searcher.set_network(network_of(settings))
    return searcher, settings


def _options(player: Player) -> list[str]:
    return [f"--option={key}={value}" for key, value in player.options if key != "cores"]


def _taken(rounds: int) -> str:
    return f" --rounds {rounds}" if rounds else ""


def _less(plies: int) -> str:
    return "" if plies == 1 else f" --less {plies}"


def _instructions(command: tuple[str, ...], player: Player, portions: list[list[str]], depth: int) -> list[int]:
    """Instructions of the searches in each portion."""
    options = _options(player)
    with tempfile.TemporaryDirectory(prefix="instructions-") as name:
        suites = []
        for number, fens in enumerate(portions):
            suite = Path(name) / f"{number}.epd"
            suite.write_text("".join(f"{fen}\n" for fen in fens), encoding="utf-8")
            suites.append(suite)
        start = _refs([*command, "bench", "--depth=1", f"--suite={suites[0]}", *options])
        lines = [[*command, "bench", f"--depth={depth}", f"--suite={suite}", *options] for suite in suites]
        with ThreadPoolExecutor(os.cpu_count()) as cores:
            return [refs - start for refs in cores.map(_refs, lines)]


def _refs(line: list[str]) -> int:
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    done = subprocess.run([*valgrind, *line], capture_output=True)
    found = TOTAL.search(done.stderr)
    if done.returncode or found is None:
        raise BadInput(f"valgrind {' '.join(line)} failed: {done.stderr.decode(errors='replace').strip()[-300:]}")
    return int(found[1].replace(b",", b""))


if __name__ == "__main__":
    main()
