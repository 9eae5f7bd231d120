"""Attack tables against python-chess, seen through the moves they produce."""

from __future__ import annotations

import random

import chess
import pytest

from engine.board.game import Game

SLIDERS = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.KING)


def targets(game: Game, square: int) -> set[int]:
    return {(move >> 6) & 63 for move in game.pseudo_legal_moves() if move & 63 == square}


@pytest.mark.parametrize("kind", SLIDERS)
def test_every_square_with_random_blockers(kind: int) -> None:
    """A piece on each square, black pawns strewn about: its targets are the oracle's attack set."""
    chance = random.Random(kind)
    for square in chess.SQUARES:
        for density in (0.0, 0.1, 0.3, 0.6):
            board = chess.Board(None)
            free = [s for s in chess.SQUARES if s != square]
            black_king = chance.choice([s for s in free if chess.square_distance(s, square) > 1])
            board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
            board.set_piece_at(black_king, chess.Piece(chess.KING, chess.BLACK))
            if kind != chess.KING:
                spots = [s for s in free if chess.square_distance(s, black_king) > 1]
                board.set_piece_at(chance.choice(spots), chess.Piece(chess.KING, chess.WHITE))
            inner = [s for s in free if 8 <= s < 56 and board.piece_at(s) is None]
            for s in chance.sample(inner, min(8, int(density * 14))):
                board.set_piece_at(s, chess.Piece(chess.PAWN, chess.BLACK))
            board.turn = chess.WHITE
            if board.is_check() or board.was_into_check():
                continue
            game = Game(board.fen())
            expected = set(board.attacks(square) & ~board.occupied_co[chess.WHITE])
            assert targets(game, square) == expected, board.fen()


@pytest.mark.parametrize("side", ["w", "b"])
def test_pawn_attacks_at_the_rims(side: str) -> None:
    """Captures do not wrap round the board: each pawn would have a victim if they did."""
    game = Game(f"4k3/8/p7/P6p/7P/8/8/4K3 {side} - - 0 1")
    assert not any("x" in game.san(move) for move in game.legal_moves())
    assert len(game.legal_moves()) == 5
