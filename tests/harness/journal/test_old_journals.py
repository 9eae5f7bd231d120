"""Journals of earlier versions: read as they are, and gone on with."""

from __future__ import annotations

import gzip
import re
import shlex
import sqlite3
from pathlib import Path

import here
import pytest
from fake_engines import command
from fake_engines.runs import book, gauntlet, show

from harness.journal.journal import Journal, Reader

JOURNALS = Path(__file__).parents[2] / "support" / "journals"


def unpacked(folder: Path, name: str, **engines: str) -> Path:
    """A results folder with the journal of an earlier version; `engines` gives what plays under a name from now on."""
    out = folder / "out"
    out.mkdir()
    (out / "games.db").write_bytes(gzip.decompress((JOURNALS / f"{name}.db.gz").read_bytes()))
    with sqlite3.connect(out / "games.db") as db:
        (text,) = db.execute("SELECT value FROM meta WHERE key = 'experiment'").fetchone()
        # The programs and the book of that time are gone.
        text = re.sub(r'file = ".*"\n', f'file = "{book(folder)}"\n', text)
        for player, words in engines.items():
            line = shlex.join(command(*words.removeprefix("uci ").split(), uci=words.startswith("uci ")))
            text = re.sub(rf'(\[engines\.{player}\]\ncommand = ").*"', rf'\g<1>{line}"', text)
        db.execute("UPDATE meta SET value = ? WHERE key = 'experiment'", (text,))
    return out


@pytest.mark.parametrize(("name", "games", "state"), [("format-1-match", 6, "done"), ("format-1-rounds", 3, "stopped")])
def test_a_journal_of_an_earlier_version_is_read(tmp_path: Path, name: str, games: int, state: str) -> None:
    out = unpacked(tmp_path, name)
    found = show(out)
    assert (found["played"], found["state"]) == (games, state)
    with Reader(out) as reader:
        assert [len(game.moves) for game in reader.games()] == [row.plies for row in reader.rows()]
    for words in (("pgn", out), ("report", out), ("show", out)):
        done = here.gauntlet(*words)
        assert done.returncode == 0, done.stderr


def test_a_finished_run_of_an_earlier_version_stays_as_it_is(tmp_path: Path) -> None:
    out = unpacked(tmp_path, "format-1-match")
    before = show(out)
    done = gauntlet("resume", out)
    assert done.returncode == 1 and done.stdout.splitlines()[-1] == f"results: {out}"
    assert show(out) == before


def test_a_journal_of_an_earlier_version_can_be_written(tmp_path: Path) -> None:
    journal = Journal(unpacked(tmp_path, "format-1-match"))
    journal.begin()
    journal.add_verdict(0, "H1", 3.0, 3)
    journal.end(0, True)
    journal.close()


def test_resume_can_be_made_to_take_over_from_another_host(tmp_path: Path) -> None:
    out = unpacked(tmp_path, "format-1-match", a="seed=1", b="uci seed=2")
    with sqlite3.connect(out / "games.db") as db:
        db.execute("UPDATE runs SET host = 'elsewhere', ended = NULL, complete = 0, began = unixepoch()")
        db.execute("DELETE FROM games WHERE id > 4")
        db.execute("DELETE FROM moves WHERE id > 4")
    refused = here.refusal("resume", out)
    assert "elsewhere" in refused and "--force" in refused
    assert show(out)["state"] == "running"
    assert gauntlet("resume", out, "--force").returncode == 1  # the crashes of four games stay
    assert (show(out)["played"], show(out)["state"]) == (6, "done")


def test_games_that_an_earlier_version_gave_up_in_memory_alone_stay_unplayed(tmp_path: Path) -> None:
    """Games 3 and 4 of the first round; the second was dealt without them, game 7 says so."""
    out = unpacked(tmp_path, "format-1-rounds", a="seed=1", b="seed=2", c="seed=3", d="seed=4")
    done = gauntlet("resume", out)
    assert done.returncode == 1, done.stderr
    with Reader(out) as reader:
        played = {row.id: (row.white, row.black) for row in reader.rows()}
        assert reader.given_up() == {3, 4}
    assert played == {1: (0, 2), 2: (2, 0), 5: (0, 1), 6: (1, 0), 7: (2, 3), 8: (3, 2)}
    assert "2 of 8 games were not played" in done.stdout
    found = show(out)
    assert (found["played"], found["scheduled"], found["state"]) == (6, 8, "done")
    assert gauntlet("resume", out).returncode == 1
