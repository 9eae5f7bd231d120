"""Elo of games in groups that are independent of each other, although the games in a group (say, an opening) may not be."""

from __future__ import annotations

import math
from collections.abc import Sequence

from harness.stats.elo import FEWEST_PAIRS, Z95, Outcome, elo, elo_ends, phi, shared_reach


def of_samples(samples: Sequence[tuple[int, float]]) -> Outcome:
    """The result of a match from samples (games, A's points).

    The score is that of all games; its error is the spread of the samples about it, so a sample of games that repeat each
    other counts once (cluster-robust errors; Liang and Zeger, "Longitudinal data analysis using generalized linear models",
    1986). Open at both ends with fewer than two samples, or if all have the same score, unless they are many and level.
    """
    if len(samples) < 2:
        return Outcome(None, None, None, None)
    games = sum(count for count, _ in samples)
    score = sum(points for _, points in samples) / games
    squares = sum((points - count * score) ** 2 for count, points in samples)
    middle = elo(score) if 0.0 < score < 1.0 else None
    if not squares:
        reach = elo(0.5 + shared_reach(len(samples))) if score == 0.5 and len(samples) >= FEWEST_PAIRS else None
        return Outcome(middle, -reach if reach is not None else None, reach, None)
    error = math.sqrt(squares * len(samples) / (len(samples) - 1)) / games
    return Outcome(middle, *elo_ends(score, Z95 * error), phi((score - 0.5) / error))
