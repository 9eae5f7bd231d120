"""Runs `gauntlet` on experiments between scripted engines, as a user would."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import here

from fake_engines import command

ROOT = Path(__file__).resolve().parents[3]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def gauntlet(*words: str | Path, cwd: Path | None = None, seconds: float = 240) -> subprocess.CompletedProcess[str]:
    """Runs `gauntlet` to its end."""
    line = [sys.executable, "-m", "harness.cli", *map(str, words)]
    return subprocess.run(line, cwd=cwd, env=environment(), text=True, capture_output=True, timeout=seconds)


def begin(*words: str | Path) -> subprocess.Popen[str]:
    """Starts `gauntlet` and lets it run; Ctrl-C reaches it even if the tests were started in the background."""
    line = [sys.executable, "-m", "harness.cli", *map(str, words)]
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL) if os.name == "posix" else None
    return subprocess.Popen(
        line, env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=heed
    )


def experiment(folder: Path, text: str, **engines: str) -> Path:
    """Writes an experiment; `engines` gives the behaviours of each, after "uci " if it speaks UCI."""
    parts = [text, "[openings]", f'file = "{book(folder)}"']
    for name, words in engines.items():
        uci = words.startswith("uci ")
        line = shlex.join(command(*words.removeprefix("uci ").split(), uci=uci))
        parts += [f"[engines.{name}]", f"command = {json.dumps(line)}", f'protocol = "{"uci" if uci else "xboard"}"']
    path = folder / "test.toml"
    path.write_text("\n".join(parts) + "\n")
    return path


def book(folder: Path) -> Path:
    """Writes a small opening book and returns its path."""
    path = folder / "book.pgn"
    lines = ("1. e4 e5", "1. d4 d5", "1. c4 e5", "1. Nf3 d5", "1. e4 c5", "1. d4 Nf6", "1. e4 e6", "1. b3 e5")
    path.write_text("\n".join(f'[Event "line {n}"]\n\n{line} *\n' for n, line in enumerate(lines)))
    return path


def show(folder: Path) -> dict[str, Any]:
    """Returns the object that `gauntlet show --json` prints."""
    done = here.gauntlet("show", folder, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(found, dict)
    return found


def wait_for(condition: Callable[[], object], seconds: float = 120.0) -> None:
    """Waits until something is so; a machine that is busy may take its time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def living(pids: Path) -> list[int]:
    """Returns which of the processes whose numbers are in a file are running."""
    found = []
    for word in pids.read_text().split() if pids.exists() else []:
        try:
            state = Path(f"/proc/{word}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if state not in "ZX":
            found.append(int(word))
    return found
