"""What a network is to learn of each position: the expected points that its score, later scores and the result speak of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.errors import BadInput
from harness.training.network import Floats
from harness.training.positions import UNKNOWN, Records

RESULT_ALONE = 1.0  # hindsight that looks at the end of the game only


def sigmoid(x: NDArray[Any]) -> NDArray[np.float64]:
    """1 / (1 + exp(-x))."""
    found: NDArray[np.float64] = 1 / (1 + np.exp(-np.asarray(x, dtype=np.float64)))
    return found


def targets(records: Records, mixture: float, hindsight: float, scale: float) -> Floats:
    """Expected points of the side to move, one for each record: `mixture` parts of its own score, the rest of what came later.

    A score is turned into points by a sigmoid of its `scale`. What came later is the game's result where `hindsight` is 1. Below
    1 it is TD(hindsight) (Sutton 1988): a mean over the scores of this and all later positions of the game, each with `hindsight`
    times the weight of the one before, and over the result with the weight that is left. Scores of a few plies later know more
    of a position than its own search, and are less a matter of luck than the result. For a stray nothing came later: its own
    score is the whole target.

    Raises BadInput when hindsight wants the positions of a game in a row and they are not, as in a shuffled file.
    """
    own = sigmoid(np.asarray(records["score"]).astype(np.float64) / scale)
    later = own.copy()
    played = np.asarray(records["result"]) != UNKNOWN
    games = records[played]
    result = np.asarray(games["result"]) / 2
    if len(games):
        later[played] = result if hindsight == RESULT_ALONE else _later(games, own[played], result, hindsight)
    return (mixture * own + (1 - mixture) * later).astype(np.float32)


def _later(
    records: Records, own: NDArray[np.float64], result: NDArray[np.float64], hindsight: float
) -> NDArray[np.float64]:
    """TD(hindsight) from the end of each game backwards, all games at once."""
    black = np.asarray(records["side"]) == 1
    own = np.where(black, 1 - own, own)  # from White's side, so that a game has one view
    found = np.where(black, 1 - result, result)
    game = np.asarray(records["game"])
    starts = np.flatnonzero(np.r_[True, game[1:] != game[:-1]])
    if 2 * len(starts) > len(records):
        raise BadInput(
            "--hindsight: expected files whose positions of a game stand in a row, that is none that was shuffled"
        )
    place = np.r_[starts[1:], len(records)] - 1  # the last of each game
    first = starts
    later = found[place]
    while len(place):
        later = (1 - hindsight) * own[place] + hindsight * later
        found[place] = later
        more = place > first
        place, first, later = place[more] - 1, first[more], later[more]
    return np.where(black, 1 - found, found)
