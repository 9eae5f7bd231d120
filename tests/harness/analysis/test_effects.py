"""Factorials: every game counts for every variant, from the side that has its change; tests go by whole rounds."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import synthetic
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis import summary as summaries
from harness.analysis.by_opening import by_opening
from harness.analysis.tally import Effects
from harness.errors import BadInput
from harness.journal.journal import Reader
from harness.journal.record import pack
from harness.model import GameRecord, Job
from harness.schedule import jobs as schedule
from harness.schedule.pairing import pairings_of
from harness.spec import reader
from harness.spec.settings import Experiment
from harness.stats import design
from harness.stats import elo as stats

TEXT = f"""
[experiment]
name = "parts"
kind = "factorial"
games = 32
nodes = 100
[base]
command = {synthetic.FAKE!r}
[variants.lmr-off]
LMR = "off"
[variants.history-off]
History = "off"
[variants.killers-off]
Killers = "0"
[variants.tt-off]
TT = false
[openings]
file = "book.tsv"
"""
VARIANTS = ["lmr-off", "history-off", "killers-off", "tt-off"]


def plan(folder: Path, text: str = TEXT) -> Experiment:
    synthetic.plan(folder)
    return reader.parse(text, "parts.toml", folder)


def has(experiment: Experiment, player: int, variant: int) -> bool:
    """Whether a player of the matches plays with the change of a variant."""
    first = experiment.entrants[variant].options[0]
    return first in experiment.players[player].options


def test_each_change_is_on_one_side_of_each_match_only(tmp_path: Path) -> None:
    experiment = plan(tmp_path)
    assert [player.name for player in experiment.players] == ["1A", "1B", "2A", "2B", "3A", "3B", "4A", "4B"]
    for couple in pairings_of(experiment):
        for variant in range(4):
            assert has(experiment, couple.a, variant) is not has(experiment, couple.b, variant)
            assert has(experiment, couple.a, variant) is design.has(couple.index, variant)
    assert synthetic.comes_back(experiment, tmp_path)


def lost_with(variant: int, experiment: Experiment, job: Job) -> GameRecord:
    """The side that has the change loses."""
    return synthetic.record(job, "0-1" if has(experiment, job.white, variant) else "1-0")


def test_every_game_counts_for_every_variant(tmp_path: Path) -> None:
    experiment = plan(tmp_path)
    jobs = list(schedule.jobs(experiment))
    assert len(jobs) == schedule.scheduled(experiment) == 32
    synthetic.journal(tmp_path, experiment, [lost_with(1, experiment, job) for job in jobs])
    _, summary, _ = summaries.read(tmp_path)
    rows = {row.a: row for row in summary.pairings}
    assert list(rows) == VARIANTS and {row.b for row in summary.pairings} == {"base"}
    assert all((row.played, row.scheduled, row.unpaired) == (32, 32, 0) for row in summary.pairings)
    assert rows["history-off"].pentanomial == [16, 0, 0, 0, 0]
    # The others stood as often beside the one that matters as against it.
    for name in VARIANTS:
        if name != "history-off":
            assert rows[name].pentanomial == [8, 0, 0, 0, 8] and rows[name].elo == 0.0
    assert summary.matches is not None
    assert [(match.a, match.b, match.played) for match in summary.matches] == [
        (f"{n}A", f"{n}B", 8) for n in range(1, 5)
    ]
    assert all(player.elo is None for player in summary.players)


@settings(max_examples=50)
@given(st.lists(st.integers(-40, 40), min_size=4, max_size=4))
def test_the_worth_of_each_is_found_whatever_the_others_are_worth(worth: list[int]) -> None:
    """Pairs whose mean score is that of the difference between both sides, in thousandths."""
    total = [0, 0, 0, 0]
    for match in range(4):
        gain = sum(w if design.has(match, variant) else -w for variant, w in enumerate(worth))
        for variant in range(4):
            total[variant] += gain if design.has(match, variant) else -gain
    assert total == [4 * w for w in worth]


SPRT = TEXT.replace("games = 32", "games = 1600") + "[sprt]\nelo0 = -60\nelo1 = 0\nmodel = 'logistic'\n"


def fed(experiment: Experiment, games: list[GameRecord]) -> tuple[Effects, list[tuple[int, str, float]]]:
    """The counts after these games in this order, and the verdicts as a run would have given them."""
    effects = Effects(experiment)
    couples = pairings_of(experiment)
    assert experiment.sprt is not None
    lower, upper = stats.bounds()
    verdicts = []
    for game in games:
        row = pack(game).row
        points = row.points
        assert points is not None
        changed = effects.add(row.pairing, row.pair, points if row.white == couples[row.pairing].a else 1 - points)
        for one in changed:
            llr = one.llr(experiment.sprt)
            if one.verdict is None and not lower < llr < upper:
                one.verdict = "H1" if llr >= upper else "H0"
                verdicts.append((one.pairing.index, one.verdict, round(llr, 9)))
    return effects, verdicts


def test_verdicts_do_not_depend_on_which_games_end_first(tmp_path: Path) -> None:
    experiment = plan(tmp_path, SPRT)
    chance = random.Random(1)
    games = []
    for job in schedule.jobs(experiment):
        weaker = has(experiment, job.white, 0)
        likely = ["0-1"] * 3 if weaker else ["1-0"] * 3
        games.append(synthetic.record(job, chance.choice([*likely, "1-0", "0-1", "1/2-1/2", "1/2-1/2"])))
    effects, verdicts = fed(experiment, games)
    assert (0, "H0") in [verdict[:2] for verdict in verdicts] and len(verdicts) == 4
    assert effects.decided(0) and effects.decided(3)
    late = sorted(games, key=lambda game: (game.job.id // 40, chance.random()))
    assert fed(experiment, late)[1] == verdicts


def test_a_half_round_is_not_tested(tmp_path: Path) -> None:
    experiment = plan(tmp_path, SPRT)
    games = [lost_with(0, experiment, job) for job in schedule.jobs(experiment)]
    effects, _ = fed(experiment, games[:7])
    assert effects.rows[0].played == 7 and effects.rows[0].tested == [0] * 5
    effects, _ = fed(experiment, games[:8])
    assert effects.rows[0].tested == effects.rows[0].pairs == [4, 0, 0, 0, 0]


def test_a_factorial_at_each_limit_has_a_curve_for_each_variant(tmp_path: Path) -> None:
    text = TEXT.replace("nodes = 100\n", "") + "[sweep]\nnodes = [100, 400]\n"
    experiment = plan(tmp_path, text)
    assert len(experiment.players) == 16 and schedule.scheduled(experiment) == 64
    assert {player.limit.nodes for player in experiment.players[8:]} == {400}

    def result(job: Job) -> GameRecord:
        # At the first limit the first variant loses all, at the second the third.
        block, first = (0, 0) if job.pairing < 4 else (8, 2)
        lost = design.has(job.pairing % 4, first) is ((job.white - block) % 2 == 0)
        return synthetic.record(job, "0-1" if lost else "1-0")

    synthetic.journal(tmp_path, experiment, [result(job) for job in schedule.jobs(experiment)])
    _, summary, _ = summaries.read(tmp_path)
    assert [row.a for row in summary.pairings[:5]] == [*(f"{name}@100" for name in VARIANTS), "lmr-off@400"]
    assert summary.pairings[0].pentanomial == [16, 0, 0, 0, 0] == summary.pairings[6].pentanomial
    assert summary.sweep is not None
    assert [(curve.a, curve.b) for curve in summary.sweep] == [(name, "base") for name in VARIANTS]
    assert [point.limit for point in summary.sweep[0].points] == [100, 400]
    assert summary.sweep[1].points[0].elo == 0.0
    assert synthetic.comes_back(experiment, tmp_path)


def mistake(folder: Path, text: str) -> str:
    try:
        plan(folder, text)
    except BadInput as bad:
        return str(bad)
    raise AssertionError("no mistake was found")


def test_mistakes(tmp_path: Path) -> None:
    def said(old: str, new: str) -> str:
        return mistake(tmp_path, TEXT.replace(old, new))

    assert said("games = 32", "games = 30") == (
        "parts.toml: [experiment] games must be a multiple of 8 (4 matches, each opening with both colours), "
        "like 24 or 32, not 30"
    )
    assert said('History = "off"', 'LMR = "oneply"') == (
        'parts.toml: [experiment] kind "factorial": lmr-off and history-off both change LMR, '
        "and one engine may have to play with both"
    )
    assert said('History = "off"', "") == "parts.toml: [variants.history-off] changes nothing of the base"
    assert "[variants.history-off] Preset: changes all" in said('History = "off"', 'Preset = "jazz"')
    assert "[variants.tt-off] init: in a factorial" in said("TT = false", 'TT = false\ninit = ["x"]')
    assert "[variants.tt-off] limit: in a factorial" in said("TT = false", "TT = false\nnodes = 3")
    assert "[variants.tt-off] margin: in a factorial" in said("TT = false", "TT = false\nmargin = 3")
    assert "takes variants of one engine" in said("[openings]", '[engines.x]\ncommand = "true"\n[openings]')
    assert said('"factorial"', '"factorail"').endswith('did you mean "factorial"?')
    assert "for 2 to 32 variants, not 1" in mistake(
        tmp_path, TEXT.split("[variants.history")[0].replace("games = 32", "")
    )


def test_a_factorial_by_openings(tmp_path: Path) -> None:
    """A variant's points are those of the side that has its change."""
    experiment = plan(tmp_path)
    games = [
        synthetic.record(job, "1-0" if has(experiment, job.white, 2) else "0-1") for job in schedule.jobs(experiment)
    ]
    synthetic.journal(tmp_path, experiment, games)
    with Reader(tmp_path) as reader:
        rows = by_opening(experiment, reader.rows())
    assert len(rows) == 4
    assert [row.outcome.elo for row in rows[:2] + rows[3:]] == [pytest.approx(0.0)] * 3
    assert rows[2].outcome.elo is None and rows[2].openings == 4
