"""The course of a game: sides, results, claims, offers, hints, and its end in every state."""

import re

import pytest
from engine_process import FOOLS_MATE, PATIENCE, SHUFFLE, EngineProcess, forced


def test_new_leaves_force_and_the_engine_is_black(engine: EngineProcess) -> None:
    engine.send("force", "new", "usermove e2e4")
    engine.move()
    engine.send("new", "usermove d2d4")
    engine.move()


def test_start_up_is_the_same_as_new() -> None:
    with EngineProcess(handshake=False) as engine:
        engine.send("st 0.1", "e2e4")
        engine.move()


def test_new_clears_sd_nps_exclusions_and_history(engine: EngineProcess) -> None:
    engine.send("force", "usermove e2e4", "sd 1", "nps 1", "exclude all", "new")
    engine.send("undo")
    assert engine.sync() == ["Error (command not legal now): undo"]
    engine.send("post", "st 0.3", "usermove e2e4")
    lines = engine.until("move ")
    assert max(int(line.split()[0]) for line in lines if "\t" in line) > 1


def test_force_go_playother(engine: EngineProcess) -> None:
    engine.send("force", "usermove e2e4", "usermove e7e5")
    assert engine.sync() == []
    engine.send("go")
    engine.move()
    engine.send("force", "new", "force", "playother")  # engine Black, White to move
    assert engine.sync() == []
    engine.send("usermove e2e4")
    engine.move()
    engine.send("force", "new", "force", "go")
    engine.move()


def test_playother_while_thinking_gives_the_search_up(engine: EngineProcess) -> None:
    engine.send("st 60", "go", "playother", "st 0.1")
    assert engine.sync() == []
    engine.send("usermove e2e4")
    engine.move()


def test_obsolete_colours(engine: EngineProcess) -> None:
    engine.send("black")  # Black to move, the engine plays White
    assert engine.sync() == []
    engine.send("usermove e7e5")
    assert re.fullmatch("[a-h][12][a-h][34]", engine.move())
    engine.send("new", "white")
    engine.send("usermove e2e4")
    engine.move()


def test_go_in_an_ended_game_prints_the_result_and_no_move(engine: EngineProcess) -> None:
    forced(engine, *FOOLS_MATE)
    assert engine.sync() == []
    engine.send("go")
    assert engine.sync() == ["0-1 {Black mates}"]
    engine.send("setboard 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "go")
    assert engine.sync() == ["1/2-1/2 {Stalemate}"]
    engine.send("setboard 7k/8/6K1/8/8/8/8/8 b - - 0 1", "go")
    assert engine.sync() == ["1/2-1/2 {Insufficient material}"]
    engine.send("setboard 7k/8/6K1/8/8/8/8/R7 w - - 100 90", "go")
    assert engine.sync() == ["1/2-1/2 {50-move rule}"]
    engine.send("new")
    forced(engine, *SHUFFLE, *SHUFFLE)
    engine.send("go")
    assert engine.sync() == ["1/2-1/2 {Draw by repetition}"]


def test_a_move_that_mates_us_is_answered_with_the_result(engine: EngineProcess) -> None:
    engine.send("force", "setboard k7/8/1K6/8/8/8/8/7R w - - 0 1", "playother", "usermove h1h8")
    assert engine.sync() == ["1-0 {White mates}"]


def test_our_mating_move_is_followed_by_the_result(engine: EngineProcess) -> None:
    engine.send("force", "setboard k7/8/1K6/8/8/8/8/7R w - - 0 1", "go")
    engine.until("move h1h8")
    assert engine.sync() == ["1-0 {White mates}"]


def test_move_now(engine: EngineProcess) -> None:
    engine.send("st 60", "go")
    assert engine.quiet(0.1) == []
    engine.send("?")
    engine.move()


@pytest.mark.parametrize("more", ["force", "exclude e2e4", "undo"])
def test_move_now_comes_before_what_is_asked_for_next(engine: EngineProcess, more: str) -> None:
    engine.send("st 60", "go", "?", more, "ping 7")
    assert sum(line.startswith("move ") for line in engine.until("pong 7")) == 1


def test_result_stops_everything(engine: EngineProcess) -> None:
    engine.send("st 60", "go", "result 1-0 {White resigns}")
    assert engine.sync() == [] and engine.quiet(0.2) == []
    engine.send("new", "st 0.1", "usermove e2e4")
    engine.move()


def test_draw_is_declined_in_silence_when_winning_and_accepted_when_lost(engine: EngineProcess) -> None:
    engine.send("force", "setboard k7/8/8/8/8/8/8/KQ5R w - - 0 1", "draw", "go")
    assert "offer draw" not in engine.until("move ")
    engine.send("force", "setboard k7/p7/8/8/8/8/8/K6R b - - 0 1", "draw", "go")
    assert engine.until("move ")[-2] == "offer draw"


def test_resign_is_off_by_default_and_needs_its_count(engine: EngineProcess) -> None:
    lost = "setboard k7/p7/8/8/8/8/8/KQ5R b - - 0 1"
    engine.send("force", lost, "go")
    assert "resign" not in engine.until("move ")
    engine.send("option Resign=1", "option LossScore=500", "option LossMoves=1", "force", lost, "go")
    engine.until("resign")
    assert engine.sync() == []
    engine.send("option ResignThreshold=9000", "option ResignMoves=2", "force", lost, "go")  # usual names of the two
    engine.move()


def test_hint_in_every_state(engine: EngineProcess) -> None:
    engine.send("force", "hint")
    assert len(engine.until("Hint: ")) == 1
    engine.send("go")
    engine.move()
    engine.send("hint")
    engine.until("Hint: ")
    engine.send("force", "new")
    forced(engine, *FOOLS_MATE)
    engine.send("hint")
    assert engine.sync() == []
    engine.send("new", "analyze")
    engine.quiet(0.2)
    engine.send("hint")
    engine.until("Hint: ")


def test_bk_outside_the_book_is_one_empty_line(engine: EngineProcess) -> None:
    engine.send("bk")
    *lines, end = engine.sync()
    assert end == "" and all(line.startswith(" ") for line in lines)
    engine.send("option BookFile=/no/such.bin", "bk")
    assert [line for line in engine.sync() if not line.startswith("# ")] == [""]


def test_quit_and_end_of_input_in_every_state() -> None:
    for number, state in enumerate(
        (["go"], ["hard", "st 0.1", "go"], ["analyze"], ["edit"], ["go", "pause"], ["force"])
    ):
        for by_quit in (True, False) if number < 2 else (number % 2 == 0,):
            with EngineProcess(handshake=False) as engine:
                engine.send("st 60", *state)
                if by_quit:
                    engine.send("quit")
                else:
                    engine.input.close()
                assert engine.gone(PATIENCE), (state, by_quit)
