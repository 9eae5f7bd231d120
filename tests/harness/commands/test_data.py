"""Small commands over data: stats, book, ratings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import chess
import chess.polyglot
import pytest
import synthetic
from click.testing import CliRunner
from synthetic import record

from harness.books import openings
from harness.commands.results.ratings import command as ratings
from harness.commands.results.stats import command as stats
from harness.commands.tools.book import command as book
from harness.commands.tools.engines import command as engines
from harness.errors import BadInput
from harness.schedule import jobs as schedule


def answer(words: list[str]) -> dict[str, Any]:
    done = CliRunner().invoke(stats, [*words, "--json"], catch_exceptions=False)
    found: dict[str, Any] = json.loads(done.output.strip().splitlines()[-1])
    return found


def test_stats_keys_and_values() -> None:
    found = answer(["--wdl", "55,30,15", "--elo0", "0", "--elo1", "10"])
    assert list(found)[:7] == ["elo", "elo_error", "los", "nelo", "nelo_error", "llr", "llr_bounds"]
    assert found["elo"] == pytest.approx(147.190714, abs=1e-6) and found["llr"] == pytest.approx(1.335523, abs=1e-6)
    assert found["llr_bounds"] == pytest.approx([-2.944439, 2.944439], abs=1e-6)
    logistic = answer(["--wdl", "55,30,15", "--elo0", "0", "--elo1", "10", "--model", "logistic"])
    assert logistic["llr"] == pytest.approx(1.591088, abs=1e-6)
    assert answer(["--wdl", "55,30,15"])["llr"] is None
    pairs = answer(["--pentanomial", "2,10,25,14,3", "--elo0", "0", "--elo1", "10"])
    assert pairs["elo"] == pytest.approx(19.321872, abs=1e-6) and pairs["llr"] == pytest.approx(0.225237, abs=1e-6)


@pytest.mark.parametrize(
    ("words", "los"),
    [
        (["--wdl", "9,0,0"], 1023 / 1024),  # a posterior with a uniform prior: 1 - 2 ** -(n + 1)
        (["--wdl", "0,9,0"], 0.5),
        (["--pentanomial", "0,0,9,0,0"], 0.5),
        (["--wdl", "0,0,0"], None),
    ],
)
def test_stats_not_determined(words: list[str], los: float | None) -> None:
    found = answer([*words, "--elo0", "0", "--elo1", "5"])
    assert [found[key] for key in ("elo", "elo_error", "nelo", "nelo_error")] == [None] * 4
    assert found["los"] == (None if los is None else pytest.approx(los))
    assert isinstance(found["llr"], float)
    text = CliRunner().invoke(stats, words, catch_exceptions=False).output
    assert text.count("not determined") >= 1 and "nan" not in text and "inf" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give one of --wdl"),
        (["--wdl", "1,2,3", "--pentanomial", "1,2,3,4,5"], "give one of --wdl"),
        (["--wdl", "1,2"], '--wdl must be 3 counts W,D,L, each 0 or more (at most 12 digits), not "1,2"'),
        (["--wdl", "1,2,-3"], "--wdl must be 3 counts"),
        (["--wdl", "1,2,x"], "--wdl must be 3 counts"),
        (["--wdl", "1,2,3.5"], "--wdl must be 3 counts"),
        (["--pentanomial", "1,2,3,4"], "--pentanomial must be 5 counts"),
        (["--wdl", "1,2,3", "--elo0", "1"], "go together"),
        (["--wdl", "1,2,3", "--elo0", "5", "--elo1", "0"], "--elo0 must be below --elo1"),
        (["--wdl", "1,2,3", "--elo0", "nan", "--elo1", "0"], "--elo0 must be below --elo1"),
        (["--wdl", "1,2,3", "--model", "logstic"], 'did you mean "logistic"'),
        (["--wdl", "1,2,3", "--alpha", "0.7"], "--alpha must be 1e-09 or more and below 0.5"),
    ],
)
def test_stats_mistakes(words: list[str], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        CliRunner().invoke(stats, words, catch_exceptions=False)
    assert message in str(caught.value)


def test_stats_of_a_run_that_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([[("a", "base", (), (1, 0, 0))], [("a", "base", (), (2, 0, 0)), ("b", "base", (), (1, 0, 0))]])
    monkeypatch.setattr("harness.commands.results.stats._pairings", lambda *_: next(looks))
    said = CliRunner().invoke(stats, ["run"], catch_exceptions=False).output.splitlines()
    assert said[:2] == ["a vs base   [1, 0, 0]   no pairs", "games   1"]


def test_book_is_read_back(tmp_path: Path) -> None:
    lines = tmp_path / "x.tsv"
    lines.write_text("moves\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O\n1. e4 c5\n1. d4 d5\n")
    path = tmp_path / "x.bin"
    done = CliRunner().invoke(book, [str(lines), "--out", str(path)], catch_exceptions=False)
    assert "10 moves from 3 lines" in done.output
    with chess.polyglot.open_reader(path) as reader:
        first = {entry.move.uci(): entry.weight for entry in reader.find_all(chess.Board())}
        assert first == {"e2e4": 2, "d2d4": 1}
        board = chess.Board("r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4")
        assert reader.find(board).move.uci() == "e1g1"
    assert len(openings.read(path)) == 3
    again = tmp_path / "y.bin"
    CliRunner().invoke(book, [str(path), "--out", str(again), "--plies", "1"], catch_exceptions=False)
    assert again.stat().st_size == 2 * 16


def test_book_mistakes(tmp_path: Path) -> None:
    (tmp_path / "x.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    (tmp_path / "y.tsv").write_text("1. d4 d5\n")
    for words, message in (
        (["none.tsv", "--out", "x.bin"], "none.tsv: no such file"),
        ([str(tmp_path / "x.epd"), "--out", "x.bin"], "no line has moves"),
        ([str(tmp_path / "x.epd"), "--out", "x.bin", "--plies", "0"], "--plies must be 1 or more"),
        ([str(tmp_path / "y.tsv"), "--out", str(tmp_path / "y.tsv")], "is one of the files that are read"),
        # Before minutes are spent on reading the lines.
        (
            [str(tmp_path / "x.epd"), "--out", str(tmp_path / "none" / "x.bin")],
            "expected a file in a folder that exists",
        ),
    ):
        with pytest.raises(BadInput, match=message):
            CliRunner().invoke(book, words, catch_exceptions=False)


def test_engines_of_an_edited_file_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "engines.toml").write_text('[engines.a]\ncommand = 2026-01-01\nprotocol = ["uci"]\n')
    monkeypatch.setenv("GAUNTLET_ENGINES", str(tmp_path / "engines.toml"))
    assert CliRunner().invoke(engines, ["list"], catch_exceptions=False).output == "a  ['uci']  2026-01-01\n"
    listed = CliRunner().invoke(engines, ["list", "--json"], catch_exceptions=False).output
    assert json.loads(listed)["engines"] == [{"name": "a", "command": "2026-01-01", "protocol": ["uci"]}]


def test_shipped_book_is_that_of_the_shipped_lines(tmp_path: Path) -> None:
    from harness.spec.reader import SHIPPED_OPENINGS

    path = tmp_path / "sortie.bin"
    CliRunner().invoke(book, ["sortie.tsv", "--out", str(path)], catch_exceptions=False)
    assert path.read_bytes() == (SHIPPED_OPENINGS / "sortie.bin").read_bytes()


@pytest.mark.parametrize("model", ["logistic", "ordo", "bayeselo"])
def test_ratings_of_a_run(tmp_path: Path, model: str) -> None:
    found = synthetic.plan(tmp_path)
    words = ["1-0", "1/2-1/2", "0-1", "1/2-1/2"]
    games = [record(job, words[(job.id + job.pairing) % 4]) for job in schedule.jobs(found)]
    synthetic.journal(tmp_path, found, games)
    done = CliRunner().invoke(ratings, [str(tmp_path), "--model", model, "--json"], catch_exceptions=False)
    data = json.loads(done.output)
    assert [player["name"] for player in data["players"]] and len(data["cfs"]) == 3
    assert sum(player["elo"] or 0 for player in data["players"]) == pytest.approx(0, abs=1e-6)
    text = CliRunner().invoke(ratings, [str(tmp_path), "--model", model], catch_exceptions=False).output
    assert "lmr-off" in text and "CFS over next" in text
    with pytest.raises(BadInput, match='did you mean "ordo"'):
        CliRunner().invoke(ratings, [str(tmp_path), "--model", "odro"], catch_exceptions=False)
