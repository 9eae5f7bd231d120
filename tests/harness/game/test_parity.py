"""What other harnesses have and their users ask for, each through the door that a user takes."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import chess
import here
import pytest
from fake_engines.runs import experiment, gauntlet, show
from fake_engines.table import one, player

from harness.books.tablebase import Tablebase
from harness.game.adjudication import Adjudicator
from harness.game.checks import faults
from harness.game.game import Rules
from harness.journal.journal import Reader
from harness.model import Limit
from harness.spec.settings import Adjudication

# Adjudication


@pytest.mark.parametrize(
    "sides, white, black, decided",
    [
        ("winner", 900, 0, True),
        ("winner", 0, -900, False),
        ("loser", 0, -900, True),
        ("loser", 900, 0, False),
        ("both", 900, 0, False),
        ("both", 900, -900, True),
    ],
)
def test_whose_scores_decide_a_won_game(sides: str, white: int, black: int, decided: bool) -> None:
    judge = Adjudicator(Adjudication(resign_score=800, resign_moves=2, resign_sides=sides))
    board = chess.Board()
    said = [judge.after(board, seat, score, 50) for _ in range(2) for seat, score in ((0, white), (1, black))]
    assert (("1-0", "adjudicated-win") in said) == decided and all(
        one in (None, ("1-0", "adjudicated-win")) for one in said
    )


def tables(value: int, men: int | None, fifty: bool) -> Tablebase:
    """Tables of five men that say the same of every position."""
    made = Tablebase.__new__(Tablebase)
    made._tables = SimpleNamespace(get_wdl=lambda board: value)  # type: ignore[assignment]
    made.men = men or 5
    made._drawn = 1 if fifty else 0
    return made


@pytest.mark.parametrize(
    "value, fifty, result", [(1, True, "1/2-1/2"), (1, False, "1-0"), (-1, False, "0-1"), (0, False, "1/2-1/2")]
)
def test_tables_with_and_without_the_fifty_move_rule(value: int, fifty: bool, result: str) -> None:
    found = tables(value, None, fifty).verdict(chess.Board("8/8/8/4k3/8/8/1NNK4/8 w - - 0 1"))
    assert found is not None and found[0] == result


def test_tables_are_asked_up_to_so_many_men() -> None:
    board = chess.Board("8/8/8/4k3/8/8/1NNK4/8 w - - 0 1")
    assert tables(2, 3, True).verdict(board) is None and tables(2, 4, True).verdict(board) is not None


# Limits


def test_a_clock_and_a_cap_as_uci_engines_are_told(tmp_path: Path) -> None:
    log, limit = tmp_path / "log", Limit(base=20.0, increment=0.5, most_nodes=5000, most_depth=9)
    one([player(0), player(1, f"log={log}", uci=True, limit=limit)])
    went = [line for line in log.read_text().splitlines() if line.startswith("go ")]
    assert went and all("wtime" in line and line.endswith(" nodes 5000 depth 9") for line in went)


def test_a_clock_and_a_cap_as_xboard_engines_are_told(tmp_path: Path) -> None:
    log = tmp_path / "log"
    one([player(0), player(1, f"log={log}", limit=Limit(base=20.0, most_depth=9))])
    lines = log.read_text().splitlines()
    assert "sd 9" in lines and "level 0 0:20 0" in lines and any(line.startswith("time ") for line in lines)


def test_an_engine_has_a_margin_of_its_own() -> None:
    limit = Limit(base=0.4)
    game = one([player(0), player(1, "slow=1.0", limit=limit, margin=9.0)], Rules(margin=0.1, max_moves=3))
    assert game.reason == "move-limit"
    game = one([player(0), player(1, "slow=1.0", limit=limit)], Rules(margin=0.1, max_moves=3))
    assert game.reason in ("time", "stall")


# What engines say

RUY = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]
MATE_IN_TWO = "6k1/5ppp/8/8/8/8/1R6/R5K1 w - - 0 1"


@pytest.mark.parametrize(
    "fen, words, score, strict, expected",
    [
        (chess.STARTING_FEN, RUY, 30, True, []),
        (chess.STARTING_FEN, [*RUY, "e1g3"], 30, True, ["pv"]),
        (chess.STARTING_FEN, [*RUY, "a7a6,"], 30, True, ["pv"]),
        (chess.STARTING_FEN, ["d2d4"], 30, True, ["bestmove"]),
        (chess.STARTING_FEN, "1. e4 e5 2. Nf3 Nc6 {book}".split(), 30, False, []),
        (chess.STARTING_FEN, "e4 e5 e1e7".split(), 30, False, ["pv"]),
        (chess.STARTING_FEN, RUY, 100_003, True, ["mate"]),
        (chess.STARTING_FEN, RUY, 100_004, True, []),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", ["a1a8"], 100_001, True, []),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", ["a1a8"], 100_000, True, []),
        (chess.STARTING_FEN, ["e2e4", "--"], 0, False, []),
    ],
)
def test_what_is_said_of_a_move(fen: str, words: list[str], score: int, strict: bool, expected: list[str]) -> None:
    board = chess.Board(fen)
    played = chess.Move.from_uci("a1a8" if fen != chess.STARTING_FEN else "e2e4")
    assert faults(board, words, played, score, strict) == expected
    assert board.fen() == fen


@pytest.mark.parametrize("uci", [False, True])
def test_a_mate_that_is_none_is_a_warning_where_it_is_asked_for(uci: bool) -> None:
    liar = player(1, "score=100001", uci=uci)
    game = one([player(0), liar], Rules(patience=60.0, max_moves=6, checks=True))
    assert game.fault is None and game.warnings[1]["mate"] == 6
    assert "mate" not in one([player(0), liar], Rules(patience=60.0, max_moves=6)).warnings.get(1, {})


# Through the experiment file

HEAD = "[experiment]\ngames = 4\nmax_moves = 4\npatience = 60.0\nconcurrency = 1\n"


def test_every_line_of_an_engine_is_kept_on_request(tmp_path: Path) -> None:
    spec = experiment(tmp_path, HEAD + "depth = 3\n", a="seed=1", b="uci seed=2")
    spec.write_text(spec.read_text().replace("[engines.b]", "[engines.b]\nio_log = true\nmargin = 2.5"))
    done = gauntlet("run", spec, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    (log,) = (tmp_path / "out" / "io").iterdir()
    lines = log.read_text().splitlines()
    assert log.name.startswith("b-") and all(line.split()[1] in "<>" for line in lines)
    assert any(line.endswith("> uci") for line in lines) and any(line.endswith("> quit") for line in lines)
    with Reader(tmp_path / "out") as reader:
        played = sum(1 for game in reader.games() for _ in game.moves)
    assert sum(" < bestmove" in line for line in lines) == played / 2
    again = (tmp_path / "out" / "experiment.toml").read_text()
    assert "io_log = true" in again and "margin = 2.5" in again
    assert gauntlet("resume", tmp_path / "out").returncode == 0


def test_a_field_meets_the_same_openings(tmp_path: Path) -> None:
    spec = experiment(tmp_path, HEAD + 'kind = "roundrobin"\ndepth = 1\n', a="seed=1", b="seed=2", c="uci seed=3")
    assert gauntlet("run", spec, "--out", tmp_path / "out").returncode == 0
    with Reader(tmp_path / "out") as reader:
        met: dict[int, list[str]] = {}
        for row in reader.rows():
            met.setdefault(row.pairing, []).append(row.line)
    assert len(met) == 3 and met[0] == met[1] == met[2] and len(set(met[0])) == 2


@pytest.mark.parametrize(
    "keys, expected",
    [
        ("time = '5+1'\nnodes = 0", "nodes must be 1 or more, not 0"),
        ("movetime = 1\ndepth = 300", "depth must be 200 or less, not 300"),
        ("nodes = 5\ndepth = 5", "nodes and depth: one limit only"),
        ("checks = 1", "checks must be true or false, not 1"),
        ("[adjudication]\nsyzygy_men = 5", "syzygy_men needs syzygy: without it the rule is off"),
        ("[adjudication]\nresign_score = 5\nresign_sides = 'white'", "resign_sides must be both, loser or winner"),
        ("[engines.c]\ncommand = 'cat'\nmargin = -1", "margin must be 0 or more, not -1"),
        ("[engines.c]\ncommand = 'cat'\nio_log = 'yes'", 'io_log must be true or false, not "yes"'),
    ],
)
def test_what_is_wrong_with_the_new_keys_is_told_in_a_line(tmp_path: Path, keys: str, expected: str) -> None:
    spec = tmp_path / "x.toml"
    spec.write_text(f"[experiment]\n{keys}\n[engines.a]\ncommand = 'cat'\n[engines.b]\ncommand = 'cat'\n")
    assert expected in here.refusal("run", spec, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_clock_with_caps_comes_back_from_its_own_text(tmp_path: Path) -> None:
    spec = experiment(tmp_path, HEAD + "time = '60+0.1'\nnodes = 900\ndepth = 7\n", a="uci seed=1", b="uci seed=2")
    assert gauntlet("run", spec, "--out", tmp_path / "out").returncode == 0
    text = (tmp_path / "out" / "experiment.toml").read_text()
    assert "nodes = 900" in text and "depth = 7" in text and 'time = "60+0.1"' in text
    assert gauntlet("resume", tmp_path / "out").returncode == 0
    printed = gauntlet("pgn", tmp_path / "out").stdout
    assert '[Limit "nodes<=900,depth<=7"]' in printed
    assert json.loads(json.dumps(show(tmp_path / "out")))["played"] == 4
