"""The node screen in a run's folder, checked when read: somebody may have edited it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.errors import BadInput
from harness.files import store

SCREEN_FILE = "screen.json"
RATIO = ("ratio", "error", "low", "high")  # what each variant has
# What each player may have.
FIGURES = (
    "nodes",
    "seconds",
    "time_ratio",
    "time_error",
    "time_low",
    "time_high",
    "ebf2",
    "first_move_cutoffs",
    "cut_index",
)


@dataclass(frozen=True, slots=True)
class NodeRatio:
    """Nodes of a over nodes of b by the node screen: geometric mean and its 95 % interval."""

    ratio: float
    error: float
    low: float
    high: float
    depth: int
    positions: int


def write_screen(result: Mapping[str, object], path: Path) -> None:
    """Writes a node screen, whole or not at all."""
    store(path, (json.dumps(result, indent=1) + "\n").encode())


def read_screen(folder: Path) -> dict[str, object] | None:
    """The node screen of a run, None if there was none."""
    path = folder / SCREEN_FILE
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not _is_screen(value):
        raise BadInput(f"{path}: is not the JSON of a node screen; remove it to see the run without one")
    return value


def _is_screen(value: Mapping[str, object]) -> bool:
    """Says whether a value has everything that pages and tables need of a screen."""
    variants, base = value.get("variants"), value.get("base_figures")
    if not isinstance(variants, list) or not all(isinstance(row, dict) for row in variants):
        return False
    if base is not None and not (isinstance(base, dict) and "name" in base):
        return False
    if not all(type(value.get(key)) is int for key in ("depth", "positions")):
        return False
    for row in variants:
        if (
            not isinstance(row.get("name"), str)
            or not all(_is_number(row.get(key)) for key in RATIO)
            or row["ratio"] <= 0
        ):
            return False
    figures = [row.get(key) for row in (*variants, base or {}) for key in FIGURES]
    return all(figure is None or _is_number(figure) for figure in figures)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def node_ratio(a: str, b: str, screen: Mapping[str, object] | None) -> NodeRatio | None:
    """The node ratio of a player to its base in a screen; None if the screen does not compare these two."""
    if screen is None or screen.get("base") != b:
        return None
    variants = screen.get("variants")
    for row in variants if isinstance(variants, list) else []:
        if row["name"] == a:
            depth, positions = screen["depth"], screen["positions"]
            assert isinstance(depth, int) and isinstance(positions, int)
            return NodeRatio(row["ratio"], row["error"], row["low"], row["high"], depth, positions)
    return None
