"""Sentences on a terminal: broken between words, and left as they are where a program reads them."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TextIO

WIDEST = 120  # columns that a sentence fills at most
NARROWEST = 20  # columns that it is given beside a column of names; where there are fewer, it stands below them


def folded(text: str, stream: TextIO | None = None, hang: int = 0) -> str:
    """The text in lines that a terminal does not break; its own lines stay apart.

    `hang` is the indent of every line but the first. A word that is wider than the terminal stays whole, so that a path
    can be copied. Where `stream` (standard output by default) is no terminal the text is returned as it is.
    """
    out = sys.stdout if stream is None else stream
    if not out.isatty():
        return text
    width = min(WIDEST, shutil.get_terminal_size().columns)
    indent = " " * (hang if width - hang >= NARROWEST else 4)
    lines = (
        textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    )
    return "\n".join("\n".join(line) for line in lines)


def complain(text: str) -> None:
    """Prints a sentence to standard error."""
    print(folded(text, sys.stderr), file=sys.stderr)
