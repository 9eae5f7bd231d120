"""`gauntlet stats`: Elo, LOS, normalized Elo and LLR of plain counts."""

from __future__ import annotations

import json

import click

from harness.errors import BadInput

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


@click.command(name="stats")
@click.option("--wdl", metavar="W,D,L", help="Games won, drawn and lost.")
@click.option("--pentanomial", metavar="a,b,c,d,e", help="Pairs that scored 0, 1/2, 1, 3/2 and 2.")
@click.option("--elo0", type=float, help="The SPRT's lower hypothesis.")
@click.option("--elo1", type=float, help="The SPRT's upper hypothesis.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Chance of a false pass.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Chance of a false failure.")
@click.option(
    "--model", default="normalized", show_default=True, help="What elo0 and elo1 are: normalized or logistic."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object as the last line.")
def command(
    wdl: str | None,
    pentanomial: str | None,
    elo0: float | None,
    elo1: float | None,
    alpha: float,
    beta: float,
    model: str,
    as_json: bool,
) -> None:
    """What counts of games say: Elo with its 95 % error, LOS, normalized Elo, and the LLR of elo1 against elo0."""
    from harness.errors import nearest
    from harness.stats import elo as stats
    from harness.tables import numbers

    if (wdl is None) == (pentanomial is None):
        raise BadInput("gauntlet stats: give one of --wdl W,D,L and --pentanomial a,b,c,d,e")
    if (elo0 is None) != (elo1 is None):
        raise BadInput("gauntlet stats: --elo0 and --elo1 go together")
    if model not in ("normalized", "logistic"):
        raise BadInput(
            f'--model must be normalized or logistic, not "{model}"{nearest(model, ("normalized", "logistic"))}'
        )
    for name, value in (("--alpha", alpha), ("--beta", beta)):
        if not stats.LEAST_RISK <= value < 0.5:
            raise BadInput(f"{name} must be {stats.LEAST_RISK:g} or more and below 0.5, not {value:g}")
    counts = _counts(wdl, "W,D,L") if wdl is not None else _counts(pentanomial or "", "LL,LD,WL+DD,WD,WW")
    found = stats.estimate(counts)
    lower, upper = stats.bounds(alpha, beta)
    llr = corrected = None
    if elo0 is not None and elo1 is not None:
        if not (-2000 <= elo0 < elo1 <= 2000):
            raise BadInput(f"--elo0 must be below --elo1, both within 2000, not {elo0:g} and {elo1:g}")
        if elo1 - elo0 < stats.LEAST_GAP:
            raise BadInput(f"--elo0 and --elo1 must be {stats.LEAST_GAP:g} apart or more, not {elo0:g} and {elo1:g}")
        if model == "normalized" and max(abs(elo0), abs(elo1)) > stats.MOST_NORMALIZED:
            raise BadInput(f"normalized --elo0 and --elo1 must be within {stats.MOST_NORMALIZED:g}")
        llr = stats.llr(counts, elo0, elo1, model)
        corrected = stats.sprt_elo(counts, elo0, elo1, alpha, beta, model)
    if as_json:
        values = {
            "elo": found.elo,
            "elo_error": found.elo_error,
            "los": found.los,
            "nelo": found.nelo,
            "nelo_error": found.nelo_error,
            "llr": llr,
            "llr_bounds": [lower, upper],
            "games": found.games,
            "score": found.score,
            "draw_ratio": found.draw_ratio,
            "elo_low": found.elo_low,
            "elo_high": found.elo_high,
            "sprt_elo": list(corrected) if corrected else None,
        }
        click.echo(json.dumps(values, allow_nan=False))
        return
    click.echo(f"games   {found.games}")
    click.echo(f"score   {numbers.UNKNOWN if found.score is None else f'{100 * found.score:.2f} %'}")
    click.echo(f"Elo     {numbers.elo(stats.Outcome(found.elo, found.elo_low, found.elo_high, found.los), 2)}")
    click.echo(f"LOS     {numbers.probability(found.los, 2)}")
    click.echo(f"nElo    {numbers.bar(found.nelo, found.nelo_error, 2)}")
    if llr is not None:
        verdict = "H1" if llr >= upper else "H0" if llr <= lower else None
        click.echo(f"{numbers.llr(llr, lower, upper, verdict, 4)} ({model} Elo {elo0:g} against {elo1:g})")
        if corrected is not None:
            stopped = stats.Outcome(*corrected, None, corrected=True)
            click.echo(f"Elo     {numbers.elo(stopped, 2)} when the test has stopped here: corrected for the stop")
