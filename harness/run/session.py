"""A run from its folder to its exit status: deals the games, keeps finished ones, stops at a verdict or a signal."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path

from harness.analysis.monitor import Monitor
from harness.analysis.tally import PairingTally, Tally
from harness.engines.children import sweep
from harness.errors import BadInput
from harness.files import for_shell
from harness.game.game import Rules
from harness.journal import control
from harness.journal.database import DiskFull, Vanished
from harness.journal.journal import Journal
from harness.journal.record import PackedGame
from harness.model import FAULTS, Job
from harness.run.display import Display
from harness.run.faults import Faults
from harness.run.log import LOG, Log
from harness.run.machines import Machines
from harness.run.signals import Signals
from harness.schedule import jobs as schedule
from harness.schedule import rounds
from harness.schedule.dealer import Dealer
from harness.schedule.spsa import Tuning
from harness.slots.interface import (
    Broken,
    Cluster,
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
from harness.slots.worker import SlotSpec
from harness.spec.settings import DYNAMIC_KINDS, Decide, Experiment
from harness.stats import standing
from harness.stats.elo import NEEDLESS, bounds, worth
from harness.tables import numbers
from harness.terminal.numbers import noun
from harness.terminal.words import complain

DONE, FAULTY = 0, 1
PROCESSES = "processes"  # in the results folder: the engines started, for the next start to sweep
REFRESH = 0.25  # seconds
LOOK_AHEAD = 4  # pairs of each pairing among which a slot looks for one with the engines that it has


class Session:
    """One process's work on a run: it plays the games that the journal lacks."""

    def __init__(
        self,
        experiment: Experiment,
        folder: Path,
        journal: Journal,
        make_display: Callable[[Monitor], Display],
        slots_of: Callable[[SlotSpec, int, Path], Slots],
    ) -> None:
        self.experiment = experiment
        self.folder = folder
        self.journal = journal
        self.log = Log(folder / LOG)
        self._slots_of = slots_of
        self._dynamic = experiment.kind in DYNAMIC_KINDS
        # Only kinds with rounds need to remember their games.
        self.results: dict[int, str] = {}  # the rounds are dealt by these
        self._played: dict[int, rounds.Played] = {}
        self._given_up = journal.given_up()
        self._unplayed = set(self._given_up)
        self._names: dict[int, str] = {}
        self._machines = Machines(experiment, journal, self.log)
        self._faults = Faults(experiment, folder, journal, self.log, self._say, self._count_fault)
        self.tuning = Tuning(experiment) if experiment.spsa is not None else None
        self.tally = self._count()
        self._misfits: tuple[int, ...] = ()
        self._leaving = False  # the user has been told that the run stops
        self._resting = False  # the user has been told that a pause has begun: no game is in play
        if self._dynamic:
            self._take_stock(journal.given_up_players())
        self.monitor = Monitor(experiment, self.tally, folder, tuning=self.tuning)
        self.display = make_display(self.monitor)
        self._wishes = control.Wishes(folder)

    def _count(self) -> Tally:
        """Returns the counts of the journal's games; refuses a journal whose games are not in the schedule."""
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
                self._faults.spoiled.add(failed.game)  # it is noted of both players
        if self.tuning is not None:
            for game in self._faults.spoiled:
                self.tuning.results.give_up(game)
        for index, verdict in journal.verdicts().items():
            tally.rows[index].verdict = verdict.verdict
        return tally

    def _count_fault(self, player: int, reason: str) -> None:
        self.tally.fault(player, reason)

    def _say(self, text: str) -> None:
        self.log(text)
        self.display.note(text)

    # Rounds

    def _take_stock(self, given_up_players: Collection[int] = ()) -> None:
        """Finds the results by which the rounds are dealt, and counts the games dealt so far."""
        no_shows = self.journal.no_shows()
        known = rounds.account(self.experiment, self._played, self._unplayed, given_up_players, no_shows)
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
        """Removes games that were dealt by other results of earlier rounds than those in the journal."""
        while self._misfits:
            names = [player.name for player in self.experiment.players]
            for number in self._misfits:
                game = self._played[number]
                self.log(
                    f"game {number}: {names[game.white]} vs {names[game.black]}, {game.result}, was dealt on other "
                    "results than the journal holds: dropped, the game of today's round is played"
                )
            self.journal.drop(self._misfits)
            self.tally = self._count()
            self.monitor.recount(self.tally)
            self._take_stock()

    def _next_round(self) -> list[Job]:
        """Returns the games that can be dealt now that the last ones are played or given up; none at the end."""
        self._take_stock()
        self._drop_misfits()
        jobs = [job for job in schedule.jobs(self.experiment, self.results) if job.id not in self.results]
        if jobs:
            self._give_up()  # the next round is dealt on the results so far
        return jobs

    def _give_up(self) -> None:
        self.journal.give_up(self._unplayed - self._given_up)
        self._given_up |= self._unplayed

    # Playing

    def play(self) -> int:
        """Plays what is left in a journal begun by this process, and returns the exit status.

        The journal is whole however this ends. Raises BadInput if the slots fail before a game is played.
        """
        jobs = self._schedule()
        record = self.folder / PROCESSES
        spec = SlotSpec(self.experiment.players, Rules.of(self.experiment), record)
        left = max(1, self.tally.scheduled - self.tally.played)
        window = LOOK_AHEAD * len(self.tally.pairings)
        with Signals() as signals:
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
            stopped = ""
            before = self.tally.played
            try:
                self.display.start()
                for pairing in self.tally.rows:
                    self._test(pairing)  # a process that was killed may not have kept the verdict
                with self._slots_of(spec, min(self.experiment.concurrency, left), self.log.path) as slots:
                    slots.watch(signals.wakeup)
                    done = self.results.keys() if self._dynamic else self.journal.ids()
                    self._deal(slots, Dealer(jobs, done, self._unwanted, window), signals)
                    while self._dynamic and not signals.status and (fresh := self._next_round()):
                        self._deal(slots, Dealer(fresh, (), self._unwanted, window), signals)
                    if signals.now:
                        slots.close(gently=False)
                complete = not signals.status or (not self._dynamic and not self.unplayed())
                status = signals.status or self.status()
                record.unlink(missing_ok=True)
            except (DiskFull, Broken) as error:
                self.log(str(error))
                option = ""
                if isinstance(error, Broken):
                    if self.tally.played == before:
                        raise
                    option = error.option
                stopped = f"{error}; gauntlet resume {for_shell(self.folder)}{option} goes on"
            finally:
                self.monitor.slots.clear()
                self.display.stop()
                self.log(f"end: exit status {status}, {self.tally.played} of {self.tally.scheduled} games")
                self.monitor.write("done" if complete else "stopped", force=True)
                try:
                    self.journal.end(status, complete)
                except DiskFull:
                    pass  # the journal then says that the run was interrupted, which it was
            if stopped:
                complain(stopped)
        return status

    def _deal(self, slots: Slots, dealer: Dealer, signals: Signals) -> None:
        """Has the slots play all that the dealer has; returns early if the user asks for it."""
        while not signals.now:
            self._heed(slots, dealer, signals)
            leaving, paused = bool(signals.status), self._wishes.wish.state == control.PAUSE
            idle = [] if leaving or paused else slots.idle()
            for number in idle:
                if not self._give(slots, number, dealer):
                    break
            # Even without a slot the loop must know whether anything is left.
            if not slots.busy and (leaving or idle or not dealer.left()):
                return
            for message in slots.messages(REFRESH):
                self._hear(message, dealer)
                dealing = not paused and not signals.status and isinstance(message.news, PackedGame)
                if dealing and message.slot in slots.idle():
                    # A slot that has just ended a game need not wait until the others have been heard.
                    self._give(slots, message.slot, dealer)
            self.display.tick()
            self.monitor.write()

    def _heed(self, slots: Slots, dealer: Dealer, signals: Signals) -> None:
        """Does what the user has asked for, and says so."""
        before = self._wishes.wish.slots
        if self._wishes.changed():
            wish = self._wishes.wish
            if wish.state in (control.STOP, control.NOW):
                signals.stop(now=wish.state == control.NOW)
            elif wish.state == control.PAUSE:
                self._say(f"paused: no game is begun until gauntlet continue {for_shell(self.folder)}")
            elif self.monitor.asked == control.PAUSE:
                self._say("goes on")
            self.monitor.asked = "" if wish.state == control.PLAY else wish.state
            if wish.slots is not None and wish.slots != before:
                slots.resize(wish.slots)
                dealer.retire(wish.slots)
                self._say(f"{control.at_a_time(wish.slots)} from now on")
        resting = self.monitor.asked == control.PAUSE and not slots.busy
        if resting and not self._resting:
            self._say("paused: the last game in play has ended")
        self._resting = resting
        if signals.status and not self._leaving:
            self._leaving = True
            self.monitor.asked = control.STOP
            if slots.busy and not signals.now:
                self._say("stops when the games in play have ended; Ctrl-C again does not wait for them")

    def _give(self, slots: Slots, number: int, dealer: Dealer) -> bool:
        """Gives an idle slot its next games; returns whether there were any."""
        if slots.whole_pairs:
            jobs = dealer.pair(number)
        else:
            first = dealer.next(number)
            jobs = [] if first is None else [first]
        if jobs:
            slots.play(number, jobs)
        for job in jobs:
            self.display.began(job)
        return bool(jobs)

    def _schedule(self) -> Iterable[Job]:
        """The games of the run, in the order in which they are dealt."""
        decide = self.experiment.decide
        if self.tuning is not None:
            return self.tuning
        if decide is not None and decide.until != "all":
            return schedule.chosen(self.experiment, partial(self._telling, decide.until))
        return schedule.jobs(self.experiment, self.results)

    def _telling(self, goal: str, dealt: Sequence[int], left: Collection[int]) -> int | None:
        """The open pairing in which the next pair of games tells most about the question asked of the field."""
        rows = self.tally.rows
        meetings = [(row.pairing.a, row.pairing.b) for row in rows]
        points = [(row.wins + row.draws / 2, row.played) for row in rows]
        open_ = [index for index in left if rows[index].verdict is None]
        fields = self.experiment.limits
        return standing.next_meeting(meetings, points, dealt, open_, goal, fields) if open_ else None

    def _unwanted(self, job: Job) -> bool:
        """Says whether a game that has not begun is no longer to be played."""
        if self._faults.hopeless(job):
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
                self._faults.failed(failed)
                dealer.drop(lambda job: self._faults.hopeless(job) and self._unwanted(job))
                dealer.again(failed.job)
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
                self._pair_lost(lost, dealer)
            case Cluster() as cluster:
                self._machines.found(cluster)
            case WorkerReady() as worker:
                self._machines.ready(worker)

    def _pair_lost(self, lost: PairLost, dealer: Dealer) -> None:
        games = " and ".join(str(job.id) for job in lost.jobs)
        first = lost.jobs[0]
        pairing, players = self.tally.pairings[first.pairing].pairing, self.experiment.players
        a, b = players[pairing.a].name, players[pairing.b].name
        where = f"pair {first.pair} of {a} vs {b}, games {games}: worker {lost.where} {lost.why}"
        if lost.final:
            self._spoil(lost.jobs, f"{where}; it has cost {lost.losses} workers")
        else:
            self.log(f"{where}; played again")
            dealer.again(*lost.jobs)

    def _spoil(self, jobs: Sequence[Job], why: str) -> None:
        self._faults.spoil(jobs, why)
        for job in jobs:
            self._unplayed.add(job.id)
            if self.tuning is not None:
                self.tuning.results.give_up(job.id)

    def _game(self, game: PackedGame, dealer: Dealer) -> None:
        row = game.row
        if not self.journal.path.exists():
            raise Vanished(f"{self.folder}: was removed or renamed during the run: no more games can be kept there")
        if not self.journal.add(game):
            self.log(f"game {row.id} came a second time: dropped")
            return
        if self._dynamic:
            self._played[row.id] = rounds.Played.of(row)
        self._faults.started(row.white, row.black)
        if self.tuning is not None:
            self.tuning.results.add(row)
        changed = self.tally.add(row)
        if row.reason in FAULTS:
            self._faults.lost(game)
        self._faults.watch(row)
        self.display.finished(game)
        for one in changed:
            self._test(one)

    def _test(self, pairing: PairingTally) -> None:
        """Ends a pairing whose LLR has reached a bound, or whose worth is settled."""
        sprt, decide = self.experiment.sprt, self.experiment.decide
        if pairing.verdict is not None:
            return
        if decide is not None:
            self._settle(pairing, decide)
        if sprt is None:
            return
        llr = pairing.llr(sprt)
        lower, upper = bounds(sprt.alpha, sprt.beta)
        if lower < llr < upper:
            return
        pairing.verdict = "H1" if llr >= upper else "H0"
        pairs = sum(pairing.seen())
        self.journal.add_verdict(pairing.pairing.index, pairing.verdict, llr, pairs)
        a, b = self.monitor.names(pairing)
        said = numbers.llr(llr, lower, upper, pairing.verdict)
        self._say(f"{a} vs {b}: SPRT ends after {pairs} {noun(pairs, 'pair')}, {said}")

    def _settle(self, pairing: PairingTally, decide: Decide) -> None:
        """Ends a pairing whose games have told enough, by the experiment's `decide`."""
        counts = pairing.seen()
        pairs = sum(counts)
        if 2 * pairs < decide.least:
            return
        found = worth(counts, decide.within, decide.reach(len(self.tally.rows), pairing.scheduled // 2, pairs))
        if found is None:
            return
        pairing.verdict = found
        self.journal.add_verdict(pairing.pairing.index, found, 0.0, pairs)
        a, b = self.monitor.names(pairing)
        self._say(f"{a} vs {b}: settled after {pairs} pairs: {found}")
        self._leave_off()

    def _leave_off(self) -> None:
        """Ends the pairings that are no longer needed to answer the question asked of the field."""
        decide = self.experiment.decide
        if decide is None or decide.until == "all":
            return
        rows = self.tally.rows
        verdicts = {index: row.verdict for index, row in enumerate(rows) if row.verdict is not None}
        for index in standing.needless([(row.pairing.a, row.pairing.b) for row in rows], verdicts, decide.until):
            rows[index].verdict = NEEDLESS
            self.journal.add_verdict(rows[index].pairing.index, NEEDLESS, 0.0, sum(rows[index].seen()))
            a, b = self.monitor.names(rows[index])
            self._say(f"{a} vs {b}: not needed any more after {sum(rows[index].seen())} pairs")

    # The end

    def unplayed(self) -> int:
        """Returns the games that are neither played nor made needless by a verdict."""
        if self._dynamic:
            return len(self._unplayed)
        return self.tally.missing()

    def status(self) -> int:
        """Returns the exit status of a run that was played to its end."""
        return FAULTY if self.tally.serious() or self.unplayed() else DONE
