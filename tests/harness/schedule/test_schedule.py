"""The schedule: ids, colours, openings, and the tournaments that go by rounds, played with made-up results."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.books import openings
from harness.model import Job
from harness.schedule import jobs as schedule
from harness.schedule import rounds as tournaments
from harness.schedule.pairing import pairings_of
from harness.spec import reader as experiment
from harness.spec.settings import Experiment
from harness.tables import fields

BOOK = "".join(f"4k3/8/8/8/8/8/{n}P{7 - n}/4K3 w - -\n".replace("0", "") for n in range(8))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("schedule")
    (found / "book.epd").write_text(BOOK)
    return found


def plan(folder: Path, kind: str, players: int, games: int, more: str = "", openings: str = "") -> Experiment:
    text = f'[experiment]\nkind = "{kind}"\ngames = {games}\n{more}[openings]\nfile = "book.epd"\n{openings}\n'
    text += "".join(f'[engines.p{n}]\ncommand = "python3"\n' for n in range(players))
    return experiment.parse(text, "x.toml", folder)


def test_pairings_are_seen_from_the_earlier_player(folder: Path) -> None:
    found = plan(folder, "gauntlet", 3, 2, more='base = "p1"\n')
    assert [(pairing.a, pairing.b) for pairing in pairings_of(found)] == [(0, 1), (1, 2)]
    assert len(pairings_of(plan(folder, "roundrobin", 4, 2))) == 6
    assert len(pairings_of(plan(folder, "match", 2, 2))) == 1


def test_where_every_pairing_repeats_a_meeting_the_last_sits_out() -> None:
    table = tournaments._Standings.empty(5)
    for a in range(5):
        for b in range(a):
            table.meet(a, b)
    table.byes.append(4)
    assert tournaments._swiss_round([2, 0, 1, 3, 4], table, first=False) == ([(2, 0), (1, 4)], 3)


@pytest.mark.parametrize("order", ["random", "sequential"])
@pytest.mark.parametrize(("kind", "players"), [("gauntlet", 4), ("roundrobin", 3), ("match", 2)])
def test_static_schedule(folder: Path, kind: str, players: int, order: str) -> None:
    found = plan(folder, kind, players, 20, openings=f'order = "{order}"')
    jobs = list(schedule.jobs(found))
    couples = pairings_of(found)
    assert [job.id for job in jobs] == list(range(1, schedule.scheduled(found) + 1))
    by_pair: dict[tuple[int, int], list[Job]] = {}
    for job in jobs:
        by_pair.setdefault((job.pairing, job.pair), []).append(job)
        assert {job.white, job.black} == {couples[job.pairing].a, couples[job.pairing].b}
    for first, second in by_pair.values():
        assert second.id == first.id + 1 and (first.leg, second.leg) == (1, 2)
        assert (first.white, first.black) == (second.black, second.white) and first.opening == second.opening
    for pair in range(1, 11):  # pair n has one opening in every pairing
        assert len({by_pair[index, pair][0].opening for index in range(len(couples))}) == 1
    used = [by_pair[0, pair][0].opening for pair in range(1, 11)]
    assert len(set(used[:8])) == 8  # eight openings: none comes again before all have been used
    assert list(schedule.jobs(found)) == jobs


@pytest.mark.parametrize("kind", ["gauntlet", "roundrobin", "swiss", "knockout", "league"])
def test_a_sequential_order_begins_with_the_opening_that_is_asked_for(folder: Path, kind: str) -> None:
    found = plan(folder, kind, 4, 4, openings='order = "sequential"\nstart = 3')
    book = openings.read(found.openings.file)
    first, *_ = schedule.jobs(found)
    assert first.opening == book[2]
    assert next(job for job in schedule.jobs(found) if job.pair == 2).opening == book[3]


def play(found: Experiment, strength: list[float], seed: int, limit: int = 10_000) -> tuple[dict[int, str], list[Job]]:
    """Play a tournament out with random results, asking for more jobs whenever all are played."""
    rng = random.Random(seed)
    results: dict[int, str] = {}
    while True:
        jobs = list(schedule.jobs(found, results))
        assert [job.id for job in jobs] == list(range(1, len(jobs) + 1))
        fresh = [job for job in jobs if job.id not in results]
        if not fresh:
            return results, jobs
        assert len(jobs) < limit
        rng.shuffle(fresh)
        for job in fresh:
            edge = strength[job.white] - strength[job.black]
            results[job.id] = rng.choices(["1-0", "1/2-1/2", "0-1"], [1 + max(edge, 0), 1, 1 + max(-edge, 0)])[0]


def standings(found: Experiment, results: Mapping[int, str]) -> list[list[int]]:
    """The players best first, as they stand now: one list, of a league one a division."""
    return [[player for player, _ in group] for group in tournaments.stages(found, results)[-1].groups]


@settings(max_examples=25, deadline=None)
@given(players=st.integers(2, 9), seed=st.integers(0, 10**6))
def test_swiss(folder: Path, players: int, seed: int) -> None:
    found = plan(folder, "swiss", players, 2)
    results, jobs = play(found, [float(players - n) for n in range(players)], seed)
    rounds = found.tournament.rounds
    assert len(jobs) == schedule.scheduled(found, results) == rounds * (players // 2) * 2
    meetings = Counter(job.pairing for job in jobs)
    assert set(meetings.values()) == {2}, "nobody meets anyone twice"
    games = Counter(player for job in jobs for player in (job.white, job.black))
    assert all(2 * (rounds - 1) <= games[player] <= 2 * rounds for player in range(players))
    (order,) = standings(found, results)
    assert sorted(order) == list(range(players))


@settings(max_examples=25, deadline=None)
@given(players=st.integers(2, 9), seed=st.integers(0, 10**6), tiebreaks=st.integers(0, 2))
def test_knockout(folder: Path, players: int, seed: int, tiebreaks: int) -> None:
    found = plan(folder, "knockout", players, 2, openings=f"[tournament]\ntiebreaks = {tiebreaks}")
    results, jobs = play(found, [3.0] * players, seed)
    assert schedule.scheduled(found, results) == len(jobs)
    met = {job.pairing for job in jobs}
    assert len(met) == players - 1, "everyone but the winner loses one match"
    (order,) = standings(found, results)
    assert sorted(order) == list(range(players))


def test_knockout_keeps_the_best_apart(folder: Path) -> None:
    """With the better seed winning every game, seeds 0 and 1 meet last."""
    found = plan(folder, "knockout", 8, 2)
    results: dict[int, str] = {}
    while fresh := [job for job in schedule.jobs(found, results) if job.id not in results]:
        for job in fresh:
            results[job.id] = "1-0" if job.white < job.black else "0-1"
    jobs = list(schedule.jobs(found, results))
    rounds = [
        {tuple(sorted((job.white, job.black))) for job in jobs[start:end]} for start, end in ((0, 8), (8, 12), (12, 14))
    ]
    assert rounds == [{(0, 7), (3, 4), (1, 6), (2, 5)}, {(0, 3), (1, 2)}, {(0, 1)}]
    assert standings(found, results)[0][:4] == [0, 1, 2, 3]
    assert [stage.title for stage in tournaments.stages(found, results)] == ["quarter-finals", "semi-finals", "final"]
    (line,) = fields.standing_lines(found, results)
    assert line.startswith("standings, final: 1 p0 (6), 2 p1 (4), 3 p2 (2), 4 p3 (2), 5 p4 (0)")


def test_points_of_a_knockout_round_in_play_are_those_of_all_its_games(folder: Path) -> None:
    found = plan(folder, "knockout", 4, 2)
    results = {
        job.id: "1-0" for job in schedule.jobs(found) if job.white == 2
    }  # another couple has not finished a game
    assert fields.standing_lines(found, results) == [
        "standings, semi-finals (in play): 1 p0 (0), 2 p1 (0), 3 p2 (1), 4 p3 (0)"
    ]


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), promote=st.integers(0, 1))
def test_league(folder: Path, seed: int, promote: int) -> None:
    rows = 'divisions = [["p0", "p1", "p2"], ["p3", "p4", "p5", "p6"], ["p7", "p8"]]'
    found = plan(folder, "league", 9, 2, openings=f"[tournament]\n{rows}\nseasons = 3\npromote = {promote}")
    results, jobs = play(found, [float(9 - n) for n in range(9)], seed)
    assert len(jobs) == schedule.scheduled(found) == 3 * (3 + 6 + 1) * 2
    first = jobs[:20]
    assert {frozenset((job.white, job.black)) for job in first if job.white >= 7 or job.black >= 7} == {
        frozenset((7, 8))
    }
    colours = Counter((job.white, job.black) for job in first)
    assert set(colours.values()) == {1}, "a double round robin: each couple once with either colour"
    order = standings(found, results)
    assert [len(division) for division in order] == [3, 4, 2]
    if not promote:
        assert [sorted(division) for division in order] == [[0, 1, 2], [3, 4, 5, 6], [7, 8]]


def test_who_is_level_in_a_league_stays_where_the_file_or_the_season_before_had_it(folder: Path) -> None:
    found = plan(folder, "league", 4, 2, openings='[tournament]\ndivisions = [["p3", "p0"], ["p2", "p1"]]\nseasons = 2')
    results: dict[int, str] = {}
    while fresh := [job for job in schedule.jobs(found, results) if job.id not in results]:
        results.update((job.id, "1/2-1/2") for job in fresh)
    # p3 and p2 are first of their divisions; p0 and p2 change places, and then p2 has come in last.
    assert standings(found, results) == [[3, 2], [0, 1]]


def test_promotion_and_relegation(folder: Path) -> None:
    """The weaker division's first changes places with the stronger one's last, as often as there are seasons."""
    found = plan(folder, "league", 4, 2, openings='[tournament]\ndivisions = [["p0", "p1"], ["p2", "p3"]]\nseasons = 2')
    results: dict[int, str] = {}
    while fresh := [job for job in schedule.jobs(found, results) if job.id not in results]:
        for job in fresh:
            results[job.id] = "1-0" if job.white > job.black else "0-1"  # the later, the stronger
    second = {frozenset((job.white, job.black)) for job in list(schedule.jobs(found, results))[4:]}
    assert second == {frozenset((1, 3)), frozenset((0, 2))}
    assert standings(found, results) == [[3, 1], [2, 0]]
    del results[6], results[7], results[8]
    assert fields.standing_lines(found, results) == [
        "season 1 of 2, division 1: 1 p1 (2), 2 p0 (0)",
        "season 1 of 2, division 2: 1 p3 (2), 2 p2 (0)",
        "season 2 of 2 (in play), division 1: 1 p3 (1), 2 p1 (0)",
        "season 2 of 2 (in play), division 2: 1 p0 (0), 2 p2 (0)",
    ]


def test_unplayed_games_do_not_stop_a_tournament(folder: Path) -> None:
    found = plan(folder, "swiss", 4, 2)
    results = {job.id: "*" for job in schedule.jobs(found)}
    assert len(list(schedule.jobs(found, results))) == 8


def test_more_pairs_than_openings_are_told_where_games_repeat(folder: Path) -> None:
    """The book of these tests has eight openings."""
    fixed = "nodes = 100\n"
    said = schedule.repetition(plan(folder, "gauntlet", 2, 18, fixed))
    assert said is not None and said.startswith("9 pairs from 8 openings") and schedule.MANY in said
    assert schedule.repetition(plan(folder, "gauntlet", 2, 16, fixed)) is None
    assert schedule.repetition(plan(folder, "gauntlet", 2, 18)) is None, "on the clock games differ"
    assert schedule.repetition(plan(folder, "swiss", 4, 4, fixed)) is None
    single = fixed + "paired = false\n"
    said = schedule.repetition(plan(folder, "match", 2, 9, single))
    assert said is not None and said.startswith("9 games from 8 openings")
    assert schedule.repetition(plan(folder, "match", 2, 8, single)) is None
    small = folder / "small"
    small.mkdir()
    (small / "book.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    said = schedule.repetition(plan(small, "match", 2, 9, single))
    assert said is not None and said.startswith("9 games from 1 opening:")


def test_the_shipped_openings_for_long_runs(folder: Path) -> None:
    """More lines than any shipped experiment has pairs of a pairing, no position twice."""
    text = f'[experiment]\ngames = 2\nnodes = 1\n[openings]\nfile = "{schedule.MANY}"\n'
    text += "".join(f'[engines.p{n}]\ncommand = "python3"\n' for n in range(2))
    found = openings.read(experiment.parse(text, "x.toml", folder).openings.file, None, False)
    assert len(found) > 10_000 and all(len(one.moves) >= 9 for one in found)
    for name in experiment.shipped_experiments():
        one = experiment.load(experiment.find(name))
        assert schedule.repetition(one) is None, name
