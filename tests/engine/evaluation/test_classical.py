"""The evaluation: mirror-symmetric, equal to the sum of its terms, and right about plain facts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from positions import QUIET, START, game_plans, mirror, play, random_positions

from engine.board.game import Game
from engine.evaluation.terms import evaluate_terms


def score(fen: str) -> int:
    return int(evaluate_terms(Game(fen))["score"])


@settings(max_examples=60)
@given(game_plans())
def test_the_twin_scores_the_same(plan: tuple[str, bool, list[int]]) -> None:
    for _, game in play(plan):
        if not plan[1]:
            assert evaluate_terms(game)["score"] == score(mirror(game.fen())), game.fen()


def test_twins_agree_where_the_endgame_part_is_nought() -> None:
    """Then the middlegame part says who is ahead, and whose material is asked whether it wins."""
    fens = ("7B/2p1kp1p/4b3/1B6/8/6q1/8/3Q1K2 b - - 1 7", "8/8/8/3k4/8/8/8/R2K3n w - - 0 1")
    for fen in fens:
        one, two = evaluate_terms(Game(fen)), evaluate_terms(Game(mirror(fen)))
        assert (one["score"], one["scale"]) == (two["score"], two["scale"])


@settings(max_examples=30)
@given(game_plans())
def test_no_search_or_game_history_in_it(plan: tuple[str, bool, list[int]]) -> None:
    """The score of a position reached by moves is that of the position set up: nothing is carried along wrongly."""
    for _, game in play(plan):
        assert evaluate_terms(game) == evaluate_terms(Game(game.fen(), plan[1]))


def divided(value: int, by: int) -> int:
    """Division towards zero, as in C."""
    return abs(value) // by * (1 if value >= 0 else -1)


def test_the_terms_add_up() -> None:
    """score = tapered sum of the terms, the endgame part scaled, from the side to move, plus tempo."""
    for game in random_positions(seed=5, count=200):
        report = evaluate_terms(game)
        terms = [value for value in report.values() if isinstance(value, list)]
        if len(terms) < 10 or abs(report["score"]) > 3000 or report["scale"] < 16:
            continue
        middle, end = (sum(term[part] for term in terms) for part in (0, 1))
        phase = min(24, report["phase"])
        total = divided(middle * phase + divided(end * report["scale"], 64) * (24 - phase), 24)
        assert (-total if game.turn else total) + report["tempo"] == report["score"], game.fen()


@pytest.mark.parametrize("fen", QUIET)
def test_an_extra_queen_is_worth_a_queen(fen: str) -> None:
    """Taking a piece off the board costs its owner about what it is worth."""
    board = fen.split()[0]
    for letter, least, most in (("q", 600, 1700), ("r", 250, 1000), ("n", 120, 700), ("b", 120, 700)):
        if letter not in board:
            continue
        place = board.index(letter)
        without = fen.replace(board, board[:place] + "1" + board[place + 1 :], 1)
        try:
            game = Game(merge_digits(without))
        except ValueError:
            continue
        gain = evaluate_terms(game)["score"] - score(fen)
        assert least < (gain if fen.split()[1] == "w" else -gain) < most, (fen, letter, gain)


def merge_digits(fen: str) -> str:
    """Neighbouring counts of empty squares in a FEN become one; rights of rooks that are gone are left out."""
    rows = []
    board, *fields = fen.split()
    for row in board.split("/"):
        text, empty = "", 0
        for letter in row:
            if letter.isdigit():
                empty += int(letter)
            else:
                text += (str(empty) if empty else "") + letter
                empty = 0
        rows.append(text + (str(empty) if empty else ""))
    fields[1] = "-"
    return " ".join(["/".join(rows), *fields])


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        # White is better off, all else equal, with ...
        ("4k3/8/8/8/8/8/PP6/4K3 w - - 0 1", "4k3/8/8/8/8/P7/P7/4K3 w - - 0 1"),  # pawns side by side, not doubled
        ("4k3/7p/P7/8/8/8/8/4K3 w - - 0 1", "4k3/7p/8/8/8/8/P7/4K3 w - - 0 1"),  # the passed pawn far up
        ("r3k3/8/8/8/8/8/P7/R3K3 w - - 0 1", "r3k3/p7/8/8/8/8/8/R3K3 w - - 0 1"),  # the pawn itself
    ],
)
def test_what_is_better(better: str, worse: str) -> None:
    assert score(better) > score(worse)


def test_the_start_is_balanced() -> None:
    """Only the right to move tells the sides apart."""
    report = evaluate_terms(Game())
    assert report["score"] == report["tempo"] == score(START.replace(" w ", " b "))
    assert 0 <= report["tempo"] < 60


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4KB2 w - - 0 1",
        "4k3/8/8/8/8/8/8/4KN2 b - - 0 1",
        "4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1",
    ],
)
def test_insufficient_material_is_zero(fen: str) -> None:
    assert score(fen) == 0


def test_scores_stay_below_mates() -> None:
    nine_queens = "7k/8/8/8/8/8/QQQQ4/QQQQQK2 b - - 0 1"
    assert -30000 < score(nine_queens) < -2000
    assert all(abs(evaluate_terms(game)["score"]) < 30000 for game in random_positions(seed=6, count=100))
