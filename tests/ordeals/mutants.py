"""Faults put into the engine and the harness on purpose, each with the test that must catch it: proof that the tests can fail.

    python tests/ordeals/mutants.py             all faults; some five minutes of one core
    python tests/ordeals/mutants.py --list      their names
    python tests/ordeals/mutants.py NAME ...    only these

Run by hand, not by `make test`. It works on a copy of the built tree in a temporary directory: first every named test must pass
there, then one fault at a time is written into the copy, what it touches is rebuilt, and its test must fail. Exit status 1
when a fault was not caught, when its text does not occur exactly once any more, or when it does not build.
"""

from __future__ import annotations

import argparse
import difflib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from engine_faults import ENGINE_FAULTS  # noqa: E402
from fault import Fault  # noqa: E402
from harness_faults import HARNESS_FAULTS  # noqa: E402
from native import ROOT, run_group  # noqa: E402

FAULTS = ENGINE_FAULTS + HARNESS_FAULTS
PATIENCE = 1800.0  # seconds of CPU time for one build or one test
# Quick to compile; the other modules stay as they are.
FLAGS = "-O1 -fno-strict-aliasing -Wno-unused-function -Wno-unreachable-code"
NOT_NEEDED = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis")


def _left_behind(folder: str, names: list[str]) -> set[str]:
    """What a copy does without; `results` of runs, but not the commands of that name."""
    return NOT_NEEDED(folder, names) | ({"results"} if Path(folder) == ROOT else set())


class Workshop:
    """A copy of the built tree to break, and a second one to mend it from; both are gone on leaving."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="sortie-mutants-")
        self.clean = Path(self.folder.name) / "clean"
        self.tree = Path(self.folder.name) / "tree"

    def __enter__(self) -> Workshop:
        for copy in (self.clean, self.tree):
            shutil.copytree(ROOT, copy, ignore=_left_behind, symlinks=True)
        shared = ROOT.parent / "shared"
        if shared.exists():
            (Path(self.folder.name) / "shared").symlink_to(shared.resolve())
        return self

    def __exit__(self, *_: object) -> None:
        self.folder.cleanup()

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the tree: its `engine` is found first."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.tree),
            "SORTIE_CFLAGS": FLAGS,
            "SORTIE_PROFILE": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return run_group([sys.executable, *arguments], self.tree, environment, PATIENCE)

    def test(self, *names: str) -> subprocess.CompletedProcess[str]:
        """Run tests; status 0 when all passed, 1 when one failed."""
        return self.python("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *names)

    def build(self) -> subprocess.CompletedProcess[str]:
        """Build what has changed."""
        return self.python("-W", "ignore", "setup.py", "--quiet", "build_ext", "--inplace")

    def mend(self) -> None:
        """Put back every file that a fault, its build or its test has changed, with its old time, and remove new ones."""
        for part in ("engine", "harness", "build"):
            for path in (self.tree / part).rglob("*"):
                twin = self.clean / path.relative_to(self.tree)
                if path.is_dir():
                    continue
                if not twin.exists():
                    path.unlink()
                elif twin.stat().st_mtime_ns != path.stat().st_mtime_ns:
                    shutil.copy2(twin, path)


def broken(workshop: Workshop, fault: Fault) -> str:
    """Write a fault into the tree and run its test: `caught`, or what is wrong instead."""
    path = workshop.tree / fault.file
    text = path.read_text(encoding="utf-8")
    if text.count(fault.old) != 1:
        return f"its text occurs {text.count(fault.old)} times in {fault.file}"
    path.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
    try:
        built = None if fault.file.startswith("harness/") else workshop.build()
        if built is not None and built.returncode:
            return "does not build: " + (built.stdout + built.stderr).strip().splitlines()[-1]
        done = workshop.test(fault.test)
    except TimeoutError:
        return f"does not end within {PATIENCE:g} s of CPU time"
    finally:
        workshop.mend()
    if done.returncode == 0:
        return "NOT CAUGHT"
    if done.returncode in (1, -6, -11):  # a test failed, or the engine aborted or crashed in it
        return "caught"
    return f"pytest ended with status {done.returncode}: {(done.stdout + done.stderr).strip().splitlines()[-1]}"


def main() -> int:
    """Run the faults that were asked for and print a line for each."""
    parser = argparse.ArgumentParser(description="Put faults into a copy of the programs; the tests must catch them.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults to run (default: all)")
    parser.add_argument("--list", action="store_true", help="print the names and reasons and leave")
    chosen = parser.parse_args()
    known = {fault.name: fault for fault in FAULTS}
    for name in chosen.names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1, 0.4)
            parser.exit(
                2, f"no fault is called {name!r}{f', did you mean {near[0]!r}?' if near else ', --list names them'}\n"
            )
    faults = [known[name] for name in chosen.names] or list(FAULTS)
    if chosen.list:
        for fault in faults:
            print(f"{fault.name:<42}{fault.why}")
        return 0
    missed = 0
    with Workshop() as workshop:
        built = workshop.build()
        place = workshop.python("-c", "import engine.search.alphabeta; print(engine.search.alphabeta.__file__)").stdout
        if built.returncode or not place.startswith(str(workshop.tree)):
            print(f"the copy does not build or is not the one in use: {place}{built.stderr}", file=sys.stderr)
            return 1
        sound = workshop.test(*dict.fromkeys(fault.test for fault in faults))
        if sound.returncode:
            print(f"without any fault:\n{sound.stdout[-3000:]}{sound.stderr[-1000:]}", file=sys.stderr)
            return 1
        for fault in faults:
            began = time.monotonic()
            verdict = broken(workshop, fault)
            missed += verdict != "caught"
            print(f"{fault.name:<42}{verdict:<12}{time.monotonic() - began:5.0f} s  {fault.why}", flush=True)
    print(f"{len(faults) - missed} of {len(faults)} faults caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
