"""A command in a terminal of its own: what a person sees who types it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence


class Terminal:
    """A process whose standard streams are a pseudo-terminal of the given size; ended when the block is left."""

    def __init__(self, argv: Sequence[str], columns: int = 100, rows: int = 40, env: Mapping[str, str] | None = None):
        self.output = b""
        self.status: int | None = None
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.environ.pop("NO_COLOR", None)
            os.environ.pop("COLUMNS", None)
            os.environ.update({"TERM": "xterm-256color", **(env or {})})
            os.execvp(argv[0], list(argv))
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text: str) -> None:
        """Types `text`; "\\x03" is Ctrl-C."""
        os.write(self._fd, text.encode())

    def read_until(self, text: str, seconds: float = 60) -> str:
        """Reads on until `text` has been shown; fails after `seconds` or at the process's end."""
        deadline = time.monotonic() + seconds
        while text.encode() not in self.output:
            assert self._read(deadline), f"{text!r} was not shown:\n{self.shown()}"
        return self.shown()

    def wait(self, seconds: float = 120) -> int:
        """Reads to the end and returns the exit status, a signal as a negative number."""
        deadline = time.monotonic() + seconds
        while self._read(deadline):
            pass
        if self.status is None:
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status

    def shown(self) -> str:
        return self.output.decode(errors="replace")

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._fd], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"nothing more was shown in time:\n{self.shown()}"
        try:
            fresh = os.read(self._fd, 65536)
        except OSError:  # how Linux tells of the end of a terminal
            return False
        self.output += fresh
        return bool(fresh)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._fd)
