"""The transitions that a conversation hits only by luck of timing, brought about by hand."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from engine.play.options import Settings
from engine.play.play import Play
from engine.play.thinking import Job
from engine.protocol.output import Log, Output
from engine.protocol.xboard_replies import XBoardReplies


@pytest.fixture
def table() -> Iterator[tuple[Play, list[Job], int]]:
    """A game in which nobody reads the events: (game, searches that ended, where its lines can be read)."""
    ended: list[Job] = []
    source, sink = os.pipe()
    yield Play(XBoardReplies(Output(sink, Log())), Settings(), ended.append), ended, source
    os.close(source)
    os.close(sink)


@pytest.mark.parametrize("end", ["go", "resume"])
def test_a_pause_that_comes_just_after_the_end_of_the_search(table: tuple[Play, list[Job], int], end: str) -> None:
    play, ended, source = table
    play.depth = 1
    play.go()
    assert play.thinker.job is not None and play.thinker.job.wait(10)
    play.pause()
    while not ended:
        pass
    play.finished(ended[0])  # it comes in the pause: no move yet
    getattr(play, end)()
    text = os.read(source, 999).decode()
    assert text.startswith("move ") and text.count("\n") == 1
    assert not play.paused and not play.thinking() and play.engine_side == 0
