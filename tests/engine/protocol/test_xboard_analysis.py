"""Thinking output, analysis, exclusions and pauses."""

import re
import time

from engine_process import FOOLS_MATE, MATE_IN_TWO, PATIENCE, EngineProcess, forced


def test_thinking_lines_have_the_exact_form(engine: EngineProcess) -> None:
    engine.send("post", "st 0.3", "force", f"setboard {MATE_IN_TWO}", "go")
    lines = engine.until("move ")[:-1]
    assert lines
    for line in lines:
        assert re.fullmatch(r"\d+ -?\d+ \d+ \d+ \d+ \d+ 0\t[^\t(]+", line)
    assert lines[-1].split()[1] == "100002"
    engine.send("force", "setboard k7/8/1K6/8/8/8/8/7R b - - 0 1", "go")  # the mated side sees it coming
    assert engine.until("move ")[-2].split()[1] == "-100001"


def test_black_winning_is_a_positive_score(engine: EngineProcess) -> None:
    engine.send("post", "force", "setboard kq6/8/8/8/8/8/8/K7 b - - 0 1", "go")
    assert int(engine.until("move ")[-2].split()[1]) > 300


def test_post_and_nopost_work_while_thinking(engine: EngineProcess) -> None:
    engine.send("st 60", "go")
    assert engine.quiet(0.2) == []
    engine.send("post")
    engine.send("?")
    assert "\t" in engine.until("move ")[-2]
    engine.send("force", "new", "force", "post", "st 60", "go")
    engine.until(r"\d+ ")
    engine.send("nopost")
    engine.quiet(0.2)
    assert engine.quiet(0.3) == []


def test_analysis_moves_undo_new_setboard_exclude_and_exit(engine: EngineProcess) -> None:
    engine.send("post", "analyze")
    engine.until(r"\d+ ")
    for command in (
        "usermove e2e4",
        "e7e5",
        "undo",
        "remove",
        "new",
        f"setboard {MATE_IN_TWO}",
        "force",
        "include all",
    ):
        engine.send(command)
        if command == "remove":
            assert "Error (command not legal now): remove" in engine.sync()
        else:
            engine.until(r"\d+ ")
    engine.send("setboard 6k1/8/8/8/8/8/8/K6R w - - 0 1", "exclude all")
    engine.sync()
    assert engine.quiet(0.2) == []  # nothing left to search
    engine.send("include h1h8")
    assert "\tRh8+" in engine.until(r"\d+ ")[-1]
    engine.send("exclude e2e4")
    assert "Illegal move: e2e4" in engine.sync()
    engine.send("go", "playother")
    lines = engine.sync()
    assert "Error (command not legal now): go" in lines and "Error (command not legal now): playother" in lines
    engine.send("exit")
    engine.sync()
    assert engine.quiet(0.2) == []
    assert not any(line.startswith("< move") for line in engine.transcript)
    engine.send("st 0.1", "go")
    engine.move()


def test_analysis_of_a_mate_is_silent_and_alive(engine: EngineProcess) -> None:
    forced(engine, *FOOLS_MATE)
    engine.send("post", "analyze", ".")
    assert engine.sync() == ["stat01: 0 0 0 0 0"]
    engine.send("undo")
    engine.until(r"\d+ ")


def test_status_line_only_in_analysis(engine: EngineProcess) -> None:
    engine.send(".")
    assert engine.sync() == []
    began = time.monotonic()
    engine.send("analyze")
    spent = nodes = depth = 0
    while not (spent and nodes and depth):  # a busy machine may not have begun yet
        engine.send(".")
        spent, nodes, depth, left, total = map(int, engine.until("stat01: ")[-1].split()[1:6])
        assert time.monotonic() - began < PATIENCE
    assert total == 20 and 0 <= left <= 20
    assert spent <= 100 * (time.monotonic() - began) + 1  # centiseconds


def test_exclusions_bind_go_and_end_with_the_next_move(engine: EngineProcess) -> None:
    engine.send("force", "exclude all", "include a2a3", "go")
    assert engine.move() == "a2a3"
    engine.send("force", "new", "force", "exclude all", "go")
    assert engine.sync() == []  # nothing to play yet
    engine.send("include h2h3")
    assert engine.move() == "h2h3"


def test_exclusions_while_thinking_bind_the_move_that_comes(engine: EngineProcess) -> None:
    engine.send("force", f"setboard {MATE_IN_TWO}", "st 1", "go", "exclude c5b6", "exclude h1h8")
    assert engine.move() not in ("c5b6", "h1h8")
    engine.send("force", "new", "st 30", "go", "exclude all", "ping 1")
    engine.until("pong 1$")  # nothing to play, and nothing hangs
    engine.send("?", "include h2h3", "?")
    assert engine.move() == "h2h3"
    engine.send("force", "new", "st 30", "go", "exclude all", "force", "include e2e4")
    assert engine.sync() == [] and engine.quiet(0.2) == []  # force ends the waiting for a move to play


def test_exclusions_while_thinking_cost_no_extra_time(engine: EngineProcess) -> None:
    began, used = time.monotonic(), engine.cpu_seconds()
    engine.send("st 2.5", "go")
    for move in ("e2e4", "d2d4", "g1f3", "b1c3"):
        assert engine.quiet(0.1) == []
        engine.send(f"exclude {move}")
    engine.move()
    assert time.monotonic() - began > 2 and engine.cpu_seconds() - used < 3


def test_pause_freezes_search_and_clock(engine: EngineProcess) -> None:
    engine.send("st 1", "go", "pause")
    assert engine.quiet(1.5) == []
    engine.send("usermove e2e4", "?")
    assert engine.sync() == ["Error (command not legal now): usermove e2e4"]
    engine.send("resume")
    engine.move()
    engine.send("pause", "usermove e7e5")
    assert engine.sync() == ["Error (command not legal now): usermove e7e5"]
    engine.send("resume", "resume")
    assert engine.sync() == []
    engine.send("pause", "new", "usermove e2e4")  # a new game is no longer paused
    engine.move()


def test_several_lines(engine: EngineProcess) -> None:
    """MultiPV as xboard's analysis pane asks for it: while the analysis runs, one line more or fewer."""
    engine.send("post", "force", "analyze")
    engine.until("4 ")
    for wanted in (3, 1):
        engine.send(f"option MultiPV={wanted}")
        engine.sync()
        told = engine.until("7 ")
        last = [line for line in told if line.startswith("6 ")]
        first_moves = {line.split("\t")[1].split()[0] for line in last}
        assert len(first_moves) >= wanted if wanted > 1 else len(first_moves) >= 1
    engine.send("exit")


def test_a_move_is_found_as_ever_with_several_lines(engine: EngineProcess) -> None:
    nodes = []
    for wanted in (1, 4):
        engine.send(f"option MultiPV={wanted}", "new", "post", "sd 6", "st 60", "force", "e2e4", "go")
        nodes.append([line.split()[3] for line in engine.until("move ")[:-1]][-1])
    assert nodes[0] == nodes[1]
