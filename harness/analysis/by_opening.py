"""Elo with all games from one opening as one sample: an interval that is valid even if games repeat.

Pairs from the same opening are not independent if engines repeat their moves, as they do at fixed nodes. So the
spread is taken between openings.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.journal.record import GameRow
from harness.schedule.pairing import pairings_of
from harness.spec.settings import Experiment
from harness.stats import design
from harness.stats.elo import Outcome
from harness.stats.samples import of_samples

Samples = dict[tuple[str, str], tuple[int, float]]  # by opening: games, and points of the pairing's first player


@dataclass(frozen=True, slots=True)
class ByOpening:
    """A pairing, or in a factorial a variant: how many openings it was played from, and its result by opening."""

    openings: int
    outcome: Outcome


def by_opening(experiment: Experiment, rows: Iterable[GameRow]) -> list[ByOpening]:
    """One entry for each row of the run's tables, in their order."""
    pairings = pairings_of(experiment)
    variants = len(experiment.entrants) - 1 if experiment.matches else 0
    samples: list[Samples] = [{} for _ in range(variants * experiment.limits if variants else len(pairings))]
    for row in rows:
        points = row.points
        if points is None:
            continue
        if row.white != pairings[row.pairing].a:
            points = 1.0 - points
        if not variants:
            _add(samples[row.pairing], row, points)
            continue
        block, match = divmod(row.pairing, experiment.matches)
        for index in range(variants):
            _add(samples[block * variants + index], row, points if design.has(match, index) else 1.0 - points)
    return [ByOpening(len(found), of_samples(list(found.values()))) for found in samples]


def _add(samples: Samples, row: GameRow, points: float) -> None:
    games, sum_ = samples.get((row.fen, row.line), (0, 0.0))
    samples[row.fen, row.line] = games + 1, sum_ + points
