"""Whole runs: slots, stops by signal and by verdict, resumption, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import kill_nine
import pytest
from fake_engines.runs import begin, experiment, gauntlet, living, show, wait_for
from kill_nine import moves

from harness.game.game import Rules
from harness.slots.interface import Broken
from harness.slots.local import Pool
from harness.slots.worker import SlotSpec

# No engine here hangs, so patience is never used up; on a busy machine one takes long to start.
SHORT = "[experiment]\nmax_moves = 5\npatience = 60\nconcurrency = 2\n"
DEADLINE = 120.0  # seconds until a wait is given up


def at_work(out: Path) -> bool:
    return bool(show(out)["state"] == "running")


def nobody_lives(pids: Path) -> None:
    wait_for(lambda: not living(pids))


def test_a_run_plays_everything_and_says_where(tmp_path: Path) -> None:
    spec = experiment(tmp_path, SHORT + "games = 4\ndepth = 3\n", a="seed=1", b="uci seed=2")
    done = gauntlet("run", spec, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == f"results: {tmp_path / 'out'}"
    assert lines[-2].startswith("a vs b   Elo ") and lines[-2].endswith(" of 4")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "experiment.toml",
        "games.db",
        "live.json",
        "run.log",
    ]
    found = show(tmp_path / "out")
    assert (found["state"], found["played"], found["scheduled"]) == ("done", 4, 4)
    again = gauntlet("resume", tmp_path / "out")
    assert again.returncode == 0 and again.stdout.splitlines()[-1] == lines[-1]
    assert show(tmp_path / "out")["played"] == 4


def test_games_do_not_depend_on_concurrency_and_can_be_replayed(tmp_path: Path) -> None:
    spec = experiment(tmp_path, SHORT + "games = 6\nnodes = 50\n", a="nps seed=1", b="uci seed=2", c="nps seed=3")
    for number in ("1", "3"):
        done = gauntlet("run", spec, "--out", tmp_path / number, "--concurrency", number)
        assert done.returncode == 0, done.stderr
    one, three = moves(tmp_path / "1"), moves(tmp_path / "3")
    assert one == three and len(one) == 12 and len({tuple(line) for line in one.values()}) == 12
    (tmp_path / "1" / "processes-verify").mkdir()  # nobody may write there, not even the superuser of the tests
    before = sorted((tmp_path / "1").iterdir())
    done = gauntlet("verify", tmp_path / "1", "--concurrency", "2")
    assert sorted((tmp_path / "1").iterdir()) == before, "results are only read"
    assert (done.returncode, done.stdout.strip()) == (0, "12 games replayed move for move, 0 differ")


def test_verify_finds_a_game_that_was_played_differently(tmp_path: Path) -> None:
    spec = experiment(tmp_path, SHORT + "games = 2\ndepth = 3\n", a="seed=1", b="uci seed=2")
    assert gauntlet("run", spec, "--out", tmp_path / "out").returncode == 0
    import sqlite3

    with sqlite3.connect(tmp_path / "out" / "games.db") as db:
        text = db.execute("SELECT value FROM meta WHERE key = 'experiment'").fetchone()[0]
        db.execute("UPDATE meta SET value = ? WHERE key = 'experiment'", (text.replace("seed=2", "seed=9"),))
    done = gauntlet("verify", tmp_path / "out")
    assert done.returncode == 1
    assert "game 1: ply 2, b: " in done.stdout and "game 2: ply 1, b: " in done.stdout and "2 differ" in done.stdout


def test_a_fault_gives_status_1_and_a_file_and_the_run_goes_on(tmp_path: Path) -> None:
    spec = experiment(tmp_path, SHORT + 'kind = "roundrobin"\ngames = 2\ndepth = 3\n', a="", b="abort", c="seed=3")
    done = gauntlet("run", spec, "--out", tmp_path / "out")
    assert done.returncode == 1
    found = show(tmp_path / "out")
    assert found["played"] == 6 and found["state"] == "done"
    players = {player["name"]: player for player in found["players"]}
    assert players["b"]["faults"] == {"crash": 4} and players["b"]["losses"] == 4
    assert players["a"]["faults"] == {}
    files = sorted((tmp_path / "out" / "faults").iterdir())
    assert len(files) == 4
    text = files[0].read_text()
    assert "assertion failed" in text and "exit status: -6" in text and "> usermove" in text and "position: " in text


@pytest.mark.parametrize("delay", [0, 0.05])
def test_a_crash_between_two_games_loses_the_second_however_early_it_is_seen(tmp_path: Path, delay: float) -> None:
    rules = SHORT.replace("concurrency = 2", "concurrency = 1") + "games = 4\ndepth = 3\n"
    spec = experiment(tmp_path, rules, a="seed=1", b=f"seed=2 dieresult={delay}")
    done = gauntlet("run", spec, "--out", tmp_path / "out")
    assert done.returncode == 1
    players = {player["name"]: player for player in show(tmp_path / "out")["players"]}
    assert players["b"]["faults"] == {"crash": 2}


def test_time_losses_alone_keep_status_0(tmp_path: Path) -> None:
    spec = experiment(tmp_path, SHORT + "games = 2\nmovetime = 0.2\nmargin = 0.1\n", a="", b="slow=0.5@3")
    done = gauntlet("run", spec, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stdout + done.stderr
    assert show(tmp_path / "out")["reasons"] == {"time": 2}
    assert "None" not in (tmp_path / "out" / "faults" / "1.txt").read_text()  # the engine was running: no exit status


def test_two_failed_starts_leave_the_other_games_unplayed(tmp_path: Path) -> None:
    spec = experiment(tmp_path, SHORT + 'kind = "roundrobin"\ngames = 4\ndepth = 3\n', a="", b="die=4", c="seed=3")
    done = gauntlet("run", spec, "--out", tmp_path / "out", "--concurrency", "1")
    assert done.returncode == 1
    found = show(tmp_path / "out")
    assert (found["played"], found["scheduled"], found["state"]) == (4, 12, "done")
    players = {player["name"]: player for player in found["players"]}
    assert players["b"]["faults"] == {"start": 2} and players["b"]["games"] == 0
    assert "exit status 4" in (tmp_path / "out" / "run.log").read_text()
    assert gauntlet("resume", tmp_path / "out").returncode == 1


def test_a_round_that_a_broken_engine_leaves_unplayed_is_over_all_the_same(tmp_path: Path) -> None:
    text = SHORT + 'kind = "swiss"\ngames = 2\ndepth = 3\n'
    spec = experiment(tmp_path, text, a="seed=1", b="die=4", c="seed=3")
    done = gauntlet("run", spec, "--out", tmp_path / "out", "--concurrency", "1")
    assert done.returncode == 1
    assert "standings, round 2 of 2: " in done.stdout and "2 of 4 games were not played" in done.stdout
    pairings = {(one["a"], one["b"]): one["played"] for one in show(tmp_path / "out")["pairings"]}
    assert pairings == {("a", "b"): 0, ("a", "c"): 2}


def test_more_games_at_a_time_than_the_system_has_files_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(subprocess, "Popen", refused)
    with Pool(SlotSpec((), Rules()), 2, tmp_path / "log") as pool:
        said = r"^one game at a time cannot be played here \(Too many open files\): expected a smaller concurrency$"
        with pytest.raises(Broken, match=said):
            pool.play(0, [])


def test_a_game_that_kills_three_slots_is_charged_to_its_engines(tmp_path: Path) -> None:
    text = SHORT + 'kind = "roundrobin"\ngames = 2\ndepth = 3\n'
    spec = experiment(tmp_path, text, a="seed=1", b="murder=1", c="seed=3")
    done = gauntlet("run", spec, "--out", tmp_path / "out")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    found = show(tmp_path / "out")
    assert (found["played"], found["scheduled"], found["state"]) == (2, 6, "done")
    players = {player["name"]: player for player in found["players"]}
    assert [players[name]["faults"] for name in "abc"] == [{"crash": 2}, {"crash": 4}, {"crash": 2}]
    assert players["b"]["games"] == 0 and players["a"]["games"] == 2
    log = (tmp_path / "out" / "run.log").read_text()
    assert log.count("3 slots died of it: a fault of its engines, not played again") == 4
    assert len(list((tmp_path / "out" / "faults").iterdir())) == 4
    assert gauntlet("resume", tmp_path / "out").returncode == 1
    assert (tmp_path / "out" / "run.log").read_text().count("slots died") == 4
    assert show(tmp_path / "out")["players"] == found["players"]


def test_nothing_is_played_when_a_program_is_missing(tmp_path: Path) -> None:
    spec = tmp_path / "x.toml"
    spec.write_text('[engines.a]\ncommand = "no-such-engine-here"\n[engines.b]\ncommand = "cat"\n')
    done = gauntlet("run", spec, "--out", tmp_path / "out")
    assert done.returncode == 2 and not (tmp_path / "out").exists()
    assert len(done.stderr.splitlines()) == 1 and "no-such-engine-here" in done.stderr


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_the_run_and_resume_finishes_it(tmp_path: Path, number: int, status: int) -> None:
    pids, out, pace = tmp_path / "pids", tmp_path / "out", tmp_path / "pace"
    pace.write_text("0.2")
    text = SHORT + "games = 12\ndepth = 3\n"
    spec = experiment(tmp_path, text, a=f"seed=1 pids={pids} stay child", b=f"uci seed=2 pids={pids} pace={pace}")
    run = begin("run", spec, "--out", out)
    wait_for(lambda: (out / "games.db").exists() and moves(out))
    pace.write_text("1.5")
    assert show(out)["state"] == "running"
    refused = gauntlet("resume", out)
    assert refused.returncode == 2 and "at work" in refused.stderr
    run.send_signal(number)
    assert run.wait(timeout=DEADLINE) == status
    nobody_lives(pids)
    found = show(out)
    assert found["state"] == "stopped" and 0 < found["played"] < 12
    kept = moves(out)
    pace.write_text("0")
    done = gauntlet("resume", out)
    assert done.returncode == 0, done.stderr
    after = moves(out)
    assert sorted(after) == list(range(1, 13)) and all(after[game] == line for game, line in kept.items())
    nobody_lives(pids)


def test_kill_9_at_ten_random_moments_loses_no_game_and_leaves_no_process(tmp_path: Path) -> None:
    pids, pace = tmp_path / "pids", tmp_path / "pace"
    pace.write_text("0.1")
    text = SHORT + "games = 60\ndepth = 3\n"
    spec = experiment(tmp_path, text, a=f"seed=1 pids={pids} stay child", b=f"uci seed=2 pids={pids} pace={pace}")
    hurt = kill_nine.ordeal(spec, tmp_path / "hurt", 10, seed=5, longest=1.5, after=lambda: pace.write_text("0"))
    nobody_lives(pids)
    assert gauntlet("run", spec, "--out", tmp_path / "calm").returncode == 0
    assert len(hurt) == 60 and hurt == kill_nine.moves(tmp_path / "calm")


def test_kill_9_of_everything_is_swept_up_at_the_next_start(tmp_path: Path) -> None:
    pids, out = tmp_path / "pids", tmp_path / "out"
    spec = experiment(tmp_path, SHORT + "games = 4\ndepth = 3\n", a=f"pids={pids} child pace=0.1", b="uci seed=2")
    run = begin("run", spec, "--out", out)
    wait_for(lambda: len(living(pids)) >= 4)
    children = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(run.pid)], capture_output=True, text=True
    ).stdout.split()
    # All are frozen first: else a slot may hear of its parent's death and tidy up before it is killed itself.
    for word in (signal.SIGSTOP, signal.SIGKILL):
        for victim in (run.pid, *map(int, children)):
            os.kill(victim, word)
    run.wait()
    time.sleep(0.2)
    assert living(pids)  # the children of the engines know of no death
    done = gauntlet("resume", out)
    assert done.returncode == 0
    nobody_lives(pids)
    assert "left behind" in (out / "run.log").read_text()


def test_a_slot_that_dies_costs_no_game(tmp_path: Path) -> None:
    out, pace = tmp_path / "out", tmp_path / "pace"
    pace.write_text("0.2")
    spec = experiment(tmp_path, SHORT + "games = 8\ndepth = 3\n", a=f"seed=1 pace={pace}", b="uci seed=2")
    run = begin("run", spec, "--out", out)
    wait_for(lambda: (out / "games.db").exists() and moves(out))
    pace.write_text("1.5")
    children = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(run.pid)], capture_output=True, text=True
    ).stdout.split()
    os.kill(int(children[0]), signal.SIGKILL)
    pace.write_text("0")
    text, _ = run.communicate(timeout=DEADLINE)
    assert run.returncode == 0, text
    assert sorted(moves(out)) == list(range(1, 9))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux gives orphans to another than init")
@pytest.mark.parametrize("stopped", [False, True])
def test_a_child_that_left_its_engines_session_ends_with_the_slot(tmp_path: Path, stopped: bool) -> None:
    pids = tmp_path / "pids"
    words = f"child daemon pids={pids}" + (" hang@3" if stopped else "")
    spec = experiment(tmp_path, SHORT + "games = 4\ndepth = 3\n", a=words, b="uci seed=2")
    run = begin("run", spec, "--out", tmp_path / "out")
    if stopped:
        wait_for(lambda: living(pids))
        run.terminate()
    text, _ = run.communicate(timeout=DEADLINE)
    assert run.returncode == (143 if stopped else 0), text
    assert len(pids.read_text().split()) >= 2
    nobody_lives(pids)


def test_an_sprt_stops_at_a_bound_on_complete_pairs(tmp_path: Path) -> None:
    text = SHORT + "games = 400\ndepth = 3\n[sprt]\nelo0 = 0\nelo1 = 100\n"
    spec = experiment(tmp_path, text, a="", b="say=resign@1")
    done = gauntlet("run", spec, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    found = show(tmp_path / "out")
    (pairing,) = found["pairings"]
    assert found["state"] == "done"
    assert pairing["sprt"]["verdict"] == "H1" and pairing["unpaired"] == 0 and 4 <= pairing["played"] < 200
    assert pairing["pentanomial"] == [0, 0, 0, 0, pairing["played"] // 2]
    assert "SPRT ends after" in done.stdout and "H1 accepted" in done.stdout
    again = gauntlet("resume", tmp_path / "out")
    assert again.returncode == 0 and show(tmp_path / "out")["played"] == found["played"]


def test_live_state_is_there_for_watchers_and_as_lines(tmp_path: Path) -> None:
    out = tmp_path / "out"
    spec = experiment(tmp_path, SHORT + "games = 6\ndepth = 3\n", a="seed=1 pace=0.12", b="uci seed=2")
    run = begin("run", spec, "--out", out, "--live-json")
    seen: list[dict[str, Any]] = []

    def playing() -> bool:
        try:
            seen.append(json.loads((out / "live.json").read_text()))
        except OSError:
            return False
        return bool(seen[-1]["slots"])

    wait_for(playing)
    text, _ = run.communicate(timeout=DEADLINE)
    assert run.returncode == 0
    (slot, *_) = seen[-1]["slots"]
    assert slot["white"] in ("a", "b") and len(slot["fen"].split()) == 6 and slot["slot"] in (0, 1)
    lines = [json.loads(line) for line in text.splitlines() if line.startswith('{"name"')]
    assert lines[-1]["state"] == "done" and lines[-1]["played"] == 6 and lines[-1]["pairings"][0]["played"] == 6
    assert json.loads((out / "live.json").read_text())["state"] == "done"


def test_engines_are_reused_unless_they_or_the_user_say_no(tmp_path: Path) -> None:
    for words, restart, starts in (("", False, 1), ("noreuse", False, 4), ("", True, 4)):
        folder = tmp_path / f"{words}{restart}"
        folder.mkdir()
        text = f"[experiment]\nmax_moves = 2\ngames = 4\ndepth = 2\nconcurrency = 1\nrestart = {str(restart).lower()}\n"
        spec = experiment(folder, text, a=f"{words} pids={folder / 'pids'}", b="uci seed=2")
        assert gauntlet("run", spec, "--out", folder / "out").returncode == 0
        assert len((folder / "pids").read_text().split()) == starts
