"""The mean of networks, as a function and as a command."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from here import gauntlet, refusal
from packed_positions import by_lot, plain_outputs, records

from harness.errors import BadInput
from harness.training import card as cards
from harness.training import network, positions
from harness.training.average import average
from harness.training.network import Arrays


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Three networks: two of 32 neurons, one of 64."""
    found = []
    for name, hidden, seed, unit in (("a.net", 32, 1, 300), ("b.net", 32, 2, 500), ("wide.net", 64, 3, 400)):
        path = tmp_path / name
        path.write_bytes(network.quantise(by_lot(hidden, 8, seed), unit).pack())
        found.append(str(path))
    return found


def test_the_mean_lies_between(files: list[str]) -> None:
    a, b = (network.read(file) for file in files[:2])
    made = average(files[:2], [3, 1])
    assert made.unit == 350
    for mean, one, other in zip(made.arrays(), a.arrays(), b.arrays(), strict=True):
        assert np.abs(mean - (0.75 * one + 0.25 * other)).max() <= 0.51 / network.QB
    assert average(files[:2], [3, 1], 444).unit == 444
    alone = average(files[:1], [7])
    assert alone.pack() == a.pack()


def test_networks_must_have_one_shape(files: list[str]) -> None:
    with pytest.raises(BadInput, match=r"wide.net: has 64 and 8 neurons, .*a.net has 32 and 8: expected as many"):
        average([files[0], files[2]], [1, 1])


def test_the_command(tmp_path: Path, files: list[str]) -> None:
    (tmp_path / "a.net.json").write_text(json.dumps({"training": {"seed": 1}, "epochs": [1, 2]}))
    done = gauntlet("average", "a.net", "b.net", "--weights", "2,1", "--out", "mean.net", cwd=tmp_path)
    assert done.returncode == 0 and "the mean of 2 networks, 32 and 8 neurons" in done.stdout, done.stderr
    assert network.read(tmp_path / "mean.net").pack() == average(files[:2], [2, 1]).pack()
    card = json.loads((tmp_path / "mean.net.json").read_text())
    assert card["architecture"]["hidden"] == 32 and card["elo"] is None
    assert card["training"]["command"] == "gauntlet average a.net b.net --weights 2,1 --out mean.net"
    assert card["averaged"] == [
        {"file": "a.net", "weight": 2.0, "card": {"training": {"seed": 1}}},
        {"file": "b.net", "weight": 1.0, "card": None},
    ]


def test_it_can_be_written_into_a_pipe(tmp_path: Path, files: list[str]) -> None:
    """Whose reader is not asked first what is in it already."""
    os.mkfifo(tmp_path / "pipe")
    command = [sys.executable, "-m", "harness", "average", *files[:2], "--out", "pipe"]
    writer = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        held = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        ready, _, _ = select.select([held], [], [], 60)
        assert ready and os.read(held, 16) == network.MAGIC
    finally:
        writer.kill()
        writer.wait()
        os.close(held)


def test_it_is_rounded_on_positions(tmp_path: Path, files: list[str]) -> None:
    """With --data its scores over these lie nearer to those of the mean before rounding."""
    seen = records(1500, 5)
    positions.write(tmp_path / "some.pos", [seen[:1000]])
    positions.write(tmp_path / "more.pos", [seen[1000:]])
    data = ("--data", "some.pos", "--data", "more.pos")
    words = ("a.net", "b.net", "--weights", "2,1", *data, "--out", "mean.net")
    done = gauntlet("average", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "mean.net.json").read_text())["training"]["command"] == " ".join(
        ["gauntlet", "average", *words]
    )
    one, other = (network.read(file).arrays() for file in files[:2])
    wanted = plain_outputs(seen, Arrays(*(2 / 3 * a + 1 / 3 * b for a, b in zip(one, other, strict=True))))
    made, alone = network.read(tmp_path / "mean.net"), average(files[:2], [2, 1])
    errors = [float(np.std(one.scores(seen) - wanted * one.unit)) for one in (made, alone)]
    assert errors[0] < 0.8 * errors[1]


def test_a_card_tells_each_ancestor_once(tmp_path: Path, files: list[str]) -> None:
    """Networks that began from one another repeat each other's cards: five generations of means made 178 kB of 40."""
    first = {"architecture": {"hidden": 32}, "training": {"command": "train 1"}}
    (tmp_path / "a.net.json").write_text(json.dumps(first))
    (tmp_path / "b.net.json").write_text(json.dumps({**first, "training": {"command": "train 2"}, "begun": first}))
    assert gauntlet("average", "a.net", "b.net", "--out", "mean.net", cwd=tmp_path).returncode == 0
    one, other = (part["card"] for part in json.loads((tmp_path / "mean.net.json").read_text())["averaged"])
    assert one == first
    assert other["training"] == {"command": "train 2"} and other["begun"] == {"told above": "train 1"}


def test_a_card_that_is_none_does_not_end_a_training_at_its_last_step(tmp_path: Path) -> None:
    beside = tmp_path / "a.net.json"
    beside.write_text("[" * 100_000 + "]" * 100_000)
    assert cards.card_of(tmp_path / "a.net") is None
    for odd in ({"architecture": 1, "training": 2}, {"architecture": 1, "training": {}}):
        beside.write_text(json.dumps(odd))
        card = cards.card_of(tmp_path / "a.net")
        assert json.loads(cards.text({"averaged": [card, card]})) == {"averaged": [odd, odd]}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a.net", "none.net", "--out", "x.net"], "none.net: cannot be read"),
        (["a.net", "wide.net", "--out", "x.net"], "wide.net: has 64 and 8 neurons"),
        (["a.net", "b.net", "--weights", "1", "--out", "x.net"], "--weights: expected 2 numbers above 0"),
        (
            ["a.net", "--weights", "1,2", "--out", "x.net"],
            "--weights: expected 1 number above 0 and below a million, not",
        ),
        (["a.net", "b.net", "--weights", "1,nan", "--out", "x.net"], "--weights: expected 2 numbers above 0"),
        (["a.net", "b.net", "--unit", "3", "--out", "x.net"], "--unit"),
        (["a.net", "b.net", "--out", "a.net"], "a.net: is one of the files that are read"),
        (["a.net", "b.net", "--out", "no/x.net"], "expected a file in a folder that exists"),
        (["--out", "x.net"], "NET"),
        (["a.net", "b.net", "--data=~/none.pos", "--out", "x.net"], f"{Path.home() / 'none.pos'}: cannot be read"),
        (["a.net", "b.net", "--data", "b.net", "--out", "x.net"], "b.net: is no file of positions"),
        (["a.net", "b.net", "--data", "empty.pos", "--out", "x.net"], "empty.pos: holds no positions"),
    ],
)
def test_bad_words(tmp_path: Path, files: list[str], words: list[str], message: str) -> None:
    positions.write(tmp_path / "empty.pos", [])
    assert message in refusal("average", *words, cwd=tmp_path)
    assert not (tmp_path / "x.net").exists()
