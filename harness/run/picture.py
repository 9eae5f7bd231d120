"""The picture of a run for a terminal: lines that show its state, none wider than the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from harness.analysis.monitor import PairingState, RunState, SprtState
from harness.model import MATE
from harness.stats.elo import Outcome
from harness.tables import numbers
from harness.terminal.lines import BAD, FEWEST, GAP, GOOD, MOST, QUIET, Work, clip, head, table
from harness.terminal.numbers import clock, figures, noun, plain

STACKED = 60  # most columns for a pairing in several lines
TRACK, SHORT_TRACK = 21, 11  # cells of an LLR bar without its bounds; the short one is used if it makes a table fit


def llr_bar(test: SprtState, ascii_only: bool = False, track: int = TRACK) -> Text:
    """The LLR between its bounds, filled from the mark at zero: `-2.94 ├──────┼━━━───┤ 2.94`."""
    lower, upper = test["lower"], test["upper"]
    full, empty, left, zero, right = "#-[|]" if ascii_only else "━─├┼┤"

    def place(value: float) -> int:
        return round((track - 1) * (min(upper, max(lower, value)) - lower) / (upper - lower))

    middle, end = place(0.0), place(test["llr"])
    cells = [full if min(middle, end) <= at <= max(middle, end) and middle != end else empty for at in range(track)]
    style = GOOD if end > middle else BAD
    drawn = Text(f"{lower:.2f} {left}")
    for at, cell in enumerate(cells):
        drawn.append(zero if at == middle else cell, style if cell == full and at != middle else None)
    drawn.append(f"{right} {upper:.2f}")
    return drawn


def verdict_text(test: SprtState) -> str:
    """Returns `H0 accepted`; empty while the test goes on."""
    return numbers.decision(test["verdict"]) if test["verdict"] else ""


def picture(state: RunState, width: int, height: int, ascii_only: bool = False) -> list[Text]:
    """A running run in at most `height` lines of at most `width` columns: progress, pairings, games in play, faults."""
    width = min(width, MOST)
    total = state["played"] + state["remaining"]
    work = Work(state["name"], state["played"], total, "games", state["elapsed"], state["eta"], state["rate"])
    lines = head(work, width, ascii_only)
    end = faults(state["faults"])
    games = in_play(state["slots"], width)
    room = height - len(lines) - 4  # blank lines and faults
    games = games[: max(3, room // 3)]
    busy = {slot["pairing"] for slot in state["slots"]}
    if state["parameters"]:
        shown = parameters(state["parameters"], width, room - len(games), ascii_only)
    else:
        shown = pairings(state["pairings"], busy, width, room - len(games), ascii_only)
    whole = [*lines, Text(), *shown, Text(), *games, *([Text()] if games else []), end][:height]
    for line in whole:
        line.truncate(width, overflow="ellipsis")
    return whole


def pairings(
    every: Sequence[PairingState], busy: set[int], width: int, most: int, ascii_only: bool = False
) -> list[Text]:
    """The pairings with games to play: a table or, if that is too wide, a few lines each; at most `most` lines.

    If not all fit, those in play are kept first, in their order.
    """
    # In a tournament by rounds some pairings never meet.
    present = [index for index, pairing in enumerate(every) if pairing["scheduled"]]
    others = {every[index]["b"] for index in present}
    names = {i: every[i]["a"] if len(others) == 1 else f"{every[i]['a']} vs {every[i]['b']}" for i in present}
    title = f"against {next(iter(others))}" if len(others) == 1 else "pairing"
    heads = [title, "games", "W/D/L", "Elo [95 %]", "LOS", "LLR", "", ""]
    found = None
    for track in (TRACK, SHORT_TRACK):
        rows = [_figures(every[index], names[index], ascii_only, track) for index in present]
        found = found or table(heads, rows, width)
    each = 1 if found is not None else 3 if any(pairing["sprt"] for pairing in every) else 2
    room = max(1, (most - (1 if found is not None else 0)) // each)
    if len(present) > room:
        first = sorted(present, key=lambda index: (index not in busy, every[index]["played"] == 0))
        kept = sorted(first[: max(1, room - 1)])
    else:
        kept = present
    left = len(present) - len(kept)
    more = [Text(f"and {left} more {noun(left, 'pairing')}", QUIET)] if left else []
    if found is None:
        return [line for index in kept for line in _stacked(every[index], names[index], width, ascii_only)] + more
    return [found[0], *(found[1 + present.index(index)] for index in kept), *more]


def parameters(every: Sequence[Mapping[str, Any]], width: int, most: int, ascii_only: bool = False) -> list[Text]:
    """The parameters of a tuning run, a line each: value, start, steps between them, position between the bounds."""
    kept = every if len(every) <= most - 1 else every[: max(1, most - 2)]
    rows = []
    for one in kept:
        moved = (one["value"] - one["start"]) / one["step"]
        cells = [Text(figures(one["value"])), Text(plain(one["start"])), Text(f"{moved:+.2f}")]
        rows.append([Text(one["name"]), *cells, _place(one, ascii_only)])
    left = len(every) - len(kept)
    more = [Text(f"and {left} more parameters", QUIET)] if left else []
    heads = ["parameter", "value", "start", "steps", ""]
    found = table(heads, rows, width) or table(heads[:4], [row[:4] for row in rows], width)
    return (found or [Text(clip(f"{row[0].plain} {row[1].plain}", width)) for row in rows]) + more


def _place(one: Mapping[str, Any], ascii_only: bool) -> Text:
    """Where a value lies between its bounds: `20 ├─────●────────┤ 200`."""
    full, empty, left, right = "o-[]" if ascii_only else "●─├┤"
    share = (one["value"] - one["least"]) / (one["most"] - one["least"])
    at = round((TRACK - 1) * share)
    track = Text(f"{plain(one['least'])} {left}")
    for cell in range(TRACK):
        track.append(full if cell == at else empty, GOOD if cell == at else None)
    return track.append(f"{right} {plain(one['most'])}")


def _figures(pairing: PairingState, name: str, ascii_only: bool, track: int = TRACK) -> list[Text]:
    """The cells of a pairing; the last three are empty if nothing is tested."""
    test, found = pairing["sprt"], Outcome(**pairing["shown"])
    cells = [
        Text(name),
        Text(f"{pairing['played']} of {pairing['scheduled']}"),
        Text(f"{pairing['wins']}/{pairing['draws']}/{pairing['losses']}"),
        Text(numbers.elo(found) if pairing["played"] else "-"),
        Text(numbers.probability(found.los) if pairing["played"] else "-"),
    ]
    if test is None:
        return [*cells, Text(), Text(), Text()]
    style = GOOD if test["verdict"] == "H1" else BAD
    return [*cells, Text(f"{test['llr']:+.2f}"), llr_bar(test, ascii_only, track), Text(verdict_text(test), style)]


def _stacked(pairing: PairingState, name: str, width: int, ascii_only: bool) -> list[Text]:
    """A pairing in two lines, or three with a test, for a narrow terminal."""
    width = min(width, STACKED)
    _, games, results, elo, los, llr, track, verdict = _figures(pairing, name, ascii_only)
    count = Text.assemble(games, "  ", results)
    room = max(FEWEST, width - cell_len(count.plain) - GAP)
    lines = [
        Text.assemble((set_cell_size(clip(name, room), room), "bold"), " " * GAP, count),
        Text.assemble("  Elo ", elo, "   LOS ", los),
    ]
    if pairing["sprt"] is not None:
        lines.append(Text.assemble("  LLR ", verdict if verdict.plain else llr, " ", track))
    return lines


def in_play(slots: Sequence[Mapping[str, object]], width: int) -> list[Text]:
    """The games in play, a line each: players, move number, both engines' scores and clocks."""
    rows = []
    for slot in slots:
        scores = " ".join(map(_score, _both(slot, "scores")))
        clocks = " ".join(map(clock, _both(slot, "clocks")))
        move = str(slot["fen"]).rsplit(" ", 1)[-1]
        game, white, black = str(slot["game"]), str(slot["white"]), str(slot["black"])
        rows.append(list(map(Text, (white, black, game, move, scores, "" if clocks == "- -" else clocks))))
    heads = ["White", "Black", "game", "move", "scores", "clocks"]
    if not rows:
        return []
    without_clocks = [row[:5] for row in rows]
    return (
        table(heads, rows, width, names=2)
        or table(heads[:5], without_clocks, width, names=2)
        or [
            Text(clip(f"game {row[2].plain}: {row[0].plain} - {row[1].plain}, move {row[3].plain}", width))
            for row in rows
        ]
    )


def _both(slot: Mapping[str, object], key: str) -> list[float | None]:
    found = slot.get(key)
    return list(found) if isinstance(found, list | tuple) else [None, None]


def _score(value: float | None) -> str:
    return "-" if value is None else f"{value / 100:+.2f}" if abs(value) < MATE else "+#" if value > 0 else "-#"


def faults(found: Mapping[str, Mapping[str, int]]) -> Text:
    """A line that names the faults so far."""
    words = "; ".join(
        f"{who} {', '.join(f'{n} {reason}' for reason, n in what.items())}" for who, what in found.items()
    )
    return Text.assemble("faults: ", (words, BAD) if words else "none")
