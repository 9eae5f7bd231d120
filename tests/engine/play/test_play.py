"""The transitions that a conversation hits only by luck of timing, brought about by hand."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator

import pytest

from engine.model import Limits
from engine.play.clock import NO_LAG, TimeControl
from engine.play.options import Settings
from engine.play.play import Play
from engine.play.thinking import PONDER, THINK, Job
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


def first(ended: list[Job]) -> Job:
    """The first search that ended: it says so a moment after its result is there."""
    deadline = time.monotonic() + 60
    while not ended:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    return ended[0]


@pytest.mark.parametrize("end", ["go", "resume"])
def test_a_pause_that_comes_just_after_the_end_of_the_search(table: tuple[Play, list[Job], int], end: str) -> None:
    play, ended, source = table
    play.depth = 1
    play.go()
    assert play.thinker.job is not None and play.thinker.job.wait(10)
    play.pause()
    play.finished(first(ended))  # it comes in the pause: no move yet
    getattr(play, end)()
    text = os.read(source, 999).decode()
    assert text.startswith("move ") and text.count("\n") == 1
    assert not play.paused and not play.thinking() and play.engine_side == 0


def no_thread(*arguments: object) -> int:
    raise RuntimeError("can't start new thread")


def pondering(play: Play, ended: list[Job]) -> Job:
    """Let it answer e2e4 by a search of three plies, and ponder; return that search."""
    play.hard, play.depth = True, 3
    play.opponent_moves(play.game.parse("e2e4"))
    assert play.thinker.job is not None and play.thinker.job.wait(10)
    play.finished(first(ended))
    job = play.thinker.job
    assert job is not None and job.kind == PONDER and job.expected
    return job


def test_no_move_is_played_that_a_ponder_search_without_a_thread_never_searched(
    table: tuple[Play, list[Job], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    play, ended, _ = table
    monkeypatch.setattr("engine.play.thinking._thread.start_new_thread", no_thread)
    job = pondering(play, ended)
    assert job.failure
    play.opponent_moves(job.expected)
    assert play.thinking() and ended[-1] is play.thinker.job and ended[-1].result is not None


def test_a_level_set_while_it_ponders_holds_for_the_next_move(table: tuple[Play, list[Job], int]) -> None:
    play, ended, _ = table
    job = pondering(play, ended)
    play.settings.set("Level", "1")
    play.opponent_moves(job.expected)
    assert play.thinker.job is not None and play.thinker.job.level == 1
    play.stop()


def test_processor_time_before_a_ponder_hit_is_the_opponents(table: tuple[Play, list[Job], int]) -> None:
    play, ended, _ = table
    play.nps, play.hard = 0, True
    play.clocks.set_level(TimeControl(0, 60_000, 0))
    play.opponent_moves(play.game.parse("e2e4"))
    deadline = time.monotonic() + 60

    def wait_for(place: int, least: int) -> None:
        while play.thinker.progress()[place] < least:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    wait_for(2, 6)  # plies: then it expects a reply
    play.move_now()
    job = play.thinker.job
    assert job is not None and job.kind == PONDER and job.expected
    wait_for(0, 300)
    play.opponent_moves(job.expected)
    play.move_now()
    assert job.result is not None and job.result.ms >= 300 and job.pondered_ms >= 300
    assert play.used_ms(job) <= job.result.ms - 300
    assert play.clocks.left_ms(1) is not None and play.clocks.lag() == NO_LAG
    play.stop()


def test_time_before_an_exclusion_is_not_taken_for_an_overrun(table: tuple[Play, list[Job], int]) -> None:
    play, *_ = table
    play.configure()
    job = play.new_job(THINK, play.game.copy(), Limits(depth=1, soft_ms=10**6, hard_ms=10**6), every_depth=False)
    job.carried_ms = 10**7  # by the search before the exclusion
    play.thinker.run(job)
    assert job.result is not None and play.conclude(job, job.result) >= 10**7
    assert play.clocks.lag() == NO_LAG


def test_an_exclusion_that_leaves_five_milliseconds_still_brings_a_move(
    table: tuple[Play, list[Job], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    play, *_ = table
    play.depth = 1
    play.go()
    monkeypatch.setattr(Job, "left", lambda job: Limits(depth=1, soft_ms=5, hard_ms=5))
    play.set_excluded({play.game.parse("e2e4")})
    assert play.record.movers == [0]


@pytest.mark.parametrize(("accepts", "answer"), [("on", "offer draw\nmove "), ("off", "resign\n")])
def test_a_lost_game_is_drawn_rather_than_resigned(
    table: tuple[Play, list[Job], int], accepts: str, answer: str
) -> None:
    play, ended, source = table
    for name, value in (("Resign", "on"), ("LossMoves", "1"), ("LossScore", "300"), ("AcceptDraws", accepts)):
        play.settings.set(name, value)
    play.set_position("kq6/8/8/8/8/8/PP6/K7 w - - 0 1")
    play.depth = 2
    play.offer()
    play.go()
    play.finished(first(ended))
    assert os.read(source, 999).decode().startswith(answer)


def test_a_lost_move_that_was_taken_back_does_not_count_towards_resigning(table: tuple[Play, list[Job], int]) -> None:
    play, ended, source = table
    for name, value in (("Resign", "on"), ("LossMoves", "2"), ("LossScore", "300")):
        play.settings.set(name, value)
    play.set_position("kq6/8/8/8/8/8/PP6/K7 w - - 0 1")
    play.depth = 2
    for _ in range(2):
        play.go()
        play.finished(first(ended))
        ended.clear()
        assert os.read(source, 999).startswith(b"move ")
        play.take_back(1)
    play.go()
    play.finished(first(ended))
    ended.clear()
    play.opponent_moves(play.game.parse("a8a7"))
    play.finished(first(ended))
    assert os.read(source, 999).endswith(b"resign\n")


def test_a_move_comes_also_without_memory_for_any_table(
    table: tuple[Play, list[Job], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_memory(*arguments: object) -> None:
        raise MemoryError("no memory for a hash table of 16 MiB")

    play, _, source = table
    monkeypatch.setattr("engine.search.threads.Searcher", no_memory)
    play.go()
    assert re.fullmatch(rb"move [a-h]\d[a-h]\d\n", os.read(source, 999).splitlines(keepends=True)[-1])
