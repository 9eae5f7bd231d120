"""Tuning runs from the command line: they find the best of a known engine, survive every stop, and refuse what is wrong."""

from __future__ import annotations

import json
import random
import shlex
from pathlib import Path

import here
import kill_nine
import pytest
from fake_engines import command, hill
from fake_engines.runs import begin, book, gauntlet, show
from fake_engines.tunable import strength

from harness.journal.journal import Reader
from harness.spec import reader

FIRST = "[experiment]\ndepth = 1\nconcurrency = 2\npatience = 60\n"
PARAMETERS = """
[spsa.parameters.X]
least = 0
most = 100
start = 30
step = 5
[spsa.parameters.Y]
least = 0
most = 100
start = 60
step = 5
"""


def spec(
    folder: Path, settings: str, parameters: str = PARAMETERS, engine: tuple[str, ...] = (), more: str = ""
) -> Path:
    path = folder / "hill.toml"
    line = json.dumps(shlex.join(engine or hill()))
    path.write_text(f"{FIRST}[engines.hill]\ncommand = {line}\n{more}\n[spsa]\n{settings}\n{parameters}\n")
    return path


def values(folder: Path) -> dict[str, float]:
    found = show(folder)["spsa"]
    return {one["name"]: one["value"] for one in found["parameters"]}


def test_it_finds_the_best_values_of_an_engine_whose_strength_is_known(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = gauntlet("spsa", spec(tmp_path, "games = 400\nr_end = 0.2"), "--out", out, seconds=300)
    assert done.returncode == 0, done.stderr
    found = values(out)
    assert strength({"X": 30, "Y": 60}) < -380
    assert strength(found) > -40, found
    assert f"results: {out}" == done.stdout.splitlines()[-1]
    assert f"gauntlet run {out / 'tuned.toml'}" in done.stdout
    # The values are ready to be tested: the engine with them against the engine as it is.
    tuned = reader.load(out / "tuned.toml")
    assert (tuned.kind, [player.name for player in tuned.players]) == ("match", ["tuned", "hill"])
    sent = {one["name"]: one["sent"] for one in show(out)["spsa"]["parameters"]}
    assert dict(tuned.players[0].options) == sent and not tuned.players[1].options
    assert tuned.sprt is not None
    proof = gauntlet("run", out / "tuned.toml", "--games", "40", "--out", tmp_path / "proof")
    assert proof.returncode == 0, proof.stderr
    assert show(tmp_path / "proof")["pairings"][0]["score"] > 0.75
    # Whoever looks at it finds the parameters.
    text = here.gauntlet("show", out).stdout
    assert "X" in text and "steps" in text and "200 of 200" in gauntlet("resume", out).stdout
    again = gauntlet("verify", out, "--games", "20")
    assert again.returncode == 0 and again.stdout.startswith("20 games replayed move for move, 0 differ")


def test_a_run_that_is_killed_again_and_again_ends_where_one_left_in_peace_ends(tmp_path: Path) -> None:
    plan = spec(tmp_path, "games = 80\nr_end = 0.2\nlag = 3")
    calm, hurt = tmp_path / "calm", tmp_path / "hurt"
    assert gauntlet("spsa", plan, "--out", calm, "--concurrency", "1", seconds=300).returncode == 0
    one = kill_nine.Ordeal(plan, hurt, random.Random(4))
    one.start()
    assert one.blow(one.rng.random()) is not None, "the run was over before it was killed"
    for games in (15, 35, 55):
        assert one.blow(60.0, games) is not None, f"the run was over before it was killed at {games} games"
    one.finish()
    assert kill_nine.moves(hurt) == kill_nine.moves(calm)
    assert values(hurt) == values(calm) != {"X": 30, "Y": 60}
    name = "experiment.toml"
    assert (hurt / "tuned.toml").read_text() == (calm / "tuned.toml").read_text().replace(
        "concurrency = 1", "concurrency = 2"
    )
    assert (hurt / name).exists()


def test_the_tuned_values_are_written_though_a_kill_came_before(tmp_path: Path) -> None:
    """Between the last game and that file."""
    out = tmp_path / "out"
    assert gauntlet("spsa", spec(tmp_path, "games = 20"), "--out", out).returncode == 0
    before = (out / "tuned.toml").read_text()
    (out / "tuned.toml").unlink()
    done = gauntlet("resume", out)
    assert done.returncode == 0 and "To test them: gauntlet run" in done.stdout
    assert (out / "tuned.toml").read_text() == before


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = begin("spsa", spec(tmp_path, "games = 4000"), "--out", out, "--live-json")
    assert run.stdout is not None
    for line in run.stdout:
        state = json.loads(line)
        if state.get("played", 0) > 20:
            break
    assert [one["name"] for one in state["parameters"]] == ["X", "Y"]
    run.terminate()
    assert run.wait(60) == 143
    run.stdout.close()
    with Reader(out) as journal:
        assert journal.state() == "stopped" and journal.count() > 20
    assert (out / "tuned.toml").exists()
    found = show(out)["spsa"]
    assert 0 < found["done"] < found["iterations"] == 2000


def test_options_that_are_taken_but_not_announced(tmp_path: Path) -> None:
    silent = hill("--silent")
    told = here.refusal("spsa", spec(tmp_path, "games = 4", engine=silent), "--out", tmp_path / "a")
    assert told == 'hill: hill cannot be tuned: no option "X": it offers Hash\n'
    hidden = PARAMETERS.replace("step = 5", "step = 5\nhidden = true")
    done = gauntlet("spsa", spec(tmp_path, "games = 4", hidden, silent), "--out", tmp_path / "b")
    assert done.returncode == 0, done.stderr
    tuned = reader.load(tmp_path / "b" / "tuned.toml")
    assert tuned.players[0].hidden == ("X", "Y")
    assert gauntlet("run", tmp_path / "b" / "tuned.toml", "--games", "2", "--out", tmp_path / "c").returncode == 0
    # A slip in such a name is not passed over either: the engine says that it knows no such option.
    slip = hidden.replace("parameters.X", "parameters.Z")
    told = here.refusal("spsa", spec(tmp_path, "games = 4", slip, silent), "--out", tmp_path / "d")
    assert told == 'hill: hill cannot be tuned: does not take option Z: "Error (unknown option): option Z=0"\n'
    assert not (tmp_path / "d").exists()


def test_a_hidden_option_of_a_player_is_sent_and_a_wrong_one_fails(tmp_path: Path) -> None:
    line = json.dumps(shlex.join(hill("--silent")))
    text = f"""[experiment]
depth = 1
games = 2
[engines.better]
command = {line}
options = {{ X = 70, NAME = 20 }}
hidden = ["X", "NAME"]
[engines.plain]
command = {line}
"""
    path = tmp_path / "hidden.toml"
    path.write_text(text.replace("NAME", "Y"))
    assert gauntlet("run", path, "--out", tmp_path / "a").returncode == 0
    assert reader.load(tmp_path / "a" / "experiment.toml").players[0].hidden == ("X", "Y")
    path.write_text(text.replace("NAME", "Q"))
    done = gauntlet("run", path, "--out", tmp_path / "b")
    assert done.returncode == 1 and 'does not take option Q: "Error (unknown option): option Q=20"' in done.stdout


@pytest.mark.parametrize(
    ("settings", "parameters", "said"),
    [
        (
            "games = 4",
            PARAMETERS.replace("parameters.X", "parameters.x1"),
            'hill cannot be tuned: no option "x1": did you mean "X"?',
        ),
        (
            "games = 4",
            PARAMETERS.replace("most = 100", "most = 200"),
            "hill cannot be tuned: option X takes 0 to 100, not 200",
        ),
        (
            "games = 4",
            PARAMETERS.replace("step = 5", "step = 2.5"),
            "hill cannot be tuned: option X takes a whole number, not",
        ),
        ("games = 5", PARAMETERS, "[spsa] games must be even (both colours), not 5"),
        ("", PARAMETERS, "[spsa] games is missing"),
        ("games = 4\nc_edn = 1", PARAMETERS, '[spsa] unknown key "c_edn": did you mean "c_end"?'),
        ("games = 4\nc_end = 0", PARAMETERS, "[spsa] c_end must be more than 0, not 0"),
        (
            "games = 4",
            PARAMETERS.replace("least = 0", "lest = 0"),
            '[spsa.parameters.X] unknown key "lest": did you mean "least"?',
        ),
        (
            "games = 4",
            PARAMETERS.replace("start = 30", "start = 101"),
            "[spsa.parameters.X] start must be 0 to 100, not 101",
        ),
        ("games = 4\nc_end = 0.05", PARAMETERS, "[spsa.parameters.X] step times c_end must be 0.5 or more, not 0.25"),
        ("games = 4", "", "[spsa] needs [spsa.parameters.NAME]"),
        ("games = 4", "[sprt]\nelo0 = 0\nelo1 = 5", "[sprt] does not go with [spsa]"),
        ("games = 4", PARAMETERS + "[engines.other]\ncommand = 'true'", "this file has hill, other"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, settings: str, parameters: str, said: str) -> None:
    assert said in here.refusal("spsa", spec(tmp_path, settings, parameters), "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_experiment_without_parameters_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plain.toml"
    line = json.dumps(shlex.join(command()))
    path.write_text(
        f'[engines.a]\ncommand = {line}\n[engines.b]\ncommand = {line}\n[openings]\nfile = "{book(tmp_path)}"\n'
    )
    told = here.refusal("spsa", path, "--out", tmp_path / "out")
    assert told == f"{path}: no table [spsa], which says what is tuned; gauntlet run plays other experiments\n"
    assert "no such program" in here.refusal("spsa", spec(tmp_path, "games = 4", engine=("/nowhere/engine",)))


def test_an_engine_that_dies_of_its_options_is_refused_before_the_first_game(tmp_path: Path) -> None:
    path = spec(
        tmp_path,
        "games = 4",
        PARAMETERS.replace(".X", ".Hash").replace("least = 0", "least = 1").split("[spsa.parameters.Y]")[0],
        command("dienew"),
    )
    told = here.refusal("spsa", path, "--out", tmp_path / "out")
    assert told == "hill: hill cannot be tuned: it ended when its options were set\n"


def test_a_cluster_plays_the_same_games(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    plan = spec(tmp_path, "games = 24\nr_end = 0.3\nlag = 2")
    here, there = tmp_path / "here", tmp_path / "there"
    assert gauntlet("spsa", plan, "--out", here).returncode == 0
    done = gauntlet("spsa", plan, "--cluster", "local:2", "--out", there, seconds=240)
    assert done.returncode == 0, done.stderr
    assert kill_nine.moves(here) == kill_nine.moves(there) and values(here) == values(there)
