"""Positions out of EPD lines and bare FENs."""

from __future__ import annotations

from engine.board.game import STARTPOS
from engine.tools.suites import fen_of, needs_chess960, open_position


def test_fens_out_of_epd_lines() -> None:
    assert fen_of(STARTPOS) == STARTPOS
    assert fen_of('8/8/8/8/8/8/8/8 w - - bm Kc1; id "x";') == "8/8/8/8/8/8/8/8 w - -"
    assert fen_of("8/8/8/8/8/8/8/8 w - - 3 9 ;D1 5") == "8/8/8/8/8/8/8/8 w - - 3 9"
    assert needs_chess960("8/8/8/8/8/8/8/8 w HAha -") and not needs_chess960(STARTPOS)
    assert open_position("4k3/8/8/8/8/8/8/5KR1 w G - 0 1").chess960
