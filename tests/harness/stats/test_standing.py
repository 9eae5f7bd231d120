"""Meetings that cannot change who is best, or the order of a field."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import synthetic
from paper_slots import work

from harness.analysis.summary import Summary, read
from harness.errors import BadInput
from harness.journal.journal import Reader
from harness.model import Job
from harness.spec import reader
from harness.stats.standing import best, known, needless, next_meeting, order
from harness.tables.fields import field_words

FOUR = list(combinations(range(4), 2))  # 01 02 03 12 13 23


def test_better_than_better_is_better() -> None:
    assert known(FOUR, {0: "stronger", 3: "stronger", 5: "weaker"}) == {0: {1, 2}, 1: {2}, 2: set(), 3: {2}}


@pytest.mark.parametrize(
    "verdicts, goal, expected",
    [
        ({}, "best", []),
        ({0: "stronger"}, "best", [3, 4]),
        ({0: "stronger", 1: "stronger", 2: "stronger"}, "best", [3, 4, 5]),
        ({0: "too small to matter"}, "best", []),
        ({0: "stronger", 3: "stronger"}, "order", [1]),
        ({0: "weaker"}, "order", []),
    ],
)
def test_what_need_not_be_played(verdicts: dict[int, str], goal: str, expected: list[int]) -> None:
    assert needless(FOUR, verdicts, goal) == expected


def test_the_next_games_are_the_leaders_or_those_of_neighbours() -> None:
    strong = [(10.0 + number, 40) for number in range(6)]  # player 3 leads, then 2, 1, 0
    assert next_meeting(FOUR, strong, [20, 20, 19, 20, 20, 20], range(6), "best") == 2
    assert next_meeting(FOUR, strong, [21, 20, 25, 20, 24, 26], range(6), "best") == 4
    assert next_meeting(FOUR, strong, [21, 20, 25, 20, 24, 26], [0, 1, 3], "best") == 1
    assert next_meeting(FOUR, strong, [23, 20, 20, 24, 20, 25], range(6), "order") == 0


def test_every_limit_of_a_sweep_has_a_leader_of_its_own(tmp_path: Path) -> None:
    """Players at one limit never meet those at another."""
    twice = FOUR + [(a + 4, b + 4) for a, b in FOUR]
    points = [(10.0 + number, 40) for number in range(6)] + [(22.0 - number / 2, 40) for number in range(6)]
    # At the first limit player 3 leads, at the second player 4, who has fewer points than 3.
    assert next_meeting(twice, points, [20] * 12, range(12), "best", 2) == 2
    assert next_meeting(twice, points, [20] * 5 + [25] + [21] + [20] * 5, range(12), "best", 2) == 7

    text = field(tmp_path, "best") + "[sweep]\nnodes = [10, 20]\n"
    found = reader.parse(text, "x.toml", tmp_path)
    synthetic.journal(tmp_path, found, [])
    work(found, tmp_path, lambda job: "1-0" if (job.white < 4) == (job.white > job.black) else "0-1")
    _, summary, _ = read(tmp_path)
    assert field_words(found, summary) == "The best is p3@10. The best is p0@20"


def test_known_answers() -> None:
    assert best({0: {1, 2}, 1: set(), 2: set()}) == 0 and order({0: {1, 2}, 1: set(), 2: set()}) == []
    assert best({0: {1}, 1: set(), 2: set()}) is None and order({0: {2}, 1: {0, 2}, 2: set()}) == [1, 0, 2]


def test_of_those_who_beat_each_other_in_a_circle_none_is_the_best(tmp_path: Path) -> None:
    circle = {0: "stronger", 1: "weaker", 3: "stronger"}  # 0 beats 1, 1 beats 2, 2 beats 0; of 3 nothing is known
    assert best(known(FOUR, circle)) is None and order(known(FOUR, circle)) == []
    every = circle | {2: "stronger", 4: "stronger", 5: "stronger"}
    assert best(known(FOUR, every)) is None and order(known(FOUR, every)) == []
    found = reader.parse(field(tmp_path, "best"), "x.toml", tmp_path)
    for verdicts in (circle, every):
        pairings = [
            SimpleNamespace(a=f"p{a}", b=f"p{b}", worth=verdicts.get(number)) for number, (a, b) in enumerate(FOUR)
        ]
        said = field_words(found, cast(Summary, SimpleNamespace(played=9, pairings=pairings)))
        assert said == "Who is the best is open, as some beat each other in a circle"


def field(folder: Path, until: str, kind: str = "roundrobin", more: str = "") -> str:
    (folder / "book.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    text = f'[experiment]\nkind = "{kind}"\ngames = 2000\nconcurrency = 2\n[openings]\nfile = "book.epd"\n'
    text += f'[decide]\nwithin = 5\nuntil = "{until}"\n{more}'
    return text + "".join(f'[engines.p{n}]\ncommand = "python3"\n' for n in range(4))


@pytest.mark.parametrize("confidence", ["", "confidence = 0.95\n"])
@pytest.mark.parametrize("until, ordered", [("best", False), ("order", True)])
def test_games_go_where_they_decide(tmp_path: Path, until: str, ordered: bool, confidence: str) -> None:
    found = reader.parse(field(tmp_path, until, more=confidence), "x.toml", tmp_path)
    synthetic.journal(tmp_path, found, [])
    rng = random.Random(5)
    strength = [0.0, 0.35, 0.7, 1.05]

    def play(job: Job) -> str:
        edge = 0.5 + (strength[job.white] - strength[job.black]) / 3
        draw = rng.random()
        return "1-0" if draw < edge - 0.1 else "1/2-1/2" if draw < edge + 0.1 else "0-1"

    session = work(found, tmp_path, play)
    assert session.status() == 0 and session.tally.missing() == 0
    verdicts = {index: row.verdict or "" for index, row in enumerate(session.tally.rows)}
    below = known(FOUR, verdicts)
    if ordered:
        assert below == {0: set(), 1: {0}, 2: {0, 1}, 3: {0, 1, 2}}
    else:
        assert set().union(*below.values()) == {0, 1, 2}
        assert "not needed" in verdicts.values()
    with Reader(tmp_path) as journal:
        assert {index: one.verdict for index, one in journal.verdicts().items()} == verdicts
    played = session.tally.played
    again = work(found, tmp_path, play)
    assert again.tally.played == played < 12_000


def test_who_does_not_meet_cannot_be_ordered(tmp_path: Path) -> None:
    for until, message in (("best", 'needs kind "roundrobin"'), ("worst", "until must be all, best or order")):
        with pytest.raises(BadInput, match=message):
            reader.parse(field(tmp_path, until, "gauntlet"), "x.toml", tmp_path)
