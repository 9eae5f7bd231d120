"""Endgame knowledge: KPK against an independent solution, lone kings, and material that does not win."""

from __future__ import annotations

import random

import pytest
from positions import features, mirror, search

from engine.board.game import Game
from engine.evaluation.terms import evaluate_terms
from engine.model import Limits
from engine.search.threads import Searcher

FULL = (1 << 64) - 1
NOT_A = 0xFEFEFEFEFEFEFEFE
NOT_H = 0x7F7F7F7F7F7F7F7F


def score(fen: str) -> int:
    return int(evaluate_terms(Game(fen))["score"])


def spread(kings: int) -> int:
    """Squares one king step from any square of the set."""
    rows = kings | (kings & NOT_A) >> 1 | (kings & NOT_H) << 1
    area = (rows | rows << 8 | rows >> 8) & FULL
    return area if kings & (kings - 1) else area & ~kings


STEPS = [spread(1 << square) for square in range(64)]


def solve_kpk() -> dict[tuple[int, int, bool], int]:
    """(pawn, white king, White to move?) -> set of black king squares where White wins; by sets, to a fixed point.

    White's pawn stands on files a to d. The sets hold only positions that can stand on the board.
    """
    wins: dict[tuple[int, int, bool], int] = {}
    for pawn in [rank * 8 + file for rank in range(6, 0, -1) for file in range(4)]:
        cover = ((1 << pawn & NOT_A) << 7 | (1 << pawn & NOT_H) << 9) & FULL
        kings = [square for square in range(64) if square != pawn]
        for king in kings:
            wins[pawn, king, True] = wins[pawn, king, False] = 0
        changed = True
        while changed:
            changed = False
            for king in kings:
                here = FULL & ~(STEPS[king] | 1 << king | 1 << pawn)
                # White to move: some king step or pawn push reaches a position lost for Black.
                won = 0
                for square in kings:
                    if STEPS[king] >> square & 1:
                        won |= wins[pawn, square, False]
                goal = pawn + 8
                if pawn >= 48:
                    safe = FULL & ~(1 << goal)
                    if not STEPS[king] >> goal & 1:
                        safe &= ~STEPS[goal]
                    if king != goal:
                        won |= safe
                elif king != goal:
                    won |= wins[goal, king, False] & ~(1 << goal)
                    if pawn < 16 and king != pawn + 16:
                        won |= wins[pawn + 16, king, False] & ~(1 << goal | 1 << pawn + 16)
                won &= here & ~cover
                # Black to move: there is a step, and every step is into a won position; a loose pawn is taken.
                free = FULL & ~(STEPS[king] | 1 << king | cover)
                escapes = free & ~wins[pawn, king, True]
                lost = mobile = 0
                for enemy in range(64):
                    if here >> enemy & 1:
                        steps = STEPS[enemy] & free
                        mobile |= bool(steps) << enemy
                        lost |= (not steps & escapes) << enemy
                # Without a step it is stalemate, unless the pawn gives check: that is mate.
                lost &= mobile | cover
                if (won, lost) != (wins[pawn, king, True], wins[pawn, king, False]):
                    wins[pawn, king, True], wins[pawn, king, False] = won, lost
                    changed = True
    return wins


def place(men: dict[int, str], side: str) -> str:
    rows = []
    for rank in range(7, -1, -1):
        row = "".join(men.get(rank * 8 + file, "1") for file in range(8))
        for empty in range(8, 1, -1):
            row = row.replace("1" * empty, str(empty))
        rows.append(row)
    return f"{'/'.join(rows)} {side} - - 0 1"


def test_king_and_pawn_against_king() -> None:
    """Zero is a draw, anything else a win, in a sample of a third of all positions, flipped and turned."""
    wins = solve_kpk()
    chance = random.Random(4)
    checked = won = 0
    for (pawn, king, white), winning in wins.items():
        for enemy in range(64):
            if chance.random() > 0.12 or enemy in (pawn, king) or STEPS[king] >> enemy & 1:
                continue
            turned = chance.choice((0, 7))
            men = {pawn ^ turned: "P", king ^ turned: "K", enemy ^ turned: "k"}
            try:
                fen = place(men, "w" if white else "b")
                value = score(fen)
            except ValueError:
                continue  # the pawn gives check and White is to move
            expected = bool(winning >> enemy & 1)
            assert (value if white else -value) > 0 if expected else value == 0, fen
            if chance.random() < 0.1:
                assert score(mirror(fen)) == value
            checked += 1
            won += expected
    assert checked > 10_000 and 0.3 < won / checked < 0.9


@pytest.mark.parametrize(
    ("fen", "wins"),
    [
        ("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1", True),  # White has the opposition
        ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", False),
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", True),  # king on the sixth before its pawn
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", True),
        ("k7/8/K7/P7/8/8/8/8 w - - 0 1", False),  # a rook pawn and the corner
        ("8/8/8/8/k7/P7/K7/8 w - - 0 1", False),
        ("7k/8/8/P7/8/8/8/K7 w - - 0 1", True),  # out of the square
    ],
)
def test_known_pawn_endings(fen: str, wins: bool) -> None:
    value = score(fen)
    assert (value != 0) == wins
    assert score(mirror(fen)) == value


def test_bishop_and_knight_drive_to_the_right_corner() -> None:
    """A light bishop mates on a8 and h1, a dark one on a1 and h8."""
    for bishop, right, wrong in (("f1", ("a8", "h1"), ("a1", "h8")), ("c1", ("a1", "h8"), ("a8", "h1"))):
        values = {}
        for corner in (*right, *wrong):
            enemy = square(corner)
            # The strong king stands two steps from the corner along the diagonal in every case.
            step = (9 if enemy < 8 else -7) if enemy % 8 == 0 else (7 if enemy < 8 else -9)
            men = {enemy: "k", enemy + 2 * step: "K", square("d4"): "N", square(bishop): "B"}
            values[corner] = score(place(men, "w"))
        assert min(values[c] for c in right) > max(values[c] for c in wrong) + 50


def square(name: str) -> int:
    return ord(name[0]) - 97 + 8 * (int(name[1]) - 1)


@pytest.mark.parametrize("men", ["Q", "R", "BB", "BN", "NNN", "RB"])
def test_mating_material_is_a_known_win(men: str) -> None:
    """More than any weights add up to, more with the king at the rim; for Black as for White."""
    squares = {
        "Q": ("a2",),
        "R": ("a1",),
        "BB": ("c1", "f1"),
        "BN": ("c1", "b1"),
        "NNN": ("b1", "c1", "f1"),
        "RB": ("a1", "c1"),
    }
    force = {square(name): letter for name, letter in zip(squares[men], men, strict=True)}
    centre = place({**force, square("e1"): "K", square("e5"): "k"}, "w")
    rim = place({**force, square("e1"): "K", square("d8"): "k"}, "w")
    assert 3000 < score(centre) < 30000
    assert men == "BN" or score(rim) > score(centre)  # with bishop and knight only one pair of corners counts
    assert score(mirror(centre)) == score(centre)


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1",  # two knights
        "k7/8/8/8/8/P7/8/2B1K3 w - - 0 1",  # a8 is light, the bishop dark
        "7k/8/8/7P/8/8/4B3/4K3 w - - 0 1",  # h8 is dark, the bishop light
        "4k3/8/8/8/8/8/8/2B1K2b w - - 0 1",  # a minor piece each
    ],
)
def test_material_that_does_not_win(fen: str) -> None:
    assert abs(score(fen)) <= 60
    assert score(mirror(fen)) == score(fen)


def test_opposite_bishops_are_nearer_to_a_draw() -> None:
    """The same pawns with bishops of one colour are worth more than with opposite bishops."""
    opposite = "4k3/2b5/8/3P4/3PB3/8/8/4K3 w - - 0 1"
    same = "4k3/1b6/8/3P4/3PB3/8/8/4K3 w - - 0 1"
    assert 0 < score(opposite) < score(same)
    assert evaluate_terms(Game(opposite))["scale"] < evaluate_terms(Game(same))["scale"]


@pytest.mark.parametrize(
    ("fen", "depth", "moves"),
    [
        ("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", 12, 40),
        ("8/8/8/4k3/8/8/8/KR6 w - - 0 1", 12, 60),
        ("8/8/8/4k3/8/8/8/KBB5 w - - 0 1", 12, 60),
    ],
)
def test_lone_king_is_mated(fen: str, depth: int, moves: int) -> None:
    """Played out against itself, mating material mates well within the fifty moves."""
    game, searcher = Game(fen), Searcher(4)
    for _ in range(2 * moves):
        if game.outcome():
            break
        game.push(searcher.search(game, features(), Limits(depth=depth, nodes=30_000)).move)
    assert game.outcome() == ("1-0", "White mates"), game.fen()


def test_a_pawn_ending_is_won_by_search() -> None:
    """With the table at the leaves, a shallow search finds the only winning move of a pawn ending."""
    assert search("8/8/8/8/4k3/8/4P3/4K3 w - - 0 1", 6).score == 0
    result = search("8/8/8/3k4/8/3K4/3P4/8 b - - 0 1", 6)
    assert result.score < -1000
