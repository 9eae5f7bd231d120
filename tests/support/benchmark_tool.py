"""The scripts of benchmarks/ as modules."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

from engine_process import ROOT


def load(name: str) -> ModuleType:
    """The module of benchmarks/NAME.py."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
