"""Simultaneous perturbation: the formulas, what a run repeats, and that it climbs."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import synthetic
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import BadInput
from harness.journal.record import pack
from harness.model import Job
from harness.schedule.spsa import Perturbation, Tuning, Walk, perturbation, sent
from harness.spec import reader, writer
from harness.spec.settings import Experiment, Parameter, Spsa

X = Parameter("X", 0, 100, 30, 5)
Y = Parameter("Y", 0.0, 1.0, 0.8, 0.05, whole=False)
PLAN = Spsa((X, Y), c_end=2.0, r_end=0.01, alpha=0.6, gamma=0.1, A=50.0, lag=4)
TEXT = """
[experiment]
depth = 1
[spsa]
games = 40
lag = 4
r_end = 0.3
[engines.hill]
command = "python3"
[spsa.parameters.X]
least = 0
most = 100
start = 30
step = 5
[spsa.parameters.Y]
least = 0.0
most = 1.0
start = 0.8
step = 0.05
[openings]
file = "book.tsv"
"""


def plan(folder: Path, **more: object) -> Experiment:
    synthetic.plan(folder)
    return reader.parse(TEXT, "spsa.toml", folder, overrides=more)


def test_the_formulas_are_those_of_fishtest() -> None:
    """a, c and R as its server computes them: c = c_end * N^gamma, a = r_end * c_end^2 * (A + N)^alpha."""
    n, k = 1000, 137
    walk = Walk(PLAN, n, seed=3)
    for parameter in PLAN.parameters:
        c_end = PLAN.c_end * parameter.step
        c = c_end * n**PLAN.gamma / k**PLAN.gamma
        a = PLAN.r_end * c_end**2 * (PLAN.A + n) ** PLAN.alpha
        r = a / (PLAN.A + k) ** PLAN.alpha / c**2
        assert walk.reach(k) * parameter.step == pytest.approx(c)
        assert walk.rate(k) == pytest.approx(r)
    assert (walk.reach(n), walk.rate(n)) == pytest.approx((PLAN.c_end, PLAN.r_end))


def test_a_step_goes_towards_the_side_that_scored_more() -> None:
    walk = Walk(PLAN, 1000, seed=3)
    coins = perturbation(3, 1, 2).coins
    walk.step(2)
    for parameter, value, coin in zip(PLAN.parameters, walk.values, coins, strict=True):
        assert value - parameter.start == pytest.approx(coin * 2 * walk.rate(1) * walk.reach(1) * parameter.step)
    before = list(walk.values)
    walk.step(0)
    assert walk.values == before and walk.done == 2


def test_values_stay_within_their_bounds() -> None:
    walk = Walk(replace(PLAN, r_end=50.0), 100, seed=1)
    for _ in range(100):
        plus, minus = walk.sides(walk.done + 1)
        for parameter, *values in zip(PLAN.parameters, plus, minus, strict=True):
            assert all(parameter.least <= float(value) <= parameter.most for _, value in values)
        walk.step(2)
        assert all(p.least <= value <= p.most for p, value in zip(PLAN.parameters, walk.values, strict=True))


def test_perturbations_are_a_function_of_seed_and_iteration_alone() -> None:
    assert perturbation(1, 7, 3) == perturbation(1, 7, 3) == Perturbation((1, 1, 1), perturbation(1, 7, 3).dice)
    others = {perturbation(seed, k, 20).coins for seed in (1, 2) for k in range(1, 50)}
    assert len(others) == 98
    # Each coin falls on either side as often.
    assert abs(sum(sum(perturbation(5, k, 10).coins) for k in range(1, 501))) < 200


def test_whole_values_are_rounded_without_a_lean() -> None:
    chance = random.Random(1)
    values = [int(sent(7.3, X, chance.random())) for _ in range(20_000)]
    assert set(values) == {7, 8} and sum(values) / len(values) == pytest.approx(7.3, abs=0.02)
    assert sent(0.123456789, Y) == "0.123457"
    assert sent(2345678.5, replace(Y, most=1e7)) == "2345678"  # an engine does not read 2.34568e+06
    assert (sent(103.0, X, 0.9), sent(-4.0, X)) == ("100", "0")


def test_the_two_sides_of_a_whole_parameter_differ() -> None:
    walk = Walk(replace(PLAN, parameters=(replace(X, step=1),), c_end=0.5), 10_000, seed=1)
    for iteration in (1, 5000, 10_000):
        plus, minus = walk.sides(iteration)
        assert plus != minus


# The deal ------------------------------------------------------------------------------------------------------------


def outcome(job: Job) -> str:
    """A result that is a function of what both sides were told."""
    return random.Random(repr(job.options)).choice(["1-0", "0-1", "1/2-1/2"])


def play(experiment: Experiment, order: random.Random | None, stops: int = 0) -> tuple[dict[int, Job], list[float]]:
    """Plays a run with several games under way that end in any order, taken up anew `stops` times."""
    tuning = Tuning(experiment)
    done: dict[int, Job] = {}
    rows = []
    running: list[Job] = []
    while True:
        fresh = next(tuning, None)
        while fresh is not None:
            if fresh.id not in done:
                running.append(fresh)
            fresh = next(tuning, None) if len(running) < (8 if order else 1) else None
        if not running:
            return done, tuning.latest().values
        job = running.pop(order.randrange(len(running)) if order else 0)
        done[job.id] = job
        rows.append(pack(synthetic.record(job, outcome(job))).row)
        tuning.results.add(rows[-1])
        if order and stops and order.random() < 0.1:
            # Killed: what was under way is lost, what is finished stays.
            stops -= 1
            tuning, running = Tuning(experiment), []
            for row in order.sample(rows, len(rows)):
                tuning.results.add(row)


def test_a_run_repeats_whatever_ends_first_and_however_often_it_is_killed(tmp_path: Path) -> None:
    experiment = plan(tmp_path)
    calm, values = play(experiment, None)
    assert sorted(calm) == list(range(1, 41))
    assert values != [30.0, 0.8]
    for seed in range(20):
        hurt, other = play(experiment, random.Random(seed), stops=5)
        assert hurt == calm and other == values


def test_no_more_pairs_are_under_way_than_the_lag_allows(tmp_path: Path) -> None:
    tuning = Tuning(plan(tmp_path))
    jobs = list(tuning)
    assert [job.id for job in jobs] == list(range(1, 9))
    assert all(job.options[0] != job.options[1] for job in jobs)
    # The second pair ends first: nothing new may be dealt before the first has ended.
    for job in jobs[2:4]:
        tuning.results.add(pack(synthetic.record(job, "1-0")).row)
    assert list(tuning) == []
    tuning.results.add(pack(synthetic.record(jobs[0], "1-0")).row)
    tuning.results.give_up(jobs[1].id)
    assert [job.id for job in tuning] == [9, 10, 11, 12]


def test_the_sides_change_colours_and_keep_their_options(tmp_path: Path) -> None:
    first, second = list(Tuning(plan(tmp_path)))[:2]
    assert (first.white, first.black, second.white, second.black) == (0, 1, 1, 0)
    assert first.options == second.options[::-1] and first.opening == second.opening


def test_the_values_of_an_iteration_come_from_those_before_the_lag(tmp_path: Path) -> None:
    experiment = plan(tmp_path)
    jobs, _ = play(experiment, None)
    assert experiment.spsa is not None
    walk = Walk(experiment.spsa, 20, experiment.seed)
    for pair in range(1, 21):
        if pair > experiment.spsa.lag:
            done = [jobs[2 * walk.done + 1], jobs[2 * walk.done + 2]]
            gains = [{"1-0": 1, "0-1": -1, "1/2-1/2": 0}[outcome(job)] for job in done]
            walk.step(gains[0] - gains[1])
        assert jobs[2 * pair - 1].options == walk.sides(pair)


def test_a_run_goes_on_with_an_earlier_one(tmp_path: Path) -> None:
    """With the values it stood at and its number of games the rest is played as it would have been."""
    text = TEXT.replace("lag = 4", "lag = 1").replace(
        "[spsa.parameters.X]\nleast = 0\nmost = 100\nstart = 30\nstep = 5\n", ""
    )
    synthetic.plan(tmp_path)
    whole = reader.parse(text, "spsa.toml", tmp_path)
    jobs, values = play(whole, None)
    assert whole.spsa is not None
    walk = Walk(whole.spsa, 20, whole.seed)
    for pair in range(1, 13):
        gains = [{"1-0": 1, "0-1": -1, "1/2-1/2": 0}[outcome(jobs[game])] for game in (2 * pair - 1, 2 * pair)]
        walk.step(gains[0] - gains[1])
    text = text.replace("games = 40", "games = 40\nplayed = 24").replace("start = 0.8", f"start = {walk.values[0]!r}")
    rest = reader.parse(text, "spsa.toml", tmp_path)
    assert rest.games == 16
    others, last = play(rest, None)
    assert [job.options for job in others.values()] == [jobs[24 + game].options for game in others]
    assert [job.opening for job in others.values()] == [jobs[24 + game].opening for game in others]
    assert last == values
    assert reader.parse(writer.dump(rest), "experiment.toml", tmp_path).spsa == rest.spsa


@pytest.mark.parametrize("played", [7, 40, 42])
def test_only_a_part_of_the_games_can_have_been_played_and_only_in_pairs(tmp_path: Path, played: int) -> None:
    synthetic.plan(tmp_path)
    with pytest.raises(BadInput, match=rf"\[spsa\] played must be even and below games \(40\), not {played}"):
        reader.parse(TEXT.replace("games = 40", f"games = 40\nplayed = {played}"), "spsa.toml", tmp_path)


def test_games_on_the_command_line_are_blamed_on_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^--games must be even \(both colours\), not 21"):
        plan(tmp_path, games=21)


def test_a_parameter_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    """To TOML a table in a table is not the same as one whose name has a full stop."""
    synthetic.plan(tmp_path)
    numbers = "least = 0\nmost = 9\nstart = 3\nstep = 1\n"
    both = "".join(f"[spsa.parameters.{name}]\n{numbers}" for name in ("tune.a", '"tune.a"'))
    with pytest.raises(BadInput, match=r'\[spsa.parameters."tune.a"\] is given twice, in two ways to write it'):
        reader.parse(TEXT + both, "spsa.toml", tmp_path)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(1, 10**6))
def test_it_finds_the_top_of_a_hill(seed: int) -> None:
    """Two options whose distance from the best costs Elo; sixteen thousand games made up by their law."""
    best = (70.0, 0.2)
    iterations = 8000
    walk = Walk(replace(PLAN, r_end=0.02, A=800.0, c_end=1.0), iterations, seed)
    chance = random.Random(seed)

    def elo(options: tuple[tuple[str, str], ...]) -> float:
        away = [
            (float(value) - top) / p.step for (_, value), top, p in zip(options, best, PLAN.parameters, strict=True)
        ]
        return -4.0 * sum(steps**2 for steps in away)

    for iteration in range(1, iterations + 1):
        plus, minus = walk.sides(iteration)
        score = 1.0 / (1.0 + 10.0 ** ((elo(minus) - elo(plus)) / 400.0))
        walk.step(sum(1 if chance.random() < score else -1 for _ in range(2)))
    for parameter, value, top in zip(PLAN.parameters, walk.values, best, strict=True):
        assert abs(value - top) < 2.5 * parameter.step
