"""Replays the games of a run that were played to fixed nodes or depth, and compares them move by move."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from harness.analysis import tuned
from harness.errors import BadInput
from harness.game.game import Rules
from harness.journal.journal import Reader
from harness.journal.record import PackedGame, first_mover, unpack_moves
from harness.model import FAULTS, Job, Options
from harness.run.handshake import introduced
from harness.run.session import PROCESSES
from harness.run.signals import Signals
from harness.schedule.dealer import Dealer
from harness.schedule.spsa import Tuning
from harness.slots.interface import Failed, KillsSlots, SlotDied
from harness.slots.local import Pool
from harness.slots.worker import SlotSpec
from harness.spec import reader as experiments
from harness.spec.settings import Experiment
from harness.terminal.progress import Progress

SLICE = 0.25  # seconds


@dataclass(slots=True)
class Report:
    """What a replay found; games `left_out` have a clock or ended by a fault, so that a replay would say nothing."""

    same: int = 0
    different: int = 0
    left_out: int = 0
    interrupted: int = 0  # the exit status by the signal, 0 without one


def _options(reader: Reader, experiment: Experiment) -> dict[int, tuple[Options, Options]]:
    """The options of each game of a tuning run, by game; empty for the other kinds."""
    if experiment.spsa is None:
        return {}
    tuning = Tuning(experiment)
    tuning.results = tuned.results(reader.rows(), reader.given_up())
    return {job.id: job.options for job in tuning}


def first_difference(then: list[str], now: list[str]) -> tuple[int, str] | None:
    """Returns the ply (from 0) at which two games differ, and how in words; None if they are the same."""
    for place, (old, new) in enumerate(zip(then, now, strict=False)):
        if old != new:
            return place, f"{old} in the journal, {new} now"
    if len(then) != len(now):
        return min(len(then), len(now)), f"{len(then)} plies in the journal, {len(now)} now"
    return None


def verify(folder: Path, shown: Progress, concurrency: int | None = None, most: int | None = None) -> Report:
    """Replays the journal's games, at most `most`; `shown` gets a line for each difference. Raises BadInput."""
    with Reader(folder) as reader:
        text = reader.meta["experiment"]
        experiment = introduced(experiments.parse(text, f"{folder}/experiment.toml", folder, check=True))
        report = Report()
        jobs: list[Job] = []
        options = _options(reader, experiment)
        for row in reader.rows():
            limits = experiment.players[row.white].limit, experiment.players[row.black].limit
            if row.reason in FAULTS or any(limit.timed for limit in limits):
                report.left_out += 1
            elif most is None or len(jobs) < most:
                jobs.append(replace(row.job, options=options.get(row.id, ((), ()))))
        if not jobs:
            raise BadInput(f"{folder}: no game to verify: only games under nodes or depth can be replayed")
        size = min(concurrency or experiment.concurrency, len(jobs))
        dealer = Dealer(jobs, (), lambda job: False)
        with (
            Signals() as signals,
            tempfile.TemporaryDirectory(prefix="gauntlet-") as scratch,  # the results may be where nobody can write
            Pool(SlotSpec(experiment.players, Rules.of(experiment), Path(scratch) / PROCESSES), size) as pool,
        ):
            pool.watch(signals.wakeup)
            shown.begin(f"{experiment.name}: games replayed", len(jobs), "games")
            while not signals.status:
                for number in pool.idle():
                    job = dealer.next(number)
                    if job is None:
                        break
                    pool.play(number, [job])
                if not pool.busy:
                    break
                for message in pool.messages(SLICE):
                    match message.news:
                        case PackedGame() as game:
                            _compare(reader, game, experiment, report, shown)
                            shown.advance()
                        case Failed(player, job, detail):
                            report.different += 1
                            shown.line(f"game {job.id}: {experiment.players[player].name}: {detail}")
                            shown.advance()
                        case KillsSlots(job, deaths):
                            report.different += 1
                            shown.line(f"game {job.id}: {deaths} slots died of it now")
                            shown.advance()
                        case SlotDied(job):
                            dealer.again(job)
                shown.advance(0)
            report.interrupted = signals.status
            if signals.status:
                pool.close(gently=False)
    return report


def _compare(reader: Reader, packed: PackedGame, experiment: Experiment, report: Report, shown: Progress) -> None:
    row = packed.row
    (then,) = reader.games([row.id])
    parted = first_difference([one.move for one in then.moves], [one.move for one in unpack_moves(packed.moves)])
    if parted is not None:
        place, how = parted
        mover = first_mover(row.fen, row.line.split()) ^ (place & 1)
        difference = f"ply {place + 1}, {experiment.players[(row.white, row.black)[mover]].name}: {how}"
    elif (then.result, then.reason) != (row.result, row.reason):
        difference = f"{then.result} by {then.reason} in the journal, {row.result} by {row.reason} now"
    else:
        report.same += 1
        return
    report.different += 1
    shown.line(f"game {row.id}: {difference}")
