"""`gauntlet stats`: Elo, LOS, normalized Elo and LLR of plain counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from harness.commands.results._rename import with_rename
from harness.errors import BadInput, nearest

if TYPE_CHECKING:
    from harness.stats.elo import Estimate

DIGITS = 12  # of a count: more games than anyone will ever play


def _counts(text: str, names: str) -> tuple[int, ...]:
    """Counts from `20,31,49`; raises BadInput unless there are as many as names, whole and not negative."""
    parts = text.split(",")
    wanted = names.split(",")
    if len(parts) != len(wanted) or not all(p.strip().isdecimal() and len(p.strip()) <= DIGITS for p in parts):
        option = "--wdl" if len(wanted) == 3 else "--pentanomial"
        raise BadInput(
            f'{option} must be {len(wanted)} counts {names}, each 0 or more (at most {DIGITS} digits), not "{text}"'
        )
    return tuple(int(part) for part in parts)


@dataclass(frozen=True, slots=True)
class Test:
    """The sequential test that the counts are put to; without elo0 and elo1 there is none."""

    elo0: float | None
    elo1: float | None
    alpha: float
    beta: float
    model: str


@click.command(name="stats", short_help="Compute Elo, LOS and LLR from counts of games.")
@click.argument("paths", metavar="[DIR|FILE.pgn...]", nargs=-1)
@with_rename
@click.option("--wdl", metavar="W,D,L", help="Games won, drawn and lost.")
@click.option("--pentanomial", metavar="a,b,c,d,e", help="Pairs that scored 0, 1/2, 1, 3/2 and 2.")
@click.option("--elo0", type=float, help="The SPRT's lower hypothesis.")
@click.option("--elo1", type=float, help="The SPRT's upper hypothesis.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Chance of a false pass.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Chance of a false failure.")
@click.option(
    "--model", default="normalized", show_default=True, help="What elo0 and elo1 are: normalized or logistic."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object as the last line.")
def command(
    paths: tuple[str, ...],
    rename: tuple[str, ...],
    wdl: str | None,
    pentanomial: str | None,
    elo0: float | None,
    elo1: float | None,
    alpha: float,
    beta: float,
    model: str,
    as_json: bool,
) -> None:
    """Compute from counts of games: Elo with its 95 % error, LOS, normalized Elo, and the LLR of elo1 against elo0.

    Given results folders or PGN files (of any program), do so for every pairing in them.
    """
    test = _checked(Test(elo0, elo1, alpha, beta, model))
    if paths:
        if wdl is not None or pentanomial is not None:
            raise BadInput("gauntlet stats: give counts or files, not both")
        played = _pairings(paths, rename)
        if as_json:
            found = [
                {
                    "a": a,
                    "b": b,
                    "pentanomial": list(pairs),
                    "wdl": list(singles),
                    **_figures(_estimate(pairs, singles), pairs or singles, test),
                }
                for a, b, pairs, singles in played
            ]
            click.echo(json.dumps({"pairings": found}, allow_nan=False))
            return
        if not played:
            click.echo(f"no pairing with games in {', '.join(paths)}")
        for place, (a, b, pairs, singles) in enumerate(played):
            click.echo(f"{chr(10) if place else ''}{a} vs {b}   {list(singles)}   {list(pairs) or 'no pairs'}")
            _print(_estimate(pairs, singles), pairs or singles, test)
        return
    if (wdl is None) == (pentanomial is None):
        raise BadInput("gauntlet stats: give one of --wdl W,D,L and --pentanomial a,b,c,d,e, or files")
    from harness.stats import elo as stats

    counts = _counts(wdl, "W,D,L") if wdl is not None else _counts(pentanomial or "", "LL,LD,WL+DD,WD,WW")
    if as_json:
        click.echo(json.dumps(_figures(stats.estimate(counts), counts, test), allow_nan=False))
    else:
        _print(stats.estimate(counts), counts, test)


def _checked(test: Test) -> Test:
    """The test, its numbers found to be possible; raises BadInput."""
    from harness.stats import elo as stats

    if (test.elo0 is None) != (test.elo1 is None):
        raise BadInput("gauntlet stats: --elo0 and --elo1 go together")
    if test.model not in ("normalized", "logistic"):
        known = ("normalized", "logistic")
        raise BadInput(f'--model must be normalized or logistic, not "{test.model}"{nearest(test.model, known)}')
    for name, value in (("--alpha", test.alpha), ("--beta", test.beta)):
        if not stats.LEAST_RISK <= value < 0.5:
            raise BadInput(f"{name} must be {stats.LEAST_RISK:g} or more and below 0.5, not {value:g}")
    if test.elo0 is None or test.elo1 is None:
        return test
    elo0, elo1 = test.elo0, test.elo1
    if not (-2000 <= elo0 < elo1 <= 2000):
        raise BadInput(f"--elo0 must be below --elo1, both within 2000, not {elo0:g} and {elo1:g}")
    if elo1 - elo0 < stats.LEAST_GAP:
        raise BadInput(f"--elo0 and --elo1 must be {stats.LEAST_GAP:g} apart or more, not {elo0:g} and {elo1:g}")
    if test.model == "normalized" and max(abs(elo0), abs(elo1)) > stats.MOST_NORMALIZED:
        raise BadInput(f"normalized --elo0 and --elo1 must be within {stats.MOST_NORMALIZED:g}")
    return test


def _pairings(paths: Sequence[str], rename: Sequence[str]) -> list[tuple[str, str, tuple[int, ...], tuple[int, ...]]]:
    """Names, complete pairs (empty where there is none) and W, D, L of every pairing that was played."""
    from harness.analysis.summary import read
    from harness.journal.foreign import rename_rule, results

    found: list[tuple[str, str, tuple[int, ...], tuple[int, ...]]] = []
    with results(paths, [rename_rule(text) for text in rename]) as folders:
        for folder in folders:
            for pairing in read(folder)[1].pairings:
                if pairing.played:
                    pairs = tuple(pairing.pentanomial) if any(pairing.pentanomial) else ()
                    found.append((pairing.a, pairing.b, pairs, (pairing.wins, pairing.draws, pairing.losses)))
    return found


def _estimate(pairs: Sequence[int], singles: Sequence[int]) -> Estimate:
    """What `gauntlet show` says of a pairing: from its pairs, or from its games where these show no spread."""
    from harness.stats import elo as stats

    return stats.match(pairs, singles) if pairs else stats.estimate(singles)


def _figures(found: Estimate, counts: Sequence[int], test: Test) -> dict[str, object]:
    """All figures of the counts, null where not determined."""
    from harness.stats import elo as stats

    llr, corrected = _tested(counts, test)
    return {
        "elo": found.elo,
        "elo_error": found.elo_error,
        "los": found.los,
        "nelo": found.nelo,
        "nelo_error": found.nelo_error,
        "llr": llr,
        "llr_bounds": list(stats.bounds(test.alpha, test.beta)),
        "games": found.games,
        "score": found.score,
        "draw_ratio": found.draw_ratio,
        "elo_low": found.elo_low,
        "elo_high": found.elo_high,
        "sprt_elo": list(corrected) if corrected else None,
    }


def _tested(
    counts: Sequence[int], test: Test
) -> tuple[float | None, tuple[float | None, float | None, float | None] | None]:
    """The LLR, and Elo with its interval when the test has stopped there; None without a test."""
    from harness.stats import elo as stats
    from harness.stats.stopped import sprt_elo

    if test.elo0 is None or test.elo1 is None:
        return None, None
    llr = stats.llr(counts, test.elo0, test.elo1, test.model)
    return llr, sprt_elo(counts, test.elo0, test.elo1, test.alpha, test.beta, test.model)


def _print(found: Estimate, counts: Sequence[int], test: Test) -> None:
    from harness.stats import elo as stats
    from harness.tables import numbers

    llr, corrected = _tested(counts, test)
    lower, upper = stats.bounds(test.alpha, test.beta)
    click.echo(f"games   {found.games}")
    click.echo(f"score   {numbers.UNKNOWN if found.score is None else f'{100 * found.score:.2f} %'}")
    click.echo(f"Elo     {numbers.elo(stats.Outcome(found.elo, found.elo_low, found.elo_high, found.los), 2)}")
    click.echo(f"LOS     {numbers.probability(found.los, 2)}")
    click.echo(f"nElo    {numbers.bar(found.nelo, found.nelo_error, 2)}")
    if llr is not None:
        verdict = "H1" if llr >= upper else "H0" if llr <= lower else None
        asked = f"{test.model} Elo {test.elo0:g} against {test.elo1:g}"
        click.echo(f"{numbers.llr(llr, lower, upper, verdict, 4)} ({asked})")
        if corrected is not None:
            stopped = stats.Outcome(*corrected, None, corrected=True)
            click.echo(f"Elo     {numbers.elo(stopped, 2)} when the test has stopped here: corrected for the stop")
