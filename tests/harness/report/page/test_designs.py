"""What the page says of sweeps, factorials and tuning runs, and that what engines and files name does no harm there."""

from __future__ import annotations

import re
from pathlib import Path

import synthetic
from reports import Shape

from harness.journal.journal import Reader
from harness.journal.record import pack
from harness.report import write as report
from harness.report.page import designs, facts, series
from harness.schedule import jobs as schedule
from harness.schedule.spsa import Tuning
from harness.spec import reader

SWEEP = synthetic.TEXT.replace("nodes = 2000\n", "") + "[sweep]\nnodes = [100, 400, 1600]\n"
FACTORIAL = synthetic.TEXT.replace("games = 8", 'games = 8\nkind = "factorial"')
SPSA = f"""
[experiment]
nodes = 100
[spsa]
games = 40
r_end = 0.3
[engines.hill]
command = {synthetic.FAKE!r}
[spsa.parameters.NAME]
least = 0
most = 100
start = 30
step = 5
[spsa.parameters.other]
least = 0.0
most = 1.0
start = 0.5
step = 0.1
[openings]
file = "book.tsv"
"""


def made_up(folder: Path, text: str) -> Path:
    """A finished run whose games end by turns."""
    synthetic.plan(folder)
    found = reader.parse(text, "x.toml", folder)
    results = ("1-0", "0-1", "1-0", "1/2-1/2", "0-1")
    games = []
    jobs = schedule.jobs(found)
    for job in jobs:
        games.append(synthetic.record(job, results[job.id % 5]))
        if isinstance(jobs, Tuning):
            jobs.results.add(pack(games[-1]).row)
    synthetic.journal(folder, found, games)
    return folder


def page(folder: Path) -> str:
    (path,) = report.write(folder)
    return path.read_text()


def sections(text: str) -> list[str]:
    return [name for name in re.findall(r'<section id="(\w+)"', text) if name != "live"]


def test_a_sweep_has_its_curves(tmp_path: Path) -> None:
    made_up(tmp_path, SWEEP)
    text = page(tmp_path)
    assert sections(text)[:2] == ["verdict", "sweep"] and "ranking" not in sections(text)
    picture = text.split('id="sweep"')[1].split("</figure>")[0]
    assert picture.count('class="curve') == 2 and picture.count('class="band') == 2
    tips = re.findall(r'data-tip="([^"]*)"', picture)
    assert len(tips) == 6 and tips[0].startswith("lmr-off at 100: Elo ") and tips[-1].endswith(", 8 games")
    assert "24 games at 100 to 1,600 nodes a move" in text or "48 games at 100 to 1,600 nodes a move" in text


def test_a_sweep_without_a_game_has_a_page(tmp_path: Path) -> None:
    synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, reader.parse(SWEEP, "x.toml", tmp_path), [])
    assert "sweep" in sections(page(tmp_path))


def test_a_factorial_has_its_matches_and_curves_of_its_variants(tmp_path: Path) -> None:
    made_up(tmp_path, FACTORIAL)
    text = page(tmp_path)
    assert sections(text)[:2] == ["verdict", "matches"] and "crosstable" not in sections(text)
    with Reader(tmp_path) as journal:
        found = facts.gather(journal)
    named = series.named_pairs(found)
    assert [name for name, _ in named] == ["lmr-off vs base", "tt-off vs base"]
    for pairing, (_, pairs) in zip(found.summary.pairings, named, strict=True):
        counts = [0] * 5
        for pair in pairs:
            counts[int(2 * pair.points)] += 1
        assert counts == pairing.pentanomial
    table = designs.matches(found)
    assert table is not None and [row[1:3] for row in table.rows] == [("lmr-off tt-off", "none"), ("lmr-off", "tt-off")]


def test_a_tuning_run_has_the_paths_of_its_parameters(tmp_path: Path) -> None:
    made_up(tmp_path, SPSA)
    text = page(tmp_path)
    assert sections(text)[:2] == ["verdict", "parameters"]
    assert not {"crosstable", "pentanomial", "progress", "openings", "ranking"} & set(sections(text))
    picture = text.split('id="parameters"')[1].split("</figure>")[0]
    assert picture.count('class="curve') == 2 and "after 40 games" in picture
    with Reader(tmp_path) as journal:
        found = facts.gather(journal)
    walked = designs.paths(found)
    assert found.summary.spsa is not None
    assert walked[0] == (0, [30.0, 0.5])
    assert walked[-1] == (20, [one.value for one in found.summary.spsa.parameters])
    lines = designs.block(found).splitlines()
    assert lines[0].startswith("NAME   30 -> ") and lines[1].startswith("other   0.5 -> ")
    (report_file, drawing) = report.write(tmp_path, tmp_path / "report.md", "md")
    assert drawing.name == "report-parameters.svg" and "report-parameters.svg" in report_file.read_text()


def test_names_of_parameters_do_no_harm(tmp_path: Path) -> None:
    calm, hostile = tmp_path / "calm", tmp_path / "hostile"
    for folder in (calm, hostile):
        folder.mkdir()
    word = "</script><img src=x onerror=alert(1)>\\\"'`".replace("=", "")
    made_up(calm, SPSA)
    made_up(hostile, SPSA.replace("parameters.NAME", f'parameters."{word}"'))
    assert Shape(page(hostile)).tags == Shape(page(calm)).tags
