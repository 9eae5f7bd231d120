"""The whole way from nothing to a network that plays: games, positions, training, and a match against one by lot."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from engine.board.game import Game
from engine.evaluation.network import Network
from engine.model import Limits
from engine.search.threads import Searcher
from engine.variant.features import Features
from harness.training import network, positions
from harness.training.train import Settings, Trainer

POSITIONS, NODES = 8000, 60
SETTINGS = Settings(hidden=32, epochs=20, batch=256, rate=0.005, decay=5.0, threads=1)
PAIRS = 8


def gauntlet(*words: object) -> str:
    command = [sys.executable, "-m", "harness", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A file of positions and a network, by the two commands of docs/network.md."""
    folder = tmp_path_factory.mktemp("chain")
    data, net = folder / "games.pos", folder / "small.net"
    gauntlet("data", "--positions", POSITIONS, "--nodes", NODES, "--out", data)
    options = ("--hidden", 32, "--epochs", 20, "--batch", 256, "--rate", 0.005, "--decay", 5, "--threads", 1)
    gauntlet("train", data, *options, "--out", net)
    return data, net


def test_it_has_learnt(trained: tuple[Path, Path]) -> None:
    data, net = trained
    trainer = Trainer([data], net.with_name("none.npz"), SETTINGS)
    before = trainer.held_loss()
    card = json.loads(net.with_name("small.net.json").read_text())
    assert card["loss"]["held_out"] < 0.75 * before
    assert card["data"][0]["progress"]["positions"] >= POSITIONS and card["data"][0]["plan"]["nodes"] == NODES
    # What it says of positions that it never saw goes with what the search said.
    held = trainer.held
    ours, theirs = network.read(net).scores(held), held["score"]
    clear = abs(theirs) > 200
    assert clear.sum() > 50 and ((ours > 0) == (theirs > 0))[clear].mean() > 0.75
    assert positions.check(data).positions == card["data"][0]["progress"]["positions"]


def points(first: Network, second: Network) -> float:
    """What the first network scores against the second, each opening played with both colours."""
    sides = []
    for own in (first, second):
        searcher = Searcher(1)
        searcher.set_network(own)
        sides.append(searcher)
    features = Features()
    features.set("Evaluation", "network")
    chance, total = random.Random(3), 0.0
    for _ in range(PAIRS):
        opening = Game()
        for _ in range(6):
            opening.push(chance.choice(opening.legal_moves()))
        for white in (0, 1):
            game = opening.copy()
            while (over := game.outcome()) is None and len(game.moves()) < 200:
                mover = sides[white if game.turn == 0 else 1 - white]
                game.push(mover.search(game, features, Limits(nodes=400)).move)
            result = {"1-0": 1.0, "0-1": 0.0}.get(over[0] if over else "", 0.5)
            total += result if white == 0 else 1 - result
    return total


def test_it_beats_a_network_by_lot(trained: tuple[Path, Path], tmp_path: Path) -> None:
    by_lot = tmp_path / "lot.net"
    by_lot.write_bytes(network.quantise(network.start(32, 8, 77)).pack())
    assert points(Network(str(trained[1])), Network(str(by_lot))) > 0.75 * 2 * PAIRS
