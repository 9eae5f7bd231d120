"""The debug log and the pipes to and from the GUI, as functions."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from engine.protocol.lines import read_lines
from engine.protocol.output import Log, Output

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


def test_a_pipe_that_does_not_block_is_read_and_written_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    source, sink = os.pipe()
    for end in (source, sink):
        os.set_blocking(end, False)
    lines = [f"{number} {'x' * 1000}" for number in range(300)]  # more than a pipe holds
    found: list[str | None] = []
    monkeypatch.setattr("engine.protocol.lines.LEAVE_S", 0)
    monkeypatch.setattr("os._exit", lambda status: found.append("gone"))
    reader = threading.Thread(target=read_lines, args=(source, found.append), daemon=True)
    reader.start()
    for line in lines:
        Output(sink, Log()).line(line)
    os.close(sink)
    reader.join(20)
    assert found == [*lines, "", None, "gone"]
    os.close(source)


def test_the_time_to_leave_is_the_engines_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script writes all its lines at once and closes the pipe; on a busy machine it got no answer."""
    source, sink = os.pipe()
    os.close(sink)
    for used, wall, slept in ((0.1, 0.2, 7), (0.0, 1.0, 3)):
        clock = [0.0, 0.0, 0]

        def sleep(seconds: float, clock: list[float] = clock, used: float = used, wall: float = wall) -> None:
            clock[:] = clock[0] + used, clock[1] + wall, clock[2] + 1

        monkeypatch.setattr("engine.protocol.lines.time.process_time", lambda clock=clock: clock[0])
        monkeypatch.setattr("engine.protocol.lines.time.monotonic", lambda clock=clock: clock[1])
        monkeypatch.setattr("engine.protocol.lines.time.sleep", sleep)
        monkeypatch.setattr("os._exit", lambda status: None)
        read_lines(source, lambda line: None)
        assert clock[2] in (slept, slept + 1)
    os.close(source)
