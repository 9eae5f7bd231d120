"""The UCI client: options as declared, info lines, clocks by colour, moves that mean nothing dropped."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import chess
import pytest
from fake_engines.table import FAST, player

from harness.engines.client import Reply, Setup, StartFailed
from harness.engines.options import parse_uci
from harness.engines.process import monotonic
from harness.engines.uci import UciClient
from harness.model import Limit


@pytest.mark.parametrize(
    "line, name, kind, low, high, choices",
    [
        ("option name Hash type spin default 16 min 1 max 33554432", "Hash", "spin", 1, 33554432, ()),
        ("option name Use NNUE type check default true", "Use NNUE", "check", None, None, ()),
        ("option name Style type combo default Normal var Solid var Very Risky", "Style", "combo", None, None, 2),
        ("option name Clear Hash type button", "Clear Hash", "button", None, None, ()),
        ("option  name  File type string default <empty>", "File", "string", None, None, ()),
    ],
)
def test_options_are_read(
    line: str, name: str, kind: str, low: int | None, high: int | None, choices: int | tuple[str, ...]
) -> None:
    option = parse_uci(line)
    assert option is not None
    assert (option.name, option.kind, option.low, option.high) == (name, kind, low, high)
    assert option.choices == (("Solid", "Very Risky") if choices else ())


def test_a_word_of_the_protocol_within_another_is_text() -> None:
    combo = parse_uci("option name Style type combo default time-max var time-max var no-var")
    assert combo is not None and (combo.default, combo.choices) == ("time-max", ("time-max", "no-var"))
    file = parse_uci("option name Book type string default /home/max/book.bin")
    assert file is not None and file.default == "/home/max/book.bin"


def client(tmp_path: Path, *words: str, limit: Limit = FAST, **more: object) -> tuple[UciClient, Path]:
    log = tmp_path / "log"
    found = UciClient(player(0, f"log={log}", *words, uci=True, limit=limit, **more), 5.0)
    found.handshake()
    return found, log


def test_options_and_init_lines_go_out_after_the_handshake(tmp_path: Path) -> None:
    engine, log = client(tmp_path, options=(("hash", "64"), ("Ponder", "on")), init=("debug on",))
    engine.new_game(Setup(chess.STARTING_FEN, True, (), True, FAST, FAST))
    engine.process.kill()
    told = log.read_text().split("\n")
    assert told[:5] == [
        "uci",
        "setoption name Hash value 64",
        "setoption name Ponder value true",
        "debug on",
        "ucinewgame",
    ]
    assert engine.name == "Scripted"


def test_an_unknown_option_fails_the_start(tmp_path: Path) -> None:
    with pytest.raises(StartFailed, match='did you mean "Ponder"'):
        client(tmp_path, options=(("Pondr", "on"),))


def test_a_game_is_told_move_by_move_from_its_position(tmp_path: Path) -> None:
    engine, log = client(tmp_path)
    fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    limit = Limit(base=10.0, increment=0.1)
    engine.new_game(Setup(fen, False, (chess.Move.from_uci("e2e4"),), False, FAST, limit))
    board = chess.Board(fen)
    board.push_uci("e2e4")
    engine.go("", 5.0, 7.5, 0, False)
    kind, word = engine.answer(monotonic() + 10)
    assert kind == Reply.MOVE and chess.Move.from_uci(word) in board.legal_moves
    board.push_uci(word)
    engine.made(word, board, 4.0, 7.5, 0)
    engine.go("e4e5", 4.0, 7.0, 3, False)
    assert engine.answer(monotonic() + 10)[0] == Reply.MOVE
    engine.process.kill()
    told = log.read_text().split("\n")
    assert f"position fen {fen} moves e2e4" in told
    assert "go wtime 7500 btime 5000 winc 100 binc 100" in told
    assert f"position fen {fen} moves e2e4 {word} e4e5" in told
    assert "go wtime 7000 btime 4000 winc 100 binc 100 movestogo 3" in told


def test_a_late_engine_is_late_and_stop_brings_its_move(tmp_path: Path) -> None:
    engine, _ = client(tmp_path, "ponderous@1")
    engine.new_game(Setup(chess.STARTING_FEN, True, (), True, FAST, FAST))
    engine.go("", 1.0, 1.0, 0, False)
    assert engine.answer(monotonic() + 0.2)[0] == Reply.LATE
    engine.hurry()
    assert engine.answer(monotonic() + 10)[0] == Reply.MOVE
    engine.process.kill()


@pytest.mark.parametrize(
    "line, bound, expected",
    [
        ("info depth 12 seldepth 20 score cp -35 nodes 999 nps 5 pv e2e4 e7e5", "", (12, 999, -35)),
        ("info depth 7 score mate 3 nodes 5 pv e2e4", "", (7, 5, 100003)),
        ("info depth 7 score mate -2 nodes 5 pv e2e4", "info nodes 80 nps 3", (7, 80, -100002)),
        ("", "info depth 3 nodes 44", (3, 44, None)),
        ("info depth x score cp y pv e2e4", "", (None, None, None)),
        ("", "", (None, None, None)),
    ],
)
def test_info_lines(line: str, bound: str, expected: tuple[int | None, ...]) -> None:
    engine = UciClient.__new__(UciClient)
    engine._info, engine._bound = line, bound
    assert engine.thought()[:3] == expected


@pytest.mark.parametrize(
    "line", ["info pv e2e4 e7e5 depth 3 score cp 90 nodes 5", "info depth 3\tscore cp 90 nodes 5\tpv e2e4 e7e5"]
)
def test_the_words_of_a_line_come_in_any_order_and_with_any_blanks(line: str) -> None:
    engine = UciClient(replace(player(0, uci=True), command=("printf", f"{line}\\nbestmove e2e4\\n")), 5.0)
    try:
        engine._owed, engine._info, engine._bound = 0, "", ""
        assert engine.answer(monotonic() + 10) == (Reply.MOVE, "e2e4")
        assert engine.thought()[:3] == (3, 5, 90) and engine.line() == "e2e4 e7e5"
    finally:
        engine.process.kill()


MANY_LINES = """
import sys
for line in sys.stdin:
    word = line.strip()
    if word in ("uci", "isready"):
        print(word == "uci" and "uciok" or "readyok", flush=True)
    elif word.startswith("go"):
        for number, (score, move) in enumerate(((30, "e2e4"), (-40, "a2a3"), (-250, "f2f3")), 1):
            print(f"info depth 9 multipv {number} score cp {score} nodes 700 pv {move} e7e5")
        print("bestmove e2e4", flush=True)
"""


@pytest.mark.parametrize("rank", ["{number}", "{number:2}"])
def test_of_several_lines_of_play_the_first_counts(rank: str) -> None:
    """Games are adjudicated by the score of the move that was made; engines may set their numbers in columns."""
    script = MANY_LINES.replace("{number}", rank)
    engine = UciClient(replace(player(0, uci=True), command=(sys.executable, "-c", script)), 5.0)
    try:
        engine.handshake()
        engine.new_game(Setup(chess.STARTING_FEN, True, (), True, FAST, FAST))
        engine.go("", 40.0, 40.0, 0, False)
        assert engine.answer(monotonic() + 10) == (Reply.MOVE, "e2e4")
        assert engine.thought()[:3] == (9, 700, 30) and engine.line() == "e2e4 e7e5"
    finally:
        engine.process.kill()


def test_pondering_hits_and_misses(tmp_path: Path) -> None:
    engine, log = client(tmp_path, "guess")
    engine.new_game(Setup(chess.STARTING_FEN, True, (), True, FAST, FAST, ponder=True))
    board = chess.Board()
    word = ""
    for hit in (True, False, True):
        engine.go(word, 9.0, 9.0, 0, False)
        kind, own = engine.answer(monotonic() + 10)
        assert kind == Reply.MOVE
        board.push_uci(own)
        guess = engine._ponder_move
        engine.made(own, board, 9.0, 9.0, 39)
        others = [move.uci() for move in board.legal_moves if move.uci() != guess]
        word = guess if hit else others[0]
        board.push_uci(word)
    engine.over("*", "")
    engine.new_game(Setup(chess.STARTING_FEN, True, (), True, FAST, FAST, ponder=True))
    engine.process.kill()
    told = log.read_text().split("\n")
    assert told.count("ponderhit") == 1 and told.count("stop") == 2
    ponders = [line for line in told if line.startswith("go ponder")]
    assert len(ponders) == 3 and all(line.endswith(" movestogo 39") for line in ponders)
    assert set(engine.take_warnings()) <= {"lag"}


# Reads its input in one thread and searches in another, as real engines do: readyok does not wait for the move.
THREADED = """
import sys, threading
def say(text, after=0.0):
    threading.Timer(after, lambda: print(text, flush=True)).start() if after else print(text, flush=True)
for line in sys.stdin:
    word = line.strip()
    if word == "uci":
        say("option name Ponder type check default false\\nuciok")
    elif word == "isready":
        say("readyok")
    elif word == "stop":
        say("bestmove a7a6", 0.2)
    elif word == "quit":
        break
    elif word.startswith("go") and "ponder" not in word:
        say("bestmove e2e4 ponder e7e5", 0.5)
"""


def test_a_move_that_answers_a_stop_after_readyok_is_none_of_the_next_game() -> None:
    """The end of a game stops an engine that ponders; its answer may come while the next game is being set up."""
    engine = UciClient(replace(player(0, uci=True), command=(sys.executable, "-c", THREADED)), 5.0)
    try:
        engine.handshake()
        setup = Setup(chess.STARTING_FEN, True, (), True, FAST, FAST, ponder=True)
        for _ in range(2):
            engine.new_game(setup)
            engine.go("", 40.0, 40.0, 0, False)
            assert engine.answer(monotonic() + 10) == (Reply.MOVE, "e2e4")
            board = chess.Board()
            board.push_uci("e2e4")
            engine.made("e2e4", board, 40.0, 40.0, 0)
            engine.over("1-0", "")
        assert set(engine.take_warnings()) <= {"lag"}
    finally:
        engine.process.kill()


@pytest.mark.parametrize("said, patience", [("bestmove a7a6", 0.05), ("  bestmove a7a6", 5.0)])
def test_a_move_that_answers_a_stop_late_or_indented_is_none_of_the_game(said: str, patience: float) -> None:
    script = THREADED.replace("bestmove a7a6", said)
    engine = UciClient(replace(player(0, uci=True), command=(sys.executable, "-c", script)), 5.0)
    try:
        engine.handshake()
        engine.new_game(Setup(chess.STARTING_FEN, True, (), True, FAST, FAST, ponder=True))
        board = chess.Board()
        engine.go("", 40.0, 40.0, 0, False)
        assert engine.answer(monotonic() + 10) == (Reply.MOVE, "e2e4")
        board.push_uci("e2e4")
        engine.made("e2e4", board, 40.0, 40.0, 0)
        engine.patience = patience  # it takes longer to stop than it is waited for
        engine.go("c7c5", 40.0, 40.0, 0, False)
        assert engine.answer(monotonic() + 10) == (Reply.MOVE, "e2e4")
        assert not engine._owed and set(engine.take_warnings()) <= {"lag"}
    finally:
        engine.process.kill()
