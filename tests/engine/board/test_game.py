"""How games end, and how moves are written and read, against python-chess and typed-in cases."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import START, game_plans, move_codes, play

from engine.board.game import Game


@settings(max_examples=50)
@given(game_plans(longest=50))
def test_notation_is_the_oracles(plan: tuple[str, bool, list[int]]) -> None:
    """SAN is written as python-chess writes it; SAN and coordinates are read back as the same move."""
    for board, game in play(plan):
        for code, move in move_codes(board).items():
            san = game.san(code)
            assert san == board.san(move)
            assert game.parse(san) == code
            assert game.parse(san.rstrip("+#") + "!?") == code
            coordinates = game.coordinates(code)
            assert game.parse(coordinates) == code
            if not board.is_castling(move):
                assert coordinates == move.uci()
                assert game.parse(coordinates.upper()) == code


def test_a_bishop_is_no_pawn() -> None:
    """B1c3 names a bishop by its rank; b1c3 and B1C3 are coordinates."""
    game = Game("4k3/8/8/4B3/8/8/8/1N2B1K1 w - - 0 1")
    assert [game.coordinates(game.parse(word)) for word in ("B1c3", "b1c3", "B1C3")] == ["e1c3", "b1c3", "b1c3"]


SHUFFLES = ("g1f3", "g8f6", "f3g1", "f6g8", "b1c3", "b8c6", "c3b1", "c6b8")


@settings(max_examples=60)
@given(st.lists(st.sampled_from(SHUFFLES), min_size=20, max_size=60))
def test_repetition_is_the_oracles(wishes: list[str]) -> None:
    """Knights to and fro until something repeats: repetition is claimed exactly when the oracle sees the third time."""
    board, game = chess.Board(), Game()
    for text in wishes:
        move = chess.Move.from_uci(text)
        if move not in board.legal_moves:
            continue
        board.push(move)
        game.push(game.parse(text))
        outcome = game.outcome()
        assert (outcome == ("1/2-1/2", "Draw by repetition")) == board.is_repetition(3)


@settings(max_examples=60)
@given(game_plans(longest=60))
def test_endings_are_the_oracles(plan: tuple[str, bool, list[int]]) -> None:
    for board, game in play(plan):
        outcome = game.outcome()
        if board.is_checkmate():
            assert outcome == (("0-1", "Black mates") if board.turn else ("1-0", "White mates"))
        elif board.is_stalemate():
            assert outcome == ("1/2-1/2", "Stalemate")
        elif board.is_insufficient_material():
            assert outcome == ("1/2-1/2", "Insufficient material")
        elif board.is_repetition(3):
            assert outcome == ("1/2-1/2", "Draw by repetition")
        elif board.halfmove_clock >= 100:
            assert outcome == ("1/2-1/2", "50-move rule")
        else:
            assert outcome is None


@pytest.mark.parametrize(
    ("fen", "outcome"),
    [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "Insufficient material"),
        ("4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "Insufficient material"),
        ("4k3/8/8/8/8/8/8/4KN2 b - - 0 1", "Insufficient material"),
        ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", "Insufficient material"),
        ("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", None),
        ("4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1", None),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", None),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "Stalemate"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 99 80", None),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 100 80", "50-move rule"),
    ],
)
def test_draws(fen: str, outcome: str | None) -> None:
    assert Game(fen).outcome() == (None if outcome is None else ("1/2-1/2", outcome))


def test_mate_goes_before_the_fifty_moves() -> None:
    game = Game("7k/8/6K1/8/8/8/8/R7 w - - 99 80")
    game.push(game.parse("Ra8"))
    assert game.halfmove_clock == 100 and game.outcome() == ("1-0", "White mates")


def test_fools_mate() -> None:
    game = Game()
    for text in ("f3", "e5", "g4", "Qh4"):
        game.push(game.parse(text))
    assert game.outcome() == ("0-1", "Black mates")


@pytest.mark.parametrize(
    ("fen", "text", "coordinates"),
    [
        (START, "e4", "e2e4"),
        (START, "Ng1f3", "g1f3"),
        (START, "N1f3", "g1f3"),
        (START, "e2-e4", "e2e4"),
        (START, "Pe4", "e2e4"),
        (START, "e5", None),
        (START, "", None),
        (START, "0000", None),
        (START, "e2e4q", None),
        (START, "Nf3 e5", None),
        (START, "é4", None),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8", None),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=N", "a7a8n"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8Q", "a7a8q"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8R", "a7a8r"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=K", None),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "0-0", "e1g1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O-O", "e1c1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", "e1g1"),
        ("4k3/8/8/8/8/8/8/R4K1R w - - 0 1", "Ra1e1", "a1e1"),
        # Two knights can go there: the bare letter is ambiguous, file or rank or both decide.
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "Nd2", None),
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "Nbd2", "b1d2"),
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "N3d2", "f3d2"),
    ],
)
def test_reading_moves(fen: str, text: str, coordinates: str | None) -> None:
    game = Game(fen)
    code = game.parse(text)
    assert (game.coordinates(code) if code else None) == coordinates


def test_fullmove_counter() -> None:
    game = Game("4k3/8/8/8/8/8/4P3/4K3 b - - 3 40")
    for text, number in (("Kd7", 41), ("e4", 41), ("Kd6", 42)):
        game.push(game.parse(text))
        assert game.fen().split()[5] == str(number)


def test_shared_draws_and_endings(shared: Callable[[str], Path]) -> None:
    for case in json.loads(shared("rules/draws_and_endings.json").read_text()):
        if not chess.Board(case["start_fen"]).is_valid():
            continue  # one case starts with the waiting side in check
        game = Game(case["start_fen"])
        threefold = fifty = None
        for ply, text in enumerate(case["moves"], 1):
            game.push(game.parse(text))
            outcome = game.outcome()
            if outcome and outcome[1] == "Draw by repetition" and threefold is None:
                threefold = ply
            if game.halfmove_clock >= 100 and fifty is None and "mate" not in str(outcome):
                fifty = ply
        assert threefold == case["first_threefold_ply"], case["id"]
        assert fifty == case["first_fifty_move_ply"], case["id"]
        assert game.fen() == case["final_fen"], case["id"]
        reason = (game.outcome() or ("", ""))[1]
        expected = {
            "checkmate": ("White mates", "Black mates"),
            "stalemate": ("Stalemate",),
            "insufficient_material": ("Insufficient material",),
        }.get(case["terminal"], ("", "Draw by repetition", "50-move rule"))
        assert reason in expected, case["id"]


def test_shared_insufficient_material(shared: Callable[[str], Path]) -> None:
    for case in json.loads(shared("rules/insufficient_material.json").read_text()):
        outcome = Game(case["fen"]).outcome()
        assert (outcome == ("1/2-1/2", "Insufficient material")) == case["insufficient_material"], case
