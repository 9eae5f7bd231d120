"""How the worth of a technique changes with the nodes a move: the sweeps of the register, as a page and a picture."""

from __future__ import annotations

from harness.analysis.sweeps import Curve, Point
from harness.claims import words
from harness.claims.register import Match, Register
from harness.claims.verdicts import Figure
from harness.report.page.designs import sweep_picture

SWEEPS = ("worth-by-nodes", "worth-by-nodes-wide")


def curves(register: Register) -> list[Curve]:
    """The register's variants of the sweeps, each at the limits at which it was played."""
    found: dict[str, list[Point]] = {}
    for match in register.matches.values():
        variant, _, limit = match.variant.partition("@")
        if match.experiment in SWEEPS and limit.isdigit():
            found.setdefault(variant, []).append(_point(match, int(limit)))
    return [Curve(name, "base", sorted(points, key=lambda one: one.size)) for name, points in sorted(found.items())]


def _point(match: Match, nodes: int) -> Point:
    found = match.estimate
    return Point(nodes, float(nodes), match.games, found.elo, found.elo_low, found.elo_high, match.word)


def picture(found: list[Curve]) -> str:
    """The picture of all curves; '' while there is no figure."""
    return str(sweep_picture(found, named=True))


def rows(found: list[Curve]) -> list[tuple[str, ...]]:
    """A row for each variant and limit."""
    return [
        (
            f"`{curve.a}`",
            f"{point.limit:,}" if isinstance(point.limit, int) else point.limit,
            f"{point.played:,}",
            words.elo(Figure(point.elo, point.low, point.high)),
            point.verdict or "open",
        )
        for curve in found
        for point in curve.points
    ]
