"""Rounding a network to whole numbers so that the errors of its weights cancel each other.

The nearest whole numbers move the scores of a network of 256 neurons by 5 centipawns near a draw, which a search pays for
(docs/network-trials.md). Here weights are rounded one after another, and those still to come make up for each error on the
inputs that occur together with it: after Hassibi and Stork's optimal brain surgeon (1993), in the order of Frantar et al. (2022).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from harness.training.network import BOUND, BUCKETS, INPUTS, QA, QB, UNIT, Arrays, Quantised, active
from harness.training.positions import Records

POSITIONS = 131_072  # enough of them
DAMPING = 0.01  # of the mean second moment, so that what is rarely seen moves no weight far
LEAST_DAMPING = 1e-12  # where no neuron is ever active
RIDGE = 0.001  # the same for the outputs' real weights
PART = 4096  # positions at a time

Reals = NDArray[np.float64]


def quantise_on(arrays: Arrays, records: Records, unit: float = UNIT) -> Quantised:
    """The whole numbers whose scores over `records` are nearest to those of these weights; `unit` as for `quantise`.

    The inputs' weights are rounded first; the output weights of each bucket are then fitted to the rounded neurons and
    rounded themselves. Weights that are whole already stay as they are, those of a bucket that is not seen are rounded alone.
    """
    inputs, bias, output, output_bias = (np.asarray(part, dtype=np.float64) for part in arrays)
    weights = np.vstack([inputs, bias])
    whole = round_together(weights, _moments(records), QA)
    whole_output, whole_bias = np.rint(output * QB), np.rint(output_bias * QA * QB)
    products, answers = _products(records, weights, whole / QA, np.hstack([output, output_bias[:, None]]))
    for k in range(BUCKETS):
        seen = products[k, -1, -1]  # positions
        if seen:
            known = np.append(output[k], output_bias[k])
            moments, missing = products[k] / seen, (answers[k] - products[k] @ known) / seen
            ridge = np.eye(len(moments)) * RIDGE * np.mean(np.diag(moments))
            fitted = known + np.linalg.solve(moments + ridge, missing)
            whole_output[k] = round_together(fitted[:-1, None], moments[:-1, :-1], QB)[:, 0]
            mean = answers[k, -1] / seen - moments[-1, :-1] @ whole_output[k] / QB
            whole_bias[k] = np.rint(mean * QA * QB)
    return Quantised(
        whole[:INPUTS].astype(np.int16),
        whole[INPUTS].astype(np.int16),
        whole_output.astype(np.int16),
        whole_bias.astype(np.int32),
        round(unit),
    )


def round_together(weights: Reals, moments: Reals, levels: int) -> Reals:
    """Weights [inputs][columns] as whole multiples of 1 / `levels`, within BOUND; those of frequent inputs come first.

    `moments` [inputs][inputs]: the mean products of the inputs that these weights multiply.
    """
    order = np.argsort(-np.diag(moments), kind="stable")
    left = weights[order]
    damping = max(DAMPING * float(np.mean(np.diag(moments))), LEAST_DAMPING)
    # Row i of this factor says how much the weights after i change to make up for an error of the weight i.
    factor = np.linalg.cholesky(np.linalg.inv(moments[np.ix_(order, order)] + np.eye(len(order)) * damping)).T
    most = math.floor(BOUND * levels)
    whole = np.empty_like(left)
    for i in range(len(left)):
        whole[i] = np.clip(np.rint(left[i] * levels), -most, most)
        error = (left[i] - whole[i] / levels) / factor[i, i]
        left[i + 1 :] -= np.outer(factor[i, i + 1 :], error)
    found = np.empty_like(whole)
    found[order] = whole
    return found


def _moments(records: Records) -> Reals:
    """The mean products of the inputs and the bias over all views, [769][769]."""
    total = np.zeros((INPUTS + 1, INPUTS + 1))
    for views, _ in _parts(records):
        rows = views.reshape(-1, INPUTS + 1)
        total += rows.T @ rows
    return total / (2 * len(records))


def _products(records: Records, weights: Reals, near: Reals, outputs: Reals) -> tuple[Reals, Reals]:
    """What fits the outputs' weights to neurons of the weights `near`, sums over the positions of each bucket.

    The products of these neurons and a 1 for the bias, [8][2 * hidden + 1] twice; and their products with the output of the
    network that has `weights` and `outputs`, [8][2 * hidden + 1].
    """
    size = outputs.shape[1]
    products, answers = np.zeros((BUCKETS, size, size)), np.zeros((BUCKETS, size))
    for views, bucket in _parts(records):
        exact, seen = _neurons(views, weights), _neurons(views, near)
        for k in np.unique(bucket):
            rows = seen[bucket == k]
            products[k] += rows.T @ rows
            answers[k] += rows.T @ (exact[bucket == k] @ outputs[k])
    return products, answers


def _parts(records: Records) -> Iterator[tuple[NDArray[np.float32], NDArray[np.int64]]]:
    """The positions part by part: the inputs of each view as 0 and 1, the last one, always 1, for the bias; the buckets."""
    for first in range(0, len(records), PART):
        index, real, bucket = active(records[first : first + PART])
        views = np.zeros((len(bucket), 2, INPUTS + 1), dtype=np.float32)
        used = np.broadcast_to(real[:, None], index.shape)
        place, view, _ = np.nonzero(used)
        views[place, view, index[used]] = 1
        views[:, :, INPUTS] = 1
        yield views, bucket


def _neurons(views: NDArray[np.float32], weights: Reals) -> Reals:
    """What the outputs' weights multiply: the clipped sums of both views, squared, and a 1; [positions][2 * hidden + 1]."""
    sums = views.reshape(-1, INPUTS + 1) @ weights.astype(np.float32)
    squared = (np.clip(sums, 0, 1) ** 2).reshape(len(views), -1)
    return np.hstack([squared.astype(np.float64), np.ones((len(views), 1))])
