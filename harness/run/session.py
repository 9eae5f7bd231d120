"""A run from folder to exit status: deals the games, keeps the finished ones, stops at a verdict or a signal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from harness.analysis.monitor import Monitor
from harness.analysis.tally import PairingTally, Tally
from harness.engines.process import sweep
from harness.errors import BadInput
from harness.game.game import FAULTS, Rules
from harness.journal.database import DiskFull
from harness.journal.journal import FAILED_STARTS, Journal
from harness.journal.record import PackedGame
from harness.model import Job
from harness.run.display import Display, say
from harness.run.log import LOG, Log
from harness.run.signals import Signals
from harness.schedule import jobs as schedule
from harness.schedule import rounds
from harness.schedule.dealer import Dealer
from harness.schedule.spsa import Tuning
from harness.slots.interface import (
    Failed,
    KillsSlots,
    Live,
    Message,
    Named,
    Note,
    PairLost,
    SlotDied,
    Slots,
    WorkerReady,
)
from harness.slots.local import Pool
from harness.slots.worker import SlotSpec
from harness.spec.settings import Experiment
from harness.stats.elo import bounds
from harness.tables import numbers

DONE, FAULTY = 0, 1
PROCESSES = "processes"  # in the results folder: the engines started, for the sweep of the next start
REFRESH = 0.25  # seconds
LOOK_AHEAD = 4  # pairs of each pairing among which a slot finds one whose engines it has

DYNAMIC_KINDS = ("knockout", "swiss", "league")


def rules_of(experiment: Experiment) -> Rules:
    """Returns what a slot must know of an experiment."""
    return Rules(
        experiment.margin,
        experiment.patience,
        experiment.max_moves,
        experiment.ponder,
        experiment.chess960,
        experiment.restart,
        experiment.adjudication,
    )


class Session:
    """One process's work on a run: from what the journal holds to what is left to play."""

    def __init__(
        self,
        experiment: Experiment,
        folder: Path,
        journal: Journal,
        make_display: Callable[[Monitor], Display],
        pool_of: Callable[[SlotSpec, int, Path], Slots] = Pool,
    ) -> None:
        self.experiment = experiment
        self.folder = folder
        self.journal = journal
        self.log = Log(folder / LOG)
        self._pool_of = pool_of
        self._dynamic = experiment.kind in DYNAMIC_KINDS
        # Of the kinds with rounds only: the others need no memory of their games.
        self.results: dict[int, str] = {}  # what the rounds are dealt by
        self._played: dict[int, rounds.Played] = {}
        self._given_up = journal.given_up()
        self._unplayed = set(self._given_up)
        self._failures: dict[int, int] = {}  # in a row, by player
        self._out: set[int] = set()
        self._names: dict[int, str] = {}
        self._spoiled: set[int] = set()  # games that killed what was to play them: never tried again
        self.tuning = Tuning(experiment) if experiment.spsa is not None else None
        self.tally = self._count()
        self._misfits: tuple[int, ...] = ()
        if self._dynamic:
            self._take_stock(journal.given_up_players())
        self.monitor = Monitor(experiment, self.tally, folder, tuning=self.tuning)
        self.display = make_display(self.monitor)

    def _count(self) -> Tally:
        """Returns the counts of what the journal holds; refuses one whose games are not those of the schedule."""
        experiment, journal = self.experiment, self.journal
        tally = Tally.empty(experiment, journal.scheduled)
        self._played.clear()
        for row in journal.rows():
            if self._dynamic:
                self._played[row.id] = rounds.Played.of(row)
            elif not schedule.holds(experiment, row):
                raise BadInput(
                    f"{journal.path}: game {row.id} is not the one that {self.folder} has scheduled under that id"
                )
            tally.add(row)
            if self.tuning is not None:
                self.tuning.results.add(row)
        for failed in journal.failed_starts():
            tally.fault(failed.player, failed.reason)
            if failed.reason != "start":
                self._spoiled.add(failed.game)
                if self.tuning is not None:
                    self.tuning.results.give_up(failed.game)
        for index, verdict in journal.verdicts().items():
            tally.rows[index].verdict = verdict.verdict
        return tally

    # Rounds

    def _take_stock(self, given_up_players: Collection[int] = ()) -> None:
        """Finds the results that the rounds go by, and counts the games that they have dealt."""
        known = rounds.account(self.experiment, self._played, self._unplayed, given_up_players)
        self.results = known.results
        self._unplayed |= known.given_up
        self._misfits = known.misfits
        dealt: dict[int, int] = {}
        for job in schedule.jobs(self.experiment, self.results):
            dealt[job.pairing] = dealt.get(job.pairing, 0) + 1
        for index, pairing in enumerate(self.tally.pairings):
            pairing.scheduled = dealt.get(index, 0)
        self.tally.scheduled = schedule.scheduled(self.experiment, self.results)

    def _drop_misfits(self) -> None:
        """Removes the games that were played on other results of earlier rounds than there are: they are no part of it."""
        while self._misfits:
            names = [player.name for player in self.experiment.players]
            for number in self._misfits:
                game = self._played[number]
                self.log(
                    f"game {number}: {names[game.white]} vs {names[game.black]}, {game.result}, was dealt on other "
                    "results than the journal holds: dropped, the game of today's round is played"
                )
            self.journal.drop(self._misfits)
            self.tally = self.monitor.tally = self._count()
            self._take_stock()

    def _next_round(self) -> list[Job]:
        """Returns the games that can be dealt now that the last ones are played or given up; none when all is over."""
        self._take_stock()
        self._drop_misfits()
        jobs = [job for job in schedule.jobs(self.experiment, self.results) if job.id not in self.results]
        if jobs:
            self._give_up()  # what comes now stands on them
        return jobs

    def _give_up(self) -> None:
        self.journal.give_up(self._unplayed - self._given_up)
        self._given_up |= self._unplayed

    # Playing

    def play(self, force: bool = False) -> int:
        """Plays what is left and returns the exit status; the journal is whole however this ends.

        `force`: see `Reader.refuse_at_work`.
        """
        jobs = self.tuning if self.tuning is not None else schedule.jobs(self.experiment, self.results)
        record = self.folder / PROCESSES
        spec = SlotSpec(self.experiment.players, rules_of(self.experiment), record)
        left = max(1, self.tally.scheduled - self.tally.played)
        window = LOOK_AHEAD * len(self.tally.pairings)
        with Signals() as signals:
            self.journal.begin(force)
            if self._dynamic:
                self._drop_misfits()
                self._give_up()
                jobs = schedule.jobs(self.experiment, self.results)
            orphans = sweep(record)
            if orphans:
                self.log(f"ended {orphans} engines that an earlier run had left behind")
            self.log(f"start: {self.tally.played} of {self.tally.scheduled} games are in the journal")
            status = FAULTY
            complete = False
            self.display.start()
            for pairing in self.tally.rows:
                self._test(pairing)  # a process that was killed may have had no time to keep the verdict
            try:
                with self._pool_of(spec, min(self.experiment.concurrency, left), self.log.path) as pool:
                    pool.watch(signals.wakeup)
                    done = self.results.keys() if self._dynamic else self.journal.ids()
                    self._deal(pool, Dealer(jobs, done, self._unwanted, window), signals)
                    while self._dynamic and not signals.status and (fresh := self._next_round()):
                        self._deal(pool, Dealer(fresh, (), self._unwanted, window), signals)
                    if signals.status:
                        pool.close(gently=False)
                complete = not signals.status
                status = signals.status or self.status()
                record.unlink(missing_ok=True)
            except DiskFull as full:
                self.log(str(full))
                print(f"{full}; gauntlet resume {self.folder} goes on", file=sys.stderr)
                status = FAULTY
            finally:
                self.monitor.slots.clear()
                self.display.stop()
                self.log(f"end: exit status {status}, {self.tally.played} of {self.tally.scheduled} games")
                self.monitor.write("done" if complete else "stopped", force=True)
                try:
                    self.journal.end(status, complete)
                except DiskFull:
                    pass  # the journal then says that the run was broken off, which it was
        return status

    def _deal(self, pool: Slots, dealer: Dealer, signals: Signals) -> None:
        """Has the slots play all that the dealer holds; returns early when a signal asks for it."""
        while not signals.status:
            for number in pool.idle():
                job = dealer.next(number)
                if job is None:
                    break
                pool.play(number, [job])
                self.display.began(job)
            if not pool.busy:
                return
            for message in pool.messages(REFRESH):
                self._hear(message, dealer)
                if isinstance(message.news, PackedGame) and not signals.status:
                    # The slot that has just ended a game need not wait until the others were heard.
                    job = dealer.next(message.slot)
                    if job is not None:
                        pool.play(message.slot, [job])
                        self.display.began(job)
            self.display.tick()
            self.monitor.write()

    def _unwanted(self, job: Job) -> bool:
        """Says whether a game that is not begun is not to be played any more."""
        if job.white in self._out or job.black in self._out:
            self._unplayed.add(job.id)
            return True
        if job.id in self._spoiled:
            self._unplayed.add(job.id)
            return True
        return self.tally.decided(job.pairing)

    def _hear(self, message: Message, dealer: Dealer) -> None:
        match message.news:
            case PackedGame() as game:
                self.monitor.slots.pop(message.slot, None)
                self._game(game, dealer)
            case Live(state):
                self.monitor.slots[message.slot] = state
            case Named(player, name):
                if self._names.get(player) != name:
                    self._names[player] = name
                    self.journal.set_engine_name(player, name)
                    self.log(f'{self.experiment.players[player].name} calls itself "{name}"')
            case Failed() as failed:
                self._failed(failed, dealer)
            case KillsSlots(job, deaths):
                self.monitor.slots.pop(message.slot, None)
                self._spoil([job], f"game {job.id}: {deaths} slots died of it")
            case SlotDied(job):
                self.monitor.slots.pop(message.slot, None)
                self.log(f"slot {message.slot + 1} died in game {job.id}: it is played again")
                dealer.again(job)
            case Note(text, shown):
                self.log(text)
                if shown:
                    self.display.note(text)
            case PairLost() as lost:
                self.monitor.slots.pop(message.slot, None)
                self._pair_lost(lost)
            case WorkerReady() as worker:
                self._worker_ready(worker)

    def _pair_lost(self, lost: PairLost) -> None:
        """A cluster alone deals whole pairs: see `ClusterSession`."""
        raise NotImplementedError

    def _worker_ready(self, worker: WorkerReady) -> None:
        """Likewise."""
        raise NotImplementedError

    def _game(self, game: PackedGame, dealer: Dealer) -> None:
        row = game.row
        if not self.journal.add(game):
            self.log(f"game {row.id} came a second time: dropped")
            return
        if self._dynamic:
            self._played[row.id] = rounds.Played.of(row)
        self._failures[row.white] = self._failures[row.black] = 0
        if self.tuning is not None:
            self.tuning.results.add(row)
        changed = self.tally.add(row)
        if row.reason in FAULTS:
            self._fault(game)
        self.display.finished(game)
        for one in changed:
            self._test(one)

    def _test(self, pairing: PairingTally) -> None:
        """Ends the test of a pairing whose LLR has reached a bound."""
        sprt = self.experiment.sprt
        if sprt is None or pairing.verdict is not None:
            return
        llr = pairing.llr(sprt)
        lower, upper = bounds(sprt.alpha, sprt.beta)
        if lower < llr < upper:
            return
        pairing.verdict = "H1" if llr >= upper else "H0"
        self.journal.add_verdict(pairing.pairing.index, pairing.verdict, llr, sum(pairing.seen()))
        a, b = self.monitor.names(pairing)
        said = numbers.llr(llr, lower, upper, pairing.verdict)
        text = f"{a} vs {b}: SPRT ends after {sum(pairing.seen())} pairs, {said}"
        self.log(text)
        self.display.note(text)

    # Faults

    def _fault(self, game: PackedGame) -> None:
        import json

        row = game.row
        evidence = json.loads(game.evidence)
        player = self.experiment.players[evidence["player"]].name
        text = f"game {row.id}: {player} loses by {row.reason}: {row.detail}"
        self.log(text)
        self.display.note(text)
        self._write_fault(row.id, text, evidence)

    def _failed(self, failed: Failed, dealer: Dealer) -> None:
        player = self.experiment.players[failed.player].name
        evidence = {
            "player": failed.player,
            "reason": "start",
            "position": failed.job.opening.fen,
            "transcript": failed.transcript,
            "stderr": failed.stderr,
            "exit_code": failed.exit_code,
        }
        self.journal.add_failed_start(failed.player, failed.job.id, failed.detail, evidence)
        self.tally.fault(failed.player, "start")
        text = f"game {failed.job.id}: {player} does not start: {failed.detail}"
        row = self._failures[failed.player] = self._failures.get(failed.player, 0) + 1
        if row >= FAILED_STARTS and failed.player not in self._out:
            self._out.add(failed.player)
            text += "; its other games stay unplayed"
        self.log(text)
        self.display.note(text)
        self._write_fault(failed.job.id, text, evidence)
        dealer.drop(lambda job: self._hopeless(job))
        dealer.again(failed.job)

    def _spoil(self, jobs: Sequence[Job], why: str) -> None:
        """Charges both players with games that kill whatever plays them; they are not tried again, ever.

        Which of the two it was nobody can say: what would know has died.
        """
        text = f"{why}: a fault of its engines, not played again"
        self.log(text)
        self.display.note(text)
        for job in jobs:
            self._spoiled.add(job.id)
            self._unplayed.add(job.id)
            if self.tuning is not None:
                self.tuning.results.give_up(job.id)
            for player in dict.fromkeys((job.white, job.black)):
                evidence = {
                    "player": player,
                    "reason": "crash",
                    "position": job.opening.fen,
                    "transcript": (),
                    "stderr": "",
                    "exit_code": None,
                }
                self.journal.add_failed_start(player, job.id, why, evidence)
                self.tally.fault(player, "crash")
            self._write_fault(job.id, text, evidence)

    def _hopeless(self, job: Job) -> bool:
        return (job.white in self._out or job.black in self._out) and self._unwanted(job)

    def _write_fault(self, game: int, text: str, evidence: Mapping[str, object]) -> None:
        transcript = evidence["transcript"]
        assert isinstance(transcript, list | tuple)
        lines = [text, f"position: {evidence['position']}", f"exit status: {evidence['exit_code']}", "", "last lines:"]
        for entry in transcript:
            mark, _, rest = str(entry).partition(" ")
            lines += [f"{mark} {part}" for part in rest.split("\n")]
        lines += ["", "standard error:", str(evidence["stderr"]), ""]
        path = self.folder / "faults" / f"{game}.txt"
        try:
            path.parent.mkdir(exist_ok=True)
            with open(path, "a", encoding="utf-8", errors="replace") as file:
                file.write("\n".join(lines))
        except OSError:
            self.log(f"{path} could not be written")

    # The end

    def unplayed(self) -> int:
        """Returns the games that are neither played nor made needless by a verdict."""
        if self._dynamic:
            return len(self._unplayed)
        return self.tally.missing()

    def status(self) -> int:
        """Returns the exit status of a run that came to its end."""
        return FAULTY if self.tally.serious() or self.unplayed() else DONE


def results_folder(out: str | None, name: str) -> Path:
    """Makes and returns the folder for a new run; raises BadInput when it holds a run already."""
    if out is not None:
        folder = Path(out)
        if (folder / "games.db").exists():
            raise BadInput(f"{folder}: there are results already; gauntlet resume {folder} goes on with them")
        if folder.exists() and not folder.is_dir():
            raise BadInput(f"{folder}: is a file; --out expects a folder")
    else:
        safe = "".join(c if c not in "/\\:\0" else "-" for c in name).strip(". ") or "run"
        folder = Path("results") / safe
        number = 1
        while folder.exists() and any(folder.iterdir()):
            number += 1
            folder = Path("results") / f"{safe}-{number}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder}: cannot be made: {error.strerror}") from error
    return folder


def show_end(folder: Path) -> None:
    """Prints what ends a run: the table, a line per pairing, and where it all is."""
    from harness.tables.summaries import print_final

    print_final(folder)
    say(f"results: {folder}")
