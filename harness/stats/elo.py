"""Figures from counts of games: Elo, error, LOS, normalized Elo, LLR and the SPRT, as pure functions.

Counts are three (wins, draws, losses of A) or five (pairs of games scored 0, 1/2, 1, 3/2, 2 by A). Scores lie in
[0, 1]; Elo is on the logistic 400-point scale. None means that the data do not determine it.

Games that all ended alike show no spread, so the normal approximation fails. What they do tell comes from the posterior of
the expected score under a uniform prior, each game treated as a trial that is won or lost: the likelihood of superiority,
and the end of the Elo interval nearest to zero. For pairs that were all shared see `_shared`. After a test see stopped.py.

Sources: Van den Bergh, "A practical introduction to the GSPRT" and "Comments on normalized Elo"; the formulas of both
are restated in docs/harness.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95
Z95 = 1.959963984540054  # two-sided 95 % quantile of the normal distribution
NELO = 800.0 / math.log(10.0)  # normalized Elo of one standard deviation per game
ZERO_COUNT = 1e-3  # what an empty bin counts in a likelihood ratio

LEAST_GAP = 1e-3  # between elo0 and elo1: no test would ever separate two that are closer
FEWEST_PAIRS = 30  # with fewer the normal approximation is too poor for an interval of 99.9 %
LEAST_RISK = 1e-9  # of an error rate: a smaller one is a mistake, and its bound would not be finite
DRAWISH = 0.8  # a share of shared pairs or drawn games beyond which the normalized test's iteration has several ends
FAR = 0.1  # a (mean - 1/2) / deviation: 25 normalized Elo of pairs, 35 of games; below it any start will do
MOST_STEPS = 200  # of the normalized test's iteration; it mostly takes five
MOST_NORMALIZED = 200.0  # beyond this the fixed-point iteration of the normalized test does not converge


def elo(score: float) -> float:
    """Elo difference of an expected score in (0, 1)."""
    return 400.0 * math.log10(score / (1.0 - score))


def elo_ends(score: float, reach: float) -> tuple[float | None, float | None]:
    """The Elo at either end of an interval of scores, score - reach and score + reach; None for an end beyond 0 or 1."""
    low, high = (elo(end) if 0.0 < end < 1.0 else None for end in (score - reach, score + reach))
    return low, high


def expected(difference: float) -> float:
    """Expected score of an Elo difference."""
    return 1.0 / (1.0 + math.pow(10.0, -difference / 400.0))


def phi(z: float) -> float:
    """The normal distribution function."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


@dataclass(frozen=True, slots=True)
class Estimate:
    """The figures from one set of counts. [elo_low, elo_high] is the 95 % interval, `elo_error` half its width.

    An end beyond a score of 0 or 1 is None (open), and then so is the error.
    """

    games: int
    score: float | None = None
    elo: float | None = None
    elo_error: float | None = None
    elo_low: float | None = None
    elo_high: float | None = None
    los: float | None = None
    nelo: float | None = None
    nelo_error: float | None = None
    draw_ratio: float | None = None


def moments(counts: Sequence[float]) -> tuple[float, float, float]:
    """Total, mean score and population variance of three (win, draw, loss) or five (pair score) counts."""
    law = _law(counts)
    total = float(sum(counts))
    mean = sum(a * n for a, n in law) / total
    return total, mean, sum(n * (a - mean) ** 2 for a, n in law) / total


def estimate(counts: Sequence[int]) -> Estimate:
    """Elo and related figures from three or five counts, taken as they are."""
    pairs = len(counts) == 5
    total = sum(counts)
    games = 2 * total if pairs else total
    if total == 0:
        return Estimate(games=0)
    _, score, variance = moments(counts)
    draws = counts[2] / total if pairs else counts[1] / total
    if one_kind(counts):
        if pairs and counts[2] >= FEWEST_PAIRS:
            return _shared(counts[2])
        low, high = _bounds_of_a_sweep(score, games)
        return Estimate(games, score, elo_low=low, elo_high=high, los=_los_of_a_sweep(score, games), draw_ratio=draws)
    error = math.sqrt(variance / total)
    low, high = elo_ends(score, Z95 * error)
    half = (high - low) / 2.0 if low is not None and high is not None else None
    sigma = math.sqrt(2.0 * variance) if pairs else math.sqrt(variance)
    return Estimate(
        games=games,
        score=score,
        elo=elo(score),
        elo_error=half,
        elo_low=low,
        elo_high=high,
        los=phi((score - 0.5) / error),
        nelo=(score - 0.5) / sigma * NELO,
        nelo_error=Z95 * NELO / math.sqrt(games),
        draw_ratio=draws,
    )


def one_kind(counts: Sequence[int]) -> bool:
    """Says whether all games, or all pairs, ended alike: such counts have no spread."""
    return sum(1 for count in counts if count) < 2


def _los_of_a_sweep(score: float, games: int) -> float:
    """Posterior probability that the expected score is above 1/2, after `games` games all with this score.

    For pairs that were all won, or lost, by half a point: as if each pair were one game.
    """
    miss = 0.5 ** ((games if score in (0.0, 1.0) else games // 2) + 1)
    return 0.5 if score == 0.5 else 1.0 - miss if score > 0.5 else miss


def _bounds_of_a_sweep(score: float, games: int) -> tuple[float | None, float | None]:
    """The Elo with 2.5 % of the same posterior below it, if all games were won, or above it, if all were lost."""
    if score in (0.0, 1.0):
        least = elo(((1.0 - CONFIDENCE) / 2.0) ** (1.0 / (games + 1)))
        return (least, None) if score else (None, -least)
    return None, None


def match(pairs: Sequence[int], games: Sequence[int]) -> Estimate:
    """The estimate of a match: from its complete pairs, or from wins, draws and losses if the pairs show no spread.

    Many pairs that were all shared need no spread: see `_shared`. If most games are in no pair, as when some games of a PGN
    file happen to have one opening, all games count alike.
    """
    few = 4 * sum(pairs) < sum(games)
    return estimate(games if few or (one_kind(pairs) and pairs[2] < FEWEST_PAIRS) else pairs)


def _shared(pairs: int) -> Estimate:
    """The estimate if every one of many pairs was shared, one point each, as by engines that play the same moves.

    The spread of single games tells nothing here, because the two games of a pair balance each other.
    """
    high = elo(0.5 + shared_reach(pairs))
    return Estimate(2 * pairs, 0.5, 0.0, high, -high, high, los=0.5, draw_ratio=1.0)


def shared_reach(pairs: int, z: float = Z95) -> float:
    """How far from 1/2 the expected score may be after so many pairs, all shared, by an interval of z standard errors.

    If it were further off, even by pairs won twice alone, one of these would probably have been seen.
    """
    return (1.0 - math.pow(2.0 * phi(-z), 1.0 / pairs)) / 2.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a match as shown to people: Elo, the ends of its 95 % interval (None: open), LOS.

    `corrected`: a test stopped the match, and the figures are corrected for that.
    """

    elo: float | None
    low: float | None
    high: float | None
    los: float | None
    corrected: bool = False

    @property
    def sign(self) -> int:
        """1 if A is stronger at 95 %, -1 if it is weaker, 0 if that is open."""
        if self.low is not None and self.low > 0.0:
            return 1
        return -1 if self.high is not None and self.high < 0.0 else 0


# Enough games? --------------------------------------------------------------------------------------------------------

Z999 = 3.290526731491926  # two-sided 99.9 % quantile of the normal law

STRONGER, WEAKER, SMALL = "stronger", "weaker", "too small to matter"
NEEDLESS = "not needed"  # the verdict on a pairing made superfluous by others: see `standing`


def worth(counts: Sequence[int], within: float, z: float = Z95) -> str | None:
    """What pairs of games have settled about A: stronger, weaker, or a difference too small to matter; None if still open.

    The interval of z standard errors decides: A is stronger or weaker if it excludes 0, the difference is too small if all of
    it lies within +-`within` Elo, which takes precedence. If the question is asked repeatedly while games are played, z must
    be larger than `Z95`, and the answer begins with the 30th pair: by `Z999` two or three of a hundred matches between equals
    are called different before the last game (Haybittle 1971 and Peto et al. 1976, on looks into trials before their
    end), by `boundary` as many as are allowed.
    """
    if z != Z95 and sum(counts) < FEWEST_PAIRS or not sum(counts):
        return None
    total, score, variance = moments(counts)
    if one_kind(counts):
        if score == 0.5:
            return SMALL if sum(counts) >= FEWEST_PAIRS and elo(0.5 + shared_reach(sum(counts), z)) <= within else None
        if 0.0 < score < 1.0:  # every pair was won, or lost, by half a point
            return (STRONGER if score > 0.5 else WEAKER) if sum(counts) >= FEWEST_PAIRS else None
        low, high = _bounds_of_a_sweep(score, 2 * sum(counts))
    else:
        low, high = elo_ends(score, z * math.sqrt(variance / total))
    if low is not None and high is not None and -within <= low and high <= within:
        return SMALL
    if low is not None and low > 0.0:
        return STRONGER
    return WEAKER if high is not None and high < 0.0 else None


def boundary(risk: float, first: int, last: int) -> float:
    """The z that two equals exceed with probability `risk` in at least one look, with one after each pair from `first` to `last`.

    From phi(z) ((z - 1/z) ln(last/first) + 4/z), the tail of the largest standardized value of a Brownian motion, which is a
    little larger than that of whole pairs. Source: Siegmund, Sequential Analysis (1985), chapter 4.
    """
    span = math.log(max(1.0, last / first))

    def tail(z: float) -> float:
        return math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi) * ((z - 1.0 / z) * span + 4.0 / z)

    return root(lambda z: tail(z) - risk, 1.0, 40.0)


def widened(z: float, pairs: int) -> float:
    """z widened because the spread is itself estimated from so many pairs: the t with the same likelihood ratio as z."""
    return math.sqrt(pairs * math.expm1(z * z / pairs))


def bounds(alpha: float = 0.05, beta: float = 0.05) -> tuple[float, float]:
    """The log likelihood ratios at which an SPRT with these error rates stops."""
    return math.log(beta / (1.0 - alpha)), math.log((1.0 - beta) / alpha)


# generalized SPRT -----------------------------------------------------------------------------------------------------

Law = list[tuple[float, float]]  # (score, probability or count)


def _law(counts: Sequence[float]) -> Law:
    """The counts with their scores, in ascending order."""
    if len(counts) == 5:
        return [(i / 4.0, float(n)) for i, n in enumerate(counts)]
    wins, draws, losses = counts
    return [(0.0, float(losses)), (0.5, float(draws)), (1.0, float(wins))]


def regular(counts: Sequence[float]) -> tuple[float, Law]:
    """Total and distribution of the counts, with empty bins counted as 1e-3."""
    law = [(a, n or ZERO_COUNT) for a, n in _law(counts)]
    total = sum(n for _, n in law)
    return total, [(a, n / total) for a, n in law]


def root(f: Callable[[float], float], low: float, high: float) -> float:
    """The zero of a monotonic f in (low, high), to the last bit, by bisection."""
    rising = f(high) > 0
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if (f(middle) > 0) == rising:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def _tilted(law: Law, values: Sequence[float]) -> Law:
    """The likeliest distribution with a mean of 0 for `values`, given that `law` was observed (without empty bins)."""
    lowest, highest = min(values), max(values)
    # At either end one denominator is 0: stay inside.
    start, end = -1.0 / highest, -1.0 / lowest
    hair = 1e-15 * (end - start)

    def slope(x: float) -> float:
        return sum(p * value / (1.0 + x * value) for (_, p), value in zip(law, values, strict=True))

    x = root(slope, start + hair, end - hair)
    return [(a, p / (1.0 + x * value)) for (a, p), value in zip(law, values, strict=True)]


def _with_t_value(law: Law, t: float) -> Law:
    """The likeliest distribution with (mean - 1/2) / standard deviation = t, a fixed point of its tangent problem.

    With bounds far from 0, where nearly all pairs were shared or games drawn, there are other fixed points, and the start
    decides which is reached: so several are tried, and the likeliest of what they lead to counts.
    """
    starts = [[1.0] * len(law)]
    far = abs(t) > FAR
    if far and law[len(law) // 2][1] > DRAWISH:
        ahead = [
            (0.0001, 0.0001, 0.97, 0.015, 0.015),
            (0.0075, 0.0001, 0.97, 0.0001, 0.0225),
            (0.0001, 0.0001, 0.6, 0.3, 0.1),
        ]
        starts += [[start[round(4 * (a if t > 0.0 else 1.0 - a))] for a, _ in law] for start in ahead]
    reached = [
        _fixed_point(law, t, [(a, weight / sum(start)) for (a, _), weight in zip(law, start, strict=True)])
        for start in starts
    ]
    if far and None in reached:
        # Where hardly anything was decided, only a start that is near converges.
        reached.append(_fixed_point(law, t, _with_t_value(law, 0.9 * t)))
    found = [each for each in reached if each is not None]
    return max(found, key=lambda each: _likelihood(law, each)) if found else law


def _likelihood(law: Law, supposed: Law) -> float:
    """The logarithm of the likelihood of `supposed` for each observation, given `law`."""
    return sum(p * math.log(q) for (_, p), (_, q) in zip(law, supposed, strict=True))


def _fixed_point(law: Law, t: float, start: Law) -> Law | None:
    """What the iteration from `start` converges to; None if it does not."""
    current = start
    for _ in range(MOST_STEPS):
        mean = sum(a * p for a, p in current)
        variance = sum(p * (a - mean) ** 2 for a, p in current)
        if variance < 1e-12:
            return None
        sigma = math.sqrt(variance)
        values = [a - 0.5 - 0.5 * t * sigma * (1.0 + ((a - mean) / sigma) ** 2) for a, _ in law]
        if min(values) >= 0.0 or max(values) <= 0.0:
            return None
        previous, current = current, _tilted(law, values)
        if max(abs(p - q) for (_, p), (_, q) in zip(previous, current, strict=True)) < 1e-9:
            return current
    return None


def llr(counts: Sequence[int], elo0: float, elo1: float, model: str = "normalized") -> float:
    """Log likelihood ratio of elo1 against elo0 (logistic or normalized Elo) for three or five counts."""
    if sum(counts) == 0:
        return 0.0
    total, law = regular(counts)
    if model == "logistic":
        under0, under1 = (_tilted(law, [a - expected(bound) for a, _ in law]) for bound in (elo0, elo1))
    elif model == "normalized":
        scale = math.sqrt(2.0) if len(counts) == 5 else 1.0
        under0, under1 = (_with_t_value(law, bound / NELO * scale) for bound in (elo0, elo1))
    else:
        raise ValueError(f"no model {model!r}")
    return total * (_likelihood(law, under1) - _likelihood(law, under0)) + 0.0  # never -0.0
