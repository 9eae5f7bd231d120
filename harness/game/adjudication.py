"""Ends a game before the rules do: by scores on which the engines agree, or by tablebases."""

from __future__ import annotations

import chess

from harness.books.tablebase import DRAW, Tablebase
from harness.spec.settings import Adjudication


class Adjudicator:
    """Follows the scores of one game."""

    def __init__(self, settings: Adjudication, tables: Tablebase | None = None) -> None:
        self.settings = settings
        self.tables = tables
        self._drawish = 0  # consecutive plies with a score near 0
        self._won = [0, 0]  # consecutive moves with a winning score, by colour
        self._lost = [0, 0]

    def after(self, board: chess.Board, mover: int, score: int | None, ply: int) -> tuple[str, str] | None:
        """Takes the mover's score; returns (result, reason) if the game is decided, else None.

        `board` is the position after the move, `mover` 0 for White, `ply` counts the moves since the start position,
        the opening included. A move without a score breaks every series.
        """
        settings = self.settings
        if settings.draw_score is not None:
            self._drawish = self._drawish + 1 if score is not None and abs(score) <= settings.draw_score else 0
            if self._drawish >= 2 * settings.draw_moves and ply >= 2 * settings.draw_from:
                return DRAW, "adjudicated-draw"
        if settings.resign_score is not None:
            bound = settings.resign_score
            self._won[mover] = self._won[mover] + 1 if score is not None and score >= bound else 0
            self._lost[mover] = self._lost[mover] + 1 if score is not None and score <= -bound else 0
            for winner in (0, 1):
                sides = settings.resign_sides
                won = sides == "loser" or self._won[winner] >= settings.resign_moves
                if won and (sides == "winner" or self._lost[1 - winner] >= settings.resign_moves):
                    return ("1-0", "0-1")[winner], "adjudicated-win"
        if self.tables is not None:
            return self.tables.verdict(board)
        return None
