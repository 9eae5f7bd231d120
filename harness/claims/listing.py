"""The claims on the terminal: a list with verdicts and figures, the story of one, and both as JSON."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Any

from harness.claims import amounts, words
from harness.claims.catalogue import SIDES, Amount, Claim
from harness.claims.register import Count, Register, Screen
from harness.claims.verdicts import NOT_ASKED, Figure, Finding, findings, telling, verdict
from harness.stats.elo import SMALL
from harness.tables.grid import Grid, console

MOST = 100  # letters of a line of prose
WORDS = {SMALL: "too-small"}  # verdicts in JSON are words that a program compares
SIZES = {amounts.LESS: "less than said", amounts.AS_SAID: "as said", amounts.MORE: "more than said"}  # likewise


def print_all(claims: Sequence[Claim], register: Register) -> None:
    """A row for each claim: both verdicts, the figures of a test that tells, who, when."""
    out = console()
    table = Grid(
        {
            "": False,
            "claim": False,
            "own engine": False,
            "today's Sortie": False,
            "variant": False,
            "its Elo": True,
            "its nodes": True,
            "author": False,
            "year": True,
        },
        wrapped={"claim": 26, "own engine": 26, "its Elo": 24, "its nodes": 26},
    )
    for claim in claims:
        first = telling(findings(claim, "own", register))
        said = [verdict(findings(claim, side, register)) for side in SIDES]
        table.add(
            [
                claim.id,
                claim.title,
                said[0] + amounts.beside(claim, register),
                said[1],
                first.test.variant,
                words.elo_of(first),
                words.work(first),
                claim.author,
                claim.when,
            ]
        )
    table.print(out)
    out.print(
        "Variant, Elo and nodes: the test that gave the claim its verdict in its own engine. Some variants have the technique "
        "and some lack it, so a claim can hold because the variant without it is weaker. Nodes: as a multiple of the base's. "
        "gauntlet claims C7 tells the story of one claim; --play plays its games again.",
        soft_wrap=not out.is_terminal,
    )


def print_story(claim: Claim, register: Register) -> None:
    """What was claimed and where, the verdict, how it was tested, what was found, the commands, what could not be seen."""
    out = console()

    def say(text: str) -> None:
        width = min(MOST, out.width) if out.is_terminal else MOST
        for line in textwrap.wrap(text, width, break_on_hyphens=False):
            out.print(line, markup=False, highlight=False, soft_wrap=True)

    say(f"{claim.id} {claim.title}: {claim.author}, {claim.when} ({claim.source})")
    say(f"Claim: {claim.text}.")
    say(f"Verdict: {words.sentence(claim, register)}")
    out.print()
    say(f"How it was tested: {claim.tested}")
    for side in SIDES:
        found = findings(claim, side, register)
        if not found:
            continue
        out.print()
        say(f"{words.place(side)}: {verdict(found)}")
        table = Grid(
            {
                "variant": False,
                "engine": False,
                "expected": False,
                "Elo": True,
                "games": True,
                "nodes": True,
                "verdict": False,
            }
        )
        for one in found:
            said = one.verdict if one.test.decides else f"({one.verdict})"
            table.add(
                [
                    one.test.variant,
                    one.test.engine,
                    one.test.expects,
                    words.elo_of(one),
                    words.games_of(one),
                    words.work(one),
                    said,
                ]
            )
        table.print(out)
        for line in dict.fromkeys(words.command(one) for one in found):
            out.print(f"  {line}", soft_wrap=True, markup=False, highlight=False)
    out.print()
    for told in filter(None, (words.beside(claim, register), words.on_the_clock(claim, register))):
        say(plain(told))
    say(f"What the author could not see: {plain(claim.unseen)}")


def plain(text: str) -> str:
    """Prose without the marks of links and of code."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("`", "")


def as_json(claim: Claim, register: Register) -> dict[str, Any]:
    """The claim with every figure, as programs want it; "modern" is null where today's Sortie is not tested."""
    return {
        "id": claim.id,
        "title": claim.title,
        "author": claim.author,
        "year": claim.year,
        "circa": claim.circa,
        "source": claim.source,
        "text": claim.text,
        "own": _side(claim, "own", register),
        "modern": _side(claim, "today", register),
        "amounts": [_amount(one, register) for one in claim.amounts],
    }


def _side(claim: Claim, side: str, register: Register) -> dict[str, Any] | None:
    """The verdict in one of the two engines, and an arm for each of its tests."""
    found = findings(claim, side, register)
    if verdict(found) == NOT_ASKED:
        return None
    decisive = [one for one in found if one.test.decides]
    return {
        "verdict": WORDS.get(verdict(found), verdict(found)),
        "sentence": words.verdict_of(claim, side, register),
        "command": " && ".join(dict.fromkeys(words.command(one) for one in decisive)),
        "bench": words.common(words.bench(one) for one in decisive),
        "limit": words.common(one.match.limit for one in decisive if one.match is not None and not one.test.speed),
        "arms": [_arm(one) for one in found],
    }


def _arm(found: Finding) -> dict[str, Any]:
    """One test. Where time alone differs, Elo and games are null: `worth` says what the time comes to."""
    test, match, figure = found.test, None if found.test.speed else found.match, found.elo
    low, high = (None, None) if figure is None else (_rounded(figure.low), _rounded(figure.high))
    played = figure is not None and not test.speed
    return {
        "name": test.variant,
        "engine": test.engine,
        "experiment": test.experiment,
        "expects": test.expects,
        "decides": test.decides,
        "verdict": WORDS.get(found.verdict, found.verdict),
        "elo": _rounded(figure.elo) if figure is not None and played else None,
        "elo_error": _error(figure) if played else None,
        "low": low if played else None,
        "high": high if played else None,
        "worth": None if figure is None or played else [_rounded(figure.elo), low, high],
        "games": None if match is None else match.games,
        "pentanomial": None if match is None else list(match.pairs),
        "ended": None if match is None else match.ended,
        "nodes": _ratio(found.screen),
        "time": None if found.count is None else list(found.count.spent),
        "instructions": _ratio(found.count),
        "limit": None if match is None else match.limit,
        "seed": None if match is None else match.seed,
        "seeds": None if match is None else [run.seed for run in match.runs],
        "bench": words.bench(found),
        "openings": None if match is None else match.openings or None,
        "hash": None if match is None else match.hash,
        "command": words.command(found),
    }


def _amount(amount: Amount, register: Register) -> dict[str, Any]:
    found = amounts.measured(amount, register)
    return {
        "said": amount.said,
        "least": amount.least,
        "most": amount.most,
        "measured": None if found is None else [round(value, 3) for value in (found.value, found.low, found.high)],
        "verdict": None if found is None else SIZES[found.word],
    }


def _error(figure: Figure | None) -> float | None:
    """Half the interval, in Elo."""
    if figure is None or figure.low is None or figure.high is None:
        return None
    return round((figure.high - figure.low) / 2.0, 1)


def _ratio(found: Screen | Count | None) -> list[float] | None:
    return None if found is None else [found.ratio, found.low, found.high]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1) + 0.0
