"""No error within a command ends the game, and none goes unsaid."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any, cast

from engine.play.door import Door
from engine.play.options import Settings
from engine.play.thinking import Job
from engine.protocol.conversation import Conversation
from engine.protocol.output import Output


class Remarks:
    """A door that keeps what a person must know, and an output whose log holds what was obeyed."""

    def __init__(self) -> None:
        self.warned: list[str] = []
        self.log = self

    def warn(self, text: str) -> None:
        self.warned.append(text)

    def write(self, mark: str, line: str) -> None:
        pass


class Breaking(Conversation):
    """It obeys every line but `break`."""

    obeyed: tuple[str, ...] = ()

    def obey(self, line: str) -> None:
        if line == "break":
            raise ZeroDivisionError("by nothing")
        self.obeyed += (line,)

    def finished(self, job: Job) -> None:
        raise LookupError("no such job")


def test_an_internal_error_is_said_and_the_next_line_obeyed() -> None:
    events: SimpleQueue[Any] = SimpleQueue()
    for event in ("break", "go", None):
        events.put(event)
    door = Remarks()
    talk = Breaking(cast(Settings, None), cast(Output, door), cast(Any, events), cast(Door, door))
    talk.run("new")
    assert talk.obeyed == ("new", "go")
    assert door.warned == ["internal error: ZeroDivisionError: by nothing"]
