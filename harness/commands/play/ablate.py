"""`gauntlet ablate`: what each switch of Sortie is worth, in one command."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.errors import BadInput

if TYPE_CHECKING:
    from harness.analysis.ablation import Row
    from harness.spec.settings import Experiment


@click.command(name="ablate", short_help="Measure what each switch of Sortie is worth.")
@click.option(
    "--base", "preset", default="modern", show_default=True, metavar="PRESET", help="The engine to take apart."
)
@click.option(
    "--switch",
    "switches",
    multiple=True,
    metavar="NAME",
    help="Always play this switch, whatever the screen says; may be repeated.",
)
@click.option("--all-levels", is_flag=True, help="Also try every other level of the switches that are on.")
@click.option("--depth", type=int, default=12, show_default=True, help="Depth of the node screen.")
@click.option(
    "--most",
    type=float,
    help="Do not play variants that take more than this many times the base's nodes. Default: 4; with --nodes no limit.",
)
@click.option("--games", type=int, help="Games in all, shared by the variants that are played. Default: 1000.")
@click.option("--hours", type=float, help="Instead of --games: as many games as fit into this time.")
@click.option("--time", "clock", metavar="S+I", help="Time control of the games. Default: 2+0.02.")
@click.option("--nodes", "node_limit", type=int, help="Nodes a move, instead of --time.")
@click.option("--concurrency", type=int, help="Games at a time. Default: one per processor core.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed for the order of openings.")
@click.option("--screen-only", is_flag=True, help="Only count nodes; play no games.")
@click.option(
    "--command",
    "engine",
    metavar="COMMAND",
    help="Command of the Sortie to use, if not the one installed with gauntlet.",
)
@click.option("--out", metavar="DIR", help="Results folder (default: results/ablate-PRESET).")
@click.option("--json", "as_json", is_flag=True, help="Print the table as one JSON object on the last line.")
def command(
    preset: str,
    switches: tuple[str, ...],
    all_levels: bool,
    depth: int,
    most: float | None,
    games: int | None,
    hours: float | None,
    clock: str | None,
    node_limit: int | None,
    concurrency: int | None,
    seed: int,
    screen_only: bool,
    engine: str | None,
    out: str | None,
    as_json: bool,
) -> int:
    """Change one switch of PRESET at a time, off if it is on and on if it is off, and measure the difference.

    All variants are first screened by nodes at a fixed depth. Those that pass play games against the unchanged preset.
    The table at the end gives Elo, nodes and time to depth of each, the switch that matters most first.
    """
    import shlex

    from harness.analysis import ablation as ablate
    from harness.analysis import node_screen as nodes
    from harness.analysis import summary as summaries
    from harness.engines import sortie
    from harness.run.folder import refuse_used
    from harness.spec.reader import of_tables
    from harness.tables.grid import console
    from harness.tables.summaries import print_losses
    from harness.terminal.progress import progress
    from harness.terminal.words import say

    _refuse_clashes(games, hours, clock, node_limit, out, screen_only)
    for name, value, least in (("--games", games, ablate.LEAST_GAMES), ("--depth", depth, 1), ("--most", most, 1)):
        if value is not None and not least <= value < math.inf:
            raise BadInput(f"{name} must be {least} or more, not {value:g}")
    if hours is not None and not 0 < hours <= ablate.MOST_HOURS:
        raise BadInput(f"--hours must be above 0 and {ablate.MOST_HOURS:,} or less, not {hours:g}")
    try:
        words = shlex.split(engine) if engine is not None else [sortie.beside()]
    except ValueError as error:
        raise BadInput(f"--command cannot be split into words: {error}") from None
    if not words:
        raise BadInput("--command is empty")
    levels = ablate.resolved(words, preset)
    chosen = ablate.variants(sortie.ask(tuple(words)), levels, switches, all_levels)
    if not chosen:
        raise BadInput("gauntlet ablate: nothing to leave out or to add (try --all-levels)")
    own = words if engine is not None else None
    keys: dict[str, object] = {"nodes": node_limit} if node_limit is not None else {"time": clock or "2+0.02"}
    keys |= {"seed": seed} | ({"concurrency": concurrency} if concurrency is not None else {})

    def match(variants: list[ablate.Variant], each: int) -> Experiment:
        tables = ablate.match_tables(preset, own, variants, {"games": each, **keys})
        return of_tables(tables, "gauntlet ablate", Path.cwd(), options={key: f"--{key}" for key in keys})

    # The games' limits and their folder are looked at before the minutes that the screen takes.
    if out is not None:
        refuse_used(out)
    sized = match(chosen[:1], 2)
    total = games if games is not None or hours is not None else 1000

    def share(count: int) -> tuple[int, int]:
        return ablate.budget(count, total, hours, sized.limit, sized.concurrency)

    if not screen_only and not share(1)[0]:
        raise BadInput(f"gauntlet ablate: the budget does not reach {ablate.LEAST_GAMES} games of one variant")
    if switches and not screen_only and share(len(chosen))[0] < len(chosen):
        raise BadInput(
            f"gauntlet ablate: {len(chosen)} variants were asked for, and the budget does not reach "
            f"{ablate.LEAST_GAMES} games of each: {ablate.LEAST_GAMES * len(chosen)} games are the least"
        )
    plan = of_tables(ablate.screen_tables(preset, own, chosen, depth), "gauntlet ablate", Path.cwd())
    with progress() as shown:
        screen = nodes.screen(plan, depth, shown)
    if most is None and node_limit is None:
        most = ablate.MOST
    kept, dropped = ablate.survivors(chosen, screen, most, switches)
    status, folder = 0, None
    if not screen_only and kept:
        count, each = share(len(kept))
        status, folder = _play(match(kept[:count], each), out)
    summary = summaries.read(folder)[1] if folder is not None else None
    results = {pairing.a: pairing for pairing in summary.pairings} if summary is not None else {}
    rows = ablate.ranked(chosen, screen, dropped, results)
    _print(rows, preset, depth)
    if folder is not None and summary is not None:
        print_losses(console(), folder, summary)
        say(f"results: {folder}")
    if as_json:
        variants = [_values(row) for row in rows]
        click.echo(json.dumps({"base": preset, "depth": depth, "variants": variants}, allow_nan=False))
    return status


def _refuse_clashes(
    games: int | None, hours: float | None, clock: str | None, nodes: int | None, out: str | None, screen_only: bool
) -> None:
    """Raises BadInput for options that exclude each other."""
    for name, value in (("--games", games), ("--hours", hours), ("--time", clock), ("--out", out)):
        if screen_only and value is not None:
            raise BadInput(f"gauntlet ablate: {name} is for games, and --screen-only plays none")
    if games is not None and hours is not None:
        raise BadInput("gauntlet ablate: --games and --hours: one budget only")
    if clock is not None and nodes is not None:
        raise BadInput("gauntlet ablate: --time and --nodes: one limit only")


def _play(experiment: Experiment, out: str | None) -> tuple[int, Path | None]:
    """Play the match as `gauntlet run` does, and leave the telling of its end to the ranking.

    Returns the exit status and the folder; None: it was removed meanwhile.
    """
    from harness.run.display import make_display
    from harness.run.start import begin

    folders: list[Path] = []
    status = begin(experiment, out, lambda monitor: make_display(monitor, False), end=folders.append)
    return status, folders[0] if folders else None


def _print(rows: list[Row], preset: str, depth: int) -> None:
    from harness.tables import numbers
    from harness.tables.grid import Grid, console, say

    out = console()
    names = ("switch", "change", "Elo [95 %]", "LOS", "games", f"nodes to depth {depth}", "time to depth", "")
    table = Grid({name: name not in ("switch", "change", "") for name in names}, f"{preset}: each switch changed alone")
    for row in rows:
        cells = [
            row.variant.switch,
            f"{'left out' if row.variant.left_out else 'set to'} ({row.variant.level})",
            numbers.elo(row.outcome) if row.games else "-",
            numbers.probability(row.outcome.los) if row.games else "-",
            str(row.games) if row.games else "-",
            numbers.bar(row.screen["ratio"], row.screen["error"], 2),
            numbers.bar(row.screen["time_ratio"], row.screen["time_error"], 2),
            row.note,
        ]
        table.add(cells)
    table.print(out)
    say(out, "Elo is what the change earns; a switch that is missed stands on top with the most negative figure.")


def _values(row: Row) -> dict[str, object]:
    """The row for programs."""
    return {
        "name": row.variant.name,
        "switch": row.variant.switch,
        "level": row.variant.level,
        "left_out": row.variant.left_out,
        "elo": row.outcome.elo,
        "elo_error": row.elo_error,
        "elo_low": row.outcome.low,
        "elo_high": row.outcome.high,
        "los": row.outcome.los,
        "games": row.games,
        "scheduled": row.scheduled,
        "nodes": {key: row.screen[key] for key in ("ratio", "error", "low", "high")},
        "time_ratio": row.screen["time_ratio"],
        "note": row.note,
    }
