"""The exception for a user's mistake: the command line turns it into a plain line and exit status 2."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BadInput(Exception):
    """The user's input cannot be used. The message is one line: file, line, key or option, and what was expected."""


ALIKE = 0.6  # similarity, 0 to 1, from which a name is probably a misspelling of another
MOST_LISTED = 30  # names in a message


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns ': did you mean "X"?' for the known name closest to `name`, or '' if none is similar."""
    by_lower = {other.lower(): other for other in known}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=ALIKE)
    return f': did you mean "{by_lower[found[0]]}"?' if found else ""


def suggestion(name: str, known: Iterable[str]) -> str:
    """The same, or if no name is similar, '; there are X, Y and Z', or '' if there are too many to name."""
    names = list(known)
    if (hint := nearest(name, names)) or len(names) > MOST_LISTED:
        return hint
    if not names:
        return "; there is none"
    return (
        f"; there {'are' if len(names) > 1 else 'is'} {', '.join(names[:-1])}{' and ' if names[:-1] else ''}{names[-1]}"
    )
