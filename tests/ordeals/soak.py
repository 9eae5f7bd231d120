"""A soak: run after run, struck at random moments by all that may befall one, until so many games are played.

    python tests/ordeals/soak.py FOLDER [--games 100000] [--minutes M] [--seed 1] [--small-disk DIR] [--kind KIND]...

Runs take turns, or only those of the kinds named: instant engines of both protocols at fixed nodes and on a clock, Sortie at
both, a storm of faulty engines, a cluster of scheduler and workers. Blows: supervisor, slots, engines or everything killed
(-9), workers and scheduler too, SIGTERM, the whole harness stopped for seconds (as a suspended machine is), `gauntlet stop`,
`pause` and `slots`, and on a small disk (a tmpfs of some MiB, say) no room left. After each blow that ends a part of a run
its books are checked: no game lost, changed, doubled or torn, no process left behind; instant engines play from a table, so
each of their games must have the moves of its own opening and no others.

FOLDER/ledger.json counts what has been. Broken off at any moment, the soak is taken up by the same command, with the run that
was under way. It ends with a line of figures, or with the assertion that failed and the folder it failed in.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT), str(ROOT / "benchmarks")]

import harness_overhead as overhead  # type: ignore[import-not-found]  # noqa: E402
from blows import ClusterSoak, Lines, Soak, known_before  # noqa: E402
from fake_engines import command  # noqa: E402

from harness.errors import BadInput  # noqa: E402
from harness.journal.journal import Reader  # noqa: E402

SMALL = 256 << 20  # bytes: a larger disk is not filled
PATIENCE = 15.0  # of the faulty engines' experiment, seconds
LENGTHS = (3, 4, 6, 12, 24)  # moves after which a game of instant engines is drawn
# What the engines of the storm do wrong, each in every game of its own (see tests/support/fake_engines/scripted.py).
FAULTS = ("hang@5", "exit=3@4", "illegal@6", "banana@3", "junk=2000@2", "stderr=100000@2", "close@5", "abort@4")
KINDS = ("nodes", "clock", "storm", "nodes", "clock", "cluster", "nodes", "clock", "sortie nodes", "sortie clock")
SORTIE_GAMES = {"sortie nodes": 200, "sortie clock": 40}
CLUSTER_GAMES = 500
WORKERS = 2
SHORT = 10.0  # seconds between two blows at most, in the runs of few games


@dataclass
class Ledger:
    """What has been played so far."""

    games: int = 0
    plies: int = 0
    seconds: float = 0.0
    runs: Counter[str] = field(default_factory=Counter)
    blows: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)

    @classmethod
    def read(cls, path: Path) -> Ledger:
        if not path.exists():
            return cls()
        kept = json.loads(path.read_text())
        runs, blows, ends = (Counter(kept[name]) for name in ("runs", "blows", "ends"))
        return cls(kept["games"], kept["plies"], kept["seconds"], runs, blows, ends)

    def write(self, path: Path) -> None:
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(vars(self), indent=1))
        os.replace(fresh, path)

    def __str__(self) -> str:
        def words(counts: Counter[str]) -> str:
            return ", ".join(f"{count} {name}" for name, count in counts.most_common())

        return (
            f"{self.games} games, {self.plies} plies, {self.seconds / 60:.0f} minutes; runs: {words(self.runs)}; "
            f"{self.blows.total()} blows: {words(self.blows)}; ends: {words(self.ends)}"
        )


def _players(engines: dict[str, tuple[str, str]]) -> str:
    return "".join(
        f'[engines.{name}]\ncommand = {json.dumps(line)}\nprotocol = "{protocol}"\n'
        for name, (protocol, line) in engines.items()
    )


def instant(limit: str, games: int, length: int, slots: int, table: Path) -> tuple[str, str]:
    """Instant engines of both protocols: as many games as the machine can play."""
    line = " ".join(overhead.command(table))
    text = f'[experiment]\nkind = "match"\ngames = {games}\n{limit}\nmax_moves = {length}\nconcurrency = {slots}\n'
    return text + "margin = 30.0\npatience = 60.0\n", _players({"a": ("xboard", line), "b": ("uci", line)})


def sortie(limit: str, games: int, slots: int) -> tuple[str, str]:
    """Sortie against itself, one through each protocol."""
    line = f"{sys.executable} -m engine"
    text = f'[experiment]\nkind = "match"\ngames = {games}\n{limit}\nmax_moves = 40\nconcurrency = {slots}\n'
    return text + "margin = 2.0\npatience = 60.0\n", _players({"a": ("xboard", line), "b": ("uci", line)})


def storm(slots: int) -> tuple[str, str]:
    """Faulty engines of both protocols, every one against a sound one."""
    text = f'[experiment]\nbase = "sound"\ngames = 2\ndepth = 3\nmax_moves = 12\nconcurrency = {slots}\n'
    engines = {"sound": ("xboard", " ".join(command("seed=1")))}
    for number, fault in enumerate(FAULTS):
        uci = number % 2 == 1
        engines[f"faulty{number}"] = ("uci" if uci else "xboard", " ".join(command(f"seed={number}", fault, uci=uci)))
    return text + f"patience = {PATIENCE}\n", _players(engines)


def experiment(kind: str, games: int, slots: int, rng: random.Random, table: Path, book: Path) -> str:
    """The experiment file of a run of that kind."""
    length = rng.choice(LENGTHS)
    if kind == "nodes":
        head, players = instant("nodes = 1000", games, length, slots, table)
    elif kind == "clock":
        head, players = instant('time = "60+0.1"', games, length, slots, table)
    elif kind == "cluster":
        head, players = instant("nodes = 1000", min(games, CLUSTER_GAMES), length, WORKERS, table)
    elif kind == "sortie nodes":
        head, players = sortie("nodes = 60", SORTIE_GAMES[kind], slots)
    elif kind == "sortie clock":
        head, players = sortie('time = "1+0.01"', SORTIE_GAMES[kind], slots)
    else:
        head, players = storm(slots)
    return f'{head}[openings]\nfile = "{book}"\norder = "sequential"\n{players}'


def prepared(folder: Path) -> tuple[Path, Path, Lines]:
    """The table that the instant engines play from, its book of start positions, and both as one."""
    table, book = folder / "table.json", folder / "book.epd"
    if not book.exists():
        overhead.make_table(folder)
    return table, book, json.loads(table.read_text())


@contextmanager
def told(out: Path) -> Iterator[None]:
    """Says where it happened when the books do not agree."""
    try:
        yield
    except (AssertionError, BadInput):
        print(f"failed in {out}", flush=True)
        raise


def play(number: int, given: argparse.Namespace, ledger: Ledger, deadline: float) -> bool:
    """One run with its blows; False when the time was over before it ended, and it is left as it is."""
    folder, place = given.folder, given.small_disk or given.folder
    rng = random.Random(f"{given.seed}/{number}")
    kind = given.kind[number % len(given.kind)]
    table, book, lines = prepared(folder)
    out, spec = place / f"run{number}", folder / f"run{number}.toml"
    spec.write_text(experiment(kind, given.run_games, given.slots, rng, table, book))
    blows: Counter[str] = Counter()
    if kind == "cluster":
        soak: Soak = ClusterSoak(spec, out, rng, blows, lines, WORKERS)
    else:
        known = lines if kind in ("nodes", "clock") else None
        soak = Soak(spec, out, rng, blows, given.small_disk is not None, known)
    longest = given.longest if kind in ("nodes", "clock") else min(SHORT, given.longest)
    began = time.monotonic()
    with told(out):
        known_before(soak)
        soak.start()
        while True:
            if time.monotonic() > deadline:
                soak.leave()
                return False
            if not soak.strike(rng.random() * longest) and soak.over():
                break
        soak.finish()
    with Reader(out) as reader:
        ledger.ends += Counter(row.reason for row in reader.rows())
    ledger.games += len(soak.known)
    ledger.plies += soak.plies
    ledger.blows += blows
    ledger.runs[kind] += 1
    ledger.seconds += time.monotonic() - began
    ledger.write(folder / "ledger.json")
    shutil.rmtree(out)
    spec.unlink()
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=100_000, help="all together")
    parser.add_argument("--minutes", type=float, default=1e9, help="of this part of the soak")
    parser.add_argument("--run-games", type=int, default=4000, help="of instant engines in a run")
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--longest", type=float, default=8.0, help="seconds between two blows at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", choices=sorted(set(KINDS)), help="of run; all by default")
    parser.add_argument("--small-disk", type=Path, help="a folder on a disk of at most 256 MiB, which is filled up")
    given = parser.parse_args()
    given.kind = given.kind or KINDS
    place = given.small_disk
    if place is not None and shutil.disk_usage(place).total > SMALL:
        raise SystemExit(f"--small-disk {place}: larger than {SMALL >> 20} MiB")
    given.folder.mkdir(parents=True, exist_ok=True)
    given.folder = given.folder.resolve()
    ledger = Ledger.read(given.folder / "ledger.json")
    deadline = time.monotonic() + 60 * given.minutes
    while ledger.games < given.games and play(ledger.runs.total(), given, ledger, deadline):
        print(ledger, flush=True)
    print(f"{ledger}\nnone lost, none changed, none doubled, none torn, no process left")


if __name__ == "__main__":
    main()
