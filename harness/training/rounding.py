"""Rounding a network to whole numbers so that the errors of its weights cancel each other.

The nearest whole numbers move the scores of a network of 256 neurons by 5 centipawns near a draw, which a search pays for
(docs/network-trials.md). Here weights are rounded one after another, and those still to come make up for each error on the
inputs that occur together with it: after Hassibi and Stork's optimal brain surgeon (1993), in the order of Frantar et al. (2022).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.training.network import (
    BOUND,
    BUCKETS,
    HEAD_LEVELS,
    INPUTS,
    QA,
    QB,
    SECOND_BITS,
    SECOND_BOUND,
    SQUARE,
    UNIT,
    Arrays,
    Quantised,
    active,
    places,
)
from harness.training.positions import Records

POSITIONS = 131_072  # enough of them
DAMPING = 0.01  # of the mean second moment, so that what is rarely seen moves no weight far
LEAST_DAMPING = 1e-12  # where no neuron is ever active
RIDGE = 0.001  # the same for the outputs' real weights
PART = 4096  # positions at a time

Reals = NDArray[np.floating[Any]]


def quantise_on(arrays: Arrays, records: Records, unit: float = UNIT) -> Quantised:
    """The whole numbers whose scores over `records` are nearest to those of these weights; `unit` as for `quantise`.

    The inputs' weights are rounded first; then those of the second layer are fitted to the rounded neurons and rounded
    themselves, and after them the output weights of each bucket. Weights that are whole already stay as they are, those of a
    bucket that is not seen are rounded alone.
    """
    exact = Arrays(*(np.asarray(part, dtype=np.float64) for part in arrays))
    weights = np.vstack([exact.inputs, exact.bias])
    inputs = round_together(weights, _moments(records), QA)
    near = inputs / QA
    known = np.hstack([exact.second, exact.second_bias[:, None]]).T
    fitted = _Fit(known.shape)
    for views, _, _ in _parts(records):
        fitted.add(_neurons(views, near), _neurons(views, weights) @ known)
    second, second_bias = fitted.whole(known, 1 << SECOND_BITS, SQUARE << SECOND_BITS, SECOND_BOUND)
    head = np.rint(exact.head * HEAD_LEVELS)
    made = (
        near,
        np.vstack([second / (1 << SECOND_BITS), second_bias / (SQUARE << SECOND_BITS)]),
        head / HEAD_LEVELS,
    )
    output, output_bias = np.rint(exact.output * QB), np.rint(exact.output_bias * QA * QB)
    for k, bucket in enumerate(_outputs(records, exact, made)):
        if bucket.seen:
            rows = np.append(exact.output[k], exact.output_bias[k])[:, None]
            row, bias = bucket.whole(rows, QB, QA * QB, BOUND)
            output[k], output_bias[k] = row[:, 0], bias[0]
    return Quantised(
        inputs=inputs[:INPUTS].astype(np.int16),
        bias=inputs[INPUTS].astype(np.int16),
        output=output.astype(np.int8),
        output_bias=output_bias.astype(np.int32),
        second=second.T.astype(np.int8),
        second_bias=second_bias.astype(np.int32),
        head=head.astype(np.int16),
        unit=round(unit),
    )


def round_together(weights: Reals, moments: Reals, levels: int, bound: float = BOUND) -> Reals:
    """Weights [inputs][columns] as whole multiples of 1 / `levels`, within `bound`; those of frequent inputs come first.

    `moments` [inputs][inputs]: the mean products of the inputs that these weights multiply.
    """
    order = np.argsort(-np.diag(moments), kind="stable")
    left = weights[order]
    damping = max(DAMPING * float(np.mean(np.diag(moments))), LEAST_DAMPING)
    # Row i of this factor says how much the weights after i change to make up for an error of the weight i.
    factor = np.linalg.cholesky(np.linalg.inv(moments[np.ix_(order, order)] + np.eye(len(order)) * damping)).T
    most = math.floor(bound * levels)
    whole = np.empty_like(left)
    for i in range(len(left)):
        whole[i] = np.clip(np.rint(left[i] * levels), -most, most)
        error = (left[i] - whole[i] / levels) / factor[i, i]
        left[i + 1 :] -= np.outer(factor[i, i + 1 :], error)
    found = np.empty_like(whole)
    found[order] = whole
    return found


class _Fit:
    """Sums over positions from which weights of neurons follow, so that these give wanted values: least squares.

    `shape`: neurons and a 1 for the bias, columns.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.seen = 0.0  # positions
        self._products = np.zeros((shape[0], shape[0]))
        self._answers = np.zeros(shape)

    def add(self, neurons: Reals, wanted: Reals, counts: Reals | None = None) -> None:
        """Neurons [positions][n], what they shall give [positions][columns], and what each position counts, 1 by default."""
        weighed = neurons if counts is None else neurons * counts[:, None]
        self.seen += len(neurons) if counts is None else float(counts.sum())
        self._products += weighed.T @ neurons
        self._answers += weighed.T @ wanted

    def whole(self, known: Reals, levels: int, bias_levels: int, bound: float) -> tuple[Reals, Reals]:
        """The weights [n - 1][columns] and biases [columns] as whole numbers, near to those `known`, the bias in the last row."""
        moments = self._products / self.seen
        missing = self._answers / self.seen - moments @ known
        ridge = np.eye(len(moments)) * RIDGE * np.mean(np.diag(moments))
        fitted = known + np.linalg.solve(moments + ridge, missing)
        whole = round_together(fitted[:-1], moments[:-1, :-1], levels, bound)
        mean = self._answers[-1] / self.seen - moments[-1, :-1] @ whole / levels
        return whole, np.rint(mean * bias_levels)


def _outputs(records: Records, exact: Arrays, made: tuple[Reals, Reals, Reals]) -> list[_Fit]:
    """For each bucket what its output weights must make of the rounded neurons; `made`: inputs, second layer, head as rounded."""
    near, second, head = made
    inputs = np.vstack([exact.inputs, exact.bias])
    known = np.hstack([exact.second, exact.second_bias[:, None]]).T
    found = [_Fit((len(second), 1)) for _ in range(BUCKETS)]
    for views, low, high in _parts(records):
        wanted, neurons = _neurons(views, inputs), _neurons(views, near)
        second_wanted = np.clip(wanted @ known, 0, 1)
        second_made = np.clip(neurons @ second, 0, 1)
        for k, fit in enumerate(found):
            counts = np.where(low == k, 8 - high, np.where(low + 1 == k, high, 0)) / 8
            rows = counts > 0
            if rows.any():
                output = (
                    wanted[rows] @ np.append(exact.output[k], exact.output_bias[k])
                    + second_wanted[rows] @ exact.head[k]
                )
                output -= second_made[rows] @ head[k]
                fit.add(neurons[rows], output[:, None], counts[rows])
    return found


def _moments(records: Records) -> Reals:
    """The mean products of the inputs and the bias over all views, [769][769]."""
    total = np.zeros((INPUTS + 1, INPUTS + 1))
    for views, _, _ in _parts(records):
        rows = views.reshape(-1, INPUTS + 1)
        total += rows.T @ rows
    return total / (2 * len(records))


def _parts(records: Records) -> Iterator[tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]]:
    """The positions part by part: the inputs of each view as 0 and 1, the last one, always 1, for the bias; `places` of them."""
    for first in range(0, len(records), PART):
        part = records[first : first + PART]
        index, real = active(part)
        views = np.zeros((len(part), 2, INPUTS + 1), dtype=np.float32)
        used = np.broadcast_to(real[:, None], index.shape)
        row, view, _ = np.nonzero(used)
        views[row, view, index[used]] = 1
        views[:, :, INPUTS] = 1
        yield views, *places(part)


def _neurons(views: NDArray[np.float32], weights: Reals) -> Reals:
    """What the outputs' weights multiply: the clipped sums of both views, squared, and a 1; [positions][2 * hidden + 1]."""
    sums = views.reshape(-1, INPUTS + 1) @ weights.astype(np.float32)
    squared = (np.clip(sums, 0, 1) ** 2).reshape(len(views), -1)
    return np.hstack([squared.astype(np.float64), np.ones((len(views), 1))])
