"""Simulated slots: games end as a test says, at once and without a process."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import synthetic

from harness.journal.journal import Journal
from harness.journal.record import pack
from harness.model import Job
from harness.run.display import Display
from harness.run.session import Session
from harness.slots.interface import Failed, Message
from harness.spec.settings import Experiment

Outcome = str | Failed | None  # the result of a game, a failed start, or the user's Ctrl-C during the game
Play = Callable[[Job], Outcome]


class PaperSlots:
    """Ends a random one of the games in play whenever it is asked for news."""

    whole_pairs = False

    def __init__(self, size: int, play: Play, rng: random.Random) -> None:
        self.size, self._play, self._rng = size, play, rng
        self._playing: dict[int, Job] = {}

    def __enter__(self) -> PaperSlots:
        return self

    def __exit__(self, *_: object) -> None:
        self.close(gently=False)

    def watch(self, fd: int) -> None:
        pass

    def resize(self, size: int) -> None:
        self.size = size

    def idle(self) -> list[int]:
        return [number for number in range(self.size) if number not in self._playing]

    @property
    def busy(self) -> int:
        return len(self._playing)

    def play(self, number: int, jobs: Sequence[Job]) -> None:
        (self._playing[number],) = jobs

    def messages(self, seconds: float) -> Iterator[Message]:
        number = self._rng.choice(sorted(self._playing))
        outcome = self._play(self._playing[number])
        if outcome is None:
            os.kill(os.getpid(), signal.SIGINT)
            return
        job = self._playing.pop(number)
        if isinstance(outcome, Failed):
            yield Message(number, outcome)
        else:
            yield Message(number, pack(synthetic.record(job, outcome)))

    def close(self, gently: bool) -> None:
        self._playing.clear()


def work(experiment: Experiment, folder: Path, play: Play, seed: int = 1, size: int = 2) -> Session:
    """Does one process's work on the run in a folder, which must have a journal; returns the session after its end."""
    journal = Journal(folder)
    try:
        session = Session(experiment, folder, journal, Display, lambda *_: PaperSlots(size, play, random.Random(seed)))
        journal.begin()
        session.play()
    finally:
        journal.close()
    return session
