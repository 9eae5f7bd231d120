"""The progress of long work other than runs: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from harness.terminal.words import is_screen, say

if TYPE_CHECKING:
    from rich.text import Text

REDRAW_EVERY = 0.2  # seconds
BEFORE_ETA = 1.0  # seconds of work before an estimate is shown


class Progress:
    """Follows a piece of work step by step. This class shows nothing."""

    def begin(self, title: str, total: float | None, unit: str) -> None:
        """Begins a piece of work of `total` units; None: not known."""

    def advance(self, steps: float = 1) -> None:
        """Adds finished units; 0 only lets time pass."""

    def line(self, text: str) -> None:
        """Shows a line that stays."""


SILENT = Progress()


class Lines(Progress):
    """Shows only the lines that stay: for logs and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def line(self, text: str) -> None:
        say(text, self._stream)


class Bar(Progress):
    """A bar that is redrawn in place. `clock` gives seconds since any moment."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        from harness.terminal.inplace import InPlace

        self._clock = clock
        self._place = InPlace(self._draw, stream)
        self._title, self._unit = "", ""
        self._total: float | None = None
        self._done = 0.0
        self._began = 0.0
        self._next = 0.0

    def begin(self, title: str, total: float | None, unit: str) -> None:
        self._place.start()
        self._title, self._total, self._unit = title, total, unit
        self._done, self._began = 0.0, self._clock()
        self._place.refresh()

    def advance(self, steps: float = 1) -> None:
        self._done += steps
        now = self._clock()
        if now >= self._next:
            self._next = now + REDRAW_EVERY
            self._place.refresh()

    def line(self, text: str) -> None:
        self._place.print(text)

    def stop(self) -> None:
        self._place.stop()

    def _draw(self, width: int, height: int, ascii_only: bool) -> list[Text]:
        from harness.terminal.lines import MOST, Work, head

        spent = self._clock() - self._began
        known = self._done > 0 and spent >= BEFORE_ETA
        eta = spent / self._done * (self._total - self._done) if known and self._total is not None else None
        rate = 60.0 * self._done / spent if known else None
        work = Work(self._title, self._done, self._total, self._unit, spent, eta, rate)
        return head(work, min(width, MOST), ascii_only)[:height]


@contextmanager
def progress(stream: TextIO | None = None) -> Iterator[Progress]:
    """Yields the progress that suits standard error: a bar, which disappears at the end of the block, or lines."""
    out = stream or sys.stderr
    if not is_screen(out):
        yield Lines(out)
        return
    bar = Bar(out)
    try:
        yield bar
    finally:
        bar.stop()
