"""Sweeps: the experiment at each limit, its games, its figures, its mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import synthetic
from reports import SCREEN

from harness.analysis import summary as summaries
from harness.analysis.screen_file import SCREEN_FILE
from harness.errors import BadInput
from harness.journal.journal import Journal
from harness.schedule import jobs as schedule
from harness.schedule.pairing import pairings_of
from harness.spec import reader
from harness.spec.settings import Experiment
from harness.tables import summaries as tables

TEXT = synthetic.TEXT.replace("nodes = 2000\n", "") + "[sweep]\nnodes = [100, 400, 1600]\n"


def plan(folder: Path, text: str = TEXT) -> Experiment:
    synthetic.plan(folder)
    return reader.parse(text, "sweep.toml", folder)


def test_the_experiment_is_played_at_each_limit(tmp_path: Path) -> None:
    experiment = plan(tmp_path)
    assert [player.name for player in experiment.players[:4]] == [
        "lmr-off@100",
        "tt-off@100",
        "base@100",
        "lmr-off@400",
    ]
    assert [player.limit.nodes for player in experiment.players] == [100] * 3 + [400] * 3 + [1600] * 3
    assert [(one.a, one.b) for one in pairings_of(experiment)] == [(0, 2), (1, 2), (3, 5), (4, 5), (6, 8), (7, 8)]
    jobs = list(schedule.jobs(experiment))
    assert [job.id for job in jobs] == list(range(1, 49)) and schedule.scheduled(experiment) == 48
    for pair in range(1, 5):
        assert len({job.opening for job in jobs if job.pair == pair}) == 1
    assert synthetic.comes_back(experiment, tmp_path)
    assert experiment.sortie_base is not None and experiment.sortie_base.name == "base"


def test_every_kind_without_rounds_can_be_swept(tmp_path: Path) -> None:
    robin = plan(tmp_path, TEXT.replace("games = 8", 'games = 8\nkind = "roundrobin"'))
    assert len(pairings_of(robin)) == 9
    with pytest.raises(BadInput, match='kind "swiss" cannot be played at the limits of a .sweep.'):
        plan(tmp_path, TEXT.replace("games = 8", 'games = 8\nkind = "swiss"'))


def test_clocks_are_swept_too(tmp_path: Path) -> None:
    experiment = plan(tmp_path, TEXT.replace("nodes = [100, 400, 1600]", 'time = ["0.5+0.005", "40/2"]'))
    assert [player.name for player in experiment.players[2:4]] == ["base@0.5+0.005", "lmr-off@40/2"]
    assert synthetic.comes_back(experiment, tmp_path)


def test_figures_at_each_limit(tmp_path: Path) -> None:
    experiment = plan(tmp_path)
    games = []
    for job in schedule.jobs(experiment):
        # The higher the limit the more the variants lose.
        lost = job.pairing // 2 > 0 and job.pair <= 1 + job.pairing // 2
        base_is_white = job.white % 3 == 2
        games.append(synthetic.record(job, ("1-0" if base_is_white else "0-1") if lost else "1/2-1/2"))
    synthetic.journal(tmp_path, experiment, games)
    timed = [row | {"time_ratio": 2.5, "time_error": 0.3} for row in SCREEN["variants"]]
    (tmp_path / SCREEN_FILE).write_text(json.dumps(SCREEN | {"variants": timed}))
    _, summary, screen = summaries.read(tmp_path)
    assert summary.sweep is not None
    assert [(curve.a, curve.b) for curve in summary.sweep] == [("lmr-off", "base"), ("tt-off", "base")]
    first, *more = summary.sweep[0].points
    assert (first.limit, first.size, first.played, first.elo) == (100, 100.0, 8, None)
    assert [point.limit for point in more] == [400, 1600]
    elos = [point.elo for point in more]
    assert elos[0] is not None and elos[1] is not None and 0 > elos[0] > elos[1]
    assert all(point.low is None or point.low < (point.elo or 0) for point in more)
    # The node screen knows no limits: its ratios belong to all of them.
    assert {pairing.nodes.ratio for pairing in summary.pairings[::2] if pairing.nodes} == {2.83}
    assert {row[3] for row in tables.final_table(summary, screen, experiment.sweep).rows} == {"2.50 ± 0.30"}
    assert all(player.elo is None for player in summary.players)
    said = json.loads(json.dumps(summary.as_json(), allow_nan=False))
    assert said["sweep"][1]["points"][2]["limit"] == 1600


@pytest.mark.parametrize(
    ("sweep", "said"),
    [
        ("", "[sweep] needs one of nodes = "),
        ('nodes = [1, 2]\ntime = ["1+0", "2+0"]', "[sweep] needs one of nodes = "),
        ("node = [1, 2]", '[sweep] unknown key "node": did you mean "nodes"?'),
        ("nodes = 100", "[sweep] nodes must be a list of 2 to 20 limits"),
        ("nodes = [100]", "[sweep] nodes must be a list of 2 to 20 limits"),
        ("nodes = [100, 0]", "[sweep] nodes must be 1 or more, not 0"),
        ("nodes = [100, 'x']", '[sweep] nodes must be a whole number, not "x"'),
        ("nodes = [400, 100]", "[sweep] nodes must grow from limit to limit"),
        (
            "time = ['1+0.01', 'fast']",
            '[sweep] time must be a string like "2+0.02" or "40/60+0.5" (seconds), not "fast"',
        ),
    ],
)
def test_mistakes(tmp_path: Path, sweep: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        plan(tmp_path, TEXT.replace("nodes = [100, 400, 1600]", sweep))
    assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("place", "name"),
    [("[experiment]", "[experiment]"), ("[variants.tt-off]", "[variants.tt-off]"), ("[base]", "[base]")],
)
def test_no_other_limit_beside_a_sweep(tmp_path: Path, place: str, name: str) -> None:
    with pytest.raises(BadInput) as caught:
        plan(tmp_path, TEXT.replace(place, f"{place}\ndepth = 3"))
    assert str(caught.value) == f"sweep.toml: {name} depth: the limits are those of [sweep]"


def test_matches_of_a_limit_whose_variants_are_decided_are_not_missed(tmp_path: Path) -> None:
    """In a factorial each limit is decided for itself."""
    changes = "[variants.a]\nLMR = 'off'\n[variants.b]\nTT = false\n"
    text = f"[experiment]\nkind = 'factorial'\ngames = 64\n[base]\ncommand = {synthetic.FAKE!r}\n{changes}"
    text += "[sprt]\nelo0 = -60\nelo1 = 60\nalpha = 0.2\nbeta = 0.2\n[sweep]\nnodes = [100, 1000]\n"
    text += "[openings]\nfile = 'book.tsv'\n"
    experiment = synthetic.plan(tmp_path, text)
    games = [
        synthetic.record(job, "1/2-1/2")
        for job in schedule.jobs(experiment)
        if job.pairing >= experiment.matches or job.pair == 1
    ]
    synthetic.journal(tmp_path, experiment, games)
    journal = Journal(tmp_path)
    for variant in (0, 1):
        journal.add_verdict(variant, "H1", 3.0, 2)
    journal.begin()
    journal.end(0, True)
    journal.close()
    summary = summaries.read(tmp_path)[1]
    assert summary.state == "done" and summary.played < summary.scheduled
    assert tables.unplayed_line(tmp_path, summary) is None
