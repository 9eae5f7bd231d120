"""The counts of a run while it goes on: pairs by their score, faults by player, and nothing counted for a game without a result."""

from __future__ import annotations

import pytest

from harness.analysis.tally import PairingTally, Tally
from harness.schedule.pairing import Pairing
from harness.spec.settings import Sprt
from harness.stats import elo as stats


def tally() -> PairingTally:
    return PairingTally(Pairing(0, 0, 1), scheduled=8)


@pytest.mark.parametrize(
    ("first", "second", "place"),
    [(0.0, 0.0, 0), (0.5, 0.0, 1), (0.0, 1.0, 2), (0.5, 0.5, 2), (0.5, 1.0, 3), (1.0, 1.0, 4)],
)
def test_a_pair_is_counted_by_its_score_when_both_games_are_there(first: float, second: float, place: int) -> None:
    found = tally()
    assert not found.add(7, first) and found.pairs == [0] * 5
    assert found.add(7, second) and found.pairs == [int(index == place) for index in range(5)]
    assert found.played == 2 and found.wins + 0.5 * found.draws == first + second


def test_games_of_different_pairs_make_no_pair() -> None:
    found = tally()
    assert not found.add(1, 1.0) and not found.add(2, 0.0)
    assert found.pairs == [0] * 5 and (found.wins, found.draws, found.losses) == (1, 0, 1)
    assert found.estimate() == stats.estimate((1, 0, 1))


def test_once_the_pairs_show_a_spread_the_estimate_is_that_of_pairs() -> None:
    found = tally()
    for pair, points in ((1, 1.0), (1, 0.5), (2, 1.0)):
        found.add(pair, points)
    assert found.estimate() == stats.estimate([2, 1, 0])
    found.add(2, 0.0)
    assert found.estimate() == stats.estimate([0, 0, 1, 1, 0])


def test_the_llr_needs_a_complete_pair() -> None:
    found, test = tally(), Sprt(elo0=0.0, elo1=10.0)
    found.add(1, 1.0)
    assert found.llr(test) == 0.0
    for pair in range(1, 60):
        found.add(pair, 1.0 if pair % 3 else 0.0)
        found.add(pair, 0.5)
    for pair in (60, 61):
        assert (
            found.llr(test) == pytest.approx(stats.llr(found.pairs, 0.0, 10.0, test.model)) and found.llr(test) != 0.0
        )
        found.add(pair, 1.0)
        found.add(pair, 1.0)


def test_time_losses_are_no_serious_faults() -> None:
    found = Tally([tally()], scheduled=8)
    for player, reason in ((0, "time"), (1, "crash"), (1, "crash"), (0, "illegal")):
        found.fault(player, reason)
    assert found.faults == {0: {"time": 1, "illegal": 1}, 1: {"crash": 2}} and found.serious() == 3
