"""The lines that Sortie prints for an XBoard GUI, as functions."""

from __future__ import annotations

import os
import re

import pytest

from engine.board.game import STARTPOS, Game
from engine.model import Info
from engine.play.options import OWN
from engine.protocol.lines import LONGEST
from engine.protocol.output import Log, Output
from engine.protocol.xboard_replies import XBoardReplies, feature_value, line_of_play, thinking_line


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


def test_feature_lines_for_every_kind() -> None:
    by_name = {option.name: option for option in OWN}
    assert feature_value(by_name["LogFile"], "") == "LogFile -string "
    assert feature_value(by_name["LogFile"], 'a "b"') == "LogFile -string a b"
    assert feature_value(by_name["OwnBook"], "on") == "OwnBook -check 1"
    assert feature_value(by_name["ClearHash"], "") == "ClearHash -button"
    assert feature_value(by_name["Level"], "20") == "Level -spin 20 1 20"


def test_what_a_remark_repeats_is_made_safe_and_short_enough_for_a_gui() -> None:
    inlet, outlet = os.pipe()
    replies = XBoardReplies(Output(outlet, Log()))
    replies.note("no book: a\x07b\x1b[31m: gone")
    replies.note("x" * 1000)
    replies.warn("/" * 1000)
    replies.warn("国" * 400)
    os.close(outlet)
    with open(inlet, "rb") as pipe:
        first, *others = pipe.read().splitlines()
    assert first == b"# no book: a?b?[31m: gone"
    assert len(others) == 3 and all(400 < len(line) < 500 for line in others)
