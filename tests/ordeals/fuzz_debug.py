"""The fuzz tests of both protocols against the engine with sanitizers.

    python tests/ordeals/fuzz_debug.py [LINES]      100,000 lines of each by default

About ten minutes on an idle core. The exit status is pytest's.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import native  # noqa: E402

FOR_THE_ENGINE = ("LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS", "PYTHONPATH", "PYTHONMALLOC")


def main(lines: int) -> int:
    """Build the debug engine if a source has changed, then send it so many lines."""
    debug = native.debug_environment(native.build_debug())
    settings = [f"{name}={debug[name]}" for name in FOR_THE_ENGINE]
    # -P: the engine of the checkout's directory must not be found first.
    command = ["env", *settings, sys.executable, "-P", "-m", "engine"]
    environment = {**os.environ, "SORTIE_FUZZ_LINES": str(lines), "SORTIE_COMMAND": shlex.join(command)}
    fuzz = [f"tests/engine/protocol/test_{protocol}_fuzz.py" for protocol in ("xboard", "uci")]
    tests = [sys.executable, "-m", "pytest", *fuzz, "-q", "-p", "no:xdist", "--durations=0"]
    return subprocess.call(tests, cwd=native.ROOT, env=environment)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
