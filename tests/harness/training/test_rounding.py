"""Rounding that makes up for its own errors: nearer to the trained network than each weight rounded alone."""

from __future__ import annotations

import numpy as np
import pytest
from packed_positions import plain_outputs, records

from harness.training import network
from harness.training.network import Arrays, Quantised
from harness.training.positions import Records
from harness.training.rounding import quantise_on, round_together


@pytest.fixture(scope="module")
def arrays() -> Arrays:
    """Weights by lot."""
    return network.start(64, 8)


def wrong(made: Quantised, arrays: Arrays, found: Records) -> np.ndarray:
    """The scores' errors by rounding, centipawns."""
    errors: np.ndarray = made.scores(found) - plain_outputs(found, arrays) * network.UNIT
    return errors


def test_its_errors_are_smaller(arrays: Arrays) -> None:
    """On positions it has not seen, in size and on average."""
    seen, others = records(6000, 4), records(1500, 9)
    alone, together = network.quantise(arrays), quantise_on(arrays, seen)
    before, after = wrong(alone, arrays, others), wrong(together, arrays, others)
    assert after.std() < 0.7 * before.std()
    assert abs(after.mean()) < 2  # the engine's two divisions, both towards zero, leave so much at most


def test_what_is_whole_stays(arrays: Arrays) -> None:
    once = network.quantise(arrays)
    assert quantise_on(once.arrays(), records(500, 4)).pack() == once.pack()


def test_weights_stay_within_their_bound() -> None:
    shapes = [part.shape for part in network.start(32, 1)]
    chance = np.random.default_rng(3)
    most = [chance.choice([-network.BOUND, network.BOUND], shape).astype(np.float32) for shape in shapes]
    made = quantise_on((most[0], most[1], most[2], most[3]), records(400, 4))
    assert 33 * int(np.abs(made.inputs).max()) < 2**15
    assert network.QA * int(np.abs(made.output).max()) < 2**15


def test_a_bucket_never_seen_is_rounded_alone(arrays: Arrays) -> None:
    found = records(2000, 4)
    bucket = network.active(found)[2]
    made, alone = quantise_on(arrays, found[bucket == 7]), network.quantise(arrays)
    assert np.array_equal(made.output[:7], alone.output[:7]) and not np.array_equal(made.output[7], alone.output[7])
    assert np.array_equal(made.output_bias[:7], alone.output_bias[:7])


def test_an_error_is_made_up_for_by_the_next_weight() -> None:
    """Of two inputs that always occur together 0.4 and 0.4 of a step become 0 and 1 step; if never together, 0 and 0."""
    weights = np.full((2, 1), 0.4 / 64)
    assert round_together(weights, np.ones((2, 2)), 64).sum() == 1
    assert round_together(weights, np.eye(2), 64).sum() == 0
