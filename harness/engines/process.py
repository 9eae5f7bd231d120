"""One engine process: started in its own group, spoken to in lines, every wait with a deadline, ended with all its kin.

Nearly all calls that belong to one platform are here.
"""

from __future__ import annotations

import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

LINE_LIMIT = 1 << 16  # a longer line is cut: no protocol has one
BACKLOG_LIMIT = 1 << 20  # bytes an engine may leave unread before it counts as hung
STDERR_TAIL = 1 << 13
TRANSCRIPT = 60  # lines kept, both ways together
LINE_KEPT = 4000  # characters of each in evidence
SLICE = 0.5  # seconds of one wait: a longer one means that we were stopped or starved, see `Wait`

_LINUX = sys.platform.startswith("linux")
_GAMES = ("/usr/games", "/usr/local/games")
_PR_SET_PDEATHSIG = 1

# Loaded before any fork: between fork and exec nothing may be imported or locked.
_libc = ctypes.CDLL(None, use_errno=True) if _LINUX else None
monotonic = time.monotonic


class Gone(Exception):
    """The process has ended or closed its output."""


def find_command(command: str, directory: str | None = None) -> str | None:
    """Returns the path of a program, looked for as a shell would (and in the folders for games), or None."""
    if os.sep in command:
        path = command if os.path.isabs(command) or directory is None else os.path.join(directory, command)
        for candidate in (path, command):
            if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
                return os.path.abspath(candidate)
        return None
    return shutil.which(command) or shutil.which(command, path=os.pathsep.join(_GAMES))


def process_start(pid: int) -> int:
    """Returns the moment a process started, in units that tell two processes with one pid apart; 0 when it is gone."""
    if _LINUX:
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                text = file.read()
        except OSError:
            return 0
        fields = text[text.rindex(b")") + 2 :].split()
        return 0 if fields[0] in (b"Z", b"X") else int(fields[19])
    import psutil

    try:
        return int(psutil.Process(pid).create_time() * 1000)
    except psutil.Error:
        return 0


def alive(pid: int, start: int) -> bool:
    """Says whether the process that started then is still running."""
    return start != 0 and process_start(pid) == start


def die_with_parent(signal_number: int) -> None:
    """Asks the kernel to send this process a signal when its parent dies (Linux; elsewhere the sweep must do)."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0)


def kill_group(pid: int) -> None:
    """Kills a process that leads a group, and the group."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        pass


def kill_all() -> None:
    """Kills every engine this process has started and not yet ended, with its group; safe in a signal handler."""
    for pid in list(_living):
        kill_group(pid)


def sweep(record: Path, parent: int | None = None) -> int:
    """Kills the engines in a record that still live, with their groups; returns how many there were.

    With `parent` only those which that process started; without it all, and the record is used up.
    """
    killed = 0
    try:
        lines = record.read_text().splitlines()
    except OSError:
        return 0
    for line in lines:
        words = line.split()
        if len(words) != 3 or not all(word.isdigit() for word in words):
            continue  # a torn last line: its engine died with its parent
        if parent is not None and int(words[2]) != parent:
            continue
        pid, start = int(words[0]), int(words[1])
        if alive(pid, start) or (process_start(pid) == 0 and _orphaned_group(pid)):
            kill_group(pid)
            killed += 1
    if parent is None:
        record.unlink(missing_ok=True)
    return killed


def _orphaned_group(pid: int) -> bool:
    """Says whether a group outlives its leader: its number cannot be given to a new process as long as it does."""
    try:
        os.killpg(pid, 0)
    except (OSError, AttributeError):
        return False
    return True


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


_living: set[int] = set()  # engines of this process: a signal handler must know them from their first moment
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
        parent = os.getpid()

        def bind() -> None:
            if _libc is not None:
                _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
                if os.getppid() != parent:
                    os._exit(127)

        self._popen = subprocess.Popen(
            [program, *command[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            env={**os.environ, **env} if env else None,
            bufsize=0,
            start_new_session=True,
            preexec_fn=bind if _LINUX else None,
        )
        self.pid = self._popen.pid
        _living.add(self.pid)
        if record is not None:
            with open(record, "a") as file:
                file.write(f"{self.pid} {process_start(self.pid)} {parent}\n")
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
        # The kernel's number of another process's clock: POSIX leaves it open, Linux fixes it (the pid, inverted).
        self._clock = (~self.pid << 3) | 2 if _LINUX else None

    # Output of ours

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
        """Returns its next line without the newline, or None when the deadline (monotonic) passes; raises Gone."""
        lines = self._lines
        while not lines:
            if self._closed:
                raise Gone
            left = deadline - monotonic()
            if left <= 0:
                # Whatever lies in the pipe came in time: under load we may be the ones who are late.
                self._wait(0)
                if lines:
                    break
                return None
            deadline += self._wait(left if left < SLICE else SLICE)
        line = lines.popleft()
        self.said.append(line)
        return line

    def ready(self) -> str | None:
        """Returns a line that has already been read, without waiting, or None."""
        if not self._lines:
            return None
        line = self._lines.popleft()
        self.said.append(line)
        return line

    def peek(self) -> str | None:
        """Returns the next line that has already been read and leaves it there, or None."""
        return self._lines[0] if self._lines else None

    def _wait(self, seconds: float) -> float:
        """Waits for the process and takes what it has written; returns the seconds in which we were stopped."""
        began = monotonic()
        events = self._poll.poll(int(seconds * 1000) + 1 if seconds > 0 else 0)
        self.arrived = now = monotonic()
        # The kernel wakes us after `seconds` at the latest: else we were stopped, and nobody's clock may run meanwhile.
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
        """Reads what lies in the pipe, without waiting, and drops the lines that are unwanted."""
        if not self._closed and (events := self._poll.poll(0)):
            self._serve(events)
        if self._lines:
            for line in [line for line in self._lines if unwanted(line)]:
                self.said.append(line)
                self._lines.remove(line)

    def close_input(self) -> None:
        """Closes its standard input, as a harness does that dies."""
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
        """Returns whether it, or a process that it started, runs, loads or waits for a processor, not for input."""
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
        """Kills the group, collects the child, closes the pipes; returns the exit status it had before that, if any."""
        before = self._popen.poll()
        kill_group(self.pid)
        _living.discard(self.pid)
        self._popen.wait()
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass
        self._closed = True
        return before


def own_python(module: str, *arguments: str) -> list[str]:
    """The command that runs `main()` of one of our modules in a fresh interpreter with this one's import path.

    The path goes in the command, not in PYTHONPATH: an engine written in Python would inherit that and import what is
    ours in place of what is its own.
    """
    path = [entry for entry in sys.path if entry]
    return [sys.executable, "-c", f"import sys; sys.path[:] = {path!r}; from {module} import main; main()", *arguments]
