"""The bench: equal nodes whatever went before, and what it says of speed."""

from __future__ import annotations

import pytest

from engine.model import Limits
from engine.play.options import Settings
from engine.tools import bench, commands


def test_equal_nodes_twice_and_after_each_other() -> None:
    fens = list(bench.POSITIONS[:4])
    limits = Limits(depth=6)
    first, second = (bench.run(fens, limits, Settings()) for _ in range(2))
    assert [line.nodes for line in first.positions] == [line.nodes for line in second.positions]
    assert [line.pv for line in first.positions] == [line.pv for line in second.positions]
    alone = bench.run(fens[2:3], limits, Settings())  # nothing of the positions before is remembered
    assert alone.positions[0].nodes == first.positions[2].nodes


def test_stats_on_and_off_visit_the_same_tree() -> None:
    fens = list(bench.POSITIONS[:3])
    settings = Settings()
    settings.set("Stats", "on")
    limits = Limits(depth=6)
    assert bench.run(fens, limits, settings).nodes == bench.run(fens, limits, Settings()).nodes


def test_speed_of_nothing_is_nothing() -> None:
    assert bench.per_second(5, 0.0) == 0
    assert bench.per_second(100, 0.5) == 200


def test_what_there_is_no_memory_for_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def starved(memory: int, cores: int) -> None:
        raise MemoryError(f"no memory for {cores} threads")

    monkeypatch.setattr(bench, "Searcher", starved)
    assert commands.run(["bench", "--option", "cores=30"]) == 2
    assert capsys.readouterr().err == "sortie: no memory for 30 threads\n"
