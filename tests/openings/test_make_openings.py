"""openings/make_openings.py: lines are read back, end by one worse move, and stay where both judges favour the same side."""

from __future__ import annotations

import gzip
import importlib
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chess
from engine_process import ROOT

sys.path.append(str(ROOT / "openings"))
make_openings = importlib.import_module("make_openings")

MOVES = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6"


class Material:
    """Gives a side 100 centipawns for each pawn more, 300 for any other man."""

    def scores(self, fens: Sequence[str], depth: int) -> list[int]:
        found = []
        for fen in fens:
            board = chess.Board(fen)
            worth = sum(
                (100 if man.piece_type == chess.PAWN else 300) * (1 if man.color == board.turn else -1)
                for man in board.piece_map().values()
            )
            found.append(worth)
        return found


class Fixed:
    """Gives the positions these scores, one after another."""

    def __init__(self, *scores: int) -> None:
        self.given = scores

    def scores(self, fens: Sequence[str], depth: int) -> list[int]:
        return list(self.given)


def line(moves: str) -> Any:
    board = chess.Board()
    for word in moves.split():
        board.push_san(word)
    return make_openings.Line("a name", board, board.ply())


def test_a_file_is_read_back_plain_and_gzipped(tmp_path: Path) -> None:
    text = f"name\tmoves\tsortie\tcontrol\nItalian Game\t{MOVES}\t10\t-4\nLopez\t1. e4 e5 2. Nf3 Nc6 3. Bb5\t5\t5\n"
    plain, packed = tmp_path / "lines.tsv", tmp_path / "lines.tsv.gz"
    plain.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    for path in (plain, packed):
        lines = make_openings.finished(path)
        assert [(each.name, each.board.ply(), each.plies) for each in lines] == [
            ("Italian Game", 8, 8),
            ("Lopez", 5, 5),
        ]
        assert chess.Board().variation_san(lines[0].board.move_stack) == MOVES


def test_a_slip_is_one_move_that_loses_so_much() -> None:
    # A pawn hangs on d5: not to take it loses a pawn by the count of men. In the first position nothing can be taken.
    lines = [line(""), line("e4 d5")]
    slipped = make_openings.slip(lines, Material(), random.Random(1), 2, 50, 150)
    assert [each.board.ply() for each in slipped] == [3]
    assert slipped[0].board.peek() != chess.Move.from_uci("e4d5")
    assert not make_openings.slip([line("e4 d5")], Material(), random.Random(1), 2, 150, 400)


def test_lines_stay_where_both_judges_favour_the_same_side() -> None:
    lines = [line("e4"), line("d4"), line("c4"), line("e4 e5"), line("d4 d5")]
    first = make_openings.within(lines, Fixed(-70, 70, -59, 131, 60), 1, 60, 130, "sortie")
    assert [each.board.ply() for each in first] == [1, 1, 2]
    assert [each.scores["sortie"] for each in first] == [70, -70, 60]  # from White's view
    second = make_openings.within(first, Fixed(-80, -80, 90), 1, 60, 130, "control")
    assert [each.scores for each in second] == [{"sortie": 70, "control": 80}, {"sortie": 60, "control": 90}]


def test_level_lines_need_not_favour_the_same_side() -> None:
    first = make_openings.within([line("e4")], Fixed(-5), 1, 0, 50, "sortie")
    assert len(make_openings.within(first, Fixed(5), 1, 0, 45, "control")) == 1
