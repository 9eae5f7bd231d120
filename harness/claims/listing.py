"""The claims on the terminal: a list with verdicts and figures, the story of one, and both as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from harness.claims import words
from harness.claims.catalogue import SIDES, Claim
from harness.claims.pages import SIDES as PLACES
from harness.claims.pages import sentence
from harness.claims.register import Register
from harness.claims.verdicts import Finding, findings, verdict
from harness.tables.grid import Grid, console

MOST = 100  # letters of a line of prose


def print_all(claims: Sequence[Claim], register: Register) -> None:
    """A row for each claim: who, when, both verdicts, the figures of its first test."""
    out = console()
    table = Grid(
        {
            "": False,
            "author": False,
            "year": True,
            "claim": False,
            "own engine": False,
            "Elo": True,
            "nodes": True,
            "today": False,
        }
    )
    for claim in claims:
        first = findings(claim, "own", register)[0]
        said = [verdict(findings(claim, side, register)) for side in SIDES]
        table.add(
            [
                claim.id,
                claim.author,
                str(claim.year),
                claim.title,
                said[0],
                words.elo(first.elo),
                words.ratio(first.screen),
                said[1],
            ]
        )
    table.print(out)
    out.print(
        "Elo and nodes of the first test in the claim's own engine, from the variant's view. gauntlet claims C7 tells a story, "
        "--play plays it again.",
        soft_wrap=not out.is_terminal,
    )


def print_story(claim: Claim, register: Register) -> None:
    """What was claimed and where, how it was tested, what was found, what could not be seen, the commands."""
    out = console()

    def say(text: str) -> None:
        for line in textwrap.wrap(text, min(MOST, out.width) if out.is_terminal else MOST):
            out.print(line, markup=False, highlight=False, soft_wrap=True)

    say(f"{claim.id} {claim.title}: {claim.author}, {claim.when} ({claim.source})")
    say(f"Claimed: {claim.text}.")
    out.print()
    say(f"Tested: {claim.tested}")
    for side in SIDES:
        found = findings(claim, side, register)
        if not found:
            continue
        out.print()
        say(f"{PLACES[side].capitalize()}: {verdict(found)}")
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
                    words.games(one.match),
                    words.work(one),
                    said,
                ]
            )
        table.print(out)
        for line in dict.fromkeys(words.command(one) for one in found):
            out.print(f"  {line}", soft_wrap=True, markup=False, highlight=False)
    out.print()
    if told := words.beside(claim, register):
        say(told)
    say(f"Not to be seen then: {claim.unseen}")
    say(sentence(claim, register))


def as_json(claim: Claim, register: Register) -> dict[str, Any]:
    """The claim with every figure, as programs want it."""
    return {
        "id": claim.id,
        "title": claim.title,
        "author": claim.author,
        "year": claim.year,
        "circa": claim.circa,
        "source": claim.source,
        "text": claim.text,
        "verdicts": {side: verdict(findings(claim, side, register)) for side in SIDES},
        "tests": [_finding(one) for side in SIDES for one in findings(claim, side, register)],
    }


def _finding(found: Finding) -> dict[str, Any]:
    test, match, screen, count = found.test, found.match, found.screen, found.count
    figure = found.elo
    return {
        "side": test.side,
        "engine": test.engine,
        "experiment": test.experiment,
        "variant": test.variant,
        "expects": test.expects,
        "decides": test.decides,
        "verdict": found.verdict,
        "from_time": bool(test.speed),
        "elo": None if figure is None else _rounded(figure.elo),
        "low": None if figure is None else _rounded(figure.low),
        "high": None if figure is None else _rounded(figure.high),
        "games": None if match is None else match.games,
        "pairs": None if match is None else list(match.pairs),
        "limit": None if match is None else match.limit,
        "seed": None if match is None else match.seed,
        "bench": None if match is None else match.bench,
        "hash": None if match is None else match.hash,
        "nodes": None if screen is None else {"ratio": screen.ratio, "low": screen.low, "high": screen.high},
        "instructions": None if count is None else {"ratio": count.ratio, "low": count.low, "high": count.high},
        "command": words.command(found),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
