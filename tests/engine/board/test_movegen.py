"""Move generation against python-chess: legal, pseudo-legal, ordered as the side to move sees the board."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from positions import KIWIPETE, QUIET, SHARP, game_plans, mirror, move_codes, play, play_out, random_positions

from engine.board.game import Game


@settings(max_examples=80)
@given(game_plans())
def test_legal_moves(plan: tuple[str, bool, list[int]]) -> None:
    for board, game in play(plan):
        ours = game.legal_moves()
        assert len(ours) == len(set(ours))
        assert set(ours) == set(move_codes(board)), board.fen()
        assert game.perft(1) == len(ours), "the counting generator disagrees with the listing one"
        assert set(ours) <= set(game.pseudo_legal_moves())


@settings(max_examples=12)
@given(game_plans(longest=30))
def test_is_pseudo_legal_for_every_code(plan: tuple[str, bool, list[int]]) -> None:
    """True for exactly the generator's output, all 65,536 codes, in the last position of a game."""
    _, game = play_out(plan)
    listed = set(game.pseudo_legal_moves())
    assert {code for code in range(65536) if game.is_pseudo_legal(code)} == listed, game.fen()


@pytest.mark.parametrize("fen", SHARP)
def test_is_pseudo_legal_in_sharp_positions(fen: str) -> None:
    for position in (fen, mirror(fen)):
        game = Game(position)
        assert {code for code in range(65536) if game.is_pseudo_legal(code)} == set(game.pseudo_legal_moves())


@settings(max_examples=80)
@given(game_plans())
def test_quiet_checks_are_the_quiet_moves_that_check(plan: tuple[str, bool, list[int]]) -> None:
    """In the order of all moves: quiescence hands them out by it where their keys are equal."""
    for board, game in play(plan):
        checks = {code for code, move in move_codes(board).items() if board.gives_check(move)}
        quiet = [code for code in game.legal_moves() if code >> 14 not in (1, 2) and "x" not in game.san(code)]
        assert game.quiet_checks() == [code for code in quiet if code in checks], board.fen()


@pytest.mark.parametrize("fen", (*QUIET, *SHARP))
def test_quiet_checks_of_twins(fen: str) -> None:
    ours, theirs = Game(fen), Game(mirror(fen))
    assert [twin_code(move) for move in ours.quiet_checks()] == theirs.quiet_checks()
    assert all(ours.gives_check(move) for move in ours.quiet_checks())


def twin_code(move: int) -> int:
    """A move's code on the board turned round."""
    return move ^ (56 | 56 << 6)


@pytest.mark.parametrize("fen", (*QUIET, *SHARP))
def test_twins_list_their_moves_in_the_same_order(fen: str) -> None:
    ours, theirs = Game(fen), Game(mirror(fen))
    assert [twin_code(move) for move in ours.legal_moves()] == theirs.legal_moves()
    assert [twin_code(move) for move in ours.pseudo_legal_moves()] == theirs.pseudo_legal_moves()


def test_noisy_moves_come_first() -> None:
    """The order of generation is fixed: captures and promotions, then the rest."""
    for game in random_positions(seed=3, count=100):
        noisy = [move >> 14 in (1, 2) or "x" in game.san(move) for move in game.legal_moves()]
        assert noisy == sorted(noisy, reverse=True)


def test_double_check_leaves_king_moves_only() -> None:
    """Rook and bishop check together; the rook could be taken, the bishop's line closed, neither is enough."""
    game = Game("4k3/8/8/8/1b6/4r3/5P2/R3K3 w - - 0 1")
    assert game.legal_moves() and {move & 63 for move in game.legal_moves()} == {4}
    assert {move & 63 for move in game.pseudo_legal_moves()} == {4}


@pytest.mark.parametrize(
    ("fen", "move", "legal"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", True),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", True),
        ("4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", "e1g1", False),
        ("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", False),
        ("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", True),
        ("1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", True),
        ("2r1k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", False),
        ("4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1", False),
        ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "e1g1", False),
    ],
)
def test_castling(fen: str, move: str, legal: bool) -> None:
    assert bool(Game(fen).parse(move)) == legal


@pytest.mark.parametrize(
    ("fen", "text", "legal"),
    [
        # The rook that leaves a1 uncovers nothing; the one on b1 shields the king's goal from a1.
        ("4k3/8/8/8/8/8/8/rR1K4 w B - 0 1", "O-O-O", False),
        ("4k3/8/8/8/8/8/8/1R1K4 w B - 0 1", "O-O-O", True),
        # King and rook swap places, or one of them stays.
        ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "O-O", True),
        ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "O-O", True),
        ("4k3/8/8/8/8/8/8/R1K5 w A - 0 1", "O-O-O", True),
        ("2r1k3/8/8/8/8/8/8/R4K2 w A - 0 1", "O-O-O", False),
    ],
)
def test_chess960_castling(fen: str, text: str, legal: bool) -> None:
    game = Game(fen, True)
    code = game.parse(text)
    assert bool(code) == legal
    if code:
        assert game.coordinates(code) == text == game.san(code)
        game.push(code)
        assert game.key == game.computed_key()


def test_shared_castling_cases(shared: Callable[[str], Path]) -> None:
    import json

    for case in json.loads(shared("rules/castling.json").read_text()):
        assert bool(Game(case["fen"]).parse(case["move"])) == case["legal"], case
    for case in json.loads(shared("rules/castling_rights_after.json").read_text()):
        game = Game(case["fen"])
        for text in case["moves"]:
            game.push(game.parse(text))
        assert game.fen().split()[2] == case["castling_after"], case


def test_kiwipete_divide() -> None:
    """divide and perft agree, and a known row of it."""
    game = Game(KIWIPETE)
    rows = dict(game.divide(3))
    assert sum(rows.values()) == game.perft(3) == 97862
    assert rows["e1g1"] == 2059 and rows["e1c1"] == 1887
