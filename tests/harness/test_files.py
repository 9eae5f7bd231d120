"""Files as users name them, and as messages name them to users."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.files import file_to_make, for_shell, store
from harness.journal import control
from harness.journal.journal import Journal, Reader
from harness.run import start
from harness.run.display import Display
from harness.run.folder import results_folder, show_end
from harness.slots.local import Pool
from harness.spec import reader


@pytest.mark.parametrize("text", ["results/lmr", "my run", "-x", "-x/y z", "/a/b'c", "$HOME", "zwölf"])
def test_a_path_in_a_command_is_one_word_and_no_option(text: str) -> None:
    (word,) = shlex.split(for_shell(Path(text)))
    assert Path(word) == Path(text) and not word.startswith("-")
    assert for_shell("results/lmr-2") == "results/lmr-2"


def test_a_command_that_a_message_names_can_be_copied(tmp_path: Path) -> None:
    folder = tmp_path / "my run"
    folder.mkdir()
    Journal.create(folder, {"experiment": "", "seed": "1", "scheduled": "2", "version": "0"}, []).close()
    command = f"gauntlet resume '{folder}'"
    with pytest.raises(BadInput, match=command):
        results_folder(str(folder), "x")
    with pytest.raises(BadInput, match=command):
        control.ask(folder, control.STOP)
    os.truncate(folder / "games.db", 4096)
    with pytest.raises(BadInput, match=command):
        Reader(folder)


META = {"experiment": "", "scheduled": "2", "version": "0"}


def test_of_two_runs_that_begin_in_one_folder_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other makes its journal in the same moment."""

    def host() -> str:
        monkeypatch.undo()
        Journal.create(tmp_path, {**META, "seed": "2"}, []).close()
        return "here"

    monkeypatch.setattr("socket.gethostname", host)
    with pytest.raises(BadInput, match="there are results already"):
        Journal.create(tmp_path, {**META, "seed": "1"}, [])
    assert os.listdir(tmp_path) == ["games.db"]
    with Reader(tmp_path) as kept:
        assert kept.meta["seed"] == "2"


def test_a_run_that_is_refused_leaves_the_experiment_of_the_other(tmp_path: Path) -> None:
    Journal.create(tmp_path, {**META, "seed": "1"}, []).close()
    (tmp_path / "experiment.toml").write_text("the other's")
    text = "[engines.a]\ncommand = 'python3'\n[engines.b]\ncommand = 'python3'\n"
    found = reader.parse("[experiment]\n" + text, "x.toml", tmp_path, check=False)
    with pytest.raises(BadInput, match="there are results already"):
        start._begin(found, 2, tmp_path, Display, Pool, show_end, True)
    assert (tmp_path / "experiment.toml").read_text() == "the other's"


def test_a_file_system_without_links_can_hold_a_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    Journal.create(tmp_path, {**META, "seed": "1"}, []).close()
    assert os.listdir(tmp_path) == ["games.db"]


def test_a_results_folder_may_be_under_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shell leaves `--out=~/lmr` as it is."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert results_folder("~/lmr", "x") == tmp_path / "home" / "lmr"
    assert (tmp_path / "home" / "lmr").is_dir() and not list((tmp_path / "here").iterdir())


def test_each_run_without_out_gets_a_folder_that_was_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if another run that begins at the same moment has not yet written to its own."""
    monkeypatch.chdir(tmp_path)
    assert [str(results_folder(None, "a/b")) for _ in range(3)] == ["results/a-b", "results/a-b-2", "results/a-b-3"]
    (tmp_path / "results" / "x").touch()
    assert str(results_folder(None, "x")) == "results/x-2"


def test_results_that_cannot_be_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").symlink_to("unmounted/disk")
    with pytest.raises(BadInput, match="^results: cannot be made: File exists$"):
        results_folder(None, "x")


def test_a_file_to_make_may_be_under_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert file_to_make("~/x.net") == tmp_path / "x.net"
    with pytest.raises(BadInput, match="~/no/x.net: expected a file in a folder that exists"):
        file_to_make("~/no/x.net")


def test_who_may_read_a_file_is_up_to_the_umask_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    before = os.umask(0o077)
    try:
        store(path, b"one")
        assert path.stat().st_mode & 0o777 == 0o600
        path.chmod(0o640)
        store(path, b"two")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640 and path.read_bytes() == b"two"
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]
