"""Time taken in turns: it has an interval, and a side that searches another tree is refused."""

from __future__ import annotations

import argparse
from types import ModuleType

import benchmark_tool
import pytest

from harness.analysis import node_screen
from harness.errors import BadInput
from harness.model import Player
from harness.spec import reader
from harness.spec.settings import Screen


@pytest.fixture(scope="module")
def instructions() -> ModuleType:
    return benchmark_tool.load("instructions")


def players(name: str, variant: str) -> tuple[Player, Player]:
    plan = reader.load(name)
    assert plan.sortie_base is not None
    return next(player for player in plan.named if player.name == variant), plan.sortie_base


def test_time_has_an_interval_around_its_ratio(instructions: ModuleType) -> None:
    staged, base = players("claim-c13-staging", "staged")
    fens = node_screen.positions(Screen(count=4))
    found = instructions._time(staged, base, fens, 4, 3)
    assert 0 < found["time_low"] < found["time"] < found["time_high"]
    assert found["rounds"] == 3


def test_the_reach_of_few_samples(instructions: ModuleType) -> None:
    for count, wanted in ((2, 12.706), (10, 2.262), (11, 2.228), (12, 2.201), (20, 2.093), (60, 2.001)):
        assert instructions.student(count) == pytest.approx(wanted, abs=0.003)


def test_another_tree_is_refused(instructions: ModuleType) -> None:
    other, base = players("claim-c09-hash-first", "hash-not-first")
    with pytest.raises(BadInput, match="not time alone differs"):
        instructions._time(other, base, node_screen.positions(Screen(count=12)), 6, 2)


def test_an_experiment_without_such_a_variant_is_refused_before_anything_is_counted(instructions: ModuleType) -> None:
    with pytest.raises(BadInput, match="headline: no variant that changes only Choose, Generation, Legality"):
        instructions.counted("headline", argparse.Namespace(command=None))
