"""The UCI protocol as a conversation: options, positions, every word of `go`, stopping, pondering, and what must not break it."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import chess
import pytest
from engine_process import COMMAND, PATIENCE, EngineProcess, UciProcess, environment

from engine.play.clock import NO_LAG
from engine.play.options import Settings
from engine.protocol.output import Log, Output
from engine.protocol.uci import UCI
from engine.variant.parameters import PARAMETERS, PLACE

MATE_IN_TWO = "fen k7/8/8/2K5/8/8/8/7R w - - 0 1"
STALEMATE = "fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
MATED = "fen rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
QUIET = "startpos moves a2a3 a7a6 h2h3 h7h6"


def fields(line: str) -> dict[str, int]:
    """The numbers of an info line by their words."""
    return {word: int(value) for word, value in re.findall(r"(\w+) (-?\d+)\b", line.split(" pv ")[0])}


def infos(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("info depth") and " pv " in line]


def line_of(info: str) -> list[str]:
    return info.split(" pv ")[1].split()


def best(lines: list[str]) -> str:
    return lines[-1].split()[1]


@pytest.fixture
def within() -> Iterator[tuple[UCI, SimpleQueue[Any], int]]:
    """The protocol in this process: (conversation, its events, which nobody reads, where its lines can be read)."""
    source, sink = os.pipe()
    events: SimpleQueue[Any] = SimpleQueue()
    yield UCI(Settings(), Output(sink, Log()), events, lambda settings: ""), events, source
    os.close(source)
    os.close(sink)


# ---- the door


@pytest.mark.parametrize(
    "first", ["uci", "\ufeffuci", "isready", "ucinewgame", "position startpos", "setoption name Hash value 8"]
)
def test_the_first_line_opens_the_door(first: str) -> None:
    with UciProcess(handshake=False) as engine:
        engine.send("", first, "go depth 1")
        assert best(engine.until("bestmove"))


@pytest.mark.parametrize("first", ["xboard", "protover 2", "new", "go", "e2e4", "foobar"])
def test_any_other_first_line_is_xboard(first: str) -> None:
    with EngineProcess(handshake=False) as engine:
        engine.send(first, "ping 1")
        engine.until("pong 1")


# ---- options


def test_it_names_itself_and_declares_every_option(uci: UciProcess) -> None:
    text = "\n".join(uci.declared)
    assert re.search(r"^id name Sortie \d", text) and "id author " in text
    for line in (
        "option name Hash type spin default 64 min 1 max 1048576",
        "option name Threads type spin default 1 min 1 max 256",
        "option name Clear Hash type button",
        "option name Ponder type check default false",
        "option name MultiPV type spin default 1 min 1 max 256",
        "option name UCI_Chess960 type check default false",
        "option name UCI_LimitStrength type check default false",
        "option name OwnBook type check default false",
        "option name BookFile type string default <empty>",
        "option name Killers type combo default 2 var 0 var 1 var 2",
        "option name NullMove type combo default verified var off var on var verified",
    ):
        assert line in uci.declared, line
    assert not re.search(r"name (Resign|LossScore|LossMoves|AcceptDraws|ClearHash|memory|cores) ", text)


def test_names_and_levels_in_either_case(uci: UciProcess) -> None:
    uci.send("setoption name hash value 8", "setoption name KILLERS value 1", "setoption name nullmove value OFF")
    uci.send("setoption name clear hash", "setoption name preset value Jazz", "setoption name stats value true")
    assert uci.ready() == []
    lines = uci.go("depth 4")
    assert any(line.startswith("info string stats {") and '"main_nodes":' in line for line in lines)
    uci.send("uci")
    assert "option name Hash type spin default 8 min 1 max 1048576" in uci.until("uciok")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("setoption name Hash value many", "option Hash: expected 1 to 1048576, not 'many'"),
        ("setoption name Hash value 0", "option Hash: expected 1 to 1048576, not '0'"),
        ("setoption name Threads value 257", "option Threads: expected 1 to 256, not '257'"),
        ("setoption name UCI_Chess960 value maybe", "option UCI_Chess960: expected on or off, not 'maybe'"),
        ("setoption name UCI_Elo value 1", "option UCI_Elo: expected"),
        ("setoption name LMR value tabel", "LMR has no level 'tabel'"),
        ("setoption name No Such Option value 1", "unknown option 'No Such Option'"),
        ("setoption name memory value 1", "unknown option 'memory'"),
        ("setoption", "setoption: expected name NAME value VALUE"),
        ("setoption name", "setoption: expected name NAME value VALUE"),
        ("setoption value 3", "setoption: expected name NAME value VALUE"),
        ("setoption name LogFile value /no/such/folder/x", "string log /no/such/folder/x: No such file"),
    ],
)
def test_a_bad_option_is_one_line_and_changes_nothing(uci: UciProcess, line: str, answer: str) -> None:
    before = uci.declared
    uci.send(line)
    told = uci.ready()
    assert len(told) == 1 and told[0].startswith("info string ") and answer in told[0]
    uci.send("uci")
    assert uci.until("uciok")[:-1] == before


def test_a_path_keeps_its_blanks_and_an_empty_text_is_empty(uci: UciProcess, tmp_path: Path) -> None:
    log = tmp_path / "a log  of mine.txt"
    uci.send(f"setoption name LogFile value {log}", "isready")
    uci.until("readyok")
    assert "readyok" in log.read_text()
    uci.send("setoption name LogFile value <empty>", "setoption name BookFile value")
    uci.send(" setoption\tname\tMove\t Overhead\tvalue\t20", "uci")  # white space of any kind
    assert "option name Move Overhead type spin default 20 min 0 max 5000" in uci.until("uciok")
    assert uci.ready() == []


def test_tables_too_large_are_told_and_the_old_ones_kept(uci: UciProcess) -> None:
    uci.send("setoption name Hash value 1048576")
    told = uci.ready()
    if told:  # a host that overcommits gives the memory
        assert told == ["info string no memory for a table of 1048576 MiB, 16 MiB used"]
    assert best(uci.go("depth 2"))


def test_strength_is_limited(uci: UciProcess) -> None:
    uci.send("setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 984", f"position {QUIET}")
    assert fields(infos(uci.go("movetime 300"))[-1])["nodes"] < 1000  # level 1: 150 nodes a search
    uci.send("setoption name UCI_LimitStrength value false")
    assert fields(infos(uci.go("nodes 20000"))[-1])["nodes"] > 10_000


def test_settings_that_come_while_it_searches_wait(uci: UciProcess) -> None:
    uci.send("go infinite")
    uci.until("info depth 5")
    uci.send("setoption name Hash value 4", "setoption name Threads value 2", "setoption name Clear Hash")
    uci.send("setoption name LMR value off", "isready")
    uci.until("readyok")
    uci.send("stop")
    assert best(uci.until("bestmove"))
    assert best(uci.go("depth 4"))


def test_the_move_comes_before_settings_that_waited_for_it(
    within: tuple[UCI, SimpleQueue[Any], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    uci, _, source = within
    for line in ("isready", "go infinite", "setoption name Hash value 4"):
        uci.obey(line)
    monkeypatch.setattr(uci.session, "configure", lambda: uci.out.line("configured"))
    uci.obey("stop")
    told = os.read(source, 1 << 16).decode().splitlines()
    assert told[-2].startswith("bestmove") and told[-1] == "configured"


# ---- positions


def test_moves_are_told_anew_or_added(uci: UciProcess) -> None:
    board = chess.Board()
    words: list[str] = []
    for move in ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1", "g8f6"):
        words.append(move)
        board.push_uci(move)
        uci.send(f"position startpos moves {' '.join(words)}", "d")
        shown = uci.until("Key: ")
        uci.transcript.clear()
        assert any(line.startswith(f"Fen: {board.fen(en_passant='fen').split()[0]}") for line in shown), shown
    uci.send("position startpos moves e2e4 c7c5", "d")
    assert any(line.startswith("Fen: rnbqkbnr/pp1ppppp/8/2p5/4P3/8/") for line in uci.until("Key: "))
    uci.transcript.clear()


def test_repetitions_before_the_root_are_known(uci: UciProcess) -> None:
    """Black is a pawn down, and can repeat for the third time."""
    shuffle = "g1f1 g8f8 f1g1 f8g8 g1f1 g8f8 f1g1"
    uci.send(f"position fen 6k1/5ppp/8/8/8/8/P4PPP/6K1 w - - 0 1 moves {shuffle}")
    assert fields(infos(uci.go("depth 6 searchmoves f8g8"))[-1])["cp"] == 0
    assert fields(infos(uci.go("depth 6 searchmoves f8e8"))[-1])["cp"] < -50


@pytest.mark.parametrize(
    ("position", "answer"),
    [
        ("position", "position: expected startpos or fen"),
        ("position e2e4", "position: expected startpos or fen"),
        ("position startpos e2e4 e7e5", "position: expected the word moves, not e2e4"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "position: "),
        ("position fen", "position: "),
        ("position startpos moves e2e4 e2e4", "position: illegal move e2e4"),
        ("position startpos moves x\x1by", "position: illegal move"),
    ],
)
def test_bad_positions(uci: UciProcess, position: str, answer: str) -> None:
    uci.send(position)
    told = uci.ready()
    assert len(told) == 1 and told[0].startswith(f"info string {answer}")
    lines = uci.go("depth 2")
    if "fen" in position:
        assert lines == ["bestmove (none)"]  # no move of another position
    uci.send("position startpos")
    assert best(uci.go("depth 2")) != "(none)"


def test_chess960_castles_by_king_takes_rook(uci: UciProcess) -> None:
    uci.send("setoption name UCI_Chess960 value true", "position fen 4k3/8/8/8/8/8/8/4K2R w H - 0 1")
    assert best(uci.go("depth 2 searchmoves e1h1")) == "e1h1"
    uci.send("go perft 1")
    assert "e1h1: 1" in uci.until("Nodes searched: 15")
    uci.transcript.clear()
    uci.send("position fen 4k3/8/8/8/8/8/8/4K2R w H - 0 1 moves e1h1", "d")
    assert any("5RK1 b" in line for line in uci.until("Key: "))
    uci.transcript.clear()
    uci.send("setoption name UCI_Chess960 value false", "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert best(uci.go("depth 2 searchmoves e1g1")) == "e1g1"


@pytest.mark.parametrize(("position", "score"), [(STALEMATE, "cp 0"), (MATED, "mate 0")])
@pytest.mark.parametrize("go", ["depth 3", "wtime 1000 btime 1000", "wtime 1 btime 1", "mate 1"])
def test_no_legal_move(uci: UciProcess, position: str, score: str, go: str) -> None:
    uci.send(f"position {position}")
    assert uci.go(go) == [f"info depth 0 score {score}", "bestmove (none)"]


# ---- limits


def test_depth_and_nodes(uci: UciProcess) -> None:
    uci.send(f"position {QUIET}")
    lines = infos(uci.go("depth 5"))
    assert [fields(line)["depth"] for line in lines if "bound" not in line][-1] == 5
    assert {fields(line)["depth"] for line in lines} == {1, 2, 3, 4, 5}
    uci.send("ucinewgame")
    assert fields(infos(uci.go("nodes 20000"))[-1])["nodes"] <= 20_000
    assert fields(infos(uci.go("depth 3 nodes 20000"))[-1])["depth"] == 3


def test_mate_ends_the_search(uci: UciProcess) -> None:
    uci.send(f"position {MATE_IN_TWO}")
    lines = uci.go("mate 2", 30)
    assert " score mate 2 " in infos(lines)[-1] or " score mate 1 " in infos(lines)[-1]
    uci.send("position fen k7/8/8/2K5/8/8/8/7R b - - 0 1")
    assert " score mate -" in infos(uci.go("depth 12"))[-1]


def test_the_search_for_a_mate_that_cannot_be_ends(uci: UciProcess) -> None:
    uci.send("position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1")
    assert best(uci.go("mate 1")) != "(none)"
    uci.send("go ponder mate 1")
    assert not [line for line in uci.quiet(0.3) if line.startswith("bestmove")]
    uci.send("ponderhit")
    uci.until("bestmove")


@pytest.mark.parametrize(
    ("go", "most"),
    [
        ("movetime 200", 0.2),
        ("wtime 1000 btime 1", 0.5),
        ("wtime 1000 btime 1 winc 100 binc 0 movestogo 1", 1.0),
        ("wtime 1 btime 1000", 0.1),
        ("wtime -50 btime 1000 winc 100", 0.1),
        ("btime 500", 0.5),
        ("movetime 1", 0.1),
        ("movetime -5", 0.1),
        ("movestogo 1 depth 3", 5.0),
        ("wtime 300 btime 300 movetime 60000", 0.3),
        ("wtime 60000 btime 60000 movetime 200", 0.2),
    ],
)
def test_time_is_kept(uci: UciProcess, go: str, most: float) -> None:
    uci.send(f"position {QUIET}")
    uci.ready()
    used = uci.cpu_seconds()
    assert best(uci.go(go))
    assert uci.cpu_seconds() - used < most + 0.3


def test_a_number_that_is_none_still_gets_an_answer(uci: UciProcess) -> None:
    lines = uci.go("depth many")
    assert lines[0] == "info string go depth: expected a whole number, not 'many'"
    assert best(lines) != "(none)"
    # It is left out; the other words count.
    lines = uci.go("wtime 1e5 depth 3")
    assert lines[0] == "info string go wtime: expected a whole number, not '1e5'"
    assert fields(infos(lines)[-1])["depth"] == 3
    lines = uci.go("depth 1 wtime searchmoves a2a3")
    assert lines[0] == "info string go wtime: expected a whole number, not 'searchmoves'"
    assert best(lines) == "a2a3"
    uci.send("go ponder wtime x btime 100 depth 1")
    assert not [line for line in uci.quiet(0.3) if line.startswith("bestmove")]
    uci.send("stop")
    uci.until("bestmove")


@pytest.mark.parametrize("farewell", ["quit", "end of input", "SIGTERM"])
def test_counting_moves_holds_nobody_up(uci: UciProcess, farewell: str) -> None:
    uci.send("go perft 30")
    uci.quiet(0.2)
    if farewell == "quit":
        uci.send("quit")
    elif farewell == "SIGTERM":
        uci.process.terminate()
    else:
        assert uci.process.stdin is not None
        uci.process.stdin.close()
    assert uci.process.wait(PATIENCE) == 0


def test_a_bench_that_cannot_be_run_says_why(uci: UciProcess) -> None:
    uci.send("setoption name NetworkFile value /nope", "bench")
    assert "info string /nope: No such file or directory" in uci.ready()


def test_searchmoves_binds(uci: UciProcess) -> None:
    for words in ("searchmoves a2a3 depth 4", "depth 4 searchmoves a2a3 h2h3"):
        lines = uci.go(words)
        assert best(lines) in ("a2a3", "h2h3")
        assert all(line_of(line)[0] in ("a2a3", "h2h3") for line in infos(lines))
    assert best(uci.go("depth 2 searchmoves e2e5 nonsense")) not in ("(none)", "e2e5")


# ---- stop, infinite, ponder


@pytest.mark.parametrize(
    "go", ["infinite", "", "infinite depth 2", "ponder", "ponder depth 2", "ponder wtime 1 btime 1"]
)
def test_only_stop_brings_the_move(uci: UciProcess, go: str) -> None:
    uci.send(f"position {QUIET}", f"go {go}")
    assert not [line for line in uci.quiet(0.4) if line.startswith("bestmove")]
    uci.send("stop", "isready")
    lines = uci.until("readyok")
    assert sum(line.startswith("bestmove") for line in lines) == 1
    uci.send("stop", "ponderhit")
    assert uci.ready() == []


@pytest.mark.parametrize("position", [STALEMATE, MATED])
def test_infinite_waits_also_without_a_move(uci: UciProcess, position: str) -> None:
    uci.send(f"position {position}", "go infinite")
    assert uci.quiet(0.3) == []
    uci.send("stop")
    assert uci.until("bestmove")[-1] == "bestmove (none)"


@pytest.mark.parametrize("go", ["wtime 2000 btime 2000", "movetime 100", "depth 3", "nodes 1000"])
def test_ponderhit_brings_the_move_in_time(uci: UciProcess, go: str) -> None:
    uci.send(f"position {QUIET}", f"go ponder {go}")
    assert not [line for line in uci.quiet(0.3) if line.startswith("bestmove")]
    used = uci.cpu_seconds()  # while it thinks it does nothing else
    uci.send("ponderhit")
    assert best(uci.until("bestmove"))
    assert uci.cpu_seconds() - used < 1.0


def test_pondering_that_is_stopped_is_not_taken_for_lag(within: tuple[UCI, SimpleQueue[Any], int]) -> None:
    uci, *_ = within
    clock = "wtime 9000 btime 9000 winc 200 binc 200"
    for line in ("isready", f"go ponder {clock}", "stop", f"go {clock}", "stop"):
        uci.obey(line)
    assert uci.session.clocks.lag() == NO_LAG


def test_a_ponder_search_that_found_no_thread_is_made_good_at_the_hit(
    within: tuple[UCI, SimpleQueue[Any], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_thread(*arguments: object) -> int:
        raise RuntimeError("can't start new thread")

    uci, events, source = within
    monkeypatch.setattr("engine.play.thinking._thread.start_new_thread", no_thread)
    for line in (f"position {MATE_IN_TWO}", "go ponder depth 6", "ponderhit"):
        uci.obey(line)
    for _ in range(2):
        uci.finished(events.get(timeout=PATIENCE))
    told = os.read(source, 1 << 16).decode().splitlines()
    assert told[0] == "info string search failed: no thread to search in"
    assert told[-1].startswith("bestmove c5b6") and len(infos(told)) > 1


def test_a_weak_level_ponders_without_growing_strong(uci: UciProcess) -> None:
    uci.send("setoption name Level value 1", f"position {QUIET}", "go ponder wtime 60000 btime 60000")
    told = uci.quiet(0.5)
    uci.send("ponderhit")
    told += uci.until("bestmove")
    assert fields(infos(told)[-1])["nodes"] < 1000


def test_a_go_while_it_searches_answers_the_first_one(uci: UciProcess) -> None:
    uci.send("go infinite", "go depth 2", "isready")
    lines = uci.until("readyok")
    lines += uci.until("bestmove") if sum(line.startswith("bestmove") for line in lines) < 2 else []
    assert sum(line.startswith("bestmove") for line in lines) == 2
    uci.send("go infinite", "ucinewgame", "isready")
    assert sum(line.startswith("bestmove") for line in uci.until("readyok")) == 1


def test_a_position_that_comes_while_it_searches_is_for_the_next_one(uci: UciProcess) -> None:
    uci.send(f"position {QUIET}", "go infinite", f"position {MATE_IN_TWO}", "isready")
    uci.until("readyok")
    uci.send("stop")
    assert chess.Move.from_uci(best(uci.until("bestmove"))) in played(QUIET).legal_moves
    assert " score mate " in infos(uci.go("depth 6"))[-1]


def played(position: str) -> chess.Board:
    board = chess.Board()
    for word in position.split()[2:]:
        board.push_uci(word)
    return board


# ---- info


def test_lines_are_whole_and_legal(uci: UciProcess) -> None:
    uci.send(f"position {QUIET}")
    lines = infos(uci.go("movetime 500"))
    nodes = [fields(line)["nodes"] for line in lines]
    assert nodes == sorted(nodes)
    for line in lines:
        board = played(QUIET)
        for word in line_of(line):
            board.push(board.parse_uci(word))
        assert fields(line)["multipv"] == 1
        assert fields(line)["seldepth"] >= 1
    assert 0 <= fields(lines[-1])["hashfull"] <= 1000


def test_the_move_and_its_ponder_move_are_those_of_the_last_line(uci: UciProcess) -> None:
    uci.send(f"position {QUIET}")
    for go in ("depth 6", "movetime 100", "nodes 5000", "wtime 3000 btime 3000"):
        lines = uci.go(go)
        words = lines[-1].split()
        line = line_of(infos(lines)[-1])
        assert line[0] == words[1]
        assert len(line) < 2 or line[1] == words[3]


def test_a_long_search_says_what_it_is_at(uci: UciProcess) -> None:
    uci.send(f"position {QUIET}", "go infinite")
    line = uci.until("info (?:depth \\d+ currmove|nodes)", 20)[-1]
    assert fields(line)["time"] >= 900 and "hashfull" in line
    uci.send("stop")


@pytest.mark.parametrize("lines", [2, 3, 5])
def test_multipv(uci: UciProcess, lines: int) -> None:
    uci.send(f"setoption name MultiPV value {lines}", f"position {QUIET}")
    told = uci.go("depth 7")
    rounds = [infos(told)[i : i + lines] for i in range(0, len(infos(told)), lines)]
    assert [fields(part[0])["depth"] for part in rounds] == [1, 2, 3, 4, 5, 6, 7]
    for part in rounds:
        assert [fields(line)["multipv"] for line in part] == list(range(1, lines + 1))
        assert len({line_of(line)[0] for line in part}) == lines
        scores = [fields(line)["cp"] for line in part]
        assert scores == sorted(scores, reverse=True)
    assert best(told) == line_of(rounds[-1][0])[0]


def test_multipv_of_more_lines_than_moves(uci: UciProcess) -> None:
    uci.send("setoption name MultiPV value 256", "position fen 7k/8/8/8/8/8/r7/7K w - - 0 1")
    last = infos(uci.go("depth 3"))[-1]
    assert fields(last)["multipv"] == chess.Board("7k/8/8/8/8/8/r7/7K w - - 0 1").legal_moves.count()
    uci.send("position startpos")
    told = infos(uci.go("depth 3 searchmoves e2e4 d2d4"))
    assert {line_of(line)[0] for line in told} == {"e2e4", "d2d4"}


def test_multipv_stopped_in_the_middle_ends_in_its_best_line(uci: UciProcess) -> None:
    uci.send("setoption name MultiPV value 4", f"position {QUIET}")
    for nodes in (1, 10, 100, 1000, 3000, 10_000, 30_000):
        uci.send("ucinewgame")
        told = uci.go(f"nodes {nodes}")
        first = [line for line in infos(told) if fields(line)["multipv"] == 1]
        assert best(told) == line_of(first[-1])[0]


# ---- robustness and extras


def test_odd_input(uci: UciProcess) -> None:
    uci.send("", "   ", "foobar", "uciuci", "register later", "debug", "stop", "ponderhit", "x" * 100_000)
    uci.raw(b"\x00\x01\xff\xfe\n  position   startpos   moves  e2e4 \r\n")
    uci.send("joho debug off", "hello   isready")
    assert uci.until("readyok") == ["readyok"]
    assert best(uci.go("  depth   2 "))


def test_debug_tells_of_unknown_commands(uci: UciProcess) -> None:
    uci.send("debug on", "foobar 1", "debug off", "foobar 2")
    assert uci.ready() == ["info string unknown command: foobar 1"]


@pytest.mark.parametrize("go", ["", "go infinite", "go ponder"])
@pytest.mark.parametrize("by_quit", [True, False])
def test_it_leaves(go: str, by_quit: bool) -> None:
    with UciProcess() as engine:
        engine.send(go)
        if by_quit:
            engine.send("quit")
        else:
            engine.input.close()
        assert engine.gone(5)


def test_it_leaves_though_nobody_reads_its_answers() -> None:
    """A full pipe costs no processor time, so a limit of that alone would not end it."""
    engine = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
    assert engine.stdin
    try:
        engine.stdin.write(b"uci\n" + b"isready\n" * 20_000 + b"quit\n")
        engine.stdin.flush()
        began = time.monotonic()
        assert engine.wait(10) == 0 and time.monotonic() - began < 2
    finally:
        engine.kill()
        engine.communicate()


def test_the_book_is_played(uci: UciProcess) -> None:
    uci.send("setoption name OwnBook value true", "position startpos")
    lines = uci.go("wtime 1000 btime 1000")
    assert lines[0].startswith("info string book ") and len(lines) == 2
    assert best(lines) in {move.uci() for move in chess.Board().legal_moves}
    assert infos(uci.go("depth 2 searchmoves a2a3")) and best(["", "bestmove a2a3"]) == "a2a3"
    uci.send("go infinite")
    uci.until("info depth 3")
    uci.send("stop")


@pytest.mark.parametrize("go", ["", "infinite", "mate 1", "ponder wtime 9000 btime 9000"])
def test_the_book_ends_no_analysis(uci: UciProcess, go: str) -> None:
    uci.send("setoption name OwnBook value true", "position startpos", f"go {go}")
    # Before its first line a slow machine says that it searches.
    assert uci.until("info (depth|string)")[-1].startswith("info depth 1 ")
    uci.send("stop")
    uci.until("bestmove")


def test_extras_for_people(uci: UciProcess) -> None:
    uci.send("position startpos moves e2e4", "go perft 3")
    assert uci.until("Nodes searched: ")[-1] == "Nodes searched: 13160"
    uci.send("eval")
    assert uci.until("score ")[0].startswith("term (white)")
    uci.send("bench")
    assert re.match(r"\d+ nodes  ", uci.until(r"\d+ nodes", 120)[-1])
    uci.transcript.clear()


def test_parameters_are_understood_but_not_offered() -> None:
    """For those who tune: `gauntlet spsa` sets them through either door."""

    def bench(*options: str) -> str:
        with UciProcess() as engine:
            assert not any("tune." in line for line in engine.declared)
            engine.send(*options, "position startpos")
            return next(line for line in reversed(engine.go("depth 9")) if " nodes " in line).split(" nps ")[0]

    default = PARAMETERS[PLACE["static_margin"]].default
    usual, other = (f"setoption name tune.static_margin value {value}" for value in (default, 20))
    assert bench() == bench(usual) != bench(other)
