"""Tuning runs for people: a row for each parameter, and what to do with the values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.analysis.tuned import TUNED, TuningSummary
from harness.tables.grid import Grid, say

if TYPE_CHECKING:
    from rich.console import Console


def parameters_table(found: TuningSummary) -> Grid:
    """A row for each parameter: present value, start, steps moved, bounds, how far it is moved to each side."""
    table = Grid(
        {"parameter": False, "value": True, "start": True, "steps": True, "least": True, "most": True, "±": True}
    )
    for one in found.parameters:
        figures = [f"{number:.6g}" for number in (one.value, one.start)]
        bounds = [f"{number:g}" for number in (one.least, one.most)]
        table.add([one.name, *figures, f"{one.steps:+.2f}", *bounds, f"{one.reach:.3g}"])
    return table


def lines(found: TuningSummary) -> list[str]:
    """A line for each parameter, for people and programs: `tune.margin   78 -> 83.2517   send 83`."""
    return [f"{one.name}   {one.start:g} -> {one.value:.6g}   send {one.sent}" for one in found.parameters]


def sentence(found: TuningSummary) -> str:
    """What the figures mean."""
    moved = sum(1 for one in found.parameters if abs(one.steps) >= 1)
    return (
        f"Tuned {found.engine} in {found.done} of {found.iterations} pairs of games: {moved} of {len(found.parameters)} "
        "parameters moved by a step or more. That the values are better is not shown yet: a match has to show it."
    )


def print_end(out: Console, folder: Path, found: TuningSummary) -> None:
    """The parameters, what they mean, and a line for each."""
    parameters_table(found).print(out)
    say(out, sentence(found))
    if (folder / TUNED).exists():
        say(out, f"To test them: gauntlet run {folder / TUNED}")
    out.print()
    for line in lines(found):
        out.print(line, soft_wrap=True)
