"""The list of claims on the terminal."""

from __future__ import annotations

import io
import itertools
import re

import pytest
from terminal import Screen

from harness.claims import catalogue, listing, register
from harness.claims.verdicts import VERDICTS


@pytest.mark.parametrize("columns", [80, 100, 132])
def test_the_first_table_has_every_claim_with_both_verdicts(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    for name, value in {"COLUMNS": str(columns), "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", screen := Screen())
    claims = catalogue.read().claims
    listing.print_all(claims, register.read())
    text = re.sub("\x1b[^m]*m", "", screen.getvalue())
    assert all(len(line) <= columns for line in text.splitlines())
    head = text.splitlines()[1]
    place = head.index("own engine"), head.index("today's Sortie")
    rows: dict[str, list[str]] = {}
    for line in itertools.takewhile(str.strip, text.splitlines()[3:]):
        if line[1:4].strip():
            rows[line[1:4].strip()] = row = ["", ""]
        row[0] = f"{row[0]} {line[4 : place[0]].strip()}".strip()
        row[1] = f"{row[1]} {line[place[0] : place[1]].strip()}".strip()
    assert list(rows) == [claim.id for claim in claims]
    for claim in claims:
        assert rows[claim.id][0] == claim.title
        assert rows[claim.id][1].split(" (")[0] in VERDICTS


def test_a_pipe_gets_each_claim_on_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("sys.stdout", pipe := io.StringIO())
    claims = catalogue.read().claims
    listing.print_all(claims, register.read())
    lines = pipe.getvalue().splitlines()
    for claim in claims:
        assert (
            sum(line.startswith(f" {claim.id} ") and claim.title in line and claim.author in line for line in lines)
            == 1
        )
