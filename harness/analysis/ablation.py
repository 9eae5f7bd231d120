"""Ablation: what each switch of Sortie is worth. Each is changed alone, screened by nodes, then played."""

from __future__ import annotations

import json
import math
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.engines import sortie
from harness.errors import BadInput, nearest, suggestion
from harness.model import Limit
from harness.stats.elo import Outcome

Tables = dict[str, Mapping[str, object]]
OFF = ("off", "0", "none")
# Switches that never change which moves are searched: there is nothing to screen, and games would only measure speed.
SAME_TREE = ("Generation", "Legality", "Choose", "Stats")
MOST = 4.0  # times the nodes of the base: a variant that needs more is hopeless on the clock
MOST_HOURS = 100_000
LEAST_GAMES = 20  # fewer games of a pairing tell nothing
PLIES_A_GAME = 130.0  # of both sides together; used to estimate time


@dataclass(frozen=True, slots=True)
class Variant:
    """One switch at a level other than the base's. `left_out`: it is on in the base and off in the variant."""

    name: str
    switch: str
    level: str
    left_out: bool


def resolved(command: Sequence[str], preset: str) -> dict[str, str]:
    """The level of every switch under a preset, as Sortie gives it. Raises BadInput for an unknown preset."""
    known = sortie.ask(tuple(command))
    presets = known["Preset"].choices if "Preset" in known else ()
    if preset not in presets:
        raise BadInput(f'--base: no preset "{preset}"{suggestion(preset, presets)}')
    words = [*command, "options", "--preset", preset, "--json"]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        switches = json.loads(done.stdout.decode("utf-8", "replace").strip().splitlines()[-1])["switches"]
    except (OSError, subprocess.TimeoutExpired, IndexError, KeyError, ValueError):
        raise BadInput(f"{command[0]}: `options --preset {preset} --json` does not list its switches") from None
    return {str(name): str(level) for name, level in switches.items()}


def variants(
    known: Mapping[str, sortie.OptionSpec], levels: Mapping[str, str], only: Sequence[str] = (), every: bool = False
) -> list[Variant]:
    """Leave one out: every switch that is on, off. Add one: every switch that is off, at each of its levels.

    With `every` also the other levels of switches that are on. `only` names the switches to take: even those that no screen
    can tell apart, and all other levels of one that cannot be switched off.
    """
    for name in only:
        if name not in levels:
            raise BadInput(f'--switch: no switch "{name}"{nearest(name, levels) or "; sortie options lists them"}')
        if not _has_levels(known.get(name)):
            raise BadInput(f"--switch: {name} has no levels; set it in [variants.NAME] of an experiment")
    found = []
    for switch, level in levels.items():
        spec = known.get(switch)
        if spec is None or not _has_levels(spec) or (switch not in only if only else switch in SAME_TREE):
            continue
        choices = spec.choices if spec.kind == "combo" else ("off", "on")
        current = {"1": "on", "0": "off"}.get(level, level) if spec.kind == "check" else level
        all_levels = every or current in OFF or (switch in only and not set(choices) & set(OFF))
        for choice in choices:
            if choice == current or not (all_levels or choice in OFF):
                continue
            found.append(Variant(f"{switch}-{choice}", switch, choice, left_out=choice in OFF))
    return found


def _has_levels(spec: sortie.OptionSpec | None) -> bool:
    return spec is not None and spec.kind in ("combo", "check") and spec.name != "Preset"


def screen_tables(preset: str, command: Sequence[str] | None, chosen: Sequence[Variant], depth: int) -> Tables:
    """The experiment of the node screen with all variants, as the tables of its file."""
    return {**_tables("screen", preset, command, chosen, {"games": 2}), "screen": {"depth": depth}}


def match_tables(
    preset: str, command: Sequence[str] | None, chosen: Sequence[Variant], keys: Mapping[str, object]
) -> Tables:
    """The experiment of the games, each variant that survived the screen against the base, as the tables of its file.

    `keys` are those of [experiment]: the number of games and the limit.
    """
    return _tables(f"ablate-{preset}", preset, command, chosen, keys)


def _tables(
    name: str, preset: str, command: Sequence[str] | None, chosen: Sequence[Variant], keys: Mapping[str, object]
) -> Tables:
    base = {"Preset": preset} | ({"command": shlex.join(command)} if command is not None else {})
    variants = {variant.name: {variant.switch: variant.level} for variant in chosen}
    return {"experiment": {"name": name, **keys}, "base": base, "variants": variants}


def survivors(
    chosen: Sequence[Variant], screen: Mapping[str, Any], most: float | None, named: Sequence[str] = ()
) -> tuple[list[Variant], dict[str, str]]:
    """The variants worth playing, those that change the tree most first, and the reasons why the others are not.

    A variant that searches the same tree plays the same moves; one that needs more than `most` times the nodes is hopeless on the
    clock (None: games are not limited by time). Switches that are `named` are played whatever the screen says.
    """
    rows = {row["name"]: row for row in screen["variants"]}
    dropped: dict[str, str] = {}
    kept = []
    for variant in chosen:
        row = rows[variant.name]
        if variant.switch in named:
            kept.append(variant)
        elif row["low"] == row["high"] == row["ratio"] == 1.0:
            dropped[variant.name] = f"same tree to depth {screen['depth']}"
        elif most is not None and row["ratio"] > most:
            dropped[variant.name] = f"more than {most:g} times the nodes"
        else:
            kept.append(variant)
    kept.sort(key=lambda variant: -abs(math.log(rows[variant.name]["ratio"])))
    return kept, dropped


def budget(count: int, games: int | None, hours: float | None, limit: Limit, concurrency: int) -> tuple[int, int]:
    """How many variants to play, and how many games each: an even number, LEAST_GAMES or more.

    The budget is `games` in all, or as many as fit into `hours` by a rough estimate of a game's length.
    """
    total = games if games is not None else int((hours or 0.0) * 3600.0 * concurrency / seconds_a_game(limit))
    played = min(count, total // LEAST_GAMES)
    return played, total // played // 2 * 2 if played else 0


def seconds_a_game(limit: Limit) -> float:
    """A rough estimate of a game's length in seconds, at half a million nodes a second if nodes are the limit."""
    if limit.movetime is not None:
        return PLIES_A_GAME * limit.movetime
    if limit.nodes is not None:
        return PLIES_A_GAME * limit.nodes / 500_000.0
    if limit.depth is not None:
        return PLIES_A_GAME * 2.0**limit.depth / 20_000.0
    session = PLIES_A_GAME / 2.0 / limit.moves_per_session if limit.moves_per_session else 1.0
    return 2.0 * (limit.base or 0.0) * 0.9 * max(1.0, session) + PLIES_A_GAME * limit.increment


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the ranked table."""

    variant: Variant
    screen: Mapping[str, Any]
    outcome: Outcome
    elo_error: float | None
    games: int
    scheduled: int
    note: str


def ranked(
    chosen: Sequence[Variant], screen: Mapping[str, Any], dropped: Mapping[str, str], results: Mapping[str, Any]
) -> list[Row]:
    """All variants: first those played, with the costliest change first, then the others by nodes."""
    by_name = {row["name"]: row for row in screen["variants"]}
    rows = []
    for variant in chosen:
        pairing = results.get(variant.name)
        note = dropped.get(variant.name, "" if pairing is not None or not results else "not within the budget")
        seen = by_name[variant.name]
        if pairing is None:
            rows.append(Row(variant, seen, Outcome(None, None, None, None), None, 0, 0, note))
        else:
            if missing := pairing.scheduled - pairing.played:
                note = f"{missing} of {pairing.scheduled} games not played"
            rows.append(
                Row(variant, seen, pairing.outcome(), pairing.elo_error, pairing.played, pairing.scheduled, note)
            )
    return sorted(rows, key=lambda row: (row.games == 0, _earned(row.outcome), -row.screen["ratio"]))


def _earned(found: Outcome) -> float:
    """The Elo by which to rank a change; infinite if it won or lost all its games."""
    if found.elo is not None:
        return found.elo
    return math.inf if found.low is not None else -math.inf if found.high is not None else 0.0
