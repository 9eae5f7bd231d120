"""openings/make_screen.py: its games go on by plausible moves, and end where the game does."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Sequence

import chess
from engine_process import ROOT

sys.path.append(str(ROOT / "openings"))
make_screen = importlib.import_module("make_screen")


class Level:
    """Gives every position the same score."""

    def scores(self, fens: Sequence[str], depth: int) -> list[int]:
        return [0] * len(fens)


def test_games_go_on_until_their_ply_or_their_end() -> None:
    mated = chess.Board("8/8/8/8/8/5k2/6q1/7K w - - 0 1")
    boards = [chess.Board(), mated]
    games = [make_screen.Game(board, "opening", board.ply() + 3) for board in boards]
    make_screen.play(games, Level(), random.Random(1))
    assert [(game.board.ply(), game.over) for game in games] == [(3, False), (0, True)]


def test_sortie_is_asked_nothing_about_no_positions() -> None:
    assert make_screen.Sortie("no-such-program").scores([], 3) == []
