"""Engines, files and terminals that mean harm or are broken: what they say or hold reaches nobody unchecked."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import here
import pytest
from fake_engines.runs import environment, experiment, gauntlet, show

from harness.analysis import summary
from harness.errors import BadInput
from harness.journal.journal import Reader
from harness.report import pgn
from harness.report import write as report
from harness.tables import summaries as tables

SHORT = "[experiment]\nmax_moves = 4\npatience = 60\nconcurrency = 2\ngames = 4\ndepth = 3\n"


def played(folder: Path, **engines: str) -> tuple[Path, subprocess.CompletedProcess[str]]:
    spec = experiment(folder, SHORT, **engines)
    return folder / "out", gauntlet("run", spec, "--out", folder / "out")


def readable(out: Path) -> None:
    """Whatever reads a run can read this one."""
    json.dumps(summary.read(out)[1].as_json(), allow_nan=False)
    with Reader(out) as reader:
        assert "\x1b" not in "".join(pgn.games(reader))
    (page,) = report.write(out)
    assert page.stat().st_size < 3_000_000
    assert report.write(out, form="md")[0].stat().st_size < 3_000_000


# What engines say -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    ["deep=9000", "boast=25", "boast=5000", "modest", "score=99999999999999999999999999", "name=" + "N" * 60000],
)
@pytest.mark.parametrize("uci", ["", "uci "])
def test_what_no_search_can_mean_is_not_believed(tmp_path: Path, words: str, uci: str) -> None:
    out, done = played(tmp_path, a=uci + words, b="seed=2")
    assert done.returncode == 0 and "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
    found = show(out)
    assert (found["played"], found["reasons"]) == (4, {"move-limit": 4}), (out / "run.log").read_text()
    readable(out)
    assert (out / "games.db").stat().st_size < 500_000 and (out / "run.log").stat().st_size < 20_000


@pytest.mark.parametrize("uci", ["", "uci "])
def test_what_an_engine_says_moves_no_cursor(tmp_path: Path, uci: str) -> None:
    out, done = played(tmp_path, a=uci + "escape", b="seed=2")
    assert done.returncode == 1 and show(out)["reasons"] == {"protocol": 4}
    for text in (done.stdout, done.stderr, (out / "run.log").read_text()):
        assert "\x1b" not in text and "\x07" not in text and "y" * 600 not in text
    assert "\x1b[2J" in next((out / "faults").iterdir()).read_text()  # evidence stays as it was
    readable(out)


def test_a_long_line_is_cut_in_the_evidence(tmp_path: Path) -> None:
    out, done = played(tmp_path, a="longline=60000 illegal", b="seed=2")
    assert done.returncode == 1
    fault = next((out / "faults").iterdir()).read_text()
    assert "x" * 3900 in fault and len(fault) < 20_000
    readable(out)


# Broken folders -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run."""
    folder = tmp_path_factory.mktemp("whole")
    out, done = played(folder, a="seed=1", b="uci seed=2")
    assert done.returncode == 0
    return out


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "copy"))


def harm(folder: Path, statement: str) -> None:
    with sqlite3.connect(folder / "games.db") as db:
        db.execute(statement)
    db.close()


@pytest.mark.parametrize(
    "blob", ["x'00'", "NULL", "x'789c030000000001'", "substr(moves, 1, 20)", "'text'", "zeroblob(9)"]
)
def test_a_damaged_game_is_named_and_played_again(copy: Path, blob: str) -> None:
    before = here.gauntlet("pgn", copy).stdout
    if blob == "NULL":
        harm(copy, "DELETE FROM moves WHERE id = 3")
    else:
        harm(copy, f"UPDATE moves SET moves = {blob} WHERE id = 3")
        for read in (report.write, tables.print_show, lambda folder: list(pgn.games(Reader(folder)))):
            with pytest.raises(BadInput, match=r"games\.db: game 3 is damaged; gauntlet resume .* plays it again$"):
                read(copy)
        assert here.gauntlet("pgn", copy).returncode == 2
    done = gauntlet("resume", copy)
    assert done.returncode == 0 and "1 damaged games were dropped" in done.stderr, done.stderr
    after = here.gauntlet("pgn", copy).stdout

    def moves(text: str) -> list[str]:
        return re.findall(r"\b[KQRBNOa-h][\w=+#x-]*(?= \{)", text)

    assert after.count("[GameId") == 4 and moves(after) == moves(before)
    assert gauntlet("resume", copy).stderr == ""


def test_a_result_that_was_changed_is_noticed_and_the_game_played_again(copy: Path) -> None:
    before = show(copy)
    harm(copy, "UPDATE games SET result = '0-1', reason = 'mate' WHERE id = 2")
    for word in ("show", "report", "pgn"):
        done = here.gauntlet(word, copy)
        assert done.returncode == 2 and "game 2 is damaged" in done.stderr, (word, done.stderr)
    assert gauntlet("resume", copy).returncode == 0
    assert (show(copy)["reasons"], show(copy)["played"]) == (before["reasons"], 4)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE runs SET ended = 'x'",
        "UPDATE runs SET began = x'00ff'",
        "INSERT INTO verdict VALUES (0, 1, 'x', 'y', 2.0)",
        "INSERT INTO failed VALUES (1, 'a', 1, 0.0, '', '')",
    ],
)
def test_a_note_of_the_wrong_kind_is_one_line_and_resume_gets_past_it(copy: Path, statement: str) -> None:
    harm(copy, statement)
    assert "is damaged" in here.refusal("show", copy)
    done = gauntlet("resume", copy)
    assert done.returncode == 0 and show(copy)["played"] == 4, done.stderr


@pytest.mark.parametrize("keep", [0.3, 0.7, 0.97])
def test_a_torn_file_is_mended_by_resume(copy: Path, keep: float) -> None:
    size = (copy / "games.db").stat().st_size
    os.truncate(copy / "games.db", int(size * keep))
    for read in (tables.print_show, report.write, lambda folder: list(pgn.games(Reader(folder)))):
        with contextlib.suppress(BadInput):  # and nothing else
            read(copy)
    done = gauntlet("resume", copy)
    assert "Traceback" not in done.stderr
    if done.returncode == 2:
        # What says which run this is was cut off.
        assert "damaged beyond repair" in done.stderr and keep < 0.9
    else:
        assert done.returncode == 0, done.stderr
        assert show(copy)["played"] == 4


@pytest.mark.parametrize(
    "screen",
    ["{", "[]", "{}", '{"variants": [{}]}', '{"depth": 9, "positions": 1, "base": "b", "variants": [{"name": "a"}]}']
    + ['{"depth": null, "positions": 1, "base": "b", "variants": []}', "[" * 20000]
    + ['{"depth": 9.5, "positions": 1, "base": "b", "variants": []}']
    + ['{"depth": 9, "positions": 1, "base": "b", "variants": [], "base_figures": {"name": "b", "nodes": "many"}}']
    + [
        f'{{"depth": 9, "positions": 1, "base": "b", "variants": [{{"name": "a", "error": 1, "low": 1, "high": 1, {more}}}]}}'
        for more in ('"ratio": -1', '"ratio": 1, "cut_index": []', '"ratio": 1, "time_low": "2"')
    ],
)
def test_a_damaged_node_screen_is_named(copy: Path, screen: str) -> None:
    (copy / "screen.json").write_text(screen)
    for read in (tables.print_show, report.write):
        with pytest.raises(BadInput, match=r"screen\.json: is not the JSON of a node screen"):
            read(copy)


# Where reports go -----------------------------------------------------------------------------------------------------


def test_a_report_to_a_pipe_or_a_link_puts_no_file_in_its_place(copy: Path, tmp_path: Path) -> None:
    pipe, link, target = tmp_path / "pipe", tmp_path / "link", tmp_path / "target"
    os.mkfifo(pipe)
    target.write_text("old")
    link.symlink_to(target)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    assert here.gauntlet("report", copy, "--out", pipe).returncode == 0
    reader.join(60)
    assert heard[0].startswith("<!DOCTYPE html>") and pipe.is_fifo()
    assert here.gauntlet("report", copy, "--out", link).returncode == 0
    assert link.is_symlink() and target.read_text().startswith("<!DOCTYPE html>")


def test_names_and_signs_that_a_terminal_cannot_spell(copy: Path, tmp_path: Path) -> None:
    line = [sys.executable, "-m", "harness.cli"]
    done = subprocess.run(
        [*line, "show", str(copy)], env={**environment(), "PYTHONIOENCODING": "ascii"}, capture_output=True
    )
    assert done.returncode == 0 and b"Traceback" not in done.stderr and b"a vs b" in done.stdout
    odd = os.fsencode(tmp_path) + b"/odd-\xff"
    shutil.copytree(copy, os.fsdecode(odd))
    done = subprocess.run(
        [os.fsencode(word) for word in line] + [b"report", odd], env=environment(), capture_output=True
    )
    assert (done.returncode, done.stdout) == (0, odd + b"/report.html\n"), done.stderr
    done = subprocess.run(
        [os.fsencode(word) for word in line] + [b"show", odd + b"\xfe"], env=environment(), capture_output=True
    )
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and odd + b"\xfe" in done.stderr


def test_a_replay_counts_games_that_kill_what_replays_them(copy: Path) -> None:
    text = (copy / "experiment.toml").read_text()
    assert "seed=2" in text
    harm(copy, "UPDATE meta SET value = replace(value, 'seed=2', 'murder=1') WHERE key = 'experiment'")
    done = gauntlet("verify", copy, "--concurrency", "2")
    assert done.returncode == 1 and "0 games replayed move for move, 4 differ" in done.stdout, done.stdout
    assert done.stdout.count("3 slots died of it now") == 4
