"""Tuning runs for people: a row for each parameter, and what to do with the values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.analysis.tuned import TUNED, TuningSummary
from harness.files import for_shell
from harness.tables.grid import Grid, say
from harness.tables.numbers import elo, probability
from harness.terminal.numbers import figures, noun, plain

if TYPE_CHECKING:
    from rich.console import Console

WORTH = "up, not down: Elo"  # what moving a parameter up rather than down has been worth
SEEN = 0.05  # by chance less probable than this: some parameter matters


def parameters_table(found: TuningSummary) -> Grid:
    """A row for each parameter: value, start, steps moved, bounds, how far it is moved to each side and what up is worth."""
    right = ("value", "start", "steps", "least", "most", "±", WORTH)
    table = Grid({"parameter": False, **dict.fromkeys(right, True)})
    for one in found.parameters:
        moved = [figures(one.value), plain(one.start), f"{one.steps:+.2f}"]
        bounds = [plain(one.least), plain(one.most)]
        table.add([one.name, *moved, *bounds, figures(one.reach, 3), elo(one.outcome())])
    return table


def lines(found: TuningSummary) -> list[str]:
    """A line for each parameter, for people and programs: `tune.margin   78 -> 83.2517   send 83`."""
    return [f"{one.name}   {plain(one.start)} -> {figures(one.value)}   send {one.sent}" for one in found.parameters]


def sentence(found: TuningSummary) -> str:
    """What the figures mean."""
    moved = sum(1 for one in found.parameters if abs(one.steps) >= 1)
    pairs = f"{found.done} of {found.iterations} {noun(found.iterations, 'pair')} of games"
    parameters = f"{moved} of {len(found.parameters)} {noun(len(found.parameters), 'parameter')}"
    return (
        f"Tuned {found.engine} in {pairs}: {parameters} moved by a step or more. {_effects(found)}"
        "That the values are better is not shown yet: a match has to show it."
    )


def _effects(found: TuningSummary) -> str:
    """Whether the games show that any parameter matters, as far as it was not at its best."""
    chance = found.chance()
    if chance is None:
        return ""
    beyond = f"difference beyond chance, which alone gives such figures in {probability(chance)} of runs"
    if chance < SEEN:
        outcome = f"a {beyond}: some matter and were not at their best"
    else:
        outcome = f"no {beyond}: none matters, or they soon were at their best"
    return f"Over all pairs moving one up rather than down made {outcome}. "


def print_end(out: Console, folder: Path, found: TuningSummary) -> None:
    """The parameters, what they mean, and a line for each."""
    parameters_table(found).print(out)
    say(out, sentence(found))
    if (folder / TUNED).exists():
        say(out, f"To test them: gauntlet run {for_shell(folder / TUNED)}")
    out.print()
    for line in lines(found):
        out.print(line, soft_wrap=True)
