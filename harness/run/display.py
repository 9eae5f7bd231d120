"""What a run shows while it plays: a picture on a terminal, plain lines or JSON elsewhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from harness.analysis.monitor import Monitor
from harness.journal.record import PackedGame
from harness.model import Job
from harness.tables import numbers
from harness.terminal.numbers import duration, figures, noun, plain, rate_text
from harness.terminal.words import is_screen, say

if TYPE_CHECKING:
    from rich.text import Text

REDRAW_EVERY = 0.5  # seconds between two drawings of the picture
PLAIN_EVERY = 2.0  # seconds between two plain lines
PLAIN_PAIRINGS = 4  # the most pairings named in a plain line
PLAIN_LEADERS = 6
PLAIN_PARAMETERS = 8


class Display:
    """Shows nothing; the others build on it."""

    def __init__(self, monitor: Monitor) -> None:
        self.monitor = monitor

    def start(self) -> None:
        """Called before the first game."""

    def tick(self) -> None:
        """Called several times a second."""

    def began(self, job: Job) -> None:
        """Called when a game is given to a slot, and again if that slot dies."""

    def finished(self, game: PackedGame) -> None:
        """Called when a game is in the journal and counted."""

    def note(self, text: str) -> None:
        """Shows a line that stays: a fault, a verdict."""
        say(text)

    def stop(self) -> None:
        """Called after the last game, and after any failure."""


class PlainDisplay(Display):
    """A line every few seconds, for logs and pipes."""

    def __init__(self, monitor: Monitor) -> None:
        super().__init__(monitor)
        self._next = monitor.clock() + PLAIN_EVERY
        self._shown = -1

    def start(self) -> None:
        monitor = self.monitor
        done = f", {monitor.tally.played} of them played" if monitor.tally.played else ""
        say(f"{monitor.experiment.name}: {monitor.tally.scheduled} {noun(monitor.tally.scheduled, 'game')}{done}")

    def tick(self) -> None:
        now = self.monitor.clock()
        if now < self._next or self.monitor.tally.played == self._shown:
            return
        # A long run needs fewer lines, so the pause grows.
        self._next = now + max(PLAIN_EVERY, (now - self.monitor.began) / 30)
        self._shown = self.monitor.tally.played
        say(self._line())

    def _line(self) -> str:
        monitor = self.monitor
        rate = rate_text(monitor.rate(), "games")
        parts = [f"{monitor.tally.played}/{monitor.tally.scheduled} games", f"ETA {duration(monitor.eta())}", rate]
        if (tuned := monitor.tuned()) is not None:
            parts += [f"{one.name} {figures(one.value)}" for one in tuned.parameters[:PLAIN_PARAMETERS]]
            left = len(tuned.parameters) - PLAIN_PARAMETERS
            return "   ".join([*parts, f"and {left} more"] if left > 0 else parts)
        begun = [pairing for pairing in monitor.tally.rows if pairing.played]
        if len(begun) > PLAIN_PAIRINGS and monitor.tally.effects is None and not monitor.experiment.sweep:
            return "   ".join([*parts, *self._leaders()])
        for pairing in begun[:PLAIN_PAIRINGS]:
            a, b = monitor.names(pairing)
            found = pairing.outcome(monitor.experiment.sprt)
            elo = f" Elo {numbers.elo(found)}" if found.sign or None not in (found.low, found.high) else ""
            parts.append(f"{a} vs {b} +{pairing.wins} ={pairing.draws} -{pairing.losses}{elo}")
        if len(begun) > PLAIN_PAIRINGS:
            left = len(begun) - PLAIN_PAIRINGS
            parts.append(f"and {left} more {noun(left, 'pairing')}")
        return "   ".join(parts)

    def _leaders(self) -> list[str]:
        """The players with the largest share of points, as `stockfish 8.5/10`."""
        monitor = self.monitor
        scored = sorted(monitor.tally.points().items(), key=lambda entry: -entry[1][0] / entry[1][1])
        names = [player.name for player in monitor.experiment.players]
        shown = [f"{names[player]} {plain(points)}/{games}" for player, (points, games) in scored[:PLAIN_LEADERS]]
        left = len(scored) - PLAIN_LEADERS
        return [*shown, f"and {left} more"] if left > 0 else shown


class JsonDisplay(Display):
    """The state as a line of JSON, at most once a second and after the last game."""

    def __init__(self, monitor: Monitor, stream: TextIO | None = None) -> None:
        super().__init__(monitor)
        self._stream = stream or sys.stdout
        self._next = 0.0

    def tick(self) -> None:
        now = self.monitor.clock()
        if now >= self._next:
            self._next = now + 1.0
            self._print("running")

    def _print(self, word: str) -> None:
        say(json.dumps(self.monitor.state(word)), self._stream)

    def note(self, text: str) -> None:
        say(json.dumps({"note": text}), self._stream)

    def stop(self) -> None:
        self._print("stopped" if self.monitor.remaining() else "done")


class TerminalDisplay(Display):
    """A picture that is redrawn in place, for a terminal."""

    def __init__(self, monitor: Monitor, stream: TextIO | None = None) -> None:
        super().__init__(monitor)
        from harness.terminal.inplace import InPlace

        self._place = InPlace(self._draw, stream)
        self._next = 0.0

    def _draw(self, width: int, height: int, ascii_only: bool) -> list[Text]:
        from harness.run.picture import picture

        return picture(self.monitor.state(), width, height, ascii_only)

    def start(self) -> None:
        self._place.start()

    def tick(self) -> None:
        now = self.monitor.clock()
        if now >= self._next:
            self._next = now + REDRAW_EVERY
            self._place.refresh()

    def note(self, text: str) -> None:
        self._place.print(text)

    def stop(self) -> None:
        self._place.stop()


class Together(Display):
    """Several displays as one: the one on the screen, and files written as games end."""

    def __init__(self, displays: Sequence[Display]) -> None:
        super().__init__(displays[0].monitor)
        self.displays = displays

    def start(self) -> None:
        for display in self.displays:
            display.start()

    def tick(self) -> None:
        for display in self.displays:
            display.tick()

    def began(self, job: Job) -> None:
        for display in self.displays:
            display.began(job)

    def finished(self, game: PackedGame) -> None:
        for display in self.displays:
            display.finished(game)

    def note(self, text: str) -> None:
        for display in self.displays:
            display.note(text)

    def stop(self) -> None:
        for display in self.displays:
            display.stop()


def make_display(monitor: Monitor, as_json: bool, stream: TextIO | None = None) -> Display:
    """Returns the display that fits the output: JSON if asked for, a picture on a terminal, else plain lines."""
    if as_json:
        return JsonDisplay(monitor)
    out = stream or sys.stdout
    return TerminalDisplay(monitor, out) if is_screen(out) else PlainDisplay(monitor)
