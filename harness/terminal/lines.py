"""Bars and columns for a terminal: lines of a given width, never wrapped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from harness.terminal.numbers import duration, rate_text

MOST = 120  # columns that a picture fills at most
GAP = 2  # blanks between two columns
NAME = 14  # least columns for a name in a table
FEWEST = 6  # least columns for a name if there are two in a line
QUIET, GOOD, BAD = "dim", "green", "red"


@dataclass(frozen=True, slots=True)
class Work:
    """How far a piece of work is; `rate` is units per minute, `eta` and `elapsed` are seconds."""

    title: str
    done: float
    total: float | None
    unit: str
    elapsed: float
    eta: float | None
    rate: float | None


def head(work: Work, width: int, ascii_only: bool = False) -> list[Text]:
    """The count, the times and a bar: two lines, three on a narrow terminal."""
    of = f" of {work.total:,.0f}" if work.total is not None else ""
    count = f"{work.done:,.0f}{of} {work.unit}"
    times = f"{duration(work.elapsed)} elapsed   ETA {duration(work.eta)}   {rate_text(work.rate, work.unit)}"
    one = f"{work.title}: {count}   {times}"
    if cell_len(one) <= width:
        first = [Text.assemble((work.title, "bold"), one[len(work.title) :])]
    else:
        name = clip(work.title, width - len(count) - 2)
        first = [Text.assemble((name, "bold"), ": ", count), Text(clip(times, width))]
    return [*first, *([] if work.total is None else [bar(work.done / max(work.total, 1e-9), width, ascii_only)])]


def bar(share: float, width: int, ascii_only: bool = False) -> Text:
    """A bar with its percentage, exactly `width` columns."""
    percent = f"{int(100 * min(1.0, share))} %".rjust(6)
    room = max(4, width - len(percent))
    filled = int(room * min(1.0, max(0.0, share)))
    full, empty = ("#", "-") if ascii_only else ("━", "─")
    return Text.assemble((full * filled, GOOD), (empty * (room - filled), QUIET), percent)


def clip(text: str, width: int) -> str:
    """The text, with its end replaced by `…` if it is too long."""
    return text if cell_len(text) <= width else set_cell_size(text, max(0, width - 1)).rstrip() + "…"


def table(heads: Sequence[str], rows: Sequence[Sequence[Text]], width: int, names: int = 1) -> list[Text] | None:
    """Head and rows in columns, without empty columns; None if the figures leave no room for the names.

    The first `names` columns are names, aligned to the left and cut if too long; the others are figures.
    """
    widths = [
        max([_width([row[column]]) for row in rows] + [cell_len(title)], default=0)
        if any(row[column].plain for row in rows)
        else 0
        for column, title in enumerate(heads)
    ]
    figures = sum(size + GAP for size in widths[names:] if size)
    room = (width - figures - GAP * (names - 1)) // names
    if room < min(NAME if names == 1 else FEWEST, max(widths[:names])):
        return None
    for column in range(names):
        widths[column] = min(widths[column], room)
    lines = [_line([Text(title, QUIET) for title in heads], widths, names)]
    return lines + [_line(row, widths, names) for row in rows]


def _line(cells: Iterable[Text], widths: Sequence[int], names: int) -> Text:
    line = Text()
    for column, (cell, size) in enumerate(zip(cells, widths, strict=True)):
        if not size:
            continue
        if column < names:
            cell = Text(set_cell_size(clip(cell.plain, size), size), cell.style)
            line = Text.assemble(line, " " * (GAP if column else 0), cell)
        else:
            line = Text.assemble(line, " " * (GAP + size - _width([cell])), cell)
    line.rstrip()
    return line


def _width(cells: Iterable[Text]) -> int:
    return sum(cell_len(cell.plain) for cell in cells)
