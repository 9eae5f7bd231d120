"""The scripts of benchmarks/ as modules."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from engine_process import ROOT

FOLDER = str(ROOT / "benchmarks")


def load(name: str) -> ModuleType:
    """The module of benchmarks/NAME.py."""
    if FOLDER not in sys.path:
        sys.path.append(FOLDER)  # a process that the script spawns needs it too
    return importlib.import_module(name)
