"""gauntlet tune: what Sortie says of its weights, the model, its gradient, and a fit that learns."""

from __future__ import annotations

import dataclasses
import json
import random
import subprocess
from pathlib import Path
from typing import Any

import chess
import click
import numpy as np
import pytest
import synthetic
from here import gauntlet, refusal
from positions import QUIET
from scipy.optimize import check_grad

from engine.board.game import Game
from engine.evaluation.terms import coefficients, evaluate_terms, layout
from engine.evaluation.weights import WEIGHTS
from engine.tools.commands import flat
from harness.analysis import tuning as tune
from harness.commands.learn.tune import command
from harness.engines import sortie
from harness.errors import BadInput
from harness.model import MoveRecord, Opening
from harness.schedule import jobs as schedule

START = np.array([pair for name, _ in layout() for pair in flat(WEIGHTS[name])], dtype=float)


def walk(seed: int, plies: int) -> list[chess.Board]:
    """A random game's positions."""
    chance, board, seen = random.Random(seed), chess.Board(), []
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves or board.is_insufficient_material():
            break
        board.push(chance.choice(moves))
        seen.append(board.copy(stack=False))
    return seen


@pytest.fixture(scope="module")
def boards() -> list[chess.Board]:
    """Positions of every kind that the tuner would use."""
    found = [chess.Board(fen) for fen in QUIET] + [board for seed in range(12) for board in walk(seed, 120)]
    return [board for board in found if coefficients(Game(board.fen()))["quiet"]]


def test_games_of_fischer_random_are_read(tmp_path: Path) -> None:
    """Castling in the opening and in the game; `sortie trace` takes no castling rights that ordinary chess has not."""
    found = synthetic.plan(tmp_path, synthetic.TEXT.replace("games = 8", "games = 8\nchess960 = true"))
    start = "bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNNRKRB w KQkq - 0 1"
    words = ("f1g1", "a7a6", "a2a3", "f8g8", *("h2h3", "h7h6", "b2b3", "b7b6", "c2c3", "c7c6", "g2g3", "g7g6", "e2e3"))
    moves = tuple(MoveRecord(word, 10.0, None, None, 5, 100, 20) for word in words)
    games = []
    for job, opening in zip(list(schedule.jobs(found))[:2], (2, 0), strict=True):
        job = dataclasses.replace(job, opening=Opening(start, words[:opening]))
        games.append(synthetic.record(job, "1-0", moves=moves[opening:]))
    synthetic.journal(tmp_path, found, games)
    fens = [sample.fen for sample in tune.samples([tmp_path], 100, 1)]
    assert len(fens) == 12 and {fen.split()[2] for fen in fens} == {"-"}
    assert any("RKB" in fen.split()[0] and "rkb" in fen.split()[0] for fen in fens)


@pytest.fixture(scope="module")
def data(boards: list[chess.Board]) -> tune.Data:
    """The same as the fit sees them, with results by chance, ten positions a game."""
    chance = random.Random(1)
    found = [tune.Sample(board.fen(), chance.choice((0.0, 0.5, 1.0)), i // 10) for i, board in enumerate(boards)]
    many = [found[i % len(found)] for i in range(max(1000, len(found)))]
    return tune.trace(sortie.beside(), many)


def test_the_model_is_the_evaluation(boards: list[chess.Board], data: tune.Data) -> None:
    values = tune.evaluations(data, data.start)
    assert len(boards) > 200
    for board, value in zip(boards, values, strict=False):
        terms = evaluate_terms(Game(board.fen()))
        own = (terms["score"] - terms["tempo"]) * (1 if board.turn else -1)
        assert abs(own - value) <= 6, board.fen()  # the evaluation divides whole numbers four times


def test_the_weights_it_names_are_those_of_the_file(data: tune.Data) -> None:
    assert np.array_equal(data.start, START)


def test_kings_in_danger_are_among_the_positions(data: tune.Data) -> None:
    total, slopes = tune.king_costs(data, data.start[:, 0])
    assert np.count_nonzero(total) > 50
    assert all(np.count_nonzero(slope) > 20 for _, slope in slopes)


def test_gradient(data: tune.Data, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}

    def note(objective: Any, start: Any, **_: Any) -> Any:
        asked["objective"], asked["start"] = objective, start
        raise StopIteration

    monkeypatch.setattr(tune, "minimize", note)
    with pytest.raises(StopIteration):
        tune.fit(data, 1, 1e-7, 1)
    start = asked["start"] + np.random.default_rng(2).normal(0, 3, len(asked["start"]))
    wrong = check_grad(lambda x: asked["objective"](x)[0], lambda x: asked["objective"](x)[1], start, epsilon=1e-4)
    assert wrong < 1e-5 * np.linalg.norm(asked["objective"](start)[1]) + 1e-7


def test_a_fit_recovers_weights_that_made_the_results(data: tune.Data) -> None:
    truth = data.start.copy()
    truth[:5] *= 1.5
    points = 1 / (1 + np.exp(-tune.SCALE * tune.evaluations(data, truth)))
    made = tune.Data(
        data.tables, data.start, data.middle, data.end, data.danger, data.opening, data.closing, points, data.games
    )
    found = tune.fit(made, 200, 0.0, 1)
    assert found.held_out > 0 and found.positions + found.held_out == len(points)
    assert found.loss_after < found.loss_before

    def wrong(weights: tune.Floats) -> float:
        predicted = 1 / (1 + np.exp(-found.scale * tune.SCALE * tune.evaluations(made, weights)))
        return float(np.mean(np.abs(predicted - points)))

    assert wrong(found.weights) < 0.2 * wrong(data.start)  # a fit that ends with SciPy's usual tolerance comes to 0.35


def test_the_file_it_writes_can_be_read_back(data: tune.Data, tmp_path: Path) -> None:
    found = tune.Fit(data.start + 1.0, 1.0, 1, 1, 0.5, 0.4, 0.5, 0.4)
    space: dict[str, dict[str, tuple[object, ...]]] = {}
    note = 'Made by `gauntlet tune it\'s """N\\N`.'
    exec(compile(tune.weights_file(data, found, note), "weights.py", "exec"), space)
    assert space["__doc__"] == note  # type: ignore[comparison-overlap]
    read = np.array([pair for name, _ in layout() for pair in flat(space["WEIGHTS"][name])])
    assert np.array_equal(read, START + 1)


def test_positions_come_from_finished_games_only(tmp_path: Path) -> None:
    moves = tuple(
        MoveRecord(text, 1.0, score=10)
        for text in "a2a3 a7a6 b2b3 b7b6 g2g3 g7g6 f1g2 f8g7 e1g1 d7d6 d2d3 h7h6".split()
    )
    plan = synthetic.plan(tmp_path)
    jobs = list(schedule.jobs(plan))
    fault = synthetic.fault(0, "crash")
    games = [
        synthetic.record(jobs[0], "1-0", moves=moves),
        synthetic.record(jobs[1], "0-1", "crash", moves, fault=fault),
    ]
    synthetic.journal(tmp_path, plan, games)
    found = list(tune.samples([tmp_path], 100, 1))
    assert {sample.points for sample in found} == {1.0}
    assert {sample.game for sample in found} == {1}
    assert 0 < len(found) <= len(moves) - tune.SKIP_LAST


def test_too_little_to_fit_is_one_line(tmp_path: Path) -> None:
    plan = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, plan, [])
    done = gauntlet("tune", tmp_path, "--out", tmp_path / "w.py")
    assert done.returncode == 2 and "a fit needs 1000" in done.stderr.splitlines()[-1]
    assert not (tmp_path / "w.py").exists()


@pytest.mark.parametrize(
    "out, expected",
    [
        (".", "expected a file in a folder that exists"),
        ("no/w.py", "expected a file in a folder that exists"),
        ("games.db", "is one of the files that are read, expected another"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_at_once(tmp_path: Path, out: str, expected: str) -> None:
    assert refusal("tune", tmp_path, "--out", tmp_path / out) == f"{tmp_path / out}: {expected}\n"


def test_a_seed_is_refused_at_once_if_the_fit_cannot_use_it(tmp_path: Path) -> None:
    """Not after all games have been read and traced."""
    with pytest.raises(click.BadParameter, match="-1 is not in the range"):
        command.main([str(tmp_path), "--seed", "-1"], standalone_mode=False)


def test_games_of_which_none_can_be_held_out_are_too_few(data: tune.Data) -> None:
    alone = dataclasses.replace(data, games=np.ones_like(data.games))
    with pytest.raises(BadInput, match="all of one game: a fit needs others to be held out"):
        tune.fit(alone, 5, 0.0, 1)


def test_trace_prints_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "one.fen"
    file.write_text(QUIET[0] + "\n")
    head, row = (
        json.loads(line)
        for line in subprocess.check_output([sortie.beside(), "trace", str(file)], text=True).splitlines()
    )
    assert sum(length for _, length in head["layout"]) == len(head["weights"])
    assert set(row) == {"quiet", "phase", "scale", "counts", "danger"}


def test_an_engine_that_dies_in_the_midst_of_its_answer_is_told_of_in_its_words(tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    engine.write_text(
        '#!/bin/sh\nprintf \'{"weights": [], "layout": []}\\n{"qui\'\necho \'out of memory\' >&2\nexit 3\n'
    )
    engine.chmod(0o755)
    found = [tune.Sample("8/8/8/4k3/8/8/P7/KQ6 w - - 0 1", 1.0, number) for number in range(tune.LEAST)]
    with pytest.raises(BadInput, match="engine trace: out of memory"):
        tune.trace(str(engine), found)


def test_a_folder_named_twice_is_refused(tmp_path: Path) -> None:
    """Games held out would be among those that the weights are fitted to."""
    said = refusal("tune", tmp_path, f"{tmp_path}/.", "--out", tmp_path / "w.py")
    assert said == f"{tmp_path}/.: is named twice, and its games would count twice\n"
