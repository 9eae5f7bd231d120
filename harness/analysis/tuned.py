"""A tuning run: the present value of each parameter, and its path so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from harness.journal.journal import Reader
from harness.journal.record import GameRow
from harness.schedule.spsa import Results, Walk, path, sent
from harness.spec.settings import Experiment, Sprt
from harness.stats import elo as stats

TUNED = "tuned.toml"  # in the results folder: the experiment that tests the values
POINTS = 200  # most points of a path: a picture shows no more
PROOF = Sprt(0.0, 5.0)  # the test of the tuned values
PROOF_GAMES = 40_000


@dataclass(frozen=True, slots=True)
class Tuned:
    """A parameter: its present `value`, the same as `sent` to an engine, and the `reach` of its moves to either side.

    `pentanomial`: pairs by the half points, 0 to 4, of the side that had it moved up.
    """

    name: str
    least: float
    most: float
    start: float
    step: float
    value: float
    sent: str
    reach: float
    pentanomial: list[int]

    @property
    def steps(self) -> float:
        """How many steps it is from its start."""
        return (self.value - self.start) / self.step

    def outcome(self) -> stats.Outcome:
        """What moving it up rather than down was worth in this run."""
        found = stats.estimate(self.pentanomial)
        return stats.Outcome(found.elo, found.elo_low, found.elo_high, found.los)


@dataclass(frozen=True, slots=True)
class TuningSummary:
    """All parameters after `done` of `iterations`, each of them a pair of games."""

    engine: str
    iterations: int
    done: int
    parameters: list[Tuned]

    def chance(self) -> float | None:
        """The probability of effects as large as theirs if none mattered; None with few pairs or none decided.

        Their coins are independent, so the squares of their scores, each divided by its variance, then add up to chi-square
        with as many degrees of freedom.
        """
        from scipy.special import chdtrc  # imported here because a run's live line does not need it

        squares = 0.0
        for one in self.parameters:
            if sum(one.pentanomial) < stats.FEWEST_PAIRS or stats.one_kind(one.pentanomial):
                return None
            pairs, score, variance = stats.moments(one.pentanomial)
            squares += (score - 0.5) ** 2 * pairs / variance
        return float(chdtrc(len(self.parameters), squares))


def results(rows: Iterable[GameRow], given_up: Iterable[int]) -> Results:
    """The results of the finished games by iteration."""
    found = Results()
    for row in rows:
        found.add(row)
    for game in given_up:
        found.give_up(game)
    return found


def summary(experiment: Experiment, known: Mapping[int, int]) -> TuningSummary:
    """The values after all iterations before the first whose result is missing."""
    assert experiment.spsa is not None
    walk = Walk(experiment.spsa, experiment.games // 2, experiment.seed)
    while walk.done + 1 in known:
        walk.step(known[walk.done + 1])
    return of_walk(experiment, walk)


def of_reader(reader: Reader, experiment: Experiment) -> TuningSummary:
    """The same from a journal."""
    return summary(experiment, results(reader.rows(), reader.given_up()).known)


def of_walk(experiment: Experiment, walk: Walk) -> TuningSummary:
    """The same from a walk."""
    reach = walk.reach(min(walk.done + 1, walk.iterations))
    parameters = [
        Tuned(p.name, p.least, p.most, p.start, p.step, value, sent(value, p), reach * p.step, list(counts))
        for p, value, counts in zip(walk.plan.parameters, walk.values, walk.pentanomials, strict=True)
    ]
    return TuningSummary(experiment.named[0].name, walk.iterations, walk.done, parameters)


def paths(experiment: Experiment, known: Mapping[int, int]) -> list[tuple[int, list[float]]]:
    """(iteration, values) at up to POINTS iterations, few enough to draw."""
    assert experiment.spsa is not None
    return path(experiment.spsa, experiment.games // 2, experiment.seed, known, POINTS)


def proof(experiment: Experiment, found: TuningSummary) -> Experiment:
    """The experiment that tests the tuned values: the engine with them against the engine without, by a sequential test."""
    (engine,) = experiment.entrants
    names = tuple(parameter.name for parameter in found.parameters)
    values = tuple((parameter.name, parameter.sent) for parameter in found.parameters)
    hidden = tuple(
        parameter.name for parameter in (experiment.spsa.parameters if experiment.spsa else ()) if parameter.hidden
    )
    tuned = replace(
        engine,
        name="tuned" if engine.name != "tuned" else "tuned-again",  # it may come from such an experiment itself
        options=(*(option for option in engine.options if option[0] not in names), *values),
        hidden=tuple(dict.fromkeys((*engine.hidden, *hidden))),
    )
    # Engines are in the order of the file; a base comes last.
    players = (replace(tuned, index=0), replace(engine, index=1))
    return replace(
        experiment,
        name=f"{experiment.name}-tuned",
        kind="match",
        players=players,
        base=1,
        games=PROOF_GAMES,
        # The openings come in another order than in the tuning, so that the first are mostly others.
        seed=experiment.seed + 1,
        openings=replace(experiment.openings, order="random", start=1),
        sprt=PROOF,
        entrants=(),
        spsa=None,
    )
