"""Contempt and AcceptDraws: what a draw is worth, to the search and to the answer on an offer; none of it in analysis."""

from __future__ import annotations

import os

import pytest
from engine_process import EngineProcess

from engine.board.game import Game
from engine.model import Limits
from engine.play.options import Settings
from engine.play.play import Play
from engine.play.thinking import ANALYZE, PONDER, THINK
from engine.play.verdict import Verdict
from engine.protocol.output import Log, Output
from engine.protocol.xboard_replies import XBoardReplies
from engine.search.threads import Searcher
from engine.variant.features import Features

TAKE_OR_LOSE = "8/8/8/8/8/8/1p3k2/1K6 w - - 0 1"  # taking the last pawn leaves two kings; all else loses
STALEMATE = "k7/P7/8/1K6/8/8/8/8 w - - 0 1"  # whatever White does, it is stalemate or the pawn falls


@pytest.mark.parametrize("contempt", [0, 30, -30])
@pytest.mark.parametrize("fen", [TAKE_OR_LOSE, STALEMATE])
def test_a_draw_is_worth_what_contempt_says(fen: str, contempt: int) -> None:
    result = Searcher(1).search(Game(fen), Features(), Limits(depth=8), contempt=contempt)
    assert result.score == -contempt


@pytest.mark.parametrize("contempt", [60, -60])
def test_repetition_is_avoided_or_sought(contempt: int) -> None:
    """A bishop for two pawns either way round: whether to repeat is a matter of what a draw is worth."""
    game = Game("6k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1")
    for move in ("g1f1", "g8f8", "f1g1", "f8g8", "g1f1", "g8f8", "f1g1"):
        game.push(game.parse(move))
    # Black to move can make it the third time by f8g8; the ending is level, so contempt alone decides
    result = Searcher(1).search(game, Features(), Limits(depth=9), contempt=contempt)
    repeats = game.coordinates(result.move) == "f8g8"
    assert repeats == (contempt < 0)


def test_the_sign_follows_the_side_to_move_and_analysis_has_none() -> None:
    settings = Settings()
    settings.set("Contempt", "40")
    with open(os.devnull, "wb") as sink:
        play = Play(XBoardReplies(Output(sink.fileno(), Log())), settings, lambda job: None)
        game = play.game.copy()
        assert play._job(PONDER, game, Limits()).contempt == -40  # White to move, the engine is Black
        game.push(game.parse("e2e4"))
        assert play._job(THINK, game, Limits()).contempt == 40
        assert play._job(ANALYZE, game, Limits()).contempt == 0
        play.engine_side = None
        assert play._job(PONDER, game, Limits()).contempt == 0


def test_it_shows_in_play_and_not_in_analysis(engine: EngineProcess) -> None:
    position = f"setboard {TAKE_OR_LOSE}"
    engine.send("option Contempt=50", "post", "sd 8", "force", position, "go")
    assert engine.until("move ")[-2].split()[1] == "-50"
    for level in ("5", "20"):
        engine.send(f"option Level={level}", "force", position, "go")
        assert engine.until("move ")[-2].split()[1] == "-50"
    engine.send("new", position, "analyze")
    assert engine.until("8 ")[-1].split()[1] == "0"


def test_offers_are_measured_from_what_a_draw_is_worth() -> None:
    def accepts(contempt: int, score: int, plies: int, accept: str = "on") -> bool:
        settings = Settings()
        settings.set("Contempt", str(contempt))
        settings.set("AcceptDraws", accept)
        verdict = Verdict()
        assert not verdict.accepts(-500, 0, settings)  # nothing was offered
        verdict.offer()
        return verdict.accepts(score, plies, settings)

    assert accepts(0, -33, 10) and not accepts(0, -32, 10)
    assert accepts(0, 0, 80) and not accepts(0, 1, 80)
    assert accepts(50, -83, 10) and not accepts(50, -82, 10)
    assert accepts(50, -50, 80) and not accepts(50, -49, 80)
    assert not accepts(0, -500, 100, accept="off")


def test_no_offer_is_taken_when_that_is_switched_off(engine: EngineProcess) -> None:
    lost = "setboard k7/p7/8/8/8/8/8/K6R b - - 0 1"
    for value, last in (("on", ["offer draw"]), ("off", [])):
        engine.send(f"option AcceptDraws={value}", "force", lost, "draw", "go")
        assert [line for line in engine.until("move ") if line == "offer draw"] == last
