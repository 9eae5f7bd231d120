"""benchmarks/static_error.py: its arithmetic, and a small run judged by Sortie."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from engine_process import ROOT

TOOL = ROOT / "benchmarks" / "static_error.py"
FENS = [  # in the last one the queen can be had, so it is not calm
    "rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
    "4k3/8/8/8/8/8/4P3/4KQ2 b - - 0 1",
    "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1",
    "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1",
]


def test_the_scale_that_suits_best_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOL.parent))
    static_error = importlib.import_module("static_error")
    wanted = static_error.expected(static_error.np.array([-300.0, 20.0, 150.0]), 170.0)
    found, scale = static_error.errors([-600.0, 40.0, 300.0], wanted)
    assert scale == 340 and found.max() == pytest.approx(0)
    found, _ = static_error.errors([600.0, 0.0, -300.0], wanted)
    assert found.mean() > 50


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(TOOL), *args], capture_output=True, text=True, timeout=120)


def test_networks_terms_and_searches_in_one_table(tmp_path: Path) -> None:
    file = tmp_path / "some.fen"
    file.write_text("\n".join(FENS) + "\n")
    judge = f"judge=uci:{sys.executable} -m engine"
    found = run("--positions", str(file), "--judge", judge, "--judge-nodes", "500", "--search", "100")
    assert found.returncode == 0, found.stderr
    head, *rows = found.stdout.splitlines()
    assert head.endswith("over 3 positions")
    assert [row.rsplit(None, 5)[0].strip() for row in rows[1:]] == ["terms", "100 nodes"] and rows[0].startswith(
        "shipped"
    )
    assert all(0 <= float(row[20:29]) < 400 for row in rows)


def test_what_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "some.fen"
    file.write_text("\n".join(FENS) + "\n")
    (tmp_path / "bad.net").write_bytes(b"nothing")
    found = run(str(tmp_path / "bad.net"), "--positions", str(file))
    assert (found.returncode, found.stdout, found.stderr.count("\n")) == (2, "", 1) and "bad.net" in found.stderr
    found = run("--positions", str(file), "--judge", "judge=uci:/nowhere/engine")
    assert found.returncode == 2 and found.stderr.startswith("static_error: ") and found.stderr.count("\n") == 1
