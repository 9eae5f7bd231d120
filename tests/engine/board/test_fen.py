"""FEN in and out: what is taken, what is refused and why, and the round trip against python-chess."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from positions import KIWIPETE, START, game_plans, play

from engine.board.game import Game

BOARD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


@settings(max_examples=80)
@given(game_plans())
def test_round_trip_in_random_games(plan: tuple[str, bool, list[int]]) -> None:
    for board, game in play(plan):
        fen = game.fen()
        assert fen == board.fen(en_passant="xfen")
        assert Game(fen, plan[1]).fen() == fen


@pytest.mark.parametrize(
    ("given_fen", "written"),
    [
        (f"{BOARD} w KQkq -", START),
        (f"{BOARD} w KQkq - 7", f"{BOARD} w KQkq - 7 1"),
        (f"{BOARD} w KQkq - 3 9", f"{BOARD} w KQkq - 3 9"),
        (f"{BOARD} w KQkq - 0 0", START),
        (f"  {BOARD}   w KQkq  -  0 1 ", START),
        (f"{BOARD} w HAha - 0 1", START),
        (f"{BOARD} w qkQK - 0 1", START),
        # The en-passant square stays only when a pawn stands ready to take.
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        ),
        ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1"),
    ],
)
def test_what_is_written(given_fen: str, written: str) -> None:
    assert Game(given_fen).fen() == written


@pytest.mark.parametrize(
    ("given_fen", "written"),
    [
        ("rkr5/8/8/8/8/8/8/RKR5 w CAca - 0 1", "rkr5/8/8/8/8/8/8/RKR5 w KQkq - 0 1"),
        ("4k3/8/8/8/8/8/8/R1RK3R w CH - 0 1", None),
        ("4k3/8/8/8/8/8/8/R1RK3R w HC - 0 1", "4k3/8/8/8/8/8/8/R1RK3R w KC - 0 1"),
        ("4k3/8/8/8/8/8/8/RR1K3R w HB - 0 1", "4k3/8/8/8/8/8/8/RR1K3R w KB - 0 1"),
        ("4k3/8/8/8/8/8/8/RR1K3R w KQ - 0 1", "4k3/8/8/8/8/8/8/RR1K3R w KQ - 0 1"),
    ],
)
def test_rights_of_fischer_random(given_fen: str, written: str | None) -> None:
    """Shredder and X-FEN letters; a letter is written where the outermost rook is not meant."""
    game = Game(given_fen, True)
    if written is None:
        written = given_fen.replace("CH", "KC")
    assert game.fen() == written
    assert Game(written, True).key == game.key


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("", "fields"),
        ("hello", "fields"),
        (BOARD, "fields"),
        (f"{BOARD} w KQkq - 0 1 extra", "fields"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "kings"),
        ("k6k/8/8/8/8/8/8/K7 w - - 0 1", "2 kings"),
        ("8/8/8/3kK3/8/8/8/8 w - - 0 1", "check"),
        ("4k3/8/8/8/8/8/8/4R1K1 w - - 0 1", "not to move is in check"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "pawn"),
        ("4k3/8/8/8/8/8/8/p3K3 w - - 0 1", "pawn"),
        ("4k3/pppppppp/p7/8/8/8/PPPPPPPP/4K3 w - - 0 1", "more than 8 pawns"),
        ("rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "more than 16"),
        ("4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1", "promoted"),
        ("rnbqkbnr/ppppppp1/8/8/8/8/PPPPPPPP/RNBQKBNQ w KQkq - 0 1", "right K"),
        ("r3k2r/8/8/8/8/8/8/R4K1R w KQkq - 0 1", "home"),
        (f"{BOARD} w KQAb - 0 1", "right"),
        (f"{BOARD} w KKkq - 0 1", "twice"),
        (f"{BOARD} w KQkq e9 0 1", "e9"),
        (f"{BOARD} w KQkq e4 0 1", "e4"),
        (f"{BOARD} b KQkq e3 0 1", "e3"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1", "ranks"),
        ("rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "squares"),
        ("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "squares"),
        ("rnbqkbnr/pppppppp/44/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "digits"),
        ("rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "'9'"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKXNR w KQkq - 0 1", "'X'"),
        ("rnbqkbnr/pppppppр/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "piece"),
        (f"{BOARD} x KQkq - 0 1", "side"),
        (f"{BOARD} w KQkq - -1 1", "clock"),
        (f"{BOARD} w KQkq - x y", "clock"),
        (f"{BOARD} w KQkq - 0 y", "number"),
        ("4k3/8/4r3/8/8/3n1n2/8/4K3 w - - 0 1", "3 pieces"),
        ("4k3/8/8/8/8/3n1n2/8/4K3 w - - 0 1", "two checks"),
    ],
)
def test_impossible_positions_are_refused_with_the_reason(fen: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as refusal:
        Game(fen)
    assert "\n" not in str(refusal.value)


@settings(max_examples=300)
@given(st.text(alphabet="rnbqkpRNBQKP12345678/ wbKQkq-abcdefgh0\t.é", max_size=90))
@example("K" * 300 + "/8/8/8/8/8/8/8 w - - 0 1")
@example(f"{BOARD} w KQkq - 99999999999999999999 1")
def test_any_text_is_a_position_or_a_plain_refusal(text: str) -> None:
    try:
        game = Game(text)
    except ValueError as refusal:
        assert str(refusal) and "\n" not in str(refusal)
    else:
        assert Game(game.fen()).fen() == game.fen()


@settings(max_examples=200)
@given(st.integers(0, len(KIWIPETE) - 1), st.sampled_from("rnbqkpRNBQKP18/ wb-e3x"))
def test_one_wrong_letter(place: int, letter: str) -> None:
    """A damaged FEN is refused, or it is another sound position."""
    text = KIWIPETE[:place] + letter + KIWIPETE[place + 1 :]
    try:
        game = Game(text)
    except ValueError:
        return
    assert game.key == game.computed_key()
    assert Game(game.fen()).fen() == game.fen()


def test_counters_of_any_size_do_not_wrap() -> None:
    assert Game(f"{BOARD} w KQkq - 99999 99999").halfmove_clock == 9999


def test_shared_validity(shared: Callable[[str], Path]) -> None:
    for case in json.loads(shared("fen/fen_validity.json").read_text()):
        try:
            Game(case["fen"])
            verdict = "accept"
        except ValueError:
            verdict = "reject"
        assert case["expect"] in ("either", verdict), case
