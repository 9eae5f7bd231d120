"""The network as numbers: floats in training, whole numbers for the engine, and the file that holds those.

A file is a header of 64 bytes and the weights, all little-endian. The header is `MAGIC` (16 bytes), then whole numbers of four
bytes each: inputs, hidden neurons, output buckets, QA, QB, unit (centipawns of an output of 1), CRC-32 of the weights; then
zeros. The weights are inputs [768][hidden], bias [hidden] and output [8][2 * hidden] in two bytes each, output bias [8] in four.

`Quantised.scores` computes exactly what the engine does: the hidden sums are clipped to 0..QA, squared, multiplied by the output
weights and summed; the sum is divided by QA, the bias added, then multiplied by the unit and divided by QA * QB. Both divisions
round towards zero.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.errors import BadInput
from harness.training.positions import Records, codes

INPUTS, BUCKETS = 768, 8
QA, QB = 255, 64
LANES, MOST_HIDDEN = 32, 512
BOUND = 127 / QB  # of a weight, so that weight times neuron fits 16 bits, and the sum of 33 input weights too
UNIT = 400.0  # centipawns of an output of 1 while it is trained
LEAST_UNIT, MOST_UNIT = 20, 2000  # in a file
MOST = 7500  # centipawns; endings known to be won score 8000 and more
MAGIC = b"Sortie network 1"
HEAD = struct.Struct("<16s7I")
HEAD_SIZE = 64

Floats = NDArray[np.float32]
Arrays = tuple[Floats, Floats, Floats, Floats]


def start(hidden: int, seed: int) -> Arrays:
    """Random weights: inputs, bias, output, output bias. Raises BadInput for a width that cannot be."""
    if hidden % LANES or not 0 < hidden <= MOST_HIDDEN:
        raise BadInput(f"--hidden: expected a multiple of {LANES}, {MOST_HIDDEN} at most, not {hidden}")
    chance = np.random.default_rng([seed, 0])
    # About thirty inputs are 1 at a time, so that the sums begin near the middle of the clipped range.
    return (
        chance.normal(0, 0.05, (INPUTS, hidden)).astype(np.float32),
        chance.uniform(0, 0.5, hidden).astype(np.float32),
        chance.normal(0, 1 / np.sqrt(2 * hidden), (BUCKETS, 2 * hidden)).astype(np.float32),
        np.zeros(BUCKETS, dtype=np.float32),
    )


def active(records: Records) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
    """Inputs that are 1, [positions][side to move, other][32]; which of these places are used; the output bucket."""
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
    return found, real, (np.bitwise_count(occupancy).astype(np.int64) - 1) // 4


@dataclass(frozen=True, slots=True)
class Quantised:
    """The network in whole numbers, as the engine has it."""

    inputs: NDArray[np.int16]  # [768][hidden], times QA
    bias: NDArray[np.int16]  # [hidden], times QA
    output: NDArray[np.int16]  # [8][2 * hidden], times QB
    output_bias: NDArray[np.int32]  # [8], times QA * QB
    unit: int

    @property
    def hidden(self) -> int:
        return len(self.bias)

    def arrays(self) -> Arrays:
        """The weights as training has them."""
        return (
            (self.inputs / QA).astype(np.float32),
            (self.bias / QA).astype(np.float32),
            (self.output / QB).astype(np.float32),
            (self.output_bias / (QA * QB)).astype(np.float32),
        )

    def scores(self, records: Records) -> NDArray[np.int64]:
        """Centipawns for the side to move, computed as the engine does, but slowly and plainly."""
        found = np.empty(len(records), dtype=np.int64)
        step = 4096
        for first in range(0, len(records), step):
            part = records[first : first + step]
            index, real, bucket = active(part)
            rows = self.inputs[index].astype(np.int64) * real[:, None, :, None]
            sums = rows.sum(axis=2) + self.bias
            neurons = np.clip(sums, 0, QA).reshape(len(part), -1)
            total = (neurons * neurons * self.output[bucket]).sum(axis=1)
            value = (_towards_zero(total, QA) + self.output_bias[bucket]) * self.unit
            found[first : first + step] = np.clip(_towards_zero(value, QA * QB), -MOST, MOST)
        return found

    def pack(self) -> bytes:
        """The bytes of the file."""
        parts = ((self.inputs, "<i2"), (self.bias, "<i2"), (self.output, "<i2"), (self.output_bias, "<i4"))
        weights = b"".join(part.astype(kind).tobytes() for part, kind in parts)
        head = HEAD.pack(MAGIC, INPUTS, self.hidden, BUCKETS, QA, QB, self.unit, zlib.crc32(weights))
        return head.ljust(HEAD_SIZE, b"\0") + weights


def _towards_zero(value: NDArray[np.int64], divisor: int) -> NDArray[np.int64]:
    found: NDArray[np.int64] = np.sign(value) * (np.abs(value) // divisor)
    return found


def quantise(arrays: Arrays, unit: float = UNIT) -> Quantised:
    """The whole numbers nearest to these weights; `unit` in centipawns of an output of 1."""
    inputs, bias, output, output_bias = arrays
    return Quantised(
        np.rint(inputs * QA).astype(np.int16),
        np.rint(bias * QA).astype(np.int16),
        np.rint(output * QB).astype(np.int16),
        np.rint(output_bias * QA * QB).astype(np.int32),
        round(unit),
    )


def read(path: Path | str) -> Quantised:
    """The network in a file. Raises BadInput for a missing, foreign or damaged one."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from None
    if data[:16] != MAGIC or len(data) < HEAD_SIZE:
        raise BadInput(f"{path}: is no network of Sortie, expected a file written by gauntlet train")
    _, inputs, hidden, buckets, qa, qb, unit, crc = HEAD.unpack_from(data)
    if (inputs, buckets, qa, qb) != (INPUTS, BUCKETS, QA, QB) or hidden % LANES or not 0 < hidden <= MOST_HIDDEN:
        raise BadInput(f"{path}: holds a network of another shape: {inputs} inputs, {hidden} hidden, {buckets} outputs")
    if not LEAST_UNIT <= unit <= MOST_UNIT or any(data[HEAD.size : HEAD_SIZE]):
        raise BadInput(f"{path}: is damaged: its header says what no training writes")
    weights = data[HEAD_SIZE:]
    sizes = [2 * INPUTS * hidden, 2 * hidden, 2 * BUCKETS * 2 * hidden, 4 * BUCKETS]
    if len(weights) != sum(sizes) or zlib.crc32(weights) != crc:
        raise BadInput(f"{path}: is damaged: its length or its checksum is wrong")
    ends = np.cumsum(sizes)[:-1]
    parts = [weights[first:last] for first, last in zip([0, *ends], [*ends, len(weights)], strict=True)]
    return Quantised(
        np.frombuffer(parts[0], "<i2").reshape(INPUTS, hidden),
        np.frombuffer(parts[1], "<i2"),
        np.frombuffer(parts[2], "<i2").reshape(BUCKETS, 2 * hidden),
        np.frombuffer(parts[3], "<i4"),
        unit,
    )
