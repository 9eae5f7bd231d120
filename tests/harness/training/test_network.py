"""The network as whole numbers: close to what was trained, and a file that says what it is."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from packed_positions import by_lot, plain_outputs, records

from engine.evaluation.network import Network
from harness.errors import BadInput
from harness.training import network
from harness.training.network import Arrays


def test_whole_numbers_are_close_to_the_floats() -> None:
    arrays = by_lot(64, 8, 8)
    found = records(300, 4)
    made = network.quantise(arrays)
    rounded = made.arrays()
    for array, near, step in zip(arrays, rounded, network.LEVELS, strict=True):
        assert np.abs(array - near).max() <= 0.5 / step + 1e-6
    # With the weights as they were rounded, only squares, second layer and divisions are rounded once more.
    errors = made.scores(found) - plain_outputs(found, rounded) * network.UNIT
    assert errors.std() < 3 and np.abs(errors).max() < 10  # centipawns; most of it comes from the squares
    double = network.quantise(arrays, 2 * network.UNIT)
    assert np.abs(double.scores(found) - 2 * made.scores(found)).max() <= 1


def test_the_largest_weights_fit_the_bits_that_the_engine_has() -> None:
    shapes = by_lot(network.MOST_HIDDEN, network.MOST_SECOND, 1)
    bounds = (*[network.BOUND] * 4, network.SECOND_BOUND, network.HEAD_BOUND, network.HEAD_BOUND)
    most = (np.full(part.shape, bound, dtype=np.float32) for part, bound in zip(shapes, bounds, strict=True))
    made = network.quantise(Arrays(*most))
    assert 33 * int(made.inputs.max()) < 2**15
    assert made.second.max() == made.output.max() == 127
    assert 2 * network.SQUARE * 127 < 2**15  # two products of bytes are added in sixteen bits
    assert 2 * network.MOST_HIDDEN * network.SQUARE * 127 + int(made.second_bias.max()) < 2**31
    assert made.head.max() < 2**15
    assert made.scores(records(50)).max() == network.MOST


def test_file_and_back(tmp_path: Path) -> None:
    made = network.quantise(by_lot(32, 8, 8), 371.6)
    path = tmp_path / "some.net"
    path.write_bytes(made.pack())
    found = network.read(path)
    assert (found.unit, found.hidden, found.neurons) == (372, 32, 8)
    for name in Arrays._fields:
        assert np.array_equal(getattr(found, name), getattr(made, name))
    assert network.quantise(network.start(256, 8, 1)).pack().__len__() < 2**20


def test_foreign_and_damaged_files(tmp_path: Path) -> None:
    good = network.quantise(by_lot(32, 8, 8)).pack()
    turned = bytearray(good)
    turned[5000] ^= 1
    wide = bytearray(good)
    wide[20] = 33
    scaled = bytearray(good)
    scaled[28] = 7
    for name, data, words in (
        ("foreign", b"x" * 4000, "no network of Sortie"),
        ("empty", b"", "no network of Sortie"),
        ("cut", good[:-1], "damaged"),
        ("turned", bytes(turned), "damaged"),
        ("wide", bytes(wide), "another shape"),
        ("scaled", bytes(scaled), "its header says what no training writes"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(BadInput, match=words):
            network.read(tmp_path / name)
    with pytest.raises(BadInput, match="cannot be read"):
        network.read(tmp_path / "none")
    with pytest.raises(BadInput, match="multiple of 32"):
        network.start(33, 8, 1)
    with pytest.raises(BadInput, match="--second: expected a multiple of 8"):
        network.start(32, 9, 1)


def changed(file: bytes, place: int, add: int) -> bytes:
    """The file with one of its words of two bytes larger by `add`, and its checksum right."""
    weights = bytearray(file[network.HEAD_SIZE :])
    (word,) = struct.unpack_from("<h", weights, place)
    struct.pack_into("<h", weights, place, word + add)
    return file[:40] + struct.pack("<I", zlib.crc32(weights)) + file[44 : network.HEAD_SIZE] + bytes(weights)


def test_weights_are_rounded_to_bytes_and_must_fit_them(tmp_path: Path) -> None:
    """Files of before 2026-11-29 have the second layer's weights four times as fine."""
    made = network.quantise(by_lot(32, 8, 8))
    output = 2 * (network.INPUTS + 1) * 32
    second = output + 2 * network.BUCKETS * 64
    path = tmp_path / "some.net"
    for add, more in ((1, 0), (-2, 0), (2, 1), (-3, -1), (5, 1)):
        path.write_bytes(changed(made.pack(), second, add))
        assert network.read(path).second[0, 0] == made.second[0, 0] + more
    for place in (output, second):
        path.write_bytes(changed(made.pack(), place, 2000))
        with pytest.raises(BadInput, match="weights that no training writes"):
            network.read(path)
        with pytest.raises(ValueError, match="weights that no training writes"):
            Network(str(path))


def test_a_network_of_one_layer_is_read(tmp_path: Path) -> None:
    """Files of before 2026-11-26 say nothing of a second layer: theirs has no neurons."""
    made = network.quantise(by_lot(32, 8, 8))
    old = replace(made, second=made.second[:0], second_bias=made.second_bias[:0], head=made.head[:, :0])
    (tmp_path / "old.net").write_bytes(old.pack())
    assert old.pack()[44:64] == bytes(20) and network.read(tmp_path / "old.net").neurons == 0
    seen = records(50)
    assert np.array_equal(network.read(tmp_path / "old.net").scores(seen), old.scores(seen))
