"""How many games are lost on time at short clocks, with as many games at a time as cores and with twice as many.

Sortie plays another engine (Stockfish, unless it is told otherwise) at each clock and each number of games at a time.
Counted are the games lost on time, by whom, and those that would have been without the margin: games with a move that took
longer than its clock had. Moves that waited more than 20 ms for a processor, and the load at the start, say how busy the
machine was.

Usage: time_losses.py [--games N] [--clocks 0.2+0.002 1+0.01] [--slots N ...] [--against COMMAND] [--margin S] [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from harness.journal.journal import Reader  # noqa: E402
from harness.journal.record import first_mover  # noqa: E402
from harness.model import GameRecord  # noqa: E402
from harness.slots.cores import allowed, cores  # noqa: E402
from harness.stats.elo import Z95  # noqa: E402

WAITED = 20.0  # milliseconds for which a move waited


@dataclass(frozen=True, slots=True)
class Row:
    """One clock with so many games at a time."""

    clock: str
    slots: int
    games: int
    lost: dict[str, int]  # on time, by player
    overrun: int  # games with a move that took longer than its clock had
    waited: float  # share of moves that waited for a processor
    faults: int  # of other kinds
    load: float

    def rate(self) -> tuple[float, float, float]:
        """The share of games lost on time with its 95 % interval by Wilson's score."""
        n, p = self.games, sum(self.lost.values()) / self.games
        middle, reach = p + Z95**2 / (2 * n), Z95 * math.sqrt(p * (1 - p) / n + Z95**2 / (4 * n * n))
        return p, (middle - reach) / (1 + Z95**2 / n), (middle + reach) / (1 + Z95**2 / n)


def overran(game: GameRecord, base: float, increment: float) -> bool:
    """Says whether a move took longer than its side had left; opening moves cost and earn no time."""
    left = [base, base]
    side = first_mover(game.job.opening.fen, game.job.opening.moves)
    for move in game.moves:
        spent = move.ms / 1000
        if spent > left[side]:
            return True
        left[side] += increment - spent
        side = 1 - side
    return game.reason == "time"


def measure(folder: Path, clock: str, slots: int, given: argparse.Namespace) -> Row:
    """Plays the games of one row."""
    spec = folder / "losses.toml"
    out = folder / f"{clock}-{slots}"
    spec.write_text(
        f'[experiment]\nkind = "match"\ngames = {given.games}\ntime = "{clock}"\nconcurrency = {slots}\n'
        f"margin = {given.margin}\n[engines.sortie]\ncommand = {json.dumps(shlex.join([sys.executable, '-m', 'engine']))}\n"
        f'protocol = "xboard"\n[engines.other]\ncommand = {json.dumps(given.against)}\n'
    )
    load = os.getloadavg()[0]
    line = [sys.executable, "-m", "harness.cli", "run", str(spec), "--out", str(out)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    if done.returncode not in (0, 1) or not out.exists():
        raise SystemExit(done.stderr.strip())
    base, _, increment = clock.partition("+")
    lost = {"sortie": 0, "other": 0}
    games = overrun = moves = waited = faults = 0
    with Reader(out) as reader:
        for game in reader.games():
            games += 1
            overrun += overran(game, float(base), float(increment or 0))
            moves += len(game.moves)
            waited += sum(1 for move in game.moves if (move.lag_ms or 0.0) > WAITED)
            if game.fault is not None:
                if game.reason == "time":
                    lost["sortie" if game.fault.player == 0 else "other"] += 1
                else:
                    faults += 1
    if not games:
        raise SystemExit(done.stdout.strip())
    return Row(clock, slots, games, lost, overrun, waited / max(1, moves), faults, load)


def main() -> None:
    count = len(cores(allowed()))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200, help="of each row")
    parser.add_argument("--clocks", nargs="+", default=["0.2+0.002", "1+0.01"])
    parser.add_argument("--slots", nargs="+", type=int, default=[count, 2 * count])
    parser.add_argument("--against", default="stockfish", help="the command of the other engine")
    parser.add_argument("--margin", type=float, default=0.1, help="seconds, as in the experiment file")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if sessions := [clock for clock in given.clocks if "/" in clock]:
        parser.error(f"--clocks: expected SECONDS+INCREMENT, not {sessions[0]}")
    print(f"{count} cores, margin {given.margin:g} s, Sortie against {given.against}", flush=True)
    print("clock        slots  games  lost on time (95 %)         by Sortie  other  overrun  waited  faults   load")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for clock in given.clocks:
            for slots in given.slots:
                row = measure(Path(name), clock, slots, given)
                rows.append(row)
                rate, low, high = row.rate()
                print(
                    f"{row.clock:12} {row.slots:5} {row.games:6}  {rate:7.2%} ({low:.2%} to {high:.2%})".ljust(53),
                    f"{row.lost['sortie']:10} {row.lost['other']:6} {row.overrun:8} {row.waited:7.2%} {row.faults:7}"
                    f" {row.load:6.1f}",
                    flush=True,
                )
    if given.json:
        print(json.dumps([asdict(row) for row in rows]))


if __name__ == "__main__":
    main()
