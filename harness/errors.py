"""The one exception for a user's mistake: the command line turns it into a plain line and exit status 2."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BadInput(Exception):
    """What the user gave cannot be used. The message is one line: file, line, key or option, and what was expected."""


ALIKE = 0.6  # of 1: words less alike are hardly a slip of the other


def nearest(word: str, known: Iterable[str], least: float = 0.0) -> str:
    """Returns ': did you mean "X"?' for the known word closest to `word`, or '' when none is so like it.

    `least` is how like, from 0 (any word will do) to 1 (the same).
    """
    by_lower = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=least)
    return f': did you mean "{by_lower[found[0]]}"?' if found else ""
