"""benchmarks/regret.py: its arithmetic, its positions, and a small run of Sortie judged by Sortie."""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import benchmark_tool
import pytest
from engine_process import ROOT

TOOL = ROOT / "benchmarks" / "regret.py"


@pytest.fixture(scope="module")
def regret() -> ModuleType:
    return benchmark_tool.load("regret")


def test_expected_scores(regret: ModuleType) -> None:
    assert regret.expected(0) == 0.5
    assert regret.expected(170) == pytest.approx(1 / (1 + math.exp(-1)))
    assert regret.expected(-60) == pytest.approx(1 - regret.expected(60))
    assert regret.expected(10**9) == pytest.approx(1) and regret.expected(-(10**9)) == pytest.approx(0)


def test_a_position_is_judged_by_what_the_move_gives_away(regret: ModuleType) -> None:
    same = regret.judged(50, 50, 50, 9)
    assert (same.regret, same.error, same.depth) == (0, 0, 9)
    worse = regret.judged(100, 0, 170, None)
    assert worse.regret == pytest.approx(regret.expected(100) - 0.5)
    assert worse.error == pytest.approx((regret.expected(170) - 0.5) ** 2)
    assert regret.judged(0, 30, None, 1) == regret.Sample(0.0, None, 1), (
        "better than the judge's own best costs nothing"
    )


def test_means_and_intervals(regret: ModuleType) -> None:
    mean, half = regret.mean_and_error([1.0, 2.0, 3.0, 4.0])
    assert mean == 2.5 and half == pytest.approx(1.96 * math.sqrt(5 / 3) / 2)
    assert regret.mean_and_error([7.0]) == (7.0, 0.0)
    line = regret.row("x", [regret.Sample(0.02, 0.01, 8), regret.Sample(0.0, None, None)])
    assert "10.0 ±" in line and "8.0" in line and "2 positions" in line


@pytest.mark.parametrize("text", ["sortie", "a=uci", "a=uci:", "a=icc:x", "=uci:x", "a=uci:x;=3"])
def test_engines_that_mean_nothing(regret: ModuleType, text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected NAME="):
        regret.engine(text)


def test_positions_out_of_epd_and_fen_and_pgn(regret: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "set.epd"
    file.write_text(
        "# a comment\n\n6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#;\n6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 3 20\n"
        "7k/8/8/8/8/8/1r6/K7 w - - 0 1\n"  # one move: no choice
    )
    assert [board.turn for board in regret.positions(file, 1)] == [True, False]
    game = tmp_path / "game.pgn"
    game.write_text(
        "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. e4 e5 8. d4 d5 9. Nf3 Nf6 10. Nc3 Nc6 *\n"
    )
    assert len(list(regret.positions(game, 1))) == 4 and len(list(regret.positions(game, 2))) == 2


JUDGE = """
import sys, chess
board = chess.Board()
for line in sys.stdin:
    words = line.split()
    if line.startswith("uci\\n"):
        print("uciok", flush=True)
    elif line.startswith("isready"):
        print("readyok", flush=True)
    elif line.startswith("position fen"):
        board = chess.Board(" ".join(words[2:8]))
    elif line.startswith("go"):
        best = "d1d8"
        move = words[words.index("searchmoves") + 1] if "searchmoves" in words else best
        print(f"info depth 1 score cp {200 if move == best else -150} pv {move}")
        print(f"bestmove {move}", flush=True)
    elif line.startswith("quit"):
        break
"""


@pytest.mark.parametrize(
    ("fen", "cost"), [("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 0), ("6k1/4qppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1)]
)
def test_a_run(regret: ModuleType, tmp_path: Path, fen: str, cost: int) -> None:
    """Sortie mates where the judge would; where the judge insists on a blunder Sortie's move is what it says it costs."""
    file, judge = tmp_path / "set.epd", tmp_path / "judge.py"
    file.write_text(fen + "\n")
    judge.write_text(JUDGE)
    done = subprocess.run(
        [sys.executable, str(TOOL), f"sortie=xboard:{sys.executable} -m engine", "--judge", f"judge=uci:{sys.executable} {judge}",
         "--positions", str(file), "--nodes", "3000"],
        capture_output=True, text=True, cwd=ROOT, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lost = 1000 * (regret.expected(200) - regret.expected(-150)) * cost
    assert f" {lost:.1f} ±" in done.stdout and "1 positions" in done.stdout


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(TOOL), "a=uci:/no/such/engine", "--positions", str(ROOT / "openings" / "screen.epd")],
        capture_output=True, text=True, cwd=ROOT, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2 and "Traceback" not in done.stderr


def test_a_binary_file_is_named(regret: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "set.epd"
    file.write_bytes(b"\xff\xfe\n")
    with pytest.raises(SystemExit, match=r"set\.epd:1: "):
        list(regret.positions(file, 1))


@pytest.mark.parametrize(("there", "count"), [(55, 28), (199, 100), (10, 20), (0, 5)])
def test_positions_are_spread_over_the_file(regret: ModuleType, there: int, count: int) -> None:
    kept = regret.spread(range(there), count)
    assert len(kept) == len(set(kept)) == min(there, count)
    assert not kept or there - kept[-1] <= 2 * there / len(kept)
