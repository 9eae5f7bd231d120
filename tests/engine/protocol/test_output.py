"""The debug log, as functions."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from engine.protocol.output import Log

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes among its files")


def test_a_pipe_that_nobody_reads_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    said = []

    def attempt() -> None:
        with pytest.raises(ValueError) as refusal:
            Log().open(str(pipe))
        said.append(str(refusal.value))

    opening = threading.Thread(target=attempt, daemon=True)
    opening.start()
    opening.join(20)
    assert said == [f"log {pipe}: No such device or address"]


def test_a_reader_that_falls_behind_does_not_hold_the_engine_up(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    log = Log()
    log.open(str(pipe))
    for _ in range(300):
        log.write("<", "x" * 1000)  # more than a pipe holds
    assert os.read(reader, 100).endswith(b"x")
    os.close(reader)
    log.write("<", "nobody reads")
    log.open("")
