"""Runs are entered into the register as they are, and nothing else is."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import synthetic

from harness.claims import record
from harness.claims import register as shipped
from harness.claims.register import Register, read
from harness.commands.results import claims
from harness.errors import BadInput
from harness.journal.journal import Reader
from harness.model import MoveRecord
from harness.schedule import jobs as schedule
from harness.spec import reader as experiments
from harness.spec.settings import Experiment

DECIDE = "[decide]\nwithin = 10\n"


@pytest.fixture(autouse=True)
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped `smoke` is the plan of the made-up runs, and their engine has a bench signature."""
    (tmp_path / "shipped").mkdir()
    ship(monkeypatch, tmp_path / "shipped")
    monkeypatch.setattr(record, "bench_of", lambda experiment, meta: 4711)


def ship(monkeypatch: pytest.MonkeyPatch, folder: Path, change: tuple[str, str] = ("", "")) -> None:
    plan = synthetic.plan(folder, (synthetic.TEXT.replace('"made-up"', '"smoke"') + DECIDE).replace(*change))
    monkeypatch.setattr(experiments, "load", lambda name, check=True: plan)


def played(
    folder: Path,
    name: str = "smoke",
    games: int | None = None,
    move: str = "e2e4",
    seed: int = 1,
    change: tuple[str, str] = ("", ""),
    only: tuple[str, ...] = (),
) -> Experiment:
    """A made-up run of a shipped experiment's name: the first variant wins with white and draws with black."""
    folder.mkdir()
    text = synthetic.TEXT.replace('"made-up"', f'"{name}"\nseed = {seed}')
    found = synthetic.plan(folder, (text + DECIDE).replace(*change), only)
    records = []
    for job in schedule.jobs(found):
        result = "1-0" if job.white == job.pairing else "1/2-1/2"
        moves = (MoveRecord(move, 1.0, depth=6, nodes=2000),)
        records.append(synthetic.record(job, result, moves=moves))
    synthetic.journal(folder, found, records[:games])
    return found


def test_the_figures_of_a_run(tmp_path: Path) -> None:
    played(tmp_path / "run")
    register = Register()
    assert record.enter(register, tmp_path / "run") == ["smoke/lmr-off", "smoke/tt-off"]
    found = register.matches["smoke/lmr-off"]
    assert (found.games, found.wins, found.draws, found.losses) == (8, 4, 4, 0)
    assert found.pairs == (0, 0, 0, 4, 0) and found.ended and found.within == 10.0
    assert (found.limit, found.seed, found.bench, found.base) == ("2000 nodes a move", 1, 4711, "base")
    assert found.command == "gauntlet run smoke --only lmr-off --games 8 --seed 1"
    assert found.openings.startswith("book.tsv ") and len(found.hash) == 64
    assert found.depth == pytest.approx(6.0)


def test_the_hash_is_that_of_the_moves(tmp_path: Path) -> None:
    hashes = []
    for number, move in enumerate(("e2e4", "e2e4", "d2d4")):
        played(tmp_path / str(number), move=move)
        with Reader(tmp_path / str(number)) as reader:
            hashes.append(record.hash_of_games(reader))
    assert hashes[0] == hashes[1] != hashes[2]


def test_the_hash_of_a_pairing_is_its_own(tmp_path: Path) -> None:
    """It is the same whatever was played beside it, and another where one of its games is another."""
    played(tmp_path / "both")
    played(tmp_path / "alone", only=("tt-off",))
    with Reader(tmp_path / "both") as both, Reader(tmp_path / "alone") as one:
        assert record.hash_of_games(both, 1) == record.hash_of_games(one, 0)
        assert record.hash_of_games(both, 0) != record.hash_of_games(both, 1)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('LMR = "off"', 'LMR = "oneply"', "lmr-off is"),
        ("nodes = 2000", "nodes = 1000", "its limit is"),
        ("within = 10", "within = 5", r"its \[decide\] is"),
        ("[variants.tt-off]", "[variants.no-table]", "no-table is"),
        ("games = 8", "games = 8\nmax_moves = 90", "its max moves are"),
    ],
)
def test_a_run_of_another_file_of_that_name_is_refused(tmp_path: Path, old: str, new: str, what: str) -> None:
    played(tmp_path / "run", change=(old, new))
    register = Register()
    with pytest.raises(BadInput, match=f"{what} not as in the shipped smoke"):
        record.enter(register, tmp_path / "run")
    assert register == Register()


def test_more_games_give_way_to_fewer_only_when_told(tmp_path: Path) -> None:
    played(tmp_path / "whole")
    played(tmp_path / "part", games=10)
    register = Register()
    record.enter(register, tmp_path / "whole")
    before = dict(register.matches)
    with pytest.raises(BadInput, match="smoke/lmr-off has 6 games, the register 8; --add"):
        record.enter(register, tmp_path / "part")
    assert register.matches == before
    record.enter(register, tmp_path / "part", replace=True)
    assert register.matches["smoke/lmr-off"].games == 6


def test_a_run_of_part_of_the_variants_has_the_name_before_the_dot(tmp_path: Path) -> None:
    played(tmp_path / "run", "smoke.lmr-off")
    register = Register()
    assert record.enter(register, tmp_path / "run")[0] == "smoke/lmr-off"


def test_a_run_that_was_stopped_says_so(tmp_path: Path) -> None:
    played(tmp_path / "run", games=10)
    register = Register()
    record.enter(register, tmp_path / "run")
    assert not any(match.ended for match in register.matches.values())


def test_what_is_no_shipped_experiment_stays_out(tmp_path: Path) -> None:
    played(tmp_path / "run", "evening")
    register = Register()
    with pytest.raises(BadInput, match='plays "evening"; the register holds shipped experiments alone'):
        record.enter(register, tmp_path / "run")
    assert register == Register()


def screen(**more: Any) -> dict[str, Any]:
    figures = {"ebf2": 3.0, "first_move_cutoffs": 0.8, "researches": 0.1, "hash_cutoffs": None}
    row = {"name": "full-window", "ratio": 1.05, "low": 1.03, "high": 1.07, **figures}
    return {"depth": 5, "positions": 55, "base": "base", "variants": [row], "base_figures": figures, **more}


def count(experiment: str, variant: str) -> dict[str, Any]:
    row = {"experiment": experiment, "variant": variant, "base": "base", "depth": 3, "positions": 16}
    return row | {"ratio": 1.01, "low": 1.0, "high": 1.02, "bench": 1, "command": "x"}


def test_a_screen_and_counts_of_instructions(tmp_path: Path) -> None:
    file, counts = tmp_path / "claim-c05-window.json", tmp_path / "counts.json"
    file.write_text("a line before\n" + json.dumps(screen()) + "\n")
    counts.write_text(json.dumps({"instructions": [count("claim-c04-picking", "sort")]}) + "\n")
    register = Register()
    assert record.enter(register, file) == ["claim-c05-window/full-window"]
    assert record.enter(register, counts) == ["claim-c04-picking/sort"]
    assert register.screens["claim-c05-window/full-window"].ratio == 1.05
    path = tmp_path / "register.json"
    register.write(path)
    assert read(path) == register and read(path).text() == path.read_text()


@pytest.mark.parametrize(
    ("experiment", "names", "left"),
    [
        ("smoke", ("lmr-off", "tt-off"), ["lmr-off", "tt-off"]),
        ("claim-c05-window", ("full-window", "wide-open"), ["wide-open"]),
    ],
)
def test_measures_one_after_the_other_leave_the_rows_of_variants_that_are_shipped(
    tmp_path: Path, experiment: str, names: tuple[str, ...], left: list[str]
) -> None:
    file, counts = tmp_path / f"{experiment}.json", tmp_path / "counts.json"
    register = Register()
    for name in names:
        data = screen(bench=4711)
        data["variants"][0]["name"] = name
        file.write_text(json.dumps(data) + "\n")
        counts.write_text(json.dumps({"instructions": [count(experiment, name)]}) + "\n")
        record.enter(register, file)
        record.enter(register, counts)
    assert sorted(register.screens) == sorted(register.counts) == [f"{experiment}/{name}" for name in left]
    assert all(one.bench == 4711 for one in register.screens.values())


@pytest.mark.parametrize("text", ["", "{}", "no JSON", "[1]", '{"variants": []}'])
def test_anything_else_is_refused_in_a_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "claim-c05-window.json"
    file.write_text(text)
    for place in (file, tmp_path / "nothing"):
        with pytest.raises(BadInput) as caught:
            record.enter(Register(), place)
        assert str(caught.value).startswith(f"{place}: ") and "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["no JSON", "{}", '{"matches": {"a": {}}, "screens": {}, "instructions": {}}', "[]"])
def test_a_register_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "register.json"
    path.write_text(text)
    with pytest.raises(BadInput, match="register"):
        read(path)


def test_a_register_survives_its_file(tmp_path: Path) -> None:
    """Matches too, whatever their counts: what is read is what was written."""
    register, rng = Register(), random.Random(3)
    played(tmp_path / "run")
    record.enter(register, tmp_path / "run")
    for key, match in list(register.matches.items()):
        counts = tuple(rng.randrange(50) for _ in range(5))
        register.matches[f"{key}-{sum(counts)}"] = type(match)(
            **{**{name: getattr(match, name) for name in match.__slots__}, "pairs": counts}
        )
    path = tmp_path / "register.json"
    register.write(path)
    assert read(path) == register


def test_a_further_run_of_another_seed_is_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the clock the same openings give other games."""
    register = Register()
    clock = ("nodes = 2000", 'time = "2+0.02"')
    ship(monkeypatch, tmp_path / "shipped", clock)
    played(tmp_path / "one", change=clock)
    played(tmp_path / "two", seed=2, move="d2d4", change=clock)
    record.enter(register, tmp_path / "one")
    first = register.matches["smoke/lmr-off"]
    assert record.add(register, tmp_path / "two") == ["smoke/lmr-off", "smoke/tt-off"]
    both = register.matches["smoke/lmr-off"]
    assert (both.games, both.wins, both.draws, both.losses, both.repeated) == (16, 8, 8, 0, 0)
    assert both.pairs == (0, 0, 0, 8, 0) and both.ended and both.depth == pytest.approx(6.0)
    assert [(run.seed, run.games) for run in both.runs] == [(1, 8), (2, 8)]
    assert both.runs[0].hash == first.hash != both.runs[1].hash
    path = tmp_path / "register.json"
    register.write(path)
    assert read(path) == register


def test_at_fixed_nodes_only_games_from_other_openings_are_added(tmp_path: Path) -> None:
    """Of the book's four lines the first run has played two, so as many of the second run's eight games are new."""
    register = Register()
    played(tmp_path / "one", games=8)
    record.enter(register, tmp_path / "one")
    assert register.matches["smoke/lmr-off"].games == 4
    played(tmp_path / "two", seed=2)
    record.add(register, tmp_path / "two")
    both = register.matches["smoke/lmr-off"]
    assert (both.games, both.repeated, both.pairs) == (8, 4, (0, 0, 0, 4, 0))
    assert [(run.seed, run.games, run.repeated) for run in both.runs] == [(1, 4, 0), (2, 4, 4)]
    with Reader(tmp_path / "one") as one, Reader(tmp_path / "two") as two:
        lines = [{row.line for row in reader.rows() if row.pairing == 0} for reader in (one, two)]
    assert len(lines[0]) == 2 and lines[0] < lines[1]
    path = tmp_path / "register.json"
    register.write(path)
    assert read(path) == register


def test_games_that_all_have_been_played_before_are_refused(tmp_path: Path) -> None:
    register = Register()
    played(tmp_path / "one")
    played(tmp_path / "two", seed=2)
    record.enter(register, tmp_path / "one")
    with pytest.raises(BadInput, match="smoke/lmr-off: the openings of all 8 games have been played before"):
        record.add(register, tmp_path / "two")


def test_a_factorial_repeats_itself_match_by_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its design is the same whatever the seed. The second run plays two openings a match, the first has played one of them."""
    text = ('"smoke"', '"smoke"\nkind = "factorial"')
    ship(monkeypatch, tmp_path / "shipped", text)
    register = Register()
    played(tmp_path / "one", change=text, games=4)
    record.enter(register, tmp_path / "one")
    assert register.matches["smoke/lmr-off"].games == 4
    played(tmp_path / "two", change=text, seed=2)
    record.add(register, tmp_path / "two")
    for name in ("smoke/lmr-off", "smoke/tt-off"):
        both = register.matches[name]
        assert [(run.games, run.repeated) for run in both.runs] == [(4, 0), (4, 4)] and both.games == 8


def test_games_that_are_in_the_register_are_not_added_again(tmp_path: Path) -> None:
    register = Register()
    played(tmp_path / "one")
    record.enter(register, tmp_path / "one")
    with pytest.raises(BadInput, match="games of seed 1 are in the register"):
        record.add(register, tmp_path / "one")


def test_games_of_another_build_are_not_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register = Register()
    played(tmp_path / "one")
    played(tmp_path / "two", seed=2)
    record.enter(register, tmp_path / "one")
    monkeypatch.setattr(record, "bench_of", lambda experiment, meta: 4712)
    with pytest.raises(BadInput, match="bench 4712 cannot be added to bench 4711"):
        record.add(register, tmp_path / "two")


def test_runs_that_were_stopped_have_ended_when_all_planned_games_are_played(tmp_path: Path) -> None:
    register = Register()
    played(tmp_path / "run", games=10)
    record.enter(register, tmp_path / "run")
    first = register.matches["smoke/lmr-off"]
    rest = 100 - first.games
    assert not first.joined(replace(first, seed=2, games=rest - 1), planned=100).ended
    assert first.joined(replace(first, seed=2, games=rest), planned=100).ended


def test_runs_that_were_stopped_have_ended_when_together_they_settle_it(tmp_path: Path) -> None:
    """As in a run: enough games, and an interval of 99.9 % beside zero."""
    register = Register()
    played(tmp_path / "run", games=10)
    record.enter(register, tmp_path / "run")
    first = replace(register.matches["smoke/lmr-off"], games=200, pairs=(0, 0, 0, 100, 0))
    second = replace(first, seed=2)
    assert first.joined(second, planned=1000, least=400).ended
    assert not first.joined(second, planned=1000, least=402).ended
    even = (0, 30, 40, 30, 0)
    assert not replace(first, pairs=even).joined(replace(second, pairs=even), planned=1000, least=400).ended


def test_only_a_results_folder_is_added(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is no results folder"):
        record.add(Register(), tmp_path)


def test_a_reader_of_the_output_who_leaves_early_takes_nothing_with_him(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`gauntlet claims --record ... | head -1`: the pipe breaks when the figures are in the file."""
    played(tmp_path / "run")
    file = tmp_path / "register.json"
    monkeypatch.setattr(shipped, "read", lambda: read(file))
    monkeypatch.setattr(Register, "write", lambda self: file.write_text(self.text()))

    def gone(line: str) -> None:
        raise BrokenPipeError(line)

    monkeypatch.setattr("click.echo", gone)
    with pytest.raises(BrokenPipeError):
        claims._keep((tmp_path / "run",), (), False, None)
    assert list(read(file).matches) == ["smoke/lmr-off", "smoke/tt-off"]
