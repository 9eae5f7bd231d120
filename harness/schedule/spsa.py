"""Simultaneous perturbation stochastic approximation (SPSA): the values of each pair of games, and what its result changes.

Iteration k is one pair of games from the same opening. A coin moves each parameter i up in one engine and down in the
other; then its value moves towards the engine that scored more:

    c_i(k) = c_end * step_i * (N / k) ** gamma          how far a parameter is moved to either side
    r(k) = r_end * ((A + N) / (A + k)) ** alpha * (k / N) ** (2 * gamma)
    value_i += r(k) * c_i(k) * coin_i(k) * (wins - losses of the engine moved by +coin)

N is the number of iterations. At the last one the move is c_end steps and the rate r_end: the form of fishtest and
OpenBench, whose a_i / (A + k) ** alpha / c_i(k) is r(k) * c_i(k). Source: Spall, "An overview of the simultaneous
perturbation method for efficient optimization" (1998).

Coins, and the dice that round to whole numbers, depend on seed and k alone. The values of iteration k come from the
results of iterations 1 to k - lag, in that order, whenever they arrive: so a run can be repeated on any machine.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from harness.journal.record import GameRow
from harness.model import Job, Options
from harness.schedule.pairing import book_of, opening_of, pair_jobs, pairings_of
from harness.spec.settings import Experiment, Parameter, Spsa
from harness.terminal.numbers import figures

PLUS = 0  # the player whose values move with the coins; the other's move against them


@dataclass(frozen=True, slots=True)
class Perturbation:
    """The chances of iteration k: the coin of each parameter (1 or -1) and the die in [0, 1) that rounds it."""

    coins: tuple[int, ...]
    dice: tuple[float, ...]


def perturbation(seed: int, iteration: int, parameters: int) -> Perturbation:
    """The coins and dice of an iteration (from 1)."""
    chance = random.Random(f"spsa:{seed}:{iteration}")
    coins = tuple(1 if chance.getrandbits(1) else -1 for _ in range(parameters))
    return Perturbation(coins, tuple(chance.random() for _ in range(parameters)))


def clipped(value: float, parameter: Parameter) -> float:
    """The value, or the bound that it exceeds."""
    return min(max(value, parameter.least), parameter.most)


def sent(value: float, parameter: Parameter, die: float = 0.5) -> str:
    """A value as sent to the engine. A whole parameter is rounded up with the probability of its fraction: no bias."""
    if parameter.whole:
        return str(int(clipped(math.floor(value + die), parameter)))
    return figures(clipped(value, parameter))


class Walk:
    """The values as they change from iteration to iteration.

    A run that continues an earlier one counts its own iterations from 1; rates, coins and dice are those of the whole
    schedule.
    """

    def __init__(self, plan: Spsa, iterations: int, seed: int) -> None:
        self.plan = plan
        self.before = plan.played // 2  # iterations of the run that this one continues
        self.iterations = iterations
        self.seed = seed
        self.done = 0  # iterations whose results are in the values
        self.values = [float(parameter.start) for parameter in plan.parameters]
        # For each parameter: pairs by the half points, 0 to 4, of the side that had it moved up.
        self.pentanomials = [[0] * 5 for _ in plan.parameters]

    def reach(self, iteration: int) -> float:
        """How far each parameter is moved to either side in an iteration, in steps."""
        share = (self.before + iteration) / (self.before + self.iterations)
        return self.plan.c_end * math.pow(share, -self.plan.gamma)

    def rate(self, iteration: int) -> float:
        """r(k) of an iteration."""
        plan, last = self.plan, self.before + self.iterations
        iteration += self.before
        fading = math.pow((plan.A + last) / (plan.A + iteration), plan.alpha)
        return plan.r_end * fading * math.pow(iteration / last, 2 * plan.gamma)

    def step(self, result: int) -> None:
        """Takes the next iteration's result: wins less losses of the plus side, -2 to 2."""
        self.done += 1
        if not result:
            for counts in self.pentanomials:
                counts[2] += 1
            return
        coins = perturbation(self.seed, self.before + self.done, len(self.values)).coins
        by = self.rate(self.done) * self.reach(self.done) * result
        for index, (parameter, coin) in enumerate(zip(self.plan.parameters, coins, strict=True)):
            self.values[index] = clipped(self.values[index] + by * parameter.step * coin, parameter)
            self.pentanomials[index][2 + result * coin] += 1

    def sides(self, iteration: int) -> tuple[Options, Options]:
        """The options of the plus and of the minus side in an iteration, from the values as they are now."""
        chance = perturbation(self.seed, self.before + iteration, len(self.values))
        reach = self.reach(iteration)
        both: list[Options] = []
        for sign in (1, -1):
            moved = [
                (parameter.name, sent(clipped(value + sign * coin * reach * parameter.step, parameter), parameter, die))
                for parameter, value, coin, die in zip(
                    self.plan.parameters, self.values, chance.coins, chance.dice, strict=True
                )
            ]
            both.append(tuple(moved))
        return both[0], both[1]


class Results:
    """The results of a tuning run by iteration, whole pairs only."""

    def __init__(self) -> None:
        self.known: dict[int, int] = {}
        self._half: dict[int, int] = {}

    def add(self, row: GameRow) -> None:
        """Counts a finished game; one without a score teaches nothing."""
        points = row.points
        gain = 0 if points is None else round(2 * points) - 1
        self._leg(row.pair, gain if row.white == PLUS else -gain)

    def give_up(self, game: int) -> None:
        """Counts a game that will never be played; it teaches nothing."""
        self._leg((game + 1) // 2, 0)

    def _leg(self, pair: int, gain: int) -> None:
        if pair in self._half:
            self.known[pair] = self._half.pop(pair) + gain
        elif pair not in self.known:
            self._half[pair] = gain


class Tuning(Iterator[Job]):
    """The jobs of a tuning run as far as the results allow: after StopIteration it goes on once more results are known."""

    def __init__(self, experiment: Experiment) -> None:
        """Raises BadInput for a broken opening file."""
        assert experiment.spsa is not None
        self.plan = experiment.spsa
        self.iterations = experiment.games // 2
        self.results = Results()
        self._shown = Walk(self.plan, self.iterations, experiment.seed)
        self._dealt = Walk(self.plan, self.iterations, experiment.seed)
        self._pairing = pairings_of(experiment)[0]
        self._opening = opening_of(experiment, book_of(experiment))
        self._next = 1
        self._second: Job | None = None

    def __next__(self) -> Job:
        if self._second is not None:
            job, self._second = self._second, None
            return job
        pair = self._next
        known = self.results.known
        while self._dealt.done < pair - self.plan.lag and self._dealt.done + 1 in known:
            self._dealt.step(known[self._dealt.done + 1])
        if pair > self.iterations or self._dealt.done < pair - self.plan.lag:
            raise StopIteration
        self._next += 1
        plus, minus = self._dealt.sides(pair)
        opening = self._opening(self._dealt.before + pair)
        first, second = pair_jobs(self._pairing, pair, 2 * pair - 1, opening)
        self._second = replace(second, options=(minus, plus))
        return replace(first, options=(plus, minus))

    def latest(self) -> Walk:
        """The walk after all iterations before the first whose result is not known."""
        known = self.results.known
        while self._shown.done + 1 in known:
            self._shown.step(known[self._shown.done + 1])
        return self._shown


def path(
    plan: Spsa, iterations: int, seed: int, known: Mapping[int, int], points: int
) -> list[tuple[int, list[float]]]:
    """(iteration, values) at no more than `points` iterations, the first and the last included."""
    walk = Walk(plan, iterations, seed)
    last = 0
    while last + 1 in known:
        last += 1
    wanted = {round(last * point / max(1, points - 1)) for point in range(points)}
    found = [(0, list(walk.values))]
    while walk.done < last:
        walk.step(known[walk.done + 1])
        if walk.done in wanted:
            found.append((walk.done, list(walk.values)))
    return found
