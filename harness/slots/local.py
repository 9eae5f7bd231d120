"""The slots of a run: starts them, hands them games, hears from all of them, ends them. One thread, no event loop."""

from __future__ import annotations

import os
import pickle
import select
import signal
import struct
import subprocess
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.engines.children import own_python, sweep
from harness.errors import BadInput
from harness.journal.control import at_a_time
from harness.journal.record import PackedGame
from harness.model import Job
from harness.slots.interface import Broken, Failed, FromSlot, KillsSlots, Message, SlotDied
from harness.slots.worker import SlotSpec

_LENGTH = struct.Struct(">I")
FAREWELL = 3.0  # seconds for a slot to let its engines quit
FAILED = 1  # exit status of a slot that failed by itself and was not killed
DEATHS = 3  # a game that has killed so many slots is given to no other


class SlotsFailed(BadInput):
    """The slots of a game ended by an error of the harness itself, which says nothing about the engines."""


@dataclass(slots=True)
class _Slot:
    number: int
    process: subprocess.Popen[bytes]
    jobs: deque[Job] = field(default_factory=deque)  # the first is being played
    buffer: bytearray = field(default_factory=bytearray)


class Pool:
    """Some slots, each an OS process. Use as a context manager: on leaving it no process is left."""

    whole_pairs = False  # so that at the end an idle slot can take over the second game of another slot's pair

    def __init__(
        self,
        spec: SlotSpec,
        size: int,
        log: Path | None = None,
        cpus_of: Callable[[int], Collection[int]] | None = None,
    ) -> None:
        """`log` is the file for errors inside a slot; None: standard error.

        `cpus_of` gives, by the number of a slot, the processors that it and its engines are bound to; None: any.
        """
        self._cpus_of = cpus_of
        self._spec = pickle.dumps(spec, pickle.HIGHEST_PROTOCOL)
        self._record = spec.record
        self.size = size
        self._log = log
        self._slots: dict[int, _Slot] = {}
        self._poll = select.poll()
        self._by_fd: dict[int, _Slot] = {}
        self._deaths: dict[int, int] = {}
        self._watched = -1

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.close(gently=kind is None)

    def _start(self, number: int) -> _Slot:
        try:
            errors = open(self._log, "ab") if self._log is not None else None
            try:
                process = subprocess.Popen(
                    own_python("harness.slots.process", str(os.getpid())),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    bufsize=0,
                    start_new_session=True,
                )
            finally:
                if errors is not None:
                    errors.close()
        except OSError as error:  # so many files or processes are not allowed
            many = f"{at_a_time(len(self._slots) + 1)} cannot be played here ({error.strerror})"
            raise Broken(f"{many}: expected a smaller concurrency", " --concurrency N") from None
        if self._cpus_of is not None:
            # The slot still waits for its first words, so no engine runs yet; later ones inherit the binding.
            os.sched_setaffinity(process.pid, self._cpus_of(number))
        slot = _Slot(number, process)
        self._slots[number] = slot
        assert process.stdout is not None
        fd = process.stdout.fileno()
        self._by_fd[fd] = slot
        self._poll.register(fd, select.POLLIN)
        self._write(slot, self._spec)
        return slot

    @staticmethod
    def _write(slot: _Slot, data: bytes) -> None:
        assert slot.process.stdin is not None
        try:
            slot.process.stdin.write(_LENGTH.pack(len(data)) + data)
        except OSError:
            pass  # the other pipe will tell that it has ended

    def play(self, number: int, jobs: Sequence[Job]) -> None:
        """Gives games to an idle slot (0 to size - 1), which is started if necessary."""
        slot = self._slots.get(number) or self._start(number)
        assert not slot.jobs
        slot.jobs.extend(jobs)
        self._next(slot)

    def _next(self, slot: _Slot) -> None:
        if slot.jobs:
            self._write(slot, pickle.dumps(slot.jobs[0], pickle.HIGHEST_PROTOCOL))

    def idle(self) -> list[int]:
        """Returns the numbers of the slots that have nothing to do."""
        return [n for n in range(self.size) if n not in self._slots or not self._slots[n].jobs]

    def resize(self, size: int) -> None:
        """Changes the number of slots; superfluous ones end after the game they are playing."""
        self.size = size
        for number in list(self._slots):
            self._dismiss(self._slots[number])

    def _dismiss(self, slot: _Slot) -> None:
        """Lets a superfluous idle slot end; its end is noticed as for any other."""
        if slot.number >= self.size and not slot.jobs:
            del self._slots[slot.number]
            assert slot.process.stdin is not None
            slot.process.stdin.close()

    @property
    def busy(self) -> int:
        return sum(1 for slot in self._slots.values() if slot.jobs)

    def pids(self) -> list[int]:
        return [slot.process.pid for slot in self._slots.values()]

    def watch(self, fd: int) -> None:
        """Lets a wait for messages also end when this descriptor can be read; its bytes are dropped."""
        self._watched = fd
        self._poll.register(fd, select.POLLIN)

    def messages(self, seconds: float) -> Iterator[Message]:
        """Waits at most `seconds` for word from the slots and yields all there is."""
        for fd, _ in self._poll.poll(max(0, int(seconds * 1000))):
            if fd == self._watched:
                os.read(fd, 1 << 10)
                continue
            slot = self._by_fd[fd]
            data = os.read(fd, 1 << 16)
            if not data:
                yield from self._lost(slot, fd)
                continue
            buffer = slot.buffer
            buffer += data
            while len(buffer) >= 4:
                (length,) = _LENGTH.unpack_from(buffer)
                if len(buffer) < 4 + length:
                    break
                news: FromSlot = pickle.loads(buffer[4 : 4 + length])
                del buffer[: 4 + length]
                if isinstance(news, PackedGame | Failed):
                    slot.jobs.popleft()
                    self._next(slot)
                    self._dismiss(slot)
                yield Message(slot.number, news)

    def _lost(self, slot: _Slot, fd: int) -> Iterator[Message]:
        self._poll.unregister(fd)
        del self._by_fd[fd]
        if self._slots.get(slot.number) is slot:
            del self._slots[slot.number]
        self._end(slot)
        if not slot.jobs:
            return
        job = slot.jobs.popleft()
        deaths = self._deaths[job.id] = self._deaths.get(job.id, 0) + 1
        if deaths < DEATHS:
            slot.jobs.appendleft(job)
        elif slot.process.returncode == FAILED:
            raise SlotsFailed(f"game {job.id}: {deaths} slots failed in it: {self._log or 'standard error'} says why")
        else:
            yield Message(slot.number, KillsSlots(job, deaths))
        for left in slot.jobs:
            yield Message(slot.number, SlotDied(left))

    def _end(self, slot: _Slot) -> None:
        process = slot.process
        try:
            process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.returncode and self._record is not None:
            # The slot had no time to end its engines: they die with it, but their children do not.
            sweep(self._record, parent=process.pid)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass

    def close(self, gently: bool) -> None:
        """Ends all slots and their engines: idle ones gently if asked, all others at once."""
        slots = list(self._by_fd.values())  # also those that were dismissed and have not ended yet
        self._slots.clear()
        for slot in slots:
            assert slot.process.stdin is not None
            if gently and not slot.jobs:
                slot.process.stdin.close()
            else:
                slot.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + (FAREWELL if gently else 1.0)
        for slot in slots:
            try:
                slot.process.wait(timeout=max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                slot.process.send_signal(signal.SIGTERM)
        for slot in slots:
            self._end(slot)
