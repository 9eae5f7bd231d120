"""A soak: run after run of instant engines and of faulty ones, struck at random moments, until the time is over.

    python tests/ordeals/soak.py [--minutes 30] [--games 4000] [--seed 1] [--small-disk DIR]

Blows: the supervisor killed, everything killed, a slot killed, an engine killed, all of the harness stopped for seconds
(as a suspended machine is), `gauntlet stop`, `pause`, `slots`, and on a small disk (a tmpfs of some MiB, say) no room left.
After each blow the books are checked as `kill_nine` does: no game lost, changed, doubled or torn, no process left behind.
It ends with a line of figures, or with the assertion that failed and the folder it failed in.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT), str(ROOT / "benchmarks")]

import harness_overhead as overhead  # type: ignore[import-not-found]  # noqa: E402
from fake_engines import command  # noqa: E402
from fake_engines.runs import gauntlet, show  # noqa: E402
from kill_nine import WAIT, Ordeal, children_of, living, slots_of  # noqa: E402

from harness.errors import BadInput  # noqa: E402
from harness.journal.journal import Reader  # noqa: E402

SMALL = 256 << 20  # bytes: a larger disk is not filled
PAUSE = 3.0  # seconds in which the whole harness stands still
PATIENCE = 15.0  # of the faulty engines' experiment, seconds
# What the engines of the storm do wrong, each in every game of its own (see tests/support/fake_engines/scripted.py).
FAULTS = ("hang@5", "exit=3@4", "illegal@6", "banana@3", "junk=2000@2", "stderr=100000@2", "close@5", "abort@4")


class Soak(Ordeal):
    """One run that is struck until it ends."""

    def __init__(self, spec: Path, out: Path, rng: random.Random, small_disk: bool, blows: Counter[str]) -> None:
        super().__init__(spec, out, rng)
        self.counts = blows
        self.kinds: dict[str, Callable[[], None]] = {
            "engine": self.kill_engine,
            "stopped clock": self.stand_still,
            "gauntlet stop": self.stop,
            "gauntlet slots": self.widen,
            "gauntlet pause": self.pause,
        }
        if small_disk:
            self.kinds["full disk"] = self.fill_disk

    def strike(self, seconds: float) -> bool:
        """A blow of any kind after a while; False when the run had ended before it."""
        if self.rng.random() < 0.5:
            what = self.blow(seconds)
        else:
            what = self.rng.choice(sorted(self.kinds))
            if not self.wait(seconds):
                return False
            self.kinds[what]()
        if what is not None:
            self.counts[what] += 1
        return what is not None

    def wait(self, seconds: float) -> bool:
        assert self.run is not None
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline or not (self.out / "games.db").exists():
            if self.run.poll() is not None:
                return False
            self.note()
            time.sleep(0.02)
        return True

    def note(self) -> None:
        """Remembers what is alive, so that what stays behind is found."""
        from kill_nine import descendants

        assert self.run is not None
        self.seen |= descendants(self.run.pid)

    def kill_engine(self) -> None:
        assert self.run is not None
        engines = [pid for slot in slots_of(self.run.pid) for pid in children_of(slot)]
        if engines:
            self.signal([self.rng.choice(engines)], signal.SIGKILL)

    def stand_still(self) -> None:
        assert self.run is not None
        self.note()
        everyone = [self.run.pid, *(pid for pid, _ in living(self.seen))]
        self.signal(everyone, signal.SIGSTOP)
        time.sleep(PAUSE)
        self.signal(everyone, signal.SIGCONT)

    @staticmethod
    def signal(pids: list[int], number: int) -> None:
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def stop(self) -> None:
        assert self.run is not None
        self.ask("stop")
        self.take_up()

    def widen(self) -> None:
        self.ask("slots", str(self.rng.randrange(1, 5)))

    def pause(self) -> None:
        self.ask("pause")
        self.wait(1.0)
        self.ask("continue")

    def ask(self, word: str, *more: str) -> None:
        done = gauntlet(word, self.out, *more)
        assert done.returncode in (0, 2) and "Traceback" not in done.stderr, done.stderr

    def fill_disk(self) -> None:
        """No room for a while; a run that gives up because of it is gone on with."""
        assert self.run is not None
        ballast = self.out.parent / "ballast"
        with open(ballast, "wb", buffering=0) as file:
            try:
                while file.write(b"\0" * 65536):
                    pass
            except OSError:
                pass
        self.wait(4.0)
        ballast.unlink()

    def over(self) -> bool:
        """Waits for the end of the run; one that a full disk stopped is gone on with, and is not over."""
        assert self.run is not None
        self.run.wait(timeout=1200)
        if show(self.out)["state"] == "done":
            return True
        self.take_up()
        return False

    def take_up(self) -> None:
        """The books of a run that has stopped by itself, and its next part."""
        assert self.run is not None
        text, _ = self.run.communicate(timeout=20 * WAIT)
        assert "Traceback" not in text, text
        self.nobody()
        if show(self.out)["state"] == "stopped":
            self.books()
        self.start()


def calm(folder: Path, games: int, table: Path, book: Path) -> Path:
    """Instant engines of both protocols: as many games as the machine can play."""
    line = " ".join(overhead.command(table))
    text = f'[experiment]\nkind = "match"\ngames = {games}\ntime = "60+0.1"\nmax_moves = 60\nconcurrency = 3\n'
    text += f'margin = 30.0\n[openings]\nfile = "{book}"\norder = "sequential"\n'
    for name, protocol in (("a", "xboard"), ("b", "uci")):
        text += f'[engines.{name}]\ncommand = "{line}"\nprotocol = "{protocol}"\n'
    path = folder / "calm.toml"
    path.write_text(text)
    return path


def storm(folder: Path, book: Path) -> Path:
    """Faulty engines of both protocols, every one against a sound one."""
    text = (
        f'[experiment]\nbase = "sound"\ngames = 2\ndepth = 3\nmax_moves = 12\nconcurrency = 3\npatience = {PATIENCE}\n'
    )
    text += f'[openings]\nfile = "{book}"\norder = "sequential"\n'
    players = {"sound": command("seed=1")}
    for number, fault in enumerate(FAULTS):
        players[f"faulty{number}"] = command(f"seed={number}", fault, uci=number % 2 == 1)
    for name, words in players.items():
        protocol = "uci" if "--uci" in words else "xboard"
        text += f"[engines.{name}]\ncommand = '{' '.join(words)}'\nprotocol = \"{protocol}\"\n"
    path = folder / "storm.toml"
    path.write_text(text)
    return path


def endings(folder: Path) -> Counter[str]:
    """How the games of a run ended."""
    with Reader(folder) as reader:
        return Counter(row.reason for row in reader.rows())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--games", type=int, default=4000, help="of instant engines in a run")
    parser.add_argument("--longest", type=float, default=8.0, help="seconds between two blows at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--small-disk", type=Path, help="a folder on a disk of at most 256 MiB, which is filled up")
    given = parser.parse_args()
    place = given.small_disk
    if place is not None and shutil.disk_usage(place).total > SMALL:
        raise SystemExit(f"--small-disk {place}: larger than {SMALL >> 20} MiB")
    rng = random.Random(given.seed)
    blows: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    games = runs = 0
    deadline = time.monotonic() + 60 * given.minutes
    folder = Path(tempfile.mkdtemp(prefix="soak-", dir=place))
    table, book = overhead.make_table(folder)
    specs = [calm(folder, given.games, table, book), storm(folder, book)]
    while time.monotonic() < deadline:
        out = folder / f"run{runs}"
        soak = Soak(specs[runs % 2], out, rng, place is not None, blows)
        soak.start()
        try:
            while time.monotonic() < deadline and (soak.strike(rng.random() * given.longest) or not soak.over()):
                pass
            while not soak.over():
                pass
            soak.finish()
        except (AssertionError, BadInput):
            print(f"failed in {out}", flush=True)
            raise
        runs += 1
        games += len(soak.known)
        ends += endings(out)
        shutil.rmtree(out)
        print(f"{runs} runs, {games} games, blows {dict(blows)}, ends {dict(ends)}", flush=True)
    shutil.rmtree(folder)
    print(
        f"{games} games in {runs} runs under {blows.total()} blows: none lost, none doubled, none torn, no process left"
    )


if __name__ == "__main__":
    main()
