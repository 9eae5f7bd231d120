"""The node screen: variants of Sortie are searched to a fixed depth and their trees compared with the base's.

It is a screen, never a verdict: at fixed depth, time costs nothing, and a variant that changes the meaning of depth cannot be
judged by it at all. Nodes include quiescence and are summed over all iterations.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.books import openings
from harness.engines import sortie
from harness.engines.children import kill_group, start_child
from harness.errors import BadInput
from harness.model import Player
from harness.spec.reader import SHIPPED_OPENINGS, cores
from harness.spec.settings import Experiment, Screen
from harness.terminal.progress import SILENT, Progress

POSITIONS = SHIPPED_OPENINGS / "screen.epd"
RESAMPLES = 10_000
AT_ONCE = 1_000_000  # numbers drawn for resamples
PORTION = 15  # positions


@dataclass(frozen=True, slots=True)
class Search:
    """One position searched by one player; stats are those of Sortie's `bench`."""

    depth: int
    nodes: int
    qnodes: int
    seconds: float
    stats: Mapping[str, Any]

    @property
    def iterations(self) -> Sequence[int]:
        """Nodes of each iteration, empty if the search had no iterations."""
        found = self.stats.get("iterations")
        return found if isinstance(found, list) else ()


@dataclass(frozen=True, slots=True)
class Ratio:
    """A geometric mean over positions with its 95 % bootstrap interval; `error` is half the interval's width."""

    ratio: float
    error: float
    low: float
    high: float


def screen(experiment: Experiment, depth: int | None = None, progress: Progress = SILENT) -> dict[str, object]:
    """Search every position with the base and each variant; returns the figures that `gauntlet nodes --json` prints.

    Raises BadInput if there is no Sortie in the experiment, or a search fails.
    """
    base = experiment.sortie_base
    if base is None:
        raise BadInput(f"{experiment.name}: the node screen compares variants of Sortie: add [base] or [variants.NAME]")
    plan = experiment.screen or Screen()
    asked = depth or plan.depth
    fens = positions(plan)
    players = [base, *(player for player in experiment.named if player.sortie and player is not base)]
    searches = _bench_all(players, fens, asked, progress)
    # Positions where a search ended early (a mate, a forced line) are left out: the depths of their trees differ.
    whole = [i for i in range(len(fens)) if all(found[i].depth >= asked and found[i].nodes for found in searches)]
    if not whole:
        raise BadInput(f"{experiment.name}: no position was searched to depth {asked} by all players")
    kept = [[found[i] for i in whole] for found in searches]
    rows = [_figures(player.name, found, kept[0], experiment.seed) for player, found in zip(players, kept, strict=True)]
    return {
        "depth": asked,
        "positions": len(whole),
        "base": base.name,
        "bench": sortie.bench(base.command),
        "variants": rows[1:],
        "base_figures": rows[0],
        "left_out": len(fens) - len(whole),
    }


def positions(plan: Screen) -> list[str]:
    """The positions to search; if the file has lines of moves, the positions at their ends."""
    import chess

    file = plan.positions or POSITIONS
    fens = []
    for opening in openings.read(file)[: plan.count]:
        board = chess.Board(opening.fen)
        for move in opening.moves:
            board.push_uci(move)
        fens.append(board.fen(en_passant="fen"))
    return fens


def _bench_all(players: Sequence[Player], fens: Sequence[str], depth: int, progress: Progress) -> list[list[Search]]:
    """Runs `sortie bench` for every player, each on a core; results are in the order of the players.

    Positions are searched in portions, each by all players before the next, so that other load on the machine slows all
    players alike and times stay comparable.
    """
    portions = [list(fens[start : start + PORTION]) for start in range(0, len(fens), PORTION)]
    waiting = [(portion, index) for portion in range(len(portions)) for index in range(len(players))]
    running: dict[tuple[int, int], subprocess.Popen[bytes]] = {}
    found: dict[tuple[int, int], list[Search]] = {}
    progress.begin(f"node screen, depth {depth}", len(fens) * len(players), "searches")
    with tempfile.TemporaryDirectory(prefix="gauntlet-screen-") as name:
        folder = Path(name)
        for portion, lines in enumerate(portions):
            (folder / f"{portion}.epd").write_text("".join(f"{fen}\n" for fen in lines), encoding="utf-8")
        try:
            while waiting or running:
                while waiting and len(running) < cores():
                    task = waiting.pop(0)
                    portion, index = task
                    running[task] = _start(
                        players[index], folder / f"{portion}.epd", depth, folder / f"{portion}-{index}"
                    )
                for task in [task for task, process in running.items() if process.poll() is not None]:
                    portion, index = task
                    status = running.pop(task).returncode
                    output = folder / f"{portion}-{index}"
                    found[task] = _result(players[index], status, output, len(portions[portion]))
                    progress.advance(len(portions[portion]))
                    # Which positions count is known only when all have been searched, so the line has no figures.
                    if all((part, index) in found for part in range(len(portions))):
                        progress.line(f"{players[index].name}: searched {len(fens)} positions to depth {depth}")
                progress.advance(0)
                time.sleep(0.005)
        finally:
            for process in running.values():
                kill_group(process.pid)
                process.wait()
    return [
        [search for portion in range(len(portions)) for search in found[portion, index]]
        for index in range(len(players))
    ]


def _start(player: Player, suite: Path, depth: int, output: Path) -> subprocess.Popen[bytes]:
    words = [*player.command, "bench", "--depth", str(depth), "--suite", str(suite), "--json"]
    for key, value in player.options:
        if key != "cores":  # with more than one thread the count varies from run to run
            words += ["--option", f"{key}={value}"]
    if shutil.which(words[0]) is None:
        raise BadInput(f"{player.name}: {words[0]}: no such program")
    with open(output, "wb") as out, open(output.with_suffix(".err"), "wb") as err:
        return start_child(
            words,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=player.directory,
            env={**os.environ, **dict(player.env)},
        )


def _result(player: Player, status: int, output: Path, count: int) -> list[Search]:
    if status != 0:
        lines = output.with_suffix(".err").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        raise BadInput(f"{player.name}: bench ended with status {status}: {lines[-1] if lines else 'no message'}")
    try:
        printed = json.loads(output.read_text(encoding="utf-8").strip().splitlines()[-1])
        rows = [
            Search(row["depth"], row["nodes"], row["qnodes"], row["seconds"], row.get("stats") or {})
            for row in printed["positions"]
        ]
    except (IndexError, KeyError, TypeError, ValueError):
        raise BadInput(f"{player.name}: bench --json did not print what was expected (is it Sortie?)") from None
    if len(rows) != count:
        raise BadInput(f"{player.name}: bench searched {len(rows)} of {count} positions")
    return rows


def _figures(name: str, found: Sequence[Search], base: Sequence[Search], seed: int) -> dict[str, object]:
    """All figures of one player."""
    nodes = compare([search.nodes for search in found], [search.nodes for search in base], seed)
    assert nodes is not None
    main = compare([s.nodes - s.qnodes for s in found], [s.nodes - s.qnodes for s in base], seed)
    quiet = compare([s.qnodes for s in found], [s.qnodes for s in base], seed)
    spent = compare([s.seconds for s in found], [s.seconds for s in base], seed)
    cutoffs = sum(_count(search, "cutoffs") for search in found)
    first = sum(_count(search, "first_move_cutoffs") for search in found)
    return {
        "name": name,
        "nodes": sum(search.nodes for search in found),
        "ratio": nodes.ratio,
        "error": nodes.error,
        "low": nodes.low,
        "high": nodes.high,
        "main_nodes": sum(search.nodes - search.qnodes for search in found),
        "q_nodes": sum(search.qnodes for search in found),
        "main_ratio": main.ratio if main else None,
        "q_ratio": quiet.ratio if quiet else None,
        "ebf2": two_ply_branching(found),
        "first_move_cutoffs": first / cutoffs if cutoffs else None,
        "cut_index": _mean_cut_index(found),
        "hash_cutoffs": _stage_share(found, "HASH"),
        "researches": _researches(found),
        "generated": sum(_count(search, "generated") for search in found) or None,
        "legality_tested": sum(_count(search, "legality_tested") for search in found) or None,
        "searched": sum(_count(search, "searched") for search in found) or None,
        "seconds": round(sum(search.seconds for search in found), 6),
        "time_ratio": spent.ratio if spent else None,
        "time_error": spent.error if spent else None,
        "time_low": spent.low if spent else None,
        "time_high": spent.high if spent else None,
    }


def compare(variant: Sequence[float], base: Sequence[float], seed: int) -> Ratio | None:
    """Geometric mean of variant/base over positions, 95 % percentile bootstrap; None if nothing can be compared."""
    import numpy as np

    logs = [math.log(mine / other) for mine, other in zip(variant, base, strict=True) if mine > 0 and other > 0]
    if not logs:
        return None
    values = np.array(logs)
    rng = np.random.Generator(np.random.PCG64(seed))
    # A few resamples at a time: all at once take gigabytes with ten thousand positions.
    rows = max(1, AT_ONCE // len(values))
    means = np.concatenate(
        [
            values[rng.integers(0, len(values), (min(rows, RESAMPLES - begun), len(values)))].mean(axis=1)
            for begun in range(0, RESAMPLES, rows)
        ]
    )
    low, high = (float(math.exp(end)) for end in np.percentile(means, (2.5, 97.5)))
    ratio = math.exp(float(values.mean()))
    # With a constant ratio the bootstrap's ends may differ from it in the last bit.
    return Ratio(ratio, (high - low) / 2.0, min(low, ratio), max(high, ratio))


def two_ply_branching(found: Sequence[Search]) -> float | None:
    """EBF2: geometric mean of sqrt(nodes of the last iteration / of that two plies before); None without iterations."""
    logs = []
    for search in found:
        nodes = search.iterations
        if len(nodes) >= 3 and nodes[-1] > 0 and nodes[-3] > 0:
            logs.append(0.5 * math.log(nodes[-1] / nodes[-3]))
    return math.exp(sum(logs) / len(logs)) if logs else None


def _count(search: Search, key: str) -> int:
    value = search.stats.get(key)
    return value if isinstance(value, int) else 0


def _mean_cut_index(found: Sequence[Search]) -> float | None:
    """Mean place, from 0, of the cutoff move; the last bin of the histogram holds all later ones."""
    total = weighted = 0
    for search in found:
        histogram = search.stats.get("cut_index")
        for index, times in enumerate(histogram if isinstance(histogram, list) else ()):
            total += times
            weighted += index * times
    return weighted / total if total else None


def _stage_share(found: Sequence[Search], stage: str) -> float | None:
    """Share of the cutoffs that came in one stage of the move order; None if stages were not counted."""
    total = mine = 0
    for search in found:
        stages = search.stats.get("cut_stage")
        for name, times in (stages if isinstance(stages, dict) else {}).items():
            total += times
            mine += times if name == stage else 0
    return mine / total if total else None


def _researches(found: Sequence[Search]) -> float | None:
    """Root re-searches because the score fell outside the window, per iteration after the first."""
    iterations = sum(max(len(search.iterations) - 1, 0) for search in found)
    return sum(_count(search, "aspiration_fails") for search in found) / iterations if iterations else None
