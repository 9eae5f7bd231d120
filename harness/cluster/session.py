"""A run whose games are played by a cluster: deals pairs to its slots, and pairs of lost workers to others."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path

from harness.analysis.monitor import Monitor
from harness.cluster.pool import Broken, ClusterPool
from harness.journal.journal import Journal
from harness.model import Job
from harness.run.display import Display
from harness.run.session import FAULTY, REFRESH, Session
from harness.run.signals import Signals
from harness.schedule.dealer import Dealer
from harness.slots.interface import PairLost, Slots, WorkerReady
from harness.spec.settings import Experiment

META = "cluster"  # key in the journal: how the run was spread, a JSON object


class ClusterSession(Session):
    """The same work on a run as `Session`, on the slots of a cluster."""

    def __init__(
        self,
        pool: ClusterPool,
        experiment: Experiment,
        folder: Path,
        journal: Journal,
        make_display: Callable[[Monitor], Display],
    ) -> None:
        super().__init__(experiment, folder, journal, make_display, lambda *_: pool)
        self._cluster = pool
        self._again: deque[list[Job]] = deque()
        self._key = 0
        self._facts: dict[str, object] = {
            "address": pool.name,
            "reference": {"host": pool.expected.host, "nps": pool.expected.nps, "engines": self._engines()},
            "workers": [],
        }
        kept = json.loads(journal.meta.get(META, "{}"))
        self._workers: list[dict[str, object]] = list(kept.get("workers", ()))

    def _engines(self) -> dict[str, str]:
        players = self.experiment.players
        return {players[index].name: what for index, what in self._cluster.expected.engines}

    def play(self, force: bool = False) -> int:
        """Plays what is left and returns the exit status; raises BadInput when the cluster let it play nothing."""
        nps = self._cluster.expected.nps
        speed = f", reference {nps:.0f} nodes/s on {self._cluster.expected.host}" if nps is not None else ""
        engines = "; ".join(f"{name}: {what}" for name, what in self._engines().items())
        self.log(f"cluster {self._cluster.name}{speed}; {engines}")
        before = self.tally.played
        try:
            return super().play(force)
        except Broken as broken:
            self.log(str(broken))
            if self.tally.played == before:
                raise
            print(
                f"{broken}; gauntlet resume {self.folder} --cluster {self._cluster.name} goes on",
                file=sys.stderr,
            )
            return FAULTY

    def _deal(self, pool: Slots, dealer: Dealer, signals: Signals) -> None:
        cluster = self._cluster
        while not signals.status:
            if not cluster.busy and not cluster.idle():
                # With nobody there to play it must be known whether anything is left to be played.
                jobs = self._next(dealer)
                if not jobs:
                    return
                self._again.appendleft(jobs)
            for number in cluster.idle():
                jobs = self._next(dealer)
                if not jobs:
                    if not cluster.busy:
                        return
                    break
                cluster.play(number, jobs)
            for message in cluster.messages(REFRESH):
                self._hear(message, dealer)
                if signals.status:
                    return
            self.display.tick()
            self.monitor.write()

    def _next(self, dealer: Dealer) -> list[Job]:
        """Returns the games of a pair that are still to be played, none when nothing is left to begin."""
        while self._again:
            jobs = [job for job in self._again.popleft() if not self._unwanted(job)]
            if jobs:
                return jobs
        self._key += 1
        first = dealer.next(self._key)
        return [] if first is None else [first, *dealer.rest(self._key)]

    def _worker_ready(self, worker: WorkerReady) -> None:
        text = f"worker {worker.address} on {worker.host} runs the same engines, {worker.slots} slots"
        if worker.nps is not None:
            text += f", {worker.nps:.0f} nodes/s, times x {worker.factor:.3f}"
        self.log(text)
        self._workers.append(
            {
                "address": worker.address,
                "host": worker.host,
                "slots": worker.slots,
                "nps": worker.nps,
                "time_factor": worker.factor,
            }
        )
        self.journal.set_meta(META, json.dumps({**self._facts, "workers": self._workers}))

    def _pair_lost(self, lost: PairLost) -> None:
        games = " and ".join(str(job.id) for job in lost.jobs)
        first = lost.jobs[0]
        pairing, players = self.tally.pairings[first.pairing].pairing, self.experiment.players
        a, b = players[pairing.a].name, players[pairing.b].name
        where = f"pair {first.pair} of {a} vs {b}, games {games}: worker {lost.where} {lost.why}"
        if not lost.final:
            self.log(f"{where}; played again")
            self._again.append(list(lost.jobs))
            return
        self._spoil(lost.jobs, f"{where}; it has cost {lost.losses} workers")
