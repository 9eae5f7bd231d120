"""Accumulators: the network's hidden layer, updated by the pieces that a move adds and removes.

The idea is Yu Nasu's (efficiently updatable neural networks, 2018). Mirroring by the king's half of the board, and a cache for
refreshes, have been common since 2020: a refresh starts from the cached sums and adds and removes only the pieces that differ.
"""

import cython
from cython import address

LEVELS = ("avx2", "avx512")  # that setup.py builds for, the fastest last
MOST = cython.declare(cython.int, 7500)  # centipawns; below KNOWN_WIN, so that mating a bare king is worth more


def fastest():
    """The build of engine/evaluation/vectors.py that suits this processor best; a game loads no other."""
    for level in reversed(LEVELS):
        if supports(level) and (found := build_for(level)):
            return found
    return build_for("")


def supports(level):
    """Whether this processor runs the build for one of LEVELS."""
    return bool(has_avx512() if level == "avx512" else has_avx2())


def build_for(level):
    """The build for one of LEVELS, "" for every processor; None if it was not made: only x86-64 has levels."""
    try:
        if level == "avx512":
            from engine.evaluation import vectors_avx512 as found
        elif level == "avx2":
            from engine.evaluation import vectors_avx2 as found
        else:
            from engine.evaluation import vectors as found
    except ImportError:
        if not level:
            raise
        return None
    return found


def builds():
    """All builds that this processor can run, the fastest last."""
    levels = [level for level in LEVELS if supports(level)]
    return [found for level in ("", *levels) if (found := build_for(level))]


def use(build):
    """Use this build in all searches from now on."""
    place: cython.size_t = build.entry_points()
    global loops
    loops = cython.cast(cython.pointer(Loops), place)[0]


def clear_refresh(net, cache):
    """Reset the cache to empty boards, for another network."""
    memset(cache, 0, cython.sizeof(Refresh))
    view: cython.int
    half: cython.int
    for view in range(2):
        for half in range(2):
            memcpy(cache.values[view][half], net.bias, net.hidden * cython.sizeof(I16))


def refresh(net, pos, sums, cache, view):
    """Compute one view's sums from the pieces, starting from the sums of the last refresh with the king on this half."""
    half = king_half(pos, view)
    values = cython.declare(cython.pointer(I16), cache.values[view][half])
    colour: cython.int
    kind: cython.int
    for colour in range(2):
        for kind in range(6):
            now = pos.colour[colour] & pos.kind[kind]
            then = cache.colour[view][half][colour] & cache.kind[view][half][kind]
            added = now & ~then
            removed = then & ~now
            while added:
                loops.add(values, net.inputs + input_of(kind | colour << 3, lsb(added), view, half) * net.hidden, net.hidden)
                added &= added - 1
            while removed:
                loops.subtract(
                    values, net.inputs + input_of(kind | colour << 3, lsb(removed), view, half) * net.hidden, net.hidden
                )
                removed &= removed - 1
    for colour in range(2):
        cache.colour[view][half][colour] = pos.colour[colour]
    for kind in range(6):
        cache.kind[view][half][kind] = pos.kind[kind]
    memcpy(sums.values[view], values, net.hidden * cython.sizeof(I16))
    sums.ready[view] = True


def advance(net, pos, before, move, sums, view):
    """Compute one view's sums after `move` in `pos`, whose sums are `before`. The view's king must stay on its half."""
    n = net.hidden
    half = king_half(pos, view)
    own = cython.declare(cython.pointer(cython.const[I16]), before.values[view])
    values = cython.declare(cython.pointer(I16), sums.values[view])
    rows = net.inputs
    sums.ready[view] = True
    if move == NO_MOVE:
        memcpy(values, own, n * cython.sizeof(I16))
        return
    origin = move_from(move)
    target = move_to(move)
    piece: cython.int = pos.board[origin]
    left = rows + input_of(piece, origin, view, half) * n
    kind = move_kind(move)
    if kind == CASTLING:
        right = castling_right(pos, move)
        rook: cython.int = pos.board[target]
        loops.shift(values, own, rows + input_of(piece, pos.castling.king_to[right], view, half) * n, left, n)
        loops.add(values, rows + input_of(rook, pos.castling.rook_to[right], view, half) * n, n)
        loops.subtract(values, rows + input_of(rook, target, view, half) * n, n)
        return
    victim: cython.int = pos.board[target]
    square: cython.int = target
    if kind == PROMOTION:
        piece = promotion_type(move) | pos.side << 3
    elif kind == EN_PASSANT:
        square = target + 8 if pos.side else target - 8
        victim = PAWN | (pos.side ^ 1) << 3
    came = rows + input_of(piece, target, view, half) * n
    if victim == NO_PIECE:
        loops.shift(values, own, came, left, n)
    else:
        loops.capture(values, own, came, left, rows + input_of(victim, square, view, half) * n, n)


def second_layer(net, squares, neurons):
    """Compute the second layer's neurons, 0 to SECOND_MOST, from the squares of the hidden ones."""
    loops.products(neurons, squares, net.second, 2 * net.hidden, net.neurons)
    k: cython.int
    for k in range(net.neurons):
        x: cython.int = (neurons[k] + net.second_bias[k]) >> SUM_BITS
        x = x if x > 0 else 0
        neurons[k] = x if x < SECOND_MOST else SECOND_MOST


def network_score(net, pos, sums):
    """Centipawns for the side to move; both views must be ready. Divisions round towards zero, so that twins agree.

    Two neighbouring outputs are interpolated by the number of pieces, so that no capture makes the score jump:
    the first stands for 2.5 pieces, the next for 6.5, and so on; `place` counts eighths from one to the next.
    """
    n = net.hidden
    room = cython.declare(Accumulator)
    squares = cython.declare(cython.pointer(U8), cython.cast(cython.pointer(U8), address(room)))
    direct = cython.declare(cython.int[2])
    neurons = cython.declare(cython.int[MOST_SECOND])
    loops.square(squares, sums.values[pos.side], n)
    loops.square(squares + n, sums.values[pos.side ^ 1], n)
    second_layer(net, squares, neurons)
    place: cython.int = 2 * popcount(occupied(pos)) - 5
    place = place if place > 0 else 0
    place = place if place < 8 * (OUTPUTS - 1) else 8 * (OUTPUTS - 1)
    low: cython.int = place >> 3
    low = low if low < OUTPUTS - 2 else OUTPUTS - 2
    loops.pair(direct, squares, net.output + low * 2 * n, 2 * n)
    total: I64 = 0
    bucket: cython.int
    k: cython.int
    for bucket in range(2):
        head = net.head + (low + bucket) * net.neurons
        found: cython.int = 0
        for k in range(net.neurons):
            found += neurons[k] * head[k]
        output: I64 = cython.cast(I64, direct[bucket]) * (1 << SQUARE_BITS) + found
        near: cython.int = place - 8 * low if bucket else 8 - (place - 8 * low)
        total += (output // QA + net.output_bias[low + bucket]) * near
    total = total * net.unit // (8 * QA * QB)
    if total > MOST:
        total = MOST
    if total < -MOST:
        total = -MOST
    return cython.cast(cython.int, total)


use(fastest())
