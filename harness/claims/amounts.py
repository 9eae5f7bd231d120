"""The figures that claims name, beside those that were measured: a claim may hold, and by less than it says."""

from __future__ import annotations

from dataclasses import dataclass

from harness.claims.catalogue import Amount, Claim
from harness.claims.register import Register

LESS, AS_SAID, MORE = "less than claimed", "as claimed", "more than claimed"


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of an amount; `low` and `high` are those of the figure itself where it has no interval."""

    amount: Amount
    value: float
    low: float
    high: float

    @property
    def word(self) -> str:
        """Whether that is what was claimed: some of the interval must lie between the least and the most."""
        return LESS if self.high < self.amount.least else MORE if self.low > self.amount.most else AS_SAID

    def text(self) -> str:
        """`about 60 % of the nodes saved (measured 63 % [55, 70]: as claimed)`."""
        return f"{self.amount.said} (measured {self._figure()}: {self.word})"

    def _figure(self) -> str:
        if self.amount.kind == "saved":
            return f"{100 * self.value:.0f} % [{100 * self.low:.0f}, {100 * self.high:.0f}]"
        return f"{self.value:.1f}" if self.amount.kind == "growth" else f"{self.value:.2f}"


def measured(amount: Amount, register: Register) -> Measured | None:
    """What the register has for an amount; None where it was not measured."""
    screen, match = register.screens.get(amount.key), register.matches.get(amount.key)
    if amount.kind == "saved":
        return None if screen is None else Measured(amount, 1 - screen.ratio, 1 - screen.high, 1 - screen.low)
    if amount.kind == "growth":
        return None if screen is None or screen.ebf2 is None else Measured(amount, *3 * (screen.ebf2,))
    if match is None or match.depth is None or match.base_depth is None:
        return None
    gained = match.depth - match.base_depth
    return Measured(amount, *3 * (-gained if amount.kind == "plies lost" else gained,))


def beside(claim: Claim, register: Register) -> str:
    """What a verdict leaves out: ` (less than claimed)` where what a claim names was measured and is not as claimed."""
    found = [one.word for one in (measured(amount, register) for amount in claim.amounts) if one is not None]
    others = [word for word in dict.fromkeys(found) if word != AS_SAID]
    return f" ({' and '.join(others)})" if others else ""
