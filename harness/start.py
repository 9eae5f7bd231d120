"""Begins a run in a new results folder, or takes up one that was stopped."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from harness import experiment as experiments
from harness import experiment_toml, schedule
from harness.errors import BadInput
from harness.journal import FILE, Journal, Reader
from harness.live import Display, Monitor
from harness.run import LOG, Log, Session, results_folder, show_end
from harness.settings import Experiment
from harness.summary import SCREEN_FILE

EXPERIMENT = "experiment.toml"
MakeDisplay = Callable[[Monitor], Display]


def start(spec: str, overrides: Mapping[str, object], out: str | None, display: MakeDisplay) -> int:
    """Plays an experiment from its beginning; prints the final lines and returns the exit status.

    Raises BadInput before anything is played.
    """
    from harness.version import version

    experiment = experiments.load(spec, overrides)
    scheduled = schedule.scheduled(experiment)
    schedule.jobs(experiment)  # refuses a broken opening file before there is a folder
    folder = results_folder(out, experiment.name)
    command = " ".join(["gauntlet", *sys.argv[1:]])
    Log(folder / LOG)(command)
    text = experiment_toml.dump(experiment)
    (folder / EXPERIMENT).write_text(text, encoding="utf-8")
    meta = {
        "experiment": text,
        "seed": str(experiment.seed),
        "scheduled": str(scheduled),
        "version": version(),
        "command": command,
    }
    Journal.create(folder, meta, experiment.players).close()
    return _work(experiment, folder, display)


def resume(folder: Path, display: MakeDisplay) -> int:
    """Plays what is missing in a results folder; a run that is done is left alone. Returns the exit status."""
    with Reader(folder) as reader:
        runs = reader.runs()
        text = reader.meta["experiment"]
        if runs and runs[-1].at_work():
            raise BadInput(f"{folder}: a run is at work there (process {runs[-1].pid})")
        whole = reader.state() == "done" and reader.count() >= reader.scheduled
        status = runs[-1].status if runs else None
        decided = bool(runs and runs[-1].complete and status == 0)
    if (whole or decided) and status is not None:
        show_end(folder)
        return status
    path = folder / EXPERIMENT
    try:
        if path.read_text(encoding="utf-8") != text:
            raise BadInput(f"{path}: was changed since the run began; its games belong to the old one in {FILE}")
    except FileNotFoundError:
        path.write_text(text, encoding="utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{path}: is not UTF-8 text") from None
    return _work(experiments.load(path), folder, display)


def _work(experiment: Experiment, folder: Path, display: MakeDisplay) -> int:
    screened = folder / SCREEN_FILE
    if experiment.screen is not None and not screened.exists():
        from harness import nodes

        print("node screen: the same positions to one depth with every variant", flush=True)
        nodes.write(nodes.screen(experiment, progress=lambda line: print(line, flush=True)), screened)
    journal, dropped = Journal.open(folder)
    try:
        if dropped:
            text = f"{folder}/{FILE}: {dropped} damaged games were dropped; they are played again"
            Log(folder / LOG)(text)
            print(text, file=sys.stderr)
        status = Session(experiment, folder, journal, display).play()
    finally:
        journal.close()
    show_end(folder)
    return status
