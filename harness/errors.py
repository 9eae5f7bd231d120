"""The one exception for a user's mistake: the command line turns it into a plain line and exit status 2."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BadInput(Exception):
    """What the user gave cannot be used. The message is one line: file, line, key or option, and what was expected."""


ALIKE = 0.6  # similarity from which a name is likely a slip for another


def nearest(name: str, known: Iterable[str], least: float = 0.0) -> str:
    """Returns ': did you mean "X"?' for the known name closest to `name`, or '' when none is close enough.

    `least` is the similarity asked for, from 0 (any name will do) to 1 (the same name).
    """
    by_lower = {other.lower(): other for other in known}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=least)
    return f': did you mean "{by_lower[found[0]]}"?' if found else ""
