"""Plays the games behind a claim again, as many as the user chooses, and says whether the result agrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from harness.analysis import summary as summaries
from harness.analysis.monitor import Monitor
from harness.claims import catalogue, words
from harness.claims.catalogue import Claim
from harness.claims.record import hash_of_games
from harness.claims.register import Register, agreement, read
from harness.claims.verdicts import Figure, find
from harness.errors import BadInput
from harness.files import named
from harness.journal.journal import FILE as JOURNAL
from harness.journal.journal import Reader
from harness.run.display import Display, make_display
from harness.run.folder import refuse_used, show_end
from harness.run.start import begin, resume
from harness.spec import reader as experiments
from harness.terminal.words import say

SIGNALLED = 128  # an exit status above this says that a signal ended the run


def play(claim: Claim, side: str, overrides: Mapping[str, object], out: str | None) -> int:
    """Plays each experiment of a claim with the variants that it needs; returns the worst exit status. A signal ends it."""
    wanted = _wanted([claim], side)
    if not wanted:
        raise BadInput(f"{claim.id} is not tested {words.PLACES[side]}")
    register = read()
    status = 0
    tails = ["", *(f"-{number}" for number in range(2, len(wanted) + 1))]
    folders = [None if out is None else f"{named(out)}{tail}" for tail in tails]
    for given in filter(None, folders):  # all before the hours that the first takes
        refuse_used(given)
    for folder, (name, variants) in zip(folders, wanted.items(), strict=True):
        factorial = experiments.load(name, check=False).kind == "factorial"
        experiment = experiments.load(name, _fitting(overrides, name), only=() if factorial else variants)
        found = begin(experiment, folder, _display, end=partial(end, name=name, register=register))
        status = max(status, found)
        if found >= SIGNALLED:
            break
    return status


def play_all(claims: Sequence[Claim], side: str, overrides: Mapping[str, object], out: str) -> int:
    """Plays the experiments behind all claims one after another, each in a folder of its own within `out`.

    Started again it resumes the folders that are there. Returns the worst exit status; a signal ends it.
    """
    register, status = read(), 0
    concurrency = overrides.get("concurrency")
    assert concurrency is None or isinstance(concurrency, int)
    for name, variants in {**_wanted(claims, side), **_paces(claims, side)}.items():
        factorial = experiments.load(name, check=False).kind == "factorial"
        folder = named(out) / name
        published = partial(end, name=name, register=register)
        say(f"{name}: {', '.join(variants)}")
        if (folder / JOURNAL).exists():
            _refuse_other_games(folder, _fitting(overrides, name).get("games"))
            found = resume(folder, _display, concurrency=concurrency, end=published)
        else:
            experiment = experiments.load(name, _fitting(overrides, name), only=() if factorial else variants)
            found = begin(experiment, str(folder), _display, end=published)
        status = max(status, found)
        if found >= SIGNALLED:
            break
    return status


def _refuse_other_games(folder: Path, games: object) -> None:
    """Raises BadInput if a run was begun with another number of games of a pairing than is asked for now."""
    if games is not None and games != (begun := summaries.read(folder)[0].games):
        raise BadInput(f"{folder}: was begun with --games {begun}, not {games}: give the same number, or another --out")


def _wanted(claims: Sequence[Claim], side: str) -> dict[str, list[str]]:
    """The experiments to be played, with the variants that speak to a claim; where only time differs, on the clock.

    A variant of which only nodes are counted is another search, not another player.
    """
    wanted: dict[str, list[str]] = {}
    for claim in claims:
        for test in claim.of(side):
            if test.speed != "nodes" and test.variant not in wanted.setdefault(test.experiment, []):
                wanted[test.experiment].append(test.variant)
    return wanted


def _paces(claims: Sequence[Claim], side: str) -> dict[str, list[str]]:
    """The experiments that say what twice the nodes are worth."""
    return {test.pace: ["twice"] for claim in claims for test in claim.of(side) if test.speed}


def _display(monitor: Monitor) -> Display:
    return make_display(monitor, as_json=False)


def _fitting(overrides: Mapping[str, object], name: str) -> dict[str, object]:
    """The overrides; the games of a factorial are rounded up to whole rounds of its matches."""
    found = dict(overrides)
    games = found.get("games")
    plan = experiments.load(name, check=False)
    if isinstance(games, int) and plan.matches:
        step = 2 * plan.matches
        found["games"] = -(-games // step) * step
    return found


def end(folder: Path, name: str, register: Register, keys: Mapping[str, str] | None = None) -> None:
    """What ends a run of a shipped experiment, and the published figures that it is a spot check of; see `checked`."""
    show_end(folder, checked(folder, keys or {}, name, register))


def checked(folder: Path, keys: Mapping[str, str], name: str, register: Register) -> list[str]:
    """A line for each pairing that has a published figure: what it is, and whether the two agree if it comes from games.

    `keys` says where in the register a variant stands, where that is not under the name of the experiment alone.
    """
    tests = [test for claim in catalogue.read().claims for test in claim.tests if test.speed == "instructions"]
    timed = {test.key: find(test, register).elo for test in tests}
    experiment, summary, _ = summaries.read(folder)
    lines = []
    for number, pairing in enumerate(summary.pairings):
        own = f"{name}/{pairing.a}"
        if pairing.played and own in timed:
            lines.append(f"{pairing.a} vs {pairing.b}: by the time it takes {words.elo(timed[own])}")
        match = register.matches.get(keys.get(pairing.a, own)) or register.matches.get(own)
        if match is None or not pairing.played:
            continue
        figure = Figure.of(match)
        said = f"published {words.elo(figure)}, {match.games:,} games at {words.limit(match)}"
        told = agreement(pairing.pentanomial, match, pairing.verdict is not None and pairing.played < pairing.scheduled)
        if match.openings and pairing.played == match.runs[0].games:
            with Reader(folder) as reader:
                found = hash_of_games(reader, None if experiment.kind == "factorial" else number)
            told = "the same games, move for move" if found == match.runs[0].hash else told
        lines.append(f"{pairing.a} vs {pairing.b}: {said}: {told}")
    return lines
