"""Which machines of a cluster play a run, as recorded in its journal."""

from __future__ import annotations

import json

from harness.journal.journal import Journal
from harness.run.log import Log
from harness.slots.interface import Cluster, WorkerReady
from harness.spec.settings import Experiment
from harness.terminal.numbers import noun

META = "cluster"  # key in the journal: how the run was spread, a JSON object


class Machines:
    """The reference machine and the workers, including those of earlier parts of the run."""

    def __init__(self, experiment: Experiment, journal: Journal, log: Log) -> None:
        self._names = [player.name for player in experiment.players]
        self._journal = journal
        self._log = log
        self._facts: dict[str, object] = {}
        self._workers = _workers(journal.meta.get(META, "{}"))

    def found(self, cluster: Cluster) -> None:
        """Notes the cluster that plays from now on."""
        engines = {self._names[index]: what for index, what in cluster.engines}
        speed = f", reference {cluster.nps:.0f} nodes/s on {cluster.host}" if cluster.nps is not None else ""
        self._log(f"cluster {cluster.address}{speed}; {'; '.join(f'{name}: {what}' for name, what in engines.items())}")
        self._facts = {
            "address": cluster.address,
            "reference": {"host": cluster.host, "nps": cluster.nps, "engines": engines},
            "workers": [],
        }

    def ready(self, worker: WorkerReady) -> None:
        """Notes a worker that plays from now on."""
        text = f"worker {worker.address} on {worker.host} runs the same engines, {worker.slots} {noun(worker.slots, 'slot')}"
        if worker.nps is not None:
            text += f", {worker.nps:.0f} nodes/s, times x {worker.factor:.3f}"
        self._log(text)
        self._workers.append(
            {
                "address": worker.address,
                "host": worker.host,
                "slots": worker.slots,
                "nps": worker.nps,
                "time_factor": worker.factor,
            }
        )
        self._journal.set_meta(META, json.dumps({**self._facts, "workers": self._workers}))


def _workers(noted: str) -> list[dict[str, object]]:
    """The workers of earlier parts of a run; of a damaged note none, as the games do not depend on them."""
    try:
        return [dict(worker) for worker in json.loads(noted)["workers"]]
    except (ValueError, KeyError, TypeError):
        return []
