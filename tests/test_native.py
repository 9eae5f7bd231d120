"""What builds native code for tests leaves nothing running, and builds one at a time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import native
import psutil
import pytest

SLEEPER = "import time; time.sleep(60)"
# Starts a grandchild, as a build starts compilers, and tells its number.
PARENT = f"import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', '{SLEEPER}']).pid, flush=True)"


def gone(pid: int) -> bool:
    """Whether a process ends by itself before it would; one that waits for its parent to notice counts as ended."""
    limit = time.monotonic() + 50  # it sleeps for longer
    while time.monotonic() < limit:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False


BUSY = "while True: pass"


@pytest.mark.parametrize(
    ("rest", "cpu", "stall", "reason"),
    [(SLEEPER, 60.0, 4.0, "nothing done for"), (BUSY, 0.5, 60.0, "of CPU time used")],
    ids=["stands still", "runs away"],
)
def test_a_run_without_end_is_killed_with_all_that_it_started(
    tmp_path: Path, rest: str, cpu: float, stall: float, reason: str
) -> None:
    with pytest.raises(TimeoutError, match=reason) as late:
        native.run_group([sys.executable, "-c", f"{PARENT}\n{rest}"], tmp_path, os.environ, cpu, stall)
    assert gone(int(str(late.value).splitlines()[-1]))


def test_the_work_of_children_counts(tmp_path: Path) -> None:
    """A build does nothing itself: its compilers do."""
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY!r}])"
    with pytest.raises(TimeoutError, match="of CPU time used"):
        native.run_group([sys.executable, "-c", child], tmp_path, os.environ, 0.5)


def test_a_run_that_ends_takes_along_what_it_started(tmp_path: Path) -> None:
    """The pipes are closed in the grandchild, or the wait would be for it."""
    script = PARENT.replace("'])", "'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)")
    done = native.run_group([sys.executable, "-c", script], tmp_path, os.environ, 30.0)
    assert done.returncode == 0 and gone(int(done.stdout))


def test_the_lock_outlives_no_process(tmp_path: Path) -> None:
    """A builder that was killed with the lock in its hands does not keep the next one waiting."""
    script = f"import sys, time; sys.path.insert(0, {str(Path(native.__file__).parent)!r}); import native, pathlib\n"
    script += "with native.only_one(pathlib.Path('.')): print('held', flush=True); time.sleep(60)"
    holder = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        started = time.monotonic()
        waiter = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        try:
            time.sleep(0.3)
            assert waiter.poll() is None
            holder.kill()
            assert waiter.stdout is not None and waiter.stdout.readline() == "held\n"
            assert 0.3 <= time.monotonic() - started < 50  # the holder would sleep for longer
        finally:
            waiter.kill()
            waiter.communicate()
    finally:
        holder.kill()
        holder.communicate()
