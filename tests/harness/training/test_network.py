"""The network as whole numbers: close to what was trained, and a file that says what it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from packed_positions import plain_outputs, records

from harness.errors import BadInput
from harness.training import network


def test_whole_numbers_are_close_to_the_floats() -> None:
    arrays = network.start(64, 8)
    found = records(300, 4)
    made = network.quantise(arrays)
    steps = (network.QA, network.QA, network.QB, network.QA * network.QB)
    whole: list[np.ndarray] = [made.inputs, made.bias, made.output, made.output_bias]
    rounded = [(numbers / step).astype(np.float32) for numbers, step in zip(whole, steps, strict=True)]
    for array, near, step in zip(arrays, rounded, steps, strict=True):
        assert np.abs(array - near).max() <= 0.5 / step + 1e-6
    # With the weights as they were rounded, only the divisions of whole numbers round again.
    wanted = plain_outputs(found, (rounded[0], rounded[1], rounded[2], rounded[3])) * network.UNIT
    assert np.abs(made.scores(found) - wanted).max() < 1.1  # centipawns
    double = network.quantise(arrays, 2 * network.UNIT)
    assert np.abs(double.scores(found) - 2 * made.scores(found)).max() <= 1


def test_the_largest_weights_fit_their_sixteen_bits() -> None:
    shapes = [part.shape for part in network.start(32, 1)]
    most = [np.full(shape, network.BOUND, dtype=np.float32) for shape in shapes]
    made = network.quantise((most[0], most[1], most[2], most[3]))
    assert 33 * int(made.inputs.max()) < 2**15 and network.QA * int(made.output.max()) < 2**15
    assert made.scores(records(50)).max() == network.MOST


def test_file_and_back(tmp_path: Path) -> None:
    made = network.quantise(network.start(32, 8), 371.6)
    path = tmp_path / "some.net"
    path.write_bytes(made.pack())
    found = network.read(path)
    assert found.unit == 372 and found.hidden == 32
    for name in ("inputs", "bias", "output", "output_bias"):
        assert np.array_equal(getattr(found, name), getattr(made, name))
    assert network.quantise(network.start(256, 1)).pack().__len__() < 2**20


def test_foreign_and_damaged_files(tmp_path: Path) -> None:
    good = network.quantise(network.start(32, 8)).pack()
    turned = bytearray(good)
    turned[5000] ^= 1
    wide = bytearray(good)
    wide[20] = 33
    for name, data, words in (
        ("foreign", b"x" * 4000, "no network of Sortie"),
        ("empty", b"", "no network of Sortie"),
        ("cut", good[:-1], "damaged"),
        ("turned", bytes(turned), "damaged"),
        ("wide", bytes(wide), "another shape"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(BadInput, match=words):
            network.read(tmp_path / name)
    with pytest.raises(BadInput, match="cannot be read"):
        network.read(tmp_path / "none")
    with pytest.raises(BadInput, match="multiple of 32"):
        network.start(33, 1)
