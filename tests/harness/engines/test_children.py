"""Child processes: found as a shell finds them, told apart, started without a scratch, ended with all their kin."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from harness.engines import children
from harness.engines.children import STOPS, alive, boot, find_command, held_back, process_start, start_child, sweep
from harness.engines.process import EngineProcess, monotonic, run_delay

ROOT = Path(__file__).resolve().parents[3]


def soon(seconds: float = 10) -> float:
    return monotonic() + seconds


@pytest.mark.skipif(os.name != "posix", reason="between fork and exec there is nothing elsewhere")
@pytest.mark.parametrize("number", STOPS)
def test_a_signal_between_fork_and_exec_ends_the_child_and_raises_nowhere(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the harness has it: handlers that raise, in a child that is still a copy of it."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(children, "die_with_parent", lambda _: os.kill(os.getpid(), number))
    before = signal.signal(number, stop)
    try:
        child = start_child([sys.executable, "-c", "print(1)"], stdout=subprocess.PIPE)
        assert child.communicate()[0] == b"" and child.returncode == -number
        assert signal.getsignal(number) is stop
    finally:
        signal.signal(number, before)


@pytest.mark.skipif(os.name != "posix", reason="signals are held back on POSIX")
def test_a_child_inherits_no_blocked_signal_and_an_ignored_one_stays_ignored() -> None:
    code = "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, ()), signal.getsignal(signal.SIGTERM).name)"
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with held_back(STOPS):
            child = start_child([sys.executable, "-c", code], stdout=subprocess.PIPE)
        assert child.communicate()[0].split() == [b"set()", b"SIG_IGN"]
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.skipif(os.name != "posix", reason="signals are held back on POSIX")
def test_a_signal_that_another_thread_receives_is_held_back_too() -> None:
    """As libraries start threads of their own, which block nothing."""
    reached = []
    over = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: reached.append("raised"))
    other = threading.Thread(target=over.wait)
    other.start()
    try:
        with held_back(STOPS):
            assert other.ident is not None
            signal.pthread_kill(other.ident, signal.SIGTERM)
            for _ in range(10):
                time.sleep(0.001)
            reached.append("left")
        assert reached == ["left", "raised"]
    finally:
        over.set()
        other.join()
        signal.signal(signal.SIGTERM, before)


def test_programs_are_found_as_a_shell_does(tmp_path: Path) -> None:
    script = tmp_path / "engine with blanks"
    script.write_text("#!/bin/sh\necho hello\n")
    assert find_command(str(script)) is None and find_command("no-such-program-at-all") is None
    script.chmod(0o755)
    assert find_command(str(script)) == str(script)
    assert find_command("./engine with blanks", str(tmp_path)) == str(script)
    process = EngineProcess(["./engine with blanks"], str(tmp_path))
    assert process.line(soon()) == "hello"
    process.kill()


def test_a_process_is_known_by_its_number_and_its_start() -> None:
    me = os.getpid()
    start = process_start(me)
    assert start and alive(me, start) and not alive(me, start + 1) and not alive(me, 0)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert process_start(ended.pid) == 0
    assert run_delay() >= 0


def test_the_sweep_ends_what_is_recorded_and_nothing_else(tmp_path: Path) -> None:
    record = tmp_path / "processes"
    ours = EngineProcess([sys.executable, "-c", "import time; time.sleep(60)"], record=record)
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    with open(record, "a") as file:
        start = process_start(other.pid)
        file.write(f"{other.pid} {start + 1} 1 {boot()}\n")  # a reused number
        file.write(f"{other.pid} {start} 1 before-a-restart\nnonsense\n99")
    assert sweep(record, parent=1) == 0
    assert sweep(record) == 1
    assert not record.exists() and sweep(record) == 0
    assert ours._popen.wait(5) == -9
    assert other.poll() is None
    other.kill()
    other.wait()
    ours.kill()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the parent-death signal is Linux's")
def test_an_engine_dies_with_its_parent(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from harness.engines.process import EngineProcess\n"
        "e = EngineProcess([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(e.pid, flush=True); import time; time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(ROOT)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    start = process_start(child)
    assert alive(child, start)
    parent.kill()
    parent.wait()
    deadline = soon()
    while alive(child, start) and monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(child, start)
