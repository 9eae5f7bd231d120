"""The GitHub action's script, run as the action runs it: the verdict as exit status, the table for summary and comment."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
SORTIE = f"{shlex.quote(sys.executable)} -m engine"


def compare(folder: Path, new: str, old: str) -> tuple[int, str, str]:
    """Exit status, summary and outputs of the step that plays the match."""
    programs = folder / "bin"
    programs.mkdir()
    gauntlet = programs / "gauntlet"
    gauntlet.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m harness.cli "$@"\n')
    gauntlet.chmod(0o755)
    given = {"NEW": new, "OLD": old, "SPRT": "0,100", "LIMIT": "--nodes 300", "GAMES": "80", "OPTIONS": "--seed 3"}
    files = {"GITHUB_STEP_SUMMARY": str(folder / "summary"), "GITHUB_OUTPUT": str(folder / "output")}
    environment = {
        **os.environ,
        **given,
        **files,
        "RESULTS": str(folder / "gauntlet"),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    # Every input that the script is given is one that the action passes.
    assert all(re.search(rf"^ +{name}: \$", ACTION, re.MULTILINE) for name in given)
    bash = shutil.which("bash")
    assert bash is not None
    words = [bash, str(ROOT / "release" / "compare.sh")]
    done = subprocess.run(words, cwd=folder, env=environment, text=True, capture_output=True, timeout=300)
    return done.returncode, (folder / "summary").read_text(), (folder / "output").read_text()


@pytest.mark.parametrize("better", [True, False])
def test_the_step_ends_by_the_verdict_and_leaves_a_table(tmp_path: Path, better: bool) -> None:
    good, bad = SORTIE, f"{SORTIE} --option Preset=bare"
    status, summary, output = compare(tmp_path, *((good, bad) if better else (bad, good)))
    assert status == (0 if better else 1)
    table = summary.strip().splitlines()
    assert len(table) == 3 and table[0].startswith("| match | games |")
    assert ("H1 accepted" if better else "H0 accepted") in table[2]
    assert output == f"results={tmp_path / 'gauntlet'}\ntable<<END_OF_TABLE\n{summary.strip()}\nEND_OF_TABLE\n"
    assert (tmp_path / "gauntlet" / "games.db").exists()


def test_a_job_may_use_the_action_twice(tmp_path: Path) -> None:
    (tmp_path / "gauntlet").mkdir()
    (tmp_path / "gauntlet" / "games.db").touch()
    status, _, output = compare(tmp_path, "no-such-engine", "no-such-engine")
    assert status == 2 and output.startswith(f"results={tmp_path / 'gauntlet-2'}\n")
