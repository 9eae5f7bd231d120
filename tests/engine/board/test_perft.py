"""Perft: published counts typed in, and every suite of the shared data up to a cap."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import chess
import pytest
from hypothesis import given, settings
from positions import PERFT, game_plans, mirror, play_out

from engine.board.game import Game

CAP = 20_000_000  # nodes of one count: all suites together take seconds


@pytest.mark.parametrize(("fen", "counts"), PERFT, ids=[fen.split()[0] for fen, _ in PERFT])
def test_published_counts(fen: str, counts: tuple[int, ...]) -> None:
    for depth, count in enumerate(counts, 1):
        assert Game(fen).perft(depth) == count
        if count < 500_000:
            assert Game(mirror(fen)).perft(depth) == count


@pytest.mark.parametrize(
    ("fen", "depth", "count"),
    [
        ("8/8/4k3/8/2p5/8/B2P1K2/8 w - - 0 1", 6, 1038514),  # en passant uncovers check on a diagonal
        ("3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 6, 1134888),  # en passant leaves the rank open
        ("8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 6, 1440467),  # the pawn that checks may be taken so
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", 6, 661072),  # castling gives check
        ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", 6, 803711),
        ("r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", 4, 1274206),  # rights go with the rooks
        ("r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1", 4, 1720476),  # castling prevented
        ("2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", 6, 3821001),  # promotion out of check
        ("8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1", 5, 1004658),  # discovered check
        ("4k3/1P6/8/8/8/8/K7/8 w - - 0 1", 6, 217342),  # promotion gives check
        ("8/P1k5/K7/8/8/8/8/8 w - - 0 1", 6, 92683),  # underpromotion
        ("K1k5/8/P7/8/8/8/8/8 w - - 0 1", 6, 2217),  # stalemate of the side to move
        ("8/k1P5/8/1K6/8/8/8/8 w - - 0 1", 7, 567584),
        ("8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", 4, 23527),  # double check
    ],
)
def test_tricky_rules(fen: str, depth: int, count: int) -> None:
    assert Game(fen).perft(depth) == count


@pytest.mark.parametrize("suite", ["standard", "tricky_popular", "random_sample", "chess960"])
def test_shared_suites(suite: str, shared: Callable[[str], Path]) -> None:
    counted = 0
    for line in shared(f"perft/{suite}.epd").read_text().splitlines():
        fen, *fields = (part.strip() for part in line.split(";"))
        if not fen or fen.startswith("#"):
            continue
        game = Game(fen, suite == "chess960")
        for name, _, count in (field.partition(" ") for field in fields):
            if name[:1] == "D" and int(count) <= CAP:
                assert game.perft(int(name[1:])) == int(count), (fen, name)
                counted += 1
    assert counted >= 60


def count_leaves(board: chess.Board, depth: int) -> int:
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += count_leaves(board, depth - 1)
        board.pop()
    return total


@settings(max_examples=25)
@given(game_plans(longest=40))
def test_two_plies_from_random_positions(plan: tuple[str, bool, list[int]]) -> None:
    board, game = play_out(plan)
    assert game.perft(2) == count_leaves(board, 2), board.fen()


def test_depth_zero_is_one_position() -> None:
    assert Game().perft(0) == 1
