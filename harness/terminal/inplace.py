"""Lines of a terminal that are redrawn in place, even after its width has changed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from rich.cells import cell_len
from rich.console import Console, Group
from rich.control import Control
from rich.live import Live
from rich.segment import ControlType
from rich.text import Text

from harness.terminal.words import silence

Draw = Callable[[int, int, bool], list[Text]]  # width, height, whether only ASCII can be shown


class InPlace:
    """A picture below a terminal's last line; it disappears when it is stopped, or while Ctrl-Z holds the command.

    The caller decides when to draw: a thread, as in rich, could read counts while they change.
    """

    def __init__(self, draw: Draw, stream: TextIO | None = None) -> None:
        self._draw = draw
        self.console = Console(file=stream, highlight=False, markup=False, emoji=False)
        self._live = self._fresh()
        self._lengths: list[int] = []  # columns of the lines now on the screen
        self._width = 0
        self._running = False
        self._before: Any = None  # the handler of Ctrl-Z

    def _fresh(self) -> Live:
        return Live(
            Group(),
            console=self.console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """The work goes on without a picture if the terminal is closed meanwhile."""
        try:
            yield
        except OSError:
            silence(self.console.file)  # type: ignore[arg-type]

    def start(self) -> None:
        self._running = True
        if hasattr(signal, "SIGTSTP") and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTSTP, self._suspend)
        with self._writing():
            self._live.start()

    def _suspend(self, number: int, _frame: object) -> None:
        """Ctrl-Z: leaves the shell a whole line and its cursor, and begins anew below what it has written meanwhile."""
        with self._writing():
            self._take_back_wrapped(self.console.width)
            self._live.stop()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._suspend)
        self._lengths = []
        self._live = self._fresh()  # one that knows of nothing above
        with self._writing():
            self._live.start()

    def refresh(self) -> None:
        """Draws the present picture over the last one."""
        width, height = self.console.size
        lines = self._draw(width, height - 1, not self.console.encoding.lower().startswith("utf"))
        for line in lines:
            line.no_wrap, line.overflow = True, "crop"
        with self._writing():
            self._take_back_wrapped(width)
            self._lengths = [cell_len(line.plain) for line in lines]
            self._live.update(Group(*lines), refresh=True)

    def _take_back_wrapped(self, width: int) -> None:
        """Moves the cursor up by the lines that rich does not know of: a terminal made narrower has wrapped some."""
        if width < self._width:
            extra = sum(max(0, -(-length // width) - 1) for length in self._lengths)
            step = (ControlType.ERASE_IN_LINE, 2), (ControlType.CURSOR_UP, 1)
            self.console.control(Control(ControlType.CARRIAGE_RETURN, *(step * extra)))
        self._width = width

    def print(self, text: str) -> None:
        """Prints a line that stays, above the picture."""
        with self._writing():
            self.console.print(text)

    def stop(self) -> None:
        """Removes the picture and shows the cursor again."""
        if self._running:
            self._running = False
            if self._before is not None:
                signal.signal(signal.SIGTSTP, self._before)
            with self._writing():
                self._take_back_wrapped(self.console.width)
                self._live.stop()
