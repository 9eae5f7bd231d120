"""Exchange evaluation: the worked examples, the relations between its forms, and a minimax over captures as oracle."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from positions import QUIET, SHARP, game_plans, mirror, play, random_positions

from engine.board.game import Game

VALUES = (100, 300, 300, 500, 900, 0)

# (position, move, gains, linear, early exit, swap) in pawns.
WORKED = (
    ("6k1/8/3p1p2/4b3/3P4/8/4Q3/6K1 w - - 0 1", "dxe5", (3, 1, 1, 9), -6, 2, 2),
    ("4q1k1/8/8/4n3/8/8/8/Q3R1K1 w - - 0 1", "Rxe5", (3, 5, 9), 7, 7, 3),
    ("6k1/8/3p1p2/4r3/3P4/8/4Q3/6K1 w - - 0 1", "dxe5", (5, 1, 1, 9), -4, 4, 4),
    ("4q1k1/8/3p4/4p3/3P4/5N2/8/4R1K1 w - - 0 1", "Nxe5", (1, 3, 1, 1, 9), 7, 7, -1),
    ("6k1/8/3p1p2/4b3/3P4/8/4Q3/6K1 w - - 0 1", "Qxe5", (3, 9, 1, 1), -6, -6, -6),
)


@pytest.mark.parametrize(("fen", "move", "gains", "linear", "early", "swap"), WORKED)
def test_worked_examples(fen: str, move: str, gains: tuple[int, ...], linear: int, early: int, swap: int) -> None:
    for position in (fen, mirror(fen)):
        game = Game(position)
        target = 4 + 8 * (4 if position == fen else 3)
        kind = "P" if move[0] == "d" else move[0]
        code = next(m for m in game.legal_moves() if (m >> 6) & 63 == target and piece_letter(game, m) == kind)
        assert game.gains(code) == [100 * gain for gain in gains]
        assert game.see(code, "linear") == 100 * linear
        assert game.see(code, "early-exit") == 100 * early
        assert game.see(code) == game.see(code, "swap") == 100 * swap


def piece_letter(game: Game, move: int) -> str:
    san = game.san(move)
    return san[0] if san[0] in "NBRQK" else "P"


def kinds_on_board(fen: str) -> dict[int, tuple[int, int]]:
    """(side, kind) of the man on each square."""
    men = {}
    for rank, row in zip(range(7, -1, -1), fen.split()[0].split("/"), strict=True):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                men[rank * 8 + file] = (int(letter.islower()), "PNBRQK".index(letter.upper()))
                file += 1
    return men


def attacks(men: dict[int, tuple[int, int]], origin: int, target: int) -> bool:
    """Whether the man on `origin` attacks `target`, worked out square by square."""
    side, kind = men[origin]
    ranks, files = (target >> 3) - (origin >> 3), (target & 7) - (origin & 7)
    if kind == 0:
        return abs(files) == 1 and ranks == (-1 if side else 1)
    if kind == 1:
        return sorted((abs(ranks), abs(files))) == [1, 2]
    if kind == 5:
        return max(abs(ranks), abs(files)) == 1
    straight, diagonal = 0 in (ranks, files), abs(ranks) == abs(files)
    if not (straight and kind in (3, 4)) and not (diagonal and kind in (2, 4)):
        return False
    step = 8 * ((ranks > 0) - (ranks < 0)) + (files > 0) - (files < 0)
    return step != 0 and all(square not in men for square in range(origin + step, target, step))


def minimax_value(men: dict[int, tuple[int, int]], side: int, target: int, risk: int) -> int:
    """What `side` wins by taking `risk` centipawns on `target`, least valuable first, or 0 by leaving them."""
    takers = [s for s, (owner, _) in men.items() if owner == side and s != target and attacks(men, s, target)]
    takers.sort(key=lambda s: men[s][1])
    if not takers:
        return 0
    taker = takers[0]
    rest = {s: man for s, man in men.items() if s != taker}
    rest[target] = men[taker]
    if men[taker][1] == 5:
        retakers = (s for s, (o, _) in rest.items() if o != side and s != target and attacks(rest, s, target))
        return 0 if any(True for _ in retakers) else risk
    return max(0, risk - minimax_value(rest, 1 - side, target, VALUES[men[taker][1]]))


def oracle(game: Game, move: int) -> int:
    """The exchange value by brute force over the captures on the target square."""
    origin, target, kind = move & 63, (move >> 6) & 63, move >> 14
    if kind == 3:
        return 0
    men = kinds_on_board(game.fen())
    side, piece = men.pop(origin)
    gain = VALUES[men.get(target, (0, 5))[1]]
    if kind == 2:
        del men[target ^ 8]
        gain = 100
    if kind == 1:
        piece = 1 + ((move >> 12) & 3)
        gain += VALUES[piece] - 100
    men[target] = (side, piece)
    return gain - minimax_value(men, 1 - side, target, VALUES[piece])


@settings(max_examples=40)
@given(game_plans(longest=40))
def test_swap_is_the_minimax_over_captures(plan: tuple[str, bool, list[int]]) -> None:
    for _, game in play(plan):
        for move in game.legal_moves():
            assert game.see(move) == oracle(game, move), (game.fen(), game.coordinates(move))


@settings(max_examples=40)
@given(game_plans(longest=40))
def test_relations_between_the_forms(plan: tuple[str, bool, list[int]]) -> None:
    """Early exit is at least swap on every move; the threshold form says `swap >= t` for every t."""
    for _, game in play(plan):
        for move in game.legal_moves():
            swap = game.see(move)
            assert game.see(move, "early-exit") >= swap
            gains = game.gains(move)
            assert game.see(move, "linear") == sum(gains[::2]) - sum(gains[1::2])
            for threshold in (swap - 100, swap - 1, swap, swap + 1, swap + 100, 0, 1, -300, 250):
                assert game.see_ge(move, threshold) == (swap >= threshold), (game.fen(), move, threshold)


@pytest.mark.parametrize("fen", (*QUIET, *SHARP))
def test_every_threshold(fen: str) -> None:
    for position in (fen, mirror(fen)):
        game = Game(position)
        for move in game.pseudo_legal_moves():
            swap = game.see(move)
            for threshold in range(-1100, 1801, 50):
                assert game.see_ge(move, threshold) == (swap >= threshold)


def test_early_exit_overrates_some_exchanges() -> None:
    """The forms differ on a good share of real captures: otherwise the switch would measure nothing."""
    more = captures = 0
    for game in random_positions(seed=8, count=300):
        for move in game.legal_moves():
            if game.gains(move)[0]:
                captures += 1
                more += game.see(move, "early-exit") > game.see(move)
    assert captures > 300 and 0.02 < more / captures < 0.6


def test_special_moves() -> None:
    """En passant takes a pawn, promotion gains the new piece less the pawn, castling is an exchange of nothing."""
    game = Game("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3")
    assert game.gains(game.parse("exf6"))[0] == 100 and game.see(game.parse("exf6")) == 0
    game = Game("8/P1k5/8/8/8/5pp1/8/5K2 w - - 0 1")
    assert game.see(game.parse("a8=Q")) == 800 and game.see(game.parse("a8=N")) == 200
    game = Game("8/Pk6/8/8/8/8/8/5K2 w - - 0 1")
    assert game.see(game.parse("a8=Q")) == -100
    game = Game("4k2r/8/8/8/8/8/8/4K2R w K - 0 1")
    assert (
        game.see(game.parse("O-O")) == 0 and game.see_ge(game.parse("O-O"), 0) and not game.see_ge(game.parse("O-O"), 1)
    )


def test_unknown_form_is_named() -> None:
    game = Game()
    with pytest.raises(ValueError, match="'stockfish'.*early-exit, linear, swap"):
        game.see(game.legal_moves()[0], "stockfish")


def test_shared_values(shared: Callable[[str], Path]) -> None:
    lines = shared("see/see.tsv").read_text().splitlines()
    cases = [line.split("\t") for line in lines if line and not line.startswith("#")]
    assert len(cases) > 200
    for fen, text, value, *_ in cases:
        game = Game(fen)
        move = game.parse(text)
        assert game.see(move) == int(value), (fen, text)
        assert game.see(move, "early-exit") >= int(value)
        for threshold in range(-1000, 1001, 50):
            assert game.see_ge(move, threshold) == (int(value) >= threshold)
