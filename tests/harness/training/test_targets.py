"""What a network is to learn of a position, against the words of its contract worked out one record at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import BadInput
from harness.training.positions import RECORD, UNKNOWN, Records
from harness.training.targets import targets

SCALE = 150.0


def game(number: int, result: int, *moves: tuple[int, int]) -> list[tuple[int, int, int, int]]:
    """Records of a game: (number, White's result, side, score from the side to move)."""
    return [(number, result, side, score) for side, score in moves]


def records(found: list[tuple[int, int, int, int]]) -> Records:
    made = np.zeros(len(found), dtype=RECORD)
    for row, (number, result, side, score) in zip(made, found, strict=True):
        row["game"], row["side"], row["score"] = number, side, score
        row["result"] = 2 - result if side else result
    return made


def points(score: float) -> float:
    return 1 / (1 + math.exp(-score / SCALE))


plies = st.lists(st.tuples(st.sampled_from((0, 1)), st.integers(-1999, 1999)), min_size=3, max_size=9)
games = st.lists(st.tuples(st.sampled_from((0, 1, 2)), plies), min_size=1, max_size=5)


@given(games, st.floats(0, 1), st.floats(0, 1))
def test_targets_are_a_mean_over_what_comes_later(
    plan: list[tuple[int, list[tuple[int, int]]]], mixture: float, hindsight: float
) -> None:
    found = [record for number, (result, moves) in enumerate(plan) for record in game(number, result, *moves)]
    wanted: list[float] = []
    for result, moves in plan:
        later, backwards = result / 2, []
        for side, score in reversed(moves):
            white = 1 - points(score) if side else points(score)
            later = (1 - hindsight) * white + hindsight * later
            mixed = mixture * white + (1 - mixture) * later
            backwards.append(1 - mixed if side else mixed)
        wanted += reversed(backwards)
    assert targets(records(found), mixture, hindsight, SCALE) == pytest.approx(wanted, abs=1e-5)


def test_hindsight_of_one_is_the_result() -> None:
    shuffled = records([(number, number % 3, number % 2, 0) for number in range(30)])
    assert np.allclose(targets(shuffled, 0.0, 1.0, SCALE), shuffled["result"] / 2)


@given(games, st.lists(st.integers(-1999, 1999), min_size=1, max_size=6), st.floats(0, 1), st.floats(0, 1))
def test_a_stray_is_worth_its_own_score_and_changes_nothing_else(
    plan: list[tuple[int, list[tuple[int, int]]]], scores: list[int], mixture: float, hindsight: float
) -> None:
    own = records([record for number, (result, moves) in enumerate(plan) for record in game(number, result, *moves)])
    strays = records([(len(plan) - 1, 0, 0, score) for score in scores])
    strays["result"] = UNKNOWN
    found = targets(np.concatenate([own, strays]), mixture, hindsight, SCALE)
    assert found[: len(own)] == pytest.approx(targets(own, mixture, hindsight, SCALE), abs=1e-6)
    assert found[len(own) :] == pytest.approx([points(score) for score in scores], abs=1e-5)


def test_a_file_of_nothing_but_strays() -> None:
    strays = records([(7, 0, 0, score) for score in (-200, 0, 350)])
    strays["result"] = UNKNOWN
    assert targets(strays, 0.6, 0.8, SCALE) == pytest.approx([points(score) for score in (-200, 0, 350)], abs=1e-5)


def test_a_shuffled_file_has_no_later_scores() -> None:
    with pytest.raises(BadInput, match="in a row"):
        targets(records([(number, 2, 0, 10) for number in range(30)]), 0.5, 0.9, SCALE)
