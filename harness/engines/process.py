"""One engine process: started in its own session, spoken to in lines, every wait with a deadline, killed with its group."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from harness.engines.children import (
    STOPS,
    boot,
    end_orphans,
    find_command,
    held_back,
    kill_group,
    living,
    process_start,
    start_child,
)

LINE_LIMIT = 1 << 16  # a longer line is cut: no protocol has one
BACKLOG_LIMIT = 1 << 20  # bytes an engine may leave unread before it counts as hung
STDERR_TAIL = 1 << 13
TRANSCRIPT = 60  # lines kept, both ways together
LINE_KEPT = 4000  # characters of each in evidence
SLICE = 0.5  # seconds of one wait: if it takes longer we were stopped or starved, see `_wait`

_LINUX = sys.platform.startswith("linux")
monotonic = time.monotonic


class Gone(Exception):
    """The process has ended or closed its output."""


def run_delay() -> int:
    """Returns the nanoseconds this process has waited for a processor so far; 0 where the kernel does not tell."""
    try:
        return int(os.pread(_SCHEDSTAT, 64, 0).split()[1]) if _SCHEDSTAT >= 0 else 0
    except (OSError, ValueError, IndexError):
        return 0


def _open_schedstat() -> int:
    try:
        return os.open("/proc/self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


_SCHEDSTAT = _open_schedstat() if _LINUX else -1


class EngineProcess:
    """A child process, its lines and its clock. Not thread-safe; start it from a process with one thread."""

    def __init__(
        self,
        command: Sequence[str],
        directory: str | None = None,
        env: Mapping[str, str] | None = None,
        record: Path | None = None,
    ) -> None:
        """Starts the command; raises OSError when it cannot be. `record` is the file that `sweep` reads."""
        program = find_command(command[0], directory)
        if program is None:
            raise FileNotFoundError(f"{command[0]}: no such program")
        with held_back(STOPS):
            try:
                self._popen = start_child(
                    [program, *command[1:]],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    cwd=directory,
                    env={**os.environ, **env} if env else None,
                    bufsize=0,
                )
            except FileNotFoundError as error:
                if error.filename == program:  # it is there: what the kernel misses is named inside it
                    error.strerror = "its interpreter or loader is missing"
                raise
            self.pid = self._popen.pid
            living.add(self.pid)  # before a signal handler can ask who is to be killed
        if record is not None:
            # On a full disk no entry: the engine could not help it, and it still dies with us where the system sees to that.
            with suppress(OSError), open(record, "a") as file:
                file.write(f"{self.pid} {process_start(self.pid)} {os.getpid()} {boot()}\n")
        assert self._popen.stdin and self._popen.stdout and self._popen.stderr
        self._in = self._popen.stdin.fileno()
        self._out = self._popen.stdout.fileno()
        self._err = self._popen.stderr.fileno()
        for fd in (self._in, self._out, self._err):
            os.set_blocking(fd, False)
        self._poll = select.poll()
        for fd in (self._out, self._err):
            self._poll.register(fd, select.POLLIN)
        self._lines: deque[str] = deque()
        self._part = b""
        self._skip = False  # inside a line that was cut
        self._unsent = b""
        self._stderr = b""
        self._closed = False  # end of its output was seen
        self.said: deque[str] = deque(maxlen=TRANSCRIPT)  # what we sent ends in a newline, what it wrote has none
        self.long_lines = 0
        self.paused = 0.0  # seconds in which not the engine but we were stopped, since the caller last set it to 0
        self.arrived = 0.0  # monotonic time of the last reading
        # The deadline of the present wait, as it was given and as our stops have moved it.
        self._asked = self._until = 0.0
        self._looked = False  # a last time, after that deadline
        # The kernel's number of another process's clock: POSIX leaves it open, Linux fixes it (the pid, inverted).
        self._clock = (~self.pid << 3) | 2 if _LINUX else None

    # Our output

    def send(self, text: str) -> None:
        """Sends whole lines (each ends in a newline). What the pipe does not take is sent while waiting."""
        self.said.append(text)
        data = text.encode()
        if self._unsent:
            self._unsent += data
        else:
            try:
                sent = os.write(self._in, data)
            except BlockingIOError:
                sent = 0
            except OSError:
                return  # it is gone: the next reading says so, after the lines it left
            if sent == len(data):
                return
            self._unsent = data[sent:]
        if len(self._unsent) > BACKLOG_LIMIT:
            self._unsent = b""
        self._flush()

    def _flush(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._in, self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            self._unsent = b""
        if self._unsent:
            self._poll.register(self._in, select.POLLOUT)
        else:
            self._forget(self._in)

    def _forget(self, fd: int) -> None:
        try:
            self._poll.unregister(fd)
        except KeyError:
            pass

    # Its output

    def line(self, deadline: float) -> str | None:
        """Returns its next line without the newline, or None when the deadline (monotonic) passes; raises Gone.

        Several calls with one deadline are one wait: it ends even if the engine never stops writing, and a stop of ours
        moves it for all of them.
        """
        lines = self._lines
        while not lines:
            if self._closed:
                raise Gone
            if deadline != self._asked:
                self._asked = self._until = deadline
                self._looked = False
            left = self._until - monotonic()
            if left > 0:
                self._until += self._wait(left if left < SLICE else SLICE)
            elif self._looked:
                return None
            else:
                # What lies in the pipe came in time: under load it may be us who are late.
                self._looked = True
                self._wait(0)
        line = lines.popleft()
        self.said.append(line)
        return line

    def ready(self) -> str | None:
        """Returns a line that has already arrived, without waiting, or None."""
        if not self._lines:
            return None
        line = self._lines.popleft()
        self.said.append(line)
        return line

    def peek(self) -> str | None:
        """As `ready`, but leaves the line there."""
        return self._lines[0] if self._lines else None

    def _wait(self, seconds: float) -> float:
        """Waits for output and reads it; returns the seconds for which we ourselves were stopped."""
        began = monotonic()
        events = self._poll.poll(int(seconds * 1000) + 1 if seconds > 0 else 0)
        self.arrived = now = monotonic()
        # The kernel wakes us after `seconds` at the latest. If it did not we were stopped, and no clock may run meanwhile.
        stopped = now - began if now - began > seconds + 1.0 else 0.0
        self.paused += stopped
        self._serve(events)
        return stopped

    def _serve(self, events: list[tuple[int, int]]) -> None:
        for fd, event in events:
            if fd == self._out:
                self._read_out()
            elif fd == self._err:
                self._read_err()
            elif event & select.POLLOUT:
                self._flush()
            else:
                self._unsent = b""
                self._forget(fd)

    def _read_out(self) -> None:
        try:
            data = os.read(self._out, 1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._closed = True
            self._forget(self._out)
            return
        if self._part or self._skip:
            data = self._part + data
            self._part = b""
            if self._skip:
                end = data.find(b"\n")
                if end < 0:
                    return
                data = data[end + 1 :]
                self._skip = False
        if data and data[-1] != 10:
            end = data.rfind(b"\n") + 1
            self._part = data[end:]
            data = data[:end]
            if len(self._part) > LINE_LIMIT:
                self.long_lines += 1
                data += self._part[:LINE_LIMIT] + b"\n"
                self._part = b""
                self._skip = True
        if data:
            text = data.decode("utf-8", "replace")
            if "\r" in text:
                text = text.replace("\r", "")
            self._lines.extend(text[:-1].split("\n"))

    def _read_err(self) -> None:
        try:
            data = os.read(self._err, 1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._stderr = (self._stderr + data)[-STDERR_TAIL:]
        else:
            self._forget(self._err)

    def sift(self, unwanted: Callable[[str], bool]) -> None:
        """Reads what has arrived, without waiting, and drops the unwanted lines."""
        if not self._closed and (events := self._poll.poll(0)):
            self._serve(events)
        if self._lines:
            for line in [line for line in self._lines if unwanted(line)]:
                self.said.append(line)
                self._lines.remove(line)

    def close_input(self) -> None:
        """Closes its standard input, as happens when a harness dies."""
        assert self._popen.stdin is not None
        self._forget(self._in)
        self._unsent = b""
        self._popen.stdin.close()

    # Facts about it

    def cpu(self) -> float | None:
        """Returns the processor seconds it has used, all threads together; None when nobody can tell."""
        if self._clock is not None:
            try:
                return time.clock_gettime(self._clock)
            except OSError:
                return None
        import psutil

        try:
            times = psutil.Process(self.pid).cpu_times()
        except psutil.Error:
            return None
        return float(times.user + times.system)

    def is_working(self) -> bool:
        """Returns whether it or one of its children runs, loads or waits for a processor rather than for input."""
        import psutil

        try:
            process = psutil.Process(self.pid)
            states = {each.status() for each in (process, *process.children(recursive=True))}
        except psutil.Error:
            return False
        return bool(states & {psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP})

    @property
    def exit_code(self) -> int | None:
        """Its exit status, negative for a signal; None while it runs."""
        return self._popen.poll()

    def stderr_tail(self) -> str:
        """Returns the last of what it wrote to standard error."""
        self._read_err()
        return self._stderr.decode("utf-8", "replace")

    def last_lines(self) -> tuple[str, ...]:
        """Returns the last lines both ways as evidence, a very long one cut: the journal keeps them for good."""
        lines = (f"> {text[:-1]}" if text[-1:] == "\n" else f"< {text}" for text in self.said)
        return tuple(line if len(line) <= LINE_KEPT else line[:LINE_KEPT] + " ..." for line in lines)

    # Its end

    def quit(self, farewell: str, patience: float = 1.0) -> None:
        """Says goodbye, gives it `patience` seconds to leave, then kills the group."""
        if self._popen.poll() is None:
            self.send(farewell)
            deadline = monotonic() + patience
            while self._popen.poll() is None and monotonic() < deadline:
                if self._closed:
                    time.sleep(0.005)
                else:
                    self._wait(0.02)
                    self._lines.clear()
        self.kill()

    def kill(self) -> int | None:
        """Kills the group, collects the child, closes the pipes; returns the exit status it had before that, if any.

        With the last engine of this process goes what engines have left behind outside their groups.
        """
        before = self._popen.poll()
        kill_group(self.pid)
        living.discard(self.pid)
        self._popen.wait()
        if not living:
            end_orphans()
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass
        self._closed = True
        return before
