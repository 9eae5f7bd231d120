"""Intervals by openings of a whole run."""

from __future__ import annotations

import random
from pathlib import Path

import synthetic
from click.testing import CliRunner

from harness.analysis.by_opening import by_opening
from harness.commands.results.show import command as show
from harness.journal.journal import Reader
from harness.model import MoveRecord
from harness.schedule import jobs as schedule


def test_a_run_that_repeats_itself_says_what_its_openings_say(tmp_path: Path) -> None:
    """Games of a run are those of its first pass through the book, again and again."""
    text = synthetic.TEXT.replace("games = 8", "games = 40")
    assert text != synthetic.TEXT
    found = synthetic.plan(tmp_path, text)
    won: dict[object, str] = {}
    games = []
    for job in schedule.jobs(found):
        key = (job.white, job.black, job.opening.moves)
        won.setdefault(key, random.Random(str(key)).choice(("1-0", "0-1", "1/2-1/2")))
        games.append(synthetic.record(job, won[key], moves=(MoveRecord(won[key], 1.0),)))
    synthetic.journal(tmp_path, found, games)
    openings = len({job.opening.moves for job in schedule.jobs(found)})
    with Reader(tmp_path) as reader:
        rows = by_opening(found, reader.rows())
    assert {row.openings for row in rows} == {openings} and openings < 20
    printed = " ".join(CliRunner().invoke(show, [str(tmp_path)], catch_exceptions=False).output.split())
    assert "from one opening as one sample" in printed and f"({openings} openings)" in printed
