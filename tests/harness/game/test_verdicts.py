"""The referee's own bookkeeping against python-chess over whole games: the same verdict after every move, none missed.

`REFEREE_GAMES=10000` plays as many as the claim in docs/harness.md is made for (about five minutes on one core).
"""

from __future__ import annotations

import os
import random

import chess
import pytest

from harness.game.referee import Referee

GAMES = int(os.environ.get("REFEREE_GAMES", "120"))
CHUNKS = 4
PLIES = 400  # of one game


def oracle(board: chess.Board) -> tuple[str, str] | None:
    """What python-chess says of a position, in the order in which the harness asks."""
    if not any(board.generate_legal_moves()):
        return ("1-0" if board.turn == chess.BLACK else "0-1", "mate") if board.is_check() else ("1/2-1/2", "stalemate")
    if board.halfmove_clock >= 8 and board.is_repetition(3):
        return "1/2-1/2", "repetition"
    if board.halfmove_clock >= 100:
        return "1/2-1/2", "fifty"
    return ("1/2-1/2", "material") if board.is_insufficient_material() else None


def start(rng: random.Random) -> str:
    """The start position, or a thin one: pins, promotions, stalemates and dead positions come sooner there."""
    if rng.random() < 0.4:
        return chess.STARTING_FEN
    while True:
        board = chess.Board(None)
        men = [chess.KING, *rng.choices(range(1, 6), k=rng.randrange(0, 5))]
        for colour in chess.COLORS:
            for kind in men if rng.random() < 0.7 else men[:2]:
                square = rng.choice(list(chess.scan_forward(chess.BB_ALL & ~board.occupied)))
                board.set_piece_at(square, chess.Piece(kind, colour))
        board.turn = rng.choice(chess.COLORS)
        if board.is_valid():
            return board.fen()


def choose(rng: random.Random, board: chess.Board, moves: list[chess.Move]) -> chess.Move:
    """Mostly any move; now and then one that goes back, without which random play repeats nothing."""
    if len(board.move_stack) > 1 and rng.random() < 0.35:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if back in moves:
            return back
    return rng.choice(moves)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_verdict_is_that_of_python_chess(chunk: int) -> None:
    rng = random.Random(20261122 + chunk)
    reasons: dict[str, int] = {}
    for _ in range(GAMES // CHUNKS):
        fen = start(rng)
        board, referee = chess.Board(fen), Referee(fen)
        moves = list(board.legal_moves)
        while (verdict := referee.ended()) is None and len(board.move_stack) < PLIES:
            assert oracle(board) is None, board.fen()
            move = choose(rng, board, moves)
            assert referee.read(move.uci()) == move, (board.fen(), move)
            squares = rng.sample(chess.SQUARE_NAMES, 2)
            any_move = "".join(squares) + rng.choice(("", "", "", "q"))
            try:
                expected = board.parse_uci(any_move)  # knows king takes rook as castling too
            except ValueError:
                expected = None
            assert referee.read(any_move) == expected, (board.fen(), any_move)
            board.push(move)
            referee.push(move)
            moves = list(board.legal_moves)
        assert verdict == oracle(board), board.fen()
        assert referee.board.fen() == board.fen()
        reasons[verdict[1] if verdict else "cut"] = reasons.get(verdict[1] if verdict else "cut", 0) + 1
    assert {"mate", "repetition", "material"} <= reasons.keys(), reasons
