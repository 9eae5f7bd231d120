"""Positions in random games: keys, rights and check detection kept in step with python-chess."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from positions import KIWIPETE, START, game_plans, mirror, move_codes, play, play_out

from engine.board.game import Game


@settings(max_examples=60)
@given(game_plans())
def test_incremental_key_is_the_key_from_scratch(plan: tuple[str, bool, list[int]]) -> None:
    """After every move, after taking it back, and for the same position set up from its FEN."""
    keys = []
    game = None
    for board, game in play(plan):
        assert game.key == game.computed_key()
        assert Game(game.fen(), plan[1]).key == game.key, board.fen()
        keys.append(game.key)
    assert game is not None
    for key in reversed(keys[:-1]):
        game.pop()
        assert game.key == key == game.computed_key()


@settings(max_examples=40)
@given(game_plans(longest=40))
def test_equal_keys_mean_equal_positions(plan: tuple[str, bool, list[int]]) -> None:
    """Two positions of a game share a key exactly when the rules of repetition call them equal."""
    seen: dict[object, int] = {}
    for board, game in play(plan):
        identity = board._transposition_key()
        assert seen.setdefault(identity, game.key) == game.key
    assert len(set(seen.values())) == len(seen)


@settings(max_examples=60)
@given(game_plans())
def test_check_is_seen_before_and_after_the_move(plan: tuple[str, bool, list[int]]) -> None:
    for board, game in play(plan):
        assert game.in_check() == board.is_check()
        for code, move in move_codes(board).items():
            assert game.gives_check(code) == board.gives_check(move), (board.fen(), move)


@settings(max_examples=60)
@given(game_plans())
def test_taking_moves_back_restores_everything(plan: tuple[str, bool, list[int]]) -> None:
    fens = []
    game = None
    for _, game in play(plan):
        fens.append((game.fen(), game.ply, game.halfmove_clock, game.turn))
    assert game is not None
    for expected in reversed(fens[:-1]):
        game.pop()
        assert (game.fen(), game.ply, game.halfmove_clock, game.turn) == expected
    with pytest.raises(IndexError):
        game.pop()


def test_a_copy_is_independent_and_remembers_the_game() -> None:
    game = Game()
    for text in ("g1f3", "g8f6", "f3g1", "f6g8"):
        game.push(game.parse(text))
    twin = game.copy()
    for text in ("g1f3", "g8f6", "f3g1", "f6g8"):
        twin.push(twin.parse(text))
    assert twin.outcome() == ("1/2-1/2", "Draw by repetition")
    assert game.outcome() is None
    assert game.moves() == twin.moves()[:4]
    assert game.start_fen() == twin.start_fen() == START


@given(game_plans(longest=80))
def test_a_copy_stands_on_its_own_when_the_game_is_gone(plan: tuple[str, bool, list[int]]) -> None:
    """Moves and take-backs in the copy, Fischer random castling included, touch nothing that belonged to the original."""
    _, game = play_out(plan)
    fen, moves, key, legal = game.fen(), game.moves(), game.key, game.legal_moves()
    twin = game.copy()
    again = twin.copy()
    del game
    assert (twin.fen(), twin.moves(), twin.key, twin.legal_moves()) == (fen, moves, key, legal)
    for move in twin.legal_moves()[:1]:
        twin.push(move)
        twin.pop()
    while twin.ply:
        twin.pop()
        assert twin.key == twin.computed_key()
    for text in moves:
        twin.push(twin.parse(text))
    assert (twin.fen(), twin.legal_moves()) == (fen, legal)
    assert (again.fen(), again.moves(), again.outcome()) == (fen, moves, twin.outcome())


@pytest.mark.parametrize("text", ["e2e5", "e1g1", "a7a6"])
def test_illegal_moves_are_refused(text: str) -> None:
    """push takes legal moves only, whatever the code."""
    game = Game()
    assert game.parse(text) == 0
    origin, target = chess.parse_square(text[:2]), chess.parse_square(text[2:])
    for code in (origin | target << 6, origin | target << 6 | 3 << 14, 0, 65535):
        with pytest.raises(ValueError):
            game.push(code)
    assert game.fen() == START


def test_en_passant_right_without_a_legal_capture_does_not_change_the_key() -> None:
    """The capture would leave the king in check along the rank, or there is no pawn to make it."""
    pinned = "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1"
    assert Game(pinned).key == Game(pinned.replace("d3", "-")).key
    lonely = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq {} 0 1"
    assert Game(lonely.format("e3")).key == Game(lonely.format("-")).key
    real = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq {} 0 3"
    assert Game(real.format("f6")).key != Game(real.format("-")).key


def test_the_twin_of_a_position_has_the_byte_swapped_key() -> None:
    """The tables treat colour-flipped twins alike, which is what makes their node counts equal."""
    for fen in (KIWIPETE, START, "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"):
        ours, twin = Game(fen).key, Game(mirror(fen)).key
        assert int.from_bytes(ours.to_bytes(8, "little"), "big") in (twin, twin ^ (Game(START).key ^ flipped_start()))


def flipped_start() -> int:
    """The key of the start position with Black to move: it differs from Game().key by the side's number."""
    return int(Game(START.replace(" w ", " b ")).key)
