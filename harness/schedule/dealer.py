"""Deals the games of a run to its slots: pair by pair, the second game of a pair to the slot that plays the first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator

from harness.model import Job


class Dealer:
    """The games still to be played. It holds no more of the schedule than the pairs that were begun."""

    def __init__(self, jobs: Iterable[Job], done: Collection[int], skip: Callable[[Job], bool]) -> None:
        """`done` are the ids in the journal; `skip` says that a game not yet begun is no longer wanted."""
        self._jobs: Iterator[Job] = iter(jobs)
        self._done = done
        self._skip = skip
        self._second: dict[int, deque[Job]] = {}  # by slot: the game kept for it
        self._again: deque[Job] = deque()
        self._ahead: Job | None = None

    def next(self, slot: int) -> Job | None:
        """Returns the next game for a slot, or None when nothing is left to begin."""
        kept = self._second.get(slot)
        if kept:
            return kept.popleft()
        while self._again:
            job = self._again.popleft()
            if not self._skip(job):
                return job
        first = self._wanted()
        if first is not None:
            second = self._wanted()
            if second is not None and (second.pairing, second.pair) == (first.pairing, first.pair):
                self._second.setdefault(slot, deque()).append(second)
            else:
                self._ahead = second
            return first
        # Nothing new is left: take over a game that waits for a slot which is still busy with its first.
        for other in self._second.values():
            if other:
                return other.popleft()
        return None

    def _wanted(self) -> Job | None:
        if self._ahead is not None:
            job, self._ahead = self._ahead, None
            return job
        for job in self._jobs:
            if job.id not in self._done and not self._skip(job):
                return job
        return None

    def rest(self, slot: int) -> list[Job]:
        """Takes the games kept for a slot, so that it can play its pair without asking again."""
        return list(self._second.pop(slot, ()))

    def again(self, job: Job) -> None:
        """Takes back a game that was dealt and not played."""
        self._again.appendleft(job)

    def drop(self, unwanted: Callable[[Job], bool]) -> None:
        """Forgets the games kept for a slot that can no longer be played."""
        for kept in self._second.values():
            stay = [job for job in kept if not unwanted(job)]
            kept.clear()
            kept.extend(stay)
