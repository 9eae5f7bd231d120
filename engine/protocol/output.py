"""Whole lines to the GUI, safe from any thread, and the debug log of both directions."""

from __future__ import annotations

import os
import time
from _thread import allocate_lock  # `threading` would cost a tenth of the start-up

from engine.protocol.lines import printable, wait_until_ready


class Log:
    """A debug log: one line per protocol line, with milliseconds. Appends."""

    def __init__(self) -> None:
        self.path = ""
        self._handle = -1

    def open(self, path: str) -> None:
        """Write to `path` from now on, nowhere if it is empty. On ValueError, one plain line, the old log stays in use."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)  # a pipe must not keep the engine waiting
        try:
            handle = os.open(path, flags, 0o644) if path else -1
        except (OSError, ValueError) as error:
            raise ValueError(f"log {printable(path)}: {getattr(error, 'strerror', None) or error}") from None
        if self._handle >= 0:
            os.close(self._handle)
        self.path, self._handle = path, handle

    def write(self, direction: str, text: str) -> None:
        """Add a line: `>` from the GUI, `<` to it, `=` internal. A full disk or pipe is ignored."""
        if self._handle < 0:
            return
        now = time.time()
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
        line = f"{stamp}.{int(now * 1000) % 1000:03d} {direction} {text}\n"
        try:
            os.write(self._handle, line.encode("utf-8", "surrogateescape"))
        except OSError:
            pass


class Output:
    """The engine's side of the pipe."""

    def __init__(self, handle: int, log: Log) -> None:
        self.log = log
        self._handle = handle
        self._lock = allocate_lock()

    def line(self, text: str) -> None:
        """Send one whole line. If nobody reads any more the process ends quietly."""
        self.lines([text])

    def lines(self, texts: list[str]) -> None:
        """Send whole lines in one write, so that the reader wakes up once."""
        data = "".join(f"{text}\n" for text in texts).encode("utf-8", "surrogateescape")
        with self._lock:
            for text in texts:
                self.log.write("<", text)
            while data:
                try:
                    data = data[os.write(self._handle, data) :]
                except BlockingIOError:
                    wait_until_ready(self._handle, writing=True)
                except OSError:
                    os._exit(0)
