"""A run that is killed at random moments and taken up again each time, its books checked after every blow.

    python tests/ordeals/kill_nine.py SPEC [--kills 10] [--seed 1] [--same]

plays SPEC once without a kill and once with them, and fails when a game is lost, doubled or changed, when a process
stays behind, or (with --same, for limits in nodes or depth) when the two runs did not play the same moves.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "support"), str(Path(__file__).resolve().parents[2])]

from fake_engines.runs import begin, gauntlet, show  # noqa: E402

from harness.engines.children import process_start  # noqa: E402
from harness.errors import BadInput  # noqa: E402
from harness.journal.journal import Reader  # noqa: E402
from harness.journal.repair import repair  # noqa: E402

WAIT = 20.0  # seconds for what should take a moment


def children_of(pid: int) -> list[int]:
    """The processes that this one has started."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def slots_of(supervisor: int) -> list[int]:
    """Its slots; it may have other children for a moment, which it asks for the options of an engine."""
    found = []
    for pid in sorted(children_of(supervisor)):
        try:
            if b"harness.slots.process" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            pass
    return found


def descendants(pid: int) -> set[tuple[int, int]]:
    """Every process that this one has started, and they in turn: (pid, start)."""
    found: set[tuple[int, int]] = set()
    fresh = [pid]
    while fresh:
        fresh = [child for parent in fresh for child in children_of(parent)]
        found.update((child, start) for child in fresh if (start := process_start(child)))
    return found


def living(processes: set[tuple[int, int]]) -> set[tuple[int, int]]:
    return {(pid, start) for pid, start in processes if process_start(pid) == start}


def moves(folder: Path) -> dict[int, tuple[str, ...]]:
    """The moves of each game in the journal, by id."""
    with Reader(folder) as reader:
        found = [(game.job.id, tuple(move.move for move in game.moves)) for game in reader.games()]
    assert len(found) == len(dict(found)), "an id is there twice"
    return dict(found)


def in_journal(folder: Path) -> int:
    """How many games the journal holds so far: none while there is no journal yet."""
    try:
        with Reader(folder) as reader:
            return reader.count()
    except BadInput:
        return 0


class Ordeal:
    """One run and what has been seen of it; every method fails with an AssertionError when the books do not agree."""

    def __init__(self, spec: Path | str, out: Path, rng: random.Random) -> None:
        self.spec, self.out, self.rng = spec, out, rng
        self.known: dict[int, tuple[str, ...]] = {}
        self.run: subprocess.Popen[str] | None = None
        self.seen: set[tuple[int, int]] = set()

    def start(self) -> None:
        """Begins the run, or goes on with it: killed before there was a journal it begins anew."""
        begun = (self.out / "games.db").exists()
        self.run = begin("resume", self.out) if begun else begin("run", self.spec, "--out", self.out)

    def blow(self, seconds: float, games: int | None = None) -> str | None:
        """Lets the run work so long, kills something of it, checks the books; None when it had ended before.

        With `games` it kills as soon as so many are in the journal, on a fast machine as on a slow one; `seconds` is
        then only the most that it waits for them.
        """
        assert self.run is not None
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.run.poll() is None:
            self.seen |= descendants(self.run.pid)
            if games is not None and in_journal(self.out) >= games:
                break
            time.sleep(0.01)
        if self.run.poll() is not None:
            return None
        self.seen |= descendants(self.run.pid)
        alive = sorted(living(self.seen))
        what = self.rng.choice(("supervisor", "supervisor", "everything", "slot"))
        if what == "slot" and (slots := slots_of(self.run.pid)):
            # The run goes on by itself.
            os.kill(self.rng.choice(slots), signal.SIGKILL)
            return what
        victims = [self.run.pid] if what == "supervisor" else [self.run.pid, *(pid for pid, _ in alive)]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for victim in victims:
                try:
                    os.kill(victim, number)
                except ProcessLookupError:
                    pass
        self.run.communicate(timeout=WAIT)
        self.nobody()
        self.books()
        self.start()
        return what

    def nobody(self) -> None:
        """No process of the run is left, engines least of all."""
        deadline = time.monotonic() + WAIT
        while left := living(self.seen):
            assert time.monotonic() < deadline, f"left behind: {sorted(left)}"
            time.sleep(0.02)
        self.seen.clear()

    def books(self) -> None:
        """Every game that was in the journal is still there as it was, and all there are whole."""
        if not (self.out / "games.db").exists():
            assert not self.known
            return
        state = show(self.out)["state"]
        assert state in ("stopped", "done"), state  # it may have ended by itself as the blow fell
        now = moves(self.out)
        assert all(now.get(game) == line for game, line in self.known.items()), "a game was lost or changed"
        assert repair(self.out / "games.db") == 0, "a game was torn"
        self.known = now

    def finish(self) -> None:
        """Lets the run come to its end: exactly the scheduled games, and the same count wherever one looks."""
        assert self.run is not None
        text, _ = self.run.communicate(timeout=600)
        self.nobody()
        found = show(self.out)
        assert found["state"] == "done" and found["played"] == found["scheduled"], f"{text}\n{found}"
        now = moves(self.out)
        assert sorted(now) == list(range(1, len(now) + 1)) and len(now) == found["scheduled"]
        assert all(now[game] == line for game, line in self.known.items()), "a game was lost or changed"
        for pairing in found["pairings"]:
            whole = 2 * sum(pairing["pentanomial"]) + pairing["unpaired"]
            assert pairing["played"] == pairing["wins"] + pairing["draws"] + pairing["losses"] == whole
        printed = gauntlet("pgn", self.out, seconds=30 * WAIT)
        assert printed.stdout.count("[GameId ") == len(now) == printed.stdout.count("[Result ")
        self.known = now


def ordeal(
    spec: Path | str,
    out: Path,
    kills: int,
    seed: int,
    longest: float,
    say: Callable[[str], None] = print,
    after: Callable[[], object] = lambda: None,
) -> dict[int, tuple[str, ...]]:
    """A run with so many blows at random moments, each at most `longest` seconds after the one before; its moves.

    `after` is called when the last blow has fallen.
    """
    one = Ordeal(spec, out, random.Random(seed))
    one.start()
    dealt = 0
    while dealt < kills:
        what = one.blow(one.rng.random() * longest)
        if what is None:
            break
        dealt += 1
        say(f"blow {dealt}: {what}, {len(one.known)} games in the journal")
    after()
    one.finish()
    assert dealt == kills, f"the run ended after {dealt} of {kills} blows: too short for them"
    return one.known


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=4.0, help="seconds between two blows at most")
    parser.add_argument("--same", action="store_true", help="the moves must be those of a run without blows")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        calm, hurt = Path(name) / "calm", Path(name) / "hurt"
        played = ordeal(given.spec, hurt, given.kills, given.seed, given.longest)
        print(f"{len(played)} games, all there once, no process left")
        if given.same:
            done = gauntlet("run", given.spec, "--out", calm, seconds=3600)
            assert done.returncode in (0, 1), done.stderr
            assert moves(calm) == played, "the moves differ from those of a run without blows"
            print("the same moves as without blows")


if __name__ == "__main__":
    main()
