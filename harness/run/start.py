"""Begins a run in a new results folder, or resumes one."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from harness.analysis import node_screen, summary, tuned
from harness.analysis.monitor import Monitor
from harness.analysis.screen_file import SCREEN_FILE, write_screen
from harness.engines import sortie
from harness.errors import BadInput
from harness.files import for_shell, named, refuse_overwriting, store
from harness.journal import control
from harness.journal.database import Damaged, Vanished
from harness.journal.journal import FILE, OWN, Journal, Reader
from harness.journal.repair import finish_repair, repair
from harness.model import Player
from harness.run import tuning
from harness.run.display import Display
from harness.run.folder import results_folder, show_end
from harness.run.handshake import introduced
from harness.run.log import LOG, Log
from harness.run.session import FAULTY, Session
from harness.schedule import jobs as schedule
from harness.slots import cores
from harness.slots.interface import Slots
from harness.slots.local import Pool
from harness.slots.worker import SlotSpec
from harness.spec import reader as experiments
from harness.spec import writer as experiment_toml
from harness.spec.settings import Experiment
from harness.tables.summaries import who_plays
from harness.terminal.progress import Progress, progress
from harness.terminal.words import complain, say
from harness.version import version

EXPERIMENT = "experiment.toml"
LOOK_EVERY = 0.25  # seconds between two looks at what the user wants
MakeDisplay = Callable[[Monitor], Display]
MakeSlots = Callable[[SlotSpec, int, Path], Slots]


@contextmanager
def _place(cluster: str | None, experiment: Experiment, most: int | None) -> Iterator[MakeSlots]:
    """Yields the function that makes the slots: on this machine, or on a cluster that is ready to play."""
    if cluster is None and experiment.affinity:
        cores.refuse_without_binding()
        found, each = cores.cores(cores.allowed()), cores.need(experiment)
        yield lambda spec, size, log: Pool(spec, size, log, lambda number: cores.share(found, number, each))
        return
    if cluster is None:
        yield Pool
        return
    from harness.cluster.connect import connected

    if experiment.affinity or any(player.io_log for player in experiment.players):
        what = "affinity" if experiment.affinity else "io_log"
        raise BadInput(f"{what} = true does not go with --cluster: it is for engines of this machine")
    with connected(cluster, experiment, most) as slots:
        yield lambda *_: slots


def start(
    spec: str,
    overrides: Mapping[str, object],
    out: str | None,
    display: MakeDisplay,
    cluster: str | None = None,
    tunes: bool = False,
    only: Sequence[str] = (),
    end: Callable[[Path], None] | None = None,
    writes: Sequence[str] = (),
) -> int:
    """Plays the experiment of a file or of a shipped name, as `begin` does.

    With `tunes` the experiment must have [spsa]; `only` names the variants that take part, empty: all; `end`
    prints the end of the run instead of the usual lines; `writes` are the files that the display adds to.
    """
    experiment = experiments.load(spec, overrides, only=only)
    for path in writes:
        refuse_overwriting(path, [spec])
    if tunes and experiment.spsa is None:
        raise BadInput(f"{spec}: no table [spsa], which says what is tuned; gauntlet run plays other experiments")
    most = experiment.concurrency if "concurrency" in overrides else None
    return begin(experiment, out, display, cluster, most, end, writes)


def begin(
    experiment: Experiment,
    out: str | None,
    display: MakeDisplay,
    cluster: str | None = None,
    most: int | None = None,
    end: Callable[[Path], None] | None = None,
    writes: Sequence[str] = (),
) -> int:
    """Plays an experiment from its beginning; prints the final lines and returns the exit status.

    `cluster` is where it is played: see `connect.parse`; None: on this machine. `most` is the number of games at a time on a
    cluster, if the user gave one; `end` prints the end of the run instead of the usual lines; `writes` are the
    files that the display adds to. Raises BadInput before anything is played.
    """
    own = [named(out) / name for name in OWN] if out is not None else []
    for path in writes:
        refuse_overwriting(path, [experiment.openings.file, *own])
    scheduled = schedule.scheduled(experiment)
    schedule.jobs(experiment)  # refuses a broken opening file before a folder is made
    experiment = introduced(experiment if cluster is not None else _at_home(experiment))
    if experiment.spsa is not None:
        tuning.rehearse(experiment)
    experiment_toml.dump(experiment).encode()  # refuses a name that is not valid text before a folder is made
    with _place(cluster, experiment, most) as make_slots:
        folder = results_folder(out, experiment.name)
        return _begin(experiment, scheduled, folder, display, make_slots, end or show_end, cluster is None)


def _at_home(experiment: Experiment) -> Experiment:
    """Foreign engines without a folder of their own start in today's, also when the run goes on from elsewhere."""

    def settled(players: tuple[Player, ...]) -> tuple[Player, ...]:
        return tuple(one if one.sortie or one.directory else replace(one, directory=os.getcwd()) for one in players)

    return replace(experiment, players=settled(experiment.players), entrants=settled(experiment.entrants))


def _begin(
    experiment: Experiment,
    scheduled: int,
    folder: Path,
    display: MakeDisplay,
    make_slots: MakeSlots,
    end: Callable[[Path], None],
    local: bool,
) -> int:
    command = os.fsencode(" ".join(["gauntlet", *sys.argv[1:]])).decode(errors="replace")
    text = experiment_toml.dump(experiment)
    meta = {
        "experiment": text,
        "seed": str(experiment.seed),
        "scheduled": str(scheduled),
        "version": version(),
        "command": command,
    }
    if experiment.sortie_base is not None and (nodes := sortie.bench(experiment.sortie_base.command)) is not None:
        meta["bench"] = str(nodes)
    Journal.create(folder, meta, experiment.players).close()  # first of all: the folder may be another run's by now
    Log(folder / LOG)(command)
    store(folder / EXPERIMENT, text.encode())
    return _work(experiment, folder, display, make_slots, end, local)


def resume(
    folder: Path,
    display: MakeDisplay,
    cluster: str | None = None,
    force: bool = False,
    concurrency: int | None = None,
    end: Callable[[Path], None] = show_end,
) -> int:
    """Plays what is missing in a results folder, nothing if the run is done. Returns the exit status.

    `force` takes over from a run on another host that seems to be at work; `concurrency` is the number of games at a time
    if it is not to be the experiment's; `end` prints the end of the run.
    """
    dropped = _mend(folder, force)
    with Reader(folder) as reader:
        runs = reader.runs()
        text = reader.meta.get("experiment", "")
        whole = reader.state() == "done" and reader.count() >= reader.scheduled
        status = runs[-1].status if runs else None
        decided = bool(runs and runs[-1].complete and status == 0)
    if (whole or decided) and status is not None and not dropped:
        begun = summary.read(folder)[0]
        if begun.spsa is not None and not (folder / tuned.TUNED).exists():  # a kill came before it was written
            tuning.write_tuned(folder, begun)
        end(folder)
        return status
    path = folder / EXPERIMENT
    try:
        if path.read_text(encoding="utf-8") != text:
            raise BadInput(f"{path}: was changed since the run began; its games belong to the old one in {FILE}")
    except FileNotFoundError:
        store(path, text.encode())
    except UnicodeDecodeError:
        raise BadInput(f"{path}: is not UTF-8 text") from None
    overrides = {} if concurrency is None else {"concurrency": concurrency}
    experiment = introduced(experiments.load(path, overrides))
    with _place(cluster, experiment, concurrency) as make_slots:
        return _work(experiment, folder, display, make_slots, end, cluster is None, force)


def _mend(folder: Path, force: bool) -> int:
    """Drops the damaged games of a stopped or finished run, and says how many; refuses if the run is at work."""
    if not (folder / FILE).exists():
        finish_repair(folder / FILE)
    try:
        with Reader(folder) as reader:
            reader.refuse_at_work(force)
    except Damaged:
        pass
    dropped = repair(folder / FILE)
    if dropped:
        text = f"{folder}/{FILE}: {dropped} damaged games were dropped; they are played again"
        Log(folder / LOG)(text)
        complain(text)
    return dropped


class _Heeding(Progress):
    """Progress that is shown, and that a user may stop as a run is stopped."""

    def __init__(self, shown: Progress, folder: Path) -> None:
        self._shown, self._folder, self._next = shown, folder, 0.0

    def begin(self, title: str, total: float | None, unit: str) -> None:
        self._shown.begin(title, total, unit)

    def line(self, text: str) -> None:
        self._shown.line(text)

    def advance(self, steps: float = 1) -> None:
        self._shown.advance(steps)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LOOK_EVERY
            if control.read(self._folder).state in (control.STOP, control.NOW):
                raise KeyboardInterrupt


def _screen(experiment: Experiment, folder: Path) -> None:
    """The node screen before the first game. The run is at work already; a pause begins when the screen is done."""
    say("node screen: the same positions to one depth with every variant")
    try:
        with progress(sys.stdout) as shown:
            result = node_screen.screen(experiment, progress=_Heeding(shown, folder))
    except (KeyboardInterrupt, SystemExit):
        say(f"the node screen was stopped; gauntlet resume {for_shell(folder)} begins it again")
        say(f"results: {folder}")
        raise
    write_screen(result, folder / SCREEN_FILE)


def _work(
    experiment: Experiment,
    folder: Path,
    display: MakeDisplay,
    make_slots: MakeSlots,
    end: Callable[[Path], None],
    local: bool,
    force: bool = False,
) -> int:
    journal = Journal(folder)
    try:
        journal.begin(force)
        control.forget(folder)
        if experiment.screen is not None and not (folder / SCREEN_FILE).exists():
            _screen(experiment, folder)
        session = Session(experiment, folder, journal, display, make_slots)
        session.display.note(who_plays(experiment))
        known = cores.warnings(experiment, cores.cores(cores.allowed())) if local else []
        for text in [*known, *filter(None, [schedule.repetition(experiment)])]:
            session.log(text)
            session.display.note(text)
        status = session.play()
    except Vanished as error:
        complain(str(error))
        return FAULTY  # there is nothing to show
    finally:
        with suppress(BadInput):
            journal.end(None, complete=False)  # unless it has ended already
        journal.close()
    if experiment.spsa is not None:
        tuning.write_tuned(folder, experiment)
    end(folder)
    return status
