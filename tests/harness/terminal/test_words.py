"""Sentences for a terminal: no word broken, nothing lost, and not touched where a program reads them."""

from __future__ import annotations

import io
import os

import pytest
from terminal import Screen

from harness.errors import nearest, suggestion
from harness.tables.grid import console, say
from harness.terminal.words import folded, redraw

PATH = "/a/folder/" + "with-a-long-name/" * 6
TEXT = f"games.db: 3 damaged games were dropped; gauntlet resume {PATH} plays them again, and nothing else is lost"


@pytest.mark.parametrize("columns", [20, 50, 80, 200])
@pytest.mark.parametrize("hang", [0, 4, 30])
def test_no_word_is_broken_and_none_is_lost(monkeypatch: pytest.MonkeyPatch, columns: int, hang: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = folded(TEXT, Screen(), hang).split("\n")
    assert " ".join(lines).split() == TEXT.split()
    assert all(len(line) <= columns or line.split() == [PATH] for line in lines), lines
    indents = {len(line) - len(line.lstrip()) for line in lines[1:]}
    assert indents <= {hang if columns - hang >= 20 else 4}


def test_lines_of_a_text_stay_apart_and_a_pipe_gets_it_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert folded("one\n\n  two  spaces", Screen()) == "one\n\n  two  spaces"
    assert folded(TEXT, io.StringIO()) == TEXT


def test_a_sentence_beside_a_table_is_broken_likewise(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"COLUMNS": "50", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    say(console(), TEXT)
    assert screen.getvalue() == folded(TEXT, screen) + "\n"


def test_a_table_that_nobody_reads_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    inlet, outlet = os.pipe()
    os.close(inlet)
    with open(outlet, "w") as pipe:
        monkeypatch.setattr("sys.stdout", pipe)
        out = console()
        say(out, TEXT)
        say(out, TEXT)


def test_a_line_that_is_redrawn_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr("sys.stderr", screen := Screen())
    redraw(TEXT)
    assert screen.getvalue() == f"\r\x1b[K{TEXT[:49]}"
    monkeypatch.setattr("sys.stderr", pipe := io.StringIO())
    redraw(TEXT)
    assert pipe.getvalue() == f"{TEXT}\n"


def test_a_name_is_suggested_only_where_it_is_like_what_was_written() -> None:
    known = ["normalized", "logistic"]
    assert nearest("logistik", known) == suggestion("logistik", known) == ': did you mean "logistic"?'
    assert nearest("foo", known) == "" and suggestion("foo", known) == "; there are normalized and logistic"
    assert suggestion("foo", ["bar"]) == "; there is bar" and suggestion("foo", []) == "; there is none"
    assert suggestion("foo", [f"name-{n}" for n in range(99)]) == ""
