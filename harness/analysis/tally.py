"""The counts of a run at work: a few numbers for each pairing, however many games there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.journal.record import GameRow
from harness.schedule.pairing import Pairing, pairings_of
from harness.spec.settings import Experiment, Sprt
from harness.stats import design, stopped
from harness.stats import elo as stats


@dataclass(slots=True)
class PairingTally:
    """The games of one pairing so far, from a's view; `pairs` counts complete pairs by a's score 0, 1/2, 1, 3/2, 2.

    Games not played in pairs (`paired` false) are counted singly.
    """

    pairing: Pairing
    scheduled: int
    paired: bool = True
    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    verdict: str | None = None
    tested: list[int] | None = None  # the pairs that the sequential test has seen; None: all
    _half: dict[int, float] = field(default_factory=dict)
    _shown: tuple[tuple[int, int, int, str | None], stats.Outcome] | None = None
    _llr: tuple[tuple[tuple[int, ...], Sprt], float] | None = None

    @property
    def played(self) -> int:
        return self.wins + self.draws + self.losses

    def add(self, pair: int, points: float) -> bool:
        """Counts a game in which a scored so many points; True if it completes its pair."""
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
        """Elo and related figures: see `stats.match`."""
        return stats.match(self.pairs, (self.wins, self.draws, self.losses))

    def outcome(self, sprt: Sprt | None) -> stats.Outcome:
        """The figures to show, corrected for stopping if the test has ended the pairing; cached, because they are shown often."""
        key = self.wins, self.draws, self.losses, self.verdict
        if self._shown is None or self._shown[0] != key:
            test = sprt.law if sprt is not None and self.verdict and self.tested is None else None
            self._shown = key, stopped.outcome(self.pairs, key[:3], test)
        return self._shown[1]

    @property
    def unpaired(self) -> int:
        """Returns how many games wait for the other game of their pair."""
        return len(self._half)

    def seen(self) -> list[int]:
        """The pairs that the sequential test uses."""
        return self.pairs if self.tested is None else self.tested

    def llr(self, sprt: Sprt) -> float:
        """The log likelihood ratio of the test, 0 before the first pair; cached: it takes a millisecond, and is shown often."""
        key = tuple(self.seen()), sprt
        if self._llr is None or self._llr[0] != key:
            self._llr = key, stats.llr(key[0], sprt.elo0, sprt.elo1, sprt.model)
        return self._llr[1]


class Effects:
    """The variants of a factorial, each counted in every game from the view of the engine that has its change.

    They are tested on whole rounds of the matches, in order. Only then is every other variant as often with one
    as against it, and only then is a verdict independent of which games ended first.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.matches = experiment.matches
        variants = len(experiment.entrants) - 1
        blocks = range(experiment.limits)
        self._variants = variants
        self.rows = [
            PairingTally(
                Pairing(
                    block * variants + index, block * len(experiment.entrants) + index, (block + 1) * (variants + 1) - 1
                ),
                experiment.games,
                tested=[0] * 5,
            )
            for block in blocks
            for index in range(variants)
        ]
        self._rounds: list[dict[int, dict[int, float]]] = [{} for _ in blocks]  # by round and match: points in the pair
        self._next = [1 for _ in blocks]  # the next round to be tested
        self._half: dict[tuple[int, int], float] = {}

    def of(self, block: int) -> list[PairingTally]:
        """The variants at one limit."""
        return self.rows[block * self._variants : (block + 1) * self._variants]

    def decided(self, pairing: int) -> bool:
        return all(row.verdict is not None for row in self.of(pairing // self.matches))

    def add(self, pairing: int, pair: int, points: float) -> Sequence[PairingTally]:
        """Counts a game of a match by its first engine's points; returns the variants if a round is complete."""
        block, match = divmod(pairing, self.matches)
        rows = self.of(block)
        for index, row in enumerate(rows):
            row.add(pair * self.matches + match, points if design.has(match, index) else 1.0 - points)
        first = self._half.pop((pairing, pair), None)
        if first is None:
            self._half[pairing, pair] = points
            return ()
        self._rounds[block].setdefault(pair, {})[match] = first + points
        whole = False
        while len(self._rounds[block].get(self._next[block], ())) == self.matches:
            for match, both in self._rounds[block].pop(self._next[block]).items():
                for index, row in enumerate(rows):
                    assert row.tested is not None
                    row.tested[int(2 * (both if design.has(match, index) else 2.0 - both))] += 1
            self._next[block] += 1
            whole = True
        return rows if whole else ()


@dataclass(slots=True)
class Tally:
    """The counts of a run: its pairings, and the faults of its players.

    `effects`: in a factorial the variants, shown and tested instead of the matches.
    """

    pairings: list[PairingTally]
    scheduled: int
    effects: Effects | None = None
    played: int = 0
    plies: int = 0
    faults: dict[int, dict[str, int]] = field(default_factory=dict)

    @classmethod
    def empty(cls, experiment: Experiment, scheduled: int) -> Tally:
        """The counts of a run before its first game."""
        pairings = [PairingTally(one, experiment.games_each, experiment.paired) for one in pairings_of(experiment)]
        return cls(pairings, scheduled, Effects(experiment) if experiment.matches else None)

    @property
    def rows(self) -> list[PairingTally]:
        """The rows that are shown and tested: the pairings, or the variants of a factorial."""
        return self.pairings if self.effects is None else self.effects.rows

    def add(self, row: GameRow) -> Sequence[PairingTally]:
        """Counts a finished game; returns the rows with something new to test."""
        self.played += 1
        self.plies += row.plies
        if row.culprit is not None:
            self.fault(row.culprit, row.reason)
        points = row.points
        if points is None:
            return ()
        tally = self.pairings[row.pairing]
        if row.white != tally.pairing.a:
            points = 1.0 - points
        complete = tally.add(row.pair, points)
        if self.effects is not None:
            return self.effects.add(row.pairing, row.pair, points)
        return (tally,) if complete else ()

    def points(self) -> dict[int, tuple[float, int]]:
        """The points and games of each player that has played."""
        found: dict[int, tuple[float, int]] = {}
        for row in self.pairings:
            won = row.wins + row.draws / 2.0
            for player, share in ((row.pairing.a, won), (row.pairing.b, row.played - won)):
                if row.played:
                    points, games = found.get(player, (0.0, 0))
                    found[player] = points + share, games + row.played
        return found

    def decided(self, pairing: int) -> bool:
        """Says whether verdicts have made a pairing's remaining games needless."""
        if self.effects is not None:
            return self.effects.decided(pairing)
        return self.pairings[pairing].verdict is not None

    def missing(self) -> int:
        """Returns how many games are neither played nor made needless."""
        open_ = (pairing for index, pairing in enumerate(self.pairings) if not self.decided(index))
        return sum(pairing.scheduled - pairing.played for pairing in open_)

    def fault(self, player: int, reason: str) -> None:
        words = self.faults.setdefault(player, {})
        words[reason] = words.get(reason, 0) + 1

    def serious(self) -> int:
        """Returns the number of faults other than time losses."""
        return sum(n for words in self.faults.values() for reason, n in words.items() if reason != "time")
