"""Native code built for tests: a module that opens the kernel's C functions, and an engine with sanitizers."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
# Limits are seconds of CPU time: at low priority on two busy cores half a minute of work takes ten minutes of wall time.
BUILD_CPU = 600.0  # the kernel with sanitizers takes 36
STALL = 900.0  # seconds of wall time in which no CPU time at all is used
LOOK_EVERY = 1.0  # seconds

SANITIZE = "-fsanitize=address,undefined"
CHECKED = "-fno-strict-aliasing -Wno-unused-function"
# With -Og and line numbers only it compiles in two fifths of the time of -O1 -g, and runs as fast.
DEBUG_FLAGS = f"-Og -g1 {CHECKED} -fno-omit-frame-pointer {SANITIZE} -fno-sanitize-recover=all"

PROBE_SETUP = """
from Cython.Build import cythonize
from setuptools import Extension, setup

extension = Extension(
    "probe", ["probe.pyx"], extra_compile_args={flags!r}, extra_link_args={link!r}, define_macros={macros!r}
)
directives = dict(language_level=3, infer_types=True, cdivision=True, boundscheck=False, wraparound=False)
modules = cythonize([extension], include_path=[{include!r}], compiler_directives=directives)
setup(name="probe", ext_modules=modules)
"""


def digest(paths: list[Path], extra: str) -> str:
    """A hash of files and settings: if it is equal, nothing has to be rebuilt."""
    sha = hashlib.sha256((sys.version + extra).encode())
    for path in sorted(paths):
        sha.update(str(path).encode())
        sha.update(path.read_bytes())
    return sha.hexdigest()


def lock(descriptor: int) -> None:
    """Wait for the lock of an open file. The system releases it when a process dies, however it dies."""
    if sys.platform == "win32":
        import msvcrt

        while True:  # each call gives up after ten seconds
            with contextlib.suppress(OSError):
                msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
                return
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX)


@contextlib.contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Lets one process at a time build in a folder, because test workers run in parallel."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / ".lock", os.O_CREAT | os.O_RDWR)
    try:
        lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def kill_group(process: subprocess.Popen[str]) -> None:
    """Kill a process that was started in a group of its own, with all that it has started."""
    if os.name == "nt":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def cpu_of(process: subprocess.Popen[str]) -> float:
    """Seconds of CPU time used by a process and its descendants, including those that have ended."""
    total = 0.0
    with contextlib.suppress(psutil.Error):
        root = psutil.Process(process.pid)
        for member in (root, *root.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                total += sum(member.cpu_times()[:4])  # user and system time, its own and that of children waited for
    return total


def run_group(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str], cpu: float, stall: float = STALL
) -> subprocess.CompletedProcess[str]:
    """Run a command and collect its output. However the wait ends, nothing that it started is left running.

    TimeoutError, with the end of its output, if it has used more than `cpu` seconds of CPU time, or none for
    `stall` seconds of wall time.
    """
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    used, moved = 0.0, time.monotonic()
    try:
        while True:
            try:
                output, errors = process.communicate(timeout=min(LOOK_EVERY, stall))
                return subprocess.CompletedProcess(command, process.returncode, output, errors)
            except subprocess.TimeoutExpired:
                now = cpu_of(process)
            if now > used:
                used, moved = now, time.monotonic()
            idle = time.monotonic() - moved
            if used > cpu or idle > stall:
                kill_group(process)
                output, errors = process.communicate()
                reason = f"{used:.0f} s of CPU time used" if used > cpu else f"nothing done for {idle:.0f} s"
                raise TimeoutError(f"{' '.join(command)}: {reason}, killed\n{(output + errors)[-2000:]}")
    finally:
        kill_group(process)


def run_setup(folder: Path, environment: dict[str, str]) -> None:
    """Run `setup.py build_ext --inplace` in a folder; RuntimeError with the compiler's output if it fails."""
    command = [sys.executable, "-W", "ignore", "setup.py", "--quiet", "build_ext", "--inplace"]
    done = run_group(command, folder, {**os.environ, **environment}, BUILD_CPU)
    if done.returncode:
        raise RuntimeError(f"{folder}: build failed\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}")


def fresh(folder: Path, stamp: str) -> bool:
    """Whether the folder holds what `stamp` describes."""
    mark = folder / ".stamp"
    return mark.exists() and mark.read_text() == stamp


def engine_files() -> list[Path]:
    """The files for another build of the engine: sources, headers and the shipped network."""
    return [path for kind in ("*.py", "*.pxd", "*.net") for path in (ROOT / "engine").rglob(kind)]


def build_probe(debug: bool = False) -> Path:
    """Builds the `probe` module, which calls C functions of the kernel directly, and returns its folder."""
    folder = ROOT / "build" / ("probe-debug" if debug else "probe")
    include = ROOT / "build" / "debug" if debug else ROOT
    flags = (DEBUG_FLAGS if debug else f"-O1 {CHECKED}").split()
    if platform.machine().lower() in ("x86_64", "amd64"):
        flags.append("-mpopcnt")
    source = Path(__file__).with_name("probe.pyx")
    stamp = digest([source, *(ROOT / "engine").rglob("*.pxd")], PROBE_SETUP + str(flags))
    with only_one(folder):
        if not fresh(folder, stamp):
            shutil.copy(source, folder / "probe.pyx")
            macros = [("SORTIE_DEBUG", "1")] if debug else []
            link = [SANITIZE] if debug else []
            text = PROBE_SETUP.format(flags=flags, link=link, macros=macros, include=str(include))
            (folder / "setup.py").write_text(text)
            run_setup(folder, {"PYTHONPATH": str(include)})
            (folder / ".stamp").write_text(stamp)
    return folder


def build_debug() -> Path:
    """Builds an engine with assertions, recomputed keys and sanitizers, and returns its folder, build/debug."""
    folder = ROOT / "build" / "debug"
    sources = engine_files()
    stamp = digest([*sources, ROOT / "setup.py"], DEBUG_FLAGS)
    flags = folder / ".flags"
    with only_one(folder):
        if not fresh(folder, stamp):
            if not flags.exists() or flags.read_text() != DEBUG_FLAGS:
                for compiled in ("build", "engine"):
                    shutil.rmtree(folder / compiled, ignore_errors=True)
                flags.write_text(DEBUG_FLAGS)
            for old in (folder / "engine").rglob("*.p*"):
                if old.is_file() and not (ROOT / old.relative_to(folder)).exists():
                    old.unlink()
            for source in (*sources, ROOT / "setup.py"):
                target = folder / source.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                # Unchanged files keep their times, so that only what has changed is recompiled.
                if not target.exists() or target.read_bytes() != source.read_bytes():
                    shutil.copyfile(source, target)
            run_setup(folder, {"SORTIE_DEBUG": "1", "SORTIE_CFLAGS": DEBUG_FLAGS, "SORTIE_LDFLAGS": SANITIZE})
            (folder / ".stamp").write_text(stamp)
    return folder


def sanitizer_library() -> str | None:
    """The sanitizer's run-time library, which must be loaded before Python; None if the compiler has none."""
    compiler = shutil.which("gcc")
    if compiler is None:
        return None
    found = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    return found if os.path.isabs(found) else None


def debug_environment(folder: Path) -> dict[str, str]:
    """The environment in which Python imports the debug engine and its sanitizers abort on the first fault."""
    library = sanitizer_library()
    if library is None:
        raise RuntimeError("the sanitizer library is not installed")
    return {
        **os.environ,
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "PYTHONPATH": str(folder),
        "SORTIE_DEBUG_TESTS": "1",
    }


if __name__ == "__main__":
    print(build_debug())
