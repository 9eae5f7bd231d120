"""Training: it learns what is there to be learnt, goes on where it was stopped, and tells what it did."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import chess
import here
import numpy as np
import pytest
from fake_engines import runs
from packed_positions import boards

from harness.errors import BadInput
from harness.training import network, positions, train
from harness.training.network import Arrays
from harness.training.train import Settings, State, Trainer

VALUES = {chess.PAWN: 100, chess.KNIGHT: 300, chess.BISHOP: 300, chess.ROOK: 500, chess.QUEEN: 900, chess.KING: 0}


def material(board: chess.Board) -> int:
    """Material from the side to move, centipawns: something that a network can learn."""
    return sum(
        VALUES[piece.piece_type] * (1 if piece.color == board.turn else -1) for piece in board.piece_map().values()
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Positions of random games with some pieces taken off, scored by their material, with results drawn by it."""
    chance = random.Random(4)
    parts = []
    for number, board in enumerate(boards(6000, 21)):
        for square, piece in board.piece_map().items():
            if piece.piece_type != chess.KING and chance.random() < 0.25:
                board.remove_piece_at(square)
        score = max(-1900, min(1900, material(board)))
        points = 1 / (1 + np.exp(-score / 200))
        parts.append(positions.pack(board, score, 2 * int(chance.random() < points), number // 30))
    path = tmp_path_factory.mktemp("data") / "material.pos"
    positions.write(path, [np.frombuffer(b"".join(parts), dtype=positions.RECORD)])
    return path


def settings(**changes: object) -> Settings:
    base = {"hidden": 32, "second": 8, "epochs": 12, "batch": 128, "rate": 0.003, "threads": 1}
    return Settings(**{**base, **changes})  # type: ignore[arg-type]


def test_it_learns_material(tmp_path: Path, file: Path) -> None:
    trainer = Trainer([file], tmp_path / "c.npz", settings())
    untrained = trainer.held_loss()
    trainer.run()
    last = trainer.state.epochs[-1]
    assert len(trainer.state.epochs) == 12 and last.held_out < 0.75 * untrained
    assert last.loss < trainer.state.epochs[0].loss
    made = network.quantise(trainer.state.arrays(), trainer.unit())
    wanted = trainer.held["score"].astype(float)
    assert np.corrcoef(made.scores(trainer.held), wanted)[0, 1] > 0.7
    # The unit makes its scores as large as those it learnt from.
    near = np.abs(wanted) < 1000
    assert np.abs(made.scores(trainer.held))[near].mean() == pytest.approx(np.abs(wanted[near]).mean(), rel=0.03)
    assert all(np.abs(array).max() <= network.BOUND for array in trainer.state.arrays()[:3])


def test_a_network_is_trained_further(tmp_path: Path, file: Path) -> None:
    first = Trainer([file], tmp_path / "first.npz", settings(epochs=4))
    first.run()
    (tmp_path / "first.net").write_bytes(network.quantise(first.state.arrays()).pack())
    further = Trainer([file], tmp_path / "further.npz", settings(epochs=2, begin=str(tmp_path / "first.net")))
    assert further.held_loss() == pytest.approx(first.held_loss(), rel=0.02)
    for begun, trained in zip(further.state.arrays(), first.state.arrays(), strict=True):
        assert np.abs(begun - trained).max() < 1 / network.QB
    further.run()
    assert further.state.epochs[-1].held_out < first.state.epochs[-1].held_out


def test_a_network_grows(tmp_path: Path, file: Path) -> None:
    """The new neurons count for nothing at first, so the network scores as before; then they learn."""
    first = Trainer([file], tmp_path / "first.npz", settings(epochs=4))
    first.run()
    (tmp_path / "first.net").write_bytes(network.quantise(first.state.arrays()).pack())
    same = Trainer([file], tmp_path / "same.npz", settings(begin=str(tmp_path / "first.net")))
    wider = settings(hidden=64, second=16, epochs=2, begin=str(tmp_path / "first.net"))
    grown = Trainer([file], tmp_path / "grown.npz", wider)
    assert np.allclose(grown.outputs(grown.held), same.outputs(same.held), atol=1e-5)
    grown.run()
    assert np.abs(grown.state.arrays().output.reshape(network.BUCKETS, 2, 2, 32)[:, :, 1]).max() > 0.01
    assert np.abs(grown.state.arrays().head[:, 8:]).max() > 0.01
    assert grown.state.epochs[-1].held_out < first.state.epochs[-1].held_out
    (tmp_path / "grown.net").write_bytes(network.quantise(grown.state.arrays()).pack())
    with pytest.raises(BadInput, match=r"grown.net: has 64 neurons, more than 32: leave --hidden out"):
        Trainer([file], tmp_path / "c.npz", settings(begin=str(tmp_path / "grown.net")))
    with pytest.raises(
        BadInput, match=r"grown.net: has 16 neurons in its second layer, more than 8: leave --second out"
    ):
        Trainer([file], tmp_path / "c.npz", settings(hidden=64, begin=str(tmp_path / "grown.net")))


def test_the_second_layer_alone_is_trained(tmp_path: Path, file: Path) -> None:
    first = Trainer([file], tmp_path / "first.npz", settings(epochs=4))
    first.run()
    (tmp_path / "first.net").write_bytes(network.quantise(first.state.arrays()).pack())
    chosen = settings(second=16, epochs=4, begin=str(tmp_path / "first.net"), second_only=True)
    alone = Trainer([file], tmp_path / "alone.npz", chosen)
    before, loss = [part.copy() for part in alone.state.arrays()], alone.held_loss()
    alone.run()
    assert alone.state.epochs[-1].held_out < loss
    for name, was, now in zip(Arrays._fields, before, alone.state.arrays(), strict=True):
        assert np.array_equal(was, now) != (name in train.OF_SECOND), name


def test_whole_games_are_held_out(tmp_path: Path, file: Path) -> None:
    found = positions.read(file)
    held = train.held_out(found)
    games = np.asarray(found["game"])
    assert not set(games[held]) & set(games[~held]) and 0.01 < held.mean() < 0.12
    trainer = Trainer([file], tmp_path / "c.npz", settings())
    assert trainer.positions + len(trainer.held) == len(found)


def test_a_stopped_training_goes_on(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Trainer([file], tmp_path / "whole.npz", settings(epochs=3))
    whole.run()
    monkeypatch.setattr(train, "CHECKPOINT_EVERY", 0.0)

    def stop(state: State, done: int, speed: float) -> None:
        if len(state.epochs) == 1 and done == 5:
            raise KeyboardInterrupt

    first = Trainer([file], tmp_path / "c.npz", settings(epochs=3))
    with pytest.raises(KeyboardInterrupt):
        first.run(stop)
    second = Trainer([file], tmp_path / "c.npz", settings(epochs=3))
    assert 0 < second.state.step < whole.state.step and len(second.state.epochs) == 1
    second.run()
    for one, other in zip(whole.state.parts, second.state.parts, strict=True):
        assert np.array_equal(one, other)
    assert [epoch.held_out for epoch in whole.state.epochs] == [epoch.held_out for epoch in second.state.epochs]
    assert whole.state.epochs[1].loss == pytest.approx(second.state.epochs[1].loss)
    with pytest.raises(BadInput, match="another training|other settings"):
        Trainer([file], tmp_path / "c.npz", settings(epochs=4))
    (tmp_path / "c.npz").write_bytes(b"nothing")
    with pytest.raises(BadInput, match="no checkpoint"):
        Trainer([file], tmp_path / "c.npz", settings(epochs=3))


def test_a_checkpoint_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Least of all on a disk that is full."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(BadInput, match=r"c\.npz: cannot be written: No space left on device"):
        Trainer([file], tmp_path / "c.npz", settings()).save()
    assert not list(tmp_path.iterdir())


def test_threads_change_nothing_but_rounding(tmp_path: Path, file: Path) -> None:
    found = []
    for threads in (1, 3):
        trainer = Trainer([file, file], tmp_path / f"{threads}.npz", settings(epochs=1, threads=threads))
        trainer.run()
        found.append(trainer.state.arrays()[0])
    assert np.abs(found[0] - found[1]).max() < 1e-3


def test_without_a_number_it_goes_on_with_the_threads_that_it_had(tmp_path: Path, file: Path) -> None:
    """The machine may have other cores free by then."""
    begun = Trainer([file], tmp_path / "x.net.checkpoint.npz", train.Settings(32, 8, 1, 512, threads=3))
    begun.save()
    assert train.threads_of(tmp_path / "x.net.checkpoint.npz") == 3
    words = (file, "--out", "x.net", "--hidden", "32", "--epochs", "1", "--batch", "512")
    done = here.gauntlet("train", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "--threads 3" in json.loads((tmp_path / "x.net.json").read_text())["training"]["command"]
    assert train.threads_of(tmp_path / "none.npz") is None


def test_the_scale_is_that_of_the_results(file: Path) -> None:
    assert train.fit_scale(np.asarray(positions.read(file))) == pytest.approx(200, rel=0.2)


def test_the_command(tmp_path: Path, file: Path) -> None:
    words = (file, "--out", "x.net", "--hidden", "32", "--epochs", "4", "--batch", "256", "--threads", "1")
    done = here.gauntlet("train", *words, cwd=tmp_path)
    assert done.returncode == 0 and "32 and 8 neurons" in done.stdout, done.stderr
    assert done.stderr.count("epoch ") == 4
    assert network.read(tmp_path / "x.net").hidden == 32
    card = json.loads((tmp_path / "x.net.json").read_text())
    assert (
        card["architecture"]["hidden"] == 32
        and card["architecture"]["second"] == 8
        and card["training"]["epochs"] == 4
        and len(card["epochs"]) == 4
    )
    assert card["loss"]["held_out_as_whole_numbers"] == pytest.approx(card["loss"]["held_out"], rel=0.05)
    drawn = (tmp_path / "x.net.svg").read_text()
    assert (
        drawn.startswith("<svg xmlns") and drawn.count('class="curve') == 4 and "held out" in drawn
    )  # curves and legend
    assert not (tmp_path / "x.net.checkpoint.npz").exists()
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        words = (file, "--out", "y.net", "--begin", "x.net", "--epochs", "1", "--batch", "256", "--decay", "0")
        more = runs.gauntlet("train", *words, cwd=tmp_path)
    finally:
        os.sched_setaffinity(0, allowed)
    assert more.returncode == 0 and "32 and 8 neurons" in more.stdout, more.stderr
    further = json.loads((tmp_path / "y.net.json").read_text())
    assert "--begin x.net" in further["training"]["command"] and "--decay 0.0" in further["training"]["command"]
    assert "second-only" not in further["training"]["command"] and "epochs" not in further["begun"]
    assert further["begun"]["training"] == card["training"] and "begun" not in card
    assert further["training"]["threads"] == 1  # a thread for each core that it may use, not for each that there is


def test_a_disk_without_room_for_its_words_does_not_end_it(tmp_path: Path, file: Path) -> None:
    """Nor a terminal that was closed while it went on."""
    command = [sys.executable, "-m", "harness", "train", str(file), "--out", "x.net", "--hidden", "32", "--epochs", "1"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=full, text=True, check=False)
    assert done.returncode == 0 and "x.net: 32 and 8 neurons" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.pos", "--out", "x.net"], "none.pos: cannot be read"),
        (["FILE", "--out", "no/x.net"], "expected a file in a folder that exists"),
        (["FILE", "--out", "x.net", "--hidden", "40"], "--hidden: expected a multiple of 32"),
        (["FILE", "--out", "x.net", "--second-only"], "--second-only: expected --begin NET as well"),
        (["FILE", "--out", "x.net", "--second", "5"], "--second: expected a multiple of 8"),
        (["FILE", "--out", "x.net", "--mixture", "2"], "mixture"),
        (["FILE", "--out", "x.net", "--rate", "nan"], "'--rate': 'nan' is not a finite number"),
        (["FILE", "--out", "x.net", "--decay", "nan"], "'--decay': 'nan' is not a finite number"),
        (["FILE", "--out", "x.net", "--begin=~/none.net"], f"{Path.home() / 'none.net'}: cannot be read"),
        (["--out", "x.net"], "DATA"),
    ],
)
def test_bad_words(tmp_path: Path, file: Path, words: list[str], message: str) -> None:
    assert message in here.refusal("train", *(file if word == "FILE" else word for word in words), cwd=tmp_path)


def test_training_writes_over_no_data(tmp_path: Path, file: Path) -> None:
    (tmp_path / "x.pos").write_bytes(file.read_bytes())
    (tmp_path / "x.pos.json").write_text("{}")
    (tmp_path / "mine").write_text("words")
    (tmp_path / "first.net").write_bytes(network.quantise(network.start(32, 8, 1)).pack())
    before = (tmp_path / "x.pos").read_bytes()
    for words, message in (
        (["x.pos", "--out", "x.pos"], "x.pos: is one of the files that are read"),
        (["x.pos", "--out", "mine"], "mine: is there and no network"),
        (["x.pos", "--begin", "first.net", "--out", "first.net"], "first.net: is one of the files that are read"),
    ):
        assert message in here.refusal("train", *words, cwd=tmp_path)
    assert (tmp_path / "x.pos").read_bytes() == before and (tmp_path / "mine").read_text() == "words"


def test_a_damaged_record_is_seen_before_training(tmp_path: Path, file: Path) -> None:
    (tmp_path / "x.pos").write_bytes(file.read_bytes())
    (tmp_path / "x.pos.json").write_text("garbage")
    told = here.refusal("train", "x.pos", "--out", "x.net", cwd=tmp_path)
    assert "x.pos.json: is no record of gauntlet data" in told


def test_a_checkpoint_belongs_to_its_data(tmp_path: Path, file: Path) -> None:
    """To their contents, not to their names; and --fresh spares it until the rest is found right."""
    data, checkpoint = tmp_path / "x.pos", tmp_path / "x.net.checkpoint.npz"
    data.write_bytes(file.read_bytes())
    Trainer([data], checkpoint, settings()).save()
    other = np.array(positions.read(file))
    other["result"][7] ^= 2
    positions.write(data, [other])
    with pytest.raises(BadInput, match="other settings or data"):
        Trainer([data], checkpoint, settings())
    here.refusal("train", "none.pos", "--out", "x.net", "--fresh", cwd=tmp_path)
    assert checkpoint.exists()
    assert not Trainer([data], checkpoint, settings(), fresh=True).state.step


def test_scores_that_say_nothing_make_a_network_all_the_same(tmp_path: Path, file: Path) -> None:
    flat = np.array(positions.read(file))
    flat["score"] = 0
    positions.write(tmp_path / "flat.pos", [flat])
    words = ("flat.pos", "--out", "x.net", "--hidden", "32", "--epochs", "1", "--threads", "1")
    done = here.gauntlet("train", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert network.read(tmp_path / "x.net").unit == network.LEAST_UNIT


@pytest.mark.filterwarnings("error")
def test_strays_alone_can_be_learnt_from(file: Path) -> None:
    strays = np.array(positions.read(file))
    strays["result"] = positions.UNKNOWN
    assert train.fit_scale(strays) == train.SCALE_OF_STRAYS != train.fit_scale(positions.read(file))


def test_too_few_games(tmp_path: Path, file: Path) -> None:
    few = tmp_path / "few.pos"
    positions.write(few, [np.asarray(positions.read(file))[:30]])
    with pytest.raises(BadInput, match="too few games"):
        Trainer([few], tmp_path / "c.npz", settings())


@pytest.mark.parametrize(("field", "value"), [("side", 255), ("pieces", 255), ("occupancy", 2**64 - 1)])
def test_damaged_positions_do_not_reach_the_kernel(tmp_path: Path, file: Path, field: str, value: int) -> None:
    bad = np.array(positions.read(file))
    bad[5000][field] = value
    positions.write(tmp_path / "bad.pos", [bad])
    with pytest.raises(BadInput, match=r"bad\.pos: position 5001 is damaged"):
        Trainer([file, tmp_path / "bad.pos"], tmp_path / "c.npz", settings())


@pytest.mark.parametrize("kept", [0, 4, 1000, -30])
def test_a_damaged_checkpoint_is_named(tmp_path: Path, file: Path, kept: int) -> None:
    checkpoint = tmp_path / "c.npz"
    trainer = Trainer([file], checkpoint, settings())
    trainer.save()
    checkpoint.write_bytes(checkpoint.read_bytes()[:kept])
    with pytest.raises(BadInput, match=r"c\.npz: is no checkpoint of gauntlet train"):
        Trainer([file], checkpoint, settings())


def test_a_checkpoint_of_a_method_unknown_to_python_is_named(tmp_path: Path, file: Path) -> None:
    checkpoint = tmp_path / "c.npz"
    trainer = Trainer([file], checkpoint, settings())
    trainer.save()
    damaged = bytearray(checkpoint.read_bytes())
    for head, method in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):  # before the first array and in the list of all
        damaged[damaged.index(head) + method] ^= 0x40
    checkpoint.write_bytes(damaged)
    with pytest.raises(BadInput, match=r"c\.npz: is no checkpoint of gauntlet train"):
        Trainer([file], checkpoint, settings())
