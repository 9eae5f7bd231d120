"""How a finding is worded, on the pages and on the terminal alike."""

from __future__ import annotations

from harness.claims.register import Count, Match, Screen
from harness.claims.verdicts import Figure, Finding
from harness.tables import numbers

NONE = "–"


def elo(figure: Figure | None) -> str:
    """`-39.3 [-94.1, +12.3]`."""
    if figure is None:
        return NONE
    if figure.elo is None:
        return numbers.interval(figure.low, figure.high)
    low, high = (numbers.OPEN if end is None else numbers.plus(end) for end in (figure.low, figure.high))
    return f"{numbers.plus(figure.elo)} [{low}, {high}]"


def ratio(found: Screen | Count | None, digits: int = 2) -> str:
    """`0.35 [0.28, 0.44]`."""
    if found is None:
        return NONE
    return f"{found.ratio:.{digits}f} [{found.low:.{digits}f}, {found.high:.{digits}f}]"


def games(match: Match | None) -> str:
    """How many games stand behind a figure; a run that goes on is marked."""
    if match is None:
        return NONE
    return f"{match.games:,}" + ("" if match.ended else ", not at its end")


def counts(match: Match | None) -> str:
    """The pairs of games by score, from lost twice to won twice."""
    return NONE if match is None else " ".join(map(str, match.pairs))


def elo_of(found: Finding) -> str:
    """The Elo of a finding, marked where it is worked out from time saved."""
    return elo(found.elo) + (" (from time)" if found.test.speed and found.elo is not None else "")


def work(found: Finding) -> str:
    """Nodes over those of the base, or instructions where the trees are equal."""
    if found.test.speed == "instructions":
        return NONE if found.count is None else f"equal; instructions {ratio(found.count, 3)}"
    return ratio(found.screen)


def command(found: Finding) -> str:
    """What repeats the finding."""
    if found.test.speed == "instructions":
        return f"python benchmarks/instructions.py {found.test.experiment}"
    if found.test.speed:
        return f"gauntlet nodes {found.test.experiment}"
    return found.match.command if found.match is not None else f"gauntlet run {found.test.experiment}"
