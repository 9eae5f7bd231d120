"""The one exception for a user's mistake: the command line turns it into a plain line and exit status 2."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BadInput(Exception):
    """What the user gave cannot be used. The message is one line: file, line, key or option, and what was expected."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Returns ': did you mean "X"?' for the known word closest to `word`, or '' when nothing is known."""
    by_lower = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=0.0)
    return f': did you mean "{by_lower[found[0]]}"?' if found else ""
