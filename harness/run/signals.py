"""SIGINT and SIGTERM as a request to stop, in place of an end in the middle of something."""

from __future__ import annotations

import os
import signal
from types import FrameType

INTERRUPTED, TERMINATED = 130, 143  # exit statuses


class Signals:
    """Turns the first SIGINT or SIGTERM into a request to stop that the loop sees at once."""

    def __init__(self) -> None:
        self.status = 0
        self.wakeup, self._bell = os.pipe()
        os.set_blocking(self._bell, False)
        os.set_blocking(self.wakeup, False)
        self._before: dict[int, object] = {}

    def __enter__(self) -> Signals:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._ring)
        return self

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if not self.status:
            self.status = INTERRUPTED if number == signal.SIGINT else TERMINATED
        try:
            os.write(self._bell, b"!")
        except OSError:
            pass

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)  # type: ignore[arg-type]
        os.close(self.wakeup)
        os.close(self._bell)
