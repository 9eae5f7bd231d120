"""Paragraphs and tables as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 140


def prose(text: str) -> list[str]:
    """The lines of a paragraph."""
    return textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def points(texts: Iterable[str]) -> list[str]:
    """The lines of a list, an item for each text."""
    return [line for text in texts for line in _point(text)]


def _point(text: str) -> list[str]:
    found = textwrap.wrap(text, WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return [f"{'  ' if number else '* '}{line}" for number, line in enumerate(found)]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    return [
        f"| {' | '.join(head)} |",
        f"|{'|'.join('---' for _ in head)}|",
        *(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows),
    ]
