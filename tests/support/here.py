"""Runs `gauntlet` in the process of the tests, for what plays no games: half a second less than a process of its own."""

from __future__ import annotations

import io
import signal
from contextlib import chdir, nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess

from harness import cli


def gauntlet(*words: str | Path, cwd: Path | None = None) -> CompletedProcess[str]:
    """What the command prints and its exit status; what would be a traceback of it is one of the test."""
    line = list(map(str, words))
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    heed = signal.getsignal(signal.SIGTERM)
    status: str | int | None = None
    try:
        with redirect_stdout(out), redirect_stderr(err), chdir(cwd) if cwd else nullcontext():
            cli.main(line)
    except SystemExit as end:
        status = end.code
    finally:
        signal.signal(signal.SIGTERM, heed)
    assert isinstance(status, int)
    return CompletedProcess(line, status, *(stream.buffer.getvalue().decode() for stream in (out, err)))


def refusal(*words: str | Path, cwd: Path | None = None) -> str:
    """The line in which the command says what is wrong with its words; it prints nothing else."""
    done = gauntlet(*words, cwd=cwd)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    return done.stderr
