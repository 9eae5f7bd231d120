"""A sweep of limits: each pairing's Elo at each limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.spec.designs import limit_word, size, unswept
from harness.spec.settings import Experiment
from harness.stats.elo import Outcome


@dataclass(frozen=True, slots=True)
class Point:
    """One limit: nodes a move, or a clock as the file writes it. `size` is its place on the axis: nodes, or seconds a
    side for 40 moves; Elo with the ends of its 95 % interval, None if they are open."""

    limit: int | str
    size: float
    played: int
    elo: float | None
    low: float | None
    high: float | None
    verdict: str | None

    def outcome(self) -> Outcome:
        """The figures to show."""
        return Outcome(self.elo, self.low, self.high, None)


@dataclass(frozen=True, slots=True)
class Curve:
    """Two players at all limits; figures are from a's view."""

    a: str
    b: str
    points: list[Point]


class Figures(Protocol):
    """The fields that are needed of a pairing."""

    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...
    @property
    def played(self) -> int: ...
    @property
    def verdict(self) -> str | None: ...
    def outcome(self) -> Outcome: ...


def curves(experiment: Experiment, pairings: Sequence[Figures]) -> list[Curve]:
    """The pairings at all limits, those of the same two players as one curve."""
    each = len(pairings) // len(experiment.sweep)
    found = []
    for index in range(each):
        points = []
        for limit, pairing in zip(experiment.sweep, pairings[index::each], strict=True):
            figures = pairing.outcome()
            points.append(
                Point(
                    limit.nodes if limit.nodes is not None else limit_word(limit),
                    size(limit),
                    pairing.played,
                    figures.elo,
                    figures.low,
                    figures.high,
                    pairing.verdict,
                )
            )
        a, b = (unswept(name, experiment.sweep) for name in (pairings[index].a, pairings[index].b))
        found.append(Curve(a, b, points))
    return found
