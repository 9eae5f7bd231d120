"""The thinker when the system gives too little: no thread to search in, no memory for threads. A move comes all the same."""

from __future__ import annotations

import os

import pytest

from engine.board.game import Game
from engine.model import Limits
from engine.play.options import Settings
from engine.play.posting import Poster
from engine.play.thinking import ANALYZE, THINK, Job, Thinker
from engine.protocol.output import Log, Output
from engine.protocol.xboard_replies import XBoardReplies
from engine.search import threads
from engine.variant.features import Features


def job(kind: str, limits: Limits) -> Job:
    game = Game()
    output = Output(os.open(os.devnull, os.O_WRONLY), Log())
    return Job(kind, game, limits, Features(), Poster(XBoardReplies(output), game, every_depth=False))


def no_thread(*arguments: object) -> int:
    raise RuntimeError("can't start new thread")


def test_without_a_thread_it_thinks_where_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[Job] = []
    thinker = Thinker(ended.append)
    thinker.configure(Settings(), lambda text: None, lambda text: None)
    monkeypatch.setattr("engine.play.thinking._thread.start_new_thread", no_thread)
    thinking = job(THINK, Limits(depth=4))
    thinker.start(thinking)
    assert ended == [thinking] and thinking.ended()
    assert thinking.result is not None and thinking.result.move in thinking.game.legal_moves()
    thinker.job = None
    endless = job(ANALYZE, Limits())
    thinker.start(endless)
    assert ended == [thinking, endless] and endless.ended()
    assert endless.result is None and endless.failure
    assert thinker.halt() is endless  # and nothing waits for it


class Scarce:
    """A searcher that has memory for two threads."""

    def __init__(self, memory: int, cores: int) -> None:
        self.cores = cores

    def set_cores(self, cores: int) -> None:
        self.cores = min(cores, 2)
        if cores > 2:
            raise MemoryError("no memory for more threads")

    def set_network(self, network: object) -> None:
        pass


def test_threads_that_find_no_memory_leave_the_old_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "Searcher", Scarce)
    notes: list[str] = []
    settings = Settings()
    thinker = Thinker(lambda done: None)
    settings.set("cores", "200")
    thinker.configure(settings, notes.append, notes.append)
    assert thinker._searcher is not None
    assert settings.cores == 1 and thinker._searcher.cores == 1
    assert notes == ["no memory for 200 threads, 1 used"]
    settings.set("cores", "2")
    thinker.configure(settings, notes.append, notes.append)
    assert settings.cores == 2 and thinker._searcher.cores == 2 and len(notes) == 1


def no_zlib(*arguments: object) -> None:
    raise ImportError("libz.so.1: failed to map segment from shared object")


def test_a_network_that_cannot_be_read_for_want_of_memory_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.evaluation.network.Network", no_zlib)
    told: list[str] = []
    thinker = Thinker(lambda done: None)
    thinker.configure(Settings(), told.append, told.append)
    assert len(told) == 1 and told[0].endswith("segment from shared object; the classical evaluation is used")
