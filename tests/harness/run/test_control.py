"""A run is stopped, paused, told to go on and made wider or narrower from another shell, and loses nothing by it."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import here
import pytest
from fake_engines.runs import begin, experiment, gauntlet, living, show, wait_for

from harness.journal import control

GAMES = "[experiment]\nconcurrency = 2\nmax_moves = 6\npatience = 60.0\ndepth = 3\n"


def live(out: Path) -> dict[str, object]:
    """What the run says of itself."""
    found = json.loads((out / "live.json").read_text())
    assert isinstance(found, dict)
    return found


def begun(folder: Path, games: int = 400) -> tuple[Path, Path]:
    """An experiment between engines whose pace a file sets, and the folder that its run is to have."""
    (folder / "pace").write_text("0.02")
    words = f"pids={folder / 'pids'} pace={folder / 'pace'}"
    return experiment(folder, f"{GAMES}games = {games}\n", a=f"seed=1 {words}", b=f"uci seed=2 {words}"), folder / "out"


def played(out: Path) -> int:
    return int(show(out)["played"]) if (out / "games.db").exists() else 0


def whole(out: Path) -> None:
    """Every game that was begun has ended: none of those in play was broken off."""
    log = (out / "run.log").read_text()
    assert "died" not in log and not (out / "faults").exists()


@pytest.mark.parametrize("how", ["stop", "ctrl-c"])
def test_a_stop_lets_the_games_in_play_end(tmp_path: Path, how: str) -> None:
    spec, out = begun(tmp_path)
    run = begin("run", spec, "--out", out)
    wait_for(lambda: played(out) >= 2)
    if how == "stop":
        said = here.gauntlet("stop", out)
        assert said.returncode == 0 and "stops when the games in play have ended" in said.stdout
    else:
        run.send_signal(signal.SIGINT)
    assert run.wait(timeout=60) == 130
    assert run.stdout is not None and "stops when the games in play have ended" in run.stdout.read()
    assert show(out)["state"] == "stopped" and not living(tmp_path / "pids")
    whole(out)
    before = played(out)
    # Pairs that were begun are whole or half; nothing of the wish is left for the next run.
    again = begin("resume", out)
    wait_for(lambda: played(out) > before)
    again.send_signal(signal.SIGTERM)
    assert again.wait(timeout=60) == 143


@pytest.mark.parametrize("how", ["stop --now", "ctrl-c twice"])
def test_who_asks_twice_waits_for_no_game(tmp_path: Path, how: str) -> None:
    spec, out = begun(tmp_path)
    spec.write_text(spec.read_text().replace("patience = 60.0", "patience = 1000.0"))
    run = begin("run", spec, "--out", out)
    wait_for(lambda: played(out) >= 1)
    (tmp_path / "pace").write_text("1000")  # the games in play will not end by themselves
    if how == "stop --now":
        assert here.gauntlet("stop", out, "--now").returncode == 0
    else:
        run.send_signal(signal.SIGINT)
        wait_for(lambda: live(out)["asked"] == "stop")
        assert run.poll() is None
        run.send_signal(signal.SIGINT)
    assert run.wait(timeout=60) == 130
    assert not living(tmp_path / "pids")


def test_a_run_pauses_goes_on_and_changes_its_slots(tmp_path: Path) -> None:
    spec, out = begun(tmp_path)
    run = begin("run", spec, "--out", out)
    wait_for(lambda: played(out) >= 1)
    assert here.gauntlet("pause", out).returncode == 0
    wait_for(lambda: "paused: the last game in play has ended" in (out / "run.log").read_text())
    at = played(out)
    time.sleep(1.0)
    assert played(out) == at and run.poll() is None
    assert here.gauntlet("slots", out, "4").returncode == 0
    assert here.gauntlet("continue", out).returncode == 0
    wait_for(lambda: len(living(tmp_path / "pids")) == 8)
    assert here.gauntlet("slots", out, "1").returncode == 0
    wait_for(lambda: len(living(tmp_path / "pids")) == 2)
    at = played(out)
    wait_for(lambda: played(out) > at + 2)
    assert here.gauntlet("slots", out, "2").returncode == 0
    wait_for(lambda: len(living(tmp_path / "pids")) == 4)
    assert here.gauntlet("stop", out).returncode == 0
    assert run.wait(timeout=60) == 130
    whole(out)
    text = (out / "run.log").read_text()
    for said in ("paused: no game is begun", "goes on", "4 games at a time", "one game at a time"):
        assert said in text
    assert text.count("4 games at a time") == 1  # told when it is asked for, and not with what is asked later


def test_a_run_is_resumed_with_other_slots(tmp_path: Path) -> None:
    """The machine that goes on with a run may have fewer cores, or more, than the one that began it."""
    spec, out = begun(tmp_path)
    run = begin("run", spec, "--out", out)
    wait_for(lambda: played(out) >= 2)
    assert here.gauntlet("stop", out).returncode == 0
    assert run.wait(timeout=60) == 130

    def resumed(number: int) -> None:
        again = begin("resume", out, "--concurrency", str(number))
        wait_for(lambda: len(living(tmp_path / "pids")) == 2 * number)
        assert here.gauntlet("stop", out).returncode == 0
        assert again.wait(timeout=60) == 130

    resumed(3)
    resumed(1)
    whole(out)
    assert "'--concurrency': 0 is not in the range" in here.refusal("resume", out, "--concurrency", "0")


def test_a_run_narrowed_in_its_midst_plays_every_game_once(tmp_path: Path) -> None:
    spec, out = begun(tmp_path, games=40)
    (tmp_path / "pace").write_text("0")
    run = begin("run", spec, "--out", out)
    for slots in ("4", "1", "3", "1", "2"):
        wait_for(lambda: (out / "games.db").exists())
        here.gauntlet("slots", out, slots)  # the run may be over by then
    assert run.wait(timeout=60) == 0
    assert show(out)["played"] == 40


def test_there_must_be_a_run_to_ask(tmp_path: Path) -> None:
    spec, out = begun(tmp_path, games=2)
    (tmp_path / "pace").write_text("0")
    assert gauntlet("run", spec, "--out", out).returncode == 0
    for command, *more in (["stop"], ["pause"], ["continue"], ["slots", "2"]):
        assert "the run there is over" in here.refusal(command, out, *more)
        assert "not a results folder" in here.refusal(command, tmp_path, *more)
    assert not (out / control.FILE).exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"state": "fly"}',
        '{"slots": 0}',
        '{"slots": true}',
        "[]",
        '{"x": 1}',
        "9",
        '{"state": []}',
        "[" * 100_000,
    ],
)
def test_what_is_no_wish_asks_for_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / control.FILE).write_text(text)
    assert control.read(tmp_path) == control.Wish()
