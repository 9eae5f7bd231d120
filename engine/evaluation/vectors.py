"""Loops over hidden neurons, written so that the compiler turns them into vector instructions by itself.

Every build computes the same whole numbers, so scores do not depend on the processor.
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
    """What a piece that moves makes of the sums before."""
    i: cython.int
    for i in range(n):
        sums[i] = before[i] + added[i] - removed[i]


def capture(sums, before, added, removed, taken, n):
    """What a piece that takes another makes of the sums before."""
    i: cython.int
    for i in range(n):
        sums[i] = before[i] + added[i] - removed[i] - taken[i]


def half(sums, weights):
    """The squared neurons of one chunk times their weights. A product of 16 bits is exact: 255 * 127 is below 2^15."""
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
    """The output neuron before its bias, times QA * QA * QB: a chunk fits 32 bits, the whole is summed in 64."""
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
