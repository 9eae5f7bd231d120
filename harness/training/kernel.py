"""Forward and backward pass of the network over packed records, and Adam: compiled by Cython, without the GIL.

The network has 768 inputs (own and enemy pieces on 64 squares, the board turned so that the side plays up it and mirrored so
that its king stands on files a to d), a hidden layer that both sides share, a squared clipped ReLU, and an output neuron for
each four pieces on the board. Only inputs that are 1 cost anything.
"""

import cython
from cython import address, cast


def supports_avx2():
    """Whether this processor runs the build that is made for AVX2 and FMA."""
    return bool(has_avx2())


def find_active(record, active):
    """List the inputs of a position that are 1, those of the side to move first."""
    squares = cython.declare(cython.int[32])
    codes = cython.declare(cython.int[32])
    mirror = cython.declare(cython.int[2])
    occupancy = record.occupancy
    side: cython.int = record.side
    n: cython.int = 0
    i: cython.int
    view: cython.int
    mirror[0] = mirror[1] = 0
    while occupancy and n < 32:
        squares[n] = lsb(occupancy)
        codes[n] = record.pieces[n >> 1] >> (4 * (n & 1)) & 15
        if codes[n] & 7 == 5 and squares[n] & 7 > 3:
            mirror[(codes[n] >> 3) ^ side] = 7
        occupancy &= occupancy - 1
        n += 1
    for view in range(2):
        turn: cython.int = mirror[view] ^ (56 if side ^ view else 0)
        for i in range(n):
            theirs: cython.int = (codes[i] >> 3) ^ side ^ view
            active.index[view][i] = (theirs * 6 + (codes[i] & 7)) * 64 + (squares[i] ^ turn)
    active.count = n
    active.bucket = (popcount(record.occupancy) - 1) // 4


def add_row(sum, row, n):
    """sum += row."""
    i: cython.int
    for i in range(n):
        sum[i] += row[i]


def forward(net, active, hidden):
    """The output for a position; `hidden` receives the sums of the hidden neurons, the side to move first."""
    n: cython.int = net.hidden
    view: cython.int
    i: cython.int
    j: cython.int
    lane = cython.declare(cython.float[LANES])
    for view in range(2):
        sums = hidden + view * n
        memcpy(sums, net.bias, n * cython.sizeof(cython.float))
        for i in range(active.count):
            add_row(sums, net.inputs + active.index[view][i] * n, n)
    weights = net.output + active.bucket * 2 * n
    for j in range(LANES):
        lane[j] = 0
    for i in range(2 * n // LANES):
        for j in range(LANES):
            x: cython.float = hidden[i * LANES + j]
            x = x if x > 0 else 0
            x = x if x < 1 else 1
            lane[j] += x * x * weights[i * LANES + j]
    total: cython.float = net.output_bias[active.bucket]
    for j in range(LANES):
        total += lane[j]
    return total


def backward(net, grad, active, hidden, slope, error):
    """Add a position's gradients to `grad`; `error` is the derivative of the loss by the output."""
    n: cython.int = net.hidden
    view: cython.int
    i: cython.int
    weights = net.output + active.bucket * 2 * n
    output = grad.output + active.bucket * 2 * n
    for i in range(2 * n):
        x: cython.float = hidden[i]
        x = x if x > 0 else 0
        x = x if x < 1 else 1
        inside: cython.float = 1 if x == hidden[i] else 0
        output[i] += error * x * x
        slope[i] = 2 * error * x * weights[i] * inside
    grad.output_bias[active.bucket] += error
    for view in range(2):
        add_row(grad.bias, slope + view * n, n)
        for i in range(active.count):
            add_row(grad.inputs + active.index[view][i] * n, slope + view * n, n)


@cython.cfunc
def shape_of(arrays: tuple, shape: cython.pointer(Shape)) -> cython.int:
    """Fill a Shape with the addresses of these four arrays; ValueError if their sizes do not fit each other."""
    inputs: cython.float[:, ::1] = arrays[0]
    bias: cython.float[::1] = arrays[1]
    output: cython.float[:, ::1] = arrays[2]
    output_bias: cython.float[::1] = arrays[3]
    hidden: cython.int = bias.shape[0]
    fits = inputs.shape[0] == INPUTS and inputs.shape[1] == hidden and output.shape[0] == BUCKETS
    fits = fits and output.shape[1] == 2 * hidden and output_bias.shape[0] == BUCKETS
    if not fits or hidden % LANES or not 0 < hidden <= MOST_HIDDEN:
        raise ValueError(f"a hidden layer is a multiple of {LANES} neurons, {MOST_HIDDEN} at most, the arrays as wide")
    shape.inputs = address(inputs[0, 0])
    shape.bias = address(bias[0])
    shape.output = address(output[0, 0])
    shape.output_bias = address(output_bias[0])
    shape.hidden = hidden
    return 0


@cython.cfunc
def records_in(batch: cython.uchar[::1]) -> cython.int:
    """How many records the bytes hold; ValueError if it is no whole number."""
    if batch.shape[0] % 32 or not batch.shape[0]:
        raise ValueError("a batch is a whole number of records of 32 bytes")
    return batch.shape[0] // 32


def outputs(batch: cython.uchar[::1], params: tuple, found: cython.float[::1]):
    """Write the network's output for each record of the batch to `found`."""
    net = cython.declare(Shape)
    active = cython.declare(Active)
    hidden = cython.declare(cython.float[BOTH_HIDDEN])
    shape_of(params, address(net))
    count: cython.int = records_in(batch)
    if found.shape[0] != count:
        raise ValueError("an output for each record")
    records = cast(cython.pointer(Record), address(batch[0]))
    i: cython.int
    with cython.nogil:
        for i in range(count):
            find_active(records + i, address(active))
            found[i] = forward(address(net), address(active), hidden)


def gradients(
    batch: cython.uchar[::1],
    params: tuple,
    grads: tuple,
    targets: cython.float[::1],
    scale: cython.float,
    unit: cython.float,
):
    """Add the gradients of a batch's loss to `grads`; returns the loss, summed over the records.

    The loss of a record is (p - target)^2, where p = 1 / (1 + exp(-output * unit / scale)) are the expected points of its
    output. `unit` is what an output of 1 means in centipawns, `scale` what a score is divided by in the sigmoid.
    """
    net = cython.declare(Shape)
    grad = cython.declare(Shape)
    active = cython.declare(Active)
    hidden = cython.declare(cython.float[BOTH_HIDDEN])
    slope = cython.declare(cython.float[BOTH_HIDDEN])
    shape_of(params, address(net))
    shape_of(grads, address(grad))
    if net.hidden != grad.hidden:
        raise ValueError("gradients have the shape of the parameters")
    count: cython.int = records_in(batch)
    if targets.shape[0] != count:
        raise ValueError("a target for each record")
    records = cast(cython.pointer(Record), address(batch[0]))
    loss: cython.double = 0
    steep: cython.float = unit / scale
    i: cython.int
    with cython.nogil:
        for i in range(count):
            find_active(records + i, address(active))
            points: cython.float = 1 / (1 + expf(-forward(address(net), address(active), hidden) * steep))
            wrong: cython.float = points - targets[i]
            loss += wrong * wrong
            error: cython.float = 2 * wrong * points * (1 - points) * steep
            backward(address(net), address(grad), address(active), hidden, slope, error)
    return loss


def adam(
    values: cython.float[::1],
    grads: cython.float[::1],
    first: cython.float[::1],
    second: cython.float[::1],
    rate: cython.float,
    decay: cython.float,
    bound: cython.float,
    step: cython.int,
):
    """One step of AdamW (Loshchilov and Hutter 2019), moments 0.9 and 0.999; the values are then clipped to +-bound."""
    n: cython.Py_ssize_t = values.shape[0]
    if grads.shape[0] != n or first.shape[0] != n or second.shape[0] != n:
        raise ValueError("values, gradients and moments are equally many")
    keep_first: cython.float = 0.9
    keep_second: cython.float = 0.999
    fix_first: cython.float = 1 / (1 - 0.9**step)
    fix_second: cython.float = 1 / (1 - 0.999**step)
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n):
            first[i] = keep_first * first[i] + (1 - keep_first) * grads[i]
            second[i] = keep_second * second[i] + (1 - keep_second) * grads[i] * grads[i]
            x: cython.float = values[i] * (1 - rate * decay)
            x -= rate * first[i] * fix_first / (sqrtf(second[i] * fix_second) + 1e-8)
            x = x if x < bound else bound
            values[i] = x if x > -bound else -bound
