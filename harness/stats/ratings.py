"""Joint ratings of all players from all games by their scores alone, as Ordo does. For BayesElo's see bayeselo.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.stats.elo import Z95, phi, root

if TYPE_CHECKING:
    import numpy as np

    Matrix = np.ndarray[Any, np.dtype[np.float64]]

LOGISTIC = 400.0 / math.log(10.0)  # Elo of one unit of log odds
ORDO = 202.0 / math.log(0.76 / 0.24)  # Ordo's: 202 points are 76 %

MOST_ADVANTAGE = 6.0  # of White, in log odds: 400 wins for one loss. Beyond it the fit has diverged


@dataclass(frozen=True, slots=True)
class Meeting:
    """One player's games with White against another; `variance` is that of White's points, None: take it from W/D/L."""

    white: int
    black: int
    wins: float
    draws: float
    losses: float
    variance: float | None = None

    @property
    def games(self) -> float:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2.0

    def spread(self) -> float:
        """Variance of White's total score."""
        if self.variance is not None:
            return self.variance
        mean = self.points / self.games
        return self.wins * (1 - mean) ** 2 + self.draws * (0.5 - mean) ** 2 + self.losses * mean**2


@dataclass(frozen=True, slots=True)
class Field:
    """Ratings by player (mean 0 over the rated ones), 95 % errors, and confidence of superiority cfs[i][j] of i over j.

    Without a prior, a player has no rating (None) if it won, lost or drew all its games or is not linked with the others.
    White's advantage is in the unit of the ratings; draw_rate is that of equal players, draw_elo BayesElo's parameter.
    """

    ratings: tuple[float | None, ...]
    errors: tuple[float | None, ...]
    cfs: tuple[tuple[float | None, ...], ...]
    advantage: float = 0.0
    draw_rate: float | None = None
    draw_elo: float | None = None


def placed(players: int, meetings: Sequence[Meeting]) -> list[int]:
    """The players with a finite rating: the largest group where all have scored, through others, against all."""
    rated = set(range(players))
    while True:
        kinds: dict[int, set[str]] = {player: set() for player in rated}
        beats: dict[int, set[int]] = {player: set() for player in rated}
        for meeting in meetings:
            if meeting.white not in rated or meeting.black not in rated or not meeting.games:
                continue
            for player, other, won, lost in (
                (meeting.white, meeting.black, meeting.wins, meeting.losses),
                (meeting.black, meeting.white, meeting.losses, meeting.wins),
            ):
                kinds[player] |= {name for name, n in (("w", won), ("d", meeting.draws), ("l", lost)) if n}
                if won or meeting.draws:
                    beats[player].add(other)
        one_kind = {player for player in rated if len(kinds[player]) < 2}
        if one_kind:
            rated -= one_kind
            continue
        groups = {frozenset(_reach(player, beats) & _reach(player, _turned(beats))) for player in rated}
        largest = max(groups, key=lambda group: (len(group), -min(group)), default=frozenset())
        if len(largest) == len(rated):
            return sorted(rated) if len(rated) > 1 else []
        rated = set(largest)


def _reach(start: int, edges: dict[int, set[int]]) -> set[int]:
    seen, todo = {start}, [start]
    while todo:
        for other in edges[todo.pop()] - seen:
            seen.add(other)
            todo.append(other)
    return seen


def _turned(edges: dict[int, set[int]]) -> dict[int, set[int]]:
    turned: dict[int, set[int]] = {player: set() for player in edges}
    for player, others in edges.items():
        for other in others:
            turned[other].add(player)
    return turned


def score_model(
    players: int, meetings: Sequence[Meeting], unit: float = LOGISTIC, white_advantage: bool = False
) -> Field:
    """Ratings whose expected scores equal the actual ones: E = 1 / (1 + exp(-(r_a - r_b + w) / unit)).

    With unit=ORDO the figures are Ordo's; white_advantage fits w too, unless the games do not determine it, as when White won
    them all. The draw rate of equal players is fitted in any case.
    """
    import numpy as np

    rated = placed(players, meetings)
    place = {player: index for index, player in enumerate(rated)}
    used = [m for m in meetings if m.white in place and m.black in place and m.games]
    if not used:
        return field_of(players, rated, None, None)
    size = len(rated)
    rows = np.zeros((len(used), size + 1))  # how each meeting's rating difference depends on the unknowns
    for row, meeting in zip(rows, used, strict=True):
        row[place[meeting.white]], row[place[meeting.black]] = 1.0, -1.0
        row[size] = 1.0 if white_advantage else 0.0
    if white_advantage and np.linalg.matrix_rank(rows) == np.linalg.matrix_rank(rows[:, :size]):
        return score_model(players, meetings, unit)  # the games do not tell it from the players' strengths
    games = np.array([m.games for m in used])
    points = np.array([m.points for m in used])
    values = np.zeros(size + 1)
    for _ in range(200):
        expected = 1.0 / (1.0 + np.exp(-rows @ values / unit))
        gradient = rows.T @ (points - games * expected)
        information = rows.T @ (rows * (games * expected * (1 - expected) / unit)[:, None])
        step = np.linalg.pinv(information) @ gradient
        # Far from the solution Newton's step on an S-shaped curve overshoots.
        values += step * min(1.0, 400.0 / max(1e-9, float(np.abs(step).max())))
        if float(np.abs(step).max()) < 1e-9:
            break
    if abs(float(values[size])) > MOST_ADVANTAGE * unit:
        return score_model(players, meetings, unit)
    values[:size] -= values[:size].mean()
    inverse = np.linalg.pinv(information)
    spread = rows.T @ (rows * np.array([m.spread() for m in used])[:, None])
    covariance = (inverse @ spread @ inverse)[:size, :size]
    expected = 1.0 / (1.0 + np.exp(-rows @ values / unit))
    rate = _equal_draw_rate(games, expected, float(sum(m.draws for m in used)))
    return field_of(players, rated, values[:size], centred(covariance), float(values[size]), rate)


def _equal_draw_rate(games: Matrix, expected: Matrix, draws: float) -> float | None:
    """The draw rate of equal players for which the expected number of draws is the actual one.

    Davidson's model, written for scores: wins times losses over draws squared is constant.
    """
    import numpy as np

    total = float(games.sum())
    if not 0.0 < draws < total:
        return None

    def surplus(rate: float) -> float:
        constant = ((1.0 - rate) / (2.0 * rate)) ** 2
        product = expected * (1.0 - expected)
        # (k - 1/4) d^2 + d/2 - f (1 - f) = 0, solved in a form that is valid for k = 1/4 too.
        share = 2.0 * product / (0.5 + np.sqrt(0.25 + 4.0 * (constant - 0.25) * product))
        return float((games * share).sum()) - draws

    # Where the weaker never won, not even a rate of 1 makes more draws than there are.
    return root(surplus, 1e-9, 1.0 - 1e-9) if surplus(1.0 - 1e-9) > 0.0 else 1.0


def centred(covariance: Matrix) -> Matrix:
    """The covariance of the ratings less their mean."""
    import numpy as np

    size = len(covariance)
    centre = np.eye(size) - 1.0 / size
    return centre @ covariance @ centre


def field_of(
    players: int,
    rated: list[int],
    values: Matrix | None,
    covariance: Matrix | None,
    advantage: float = 0.0,
    draw_rate: float | None = None,
) -> Field:
    """The result in the order of all players, None for those without a rating."""
    ratings: list[float | None] = [None] * players
    errors: list[float | None] = [None] * players
    cfs: list[list[float | None]] = [[None] * players for _ in range(players)]
    if values is not None and covariance is not None:
        for i, player in enumerate(rated):
            if float(covariance[i, i]) < 1e-18:
                continue  # results without any spread determine no rating
            # Rounding errors such as -0.0 and -1e-14 are not differences between players.
            ratings[player] = round(float(values[i]), 9) + 0.0
            errors[player] = Z95 * math.sqrt(max(0.0, float(covariance[i, i])))
            for j, other in enumerate(rated):
                spread = float(covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j])
                if i != j and spread > 1e-12:
                    cfs[player][other] = phi(float(values[i] - values[j]) / math.sqrt(spread))
    return Field(tuple(ratings), tuple(errors), tuple(tuple(row) for row in cfs), advantage, draw_rate)
