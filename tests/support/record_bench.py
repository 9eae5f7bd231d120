"""Bench signatures: node counts of fixed searches. `python tests/support/record_bench.py` records intended changes.

Those of the presets are in a file beside this one; that of the default engine is in the engine, whose `--version` shows it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from positions import QUIET, search

from engine.model import Limits
from engine.play.options import Settings
from engine.tools import bench
from engine.tools.bench import DEFAULT_DEPTH, POSITIONS, run

FILE = Path(__file__).with_name("bench_signatures.json")
# Depths that take some tens of milliseconds for a position.
DEPTHS = {"modern": 9, "winglet": 4, "moreland": 4, "jazz": 6, "mediocre": 6, "vicki": 4, "bare": 3}


def preset_signature(preset: str) -> int:
    """Nodes of a preset over fixed positions at its depth, each from empty tables."""
    return sum(search(fen, DEPTHS[preset], Preset=preset).nodes for fen in QUIET)


def bench_signature() -> int:
    """What `sortie bench` prints: nodes of the default engine over the bench positions."""
    return run(list(POSITIONS), Limits(depth=DEFAULT_DEPTH), Settings()).nodes


def record() -> None:
    """Records the signatures of this kernel."""
    source = Path(bench.__file__)
    text = re.sub(r"(?m)^SIGNATURE = \d+", f"SIGNATURE = {bench_signature()}", source.read_text())
    source.write_text(text)
    FILE.write_text(json.dumps({"presets": {preset: preset_signature(preset) for preset in DEPTHS}}, indent=2) + "\n")


if __name__ == "__main__":
    record()
    print(FILE.read_text(), f"bench {bench_signature()}", sep="")
