"""The live page: read-only, its own run only, in step with a run that goes on, gone when asked to go."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import browser
import psutil
import pytest
import synthetic
from fake_engines import command
from here import refusal
from reports import HOSTILE, SECTIONS, Shape, hostile, made_up

from harness.analysis.monitor import Monitor
from harness.analysis.tally import Tally
from harness.errors import BadInput
from harness.journal.journal import Journal
from harness.journal.record import pack
from harness.model import GameRecord
from harness.report import live_server as watch
from harness.report.page import render
from harness.schedule import jobs as schedule
from harness.schedule.pairing import pairings_of
from harness.spec.settings import Experiment

# Engines that mostly sleep: the browser needs the processor for itself.
SPEC = f"""
[experiment]
name = "live"
games = 1000
depth = 3
concurrency = 1
max_moves = 12
[engines.lmr-off]
command = {shlex.join(command("pace=0.03", "seed=2"))!r}
protocol = "xboard"
[engines.base]
command = {shlex.join(command("pace=0.03"))!r}
protocol = "xboard"
[sprt]
elo0 = -20
elo1 = 20
alpha = 0.0001
beta = 0.0001
"""


@contextmanager
def watching(folder: Path, *more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a `gauntlet watch` that is ended afterwards."""
    command = [sys.executable, "-m", "harness.cli", "watch", str(folder), "--port", "0", *more]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address), address or process.stderr.read()  # type: ignore[union-attr]
        yield address, process
    finally:
        process.kill()
        process.communicate()


def get(address: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body."""
    request = urllib.request.Request(address, headers=headers, method=method, data=b"x" if method == "POST" else None)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, {name.lower(): value for name, value in error.headers.items()}, error.read()


def test_it_serves_its_run_and_nothing_else(tmp_path: Path) -> None:
    made_up(tmp_path)
    (tmp_path / "secret.txt").write_text("secret")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with watching(tmp_path) as (address, process):
        status, headers, body = get(address)
        page = body.decode()
        assert status == 200 and headers["content-type"].startswith("text/html")
        assert re.findall(r'<section id="([a-z]+)"', page) == ["live", *SECTIONS]
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "connect-src 'self'" in policy and "unsafe-inline'; img" in policy
        assert headers["x-content-type-options"] == "nosniff" and headers["cache-control"] == "no-store"
        status, _, body = get(address + "state.json")
        state = json.loads(body)
        assert status == 200 and (state["state"], state["played"], state["slots"]) == ("done", 16, [])
        for path in (
            "games.db",
            "secret.txt",
            "../",
            "..%2f..%2fetc/passwd",
            "//etc/passwd",
            "report.html",
            "static/x",
        ):
            assert get(address + path)[0] == 404, path
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            assert get(address, method)[0] == 405, method
        assert get(address, Host="evil.example")[0] == 403
        assert get(address, Host="localhost:1")[0] == 200
        addresses = {
            found.laddr.ip for found in psutil.Process(process.pid).net_connections("inet") if found.status == "LISTEN"
        }
        assert addresses == {"127.0.0.1"}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    made_up(tmp_path)
    with watching(tmp_path) as (address, process):
        with socket.create_connection(("127.0.0.1", int(address.rstrip("/").rsplit(":", 1)[1]))):
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")


def test_mistakes_end_in_one_plain_line(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    run = made_up(tmp_path / "run")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for words, expected in (
            ([str(tmp_path / "none")], "no such folder"),
            ([str(tmp_path)], "is not a results folder"),
            ([str(run), "--port", port], f"127.0.0.1:{port} in use"),
            ([str(run), "--port", "70000"], "65535"),
            ([str(run), "--port", "0", "--host", "nowhere.invalid"], "nowhere.invalid"),
        ):
            assert expected in refusal("watch", *words)


@pytest.mark.parametrize("host", ["192.0.2.1", "two..dots", "x" * 70])
def test_an_address_of_another_machine_is_no_fault_of_the_port(host: str) -> None:
    with pytest.raises(BadInput, match=rf"^--host {re.escape(host)}: no such address"):
        watch.bind(host, 0)


def test_names_it_answers_to() -> None:
    assert watch.host_names("127.0.0.1") == frozenset({"localhost", "127.0.0.1", "::1"})
    assert watch.host_names("::1") and watch.host_names("LocalHost")
    assert watch.host_names("127.0.0.2") == frozenset({"localhost", "127.0.0.1", "::1", "127.0.0.2"})
    assert watch.host_names("0.0.0.0") is None and watch.host_names("192.168.1.5") is None


# The run as it goes on ------------------------------------------------------------------------------------------------


def _going_on(folder: Path) -> tuple[Journal, list[GameRecord], Monitor]:
    """A journal at work with no game yet, the games to come, and the run's own file."""
    found = synthetic.plan(folder)
    synthetic.journal(folder, found, [])
    journal = Journal(folder)
    journal.begin()
    monitor = Monitor(found, _tally(found), folder)
    games = [synthetic.record(job, "1-0") for job in schedule.jobs(found)]
    return journal, games, monitor


def _tally(found: Experiment) -> Tally:
    from harness.analysis.tally import PairingTally

    return Tally([PairingTally(pairing, found.games) for pairing in pairings_of(found)], schedule.scheduled(found))


def test_state_and_page_follow_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "STATE_EVERY", 0.0)
    monkeypatch.setattr(watch, "SOONEST", 0.0)
    monkeypatch.setattr(watch, "SHARE", 1e9)
    journal, games, monitor = _going_on(tmp_path)
    seen = watch.Watched(tmp_path)
    assert seen.state()["state"] == "running" and b"No game is finished yet" in seen.page()
    for number, game in enumerate(games, 1):
        assert journal.add(pack(game))
        if number % 4 == 0:
            assert seen.state()["played"] == number  # no live.json yet: the journal's own figures
    assert b"<b>16</b> of 16 games" in seen.page()
    monitor.slots[0] = {"game": 16, "white": 0, "black": 2, "fen": "8/8/8/8/8/8/8/8 w - - 0 1", "scores": [1, None]}
    monitor.write(force=True)
    assert seen.state()["slots"][0]["white"] == "lmr-off"
    journal.end(0, True)
    journal.close()
    last = seen.state()
    assert (last["state"], last["slots"], last["played"]) == ("done", [], 16)


def test_a_killed_run_shows_no_boards(tmp_path: Path) -> None:
    journal, games, monitor = _going_on(tmp_path)
    journal.add(pack(games[0]))
    monitor.slots[0] = {"game": 2, "white": 0, "black": 2, "fen": "8/8/8/8/8/8/8/8 w - - 0 1"}
    monitor.write(force=True)
    journal._db.execute("UPDATE runs SET pid = 2147483646")
    journal.close()
    state = watch.Watched(tmp_path).state()
    assert (state["state"], state["slots"], state["played"]) == ("stopped", [], 1)


ODD_TIME = '{"time": "x", "played": 16, "scheduled": 16, "pairings": [], "slots": [], "faults": {}}'


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"played": 1', "null", "[" * 100_000, ODD_TIME])
def test_a_broken_live_file_is_passed_over(tmp_path: Path, content: str) -> None:
    made_up(tmp_path)
    (tmp_path / "live.json").write_text(content)
    assert watch.Watched(tmp_path).state()["played"] == 16


def test_another_run_in_the_same_folder_is_not_mixed_with_the_first(tmp_path: Path) -> None:
    made_up(tmp_path)
    seen = watch.Watched(tmp_path)
    assert b"<b>16</b> of 16" in seen.page()
    os.rename(tmp_path / "games.db", tmp_path / "old.db")
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, [synthetic.record(job, "1-0") for job in schedule.jobs(found)][:3])
    assert b"<b>3</b> of 16" in seen.page()
    (tmp_path / "games.db").unlink()
    with pytest.raises((BadInput, OSError)):
        seen.page()


def test_a_folder_that_has_gone_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    watched = watch.Watched(made_up(tmp_path / "run"))
    (tmp_path / "run").rename(tmp_path / "away")
    for look in (watched.page, watched.state):
        with pytest.raises(BadInput, match=r"run/games\.db: cannot be read: No such file or directory$"):
            look()


def test_pages_are_built_seldom_and_only_when_something_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, games, _ = _going_on(tmp_path)
    built: list[int] = []
    whole = render.html

    def counted(*arguments: Any, **more: Any) -> str:
        built.append(1)
        return str(whole(*arguments, **more))

    monkeypatch.setattr(render, "html", counted)
    seen = watch.Watched(tmp_path)
    for game in games:
        journal.add(pack(game))
        seen.page()
    assert len(built) == 1
    assert seen._run.next_page - time.monotonic() > 1.0
    journal.end(0, True)
    journal.close()
    seen.page()  # the end of a run is shown at once
    seen.page()
    assert len(built) == 2
    again = Journal(tmp_path)
    again.begin()
    try:
        assert b'data-state="running"' in seen.page()  # and so is that it goes on
    finally:
        again.end(0, True)
        again.close()


def test_hostile_words_stay_text_on_the_live_page(tmp_path: Path) -> None:
    word = HOSTILE.replace("\u202e", "")
    shapes = []
    for name, said in (("tame", "x" * len(word)), ("wild", word)):
        (tmp_path / name).mkdir()
        shapes.append(Shape(watch.Watched(hostile(tmp_path / name, said)).page().decode()).tags)
    assert shapes[0] == shapes[1]


@pytest.mark.peers
def test_a_running_match_is_seen_advancing(tmp_path: Path) -> None:
    spec = tmp_path / "live.toml"
    spec.write_text(SPEC)
    folder = tmp_path / "out"
    line = [sys.executable, "-m", "harness.cli", "run", str(spec), "--out", str(folder)]
    with browser.chromium() as tab:
        run = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            end = time.monotonic() + 60
            while not (folder / "live.json").exists():
                assert run.poll() is None and time.monotonic() < end, run.stdout and run.stdout.read()
                time.sleep(0.1)
            with watching(folder) as (address, process):
                tab.open(address)
                live = "document.getElementById('live').dataset"
                first = int(
                    tab.wait(f"{live}.state === 'running' && {live}.played !== undefined && ({live}.played || '0')")
                )
                board = "document.getElementById('live-boards').innerHTML"
                tab.wait(f"{board}.includes('#piece-')")
                before = tab.run(f"return {board}")
                tab.wait(f"Number({live}.played) > {first}")
                tab.wait(f"{board} !== {json.dumps(before)}")
                assert "LLR" in tab.run("return document.getElementById('live-pairings').textContent")
                # One number of games, however old the sections below are; if they are, the page says so.
                lead = "Number(document.querySelector('.lead b').textContent)"
                behind = "document.getElementById('live-behind')"
                agree = f"{behind}.hidden === (Number(document.body.dataset.games) === {lead})"
                assert tab.run(f"return {lead} === Number({live}.played) && {agree}")
                # The sections below are renewed too, without reloading the page.
                shown = int(tab.run("return Number(document.body.dataset.games)"))
                tab.wait(f"Number(document.body.dataset.games) > {shown}")
                assert "lmr-off vs base" in tab.run("return document.getElementById('verdict').textContent")
                run.terminate()
                tab.wait(f"{live}.state !== 'running'")
                assert tab.run("return document.getElementById('live-boards').children.length") == 0
                assert tab.errors() == []
                # The watcher took next to nothing from the run.
                used = psutil.Process(process.pid)
                assert used.nice() >= min(19, os.nice(0) + watch.PRIORITY)
        finally:
            run.terminate()
            run.communicate(timeout=60)
