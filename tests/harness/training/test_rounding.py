"""Rounding that makes up for its own errors: nearer to the trained network than each weight rounded alone."""

from __future__ import annotations

import numpy as np
import pytest
from packed_positions import by_lot, plain_outputs, records

from harness.training import network
from harness.training.network import Arrays, Quantised
from harness.training.positions import Records
from harness.training.rounding import quantise_on, round_together


@pytest.fixture(scope="module")
def arrays() -> Arrays:
    """Weights by lot."""
    return by_lot(64, 8, 8)


def wrong(made: Quantised, arrays: Arrays, found: Records) -> np.ndarray:
    """The scores' errors by rounding, centipawns."""
    errors: np.ndarray = made.scores(found) - plain_outputs(found, arrays) * network.UNIT
    return errors


def test_its_errors_are_smaller(arrays: Arrays) -> None:
    """On positions it has not seen, in size and on average."""
    seen, others = records(1500, 4), records(500, 9)
    alone, together = network.quantise(arrays), quantise_on(arrays, seen)
    before, after = wrong(alone, arrays, others), wrong(together, arrays, others)
    assert after.std() < 0.85 * before.std()
    assert abs(after.mean()) < 2  # the engine's two divisions, both towards zero, leave so much at most


def test_what_is_whole_stays(arrays: Arrays) -> None:
    once = network.quantise(arrays)
    assert quantise_on(once.arrays(), records(500, 4)).pack() == once.pack()


def test_weights_stay_within_their_bound() -> None:
    chance = np.random.default_rng(3)
    bounds = (*[network.BOUND] * 4, network.SECOND_BOUND, network.HEAD_BOUND, network.HEAD_BOUND)
    parts = zip(by_lot(32, 8, 1), bounds, strict=True)
    most = Arrays(*(chance.choice([-bound, bound], part.shape).astype(np.float32) for part, bound in parts))
    made = quantise_on(most, records(400, 4))
    assert 33 * int(np.abs(made.inputs).max()) < 2**15
    assert made.output.min() >= -127 and made.second.min() >= -127  # bytes


def test_a_bucket_never_seen_is_rounded_alone(arrays: Arrays) -> None:
    found = records(2000, 4)
    low, _ = network.places(found)
    made, alone = quantise_on(arrays, found[low == 6]), network.quantise(arrays)
    assert np.array_equal(made.output[:6], alone.output[:6])
    assert not any(np.array_equal(made.output[k], alone.output[k]) for k in (6, 7))
    assert np.array_equal(made.output_bias[:6], alone.output_bias[:6])


def test_an_error_is_made_up_for_by_the_next_weight() -> None:
    """Of two inputs that always occur together 0.4 and 0.4 of a step become 0 and 1 step; if never together, 0 and 0."""
    weights = np.full((2, 1), 0.4 / 64)
    assert round_together(weights, np.ones((2, 2)), 64).sum() == 1
    assert round_together(weights, np.eye(2), 64).sum() == 0
