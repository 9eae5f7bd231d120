"""A fake Sortie for tests: it lists options and "searches" positions with node counts that depend on the options.

python fake_sortie.py options --json
python fake_sortie.py bench --depth D --suite FILE [--option NAME=VALUE]... --json
"""

from __future__ import annotations

import json
import sys
import zlib
from typing import Any

OPTIONS: list[dict[str, Any]] = [
    {"name": "Preset", "type": "combo", "default": "modern", "choices": ["modern", "winglet", "jazz", "bare"]},
    {"name": "LMR", "type": "combo", "default": "table", "choices": ["off", "oneply", "table"]},
    {"name": "History", "type": "combo", "default": "gravity", "choices": ["off", "original", "gated", "gravity"]},
    {"name": "Killers", "type": "combo", "default": "2", "choices": ["0", "1", "2"]},
    {"name": "TT", "type": "check", "default": "on", "choices": ["on", "off"]},
    {"name": "WindowWidth", "type": "spin", "default": 25, "min": 1, "max": 1000},
    {"name": "ClearHash", "type": "button", "default": ""},
]
FACTORS = {"LMR=off": 2.0, "History=off": 1.5, "TT=0": 3.0}


def bench(words: list[str]) -> dict[str, Any]:
    """Node counts: a number for the position, times 2 for each ply, times the factors of the options."""
    depth = int(words[words.index("--depth") + 1])
    with open(words[words.index("--suite") + 1]) as file:
        fens = file.read().splitlines()
    given = [words[i + 1] for i, word in enumerate(words) if word == "--option"]
    if "Preset=jazz" in given:
        sys.exit("bench: this one fails")
    factor = 1.0
    for option in given:
        factor *= FACTORS.get(option, 1.0)
    positions = []
    for fen in fens:
        seed = 1000 + zlib.crc32(fen.encode()) % 1000
        iterations = [int(seed * factor * 2**ply) for ply in range(1, depth + 1)]
        nodes = sum(iterations)
        stats = {"cutoffs": 200, "first_move_cutoffs": 180, "cut_index": [180, 20], "iterations": iterations}
        row = {
            "fen": fen,
            "depth": depth,
            "score": 0,
            "bestmove": "e2e4",
            "pv": [],
            "nodes": nodes,
            "qnodes": nodes // 2,
        }
        positions.append({**row, "seconds": nodes / 1e6, "stats": stats})
    return {"nodes": sum(row["nodes"] for row in positions), "positions": positions}


if __name__ == "__main__":
    if "--preset" in sys.argv:
        levels = {option["name"]: option["default"] for option in OPTIONS if option["type"] in ("combo", "check")}
        levels["Killers"] = "0" if sys.argv[sys.argv.index("--preset") + 1] == "bare" else "2"
        print(json.dumps({"switches": levels}))
    elif sys.argv[1:2] == ["options"]:
        print(json.dumps({"options": OPTIONS, "aliases": {"Hash": "TT"}}))
    else:
        print(json.dumps(bench(sys.argv[1:])))
