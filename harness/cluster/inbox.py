"""Messages from other threads to the thread of a run: a queue, and a pipe that wakes the thread."""

from __future__ import annotations

import os
import queue
import select
import threading
from collections.abc import Iterator
from typing import Any


class Inbox:
    """A queue of (word, value) that any thread may fill and one thread reads."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._ringing = threading.Lock()
        self._ear, self._bell = os.pipe()
        for fd in (self._ear, self._bell):
            os.set_blocking(fd, False)
        self._poll = select.poll()
        self._poll.register(self._ear, select.POLLIN)

    def put(self, word: str, value: Any) -> None:
        """Adds a message and rings."""
        self._queue.put((word, value))
        with self._ringing:
            if self._bell < 0:
                return  # closed: the descriptor may be another file's by now
            try:
                os.write(self._bell, b"!")
            except BlockingIOError:
                pass  # the pipe is full, so the thread will wake anyway

    def watch(self, fd: int) -> None:
        """Lets a wait also end when this descriptor can be read; its bytes are dropped."""
        self._poll.register(fd, select.POLLIN)

    def wait(self, seconds: float) -> None:
        """Waits at most `seconds` for a message."""
        for fd, _ in self._poll.poll(max(0, int(seconds * 1000))):
            try:
                os.read(fd, 1 << 12)
            except BlockingIOError:
                pass

    def take(self) -> Iterator[tuple[str, Any]]:
        """Yields the messages that are there now."""
        for _ in range(self._queue.qsize()):
            yield self._queue.get()

    def close(self) -> None:
        """Closes the inbox; later messages are ignored."""
        with self._ringing:
            bell, self._bell = self._bell, -1
            os.close(bell)
        os.close(self._ear)
