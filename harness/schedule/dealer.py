"""Deals the games of a run to its slots: pair by pair, the second game of a pair to the slot that plays the first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator

from harness.model import Job

NOBODY = -1  # no slot has this number


class Dealer:
    """The games still to be played. It holds only the pairs already begun and a window of the next pairs of the schedule."""

    def __init__(
        self, jobs: Iterable[Job], done: Collection[int], skip: Callable[[Job], bool], window: int = 1
    ) -> None:
        """`done` are the ids in the journal; `skip` tells whether a game not yet begun is no longer wanted.

        Of the next `window` pairs a slot gets the first of the pairing that it has just played, else the first of all, so
        that it seldom has to start other engines. `jobs` may end for now and have more once further results are known.
        """
        self._jobs: Iterator[Job] = iter(jobs)
        self._done = done
        self._skip = skip
        self._window = window
        self._second: dict[int, deque[Job]] = {}  # by slot: the games kept for it
        self._again: deque[list[Job]] = deque()
        self._ahead: Job | None = None
        self._pairs: deque[list[Job]] = deque()  # the window
        self._last: dict[int, int] = {}  # by slot: the pairing of its last pair

    def next(self, slot: int) -> Job | None:
        """Returns the next game for a slot, None if nothing is left to begin."""
        kept = self._second.get(slot)
        if kept:
            return kept.popleft()
        while self._again:
            jobs = [job for job in self._again.popleft() if not self._skip(job)]
            if jobs:
                self._second.setdefault(slot, deque()).extend(jobs[1:])
                return jobs[0]
        pair = self._pair(slot)
        if pair:
            self._last[slot] = pair[0].pairing
            self._second.setdefault(slot, deque()).extend(pair[1:])
            return pair[0]
        # Nothing new is left: take over the second game of a pair whose slot is still busy with the first.
        for other in self._second.values():
            if other:
                return other.popleft()
        return None

    def _pair(self, slot: int) -> list[Job]:
        """Takes the next pair for a slot out of the window; empty if none is left."""
        while True:
            while len(self._pairs) < self._window and (fresh := self._read()):
                self._pairs.append(fresh)
            if not self._pairs:
                return []
            last = self._last.get(slot)
            place = next((n for n, pair in enumerate(self._pairs) if pair[0].pairing == last), 0)
            pair = [job for job in self._pairs[place] if not self._skip(job)]
            del self._pairs[place]
            if pair:
                return pair

    def _read(self) -> list[Job]:
        """Reads the next pair of the schedule that has not been played, or the one game of it that is missing."""
        first = self._wanted()
        if first is None:
            return []
        second = self._wanted()
        if second is not None and (second.pairing, second.pair) == (first.pairing, first.pair):
            return [first, second]
        self._ahead = second
        return [first]

    def _wanted(self) -> Job | None:
        if self._ahead is not None:
            job, self._ahead = self._ahead, None
            return job
        for job in self._jobs:
            if job.id not in self._done and not self._skip(job):
                return job
        return None

    def pair(self, slot: int) -> list[Job]:
        """Returns the next games for a slot that plays a whole pair without asking again, none if nothing is left."""
        first = self.next(slot)
        return [] if first is None else [first, *self._second.pop(slot, ())]

    def left(self) -> bool:
        """Says whether there is a game to give to a slot."""
        jobs = self.pair(NOBODY)
        if jobs:
            self.again(*jobs)
        return bool(jobs)

    def again(self, *jobs: Job) -> None:
        """Takes back games that were dealt but not played."""
        self._again.appendleft(list(jobs))

    def retire(self, slots: int) -> None:
        """Takes back the games kept for slots that no longer exist: those from number `slots` on."""
        for number in [number for number in self._second if number >= slots]:
            if kept := self._second.pop(number):
                self.again(*kept)

    def drop(self, unwanted: Callable[[Job], bool]) -> None:
        """Forgets games that are kept for a slot and can no longer be played."""
        for kept in self._second.values():
            stay = [job for job in kept if not unwanted(job)]
            kept.clear()
            kept.extend(stay)
