"""What a training, or the work for one, says while it runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from harness.terminal.numbers import duration
from harness.terminal.words import is_screen, redraw, say

if TYPE_CHECKING:
    from harness.training.train import Epoch


@contextmanager
def line_of_progress() -> Iterator[None]:
    """Takes the line of progress off a terminal when the work fails or is stopped: the reason begins a line of its own."""
    try:
        yield
    except BaseException:
        if is_screen(sys.stderr):
            redraw("")
        raise


def display(known: int, epochs: int, steps: int, batch: int) -> Callable[[Sequence[Epoch], int, float], None]:
    """A line for each epoch after the `known` ones; on a terminal also how far the present one is.

    `epochs` of `steps` batches of `batch` positions each are wanted. What is returned takes the epochs so far, the steps of
    this one, and positions a second.
    """
    told, drawn = known, 0.0  # epochs; when the present one was shown last

    def show(done: Sequence[Epoch], step: int, speed: float) -> None:
        nonlocal told, drawn
        terminal = is_screen(sys.stderr)
        for epoch in done[told:]:
            line = f"epoch {epoch.number}  loss {epoch.loss:.5f}  held out {epoch.held_out:.5f}  {epoch.speed:,.0f} positions/s"
            say(f"\r\x1b[K{line}" if terminal else line, sys.stderr)
        told = len(done)
        if terminal and told < epochs and time.monotonic() >= drawn + 0.5:
            drawn = time.monotonic()
            left = (steps * (epochs - told) - step) * batch / speed
            redraw(f"epoch {told + 1}  {step}/{steps}  {speed:,.0f} positions/s  left {duration(max(0, left))}")

    return show
