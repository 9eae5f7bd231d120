"""The node screen for people: a table, and for a claim of the founding texts the measured answer beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.spec.settings import Claim, Experiment
from harness.tables.grid import Grid, console, say
from harness.tables.numbers import UNKNOWN
from harness.terminal.numbers import noun


def print_screen(experiment: Experiment, result: Mapping[str, Any]) -> None:
    """The table of a screen and what it answers."""
    out = console()
    names = ("", "nodes", "ratio", "95 %", "main", "quiescence", "EBF2", "first cut", "cut index", "time", "time 95 %")
    table = Grid({name: bool(name) for name in names})
    for row in [result["base_figures"], *result["variants"]]:
        table.add(_cells(row))
    left_out = f", {result['left_out']} left out (not searched to that depth)" if result.get("left_out") else ""
    say(out, f"{experiment.name}: {_positions(result)} to depth {result['depth']}{left_out}")
    table.print(out)
    if experiment.claim is not None:
        for line in claim_lines(experiment.claim, result):
            say(out, line)
    else:
        say(out, "Ratios are to the base at equal depth: a screen, no verdict. The clock decides.")


def _positions(result: Mapping[str, Any]) -> str:
    return f"{result['positions']} {noun(result['positions'], 'position')}"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _cells(row: Mapping[str, Any]) -> list[str]:
    share = row["first_move_cutoffs"]
    return [
        row["name"],
        f"{row['nodes']:,}",
        _number(row["ratio"], 3),
        f"{row['low']:.3f}-{row['high']:.3f}",
        _number(row["main_ratio"], 3),
        _number(row["q_ratio"], 3),
        _number(row["ebf2"], 2),
        "-" if share is None else f"{100 * share:.1f} %",
        _number(row["cut_index"], 2),
        _number(row["time_ratio"], 2),
        "-" if row["time_low"] is None else f"{row['time_low']:.2f}-{row['time_high']:.2f}",
    ]


def claim_lines(claim: Claim, result: Mapping[str, Any]) -> list[str]:
    """The claim in a sentence, and a sentence with what was measured of it."""
    source = f" ({claim.where})" if claim.where else ""
    lines = [
        f"{claim.id}{source} claims: {claim.text}.",
        f"Measured to depth {result['depth']} on {_positions(result)}:",
    ]
    base = result["base_figures"]
    if claim.measure == "window":
        lines.append(f"  {base['name']} searches the root again in {_researches(base)}.")
    elif claim.measure == "branching":
        lines.append(f"  {base['name']} has EBF2 {_number(base['ebf2'], 2)}.")
    elif claim.measure == "hash" and base["hash_cutoffs"] is not None:
        lines.append(f"  the hash move makes {100 * base['hash_cutoffs']:.0f} of 100 cutoffs of {base['name']}.")
    lines += [f"  {_answer(claim, row, base)}." for row in result["variants"]]
    if claim.measure == "elo":
        lines.append("  This tells only the price, for depth means another thing to each: games must decide.")
    return lines


def _answer(claim: Claim, row: Mapping[str, Any], base: Mapping[str, Any]) -> str:
    nodes = f"{row['name']} takes {_times(row, '')} the nodes of {base['name']}"
    spent = "" if row["time_ratio"] is None else f"{_times(row, 'time_')} the time"
    if claim.measure in ("time", "hash"):
        same = "equal nodes" if row["ratio"] == row["low"] == row["high"] == 1.0 else f"{row['ratio']:.3f} x nodes"
        work = "".join(
            f", {word} {row[key] / base[key]:.2f} times the moves"
            for word, key in (("generates", "generated"), ("tests the legality of", "legality_tested"))
            if row[key] and base[key] and row[key] != base[key]
        )
        return f"{row['name']} takes {spent or UNKNOWN} of {base['name']} ({same}{work})"
    if claim.measure == "window":
        return f"{nodes} and searches the root again in {_researches(row)}"
    if claim.measure == "branching":
        return f"{nodes}, EBF2 {_number(row['ebf2'], 2)}"
    return f"{nodes} and {spent}" if spent else nodes


def _researches(row: Mapping[str, Any]) -> str:
    share = row["researches"]
    return UNKNOWN if share is None else f"{100 * share:.0f} of 100 iterations"


def _times(row: Mapping[str, Any], prefix: str) -> str:
    ratio, low, high = (row[prefix + key] for key in ("ratio", "low", "high"))
    return f"{ratio:.2f} times ({low:.2f} to {high:.2f})"
