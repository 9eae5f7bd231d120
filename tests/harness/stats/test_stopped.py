"""Elo after a sequential test: the law of a Brownian motion between two bounds, against a second series and at its limits."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from harness.stats import elo as stats
from harness.stats import stopped as module
from harness.stats.stopped import brownian_outcome, outcome, sprt_elo


def fourier_outcome(low: float, high: float, drift: float, deviation: float, time: float, place: float) -> float:
    """The same probability as brownian_outcome by the eigenfunctions of the interval: good for long times."""
    width, variance = high - low, deviation**2
    lean = drift / variance
    ever_below = (math.exp(-2 * lean * high) - 1) / (math.exp(-2 * lean * high) - math.exp(-2 * lean * low))
    later = inside = 0.0
    for n in range(1, 400):
        wave = n * math.pi / width
        rate = wave**2 * variance / 2 + drift**2 / (2 * variance)
        if rate * time > 700:
            break
        weight = 2 / width * math.sin(-wave * low) * math.exp(-rate * time)
        later += math.exp(lean * low) * variance / 2 * weight * wave / rate

        def integral(x: float, wave: float = wave) -> float:
            angle = wave * (x - low)
            return math.exp(lean * x) * (lean * math.sin(angle) - wave * math.cos(angle)) / (lean**2 + wave**2)

        inside += weight * (integral(place) - integral(low))
    return ever_below - later + inside


@pytest.mark.parametrize("drift", [-0.02, -0.003, 0.0001, 0.004, 0.016])
@pytest.mark.parametrize("time", [100.0, 400.0, 3000.0])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_brownian_outcome_by_two_series(drift: float, time: float, share: float) -> None:
    low, high = stats.bounds(0.05, 0.1)
    place = low + share * (high - low)
    found = brownian_outcome(low, high, drift, 0.12, time, place)
    assert found == pytest.approx(fourier_outcome(low, high, drift, 0.12, time, place), abs=1e-11)


def test_twenty_to_nought() -> None:
    found = outcome((0, 0, 0, 0, 10), (20, 0, 0))
    assert found.elo is None and found.high is None and found.sign == 1
    assert found.low == pytest.approx(286.65, abs=0.01) and found.los is not None and found.los > 0.999999
    assert outcome((10, 0, 0, 0, 0), (0, 0, 20)).sign == -1
    nearly = outcome((0, 0, 1, 0, 9), (19, 0, 1))
    assert nearly.sign == 1 and nearly.elo == pytest.approx(stats.elo(0.95)) and nearly.high is None
    assert outcome((0, 0, 5, 0, 0), (0, 10, 0)).sign == 0


def test_the_outcome_of_a_stopped_test_is_the_corrected_one() -> None:
    pairs, games, test = (95, 929, 2515, 1075, 95), (0, 0, 0), (0.0, 5.0, 0.05, 0.05, "normalized")
    plain, stopped = outcome(pairs, games), outcome(pairs, games, test)
    assert not plain.corrected and plain.elo == stats.estimate(pairs).elo
    assert stopped.corrected and (stopped.elo, stopped.low, stopped.high) == sprt_elo(pairs, *test)


@settings(max_examples=15, deadline=None)
@given(st.tuples(*[st.integers(1, 60)] * 5))
def test_corrected_los_and_interval_agree(data: tuple[int, ...]) -> None:
    found = outcome(data, (0, 0, 0), (-5.0, 5.0, 0.05, 0.05, "normalized"))
    assert found.corrected and found.los is not None and found.low is not None and found.high is not None
    assert (found.low > 0) == (found.los > 0.975) and (found.high < 0) == (found.los < 0.025)


@settings(max_examples=15, deadline=None)
@given(st.tuples(*[st.integers(1, 200)] * 5))
@example((1, 1, 1, 1, 35))
def test_stopping_correction_lies_in_its_interval(data: tuple[int, ...]) -> None:
    found = sprt_elo(data, 0, 5)
    assert found is not None
    middle, low, high = found
    assert middle is not None and (low is None or low < middle) and (high is None or middle < high)


@pytest.mark.parametrize("drift", [0.05, -0.05, 0.0, 0.002])
def test_a_long_motion_ends_at_the_bounds_as_the_sum_of_images_says(
    drift: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    law = (-1.0, 2.0, drift, 0.2, 6000.0, 0.3)
    short = brownian_outcome(*law)
    monkeypatch.setattr(module, "CERTAIN", math.inf)
    assert short == pytest.approx(brownian_outcome(*law), abs=1e-12)


@pytest.mark.parametrize("share", [0.5, 0.72, 0.9, 1.1])
def test_a_motion_with_little_spread_does_not_arrive_before_its_time(share: float) -> None:
    """A strong drift alone does not mean that it has reached a bound. One bound is out of reach: the law of the other."""
    bound, deviation, duration = 2.944439, 0.02036, 66.0
    drift = share * bound / duration
    spread = deviation * math.sqrt(duration)
    exponent = 2 * drift * bound / deviation**2 + float(norm.logcdf((-bound - drift * duration) / spread))
    arrived = float(norm.cdf((drift * duration - bound) / spread)) + math.exp(exponent)
    found = brownian_outcome(-bound, bound, drift, deviation, duration, bound)
    assert found == pytest.approx(1 - arrived, abs=1e-9)


def test_a_clear_difference_has_both_ends_of_its_interval() -> None:
    middle, low, high = sprt_elo((1, 3, 20, 60, 120), 0, 5) or (None, None, None)
    assert middle == pytest.approx(316.6, abs=1) and low == pytest.approx(261.1, abs=2)
    assert high == pytest.approx(389.0, abs=3)


def test_a_test_that_stops_at_once_leaves_the_far_end_open() -> None:
    """Eleven pairs, nine of them swept: no difference is so large that a worse end would be improbable."""
    middle, low, high = sprt_elo((0, 0, 2, 0, 9), 0, 100) or (None, None, None)
    assert high is None and middle is not None and low is not None and 100 < low < middle < 500
    mirrored = sprt_elo((9, 0, 2, 0, 0), -100, 0)
    assert mirrored is not None and mirrored[1] is None
    assert mirrored[0] == pytest.approx(-middle, abs=1e-6) and mirrored[2] == pytest.approx(-low, abs=1e-6)


def test_more_games_than_anyone_plays_are_counted_at_once() -> None:
    middle, low, high = sprt_elo((10**11,) * 3, -5, 5) or (1.0, 0.0, 0.0)
    assert low is not None and high is not None
    assert middle == pytest.approx(0.0, abs=1e-6) and low == pytest.approx(-high) and 1 < high < 20
