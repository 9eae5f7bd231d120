"""Engines from git: the commit that was asked for, built once, the same one when the run is taken up again."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fake_engines import command
from fake_engines.runs import begin, gauntlet, show
from here import refusal

from harness.engines import builds
from harness.engines.children import process_start, start_child
from harness.engines.process import monotonic
from harness.errors import BadInput
from harness.spec import registry

HEAD = "[experiment]\nkind = 'match'\ngames = 2\ndepth = 3\nmax_moves = 4\npatience = 60.0\nconcurrency = 1\n"


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two commits of an engine: the build makes `play` from `source`, and notes that it did."""
    monkeypatch.setenv("GAUNTLET_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "--quiet")
    for version in ("one", "two"):
        line = shlex.join([*command(f"name={version}", "seed=1")])
        (folder / "source").write_text(f'#!/bin/sh\nexec {line} "$@"\n')
        git(folder, "add", "source")
        git(folder, "commit", "--quiet", "-m", version)
        git(folder, "tag", version)
    return folder


def spec(folder: Path, **engines: str) -> Path:
    """An experiment between commits of the repository."""
    build = f"echo built >> {folder / 'builds'}; cp source play; chmod +x play"
    text = HEAD
    for name, more in engines.items():
        text += f"[engines.{name}]\ngit = 'repo'\ncommand = 'play'\nprotocol = 'xboard'\n{more}\n"
        if "build" not in more:
            text += f"build = {json.dumps(build)}\n"
    path = folder / "x.toml"
    path.write_text(text)
    return path


def test_a_build_goes_on_where_nobody_reads_that_it_begins(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = builds.find(str(repository), "two", "cp source play")
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stderr", full)
        assert (builds.built(source) / "play").exists()
        monkeypatch.undo()


def test_without_a_ref_it_is_the_commit_that_the_repository_is_at(repository: Path) -> None:
    """Also when it has gone to another branch since it was first fetched, and when that one is gone."""
    assert builds.find(str(repository), "HEAD", "").commit == git(repository, "rev-parse", "two")
    git(repository, "checkout", "--quiet", "-b", "other", "one")
    git(repository, "commit", "--quiet", "--allow-empty", "-m", "three")
    assert builds.find(str(repository), "HEAD", "").commit == git(repository, "rev-parse", "other")
    assert builds.find(str(repository), "HEAD~1", "").commit == git(repository, "rev-parse", "one")
    git(repository, "checkout", "--quiet", "-b", "last")
    git(repository, "branch", "--quiet", "-D", "other")
    git(repository, "commit", "--quiet", "--allow-empty", "-m", "four")
    assert builds.find(str(repository), "HEAD", "").commit == git(repository, "rev-parse", "last")
    assert builds.find(str(repository), "main", "").commit == git(repository, "rev-parse", "two")


def test_each_commit_is_built_once_and_plays(tmp_path: Path, repository: Path) -> None:
    path = spec(tmp_path, new="ref = 'two'", old="ref = 'one'", again="ref = 'main'")
    path.write_text(path.read_text().replace("kind = 'match'", "kind = 'roundrobin'"))
    done = gauntlet("run", path, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "builds").read_text().count("built") == 2  # main is two
    log = (tmp_path / "out" / "run.log").read_text()
    assert 'new calls itself "two"' in log and 'old calls itself "one"' in log and 'again calls itself "two"' in log
    text = (tmp_path / "out" / "experiment.toml").read_text()
    assert git(repository, "rev-parse", "one") in text and "'main'" not in text
    # The branch moves, the repository goes: what was begun stays what it is.
    os.rename(repository, tmp_path / "gone")
    assert gauntlet("resume", tmp_path / "out").returncode == 0
    assert show(tmp_path / "out")["played"] == 6 and (tmp_path / "builds").read_text().count("built") == 2


def test_a_build_that_was_broken_off_is_made_anew(tmp_path: Path, repository: Path) -> None:
    path = spec(tmp_path, new="ref = 'two'", old="ref = 'one'")
    assert gauntlet("run", path, "--out", tmp_path / "out").returncode == 0
    for mark in (tmp_path / "cache" / "engines").glob("*/.gauntlet-built"):
        mark.unlink()
        (mark.parent / "play").unlink()
    assert gauntlet("run", path, "--out", tmp_path / "second").returncode == 0
    assert (tmp_path / "builds").read_text().count("built") == 4


@pytest.mark.parametrize(
    "more, expected",
    [
        ("ref = 'three'", 'has no branch, tag or commit "three"'),
        ("ref = '--upload-pack=x'", "must not begin with -"),
        ("ref = 'two'\nbuild = 'echo no compiler here; exit 3'", "fails with status 3: no compiler here"),
        ("ref = 'two'\nbuild = 'true'", "no program play in the tree that was built"),
        ("ref = 2", "ref must be a string, not 2"),
    ],
)
def test_what_cannot_be_built_is_told_in_a_line(tmp_path: Path, repository: Path, more: str, expected: str) -> None:
    done = gauntlet("run", spec(tmp_path, a=more, b="ref = 'one'"), "--out", tmp_path / "out")
    assert done.returncode == 2 and expected in done.stderr and "[engines.a]" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr and not (tmp_path / "out").exists()


def test_a_repository_must_be_there_and_build_needs_one(tmp_path: Path, repository: Path) -> None:
    path = spec(tmp_path, a="ref = 'two'", b="ref = 'one'")
    text = path.read_text()
    for old, new, expected in (
        ("git = 'repo'\n", "git = 'nowhere'\n", "git nowhere: "),
        ("git = 'repo'\n", f"git = '{path}'\n", "fatal: invalid gitfile format: "),
        ("git = 'repo'\n", "", "ref needs git"),
    ):
        path.write_text(text.replace(old, new, 1))
        assert expected in refusal("run", path, "--out", tmp_path / "out")


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a program ends no other's children")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_build_ends_with_the_run_that_asked_for_it(tmp_path: Path, repository: Path, number: signal.Signals) -> None:
    pid = tmp_path / "pid"
    slow = f"sh -c 'echo $$ > {pid}; exec sleep 600'; true"
    path = spec(tmp_path, new=f"build = {json.dumps(slow)}", old="ref = 'one'")
    run = begin("run", path, "--out", tmp_path / "out")
    deadline = monotonic() + 120
    while not (pid.exists() and pid.read_text().strip()):
        assert monotonic() < deadline and run.poll() is None
        time.sleep(0.02)
    run.send_signal(number)
    run.communicate(timeout=240)
    assert run.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number] and not (tmp_path / "out").exists()
    while process_start(int(pid.read_text())):
        assert monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a program ends no other's children")
def test_a_stop_at_the_start_of_a_build_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signal arrives when the build already works and its start has not yet returned."""
    pid = tmp_path / "pid"
    (tmp_path / "tree").mkdir()

    class Stopped(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stopped

    def stopped_at_once(line: str, **settings: object) -> object:
        child = start_child(line, **settings)
        while not (pid.exists() and pid.read_text().strip()):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)
        return child

    monkeypatch.setattr(builds, "start_child", stopped_at_once)
    before = signal.signal(signal.SIGTERM, stop)
    try:
        with pytest.raises(Stopped):
            source = builds.Source("repo", "0" * 40, f"sh -c 'echo $$ > {pid}; exec sleep 600'; true")
            builds._run(source, tmp_path / "tree")
    finally:
        signal.signal(signal.SIGTERM, before)
    deadline = monotonic() + 60
    while process_start(int(pid.read_text())):
        assert monotonic() < deadline
        time.sleep(0.02)


def test_a_build_is_waited_for_in_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal between the last look at signals and a wait without end would be seen when the build ends: in ten minutes."""
    waits: list[float | None] = []

    class Child:
        pid = 2**22 + 1  # beyond the largest there can be

        def wait(self, timeout: float | None = None) -> int:
            waits.append(timeout)
            if len(waits) == 1 and timeout is not None:
                raise subprocess.TimeoutExpired("build", timeout)
            return 0

    monkeypatch.setattr(builds, "start_child", lambda line, **settings: Child())
    (tmp_path / "tree").mkdir()
    builds._run(builds.Source("repo", "0" * 40, "true"), tmp_path / "tree")
    assert len(waits) == 2 and None not in waits


def test_a_user_without_a_home_is_told_what_to_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In a container a user may have no entry; `~` then stayed as it was, and became a folder of that name."""

    def homeless() -> Path:
        raise RuntimeError

    for name in ("GAUNTLET_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(BadInput, match="name a folder in GAUNTLET_CACHE"):
        builds.cache()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GAUNTLET_ENGINES", raising=False)
    monkeypatch.setattr("click.get_app_dir", lambda name: f"~/.config/{name}")
    with pytest.raises(BadInput, match="name a file in GAUNTLET_ENGINES"):
        registry.save({})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GAUNTLET_ENGINES", "~/x/engines.toml")
    assert registry.path() == tmp_path / "home" / "x" / "engines.toml"
    assert not list(tmp_path.iterdir())
