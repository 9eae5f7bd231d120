"""The counts of a run while it goes on: a few numbers per pairing, however many games there are."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.journal.record import GameRow
from harness.schedule.pairing import Pairing
from harness.spec.settings import Sprt
from harness.stats import elo as stats


@dataclass(slots=True)
class PairingTally:
    """The games of one pairing so far, from a's view; `pairs` counts complete pairs by a's score 0, 1/2, 1, 3/2, 2.

    Games that are not played in pairs (`paired` false) stand alone.
    """

    pairing: Pairing
    scheduled: int
    paired: bool = True
    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    verdict: str | None = None
    _half: dict[int, float] = field(default_factory=dict)
    _shown: tuple[tuple[int, int, int, str | None], stats.Outcome] | None = None

    @property
    def played(self) -> int:
        return self.wins + self.draws + self.losses

    def add(self, pair: int, points: float) -> bool:
        """Counts a game that gave a so many points; True when it completes its pair."""
        if points == 1.0:
            self.wins += 1
        elif points == 0.5:
            self.draws += 1
        else:
            self.losses += 1
        if not self.paired:
            return False
        first = self._half.pop(pair, None)
        if first is None:
            self._half[pair] = points
            return False
        self.pairs[int(2 * (first + points))] += 1
        return True

    def estimate(self) -> stats.Estimate:
        """Elo and its kin: see `stats.match`."""
        return stats.match(self.pairs, (self.wins, self.draws, self.losses))

    def outcome(self, sprt: Sprt | None) -> stats.Outcome:
        """What is shown of it, corrected for the stop when the test has ended it. Asked for often: worked out once."""
        key = self.wins, self.draws, self.losses, self.verdict
        if self._shown is None or self._shown[0] != key:
            test = sprt.law if sprt is not None and self.verdict else None
            self._shown = key, stats.outcome(self.pairs, key[:3], test)
        return self._shown[1]

    def llr(self, sprt: Sprt) -> float:
        return stats.llr(self.pairs, sprt.elo0, sprt.elo1, sprt.model) if any(self.pairs) else 0.0


@dataclass(slots=True)
class Tally:
    """All pairings of a run, the faults of its players and what an exit status needs."""

    pairings: list[PairingTally]
    scheduled: int
    played: int = 0
    plies: int = 0
    faults: dict[int, dict[str, int]] = field(default_factory=dict)

    def add(self, row: GameRow) -> PairingTally | None:
        """Counts a finished game; returns its pairing's tally when a pair is complete by it."""
        self.played += 1
        self.plies += row.plies
        if row.culprit is not None:
            self.fault(row.culprit, row.reason)
        points = row.points
        if points is None:
            return None
        tally = self.pairings[row.pairing]
        if row.white != tally.pairing.a:
            points = 1.0 - points
        return tally if tally.add(row.pair, points) else None

    def fault(self, player: int, reason: str) -> None:
        words = self.faults.setdefault(player, {})
        words[reason] = words.get(reason, 0) + 1

    def serious(self) -> int:
        """Returns the number of faults other than time losses."""
        return sum(n for words in self.faults.values() for reason, n in words.items() if reason != "time")
