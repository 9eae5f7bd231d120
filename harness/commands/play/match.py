"""`gauntlet match`: a match in one line, also in the words of cutechess-cli and fastchess."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from harness.match.request import Request

EPILOG = (
    "Command lines of cutechess-cli and fastchess (-engine cmd=... -each tc=... -rounds 100 -repeat ...) work too, and "
    "print the result lines of those programs. See docs/match.md."
)


class Match(click.Command):
    """A command that takes a line of cutechess-cli or fastchess as it is."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        from harness.match.arguments import is_foreign

        if is_foreign(args):
            ctx.params = {"foreign": tuple(args)}
            return []
        return super().parse_args(ctx, args)


@click.command(name="match", cls=Match, short_help="Play engines against each other, in one line.", epilog=EPILOG)
@click.argument("engines", metavar="ENGINE ENGINE...", nargs=-1, required=True)
@click.option("-n", "--games", type=int, default=100, show_default=True, help="Games per pairing, an even number.")
@click.option("--tc", metavar="T", help='Clock: "SECONDS+INCREMENT" or "MOVES/SECONDS" (default 3+0.03).')
@click.option("--st", type=float, metavar="S", help="Seconds a move, instead of a clock.")
@click.option("--nodes", type=int, metavar="N", help="Nodes a move, instead of a clock.")
@click.option("--depth", type=int, metavar="D", help="Plies a move, instead of a clock.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Option to set in every engine.")
@click.option("--openings", metavar="FILE", help="Openings: EPD, PGN, TSV or Polyglot (default: the shipped book).")
@click.option("--sprt", metavar="ELO0,ELO1", help="Stop when this SPRT is decided; exit status 0 for H1, else 1.")
@click.option("--concurrency", type=int, metavar="N", help="Games at a time (default: one per processor core).")
@click.option("--seed", type=int, metavar="N", help="Seed for the order of openings.")
@click.option("--chess960", is_flag=True, help="Play Fischer random chess.")
@click.option("--ponder", is_flag=True, help="Let engines think on the opponent's time.")
@click.option("--out", metavar="DIR", help="Results folder (default: results/NAME).")
@click.option("--pgn", metavar="FILE", help="Also add every game to this PGN file as soon as it is finished.")
@click.option("--epd", metavar="FILE", help="Also add the last position of every game to this EPD file.")
@click.option(
    "--pgn-details",
    default="",
    metavar="WORDS",
    help="What to add to each move in the PGN file: nodes, timeleft, eval, clk, pv; separated by commas.",
)
@click.option("--markdown", is_flag=True, help="Print the result as a Markdown table at the end.")
@click.option("--live-json", "as_json", is_flag=True, help="Show the state as JSON lines, about one per second.")
def command(**given: Any) -> int:
    """Play engines against each other; with more than two everyone meets everyone.

    An ENGINE is a command line, a name registered with `gauntlet engines`, or "sortie".
    """
    from harness.analysis.monitor import Monitor
    from harness.match import arguments, request
    from harness.match.files import with_files
    from harness.match.results import STYLES
    from harness.run.display import Display, make_display
    from harness.run.folder import show_end
    from harness.run.start import begin
    from harness.spec.reader import of_tables

    foreign: tuple[str, ...] | None = given.get("foreign")
    asked = arguments.read(foreign) if foreign is not None else _asked(given)
    experiment = of_tables(request.tables(asked), "gauntlet match", Path.cwd(), "match", options=asked.options)

    def display(monitor: Monitor) -> Display:
        if asked.style in STYLES:
            return STYLES[asked.style](monitor, asked.rating_interval, asked.score_interval)
        return make_display(monitor, bool(given.get("as_json")))

    verdicts: list[str | None] = []

    def end(folder: Path) -> None:
        from harness.analysis.summary import read
        from harness.match.markdown import table
        from harness.tables.summaries import unplayed_line
        from harness.terminal.words import complain, say

        summary = read(folder)[1]
        verdicts.extend(p.sprt.verdict for p in summary.pairings if p.sprt is not None)
        if asked.style in STYLES:
            if missing := unplayed_line(folder, summary):
                complain(missing)
            say(f"results: {folder}")
        else:
            show_end(folder)
        if given.get("markdown"):
            say(table(folder))

    writes = [path for path in (asked.pgn, asked.epd) if path is not None]
    files = with_files(display, asked.pgn, asked.pgn_details, asked.epd)
    status = begin(experiment, asked.out, files, end=end, writes=writes)
    if given.get("sprt") and status == 0 and verdicts != ["H1"] * len(verdicts):
        return 1
    return status


def _asked(given: dict[str, Any]) -> Request:
    """The request of gauntlet's own words; raises BadInput."""
    from harness.commands._values import settings
    from harness.errors import BadInput
    from harness.match.request import Engine, Request
    from harness.report.pgn import details_of

    limits = {key: given[key] for key in ("tc", "st", "nodes", "depth") if given[key] is not None}
    if len(limits) > 1:
        raise BadInput(f"{' and '.join(f'--{key}' for key in limits)}: one limit only")
    main: dict[str, object] = {"games": given["games"], "chess960": given["chess960"], "ponder": given["ponder"]}
    names = {"tc": "time", "st": "movetime", "nodes": "nodes", "depth": "depth"}
    key, value = next(iter(limits.items()), ("tc", "3+0.03"))
    main[names[key]] = value
    main.update({key: given[key] for key in ("concurrency", "seed") if given[key] is not None})
    typed = {"games": "--games", "concurrency": "--concurrency", "seed": "--seed", names[key]: f"--{key}"}
    options = settings(given["options"])
    asked = Request([Engine(word, options=dict(options)) for word in given["engines"]], main, typed)
    asked.out, asked.pgn, asked.epd = given["out"], given["pgn"], given["epd"]
    asked.pgn_details = details_of(given["pgn_details"], "--pgn-details")
    main["pv"] = "pv" in asked.pgn_details
    if given["openings"]:
        asked.openings = {"file": given["openings"]}
    if given["sprt"]:
        try:
            elo0, elo1 = (float(part) for part in given["sprt"].split(","))
        except ValueError:
            raise BadInput(f'--sprt: expected ELO0,ELO1 like "0,5", not "{given["sprt"]}"') from None
        asked.sprt = {"elo0": elo0, "elo1": elo1}
    return asked
