"""A command in a terminal of its own: what the person who types it sees."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import uuid4

import pyte

MARK = "TERMINAL_TEST"  # in the environment of the command and of all that it starts


class Screen(io.StringIO):
    """A standard stream that says it is a terminal, for commands of this process."""

    def isatty(self) -> bool:
        return True


class Terminal:
    """A process whose standard streams are a pseudo-terminal of the given size; it is ended on leaving the block."""

    def __init__(self, argv: Sequence[str], columns: int = 100, rows: int = 40, env: Mapping[str, str] | None = None):
        self.output = b""
        self.status: int | None = None
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._mark = uuid4().hex
        ready, go = os.pipe()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.read(ready, 1)  # until the terminal has its size
            for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
                os.environ.pop(name, None)
            os.environ.update({"TERM": "xterm-256color", MARK: self._mark, **(env or {})})
            # As under a shell in a terminal; a script's background processes ignore it.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            # Its words alone: readline, which pytest loads, puts a COLUMNS into the environment that Python does not see.
            os.execvpe(argv[0], list(argv), os.environ)
        self.resize(columns, rows)
        os.write(go, b"!")
        os.close(ready)
        os.close(go)

    def hang_up(self) -> None:
        """Closes the terminal; the command is told by SIGHUP, and can write to it no more."""
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, self._fd)
        os.close(nothing)

    def resize(self, columns: int, rows: int = 40) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def lines(self) -> list[str]:
        """The lines on the screen, without trailing blanks."""
        return [line.rstrip() for line in self.screen.display]

    def cursor_shown(self) -> bool:
        return not self.screen.cursor.hidden

    def colours(self) -> set[str]:
        """The colours that were requested, without bold and dim."""
        found = set()
        for codes in re.findall(rb"\x1b\[([0-9;]*)m", self.output):
            found |= {code for code in codes.decode().split(";") if re.fullmatch("3[0-8]|4[0-8]|9[0-7]|10[0-7]", code)}
        return found

    def orphans(self, seconds: float = 60) -> list[int]:
        """The processes started by the command that are still alive after `seconds` to end."""
        deadline = time.monotonic() + seconds
        while (found := self._started()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return found

    def _started(self) -> list[int]:
        wanted = f"{MARK}={self._mark}".encode()
        found = []
        for folder in Path("/proc").iterdir():
            try:
                if folder.name.isdigit() and wanted in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
            except OSError:  # it has ended, or is another user's
                continue
        return found

    def type(self, text: str) -> None:
        """Types `text`; "\\x03" is Ctrl-C."""
        os.write(self._fd, text.encode())

    def read_until(self, text: str, seconds: float = 120) -> str:
        """Reads on until `text` has been shown; fails after `seconds` or at the process's end."""
        deadline = time.monotonic() + seconds
        while text.encode() not in self.output:
            assert self._read(deadline), f"{text!r} was not shown:\n{self.shown()}"
        return self.shown()

    def read_until_screen(self, text: str, seconds: float = 120) -> list[str]:
        """Reads on until `text` is on the screen; returns the screen's lines."""
        deadline = time.monotonic() + seconds
        while not any(text in line for line in self.screen.display):
            assert self._read(deadline), f"{text!r} was not shown:\n{self.shown()}"
        return self.lines()

    def clear(self) -> None:
        """Clears the stored screen, so that only what is drawn from now on is seen."""
        self.screen.reset()

    def wait(self, seconds: float = 300) -> int:
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
        except OSError:  # Linux's sign that a terminal has ended
            return False
        self.output += fresh
        self._stream.feed(fresh)
        return bool(fresh)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._fd)
