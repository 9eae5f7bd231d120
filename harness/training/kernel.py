"""Forward and backward pass of the network over packed records, and Adam: compiled by Cython, without the GIL.

The network has 768 inputs (own and enemy pieces on 64 squares, the board turned so that the side plays up it and mirrored so
that its king stands on files a to d), a hidden layer that both sides share and a squared clipped ReLU. From there one way leads
straight to the outputs, another through a second layer with a clipped ReLU. There is an output for each four pieces on the
board, and the two that are nearest to their number count. Only inputs that are 1 cost anything.
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
    # Eighths of an output: the first stands for 2.5 pieces, the next for 6.5, and so on.
    place: cython.int = 2 * n - 5
    place = place if place > 0 else 0
    place = place if place < 8 * (BUCKETS - 1) else 8 * (BUCKETS - 1)
    low: cython.int = place // 8
    active.low = low if low < BUCKETS - 2 else BUCKETS - 2
    high: cython.float = place - 8 * active.low
    active.high = high / 8


def add_row(sum, row, n):
    """sum += row."""
    i: cython.int
    for i in range(n):
        sum[i] += row[i]


def add_times(sum, row, factor, n):
    """sum += factor * row."""
    i: cython.int
    for i in range(n):
        sum[i] += factor * row[i]


def dot(one, other, n):
    """The product of two rows, LANES sums side by side."""
    lane = cython.declare(cython.float[LANES])
    i: cython.int
    j: cython.int
    for j in range(LANES):
        lane[j] = 0
    for i in range(n // LANES):
        for j in range(LANES):
            lane[j] += one[i * LANES + j] * other[i * LANES + j]
    total: cython.float = 0
    for j in range(LANES):
        total += lane[j]
    return total


def clipped(x):
    """x within 0 and 1."""
    x = x if x > 0 else 0
    return x if x < 1 else 1


def forward(net, active, layers):
    """The output for a position; `layers` receives what the layers hold."""
    n: cython.int = net.hidden
    width: cython.int = 2 * n
    view: cython.int
    i: cython.int
    k: cython.int
    for view in range(2):
        sums = layers.sums + view * n
        memcpy(sums, net.bias, n * cython.sizeof(cython.float))
        for i in range(active.count):
            add_row(sums, net.inputs + active.index[view][i] * n, n)
    for i in range(width):
        x: cython.float = clipped(layers.sums[i])
        layers.squares[i] = x * x
    for k in range(net.neurons):
        layers.second[k] = net.second_bias[k] + dot(net.second + k * width, layers.squares, width)
    total: cython.float = 0
    bucket: cython.int
    for bucket in range(active.low, active.low + 2):
        found: cython.float = net.output_bias[bucket] + dot(net.output + bucket * width, layers.squares, width)
        for k in range(net.neurons):
            found += net.head[bucket * net.neurons + k] * clipped(layers.second[k])
        total += found * (1 - active.high if bucket == active.low else active.high)
    return total


def backward(net, grad, active, layers, error, all_layers):
    """Add a position's gradients to `grad`, without `all_layers` only what the second layer and the biases of outputs need.

    `error` is the derivative of the loss by the output.
    """
    n: cython.int = net.hidden
    width: cython.int = 2 * n
    bucket: cython.int
    view: cython.int
    i: cython.int
    k: cython.int
    pull = cython.declare(cython.float[MOST_SECOND])
    memset(pull, 0, cython.sizeof(pull))
    memset(layers.slope, 0, width * cython.sizeof(cython.float))
    for bucket in range(active.low, active.low + 2):
        part: cython.float = error * (1 - active.high if bucket == active.low else active.high)
        grad.output_bias[bucket] += part
        if all_layers:
            add_times(grad.output + bucket * width, layers.squares, part, width)
            add_times(layers.slope, net.output + bucket * width, part, width)
        for k in range(net.neurons):
            grad.head[bucket * net.neurons + k] += part * clipped(layers.second[k])
            pull[k] += part * net.head[bucket * net.neurons + k]
    for k in range(net.neurons):
        if 0 < layers.second[k] < 1:
            grad.second_bias[k] += pull[k]
            add_times(grad.second + k * width, layers.squares, pull[k], width)
            if all_layers:
                add_times(layers.slope, net.second + k * width, pull[k], width)
    if not all_layers:
        return
    for i in range(width):
        x: cython.float = clipped(layers.sums[i])
        inside: cython.float = 1 if x == layers.sums[i] else 0
        layers.slope[i] *= 2 * x * inside
    for view in range(2):
        add_row(grad.bias, layers.slope + view * n, n)
        for i in range(active.count):
            add_row(grad.inputs + active.index[view][i] * n, layers.slope + view * n, n)


@cython.cfunc
def shape_of(arrays, shape: cython.pointer(Shape)) -> cython.int:
    """Fill a Shape with the addresses of these arrays, in the order of network.Arrays; ValueError if their sizes do not fit."""
    inputs: cython.float[:, ::1] = arrays[0]
    bias: cython.float[::1] = arrays[1]
    output: cython.float[:, ::1] = arrays[2]
    output_bias: cython.float[::1] = arrays[3]
    second: cython.float[:, ::1] = arrays[4]
    second_bias: cython.float[::1] = arrays[5]
    head: cython.float[:, ::1] = arrays[6]
    hidden: cython.int = bias.shape[0]
    neurons: cython.int = second_bias.shape[0]
    fits = inputs.shape[0] == INPUTS and inputs.shape[1] == hidden and output.shape[0] == BUCKETS
    fits = fits and output.shape[1] == 2 * hidden and output_bias.shape[0] == BUCKETS
    fits = fits and second.shape[0] == neurons and second.shape[1] == 2 * hidden
    fits = fits and head.shape[0] == BUCKETS and head.shape[1] == neurons
    if not fits or hidden % LANES or not 0 < hidden <= MOST_HIDDEN or not 0 < neurons <= MOST_SECOND:
        raise ValueError(
            f"a hidden layer is a multiple of {LANES} neurons, {MOST_HIDDEN} at most, a second one 1 to {MOST_SECOND}, "
            "and the arrays are as wide"
        )
    shape.inputs = address(inputs[0, 0])
    shape.bias = address(bias[0])
    shape.output = address(output[0, 0])
    shape.output_bias = address(output_bias[0])
    shape.second = address(second[0, 0])
    shape.second_bias = address(second_bias[0])
    shape.head = address(head[0, 0])
    shape.hidden = hidden
    shape.neurons = neurons
    return 0


@cython.cfunc
def records_in(batch: cython.uchar[::1]) -> cython.int:
    """How many records the bytes hold; ValueError if it is no whole number."""
    if batch.shape[0] % 32 or not batch.shape[0]:
        raise ValueError("a batch is a whole number of records of 32 bytes")
    return batch.shape[0] // 32


def outputs(batch: cython.uchar[::1], params, found: cython.float[::1]):
    """Write the network's output for each record of the batch to `found`."""
    net = cython.declare(Shape)
    active = cython.declare(Active)
    layers = cython.declare(Layers)
    shape_of(params, address(net))
    count: cython.int = records_in(batch)
    if found.shape[0] != count:
        raise ValueError("an output for each record")
    records = cast(cython.pointer(Record), address(batch[0]))
    i: cython.int
    with cython.nogil:
        for i in range(count):
            find_active(records + i, address(active))
            found[i] = forward(address(net), address(active), address(layers))


def gradients(
    batch: cython.uchar[::1],
    params,
    grads,
    targets: cython.float[::1],
    scale: cython.float,
    unit: cython.float,
    all_layers: cython.bint = True,
):
    """Add the gradients of a batch's loss to `grads`; returns the loss, summed over the records.

    The loss of a record is (p - target)^2, where p = 1 / (1 + exp(-output * unit / scale)) are the expected points of its
    output. `unit` is what an output of 1 means in centipawns, `scale` what a score is divided by in the sigmoid. Without
    `all_layers` the gradients of inputs, bias and output are left out.
    """
    net = cython.declare(Shape)
    grad = cython.declare(Shape)
    active = cython.declare(Active)
    layers = cython.declare(Layers)
    shape_of(params, address(net))
    shape_of(grads, address(grad))
    if net.hidden != grad.hidden or net.neurons != grad.neurons:
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
            points: cython.float = 1 / (1 + expf(-forward(address(net), address(active), address(layers)) * steep))
            wrong: cython.float = points - targets[i]
            loss += wrong * wrong
            error: cython.float = 2 * wrong * points * (1 - points) * steep
            backward(address(net), address(grad), address(active), address(layers), error, all_layers)
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
