"""Scripted engines for the tests of the harness."""

from __future__ import annotations

import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("scripted.py")


def command(*words: str, uci: bool = False) -> tuple[str, ...]:
    """Returns the command of a scripted engine with these behaviours."""
    return (sys.executable, str(SCRIPT), *(("--uci",) if uci else ()), *words)


def hill(*words: str) -> tuple[str, ...]:
    """Returns the command of the engine whose strength is a known function of its options; see `tunable`."""
    return (sys.executable, str(SCRIPT.with_name("tunable.py")), *words)
