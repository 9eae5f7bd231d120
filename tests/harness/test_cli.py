"""The command line of gauntlet: commands found by name, mistakes told in a line, exit statuses."""

from __future__ import annotations

import codecs
import errno
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import here
import pytest
import synthetic
from fake_engines import command
from fake_engines.runs import ROOT, environment, experiment, gauntlet, show

from harness import cli
from harness.schedule import jobs as schedule

COMMANDS = ("run", "resume", "show", "pgn", "stats", "nodes", "check", "verify")


def test_the_help_lists_every_command() -> None:
    done = gauntlet("--help")
    assert done.returncode == 0
    for name in COMMANDS:
        assert f"\n  {name} " in done.stdout
    assert gauntlet().stdout == done.stdout


def test_a_group_of_commands_alone_lists_them() -> None:
    done = gauntlet("engines")
    assert done.returncode == 0 and done.stdout == gauntlet("engines", "--help").stdout and "\n  add " in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_knows_its_options(name: str) -> None:
    done = here.gauntlet(name, "--help")
    assert done.returncode == 0 and done.stdout.startswith("Usage: gauntlet " + name)
    assert "--no-such-option" in here.refusal(name, "--no-such-option")


def test_the_version_is_said() -> None:
    done = gauntlet("--version")
    assert done.returncode == 0 and done.stdout.startswith("gauntlet ")


@pytest.mark.parametrize(
    "words, expected",
    [
        (["rnu", "x"], 'no command "rnu": did you mean "run"?'),
        (["run"], "SPEC"),
        (["run", "no-such-file.toml"], "no-such-file.toml"),
        (["run", "headlin"], 'did you mean "headline"'),
        (["run", "x.toml", "--games", "many"], "--games"),
        (["resume", "no-such-folder"], "no-such-folder: no such folder"),
        (["show", str(ROOT / "README.md")], "README.md: is not a results folder"),
        (["resume", "."], "games.db"),
        (["ratings", __file__], "test_cli.py: is not a results folder"),
        (["verify", "no-such-folder"], "no-such-folder"),
        (["show", "no-such-folder"], "no-such-folder"),
        (["show", ""], "gauntlet show: an argument is empty"),
        (["keys", "sprt", "--markdown"], "--markdown prints all tables and takes no TABLE"),
        (["stats", "--wdl", "9999999999999999,1,1"], "at most 12 digits"),
        (["stats", "--wdl", "1,1,1", "--alpha", "1e-320"], "--alpha must be 1e-09 or more and below 0.5"),
        (["ablate", "--most", "nan"], "--most must be 1 or more, not nan"),
        (["ablate", "--time", "soon"], '--time must be a string like "2+0.02"'),
        (["ablate", "--nodes", "0"], "--nodes must be 1 or more, not 0"),
        (["ablate", "--concurrency", "0"], "--concurrency must be 1 or more, not 0"),
        (["ablate", "--hours", "inf"], "--hours must be above 0 and 100,000 or less, not inf"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(tmp_path: Path, words: list[str], expected: str) -> None:
    assert expected in here.refusal(*words, cwd=tmp_path)


def test_results_are_never_overwritten(tmp_path: Path) -> None:
    spec = experiment(tmp_path, '[experiment]\nname = "näme"\nmax_moves = 1\ngames = 2\ndepth = 1\n', a="", b="uci")
    for folder in ("näme", "näme-2"):
        done = gauntlet("run", spec, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout.splitlines()[-1] == f"results: results/{folder}"
    assert "gauntlet resume" in here.refusal("run", spec, "--out", "results/näme", cwd=tmp_path)
    (tmp_path / "file").write_text("")
    here.refusal("run", spec, "--out", "file", cwd=tmp_path)


def test_a_name_that_is_no_text_is_refused_in_a_line_where_it_must_be_kept(tmp_path: Path) -> None:
    spec = experiment(tmp_path, "[experiment]\nmax_moves = 1\ngames = 2\ndepth = 1\n", a="", b="uci")
    spec.with_name("ü.toml").write_text(spec.read_text())

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "harness.cli", "run", *words]
        poor = {**environment(), "LC_ALL": "C", "PYTHONUTF8": "0"}
        return subprocess.run(line, cwd=tmp_path, env=poor, text=True, capture_output=True, timeout=240)

    done = run("ü.toml")
    assert done.returncode == 2 and done.stderr == "gauntlet: ü: expected a name in ascii, the encoding of names here\n"
    assert not (tmp_path / "results").exists()
    assert run("test.toml", "--out", "ö").returncode == 0 and "--out ö" in (tmp_path / "ö" / "run.log").read_text()


def test_figures_keep_their_signs_where_there_is_only_ascii() -> None:
    codecs.register_error("replaced", cli._replace_unencodable)
    assert "12\u00a0%±3●\udcff".encode("ascii", "replaced") == b"12 %+-3?\xff"


def test_a_changed_experiment_is_not_resumed(tmp_path: Path) -> None:
    spec = experiment(tmp_path, "[experiment]\nmax_moves = 1\ngames = 4\ndepth = 1\n", a="", b="uci die=1")
    assert gauntlet("run", spec, "--out", tmp_path / "out").returncode == 1
    kept = (tmp_path / "out" / "experiment.toml").read_text()
    (tmp_path / "out" / "experiment.toml").write_text(kept.replace("depth = 1", "depth = 2"))
    assert "was changed" in here.refusal("resume", tmp_path / "out")
    (tmp_path / "out" / "experiment.toml").unlink()
    assert gauntlet("resume", tmp_path / "out").returncode == 1
    assert (tmp_path / "out" / "experiment.toml").read_text() == kept


def test_the_written_experiment_plays_the_same_games_again(tmp_path: Path) -> None:
    text = "[experiment]\nmax_moves = 3\ngames = 4\ndepth = 1\nseed = 5\n"
    spec = experiment(tmp_path, text, a="seed=1", b="uci seed=2")
    assert gauntlet("run", spec, "--out", tmp_path / "one").returncode == 0
    again = gauntlet("run", tmp_path / "one" / "experiment.toml", "--out", tmp_path / "two")
    assert again.returncode == 0, again.stderr

    def moves(name: str) -> str:
        lines = here.gauntlet("pgn", tmp_path / name).stdout.splitlines()
        return "\n".join(
            line for line in lines if not line.startswith(("[Date", "[Event", "[Site")) and "s}" not in line
        )

    assert moves("one") == moves("two")


def test_a_reader_that_leaves_does_not_end_the_run(tmp_path: Path) -> None:
    text = "[experiment]\nmax_moves = 2\ngames = 6\ndepth = 1\n"
    spec = experiment(tmp_path, text, a="pace=0.02", b="uci abort")
    line = [sys.executable, "-m", "harness.cli", "run", str(spec), "--out", str(tmp_path / "out")]
    run = subprocess.Popen(line, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    assert run.stdout is not None and run.stderr is not None
    run.stdout.readline()
    run.stdout.close()
    errors = run.stderr.read()
    run.wait(30)
    run.stderr.close()
    assert b"Traceback" not in errors
    assert show(tmp_path / "out")["played"] == 6


@pytest.mark.parametrize("words", [["stats", "--wdl", "1,1,1"], ["show", "."]])
def test_a_reader_that_has_left_is_no_failure(tmp_path: Path, words: list[str]) -> None:
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, [synthetic.record(job, "1-0") for job in schedule.jobs(found)])
    inlet, outlet = os.pipe()
    os.close(inlet)
    line = [sys.executable, "-m", "harness", *words]
    done = subprocess.run(
        line, env=environment(), cwd=tmp_path, stdout=outlet, stderr=subprocess.PIPE, text=True, timeout=60
    )
    os.close(outlet)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", [["--version"], ["keys"], ["stats", "--wdl", "1,1,1"], ["claims", "C7"]])
def test_output_on_a_full_disk_is_a_failure_told_in_a_line(words: list[str]) -> None:
    line = [sys.executable, "-m", "harness", *words]
    buffered = {key: value for key, value in environment().items() if key != "PYTHONUNBUFFERED"}
    with open("/dev/full", "w") as full:
        done = subprocess.run(line, env=buffered, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, f"gauntlet: standard output: {os.strerror(errno.ENOSPC)}\n")


@pytest.mark.parametrize(
    "words", [["stats", "--wdl", "1,1,1"], ["keys"], ["run", "x.toml", "--out", "out"], ["stats", "--wdl", "1"]]
)
@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_closed_stream_leads_nowhere(tmp_path: Path, words: list[str], closed: int) -> None:
    line = f"command = {json.dumps(shlex.join(command()))}"
    (tmp_path / "x.toml").write_text(f"[experiment]\ndepth = 1\ngames = 2\n[engines.a]\n{line}\n[engines.b]\n{line}\n")
    done = subprocess.run(
        [sys.executable, "-m", "harness", *words],
        cwd=tmp_path,
        env=environment(),
        stdin=None if closed == 0 else subprocess.DEVNULL,
        stdout=None if closed == 1 else subprocess.PIPE,
        stderr=None if closed == 2 else subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.close(closed),
        timeout=120,
    )
    assert done.returncode == (2 if words[-1] == "1" else 0), done.stderr
    assert (done.stderr or "").count("\n") == (words[-1] == "1" and closed != 2)
    if words[0] == "run":
        assert show(tmp_path / "out")["played"] == 2


def test_stats_says_of_a_run_what_show_says(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, [synthetic.record(job, "1-0") for job in schedule.jobs(found)])
    told = json.loads(here.gauntlet("stats", tmp_path, "--json").stdout.splitlines()[-1])["pairings"]
    shown = show(tmp_path)["pairings"]
    assert len(told) == len(shown) > 0
    for one, other in zip(told, shown, strict=True):
        assert one["pentanomial"] == other["pentanomial"] and one["elo_low"] is not None
        for key in ("elo", "elo_error", "los", "elo_low", "elo_high"):
            assert one[key] == pytest.approx(other[key]), key


def test_commands_pay_only_for_what_they_import() -> None:
    code = "import sys, harness.cli; print(sorted(m for m in sys.modules if m in ('chess', 'numpy', 'rich', 'scipy')))"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
    code = (
        "import sys, harness.slots.process; print(sorted(m for m in sys.modules if m in ('numpy', 'rich', 'sqlite3')))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("module", ["click", "harness.errors", "harness.commands.tools.keys"])
def test_an_interrupt_while_modules_load_is_no_traceback(module: str) -> None:
    interrupted = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {module!r}:\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from harness.cli import main\n"
        "main(['keys'])\n"
    )
    done = subprocess.run([sys.executable, "-c", interrupted], env=environment(), text=True, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize(
    ("package", "words", "extra"),
    [
        ("chess", ["run", "smoke"], "harness"),
        ("rich", ["stats", "--wdl", "1,1,1"], ""),
        ("distributed", ["run", "smoke", "--cluster", "local:1"], "harness,cluster"),
    ],
)
def test_without_its_extras_a_line_says_what_to_install(
    package: str, words: list[str], extra: str, tmp_path: Path
) -> None:
    blocked = (
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name.partition('.')[0] == {package!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "from harness.cli import main\n"
        f"main({words!r})\n"
    )
    line = [sys.executable, "-c", blocked]
    done = subprocess.run(line, cwd=tmp_path, env=environment(), text=True, capture_output=True)
    if not extra:
        assert done.returncode == 0, done.stderr
        return
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert f"the package {package} is not installed; pip install 'sortie-chess[{extra}]'" in done.stderr


@pytest.mark.parametrize(
    ("reason", "told"), [("CPU ISA level is lower than required", True), ("undefined symbol", False)]
)
def test_a_processor_that_lacks_the_builds_instructions_is_told_plainly(
    reason: str, told: bool, tmp_path: Path
) -> None:
    """The compiled module of training is refused as the loader would refuse it."""
    refused = (
        "import sys\n"
        "class Refused:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name.startswith('harness.training.kernel'):\n"
        f"            raise ImportError('kernel.so: {reason}', name=name)\n"
        "sys.meta_path.insert(0, Refused())\n"
        "from harness.cli import main\n"
        "main(['train', 'games.pos', '--out', 'small.net'])\n"
    )
    (tmp_path / "games.pos").write_bytes(b"Sortie positions 1\n".ljust(32, b"\0") + bytes(32))
    line = [sys.executable, "-c", refused]
    done = subprocess.run(line, cwd=tmp_path, env=environment(), text=True, capture_output=True)
    if not told:
        assert reason in done.stderr and "Traceback" in done.stderr
        return
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert "SSE4.2" in done.stderr and "make native" in done.stderr
