"""Sections on how games ended, on faults, on the machines, and on how to play the run again."""

from __future__ import annotations

import hashlib
import json
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import escape

from harness.model import FAULTS
from harness.report.page.drawing import charts
from harness.report.page.facts import Facts
from harness.report.page.text import number, percent, shortened
from harness.report.page.view import Figure, Table
from harness.report.pgn import TERMINATION
from harness.tables.numbers import warnings_text
from harness.terminal.numbers import noun
from harness.version import version

FAULTS_SHOWN = 60
FAULTS_SIZE = 500_000  # bytes of all faults together, escaped: engines may write a lot
LINES_SHOWN = 60
LINE_LENGTH = 400
BINS = 40


@dataclass(frozen=True, slots=True)
class FaultCard:
    """A fault with the last lines before it."""

    title: str
    position: str
    transcript: str
    stderr: str
    exit_code: str


def endings(facts: Facts) -> Table:
    """Reasons with their counts."""
    total = sum(facts.summary.reasons.values())
    rows = tuple(
        (
            reason,
            number(games),
            percent(games / total),
            TERMINATION.get(reason, "–"),
            "fault" if reason in FAULTS else "",
        )
        for reason, games in sorted(facts.summary.reasons.items(), key=lambda item: -item[1])
    )
    return Table(("reason", "games", "share", "in the PGN", ""), rows, words=frozenset({3, 4}))


def blame(facts: Facts) -> Table | None:
    """Faults and warnings by player; None if there are none."""
    rows = []
    for player in facts.summary.players:
        faults = ", ".join(f"{n} {word}" for word, n in sorted(player.faults.items())) or "none"
        warnings = warnings_text(dict(sorted(player.warnings.items()))) or "none"
        rows.append((player.name, faults, shortened(warnings, 200)))
    quiet = all(not player.faults and not player.warnings for player in facts.summary.players)
    return None if quiet else Table(("player", "faults", "warnings"), tuple(rows), words=frozenset({1, 2}))


def faults(facts: Facts) -> tuple[list[FaultCard], int]:
    """The faults with their transcripts, and how many more lie in the folder `faults`."""
    cards = []
    for failed in facts.failed:
        evidence = _evidence(failed.evidence)
        what = "did not start" if failed.reason == "start" else "cannot be played"
        cards.append(_card(f"{facts.name(failed.player)} {what} (game {failed.game}): {failed.detail}", evidence))
    for row in facts.rows:
        if row.reason in FAULTS:
            title = f"game {row.id}: {facts.name(row.at_fault)} loses by {row.reason}"
            cards.append(_card(f"{title}: {row.detail}" if row.detail else title, facts.scan.evidence.get(row.id, {})))
    shown = []
    size = 0
    for card in cards[:FAULTS_SHOWN]:
        size += sum(len(escape(part)) for part in (card.title, card.position, card.transcript, card.stderr))
        if size > FAULTS_SIZE:
            break
        shown.append(card)
    return shown, len(cards) - len(shown)


def kept(more: int) -> str:
    """How many faults are not shown, to be followed by where they are."""
    return f"{more} more {noun(more, 'fault')} {'is' if more == 1 else 'are'} kept"


def _evidence(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text) if text else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _card(title: str, evidence: Mapping[str, Any]) -> FaultCard:
    transcript = evidence.get("transcript") or ()
    # What was sent at once is one entry, with a mark before its first line.
    entries = [str(entry) for entry in list(transcript)[-LINES_SHOWN:]]
    lines = [line for entry in entries for line in entry.replace("\n", f"\n{entry[:1]} ").split("\n")][-LINES_SHOWN:]
    stderr = str(evidence.get("stderr") or "")[-3000:]
    code = evidence.get("exit_code")
    return FaultCard(
        shortened(title, 300),
        shortened(str(evidence.get("position") or ""), 200),
        "\n".join(shortened(line, LINE_LENGTH) for line in lines),
        stderr,
        "" if code is None else str(code),
    )


def machines(facts: Facts) -> Table:
    """Each machine: processor time of the engines in their thinking time, and the harness's own delays."""
    rows = []
    for name, host in sorted(facts.scan.hosts.items()):
        busy = host.cpu_ms / host.ms if host.ms else None
        lags = (host.lag(0.5), host.lag(0.99), host.lag(1.0))
        rows.append(
            (
                name or "unknown",
                number(host.games),
                number(host.cpu_ms / 1000 if host.ms else None),
                percent(busy) if busy is not None else "–",
                *(number(lag, 2) for lag in lags),
            )
        )
    head = ("machine", "games", "engine CPU, s", "CPU in thinking time", "lag, median ms", "lag, 99 %", "lag, most")
    return Table(head, tuple(rows))


def engine_cpu(facts: Facts) -> Table:
    """Processor time by player."""
    rows = []
    for index, figures in enumerate(facts.scan.players):
        spent = figures.cpu_ms if figures.measured else None
        a_move = figures.cpu_ms / figures.measured if figures.measured else None
        share = figures.cpu_ms / figures.clocked if figures.clocked else None
        rows.append(
            (
                facts.name(index),
                number(figures.moves),
                number(None if facts.experiment.source and not figures.ms else figures.ms / 1000),
                number(None if spent is None else spent / 1000),
                number(a_move, 1),
                "–" if share is None else percent(share),
            )
        )
    return Table(("player", "moves", "thinking, s", "CPU, s", "CPU ms a move", "CPU in thinking time"), tuple(rows))


def load(facts: Facts) -> Figure:
    """The engines' processor share through the run: where it sinks, something else used the machine."""
    remark = "An engine that thinks has a core to itself at 100 %; less means that other work took the machine."
    if not facts.rows:
        return Figure("Load", charts.load([]), None, "No game is finished yet.")
    start = min(row.started for row in facts.rows)
    span = max(row.started for row in facts.rows) - start
    sums = [[0.0, 0.0, 0.0] for _ in range(BINS)]
    for row in facts.rows:
        place = min(BINS - 1, int(BINS * (row.started - start) / span)) if span > 0 else 0
        sums[place][0] += row.w_ms + row.b_ms
        sums[place][1] += row.w_cpu + row.b_cpu
        sums[place][2] += 1
    bins = [
        ((n + 0.5) * span / BINS / 3600, cpu / ms if ms and cpu else None, games)
        for n, (ms, cpu, games) in enumerate(sums)
    ]
    picture = charts.load(bins)
    rows = tuple(
        (f"{60 * hour:.1f}", number(games), "–" if share is None else percent(share))
        for hour, share, games in bins
        if games
    )
    return Figure("Load", picture, Table(("minute", "games", "CPU in thinking time"), rows), remark)


def provenance(facts: Facts) -> Table:
    """Exact command, versions, seeds, hashes."""
    experiment, meta = facts.experiment, facts.meta
    rows: list[tuple[object, ...]] = [("command", meta.get("command", "unknown"))]
    rows.append(("gauntlet", f"{meta.get('version', 'unknown')} (this page: {version()})"))
    for player in experiment.players:
        says = facts.engines.get(player.index) or "did not say its name"
        options = ", ".join(f"{name}={value}" for name, value in player.options)
        rows.append(
            (f"engine {player.name}", f"{says}: {shlex.join(player.command)}" + (f"; {options}" if options else ""))
        )
    rows.append(("seed", meta.get("seed", str(experiment.seed))))
    book = experiment.openings
    rows.append(("openings", f"{book.shown}, {book.order}, SHA-256 {book.sha256 or 'not recorded'}"))
    rows.append(
        ("experiment", f"SHA-256 {hashlib.sha256(facts.experiment_text.encode('utf-8', 'replace')).hexdigest()}")
    )
    rows.append(("games", f"SHA-256 of ids, players, results, openings and moves {facts.scan.digest()}"))
    rows.append(("machine", meta.get("host", "unknown")))
    for run in facts.runs:
        ended = moment(run.ended) if run.ended is not None else "not ended"
        status = "" if run.status is None else f", exit status {run.status}"
        rows.append(("worked on", f"{run.host}: {moment(run.began)} to {ended}{status}"))
    return Table(("what", "value"), tuple(rows), words=frozenset({1}))


def moment(seconds: float) -> str:
    """A time of day in UTC."""
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
