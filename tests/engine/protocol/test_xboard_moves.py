"""Moves as GUIs write them: every spelling, castling in both variants, what is illegal."""

import pytest
from engine_process import EngineProcess, forced, side_to_move


def test_illegal_moves_are_named_and_nothing_starts(engine: EngineProcess) -> None:
    for move in ("e2e5", "e7e5", "e1e2", "Ke2", "O-O", "a1a1", "e2e4q"):
        engine.send(f"usermove {move}")
        assert engine.sync() == [f"Illegal move: {move}"]
        engine.send(move)
        assert engine.sync() == [f"Illegal move: {move}"]
    engine.send("usermove nonsense")
    assert engine.sync() == ["Illegal move: nonsense"]
    engine.send("usermove e2e4")
    engine.move()


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", ["a7a8n", "a7a8Q", "a7a8=R", "a8=B", "a8Q+", "a8=q"]),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ["e1g1", "O-O", "0-0", "o-o", "e1c1", "O-O-O", "0-0-0"]),
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", ["Nbd2", "Nfd2", "N1d2", "Nb1d2", "b1d2", "Nbd2!?"]),
        ("3nk3/4P3/8/8/8/8/8/4K3 w - - 0 1", ["e7d8n", "exd8=N", "exd8=N#", "exd8Q+"]),
    ],
)
def test_moves_in_every_spelling(engine: EngineProcess, fen: str, moves: list[str]) -> None:
    for form in ("usermove {}", "{}"):
        for move in moves:
            engine.send("force", f"setboard {fen}", form.format(move))
            assert engine.sync() == [], move
            engine.send("undo")
            assert engine.sync() == [], move
    engine.send(f"setboard {fen}", "usermove a7a8")  # a promotion must name its piece
    assert engine.sync() == ["Illegal move: a7a8"]


def test_en_passant_is_legal_at_once_and_never_later(engine: EngineProcess) -> None:
    forced(engine, "e2e4", "a7a6", "e4e5", "d7d5", "e5d6")
    assert engine.sync() == []
    engine.send("undo", "usermove a2a3", "usermove a6a5", "usermove e5d6")
    assert engine.sync() == ["Illegal move: e5d6"]


def test_null_move_only_in_force_and_analysis(engine: EngineProcess) -> None:
    engine.send("usermove @@@@")
    assert engine.sync() == ["Illegal move: @@@@"]
    forced(engine, "@@@@")
    assert side_to_move(engine) == "black"
    engine.send("undo")
    assert side_to_move(engine) == "white"


def test_fischerandom_castles_by_name_and_by_rook(engine: EngineProcess) -> None:
    fen = "4k3/p6p/8/8/8/8/P6P/1R1K1R2 w KQ - 0 1"
    for move in ("O-O", "O-O-O", "d1f1", "d1b1"):
        engine.send("new", "variant fischerandom", "force", f"setboard {fen}", f"usermove {move}")
        assert engine.sync() == [], move
    engine.send("new", "variant fischerandom", "force", "setboard 4k3/8/8/8/8/8/P6P/5KR1 w G - 0 1")
    engine.send("usermove O-O")
    assert engine.sync() == []


def test_fischerandom_is_played_with_castling_as_o_o(engine: EngineProcess) -> None:
    # every move but castling loses the rook or is excluded, so castling is what comes out
    engine.send("new", "variant fischerandom", "force", "setboard 7k/8/8/8/8/8/8/5KR1 w G - 0 1")
    engine.send("exclude all", "include O-O", "go")
    assert engine.move() == "O-O"


def test_unsupported_variant_refuses_moves_until_new(engine: EngineProcess) -> None:
    engine.send("variant atomic")
    assert engine.sync() == ["Error (unsupported variant): variant atomic"]
    engine.send("usermove e2e4")
    assert engine.sync() == ["Illegal move: e2e4"]
    engine.send("go")
    assert engine.sync() == ["Error (illegal position): go"]
    engine.send("new", "usermove e2e4")
    engine.move()
