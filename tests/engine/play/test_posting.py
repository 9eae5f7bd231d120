"""Thinking lines: their form, their length, and which of them are printed when."""

from __future__ import annotations

import re

import pytest

from engine.board.game import STARTPOS, Game
from engine.play.output import Output
from engine.play.posting import LONGEST, Poster, line_of_play, thinking_line
from engine.search.threads import Info, Result


class Lines(Output):
    """An Output that keeps what is printed."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def line(self, text: str) -> None:
        self.lines.append(text)


def moves_of(*texts: str) -> list[int]:
    game, codes = Game(), []
    for text in texts:
        codes.append(game.parse(text))
        game.push(codes[-1])
    return codes


@pytest.mark.parametrize(("bound", "end"), [(0, "Nf3"), (-1, "Nf3 ?"), (1, "Nf3 !")])
def test_thinking_line(bound: int, end: str) -> None:
    info = Info(12, 20, -34, 1234, 50_000, bound, moves_of("e2e4", "e7e5", "g1f3"))
    line = thinking_line(info, STARTPOS, False)
    assert line == f"12 -34 123 50000 20 {50_000 * 1000 // 1234} 0\te4 e5 {end}"


def test_long_lines_are_cut_at_a_move() -> None:
    moves = moves_of(*(["g1f3", "g8f6", "f3g1", "f6g8"] * 60))
    line = thinking_line(Info(99, 99, 0, 1, 1, 0, moves), STARTPOS, False)
    assert LONGEST - 10 < len(line) <= LONGEST
    assert re.fullmatch(r"(Nf3|Nf6|Ng1|Ng8)", line.split()[-1])


def test_a_line_of_play_stops_at_an_illegal_move() -> None:
    moves = moves_of("e2e4", "e7e5")
    assert line_of_play(STARTPOS, False, [*moves, moves[0], moves[0]], 400) == "e4 e5"


def test_paced_lines_keep_their_distance_and_the_last_one_is_never_lost() -> None:
    out, moves = Lines(), moves_of("e2e4")
    poster = Poster(out, Game(), every_depth=False)
    for depth in range(1, 10):
        poster(Info(depth, depth, 0, depth, depth, 0, moves))
    assert len(out.lines) == 1
    poster.finish(Result(moves[0], 0, 0, 9, 9, 9, 0, 9, moves, {}))
    assert [line.split()[0] for line in out.lines] == ["1", "9"]


def test_analysis_prints_every_completed_depth() -> None:
    out, moves = Lines(), moves_of("e2e4")
    poster = Poster(out, Game(), every_depth=True)
    for depth in range(1, 10):
        poster(Info(depth, depth, 0, depth, depth, -1, moves))
        poster(Info(depth, depth, 0, depth, depth, 0, moves))
    assert [line.split()[0] for line in out.lines if not line.endswith("?")] == [str(depth) for depth in range(1, 10)]


def test_a_search_that_reported_nothing_still_gets_a_line() -> None:
    out, moves = Lines(), moves_of("e2e4")
    poster = Poster(out, Game(), every_depth=False)
    poster.finish(Result(moves[0], 0, 17, 0, 0, 30, 0, 2, [], {}))
    assert out.lines == [f"1 17 0 30 1 {30 * 1000 // 2} 0\te4"]


def test_nopost_and_pondering_print_nothing() -> None:
    out, moves = Lines(), moves_of("e2e4")
    poster = Poster(out, Game(), every_depth=True)
    poster.quiet = True
    poster(Info(1, 1, 0, 1, 1, 0, moves))
    assert out.lines == []
    poster.quiet = False
    poster.flush()
    assert len(out.lines) == 1
