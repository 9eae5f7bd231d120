"""The live page stops, pauses and widens a run for who knows its token, and for nobody else."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import browser
import pytest
from fake_engines.runs import begin, environment, experiment
from here import refusal
from reports import made_up

from harness.journal import control

TOKEN = "let-me-in-please"


@contextmanager
def watching(folder: Path, *more: str) -> Iterator[str]:
    """The address that `gauntlet watch` prints."""
    words = [sys.executable, "-m", "harness.cli", "watch", str(folder), "--port", "0", *more]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment())
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def post(address: str, body: bytes, token: str | None = TOKEN) -> tuple[int, str]:
    """Status and text."""
    headers = {"X-Gauntlet-Token": token} if token is not None else {}
    request = urllib.request.Request(address + "control", data=body, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_who_has_the_token_controls_the_run(tmp_path: Path) -> None:
    text = "[experiment]\nconcurrency = 1\nmax_moves = 6\npatience = 60.0\ndepth = 3\ngames = 400\n"
    spec, out = experiment(tmp_path, text, a="seed=1 pace=0.02", b="uci seed=2 pace=0.02"), tmp_path / "out"
    run = begin("run", spec, "--out", out)
    deadline = time.monotonic() + 60
    while not (out / "live.json").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with watching(out, "--token", TOKEN) as printed:
        match = re.fullmatch(r"(http://127\.0\.0\.1:\d+/)#token=" + TOKEN, printed)
        assert match
        address = match[1]
        for token in ("wrong-token", "", None):
            assert post(address, b'{"do": "stop"}', token)[0] == 403
        for body in (
            b"",
            b"[]",
            b"{}",
            b'{"do": "fly"}',
            b'{"slots": "2"}',
            b'{"slots": true}',
            b'{"slots": 0}',
            b"[" * 900,
        ):
            status, said = post(address, body)
            assert status == 409 and len(said.splitlines()) == 1
        assert control.read(out) == control.Wish()
        assert post(address, b'{"slots": 3}') == (200, f"{out}: 3 games at a time from now on\n")
        assert post(address, b'{"do": "pause"}')[0] == 200
        assert control.read(out) == control.Wish("pause", 3)
        assert post(address, b'{"do": "stop"}')[0] == 200
        assert run.wait(timeout=60) == 130
        assert post(address, b'{"do": "play"}')[0] == 409


@pytest.mark.peers
def test_the_buttons_of_the_page_do_what_they_say(tmp_path: Path) -> None:
    text = "[experiment]\nconcurrency = 1\nmax_moves = 40\npatience = 60.0\ndepth = 3\ngames = 4000\n"
    spec, out = experiment(tmp_path, text, a="seed=1 pace=0.02", b="uci seed=2 pace=0.02"), tmp_path / "out"
    said = "document.querySelector('#live-control [role=status]').textContent"
    line = "document.getElementById('live-line').textContent"
    with browser.chromium() as tab:
        run = begin("run", spec, "--out", out)
        try:
            deadline = time.monotonic() + 120
            while not (out / "live.json").exists():
                assert run.poll() is None and time.monotonic() < deadline
                time.sleep(0.05)
            with watching(out, "--token", TOKEN) as printed:
                tab.open(printed.replace(TOKEN, "another-token"))
                tab.wait(f"{line}.includes('running')")
                tab.click("#live-control [data-do=pause]")
                tab.wait(f"{said}.includes('the token is not the one of this page')")
                tab.open("about:blank")  # an address that differs behind the # alone does not load a page
                tab.open(printed)
                tab.wait(f"{line}.includes('running')")
                assert control.read(out) == control.Wish()
                tab.click("#live-control [data-do=pause]")
                tab.wait(f"{said}.includes('begins no game until')")
                tab.wait(f"{line}.includes('paused')")
                tab.click("#live-control [data-do=play]")
                tab.wait(f"{said}.includes('goes on')")
                tab.wait(f"!{line}.includes('paused')")
                tab.enter("#live-control input", "2")
                tab.wait(f"{said}.includes('2 games at a time from now on')")
                tab.wait("document.getElementById('live-boards').children.length === 2")
                tab.enter("#live-control input", "0")
                tab.wait(f"{said}.includes('slots must be 1 to 4096, not 0')")
                assert control.read(out) == control.Wish("play", 2)
                tab.click("#live-control [data-do=stop]")
                tab.wait(f"{said}.includes('stops when the games in play have ended')")
                assert run.wait(timeout=120) == 130
                tab.wait("document.getElementById('live').dataset.state === 'stopped'")
                # Nobody is there any more to be asked.
                tab.wait("document.getElementById('live-control').hidden")
                assert [error for error in tab.errors() if "status of 40" not in error] == []
        finally:
            run.kill()
            run.communicate()


def test_without_a_token_the_page_only_shows(tmp_path: Path) -> None:
    made_up(tmp_path)
    with watching(tmp_path) as address:
        assert post(address, b'{"do": "stop"}')[0] in (404, 405)
        page = urllib.request.urlopen(address, timeout=60).read().decode()
    assert re.search(r'id="live-control" hidden', page) and TOKEN not in page
    assert not (tmp_path / control.FILE).exists()


@pytest.mark.parametrize("token", ["short", "with blank inside", "quote'quote"])
def test_a_token_that_can_be_guessed_is_refused(tmp_path: Path, token: str) -> None:
    made_up(tmp_path)
    assert refusal("watch", tmp_path, "--token", token).startswith("--token")
