"""What a tuning run says of its parameters: what moving one up is worth, and whether any of them matters."""

from __future__ import annotations

import io
import random
from dataclasses import replace
from pathlib import Path

import pytest
import synthetic
from rich.console import Console

from harness.analysis import tuned
from harness.schedule.spsa import Walk, perturbation
from harness.spec import reader, writer
from harness.spec.settings import Experiment
from harness.stats.elo import expected
from harness.tables.tuned import lines, parameters_table, sentence

NAMES = ("A", "B", "C", "D")
TEXT = "[experiment]\ndepth = 1\n[engines.hill]\ncommand = 'python3'\n[openings]\nfile = 'book.tsv'\n[spsa]\ngames = 8000\n"
TEXT += "".join(f"[spsa.parameters.{name}]\nleast = 0\nmost = 100\nstart = 50\nstep = 5\n" for name in NAMES)


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    synthetic.plan(tmp_path)
    return reader.parse(TEXT, "spsa.toml", tmp_path)


def walked(experiment: Experiment, worth: dict[str, float], pairs: int, seed: int) -> Walk:
    """A run in which moving a parameter up rather than down is worth so many Elo; its values stay as they are."""
    assert experiment.spsa is not None
    walk = Walk(replace(experiment.spsa, r_end=1e-9), experiment.games // 2, seed)
    chance = random.Random(seed)
    for number in range(1, pairs + 1):
        coins = perturbation(seed, number, len(NAMES)).coins
        score = expected(sum(worth.get(name, 0.0) * coin for name, coin in zip(NAMES, coins, strict=True)))
        walk.step(sum(1 if chance.random() < score else -1 for _ in range(2)))
    return walk


def test_what_moving_a_parameter_up_is_worth(experiment: Experiment) -> None:
    found = tuned.of_walk(experiment, walked(experiment, {"B": 40.0, "D": -25.0}, 4000, 3))
    worth = {one.name: one for one in found.parameters}
    for name, true in (("A", 0.0), ("B", 40.0), ("C", 0.0), ("D", -25.0)):
        one = worth[name]
        assert sum(one.pentanomial) == 4000
        shown = one.outcome()
        assert shown.elo is not None and shown.low is not None and shown.high is not None
        assert shown.elo == pytest.approx(true, abs=10)
        assert shown.low < shown.elo < shown.high < shown.low + 20
    chance = found.chance()
    assert chance is not None and chance < 1e-6
    assert "a difference beyond chance, which alone gives such figures in < 0.1 % of runs: some matter" in sentence(
        found
    )


def test_parameters_that_do_nothing_look_like_chance(experiment: Experiment) -> None:
    """The probability is one: below a twentieth in about a twentieth of the runs, and in the middle on average."""
    found = [tuned.of_walk(experiment, walked(experiment, {}, 100, seed)).chance() for seed in range(300)]
    known = [one for one in found if one is not None]
    assert len(known) == 300
    assert 0.02 < sum(one < 0.05 for one in known) / 300 < 0.09
    assert sum(known) / 300 == pytest.approx(0.5, abs=0.06)
    calm = tuned.of_walk(experiment, walked(experiment, {}, 300, 4))
    assert "no difference beyond chance, which alone gives" in sentence(calm)


def test_large_numbers_are_shown_in_full(tmp_path: Path) -> None:
    synthetic.plan(tmp_path)
    hash_size = "[spsa.parameters.Hash]\nleast = 1\nmost = 33554432\nstart = 8388608\nstep = 1048576\n"
    plan = reader.parse(TEXT[: TEXT.index("[spsa.parameters")] + hash_size, "spsa.toml", tmp_path)
    found = tuned.of_walk(plan, walked(plan, {}, 0, 1))
    out = io.StringIO()
    parameters_table(found).print(Console(width=200, file=out))
    row = next(line.split() for line in out.getvalue().splitlines() if "Hash" in line)
    assert row[:6] == ["Hash", "8388608", "8388608", "+0.00", "1", "33554432"] and "e+" not in row[6]
    assert lines(found) == ["Hash   8388608 -> 8388608   send 8388608"]


def test_an_engine_may_itself_be_called_tuned(tmp_path: Path) -> None:
    """As the one of the experiment that an earlier run wrote, when it is tuned further."""
    synthetic.plan(tmp_path)
    plan = reader.parse(TEXT.replace("engines.hill", "engines.tuned"), "spsa.toml", tmp_path)
    text = writer.dump(tuned.proof(plan, tuned.of_walk(plan, walked(plan, {}, 0, 1))))
    proof = reader.parse(text, "tuned.toml", tmp_path)
    assert [player.name for player in proof.players] == ["tuned-again", "tuned"]
    assert dict(proof.players[0].options)["A"] == "50" and not proof.players[1].options


def test_it_is_tested_with_the_openings_in_another_order(tmp_path: Path) -> None:
    """In their own order the test would begin with the games on which the values were found."""
    synthetic.plan(tmp_path)
    text = TEXT.replace("[spsa]", "order = 'sequential'\nstart = 2\n[spsa]")
    plan = reader.parse(text, "spsa.toml", tmp_path)
    found = tuned.proof(plan, tuned.of_walk(plan, walked(plan, {}, 0, 1)))
    assert (found.openings.order, found.openings.start, found.seed) == ("random", 1, plan.seed + 1)


def test_few_or_equal_games_say_nothing_of_that(experiment: Experiment) -> None:
    few = tuned.of_walk(experiment, walked(experiment, {}, 20, 1))
    assert few.chance() is None and "beyond chance" not in sentence(few)
    equal = walked(experiment, {}, 0, 1)
    for _ in range(100):
        equal.step(0)
    found = tuned.of_walk(experiment, equal)
    assert found.chance() is None and found.parameters[0].pentanomial == [0, 0, 100, 0, 0]
    untouched = tuned.of_walk(experiment, walked(experiment, {}, 0, 1))
    assert untouched.parameters[0].outcome().elo is None and untouched.chance() is None
