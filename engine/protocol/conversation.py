"""What all protocols share: one queue of events, and errors that never end the game."""

from __future__ import annotations

from _queue import Empty, SimpleQueue
from abc import ABC, abstractmethod

from engine.play.options import Settings
from engine.play.thinking import Job
from engine.protocol.output import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from engine.play.door import Door

    Events = SimpleQueue[str | Job | None]


class Conversation(ABC):
    """A conversation with a GUI. One thread reads, one searches, and this one owns the state and replies.

    `events` holds lines, searches that have ended, and None at the end of input; remarks go to `door`.
    """

    def __init__(self, settings: Settings, out: Output, events: Events, door: Door) -> None:
        self.settings = settings
        self.out = out
        self.events = events
        self._door = door

    @abstractmethod
    def obey(self, line: str) -> None:
        """Carry out one line that is not empty."""

    @abstractmethod
    def finished(self, job: Job) -> None:
        """A search has ended."""

    def pulse(self) -> float | None:
        """Seconds without an event after which `tick` is called; None: never."""
        return None

    def tick(self) -> None:  # noqa: B027 - only a protocol with a pulse needs one
        """Nothing has come for a while."""

    def run(self, first: str) -> None:
        """Obey the first line and those that arrive until quit or the end of input."""
        event: str | Job | None = first
        while event is not None:
            if isinstance(event, Job):
                self._guarded(self.finished, event)
            elif line := event.strip():
                self.out.log.write(">", line)
                if line.split()[0] == "quit":
                    return
                self._guarded(self.obey, line)
            event = self._next()

    def _next(self) -> str | Job | None:
        while True:
            try:
                return self.events.get(True, self.pulse())
            except Empty:
                self._guarded(lambda _: self.tick(), None)

    def _guarded(self, action: Callable[[Any], None], argument: Any) -> None:
        """Whatever goes wrong in one command must not end the game."""
        try:
            action(argument)
        except Exception as error:
            self._door.warn(f"internal error: {type(error).__name__}: {error}")
