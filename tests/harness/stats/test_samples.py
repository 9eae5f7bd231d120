"""Intervals of samples: what repeats counts once, and pairs alone have the ordinary interval."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats import elo as stats
from harness.stats.samples import of_samples

PAIRS = st.lists(st.sampled_from((0.0, 0.5, 1.0, 1.5, 2.0)), min_size=40, max_size=200)


@given(PAIRS, st.integers(2, 5))
def test_copies_of_a_sample_tell_nothing_new(points: list[float], copies: int) -> None:
    once = of_samples([(2, one) for one in points])
    again = of_samples([(2 * copies, copies * one) for one in points])
    for one, other in ((once.elo, again.elo), (once.low, again.low), (once.high, again.high)):
        assert one == other is None or other == pytest.approx(one, abs=1e-6)


@given(PAIRS)
def test_pairs_alone_have_the_interval_of_pairs(points: list[float]) -> None:
    counts = [points.count(score / 2) for score in range(5)]
    found, plain = of_samples([(2, one) for one in points]), stats.match(counts, (0, 0, 0))
    if stats.one_kind(counts) or plain.elo_low is None or plain.elo_high is None:
        return
    assert found.elo == pytest.approx(plain.elo)
    # The spread of a sample of n is divided by n - 1 here.
    wider = math.sqrt(len(points) / (len(points) - 1))
    assert found.low is not None and found.high is not None
    assert found.high - found.low == pytest.approx((plain.elo_high - plain.elo_low) * wider, rel=0.05)


def test_too_few_samples_are_open() -> None:
    assert of_samples([]) == of_samples([(6, 4.0)]) == stats.Outcome(None, None, None, None)
    shared = of_samples([(2, 1.0)] * 500)
    assert shared.elo == 0.0 and shared.low is not None and -3.0 < shared.low < 0.0
