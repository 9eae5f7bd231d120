"""How a finding is worded, on the pages and on the terminal alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from harness.claims import amounts
from harness.claims.catalogue import SIDES, Claim
from harness.claims.register import Count, Match, Register, Screen
from harness.claims.verdicts import NOT_ASKED, OPEN, Figure, Finding, findings, verdict
from harness.stats.elo import SMALL, Outcome
from harness.tables import numbers

NONE = "–"
PLACES = {"own": "in its own engine", "today": "in today's Sortie"}  # of a side
T = TypeVar("T")


def elo(figure: Figure | None) -> str:
    """`-39.3 [-94.1, +12.3]`."""
    return NONE if figure is None else numbers.elo(Outcome(figure.elo, figure.low, figure.high, los=None))


def ratio(found: Screen | Count | None, digits: int = 2) -> str:
    """`0.35 [0.28, 0.44]`."""
    if found is None:
        return NONE
    return f"{found.ratio:.{digits}f} [{found.low:.{digits}f}, {found.high:.{digits}f}]"


def games(match: Match | None, noun: str = "") -> str:
    """How many games stand behind a figure, `200` or `200 games`; a run that goes on is marked."""
    if match is None:
        return NONE
    return f"{match.games:,}{noun and ' ' + noun}{'' if match.ended else ' so far'}"


def games_of(found: Finding) -> str:
    """The games behind a finding; where time is turned into Elo, those that say what twice the nodes are worth."""
    return games(found.match) + (" at twice the nodes" if found.test.speed and found.match is not None else "")


def limit(match: Match) -> str:
    """`40,000 nodes a move`."""
    number, _, rest = match.limit.partition(" ")
    return f"{int(number):,} {rest}" if number.isdigit() else match.limit


def counts(match: Match | None) -> str:
    """The pairs of games by score, from lost twice to won twice."""
    return NONE if match is None else " ".join(map(str, match.pairs))


def elo_of(found: Finding) -> str:
    """The Elo of a finding, marked where it is worked out from time saved."""
    return elo(found.elo) + (" (from time)" if found.test.speed and found.elo is not None else "")


def work(found: Finding) -> str:
    """Nodes over those of the base, or time and instructions where the trees are equal."""
    if found.test.speed == "instructions":
        count = found.count
        if count is None:
            return NONE
        timed = "" if count.time is None else "time {:.3f} [{:.3f}, {:.3f}], ".format(*count.spent)
        return f"equal; {timed}instructions {ratio(count, 3)}"
    return ratio(found.screen)


def bench(found: Finding) -> int | None:
    """The bench signature of the engine that played the games of a finding, or was counted where only time differs."""
    source = found.speed if found.test.speed else found.match
    return None if source is None else source.bench


def build(found: Finding) -> str:
    """The same, with that of the engine by which time was turned into Elo where it is another."""
    known = dict.fromkeys((bench(found), found.match.bench if found.match is not None else None))
    return ", ".join(str(one) for one in known if one is not None) or NONE


def common(values: Iterable[T]) -> T | None:
    """The value that all have; None where they differ, or there is none."""
    known = set(values)
    return known.pop() if len(known) == 1 else None


def command(found: Finding) -> str:
    """What repeats the finding."""
    if found.test.speed == "instructions":
        return found.count.command if found.count else f"python benchmarks/instructions.py {found.test.experiment}"
    if found.test.speed:
        return f"gauntlet nodes {found.test.experiment}"
    return found.match.command if found.match is not None else f"gauntlet run {found.test.experiment}"


def beside(claim: Claim, register: Register) -> str:
    """A sentence of what a claim has beside Elo and nodes in its own engine; empty where that is nothing, or was not measured."""
    names = {test.experiment for test in claim.of("own")}
    screens = [one for one in register.screens.values() if one.experiment in names]
    if claim.shows == "ebf2":
        told = [f"{one.variant} {one.ebf2:.1f}" for one in screens if one.ebf2 is not None]
        bases = {f"{one.base} {one.base_ebf2:.1f}" for one in screens if one.base_ebf2 is not None}
        return f"Branching factor, mean of the last two plies: {', '.join([*told, *sorted(bases)])}." if told else ""
    if claim.shows == "researches":
        told = [f"{one.variant} {100 * one.researches:.0f}" for one in screens if one.researches is not None]
        bases = {f"{one.base} {100 * one.base_researches:.0f}" for one in screens if one.base_researches is not None}
        return f"Root searches repeated, per 100 iterations: {', '.join([*sorted(bases), *told])}." if told else ""
    if claim.shows == "depth":
        matches = [one for one in register.matches.values() if one.experiment in names]
        told = [
            f"{one.variant} {one.depth:.2f} (base {one.base_depth:.2f})"
            for one in matches
            if one.depth is not None and one.base_depth is not None
        ]
        return f"Mean depth reached with the same nodes: {', '.join(told)}." if told else ""
    return ""


def on_the_clock(claim: Claim, register: Register) -> str:
    """The games on the clock of the variants whose time alone differs, in a sentence; empty where there are none."""
    told = [
        f"`{test.variant}` in {test.engine} {elo(Figure.of(match))} ({games(match, 'games')} at {match.limit})"
        for test in claim.tests
        if test.speed == "instructions" and (match := register.matches.get(test.key)) is not None
    ]
    return f"Games on the clock, in Elo: {', '.join(told)}." if told else ""


def place(side: str) -> str:
    """Where a side's tests were made, as a sentence begins: `In its own engine`."""
    return f"{PLACES[side][0].upper()}{PLACES[side][1:]}"


def sentence(claim: Claim, register: Register) -> str:
    """The verdicts in a sentence each, and in another the figures that the claim names beside those that were measured."""
    told = [f"{place(side)} {verdict_of(claim, side, register)}." for side in SIDES]
    found = [one for one in (amounts.measured(amount, register) for amount in claim.amounts) if one is not None]
    if found:
        told.append(f"Figures it names: {'; '.join(one.text() for one in found)}.")
    return " ".join(told)


def verdict_of(claim: Claim, side: str, register: Register) -> str:
    """`it holds (no-pv -88.9 [-112.1, -66.5] Elo)`; where its parts differ each has its own verdict."""
    word = verdict(findings(claim, side, register))
    if word == NOT_ASKED:
        return f"it is {NOT_ASKED}"
    found = [one for one in findings(claim, side, register) if one.test.decides]
    mixed = len({one.verdict for one in found}) > 1
    figures = [
        f"{one.test.variant} "
        + ("not played" if one.elo is None else f"{elo(one.elo)} Elo" + (f", {one.verdict}" if mixed else ""))
        for one in found
    ]
    told = f" ({'; '.join(figures)})"
    small = "makes too small a difference to matter"
    said = {OPEN: "is open", SMALL: f"holds in part, and in part {small}" if mixed else small}
    return f"it {said.get(word, word)}{told}"
