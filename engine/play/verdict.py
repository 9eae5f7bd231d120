"""When the engine resigns, and when it accepts a draw."""

from __future__ import annotations

from engine.play.options import Settings


def accepts_draw(score: int, plies: int) -> bool:
    """Whether to accept a draw: we are a third of a pawn worse, or, in a long game, not better."""
    return score <= -33 or (score <= 0 and plies >= 80)


class Verdict:
    """The opponent's draw offer in one game, and how long we have been lost."""

    def __init__(self) -> None:
        self._offered = False
        self._lost = 0  # own moves in a row with a lost score
        self._plies = 0  # before our last move that was searched

    def offer(self) -> None:
        """The opponent offers a draw; it stands until our next move."""
        self._offered = True

    def resigns(self, score: int, plies: int, settings: Settings) -> bool:
        """Note the score of our move, centipawns, after so many plies; return whether to resign instead of making it."""
        if plies != self._plies + 2:  # moves were taken back, or we play the other side now
            self._lost = 0
        self._plies = plies
        self._lost = self._lost + 1 if score <= -settings.number("LossScore") else 0
        return settings.on("Resign") and self._lost >= settings.number("LossMoves")

    def accepts(self, score: int, plies: int, settings: Settings) -> bool:
        """Whether to accept the opponent's draw offer, if there is one; `score` is relative to the value of a draw."""
        over_a_draw = score + settings.number("Contempt")
        return self._offered and settings.on("AcceptDraws") and accepts_draw(over_a_draw, plies)

    def moved(self) -> None:
        """We have moved: the offer is answered."""
        self._offered = False
