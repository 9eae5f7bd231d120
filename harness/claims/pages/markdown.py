"""Paragraphs and tables as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 140


def prose(text: str) -> list[str]:
    """The lines of a paragraph."""
    return textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    return [
        f"| {' | '.join(head)} |",
        f"|{'|'.join('---' for _ in head)}|",
        *(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows),
    ]
