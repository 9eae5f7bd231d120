"""Elo after a sequential test, corrected for the bias of stopping at a bound: the LLR is treated as a Brownian motion."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from harness.stats.elo import CONFIDENCE, NELO, Outcome, bounds, expected, match, one_kind, phi, regular, root

CERTAIN = 80.0  # a probability of exp(-CERTAIN) counts as 0
MOST_ELO = 1500.0  # the ends of an interval are searched for within +- this


def _log_phi(z: float) -> float:
    """The logarithm of the normal distribution function, even far out in the tail."""
    if z > 5.0:
        return math.log1p(-phi(-z))
    if z > -30.0:
        return math.log(phi(z))
    return -0.5 * z * z - math.log(-z * math.sqrt(2.0 * math.pi)) + math.log1p(-1.0 / z**2 + 3.0 / z**4)


def _tail(exponent: float, z: float) -> float:
    """exp(exponent) * phi(z) without overflow."""
    power = exponent + _log_phi(z)
    return math.exp(power) if power > -745.0 else 0.0


def _absorbed_below(low: float, high: float, lean: float) -> float:
    """Probability that a Brownian motion from 0 meets `low` before `high`; `lean` is twice its drift over its variance."""
    if lean == 0.0:
        return high / (high - low)
    if lean < 0.0:
        return 1.0 - _absorbed_below(-high, -low, -lean)
    return math.exp(lean * low) * math.expm1(-lean * high) / math.expm1(-lean * (high - low))


def brownian_outcome(low: float, high: float, drift: float, deviation: float, time: float, place: float) -> float:
    """Probability that a Brownian motion from 0 between absorbing bounds does worse than being at `place` at `time`.

    It does worse if by then it was absorbed at `low`, or is between the bounds and not above `place`. Method of images;
    low < 0 < high, low <= place <= high, drift and deviation per unit of time.
    """
    width, variance = high - low, deviation * deviation
    rate = ((math.pi * deviation / width) ** 2 + (drift / deviation) ** 2) / 2.0
    decay = time * rate - max(drift * low, drift * high) / variance  # still inside: about exp(-decay) or less
    if decay > CERTAIN:
        return _absorbed_below(low, high, 2.0 * drift / variance)
    spread = deviation * math.sqrt(time)
    images = int((8.0 * spread + abs(drift) * time) / (2.0 * width)) + 3
    below = inside = 0.0
    for n in range(-images, images + 1):
        distance = 2.0 * n * width - low
        sign, far = math.copysign(1.0, distance), abs(distance)
        lean = drift * low / variance
        below += sign * (
            _tail(lean - abs(drift) * far / variance, (abs(drift) * time - far) / spread)
            + _tail(lean + abs(drift) * far / variance, (-abs(drift) * time - far) / spread)
        )
        for sign, centre in ((1.0, 2.0 * n * width), (-1.0, 2.0 * low - 2.0 * n * width)):
            exponent = drift * centre / variance
            left, right = ((end - centre - drift * time) / spread for end in (low, place))
            # In the upper tail a difference of two numbers near 1 would lose all precision.
            if left > 0:
                left, right = -right, -left
            inside += sign * (_tail(exponent, right) - _tail(exponent, left))
    return min(1.0, max(0.0, below + inside))


def _stopped(
    counts: Sequence[int], elo0: float, elo1: float, alpha: float, beta: float, model: str
) -> Callable[[float], float] | None:
    """A function of the true Elo: the probability that the test would have ended worse for A; None without a spread.

    The LLR is treated as a Brownian motion.
    """
    if one_kind(counts):
        return None
    low, high = bounds(alpha, beta)
    total, law = regular(counts)
    mean = sum(a * p for a, p in law)
    variance = sum(p * (a - mean) ** 2 for a, p in law)
    sigma = math.sqrt(2.0 * variance if len(counts) == 5 else variance)
    if model == "normalized":
        score0, score1 = (0.5 + bound / NELO * sigma for bound in (elo0, elo1))
    else:
        score0, score1 = expected(elo0), expected(elo1)
    # What one observation adds to the LLR, to first order in elo1 - elo0: its mean is linear in the true score, its
    # variance constant.
    gap, middle_score = score1 - score0, 0.5 * (score0 + score1)
    deviation = gap / math.sqrt(variance)
    observed = gap * (mean - middle_score) / variance
    time, place = total, total * observed
    # A test that overshot its bound counts as stopped at the moment it crossed it.
    if not low <= place <= high:
        bound = min(max(place, low), high)
        time, place = bound / observed, bound

    def worse(difference: float) -> float:
        drift = gap * (expected(difference) - middle_score) / variance
        return brownian_outcome(low, high, drift, deviation, time, place)

    return worse


def _median_unbiased(worse: Callable[[float], float]) -> tuple[float | None, float | None, float | None]:
    """The Elo at which a worse outcome has probability 1/2, 0.975 (the lower end) and 0.025 (the upper end).

    None for an open end: no Elo difference within MOST_ELO gives that probability.
    """
    low_tail = (1.0 - CONFIDENCE) / 2.0
    likeliest, unlikeliest = worse(-MOST_ELO), worse(MOST_ELO)

    def at(probability: float) -> float | None:
        if not unlikeliest < probability < likeliest:
            return None
        return root(lambda difference: probability - worse(difference), -MOST_ELO, MOST_ELO) + 0.0

    middle, low, high = at(0.5), at(1.0 - low_tail), at(low_tail)
    if middle is not None:
        # Near a clean sweep the probability falls in a single step, and an end found there would only repeat the estimate.
        low = low if low is None or low < middle else None
        high = high if high is None or high > middle else None
    return middle, low, high


def sprt_elo(
    counts: Sequence[int], elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05, model: str = "normalized"
) -> tuple[float | None, float | None, float | None] | None:
    """Median-unbiased Elo (logistic) with both ends of its 95 % interval, corrected for the bias of stopping at a bound.

    None for an open end; None for all three if the data determine nothing.
    """
    worse = _stopped(counts, elo0, elo1, alpha, beta, model)
    return _median_unbiased(worse) if worse else None


def outcome(
    pairs: Sequence[int], games: Sequence[int], test: tuple[float, float, float, float, str] | None = None
) -> Outcome:
    """The result of a match. `test` is (elo0, elo1, alpha, beta, model) of the SPRT that stopped it, None without one."""
    worse = _stopped(pairs, *test) if test else None
    if worse is None:
        found = match(pairs, games)
        return Outcome(found.elo, found.elo_low, found.elo_high, found.los)
    # LOS is the probability of a worse outcome between equals: the lower end is 0 when that is 97.5 %.
    return Outcome(*_median_unbiased(worse), worse(0.0), corrected=True)
