"""The state of a run at work: what its displays draw, and the file in which other processes read it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypedDict

from harness.analysis import tuned
from harness.analysis.tally import PairingTally, Tally
from harness.errors import BadInput
from harness.files import store
from harness.journal.journal import LIVE_FILE
from harness.schedule.spsa import Tuning
from harness.spec.designs import names_of_rows
from harness.spec.settings import DYNAMIC_KINDS, Experiment
from harness.stats import elo as stats

FILE_EVERY = 1.0  # seconds between two updates of live.json


class SprtState(TypedDict):
    """A pairing's sequential test: LLR from H0 (`lower`) to H1 (`upper`); the verdict is "H0", "H1" or None."""

    llr: float
    lower: float
    upper: float
    verdict: str | None


class PairingState(TypedDict):
    """A pairing from a's view; Elo figures are None if they are not determined. `shown` is a `stats.Outcome`."""

    a: str
    b: str
    scheduled: int
    played: int
    wins: int
    draws: int
    losses: int
    pentanomial: list[int]
    elo: float | None
    elo_error: float | None
    los: float | None
    shown: dict[str, Any]
    sprt: SprtState | None


class RunState(TypedDict):
    """All that a viewer may want to know, ready for JSON. Times are in seconds; `time` is since the epoch."""

    name: str
    state: str
    time: float
    pid: int
    scheduled: int
    played: int
    remaining: int
    plies: int
    elapsed: float
    eta: float | None
    rate: float | None
    faults: dict[str, dict[str, int]]
    pairings: list[PairingState]
    parameters: list[dict[str, Any]]  # of a tuning run: each a `tuned.Tuned`
    slots: list[dict[str, Any]]
    asked: str  # "pause", "stop" or "now" if the user has asked for it, else ""


class Monitor:
    """The state of a run at work. `clock` gives seconds since any moment."""

    def __init__(
        self,
        experiment: Experiment,
        tally: Tally,
        folder: Path,
        clock: Callable[[], float] = time.monotonic,
        tuning: Tuning | None = None,
    ) -> None:
        self.tuning = tuning
        self.experiment = experiment
        self.tally = tally
        self.folder = folder
        self.clock = clock
        self.slots: dict[int, Mapping[str, Any]] = {}
        self.asked = ""  # what the user has asked for: see `journal.control`
        self.began = clock()
        self._names = names_of_rows(experiment)
        self._at_start = tally.played
        self._next_file = 0.0

    def recount(self, tally: Tally) -> None:
        """Goes on with another tally, of a journal from which games were dropped."""
        self._at_start -= self.tally.played - tally.played
        self.tally = tally

    def names(self, pairing: PairingTally) -> tuple[str, str]:
        """Returns the names of a row's two sides."""
        return self._names[pairing.pairing.a], self._names[pairing.pairing.b]

    def tuned(self) -> tuned.TuningSummary | None:
        """Returns the parameters of a tuning run as they are now; None for the other kinds."""
        return tuned.of_walk(self.experiment, self.tuning.latest()) if self.tuning is not None else None

    def remaining(self) -> int:
        """Returns the number of games still to be played, not counting those of decided pairings."""
        left = self.tally.scheduled - self.tally.played
        # Of a tournament by rounds the pairings hold only the games dealt so far.
        return max(0, left if self.experiment.kind in DYNAMIC_KINDS else min(self.tally.missing(), left))

    def eta(self) -> float | None:
        """Returns the seconds to the end at the present rate; None before the first game. An SPRT may end it sooner."""
        fresh = self.tally.played - self._at_start
        return (self.clock() - self.began) / fresh * self.remaining() if fresh > 0 else None

    def rate(self) -> float | None:
        """Returns the games per minute of this process; None before its first game."""
        fresh, spent = self.tally.played - self._at_start, self.clock() - self.began
        return 60.0 * fresh / spent if fresh and spent > 0 else None

    def faults(self) -> dict[str, dict[str, int]]:
        players = self.experiment.players
        return {players[index].name: words for index, words in self.tally.faults.items()}

    def state(self, word: str = "running") -> RunState:
        """Returns the present state; no number in it is infinite."""
        return {
            "name": self.experiment.name,
            "state": word,
            "time": time.time(),
            "pid": os.getpid(),
            "scheduled": self.tally.scheduled,
            "played": self.tally.played,
            "remaining": self.remaining(),
            "plies": self.tally.plies,
            "elapsed": self.clock() - self.began,
            "eta": self.eta(),
            "rate": self.rate(),
            "faults": self.faults(),
            "pairings": [self._pairing(pairing) for pairing in self.tally.rows],
            "parameters": self._parameters(),
            "slots": [self._slot(number) for number in sorted(self.slots)],
            "asked": self.asked,
        }

    def _pairing(self, pairing: PairingTally) -> PairingState:
        a, b = self.names(pairing)
        estimate = pairing.estimate()
        sprt = self.experiment.sprt
        test: SprtState | None = None
        if sprt is not None:
            lower, upper = stats.bounds(sprt.alpha, sprt.beta)
            test = {"llr": pairing.llr(sprt), "lower": lower, "upper": upper, "verdict": pairing.verdict}
        return {
            "a": a,
            "b": b,
            "scheduled": pairing.scheduled,
            "played": pairing.played,
            "wins": pairing.wins,
            "draws": pairing.draws,
            "losses": pairing.losses,
            "pentanomial": list(pairing.pairs),
            "elo": estimate.elo,
            "elo_error": estimate.elo_error,
            "los": estimate.los,
            "shown": asdict(pairing.outcome(sprt)),
            "sprt": test,
        }

    def _parameters(self) -> list[dict[str, Any]]:
        found = self.tuned()
        return [] if found is None else [asdict(parameter) for parameter in found.parameters]

    def _slot(self, number: int) -> dict[str, Any]:
        players = self.experiment.players
        slot = self.slots[number]
        return {**slot, "slot": number, "white": players[slot["white"]].name, "black": players[slot["black"]].name}

    def write(self, word: str = "running", force: bool = False) -> None:
        """Rewrites live.json, at most once a second unless forced. A full disk does not stop the run."""
        now = self.clock()
        if now < self._next_file and not force:
            return
        self._next_file = now + FILE_EVERY
        try:
            store(self.folder / LIVE_FILE, json.dumps(self.state(word)).encode())
        except BadInput:
            pass
