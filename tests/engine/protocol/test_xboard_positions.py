"""Positions set up, edited and taken back: setboard, edit, undo, remove."""

from engine_process import ILLEGAL_FEN, PATIENCE, EngineProcess, forced, side_to_move


def test_undo_and_remove(engine: EngineProcess) -> None:
    forced(engine, "e2e4", "e7e5", "g1f3")
    engine.send("undo")
    assert engine.sync() == []
    engine.send("remove")
    assert side_to_move(engine) == "white"
    engine.send("undo", "remove")
    assert engine.sync() == ["Error (command not legal now): undo", "Error (command not legal now): remove"]
    forced(engine, "e2e4")
    engine.send("remove")  # fewer than two
    assert engine.sync() == ["Error (command not legal now): remove"]


def test_undo_while_thinking_forces(engine: EngineProcess) -> None:
    engine.send("st 60", "usermove e2e4", "undo")
    assert engine.sync() == []
    engine.send("st 0.1", "usermove d2d4")
    assert engine.sync() == [] and engine.quiet(0.3) == []


def test_remove_keeps_the_engines_colour_and_does_not_move(engine: EngineProcess) -> None:
    engine.send("usermove e2e4")
    engine.move()
    engine.send("remove")
    assert engine.sync() == [] and engine.quiet(0.3) == []
    engine.send("usermove d2d4")
    engine.move()


def test_setboard_clears_history_and_refuses_the_impossible(engine: EngineProcess) -> None:
    forced(engine, "e2e4")
    engine.send("setboard rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "undo")
    assert engine.sync() == ["Error (command not legal now): undo"]
    engine.send("setboard 4k3/8/8/8/8/8/8/4K2R w K -", "usermove O-O")  # four fields
    assert engine.sync() == []
    for fen in (ILLEGAL_FEN, "nonsense", "", "k7/8/8/8/8/8/8/8 w - - 0 1"):
        engine.send(f"setboard {fen}")
        answer = [line for line in engine.sync() if not line.startswith("# ")]
        assert answer == ["tellusererror Illegal position"]
        engine.send("usermove e2e4", "go")
        assert engine.sync() == ["Illegal move: e2e4", "Error (illegal position): go"]
    engine.send("new", "usermove e2e4")
    engine.move()


def test_edit_builds_a_position(engine: EngineProcess) -> None:
    engine.send("force", "edit", "#", "Ke1", "Rh1", "Pa2", "c", "Ke8", "Ra8", "xa2", ".")
    assert engine.sync() == []
    engine.send("usermove O-O", "usermove O-O-O")  # both kings and rooks stand at home
    assert engine.sync() == []
    engine.send("edit", "Zz9", "usermove e2e4", "go", ".")
    assert engine.sync() == [
        "Error (unknown command): Zz9",
        "Error (command not legal now): usermove e2e4",
        "Error (command not legal now): go",
    ]


def test_edit_with_the_black_to_move_kludge(engine: EngineProcess) -> None:
    engine.send("new", "force", "a2a3", "edit", "#", "Ke1", "c", "Ke8", "Pe7", ".")
    assert engine.sync() == []
    engine.send("usermove e7e5")
    assert engine.sync() == []


def test_edit_answers_ping_and_knows_an_illegal_board(engine: EngineProcess) -> None:
    engine.send("force", "edit", "#")
    assert engine.sync() == []
    engine.send(".")
    answer = [line for line in engine.sync() if not line.startswith("# ")]
    assert answer == ["tellusererror Illegal position"]
    engine.send("edit", "quit")
    assert engine.gone(PATIENCE)
