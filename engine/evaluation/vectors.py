"""Loops over hidden neurons, written so that the compiler vectorises them.

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
    """Neurons clipped to 0..QA and squared, shifted right by SQUARE_BITS."""
    i: cython.int
    for i in range(n):
        x: I16 = sums[i]
        x = x if x > 0 else 0
        x = x if x < QA else QA
        y: U16 = cast(U16, x * x)
        squares[i] = y >> SQUARE_BITS


def pair(found, squares, rows, width):
    """The products of `width` squares with two rows of weights."""
    other = rows + width
    a: cython.int = 0
    b: cython.int = 0
    i: cython.int
    for i in range(width):
        x: cython.int = squares[i]
        a += x * rows[i]
        b += x * other[i]
    found[0] = a
    found[1] = b


def products(found, squares, rows, width, count):
    """The products of `width` squares with `count` rows of weights, ROWS rows at a time.

    Side by side, the sums need not wait for each other's additions. Each row has a pointer of its own: the compiler cannot
    rule out that an index such as width + i overflows, and would then not vectorise.
    """
    row = cython.declare(cython.pointer(cython.const[I16])[8])
    total = cython.declare(cython.int[8])
    i: cython.int
    j: cython.int
    k: cython.int
    for k in range(count // ROWS):
        for j in range(ROWS):
            row[j] = rows + (k * ROWS + j) * width
            total[j] = 0
        for i in range(width):
            x: cython.int = squares[i]
            for j in range(ROWS):
                total[j] += x * row[j][i]
        for j in range(ROWS):
            found[k * ROWS + j] = total[j]


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
