"""Loops over hidden neurons, written so that the compiler vectorises them; for bytes the instructions are named (bytes.pxd).

Every build computes the same whole numbers, so that scores do not depend on the processor.
"""

import cython
from cython import address, cast


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


def square(squares, sums, n):
    """Neurons clipped to 0..QA and squared, rounded to multiples of 1 << SQUARE_BITS: 0 to 127."""
    i: cython.int
    for i in range(n // NEURONS):
        square_some(squares + i * NEURONS, sums + i * NEURONS)


def pair(found, squares, rows, width):
    """The products of `width` squares with two rows of weights."""
    room = cython.declare(cython.int[4])
    sums = cython.declare(Vector[4])
    i: cython.int
    j: cython.int
    for j in range(4):
        sums[j] = nothing()
    for i in range(width // BYTES):
        some = load(squares + i * BYTES)
        for j in range(2):
            sums[j] = add_products(sums[j], some, load(rows + j * width + i * BYTES))
    totals(room, sums)
    found[0] = room[0]
    found[1] = room[1]


def products(found, squares, rows, width, count):
    """The products of `width` squares with `count` rows of weights, ROWS rows at a time.

    Side by side, the sums need not wait for each other's additions.
    """
    sums = cython.declare(Vector[ROWS])
    i: cython.int
    j: cython.int
    k: cython.int
    for k in range(count // ROWS):
        first = rows + k * ROWS * width
        for j in range(ROWS):
            sums[j] = nothing()
        for i in range(width // BYTES):
            some = load(squares + i * BYTES)
            for j in range(ROWS):
                sums[j] = add_products(sums[j], some, load(first + j * width + i * BYTES))
        totals(found + k * ROWS, sums)
        totals(found + k * ROWS + 4, sums + 4)


LOOPS = cython.declare(Loops)


def entry_points():
    """The address of this build's Loops, for engine/evaluation/accumulator.py."""
    LOOPS.add = add
    LOOPS.subtract = subtract
    LOOPS.shift = shift
    LOOPS.capture = capture
    LOOPS.square = square
    LOOPS.pair = pair
    LOOPS.products = products
    return cast(cython.size_t, address(LOOPS))
