"""benchmarks/parts.py: opposites, balance, what a part is found to be worth, and a match of real games."""

from __future__ import annotations

import itertools
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from engine_process import ROOT
from hypothesis import given
from hypothesis import strategies as st

SCRIPT = ROOT / "benchmarks" / "parts.py"
parts = runpy.run_path(str(SCRIPT))
ALL = [parts["part"](text) for text in parts["PARTS"]]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *words], capture_output=True, text=True, check=False)


def test_beside_any_part_every_other_stands_as_often_as_against_it() -> None:
    for one, other in itertools.combinations(range(8), 2):
        together = sum(parts["lacks"](match, one) == parts["lacks"](match, other) for match in range(8))
        assert together == 4


@pytest.mark.parametrize("match", range(8))
def test_each_part_is_left_out_on_one_side_only(match: int) -> None:
    text = parts["experiment"](ALL, match, 1, 2, "nodes = 100", "")
    players = tomllib.loads(text)
    for option, on, off in ALL:
        assert {players["base"][option], players["variants"]["opposite"][option]} == {on, off}


@given(st.lists(st.integers(-40, 40), min_size=8, max_size=8))
def test_the_worth_of_each_part_is_found_whatever_the_others_are_worth(worth: list[int]) -> None:
    # Pairs of games whose mean score is that of the difference between both sides, in thousandths.
    matches = []
    for match in range(8):
        gain = sum(w if parts["lacks"](match, part) else -w for part, w in enumerate(worth))
        half = 1000 + gain  # variant wins a pair so often and loses 1000 - gain
        matches.append([1000 - gain, 0, 0, 0, half])
    for part, w in enumerate(worth):
        counts = parts["without"](part, matches)
        assert counts[4] - counts[0] == -16 * w


def test_a_verdict_stays_once_given() -> None:
    lost, won = [40, 60, 80, 20, 10], [10, 20, 80, 60, 40]
    one_round = [won if parts["lacks"](match, 3) else lost for match in range(8)]  # without part 3 all is lost
    other_round = [counts[::-1] for counts in one_round]
    for rounds in (1, 2, 3):
        matches = (one_round + other_round + other_round)[: 8 * rounds]
        assert parts["verdict"](3, matches, -20.0, 0.0) == "stays (3360 games)"
    assert parts["verdict"](3, other_round, -20.0, 0.0) == "not worth it (3360 games)"


def test_a_match_of_real_games_is_read_back_where_it_stopped(tmp_path: Path) -> None:
    text = parts["experiment"](ALL, 3, 1, 2, "nodes = 30", "")
    counts = parts["played"](tmp_path / "match", text)
    assert sum(counts) == 1
    assert parts["played"](tmp_path / "match", text) == counts
    with pytest.raises(SystemExit, match="another experiment"):
        parts["played"](tmp_path / "match", text.replace("ProbCut", "Razoring"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Probcut=on/off",), '"Probcut"'),
        (("ProbCut",), "ProbCut"),
        (("ProbCut=off",), "ProbCut=off"),
        (("ProbCut=on/of",), '"of"'),
        (("--games", "3"), "3"),
        (("--elo0", "1"), "--elo0"),
    ],
)
def test_bad_words_are_named(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = run(str(tmp_path / "out"), *words)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1] and "Traceback" not in done.stderr
