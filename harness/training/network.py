"""The network as numbers: floats in training, whole numbers for the engine, and the file that holds those.

A file is a header of 64 bytes and the weights, all little-endian. The header is `MAGIC` (16 bytes), then whole numbers of four
bytes each: inputs, hidden neurons, outputs, QA, QB, unit (centipawns of an output of 1), CRC-32 of the weights, neurons of the
second layer; then zeros. The weights are inputs [768][hidden], bias [hidden], output [8][2 * hidden], second [neurons][2 * hidden]
and head [8][neurons] in two bytes each, then second bias [neurons] and output bias [8] in four.

`Quantised.scores` computes exactly what the engine does. The hidden sums are clipped to 0..QA, squared, and rounded to multiples
of 1 << SQUARE_BITS: to 0..127, a byte. Weights that multiply these squares are bytes too, although the file gives them more room:
there the second layer's weights are 4 and its biases 128 times as large. The second layer's sums lose SUM_BITS and are clipped to
0..SECOND. An output is the sum of squares times output weights and of the second layer times the head, divided by QA, and its
bias. The two outputs that are nearest to the number of pieces count by eighths; their sum is multiplied by the unit and divided by
8 * QA * QB. Both divisions round towards zero.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.errors import BadInput
from harness.training.positions import Records, codes

INPUTS, BUCKETS = 768, 8
QA, QB = 255, 64
SQUARE_BITS, SECOND_BITS, SUM_BITS = 9, 7, 2
SQUARE = QA * QA >> SQUARE_BITS  # a squared neuron of 1
SECOND = SQUARE << SECOND_BITS >> SUM_BITS  # a neuron of the second layer of 1
# The file has the second layer's weights and biases finer by so many bits, from before they were bytes.
FINER_BITS, FINER_BIAS_BITS = 2, 7
LANES, MOST_HIDDEN = 32, 512
ROWS, MOST_SECOND = 8, 64
BOUND = 127 / QB  # of a weight, so that the sum of 33 input weights fits 16 bits
SECOND_BOUND = 127 / (1 << SECOND_BITS)
HEAD_BOUND = 8.0
UNIT = 400.0  # centipawns of an output of 1 while it is trained
LEAST_UNIT, MOST_UNIT = 20, 2000  # in a file
MOST = 7500  # centipawns; endings known to be won score 8000 and more
MAGIC = b"Sortie network 1"
HEAD = struct.Struct("<16s8I")
HEAD_SIZE = 64

Floats = NDArray[np.float32]
Real = NDArray[np.floating[Any]]


class Arrays(NamedTuple):
    """A network in floats, those of 32 bits where it is trained."""

    inputs: Real  # [768][hidden]
    bias: Real  # [hidden]
    output: Real  # [8][2 * hidden], straight from the hidden layer
    output_bias: Real  # [8]
    second: Real  # [neurons][2 * hidden]
    second_bias: Real  # [neurons]
    head: Real  # [8][neurons], from the second layer to the outputs


HEAD_LEVELS = QB << (SQUARE_BITS - SECOND_BITS + SUM_BITS)
# What a weight of 1 is as a whole number, and the type of these, as `Arrays` has them.
LEVELS = (QA, QA, QB, QA * QB, 1 << SECOND_BITS, SQUARE << SECOND_BITS, HEAD_LEVELS)
KINDS = (np.int16, np.int16, np.int8, np.int32, np.int8, np.int32, np.int16)


def start(hidden: int, second: int, seed: int) -> Arrays:
    """Random weights, those of the head 0. Raises BadInput for a width that cannot be."""
    if hidden % LANES or not 0 < hidden <= MOST_HIDDEN:
        raise BadInput(f"--hidden: expected a multiple of {LANES}, {MOST_HIDDEN} at most, not {hidden}")
    if second % ROWS or not 0 < second <= MOST_SECOND:
        raise BadInput(f"--second: expected a multiple of {ROWS}, {MOST_SECOND} at most, not {second}")
    chance = np.random.default_rng([seed, 0])
    # About thirty inputs are 1 at a time, so that the sums begin near the middle of the clipped range.
    return Arrays(
        chance.normal(0, 0.05, (INPUTS, hidden)).astype(np.float32),
        chance.uniform(0, 0.5, hidden).astype(np.float32),
        chance.normal(0, 1 / np.sqrt(2 * hidden), (BUCKETS, 2 * hidden)).astype(np.float32),
        np.zeros(BUCKETS, dtype=np.float32),
        chance.normal(0, 2 / np.sqrt(2 * hidden), (second, 2 * hidden)).astype(np.float32),
        np.full(second, 0.2, dtype=np.float32),
        np.zeros((BUCKETS, second), dtype=np.float32),
    )


def places(records: Records) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The outputs that count: the first of the two, and eighths of the second. They stand for 2.5, 6.5, ... 30.5 pieces."""
    place = np.clip(2 * np.bitwise_count(np.asarray(records["occupancy"])).astype(np.int64) - 5, 0, 8 * (BUCKETS - 1))
    low = np.minimum(place >> 3, BUCKETS - 2)
    return low, place - 8 * low


def active(records: Records) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Inputs that are 1, [positions][side to move, other][32]; which of these places are used."""
    pieces = codes(records).astype(np.int64)
    occupancy = np.ascontiguousarray(records["occupancy"])
    bits = np.unpackbits(occupancy.view("u1").reshape(-1, 8), axis=1, bitorder="little").astype(bool)
    real = pieces != 15
    squares = np.zeros_like(pieces)
    squares[real] = np.nonzero(bits)[1]
    side = np.asarray(records["side"]).astype(np.int64)[:, None]
    found = np.zeros((len(records), 2, 32), dtype=np.int64)
    for view in range(2):
        colour = side ^ view
        king = squares[np.arange(len(records)), np.argmax(pieces == 5 + 8 * colour, axis=1)]
        turn = np.where(king % 8 > 3, 7, 0)[:, None] ^ np.where(colour == 1, 56, 0)
        theirs = (pieces >> 3) ^ colour
        found[:, view] = (theirs * 6 + (pieces & 7)) * 64 + (squares ^ turn)
    found[~np.stack([real, real], axis=1)] = 0
    return found, real


@dataclass(frozen=True, slots=True)
class Quantised:
    """The network in whole numbers, as the engine has it."""

    inputs: NDArray[np.int16]  # [768][hidden], times QA
    bias: NDArray[np.int16]  # [hidden], times QA
    output: NDArray[np.int8]  # [8][2 * hidden], times QB
    output_bias: NDArray[np.int32]  # [8], times QA * QB
    second: NDArray[np.int8]  # [neurons][2 * hidden], times 1 << SECOND_BITS
    second_bias: NDArray[np.int32]  # [neurons], times SQUARE << SECOND_BITS
    head: NDArray[np.int16]  # [8][neurons], times HEAD_LEVELS
    unit: int

    @property
    def hidden(self) -> int:
        return len(self.bias)

    @property
    def neurons(self) -> int:
        """Neurons of the second layer."""
        return len(self.second_bias)

    def arrays(self) -> Arrays:
        """The weights as training has them."""
        numbers = (getattr(self, name) for name in Arrays._fields)
        return Arrays(*((part / level).astype(np.float32) for part, level in zip(numbers, LEVELS, strict=True)))

    def scores(self, records: Records) -> NDArray[np.int64]:
        """Centipawns for the side to move, computed as the engine does, but slowly and plainly."""
        found = np.empty(len(records), dtype=np.int64)
        step = 4096
        for first in range(0, len(records), step):
            part = records[first : first + step]
            index, real = active(part)
            rows = self.inputs[index].astype(np.int64) * real[:, None, :, None]
            sums = rows.sum(axis=2) + self.bias
            squares = _rounded(np.clip(sums, 0, QA).reshape(len(part), -1) ** 2, SQUARE_BITS)
            second = squares @ self.second.T.astype(np.int64) + self.second_bias
            second = np.clip(second >> SUM_BITS, 0, SECOND)
            low, high = places(part)
            total = np.zeros(len(part), dtype=np.int64)
            for bucket, share in ((low, 8 - high), (low + 1, high)):
                direct = (squares * self.output[bucket]).sum(axis=1) << SQUARE_BITS
                output = direct + (second * self.head[bucket]).sum(axis=1)
                total += share * (_towards_zero(output, QA) + self.output_bias[bucket])
            found[first : first + step] = np.clip(_towards_zero(total * self.unit, 8 * QA * QB), -MOST, MOST)
        return found

    def pack(self) -> bytes:
        """The bytes of the file."""
        second, second_bias = self.second.astype("<i2") << FINER_BITS, self.second_bias << FINER_BIAS_BITS
        short = (self.inputs, self.bias, self.output, second, self.head)
        weights = b"".join(part.astype("<i2").tobytes() for part in short)
        weights += b"".join(part.astype("<i4").tobytes() for part in (second_bias, self.output_bias))
        crc = zlib.crc32(weights)
        head = HEAD.pack(MAGIC, INPUTS, self.hidden, BUCKETS, QA, QB, self.unit, crc, self.neurons)
        return head.ljust(HEAD_SIZE, b"\0") + weights


def _rounded(value: NDArray[Any], bits: int) -> NDArray[Any]:
    """The whole numbers nearest to value / 2 ** bits."""
    return (value + (1 << bits >> 1)) >> bits


def _towards_zero(value: NDArray[np.int64], divisor: int) -> NDArray[np.int64]:
    found: NDArray[np.int64] = np.sign(value) * (np.abs(value) // divisor)
    return found


def quantise(arrays: Arrays, unit: float = UNIT) -> Quantised:
    """The whole numbers nearest to these weights; `unit` in centipawns of an output of 1."""
    whole: dict[str, Any] = {
        name: np.rint(part * level).astype(kind)
        for name, part, level, kind in zip(Arrays._fields, arrays, LEVELS, KINDS, strict=True)
    }
    return Quantised(**whole, unit=round(unit))


def read(path: Path | str) -> Quantised:
    """The network in a file. Raises BadInput for a missing, foreign or damaged one."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from None
    if data[:16] != MAGIC or len(data) < HEAD_SIZE:
        raise BadInput(f"{path}: is no network of Sortie, expected a file written by gauntlet train")
    _, inputs, hidden, buckets, qa, qb, unit, crc, second = HEAD.unpack_from(data)
    widths = not hidden % LANES and 0 < hidden <= MOST_HIDDEN and not second % ROWS and second <= MOST_SECOND
    if (inputs, buckets) != (INPUTS, BUCKETS) or not widths:
        shape = f"{inputs} inputs, {hidden} and {second} neurons, {buckets} outputs"
        raise BadInput(f"{path}: holds a network of another shape: {shape}")
    if (qa, qb) != (QA, QB) or not LEAST_UNIT <= unit <= MOST_UNIT or any(data[HEAD.size : HEAD_SIZE]):
        raise BadInput(f"{path}: is damaged: its header says what no training writes")
    weights = data[HEAD_SIZE:]
    sizes = [
        *(2 * INPUTS * hidden, 2 * hidden, 2 * BUCKETS * 2 * hidden, 2 * second * 2 * hidden, 2 * BUCKETS * second),
        *(4 * second, 4 * BUCKETS),
    ]
    if len(weights) != sum(sizes) or zlib.crc32(weights) != crc:
        raise BadInput(f"{path}: is damaged: its length or its checksum is wrong")
    ends = np.cumsum(sizes)[:-1]
    parts = [weights[first:last] for first, last in zip([0, *ends], [*ends, len(weights)], strict=True)]
    output = np.frombuffer(parts[2], "<i2").reshape(BUCKETS, 2 * hidden)
    rows = _rounded(np.frombuffer(parts[3], "<i2").astype(np.int32), FINER_BITS).reshape(second, 2 * hidden)
    if max(np.abs(output.astype(np.int32)).max(), np.abs(rows).max(initial=0)) > 127:
        raise BadInput(f"{path}: is damaged: it holds weights that no training writes")
    return Quantised(
        inputs=np.frombuffer(parts[0], "<i2").reshape(INPUTS, hidden),
        bias=np.frombuffer(parts[1], "<i2"),
        output=output.astype(np.int8),
        second=rows.astype(np.int8),
        head=np.frombuffer(parts[4], "<i2").reshape(BUCKETS, second),
        second_bias=_rounded(np.frombuffer(parts[5], "<i4"), FINER_BIAS_BITS),
        output_bias=np.frombuffer(parts[6], "<i4"),
        unit=unit,
    )
