"""Tables of figures for any width: first made narrower, then split into parts; only where a table allows it are cells wrapped."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.tables.numbers import UNKNOWN
from harness.terminal.words import folded, silence

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

SHORT_UNKNOWN = "n.d."
PLAIN_WIDTH = 80  # columns if the output is no terminal, unless COLUMNS says otherwise
ROOMY, TIGHT = 2, 1  # blanks between two columns
LEAST_NAME = 14  # columns of a row's name, if figures leave it no more


def console() -> Console:
    """A rich console for tables and sentences, as wide as the terminal or PLAIN_WIDTH."""
    import os

    from rich.console import Console

    class Outlet(Console):
        def on_broken_pipe(self) -> None:
            silence(sys.stdout)  # rich would end the command with status 1

    found = Outlet(highlight=False, markup=False, emoji=False)
    if found.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return found
    return Outlet(highlight=False, markup=False, emoji=False, width=PLAIN_WIDTH)


def say(out: Console, text: str) -> None:
    """Prints a sentence, broken between words on a terminal (a long path stays whole) and not at all elsewhere."""
    out.print(folded(text), soft_wrap=True)


@dataclass(slots=True)
class Grid:
    """Columns by title (True: figures, set to the right) and rows of cells; the first column names the row.

    On a terminal a cell of a column in `wrapped` may take several lines, in no fewer columns of the screen than it says there.
    """

    columns: dict[str, bool]
    title: str = ""
    wrapped: dict[str, int] = field(default_factory=dict)
    rows: list[list[str]] = field(default_factory=list)

    def add(self, cells: Sequence[str]) -> None:
        assert len(cells) == len(self.columns)
        self.rows.append(list(cells))

    def print(self, out: Console) -> None:
        """Prints the table: whole if it fits, else with shortened cells, else (on a terminal) in several parts.

        Nothing is printed of a table without rows.
        """
        if not self.rows:
            return
        if self.title:
            say(out, self.title)
        every = list(range(len(self.columns)))
        titles = [title.replace("95 %", "95\u00a0%") for title in self.columns]
        width = out.width
        if self._width(titles, self.rows, every, ROOMY) <= width:
            out.print(self._table(titles, self.rows, every, ROOMY))
            return
        rows = [[short(cell) for cell in row] for row in self.rows]
        titles = [_broken(title, [row[number] for row in rows]) for number, title in enumerate(titles)]
        if out.is_terminal and self._width(titles, rows, every, TIGHT) > width:
            # Names that fill the line would leave a part no room for its figures, or for one of them at a time.
            figures = max(self._width(titles, rows, [0, number], TIGHT, wrap=True) for number in every[1:])
            names = self._width(titles, rows, [0], TIGHT) - 2
            room = max(LEAST_NAME, min(names - (figures - width), 3 * width // 5))
            rows = [[clipped(row[0], room), *row[1:]] for row in rows]
        for part in self._parts(titles, rows, out):
            if not out.is_terminal:
                # A file has no edge: better a long line than a split table.
                out.width = max(width, self._width(titles, rows, part, TIGHT))
            out.print(self._table(titles, rows, part, TIGHT))
            out.width = width
        if any(SHORT_UNKNOWN in cell for row in rows for cell in row):
            say(out, f"{SHORT_UNKNOWN}: {UNKNOWN}")

    def _parts(self, titles: list[str], rows: list[list[str]], out: Console) -> list[list[int]]:
        """The columns of each part, the first column in all of them."""
        every = list(range(len(titles)))
        if not out.is_terminal or self._width(titles, rows, every, TIGHT) <= out.width:
            return [every]
        parts = [[0]]
        for number in every[1:]:
            if len(parts[-1]) > 1 and self._width(titles, rows, [*parts[-1], number], TIGHT, wrap=True) > out.width:
                parts.append([0])
            parts[-1].append(number)
        return parts

    def _width(
        self,
        titles: Sequence[str],
        rows: Sequence[Sequence[str]],
        chosen: Sequence[int],
        gap: int,
        wrap: bool = False,
    ) -> int:
        from rich.cells import cell_len

        room = gap * (len(chosen) - 1) + 2
        names = list(self.columns)
        for number in chosen:
            widest = max(map(cell_len, [*titles[number].split("\n"), *(row[number] for row in rows)]))
            room += min(widest, self.wrapped.get(names[number], widest)) if wrap else widest
        return room

    def _table(self, titles: Sequence[str], rows: Sequence[Sequence[str]], chosen: Sequence[int], gap: int) -> Table:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, gap - 1, 0, 0))
        names = list(self.columns)
        for place, number in enumerate(chosen):
            figures = self.columns[names[number]]
            whole = place > 0 and figures and names[number] not in self.wrapped
            table.add_column(
                Text(titles[number]),
                justify="right" if figures else "left",
                no_wrap=not place or whole,
                min_width=self._width(titles, rows, [number], gap) - 2 if whole else None,
                overflow="ellipsis",
                vertical="top" if self.wrapped else "bottom",
            )
        for row in rows:
            table.add_row(*(Text(row[number]) for number in chosen))
        return table


def clipped(name: str, room: int) -> str:
    """A name in at most so many columns: what is left out is in the middle, because names often differ at the end."""
    from rich.cells import cell_len

    kept = len(name)
    found = name
    while cell_len(found) > room and kept > 2:
        kept -= 1
        found = f"{name[: -(-kept // 2)]}…{name[len(name) - kept // 2 :]}"
    return found


def short(cell: str) -> str:
    """A cell in fewer columns: `0.98±0.12`, `97.3%`, `n.d.`."""
    return cell.replace(UNKNOWN, SHORT_UNKNOWN).replace(" ± ", "±").replace(" %", "%")


def _broken(title: str, cells: Sequence[str]) -> str:
    """A title broken into lines as narrow as the cells under it."""
    words = title.split(" ")  # at plain blanks only: no-break spaces hold
    room = max([len(word) for word in words] + [len(cell) for cell in cells], default=0)
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + 1 + len(word) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)
