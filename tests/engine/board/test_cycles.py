"""Short cuts of the search that ask about a whole position at once: checks, threats, moves there and back."""

from __future__ import annotations

from types import ModuleType

import chess
from positions import KIWIPETE, QUIET, SHARP, random_positions

from engine.board.game import Game


def test_check_squares_say_what_gives_check_says(probe: ModuleType) -> None:
    seen = 0
    for game in random_positions(seed=5, count=120):
        for slow, fast in probe.check_squares(game).values():
            assert slow == fast, game.fen()
            seen += slow
    assert seen > 60


def test_check_squares_of_special_moves(probe: ModuleType) -> None:
    """Castling, en passant, promotion and discovery."""
    for fen in (
        "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
        "8/8/8/2k5/3Pp3/8/8/4K2B b - d3 0 1",
        "3k4/1P6/8/8/8/8/8/4K3 w - - 0 1",
        "k7/8/8/3N4/8/8/8/4K2B w - - 0 1",
    ):
        checks = probe.check_squares(Game(fen))
        assert any(slow for slow, _ in checks.values()) or " b " in fen
        assert all(slow == fast for slow, fast in checks.values()), fen


def test_threats_are_the_squares_the_enemy_attacks(probe: ModuleType) -> None:
    for game in random_positions(seed=6, count=80):
        board = chess.Board(game.fen())
        wanted = sum(1 << square for square in chess.SQUARES if board.is_attacked_by(not board.turn, square))
        assert probe.threats(game) == wanted, game.fen()


def test_a_move_that_can_be_taken_back_is_found(probe: ModuleType) -> None:
    """Every move of a piece to an empty square, rights aside, is reversible; pawn moves and captures are not."""
    found = missed = 0
    for fen in (*QUIET, *SHARP, KIWIPETE):
        game = Game(fen)
        board = chess.Board(fen)
        for code in game.legal_moves():
            move = chess.Move.from_uci(game.coordinates(code))
            if board.is_castling(move):
                continue
            pawn = board.piece_type_at(move.from_square) == chess.PAWN
            takes = board.is_capture(move)
            kept = board.ep_square is None and board.clean_castling_rights() == 0
            game.push(code)
            key = game.key
            game.pop()
            if pawn or takes:
                assert not probe.one_move_apart(game, key), (fen, move)
                missed += 1
            elif kept:
                assert probe.one_move_apart(game, key), (fen, move)
                found += 1
    assert found > 50 and missed > 50
