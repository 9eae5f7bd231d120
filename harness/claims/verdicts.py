"""The verdicts on a claim by the register: for each test, and for each of its two engines."""

from __future__ import annotations

import math
from dataclasses import dataclass

from harness.claims.catalogue import SIDES, Claim, Trial, read
from harness.claims.register import FEWEST, WITHIN, Count, Match, Register, Screen
from harness.stats.elo import SMALL, STRONGER, WEAKER

HOLDS, FAILS, OPEN, NOT_ASKED = "holds", "fails", "open", "not tested"
VERDICTS = (HOLDS, FAILS, SMALL, OPEN, NOT_ASKED)  # in the order in which they are counted


@dataclass(frozen=True, slots=True)
class Figure:
    """Elo of a variant against its base with its 95 % interval; an end that is None is open."""

    elo: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, match: Match) -> Figure:
        """What the games of a match say."""
        found = match.estimate
        return cls(found.elo, found.elo_low, found.elo_high)

    def turned(self) -> Figure:
        """The same from the other side."""
        elo, low, high = (None if value is None else -value for value in (self.elo, self.high, self.low))
        return Figure(elo, low, high)


@dataclass(frozen=True, slots=True)
class Finding:
    """A test with what was found: the verdict, the Elo, and where it comes from."""

    test: Trial
    verdict: str
    elo: Figure | None
    match: Match | None
    screen: Screen | None
    count: Count | None

    @property
    def speed(self) -> Screen | Count | None:
        """What was counted where only time differs."""
        return {"nodes": self.screen, "instructions": self.count}.get(self.test.speed)


def judged(word: str | None, expects: str) -> str:
    """The verdict on a claim that expects something of a variant of which the games have said `word`."""
    if word is None:
        return OPEN
    if expects == "differs":
        return SMALL if word == SMALL else HOLDS
    if expects in ("not-stronger", "not-weaker"):
        return FAILS if word == expects.removeprefix("not-") else HOLDS
    return SMALL if word == SMALL else HOLDS if word == expects else FAILS


def find(test: Trial, register: Register) -> Finding:
    """What the register has for a test."""
    match, screen = register.matches.get(test.key), register.screens.get(test.key)
    count = register.counts.get(test.key)
    if not test.speed:
        if match is None:
            return Finding(test, OPEN, None, None, screen, count)
        return Finding(test, judged(match.word, test.expects), Figure.of(match), match, screen, count)
    ratio = screen if test.speed == "nodes" else count
    pace = register.matches.get(f"{test.pace}/twice")
    figure = worth_of_time(ratio, pace)
    word = None if figure is None or pace is None else _word(figure, pace.games)
    return Finding(test, judged(word, test.expects), figure, pace, screen, count)


def worth_of_time(ratio: Screen | Count | None, pace: Match | None) -> Figure | None:
    """Elo of a variant that needs `ratio` times the work for the same moves, where `pace` says what twice the nodes are worth.

    Both are uncertain: the interval spans the corners of the two. None while either is missing.
    """
    if ratio is None or pace is None:
        return None
    found = pace.estimate
    if found.elo is None or found.elo_low is None or found.elo_high is None:
        return None
    doublings = [-math.log2(value) for value in ratio.spent]
    corners = [a * b for a in doublings[1:] for b in (found.elo_low, found.elo_high)]
    return Figure(doublings[0] * found.elo + 0.0, min(corners) + 0.0, max(corners) + 0.0)


def _word(figure: Figure, games: int) -> str | None:
    """What an interval has settled that was worked out from time, with the worth of twice the nodes by so many games."""
    assert figure.low is not None and figure.high is not None
    if -WITHIN <= figure.low and figure.high <= WITHIN:
        return SMALL if games >= FEWEST else None
    return STRONGER if figure.low > 0 else WEAKER if figure.high < 0 else None


def findings(claim: Claim, side: str, register: Register) -> list[Finding]:
    """Its tests in one of the two engines with what was found."""
    return [find(test, register) for test in claim.of(side)]


def verdict(found: list[Finding]) -> str:
    """One word for all: a claim fails if a part of it fails, holds if every part holds, and is open while any is."""
    words = [one.verdict for one in found if one.test.decides]
    if not words:
        return NOT_ASKED
    if FAILS in words:
        return FAILS
    if OPEN in words:
        return OPEN
    return SMALL if SMALL in words else HOLDS


def telling(found: list[Finding]) -> Finding:
    """The first finding that gave a claim its verdict: of a claim that fails the part that fails, of an open one what is open."""
    word = verdict(found)
    return next((one for one in found if one.test.decides and one.verdict == word), found[0])


def by_side(claim: Claim, register: Register) -> dict[str, str]:
    """The verdict on a claim in its own engine and in today's Sortie."""
    return {side: verdict(findings(claim, side, register)) for side in SIDES}


def tally(register: Register) -> dict[str, dict[str, int]]:
    """How many claims have which verdict, by side."""
    counts: dict[str, dict[str, int]] = {side: {} for side in SIDES}
    for claim in read().claims:
        for side, word in by_side(claim, register).items():
            counts[side][word] = counts[side].get(word, 0) + 1
    return counts
