"""One process: lines in pieces, deadlines, floods, clocks, and an end that takes all its kin along."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from harness.engines.process import EngineProcess, Gone, monotonic


def python(code: str, record: Path | None = None, **env: str) -> EngineProcess:
    return EngineProcess([sys.executable, "-u", "-c", code], env=env, record=record)


def soon(seconds: float = 10) -> float:
    return monotonic() + seconds


def test_lines_come_whole_however_they_are_cut() -> None:
    code = (
        "import os,time\n"
        "for part in (b'on', b'e\\ntwo\\r\\n\\n', b'f', b'o\\xc3', b'\\xbcr\\nfive'):\n"
        "    os.write(1, part); time.sleep(0.02)\n"
    )
    process = python(code)
    assert [process.line(soon()) for _ in range(4)] == ["one", "two", "", "foür"]
    with pytest.raises(Gone):
        process.line(soon())
    assert list(process.last_lines()) == ["< one", "< two", "< ", "< foür"]
    process.kill()


def test_an_engine_starts_although_the_disk_has_no_room_to_note_it() -> None:
    process = python("print('ready')", record=Path("/dev/full"))
    assert process.line(soon()) == "ready"
    process.kill()


def test_a_wait_ends_at_its_deadline() -> None:
    process = python("import time; time.sleep(60)")
    began = monotonic()
    assert process.line(began + 0.2) is None
    assert 0.19 <= monotonic() - began < 50  # the engine sleeps for longer
    process.kill()
    assert process.exit_code is not None


def test_lines_that_came_in_time_are_read_after_the_deadline(tmp_path: Path) -> None:
    said = tmp_path / "said"
    process = python(f"print('ready', flush=True); open({str(said)!r}, 'w')")
    until = soon()
    while not said.exists():
        assert monotonic() < until
        time.sleep(0.01)
    assert process.line(monotonic() - 1) == "ready"
    process.kill()


@pytest.mark.parametrize("what", ["b'x' * 60 + b'\\n'", "b'x' * 60000"], ids=["lines", "no-line"])
def test_a_flood_without_end_does_not_move_the_deadline(what: str) -> None:
    process = python(f"import os\nblock = ({what}) * 1000\nwhile True: os.write(1, block)")
    deadline, until = soon(0.2), soon()
    while process.line(deadline) is not None:
        assert monotonic() < until, "it reads on for ever"
        if process.peek() is None:
            time.sleep(0.02)  # who looks into each line is slower than the engine: there is always more in the pipe
    process.kill()


def test_a_stop_of_ours_moves_the_deadline_for_all_lines_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    process = python("print('thinking'); input(); print('move'); input()")
    stopped = 0.0
    waits = process._poll

    class Suspended:
        """A wait that takes a hundred seconds more than it should."""

        def poll(self, milliseconds: int) -> list[tuple[int, int]]:
            nonlocal stopped
            events = waits.poll(10_000)
            stopped = 100.0
            return events

    monkeypatch.setattr("harness.engines.process.monotonic", lambda: monotonic() + stopped)
    process._poll = Suspended()  # type: ignore[assignment]
    deadline = soon()
    assert process.line(deadline) == "thinking" and process.paused > 90
    process._poll = waits
    process.send("go on\n")
    assert process.line(deadline) == "move"
    process.kill()


def test_a_reader_that_never_reads_does_not_block_the_sender() -> None:
    process = python("import time; time.sleep(60)")
    began = monotonic()
    for _ in range(100):
        process.send("x" * 100_000 + "\n")
    process.line(monotonic() + 0.1)
    assert monotonic() - began < 50  # the engine sleeps for longer
    process.kill()


def test_what_the_pipe_did_not_take_is_sent_while_waiting() -> None:
    code = "import sys,time; time.sleep(0.3); print(len(sys.stdin.readline())); print(sys.stdin.readline())"
    process = python(code)
    process.send("y" * 300_000 + "\n")
    process.send("next\n")
    assert process.line(soon()) == "300001"
    assert process.line(soon()) == "next"
    process.kill()


def test_standard_error_is_drained_into_a_tail() -> None:
    process = python("import os\nfor i in range(20000): os.write(2, b'trouble %d\\n' % i)\nprint('done')")
    assert process.line(soon()) == "done"
    until = soon()
    while not (tail := process.stderr_tail()).endswith("trouble 19999\n"):
        assert monotonic() < until
        time.sleep(0.01)
    assert len(tail) <= 1 << 13
    process.kill()


def test_an_endless_line_is_cut_and_the_next_one_is_whole() -> None:
    process = python("import os\nos.write(1, b'z' * 500_000 + b'\\nafter\\n')")
    first = process.line(soon())
    assert first is not None and set(first) == {"z"} and len(first) <= 1 << 17
    assert process.line(soon()) == "after"
    assert process.long_lines == 1
    process.kill()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the clock of another process is Linux's")
def test_processor_time_is_the_engines_own() -> None:
    process = python(
        "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\nprint(1)\ninput()"
    )
    assert process.line(soon()) == "1"
    used = process.cpu()
    assert used is not None and 0.3 <= used < 5
    process.kill()
    assert process.cpu() is None


def test_the_exit_status_is_known() -> None:
    process = python("import sys; sys.exit(7)")
    with pytest.raises(Gone):
        process.line(soon())
    deadline = soon()
    while process.exit_code is None and monotonic() < deadline:
        time.sleep(0.01)
    assert process.exit_code == 7 and process.kill() == 7


def test_quit_is_gentle_first_and_then_not(tmp_path: Path) -> None:
    gentle = python(f"input(); open({str(tmp_path / 'bye')!r}, 'w')")
    gentle.quit("quit\n")
    assert (tmp_path / "bye").exists() and gentle.exit_code == 0
    stubborn = python("import time, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)")
    began = monotonic()
    stubborn.quit("quit\n", 0.2)
    assert stubborn.exit_code == -9 and monotonic() - began < 50  # it would sleep for longer


def test_environment_and_directory_are_the_engines_own(tmp_path: Path) -> None:
    process = EngineProcess(
        [sys.executable, "-c", "import os; print(os.environ['COLOUR'], os.getcwd())"], str(tmp_path), {"COLOUR": "ß"}
    )
    assert process.line(soon()) == f"ß {tmp_path}"
    process.kill()


def test_a_missing_program_is_an_os_error() -> None:
    with pytest.raises(OSError):
        EngineProcess(["no-such-program-at-all"])


def test_a_program_whose_interpreter_is_missing_says_so(tmp_path: Path) -> None:
    program = tmp_path / "engine"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    with pytest.raises(FileNotFoundError, match="interpreter or loader is missing"):
        EngineProcess([str(program)])
