"""Journals of earlier versions: read as they are, and gone on with."""

from __future__ import annotations

import gzip
import re
import shlex
import sqlite3
from pathlib import Path

import pytest
from fake_engines import command
from fake_engines.runs import book, gauntlet, show

from harness.journal import Journal, Reader

JOURNALS = Path(__file__).with_name("journals")


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
        done = gauntlet(*words)
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
