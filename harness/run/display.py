"""What a run shows while it goes on: a table on a terminal, plain lines or JSON elsewhere, a file for watchers."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from harness.analysis.tally import PairingTally, Tally
from harness.spec.settings import Experiment
from harness.stats import elo as stats

if TYPE_CHECKING:
    from rich.console import RenderableType

REDRAW_EVERY = 0.5  # seconds between two drawings of the table
PLAIN_EVERY = 2.0  # seconds between two plain lines
WIDE = 110  # columns from which the LLR is drawn at full length
PLAIN_PAIRINGS = 4  # in a plain line
FILE_EVERY = 1.0  # seconds between two writings of live.json
FILE = "live.json"


def duration(seconds: float | None) -> str:
    """Returns h:mm:ss or m:ss, "-" when nobody knows."""
    if seconds is None:
        return "-"
    whole = int(seconds + 0.5)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def elo_text(elo: float | None, error: float | None) -> str:
    """Returns "-62.1 ± 24.0", "not determined" where a figure is missing."""
    if elo is None or error is None:
        return "not determined"
    return f"{elo if abs(elo) >= 0.05 else 0.0:+.1f} ± {error:.1f}"


class Monitor:
    """The state of a running run, and the file that other processes read it from."""

    def __init__(self, experiment: Experiment, tally: Tally, folder: Path) -> None:
        self.experiment = experiment
        self.tally = tally
        self.folder = folder
        self.slots: dict[int, Mapping[str, Any]] = {}
        self.began = time.monotonic()
        self._at_start = tally.played
        self._next_file = 0.0

    def names(self, pairing: PairingTally) -> tuple[str, str]:
        players = self.experiment.players
        return players[pairing.pairing.a].name, players[pairing.pairing.b].name

    def remaining(self) -> int:
        """Returns the games still to be played, those of decided pairings left out."""
        open_games = sum(p.scheduled - p.played for p in self.tally.pairings if p.verdict is None)
        return max(0, min(open_games, self.tally.scheduled - self.tally.played))

    def eta(self) -> float | None:
        """Returns the seconds to the end at the present rate; None before the first game. An SPRT may end sooner."""
        fresh = self.tally.played - self._at_start
        return (time.monotonic() - self.began) / fresh * self.remaining() if fresh else None

    def faults(self) -> dict[str, dict[str, int]]:
        players = self.experiment.players
        return {players[index].name: words for index, words in self.tally.faults.items()}

    def state(self, word: str = "running") -> dict[str, Any]:
        """Returns all that a watcher may want to know, ready for JSON; no number in it is infinite."""
        sprt = self.experiment.sprt
        players = self.experiment.players
        pairings = []
        for pairing in self.tally.pairings:
            a, b = self.names(pairing)
            estimate = pairing.estimate()
            entry: dict[str, Any] = {
                "a": a,
                "b": b,
                "scheduled": pairing.scheduled,
                "played": pairing.played,
                "wins": pairing.wins,
                "draws": pairing.draws,
                "losses": pairing.losses,
                "pentanomial": list(pairing.pairs),
                "elo": estimate.elo,
                "elo_error": estimate.elo_error,
                "los": estimate.los,
                "sprt": None,
            }
            if sprt is not None:
                lower, upper = stats.bounds(sprt.alpha, sprt.beta)
                entry["sprt"] = {
                    "llr": pairing.llr(sprt),
                    "lower": lower,
                    "upper": upper,
                    "verdict": pairing.verdict,
                }
            pairings.append(entry)
        slots = []
        for number, slot in sorted(self.slots.items()):
            shown = dict(slot)
            shown["slot"] = number
            shown["white"], shown["black"] = players[slot["white"]].name, players[slot["black"]].name
            slots.append(shown)
        return {
            "name": self.experiment.name,
            "state": word,
            "time": time.time(),
            "pid": os.getpid(),
            "scheduled": self.tally.scheduled,
            "played": self.tally.played,
            "plies": self.tally.plies,
            "elapsed": time.monotonic() - self.began,
            "eta": self.eta(),
            "faults": self.faults(),
            "pairings": pairings,
            "slots": slots,
        }

    def write(self, word: str = "running", force: bool = False) -> None:
        """Rewrites live.json, at most once a second unless forced. A full disk is no reason to stop."""
        now = time.monotonic()
        if now < self._next_file and not force:
            return
        self._next_file = now + FILE_EVERY
        path = self.folder / FILE
        fresh = path.with_suffix(".tmp")
        try:
            fresh.write_text(json.dumps(self.state(word)))
            os.replace(fresh, path)
        except OSError:
            pass


def say(text: str, stream: TextIO | None = None) -> None:
    """Prints a line. A reader that has left (`gauntlet run X | head`) does not end the run."""
    out = stream or sys.stdout
    try:
        print(text, file=out, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


class Display:
    """Shows nothing; the others build on it."""

    def __init__(self, monitor: Monitor) -> None:
        self.monitor = monitor

    def start(self) -> None:
        """Called before the first game."""

    def tick(self) -> None:
        """Called several times a second."""

    def note(self, text: str) -> None:
        """Shows a line that should stay: a fault, a verdict."""
        say(text)

    def stop(self) -> None:
        """Called after the last game, and on the way out of any failure."""


class PlainDisplay(Display):
    """A line every few seconds, for logs and pipes."""

    def __init__(self, monitor: Monitor) -> None:
        super().__init__(monitor)
        self._next = time.monotonic() + PLAIN_EVERY
        self._shown = -1

    def start(self) -> None:
        monitor = self.monitor
        done = f", {monitor.tally.played} of them played" if monitor.tally.played else ""
        say(f"{monitor.experiment.name}: {monitor.tally.scheduled} games{done}")

    def tick(self) -> None:
        now = time.monotonic()
        if now < self._next or self.monitor.tally.played == self._shown:
            return
        # A long run needs fewer lines: the pause grows with it.
        self._next = now + max(PLAIN_EVERY, (now - self.monitor.began) / 30)
        self._shown = self.monitor.tally.played
        say(self._line())

    def _line(self) -> str:
        monitor = self.monitor
        parts = [f"{monitor.tally.played}/{monitor.tally.scheduled} games", f"ETA {duration(monitor.eta())}"]
        begun = [pairing for pairing in monitor.tally.pairings if pairing.played]
        for pairing in begun[:PLAIN_PAIRINGS]:
            a, b = monitor.names(pairing)
            found = pairing.estimate()
            elo = "" if found.elo_error is None else f" Elo {elo_text(found.elo, found.elo_error)}"
            parts.append(f"{a} vs {b} +{pairing.wins} ={pairing.draws} -{pairing.losses}{elo}")
        if len(begun) > PLAIN_PAIRINGS:
            parts.append(f"and {len(begun) - PLAIN_PAIRINGS} more pairings")
        return "   ".join(parts)


class JsonDisplay(Display):
    """The state as a JSON line, at most once a second and after the last game."""

    def __init__(self, monitor: Monitor, stream: TextIO | None = None) -> None:
        super().__init__(monitor)
        self._stream = stream or sys.stdout
        self._next = 0.0

    def tick(self) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + 1.0
            self._print("running")

    def _print(self, word: str) -> None:
        say(json.dumps(self.monitor.state(word)), self._stream)

    def note(self, text: str) -> None:
        say(json.dumps({"note": text}), self._stream)

    def stop(self) -> None:
        self._print("stopped" if self.monitor.remaining() else "done")


class RichDisplay(Display):
    """A table that is redrawn in place, for a terminal."""

    def __init__(self, monitor: Monitor) -> None:
        super().__init__(monitor)
        from rich.console import Console
        from rich.live import Live

        # Live may ask for the picture while it is being built (rich 15 does), so the console is there before it.
        self._console = Console()
        # Drawn by the loop itself: a thread of rich's would read the counts while they change.
        self._live = Live(console=self._console, get_renderable=self._render, auto_refresh=False, transient=True)
        self._running = False
        self._next = 0.0

    def start(self) -> None:
        self._live.start()
        self._running = True

    def tick(self) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + REDRAW_EVERY
            self._live.refresh()

    def note(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False)

    def stop(self) -> None:
        if self._running:
            self._running = False
            self._live.stop()

    def _render(self) -> RenderableType:
        from rich import box
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        monitor, tally = self.monitor, self.monitor.tally
        sprt = monitor.experiment.sprt
        narrow = self._console.width < WIDE
        head = Text(
            f"{monitor.experiment.name}: {tally.played} of {tally.scheduled} games   ETA {duration(monitor.eta())}"
        )
        pairings = Table("pairing", "games", "+", "=", "-", "Elo", box=box.SIMPLE_HEAD)
        if sprt is not None:
            pairings.add_column("LLR")
        for pairing in tally.pairings:
            if not pairing.scheduled:
                continue  # in tournaments by rounds not everyone meets everyone
            a, b = monitor.names(pairing)
            estimate = pairing.estimate()
            cells = [f"{a} vs {b}", str(pairing.played), str(pairing.wins), str(pairing.draws), str(pairing.losses)]
            cells.append(elo_text(estimate.elo, estimate.elo_error))
            if sprt is not None:
                bar = llr_bar(pairing.llr(sprt), *stats.bounds(sprt.alpha, sprt.beta), narrow=narrow)
                cells.append(pairing.verdict or bar)
            pairings.add_row(*map(Text, cells))
        slots = Table("slot", "game", "white", "black", "moves", "scores", box=box.SIMPLE_HEAD)
        for slot in monitor.state()["slots"]:
            scores = " ".join("-" if s is None else f"{s / 100:+.2f}" for s in slot["scores"])
            row = (slot["slot"] + 1, slot["game"], slot["white"], slot["black"], slot["moves"], scores)
            slots.add_row(*(Text(str(cell)) for cell in row))
        parts: list[RenderableType] = [head, pairings, slots]
        faults = monitor.faults()
        if faults:
            words = ", ".join(f"{who} {reason} {n}" for who, found in faults.items() for reason, n in found.items())
            parts.append(Text(f"faults: {words}"))
        return Group(*parts)


def llr_bar(llr: float, lower: float, upper: float, width: int = 20, narrow: bool = False) -> str:
    """Returns the LLR between its bounds as a bar: `-2.94 [######------] 2.94  +0.81`; narrow: `[###--] +0.81`."""
    place = min(1.0, max(0.0, (llr - lower) / (upper - lower)))
    if narrow:
        filled = round(place * width / 2)
        return f"[{'#' * filled}{'-' * (width // 2 - filled)}] {llr:+.2f}"
    filled = round(place * width)
    return f"{lower:.2f} [{'#' * filled}{'-' * (width - filled)}] {upper:.2f}  {llr:+.2f}"


def make_display(monitor: Monitor, as_json: bool, stream: TextIO | None = None) -> Display:
    """Returns the display that fits where the output goes."""
    if as_json:
        return JsonDisplay(monitor)
    out = stream or sys.stdout
    return RichDisplay(monitor) if out.isatty() else PlainDisplay(monitor)


__all__: Sequence[str] = ("Display", "Monitor", "duration", "elo_text", "make_display")
