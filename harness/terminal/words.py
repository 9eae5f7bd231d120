"""Sentences on a terminal: broken between words, but left as they are for programs to read."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import TextIO

WIDEST = 120  # columns that a sentence fills at most
NARROWEST = 20  # least columns for it beside a column of names; with fewer it goes below them


def is_screen(stream: TextIO) -> bool:
    """Whether lines can be redrawn in place there: a terminal, and not one that knows no such commands (Emacs' shell)."""
    return stream.isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")


def folded(text: str, stream: TextIO | None = None, hang: int = 0) -> str:
    """The text in lines that fit the terminal; its own line breaks stay.

    `hang` is the indent of every line but the first. A word wider than the terminal stays whole, so that a path
    can be copied. If `stream` (standard output by default) is not a terminal the text is returned as it is.
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


def silence(stream: TextIO) -> None:
    """Points a stream that cannot be written to any more at nothing, what it still holds included.

    Its reader has left, its terminal was closed, or its disk is full: no reason to end a run.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(text: str, stream: TextIO | None = None, end: str = "\n") -> None:
    """Prints a line. The work goes on if nobody reads it any more (`gauntlet run X | head`), or if it cannot be written."""
    out = stream or sys.stdout
    try:
        print(text, end=end, file=out, flush=True)
    except OSError:
        silence(out)


def redraw(text: str) -> None:
    """Says on standard error how far the work is. A terminal shows the last such line alone, and cut: wrapped it would stay."""
    if is_screen(sys.stderr):
        say(f"\r\x1b[K{text[: shutil.get_terminal_size().columns - 1]}", sys.stderr, end="")
    else:
        say(text, sys.stderr)


def complain(text: str) -> None:
    """Prints a sentence to standard error, if that can be written to."""
    say(folded(text, sys.stderr), sys.stderr)
