"""SIGINT and SIGTERM as requests to stop, so that a run ends cleanly."""

from __future__ import annotations

import os
import signal
from types import FrameType

INTERRUPTED, TERMINATED = 130, 143  # exit statuses


class Signals:
    """Turns SIGINT and SIGTERM into a request to stop, which the loop sees at once.

    The first SIGINT lets the games in play end; a second one, and any SIGTERM, does not wait for them.
    """

    def __init__(self) -> None:
        self.status = 0
        self.now = False
        self.wakeup, self._bell = os.pipe()
        os.set_blocking(self._bell, False)
        os.set_blocking(self.wakeup, False)
        self._before: dict[int, object] = {}

    def __enter__(self) -> Signals:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._ring)
        return self

    def _ring(self, number: int, frame: FrameType | None) -> None:
        self.stop(now=number == signal.SIGTERM or bool(self.status), status=_STATUS[number])
        try:
            os.write(self._bell, b"!")
        except OSError:
            pass

    def stop(self, now: bool, status: int = INTERRUPTED) -> None:
        """Asks for the end of the run; the first status stays."""
        self.status = self.status or status
        self.now = self.now or now

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)  # type: ignore[arg-type]
        os.close(self.wakeup)
        os.close(self._bell)


_STATUS: dict[int, int] = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}
