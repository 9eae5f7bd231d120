"""The arithmetic of training: outputs as numpy computes them, gradients as finite differences say, Adam as it is written."""

from __future__ import annotations

from types import ModuleType

import chess
import numpy as np
import pytest
from packed_positions import by_lot, plain_outputs, records

from harness.training import kernel, network, positions
from harness.training.network import Arrays, Floats
from harness.training.targets import targets
from harness.training.train import OF_SECOND

HIDDEN, SECOND = 32, 8
SCALE, UNIT = 150.0, 400.0


def builds() -> list[ModuleType]:
    if not kernel.supports_avx2():
        return [kernel]
    from harness.training import kernel_avx2  # type: ignore[attr-defined]

    assert kernel_avx2.__file__ != kernel.__file__
    return [kernel, kernel_avx2]


def as_bytes(found: positions.Records) -> np.ndarray:
    return np.array(found).view(np.uint8)


@pytest.fixture(scope="module")
def batch() -> positions.Records:
    return records(240, 11)


def zeros(arrays: Arrays) -> Arrays:
    return Arrays(*(np.zeros_like(array) for array in arrays))


def wanted(found: positions.Records) -> Floats:
    return targets(found, 0.7, 1.0, SCALE)


def plain_loss(found: positions.Records, arrays: Arrays) -> float:
    points = 1 / (1 + np.exp(-plain_outputs(found, arrays) * UNIT / SCALE))
    return float(((points - wanted(found)) ** 2).sum())


@pytest.mark.parametrize("build", builds(), ids=lambda build: build.__name__)
def test_outputs(build: ModuleType, batch: positions.Records) -> None:
    arrays = by_lot(HIDDEN, SECOND, 3)
    found = np.empty(len(batch), dtype=np.float32)
    build.outputs(as_bytes(batch), arrays, found)
    assert np.allclose(found, plain_outputs(batch, arrays), atol=1e-5)
    low, high = network.places(batch)
    assert len(set(low)) > 3 and len(set(high)) > 3  # several outputs take part


def test_inputs_are_those_of_the_board(batch: positions.Records) -> None:
    index, real = network.active(batch)
    for row in range(0, len(batch), 7):
        board = positions.board_of(batch[row])
        for view, colour in enumerate((board.turn, not board.turn)):
            king = board.king(colour)
            assert king is not None
            mirror = 7 if chess.square_file(king) > 3 else 0
            wanted = set()
            for square, piece in board.piece_map().items():
                seen = square ^ mirror ^ (0 if colour else 56)
                theirs = 0 if piece.color == colour else 1
                wanted.add((theirs * 6 + piece.piece_type - 1) * 64 + seen)
            assert set(index[row, view][real[row]]) == wanted


@pytest.mark.parametrize("build", builds(), ids=lambda build: build.__name__)
def test_gradients_are_finite_differences(build: ModuleType, batch: positions.Records) -> None:
    chance = np.random.default_rng(5)
    arrays = by_lot(HIDDEN, SECOND, 4)
    grads = zeros(arrays)
    loss = build.gradients(as_bytes(batch), arrays, grads, wanted(batch), SCALE, UNIT)
    assert loss == pytest.approx(plain_loss(batch, arrays), rel=1e-5)
    step = 1e-3
    for place, array in enumerate(arrays):
        flat = array.reshape(-1)
        # Weights that nothing pulls at are passed over, but for a few that must stay at nought.
        pulled = np.flatnonzero(np.abs(grads[place].reshape(-1)) > 1e-3)
        assert len(pulled) > len(flat) // 20
        for index in chance.choice(pulled, min(25, len(pulled)), replace=False):
            was = flat[index]
            losses = []
            for sign in (1, -1):
                flat[index] = was + sign * step
                losses.append(plain_loss(batch, arrays))
            width = float(np.float32(was + step) - np.float32(was - step))
            flat[index] = was
            difference = (losses[0] - losses[1]) / width
            assert grads[place].reshape(-1)[index] == pytest.approx(difference, rel=0.02, abs=2e-3)


def test_gradients_of_the_second_layer_alone(batch: positions.Records) -> None:
    arrays = by_lot(HIDDEN, SECOND, 4)
    whole, alone = zeros(arrays), zeros(arrays)
    losses = [
        kernel.gradients(as_bytes(batch), arrays, grads, wanted(batch), SCALE, UNIT, every)
        for grads, every in ((whole, True), (alone, False))
    ]
    assert losses[0] == losses[1]
    for name in Arrays._fields:
        found = getattr(alone, name)
        if name in OF_SECOND:
            assert np.array_equal(found, getattr(whole, name)) and found.any()
        else:
            assert not found.any()


def test_gradients_add_up(batch: positions.Records) -> None:
    arrays = by_lot(HIDDEN, SECOND, 4)
    whole, parts = zeros(arrays), zeros(arrays)
    loss = kernel.gradients(as_bytes(batch), arrays, whole, wanted(batch), SCALE, UNIT)
    halves = [
        kernel.gradients(as_bytes(half), arrays, parts, wanted(half), SCALE, UNIT) for half in (batch[:90], batch[90:])
    ]
    assert loss == pytest.approx(sum(halves), rel=1e-9)
    for one, other in zip(whole, parts, strict=True):
        assert np.allclose(one, other, atol=1e-4)


@pytest.mark.parametrize("build", builds(), ids=lambda build: build.__name__)
def test_adam(build: ModuleType) -> None:
    chance = np.random.default_rng(2)
    values, first, second = (chance.normal(size=100).astype(np.float32) for _ in range(3))
    second = np.abs(second)
    grads = chance.normal(size=100).astype(np.float32)
    moved: list[Floats] = [values.copy(), first.copy(), second.copy()]
    build.adam(moved[0], grads, moved[1], moved[2], 0.01, 0.1, 1.5, 7)
    m = 0.9 * first + 0.1 * grads
    v = 0.999 * second + 0.001 * grads * grads
    wanted = values * (1 - 0.01 * 0.1) - 0.01 * (m / (1 - 0.9**7)) / (np.sqrt(v / (1 - 0.999**7)) + 1e-8)
    assert np.allclose(moved[0], np.clip(wanted, -1.5, 1.5), atol=1e-5)
    assert np.allclose(moved[1], m, atol=1e-6) and np.allclose(moved[2], v, atol=1e-6)
    assert np.abs(moved[0]).max() == 1.5


def test_arrays_that_do_not_fit_are_refused(batch: positions.Records) -> None:
    arrays = by_lot(HIDDEN, SECOND, 4)
    found = np.empty(len(batch), dtype=np.float32)
    with pytest.raises(ValueError):
        kernel.outputs(as_bytes(batch)[:-1], arrays, found)
    with pytest.raises(ValueError):
        kernel.outputs(as_bytes(batch), arrays, found[:-1])
    with pytest.raises(ValueError):
        kernel.outputs(as_bytes(batch), arrays._replace(inputs=arrays.inputs[:-1]), found)
    with pytest.raises(ValueError):
        kernel.outputs(as_bytes(batch), arrays._replace(head=arrays.head[:, :-1].copy()), found)
    for hidden, second in ((64, SECOND), (HIDDEN, 16)):
        with pytest.raises(ValueError):
            kernel.gradients(as_bytes(batch), arrays, by_lot(hidden, second, 4), wanted(batch), SCALE, UNIT)
    with pytest.raises(ValueError):
        kernel.gradients(as_bytes(batch), arrays, zeros(arrays), wanted(batch)[:-1], SCALE, UNIT)
