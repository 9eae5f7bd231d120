"""Child processes: programs found, started so that they die with us, told apart, and ended with all their kin.

Nearly all calls that belong to one platform are here and in `process`.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

_LINUX = sys.platform.startswith("linux")
_GAMES = ("/usr/games", "/usr/local/games")
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37
_ROUNDS = 100  # of killing orphans whose children become orphans
STOPS = (signal.SIGINT, signal.SIGTERM)

# Loaded before any fork: between fork and exec nothing may be imported or locked.
_libc = ctypes.CDLL(None, use_errno=True) if _LINUX else None
living: set[int] = set()  # engines of this process: a signal handler must know them from their first moment
_kept: set[int] = set()  # children that are no orphans of engines


def find_command(command: str, directory: str | None = None) -> str | None:
    """Returns the path of a program, looked for as a shell would (and in the folders for games), or None."""
    if os.sep in command:
        path = command if os.path.isabs(command) or directory is None else os.path.join(directory, command)
        for candidate in (path, command):
            if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
                return os.path.abspath(candidate)
        return None
    return shutil.which(command) or shutil.which(command, path=os.pathsep.join(_GAMES))


def why_not_found(command: str, places: Iterable[Path]) -> str:
    """Says what is wrong with a program that cannot be started from any of the places that its command may mean."""
    there = [place for place in places if place.exists()] if os.sep in command else []
    if not there:
        return "no such program"
    return "is a folder, not a program" if there[0].is_dir() else "may not be executed (chmod +x)"


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


@cache
def boot() -> str:
    """Returns what tells one start of the machine from another; "-" where there is no such thing."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return "-"


def alive(pid: int, start: int) -> bool:
    """Says whether the process that started then is still running."""
    return start != 0 and process_start(pid) == start


def die_with_parent(signal_number: int) -> None:
    """Asks the kernel to send this process a signal when its parent dies (Linux; elsewhere the sweep must do)."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0)


def adopt_orphans() -> None:
    """Makes this process the parent of what its engines leave behind (Linux), so that `end_orphans` finds it."""
    if _libc is not None:
        _kept.update(_children())
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """Adopts orphans while the block lasts: for a process that starts engines for a moment and has other children besides."""
    adopt_orphans()
    try:
        yield
    finally:
        if _libc is not None:
            _libc.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
            _kept.clear()


def end_orphans() -> None:
    """Kills what engines left behind in sessions of their own; for a process that adopts orphans and has no living engine.

    The children it had when it began to adopt are left alone. Elsewhere than on Linux it does nothing: an orphan cannot be
    told from a child that is none of ours to kill.
    """
    adopting = ctypes.c_int(0)
    if _libc is None or _libc.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(adopting), 0, 0, 0) or not adopting.value:
        return
    for _ in range(_ROUNDS):
        orphans = _children() - _kept
        if not orphans:
            return
        for pid in orphans:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _children() -> set[int]:
    """The children of this process's main thread; empty where the kernel keeps no list of them."""
    me = os.getpid()
    try:
        with open(f"/proc/{me}/task/{me}/children") as file:
            return {int(word) for word in file.read().split()}
    except OSError:
        return set()


@contextmanager
def held_back(signals: Sequence[signal.Signals]) -> Iterator[None]:
    """Holds signals back in this thread and in what it starts meanwhile; they arrive when the block is left.

    One that another thread receives, as numpy's do, would still run its handler in the main thread: it is noted there.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    noted: list[signal.Signals] = []
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    main = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in signals if main}
    for number, handler in handlers.items():
        if callable(handler):
            signal.signal(number, lambda number, _: noted.append(signal.Signals(number)))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            if callable(handler):
                signal.signal(number, handler)
        for number in noted:
            signal.raise_signal(number)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_child(words: str | Sequence[str], **settings: Any) -> subprocess.Popen[bytes]:
    """Starts a program in a session of its own that is killed when this process dies (Linux); raises OSError.

    Between fork and exec the child is a copy of this process whose signal handlers would raise in the wrong place. So
    Ctrl-C and SIGTERM are held back until they mean to the child what they will mean to the program, which inherits no
    blocked signal. `settings` are those of Popen.
    """
    parent = os.getpid()

    def become_child() -> None:
        for number in STOPS:
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)
        die_with_parent(signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(127)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)

    bind = become_child if os.name == "posix" else None
    with held_back(STOPS):
        return subprocess.Popen(words, start_new_session=True, preexec_fn=bind, **settings)


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
    for pid in list(living):
        kill_group(pid)


def sweep(record: Path, parent: int | None = None) -> int:
    """Kills the engines in a record that still live, with their groups; returns how many there were.

    With `parent`, only those that this process started; without it, all, and the record is removed.
    """
    killed = 0
    try:
        lines = record.read_text().splitlines()
    except OSError:
        return 0
    for line in lines:
        words = line.split()
        if len(words) != 4 or not all(word.isdigit() for word in words[:3]) or words[3] != boot():
            continue  # a torn last line, whose engine died with its parent; or the numbers of processes before a restart
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
    """Says whether a group outlives its leader; while it does, no new process can get the leader's number."""
    try:
        os.killpg(pid, 0)
    except (OSError, AttributeError):
        return False
    return True


def own_python(module: str, *arguments: str) -> list[str]:
    """The command that runs `main()` of one of our modules in a fresh interpreter with this one's import path.

    The path goes in the command, not in PYTHONPATH: an engine written in Python would inherit that and import what is
    ours in place of what is its own.
    """
    path = [entry for entry in sys.path if entry]
    return [sys.executable, "-c", f"import sys; sys.path[:] = {path!r}; from {module} import main; main()", *arguments]
