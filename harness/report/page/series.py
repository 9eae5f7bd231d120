"""Figures over the course of a run and over its openings: Elo and LLR against pairs, gains by opening, the crosstable."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from harness.journal.record import NO_MOVES, MoveSums
from harness.report.page.facts import Facts, Pair
from harness.spec.settings import Sprt
from harness.stats import design
from harness.stats import elo as stats

POINTS = 48  # of a curve: a page shows no more
# 0 where nothing was counted.
MEANS: dict[str, Callable[[MoveSums], float]] = {
    "nodes a move": lambda sums: sums.nodes / (sums.counted or 1),
    "nodes a second": lambda sums: sums.nodes / (sums.timed or math.inf),
    "time a move": lambda sums: sums.ms / (sums.moves or 1),
    "depth": lambda sums: sums.depth / (sums.depths or 1),
}


@dataclass(frozen=True, slots=True)
class Step:
    """A pairing after so many complete pairs."""

    pairs: int
    elo: float | None
    low: float | None
    high: float | None
    llr: float | None


@dataclass(frozen=True, slots=True)
class OpeningGain:
    """What a gained in one opening over its mean, in points a pair; `points` and `pairs` are totals."""

    name: str
    line: str
    fen: str
    pairs: int
    points: float
    gain: float
    games: tuple[int, ...]


def progress(pairs: Sequence[Pair], sprt: Sprt | None, matches: int = 0) -> list[Step]:
    """Elo with its band, and the LLR, after each pair or at most POINTS of them.

    `matches` of a factorial: its LLR is that of whole rounds, in order (see `tally.Effects`); 0: of all pairs.
    """
    wanted = {round(1 + (len(pairs) - 1) * n / (POINTS - 1)) for n in range(POINTS)} if pairs else set()
    counts = [0] * 5
    tested = [0] * 5 if matches else counts
    rounds: dict[int, list[int]] = {}
    whole = 0
    steps = []
    for number, pair in enumerate(pairs, 1):
        place = int(2 * pair.points)
        counts[place] += 1
        if matches:
            rounds.setdefault(pair.number, []).append(place)
        while matches and len(rounds.get(whole + 1, ())) == matches:
            whole += 1
            for place in rounds.pop(whole):
                tested[place] += 1
        if number in wanted:
            found = stats.estimate(counts)
            llr = stats.llr(tested, sprt.elo0, sprt.elo1, sprt.model) if sprt else None
            steps.append(Step(number, found.elo, found.elo_low, found.elo_high, llr))
    return steps


def opening_gains(pairs: Sequence[Pair]) -> list[OpeningGain]:
    """Every opening with a's gain over its mean of all pairs, the greatest gain first."""
    if not pairs:
        return []
    mean = sum(pair.points for pair in pairs) / len(pairs)
    by_opening: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        by_opening.setdefault((pair.row.fen, pair.row.line), []).append(pair)
    found = []
    for (fen, line), group in by_opening.items():
        points = sum(pair.points for pair in group)
        games = tuple(game for pair in group for game in pair.games)
        gain = points / len(group) - mean
        found.append(OpeningGain(group[0].row.opening, line, fen, len(group), points, gain, games))
    return sorted(found, key=lambda one: (-one.gain * one.pairs**0.5, one.games))


def crosstable(facts: Facts) -> list[list[tuple[list[int], list[int]] | None]]:
    """For row player against column player: [wins, draws, losses] with white, and with black; None if never met."""
    count = len(facts.experiment.players)
    table: list[list[tuple[list[int], list[int]] | None]] = [[None] * count for _ in range(count)]
    for row in facts.rows:
        points = row.points
        if points is None:
            continue
        for player, other, colour, got in ((row.white, row.black, 0, points), (row.black, row.white, 1, 1.0 - points)):
            cell = table[player][other]
            if cell is None:
                cell = table[player][other] = ([0, 0, 0], [0, 0, 0])
            cell[colour][0 if got == 1.0 else 2 if got == 0.0 else 1] += 1
    return table


@dataclass(frozen=True, slots=True)
class Paired:
    """Geometric mean over pairs of games of a's figure over b's in the same two games, with its 95 % interval."""

    ratio: float
    low: float
    high: float
    pairs: int


def paired_ratios(facts: Facts) -> list[dict[str, Paired]]:
    """For each pairing nodes, speed, time and depth of a over b, both taken from the same pair of games."""
    pairs: list[dict[int, tuple[MoveSums, MoveSums]]] = [{} for _ in facts.pairings]
    for row in facts.rows:
        own = pairs[row.pairing]
        mine, other = own.get(row.pair, (NO_MOVES, NO_MOVES))
        colour = 0 if row.white == facts.pairings[row.pairing].a else 1
        own[row.pair] = mine.plus(row.sums(colour)), other.plus(row.sums(1 - colour))
    return [_ratios(own.values()) for own in pairs]


def _ratios(pairs: Collection[tuple[MoveSums, MoveSums]]) -> dict[str, Paired]:
    found = {}
    for word, mean in MEANS.items():
        both = [(mean(mine), mean(other)) for mine, other in pairs]
        ratios = [mine / other for mine, other in both if mine and other]
        if len(ratios) > 1:
            found[word] = _geometric(ratios)
    return found


def _geometric(ratios: Sequence[float]) -> Paired:
    logs = [math.log(ratio) for ratio in ratios]
    mean = sum(logs) / len(logs)
    spread = math.sqrt(sum((value - mean) ** 2 for value in logs) / (len(logs) - 1) / len(logs))
    half = stats.Z95 * spread
    return Paired(math.exp(mean), math.exp(mean - half), math.exp(mean + half), len(ratios))


def named_pairs(facts: Facts) -> list[tuple[str, tuple[Pair, ...]]]:
    """The pairs of games of each pairing, in a factorial of each variant, in the order in which they were completed."""
    if facts.summary.matches is None:
        names = [f"{facts.name(couple.a)} vs {facts.name(couple.b)}" for couple in facts.pairings]
        return list(zip(names, facts.pairs, strict=True))
    each = facts.experiment.matches
    variants = len(facts.experiment.entrants) - 1
    found = []
    for number, row in enumerate(facts.summary.pairings):
        block, variant = divmod(number, variants)
        pairs = [
            pair if design.has(match, variant) else replace(pair, points=2.0 - pair.points)
            for match in range(each)
            for pair in facts.pairs[block * each + match]
        ]
        name = f"{row.a} vs {row.b}"
        found.append((name, tuple(sorted(pairs, key=lambda pair: (pair.at, pair.number, pair.games)))))
    return found
