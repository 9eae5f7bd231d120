"""Loops over hidden neurons, written so that the compiler vectorises them.

Every build computes the same whole numbers, so that scores do not depend on the processor.
"""

import cython
from cython import address, cast


def supports_avx2():
    """Whether this processor runs the build for AVX2."""
    return bool(has_avx2())


def add(sums, row, n):
    """sums += row."""
    i: cython.int
    for i in range(n):
        sums[i] += row[i]


def subtract(sums, row, n):
    """sums -= row."""
    i: cython.int
    for i in range(n):
        sums[i] -= row[i]


def shift(sums, before, added, removed, n):
    """The sums after a move: one row added, one removed."""
    i: cython.int
    for i in range(n):
        sums[i] = before[i] + added[i] - removed[i]


def capture(sums, before, added, removed, taken, n):
    """The sums after a capture: one row added, two removed."""
    i: cython.int
    for i in range(n):
        sums[i] = before[i] + added[i] - removed[i] - taken[i]


def half(sums, weights):
    """The sum over one chunk of squared neuron times weight. 16 bits hold neuron times weight: 255 * 127 is below 2^15."""
    i: cython.int
    total: cython.int = 0
    for i in range(CHUNK):
        x: I16 = sums[i]
        x = x if x > 0 else 0
        x = x if x < QA else QA
        weighted: I16 = cast(I16, x * weights[i])
        total += weighted * x
    return total


def output(own, other, weights, n):
    """The output neuron before its bias, times QA * QA * QB. A chunk's sum fits 32 bits; the total is kept in 64."""
    i: cython.int
    total: I64 = 0
    for i in range(n // CHUNK):
        total += half(own + i * CHUNK, weights + i * CHUNK)
    for i in range(n // CHUNK):
        total += half(other + i * CHUNK, weights + n + i * CHUNK)
    return total


LOOPS = cython.declare(Loops)


def entry_points():
    """The address of this build's Loops, for engine/evaluation/accumulator.py."""
    LOOPS.add = add
    LOOPS.subtract = subtract
    LOOPS.shift = shift
    LOOPS.capture = capture
    LOOPS.output = output
    return cast(cython.size_t, address(LOOPS))
