"""How the worth of a technique changes with the nodes a move: the sweeps of the register, as a page and a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

from harness.analysis.sweeps import Curve, Point
from harness.claims import words
from harness.claims.register import Match, Register
from harness.claims.verdicts import Figure
from harness.report.page.designs import sweep_picture
from harness.stats import elo as stats
from harness.tables.numbers import conjunction

SWEEPS = ("worth-by-nodes", "worth-by-nodes-wide")  # the second has what is worth much more, and a scale of its own


@dataclass(frozen=True, slots=True)
class Trend:
    """Elo that a variant gains with each fourfold of the nodes: the slope of a line fitted by weights, its 95 % interval."""

    name: str
    slope: float
    low: float
    high: float
    mean: float  # of its Elo over all limits

    @property
    def word(self) -> str:
        """What becomes of the worth of what the variant lacks or changes: a difference may shrink or grow."""
        if self.low <= 0 <= self.high:
            return "no change beyond error"
        return "shrinks" if self.slope * self.mean < 0 else "grows"


def trend(curve: Curve) -> Trend | None:
    """None for fewer than two points that have an interval."""
    points = [
        (math.log(one.size, 4), one.elo, ((one.high - one.low) / (2 * stats.Z95)) ** -2)
        for one in curve.points
        if one.elo is not None and one.low is not None and one.high is not None
    ]
    if len(points) < 2:
        return None
    whole = sum(weight for *_, weight in points)
    middle = sum(place * weight for place, _, weight in points) / whole
    mean = sum(elo * weight for _, elo, weight in points) / whole
    spread = sum(weight * (place - middle) ** 2 for place, _, weight in points)
    slope = sum(weight * (place - middle) * elo for place, elo, weight in points) / spread
    reach = stats.Z95 / math.sqrt(spread)
    return Trend(curve.a, slope, slope - reach, slope + reach, mean)


def answer(found: list[Curve]) -> str:
    """What the curves say in a sentence or two."""
    trends = [one for one in map(trend, found) if one is not None]
    told = []
    for word, text in (
        ("shrinks", "The difference from Sortie shrinks with more nodes a move for {}."),
        ("grows", "The difference from Sortie grows with more nodes a move for {}."),
        ("no change beyond error", "No change beyond the error for {}."),
    ):
        names = [f"`{one.name}`" for one in trends if one.word == word]
        if names:
            told.append(text.format(conjunction(names)))
    return " ".join(told)


def trends(found: list[Curve]) -> list[tuple[str, ...]]:
    """A row for each variant: Elo for each fourfold of the nodes, and what that says."""
    return [
        (f"`{one.name}`", words.elo(Figure(one.slope, one.low, one.high)), one.word)
        for one in map(trend, found)
        if one is not None
    ]


def curves(register: Register, sweeps: tuple[str, ...] = SWEEPS) -> list[Curve]:
    """The register's variants of the sweeps, each at the limits at which it was played."""
    found: dict[str, list[Point]] = {}
    for match in register.matches.values():
        variant, _, limit = match.variant.partition("@")
        if match.experiment in sweeps and limit.isdigit():
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
