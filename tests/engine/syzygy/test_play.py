"""Play with endgame tables: at the root, in the search, through both doors, with files that are missing or damaged."""

from __future__ import annotations

import shutil
from pathlib import Path

import chess
import pytest
from endgame_tables import FEW
from engine_process import EngineProcess, UciProcess

from engine.board.game import Game
from engine.model import Limits, Result
from engine.play.options import Settings
from engine.search.threads import Searcher
from engine.syzygy.tables import Tables
from engine.tools import bench
from engine.variant.features import Features

BEFORE = "8/8/8/3r4/1k6/8/3PR3/3K4 w - - 0 1"  # five men: every capture leads into the tables
WON = "8/8/8/8/8/3k4/8/R3K3 w - - 0 1"
LATE = "8/8/8/8/8/3k4/8/R3K3 w - - 60 90"
DRAWN = "8/8/8/8/4k3/8/4P3/4K3 w - - 0 1"


def search(fen: str, tables: Tables | None, depth: int = 8) -> Result:
    searcher = Searcher(8)
    searcher.set_tables(tables)
    found: Result = searcher.search(Game(fen), Features(), Limits(depth=depth))
    return found


def set_up(uci: UciProcess, fen: str, *options: str) -> None:
    uci.send(f"setoption name SyzygyPath value {FEW}", *(f"setoption name {option}" for option in options))
    uci.send("isready", f"position fen {fen}")
    uci.until("readyok")


def test_the_search_asks_below_the_root() -> None:
    found = search(BEFORE, Tables(str(FEW)))
    assert found.stats["tablebase_hits"] > 0
    assert search(BEFORE, None).stats["tablebase_hits"] == 0
    # A capture into a table that says win is worth more than any evaluation.
    winning = search("8/8/8/8/2k5/8/3r4/3KR2R w - - 0 1", Tables(str(FEW)), 2)
    assert winning.score > 15000


def test_nothing_is_asked_about_more_men_than_the_limit_says() -> None:
    for men, hits in ((7, True), (4, True), (3, True), (2, False), (0, False)):
        found = search("8/8/8/3r4/1k6/8/4R3/3K4 w - - 0 1", Tables(str(FEW), men))
        assert bool(found.stats["tablebase_hits"]) == hits, men


@pytest.mark.parametrize(
    ("fen", "move"), [("r5k1/8/6K1/8/8/8/7P/R7 w - - 0 1", "a1a8"), ("4k3/2Q1n2R/8/8/8/6K1/8/8 w - - 0 1", "c7e7")]
)
def test_a_mate_by_a_capture_counts_more_than_a_win_by_the_tables(fen: str, move: str) -> None:
    found = search(fen, Tables(str(FEW)), 4)
    assert found.score == 100_001 and Game(fen).coordinates(found.move) == move


@pytest.mark.parametrize(
    ("fen", "keeps"),
    [
        ("8/8/8/8/1k6/4P3/8/4K3 w - - 110 120", {"e1e2", "e1f2"}),
        ("8/8/8/8/8/3k4/8/R3K3 w - - 99 120", {"a1a4"}),
        ("8/8/8/8/8/3k4/8/R3K3 w - - 98 120", {"a1a4"}),
    ],
)
def test_without_the_fifty_move_rule_no_clock_ends_a_win(uci: UciProcess, fen: str, keeps: set[str]) -> None:
    set_up(uci, fen, "Syzygy50MoveRule value false")
    uci.send("go depth 3")
    *lines, best = uci.until("bestmove")
    assert "score cp 20000 " in lines[-1] and best.split()[1] in keeps


@pytest.mark.parametrize("clock", [98, 99])
def test_a_capture_on_the_hundredth_ply_still_wins(uci: UciProcess, clock: int) -> None:
    set_up(uci, f"8/8/8/4r3/1k6/8/8/3KR3 w - - {clock} 120")
    uci.send("go depth 3")
    *lines, best = uci.until("bestmove")
    assert "score cp 20000 " in lines[-1] and best.split()[1] == "e1e5"


def test_the_largest_tables_are_left_alone_near_the_horizon() -> None:
    found = [search(BEFORE, Tables(str(FEW), depth=depth), 14) for depth in (1, 3, 100)]
    each_node = [result.stats["tablebase_hits"] / result.nodes for result in found]
    assert each_node[0] > each_node[1] > each_node[2]


def test_without_tables_nothing_changes() -> None:
    settings = Settings()
    settings.set("SyzygyPath", "")
    assert bench.run(list(bench.POSITIONS[:3]), Limits(depth=8), settings).nodes == (
        bench.run(list(bench.POSITIONS[:3]), Limits(depth=8), Settings()).nodes
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_many_threads_ask_at_once(threads: int) -> None:
    searcher = Searcher(8, threads)
    searcher.set_tables(Tables(str(FEW)))
    found = searcher.search(Game(BEFORE), Features(), Limits(depth=14))
    assert found.depth >= 14 and searcher.tablebase_hits() > 0


@pytest.mark.parametrize("fen, score", [(WON, "cp 20000"), (DRAWN, "cp 0"), (WON.replace(" w ", " b "), "cp -20000")])
def test_a_root_that_the_tables_know_has_their_score(uci: UciProcess, fen: str, score: str) -> None:
    set_up(uci, fen)
    uci.send("go depth 3")
    lines = [line for line in uci.until("bestmove") if line.startswith("info depth")]
    assert all(f"score {score} " in line or "score mate" in line for line in lines) and lines
    assert " tbhits 0 " not in lines[-1]


@pytest.mark.parametrize("fen", [WON, LATE])
def test_a_won_game_ends_before_fifty_moves(uci: UciProcess, fen: str) -> None:
    """Rook against king at depth 1, also twenty moves before the draw: the search alone sees nothing, the tables the way."""
    board = chess.Board(fen)
    set_up(uci, fen)
    while not board.is_game_over(claim_draw=True):
        uci.send(f"position fen {fen} moves {' '.join(move.uci() for move in board.move_stack)}", "go depth 1")
        board.push_uci(uci.until("bestmove")[-1].split()[1])
        if board.turn == chess.BLACK:
            continue
    assert board.is_checkmate(), board.fen()


def test_a_draw_is_kept_by_a_player_who_sees_one_ply(uci: UciProcess) -> None:
    """One king's move holds; every other loses."""
    for fen, only in (("8/K7/4p3/8/8/8/8/3k4 w - - 0 1", "a7b6"), ("8/7k/8/2K5/8/8/5P2/8 b - - 0 1", "h7g6")):
        set_up(uci, fen)
        uci.send("go depth 1")
        assert uci.until("bestmove")[-1].split()[1] == only


def test_several_lines_show_moves_that_lose_the_result_too(uci: UciProcess) -> None:
    set_up(uci, "8/K7/4p3/8/8/8/8/3k4 w - - 0 1", "MultiPV value 4")
    uci.send("go depth 6")
    assert any("multipv 4 " in line for line in uci.until("bestmove"))


def test_searchmoves_counts_more_than_the_tables(uci: UciProcess) -> None:
    set_up(uci, "8/K7/4p3/8/8/8/8/3k4 w - - 0 1")
    uci.send("go depth 4 searchmoves a7a8")
    lines = uci.until("bestmove")
    assert lines[-1].split()[1] == "a7a8" and "score cp -20000" in lines[-2]


def test_the_levels_of_people_have_no_tables(uci: UciProcess) -> None:
    set_up(uci, WON, "Level value 5")
    uci.send("go depth 3")
    assert all(" tbhits 0 " in line for line in uci.until("bestmove") if line.startswith("info depth"))


def test_uci_says_what_it_found(uci: UciProcess, tmp_path: Path) -> None:
    uci.send(f"setoption name SyzygyPath value {FEW}", "isready")
    assert "info string 20 Syzygy tables, used with up to 4 men" in uci.until("readyok")
    uci.send("setoption name SyzygyProbeLimit value 3", "isready")
    assert "info string 20 Syzygy tables, used with up to 3 men" in uci.until("readyok")
    uci.send("setoption name SyzygyPath value /no/such folder", "isready")
    assert "info string /no/such folder: No such file or directory; no tables are used" in uci.until("readyok")
    uci.send("setoption name SyzygyPath value <empty>", "isready")
    assert not [line for line in uci.until("readyok") if line.startswith("info")]
    for number in range(5):
        (tmp_path / f"K{'QRBNP'[number]}vK.rtbw").write_bytes(b"rubbish")
    shutil.copy(FEW / "KRvKR.rtbw", tmp_path)
    uci.send(f"setoption name SyzygyPath value {tmp_path}", "isready")
    told = [line for line in uci.until("readyok") if line.startswith("info string")]
    assert len(told) == 4 and told[0].endswith("KBvK.rtbw: is no Syzygy table, or not the whole of one")
    assert told[-1] == "info string 1 Syzygy tables, used with up to 3 men, 2 more cannot be used"
    uci.send("position startpos", "go depth 3")
    uci.until("bestmove")


def test_xboard_has_them_by_egtpath(engine: EngineProcess) -> None:
    engine.send(f"egtpath syzygy {FEW}")
    assert engine.sync() == ["# 20 Syzygy tables, used with up to 4 men"]
    engine.send("post", f"setboard {WON}", "sd 3", "st 60", "go")
    lines = engine.until("move")
    assert any(line.split()[1] == "20000" for line in lines if line[:1].isdigit())
    engine.send("force", "option SyzygyPath=")
    assert engine.sync() == []
