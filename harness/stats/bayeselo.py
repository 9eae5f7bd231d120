"""BayesElo's joint ratings: the likeliest ones under its model of wins, draws and losses (Coulom, bayeselo)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.stats.ratings import LOGISTIC, MOST_ADVANTAGE, Field, Meeting, centred, field_of

if TYPE_CHECKING:
    import numpy as np

    from harness.stats.ratings import Matrix

MOST_DRAW_ELO = 1500.0  # no game has such a draw rate: beyond it the fit has diverged
DRAW_ELO = 97.3  # BayesElo's default, for games that do not determine one


@dataclass(frozen=True, slots=True)
class _Likelihood:
    """The likelihood of the games between `size` players.

    Each place of the arrays is a couple: who has White, who has Black, and White's wins, draws and losses. The unknowns x are
    the ratings, White's advantage and drawelo, in natural log odds, a scale that suits an optimiser's steps.
    """

    size: int
    white: np.ndarray[Any, np.dtype[np.int64]]
    black: np.ndarray[Any, np.dtype[np.int64]]
    wins: Matrix
    draws: Matrix
    losses: Matrix

    def chances(self, x: Matrix) -> tuple[Matrix, Matrix]:
        """The probabilities that White wins and loses; p(draw) = p(win) p(loss) (10^(drawelo/200) - 1)."""
        import numpy as np

        difference = x[self.white] - x[self.black] + x[self.size]
        return 1.0 / (1.0 + np.exp(x[-1] - difference)), 1.0 / (1.0 + np.exp(x[-1] + difference))

    def by_player(self, values: Matrix) -> Matrix:
        """The sum of a value of every couple over a player's games with White, less that with Black."""
        import numpy as np

        of_white, of_black = (np.bincount(side, values, self.size) for side in (self.white, self.black))
        return (of_white - of_black).astype(np.float64)

    def negative(self, x: Matrix) -> tuple[float, Matrix]:
        """Minus the log likelihood, and its gradient."""
        import numpy as np

        won, lost = self.chances(x)
        up, down = self.wins + self.draws, self.losses + self.draws
        excess = math.expm1(2.0 * x[-1])
        value = (up * np.log(won) + down * np.log(lost)).sum() + self.draws.sum() * math.log(excess)
        slope = up * (1 - won) - down * (1 - lost)
        by_draw = self.draws.sum() * 2.0 * (1.0 + 1.0 / excess) - (up * (1 - won) + down * (1 - lost)).sum()
        return -float(value), -np.concatenate([self.by_player(slope), [slope.sum(), by_draw]])

    def information(self, x: Matrix) -> Matrix:
        """Minus the second derivatives of the log likelihood."""
        import numpy as np

        won, lost = self.chances(x)
        of_wins = (self.wins + self.draws) * won * (1.0 - won)
        of_losses = (self.losses + self.draws) * lost * (1.0 - lost)
        spread, tilt = of_wins + of_losses, of_losses - of_wins
        excess = math.expm1(2.0 * x[-1])
        size, found = self.size, np.zeros((len(x), len(x)))
        for one in (self.white, self.black):
            for other in (self.white, self.black):
                np.add.at(found, (one, other), spread if one is other else -spread)
        found[size, :size] = found[:size, size] = self.by_player(spread)
        found[-1, :size] = found[:size, -1] = self.by_player(tilt)
        found[size, size] = spread.sum()
        found[size, -1] = found[-1, size] = tilt.sum()
        found[-1, -1] = spread.sum() + self.draws.sum() * 4.0 * (excess + 1.0) / excess**2
        return found

    def maximum(self, least: float, most: float) -> Matrix:
        """The likeliest x with a drawelo between these bounds."""
        import numpy as np
        from scipy.optimize import minimize

        found = minimize(
            self.negative,
            np.concatenate([np.zeros(self.size), [0.1, min(max(0.5, least), most)]]),
            jac=True,
            method="L-BFGS-B",
            bounds=[(-30.0, 30.0)] * self.size + [(-MOST_ADVANTAGE, MOST_ADVANTAGE), (least, most)],
            options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 2000},
        )
        best: Matrix = found.x
        return best


def _likelihood(rated: Sequence[int], meetings: Sequence[Meeting], prior_draws: float) -> _Likelihood:
    import numpy as np

    place = {player: index for index, player in enumerate(rated)}
    counts: dict[tuple[int, int], Matrix] = {}
    for meeting in meetings:
        if meeting.games:
            key = place[meeting.white], place[meeting.black]
            for couple in (key, key[::-1]):
                counts.setdefault(couple, np.zeros(3))
            counts[key] += (meeting.wins, meeting.draws, meeting.losses)
    white, black = (np.array(side) for side in zip(*counts, strict=True))
    wins, draws, losses = np.array(list(counts.values())).T
    both = np.array([counts[couple].sum() + counts[couple[::-1]].sum() for couple in counts])
    of_player = np.bincount(white, both, len(rated))
    draws = draws + prior_draws / 4.0 * both * (1.0 / of_player[white] + 1.0 / of_player[black])
    return _Likelihood(len(rated), white, black, wins, draws, losses)


def bayes_elo(players: int, meetings: Sequence[Meeting], prior_draws: float = 2.0) -> Field:
    """BayesElo's ratings, with White's advantage and drawelo fitted too.

    Every player is given `prior_draws` / 2 drawn games, spread over its opponents, so that everyone who has played has a
    rating. If the games have no wins or no losses the likelihood has no maximum in drawelo, which then is BayesElo's
    default. Ratings are scaled so that a small difference means the same score as on the logistic scale.
    """
    import numpy as np

    rated = sorted({player for m in meetings if m.games for player in (m.white, m.black)})
    size = len(rated)
    if size < 2:
        return field_of(players, [], None, None)
    likelihood = _likelihood(rated, meetings, prior_draws)
    x = likelihood.maximum(1e-3, 12.0)
    free = size + 2  # unknowns that the games determine
    if x[-1] * LOGISTIC > MOST_DRAW_ELO or not likelihood.wins.any() or not likelihood.losses.any():
        x = likelihood.maximum(DRAW_ELO / LOGISTIC, DRAW_ELO / LOGISTIC)
        free = size + 1
    # The games say nothing of what all ratings have in common: that direction is left out.
    information = likelihood.information(x)[:free, :free]
    inverse = np.asarray(np.linalg.pinv(information, rcond=1e-10, hermitian=True), np.float64)
    x = x * LOGISTIC
    ratings = x[:size] - x[:size].mean()
    odds = 10.0 ** (-x[-1] / 400.0)
    scale = 4.0 * odds / (1.0 + odds) ** 2
    covariance = centred(inverse[:size, :size] * LOGISTIC**2) * scale**2
    field = field_of(players, rated, ratings * scale, covariance, float(x[size]))
    return Field(field.ratings, field.errors, field.cfs, field.advantage, None, float(x[-1]))
