"""What keeps claims open: the tests without a verdict, and how many games would give them one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from harness.claims.catalogue import SIDES, Claim, Trial
from harness.claims.register import FEWEST, WITHIN, Register
from harness.claims.verdicts import OPEN, Figure, find, findings, verdict
from harness.stats.elo import Z95, Z999

MOST = 100_000  # games; beyond that a guess says only that it is many


@dataclass(frozen=True, slots=True)
class Left:
    """A test without a verdict on a claim that is open for it."""

    claim: Claim
    side: str
    test: Trial
    elo: Figure | None
    played: int

    @property
    def games(self) -> int | None:
        """Games in all by which the interval of 99.9 % would exclude zero or lie within 10 Elo, were the Elo what it seems.

        The interval narrows with the root of the games. None before any.
        """
        figure = self.elo
        if figure is None or figure.elo is None or figure.low is None or figure.high is None:
            return None
        reach, distance = (figure.high - figure.low) / 2.0 * Z999 / Z95, abs(figure.elo)
        small = WITHIN - distance
        games = round(self.played * (reach / max(distance, small)) ** 2)
        return max(FEWEST, games) if small > distance else games

    def text(self) -> str:
        """`4,300`: to two figures, rounded up."""
        if self.games is None:
            return "–"
        if self.games > MOST:
            return f"more than {MOST:,}"
        step = 10 ** max(0, len(str(self.games)) - 2)
        return f"{-(-self.games // step) * step:,}"


def of(claims: Iterable[Claim], register: Register) -> Iterator[Left]:
    """The tests that keep claims open."""
    for claim in claims:
        for side in SIDES:
            if verdict(findings(claim, side, register)) != OPEN:
                continue
            for test in claim.of(side):
                found = find(test, register)
                if test.decides and found.verdict == OPEN:
                    yield Left(claim, side, test, found.elo, found.match.games if found.match else 0)
