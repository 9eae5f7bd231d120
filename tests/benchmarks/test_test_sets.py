"""benchmarks/test_sets.py: what counts as solved, and what is said of a bad line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from engine_process import ROOT

SET = """\
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - dm 1; id "back rank";
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id "the same by its move";
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - am Rd8+; id "never solved";
7k/8/8/8/8/8/R7/1R4K1 w - - dm 3; id "too long a mate is left out"
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "test_sets.py"), *words],
        capture_output=True, text=True, cwd=ROOT, check=False, env={"PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def test_best_moves_moves_to_avoid_and_mates(tmp_path: Path) -> None:
    file = tmp_path / "set.epd"
    file.write_text(SET)
    done = run(str(file), "--nodes", "20000", "--most-mate", "2", "--list")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[0].split() == ["set", "2", "of", "3"]
    assert "never solved" in done.stdout and "back rank" not in done.stdout


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("6k1/8/8/8/8/8/8/6K1 w - -", "an operation"),
        ("6k1/8/8/8/8/8/8/6K1 w - - bm Qh5;", "Qh5"),
        ('6k1/8/8/8/8/8/8/6K1 w - - id "nothing";', "bm, am or dm"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "bad.epd"
    file.write_text(f"\n{line}\n")
    done = run(str(file), "--nodes", "10")
    assert done.returncode != 0
    assert f"{file}:2: " in done.stderr and words in done.stderr and "Traceback" not in done.stderr


def test_neither_no_limit_nor_a_binary_file_is_searched(tmp_path: Path) -> None:
    file = tmp_path / "set.epd"
    file.write_bytes(b"\xff\xfe\n")
    for limit, words in (("0", "expected a whole number from 1 on, not '0'"), ("10", f"{file}:1: expected a position")):
        done = run(str(file), "--nodes", limit)
        assert done.returncode != 0 and words in done.stderr and "Traceback" not in done.stderr
