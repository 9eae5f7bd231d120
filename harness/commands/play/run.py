"""`gauntlet run`: plays an experiment from its file to its results folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click


@click.command("run", short_help="Play an experiment.")
@click.argument("spec")
@click.option("--only", metavar="VARIANT", multiple=True, help="Play only this variant of the file; may be repeated.")
@click.option("--out", metavar="DIR", help="Results folder (default: results/NAME, then NAME-2, ...).")
@click.option("--games", type=int, metavar="N", help="Games per pairing, instead of the file's number.")
@click.option("--concurrency", type=int, metavar="N", help="Games at a time, instead of the file's number.")
@click.option("--seed", type=int, metavar="N", help="Seed for the order of openings, instead of the file's.")
@click.option(
    "--cluster",
    metavar="ADDRESS|local:N",
    help="Play on the workers of a Dask scheduler, or on N worker processes of this machine.",
)
@click.option("--pgn", metavar="FILE", help="Also add every game to this PGN file as soon as it is finished.")
@click.option(
    "--pgn-details",
    default="",
    metavar="WORDS",
    help="What to add to each move in that file: nodes, timeleft, eval, clk, pv; separated by commas.",
)
@click.option("--live-json", "as_json", is_flag=True, help="Show the state as JSON lines, about one per second.")
def command(
    spec: str,
    only: tuple[str, ...],
    out: str | None,
    games: int | None,
    concurrency: int | None,
    seed: int | None,
    cluster: str | None,
    pgn: str | None,
    pgn_details: str,
    as_json: bool,
) -> int:
    """Play the experiment SPEC: a TOML file, or the name of a shipped experiment."""
    from harness.match.files import with_files
    from harness.report.pgn import details_of
    from harness.run.display import make_display
    from harness.run.start import start
    from harness.spec.reader import shipped_experiments

    given = {"games": games, "concurrency": concurrency, "seed": seed}
    details = details_of(pgn_details, "--pgn-details")
    if "pv" in details:
        given["pv"] = True
    overrides = {key: value for key, value in given.items() if value is not None}
    return start(
        spec,
        overrides,
        out,
        with_files(lambda monitor: make_display(monitor, as_json), pgn, details),
        cluster,
        only=only,
        end=_published(spec) if spec in shipped_experiments() else None,
        writes=[pgn] if pgn is not None else [],
    )


def _published(name: str) -> Callable[[Path], None]:
    """What ends the run of a shipped experiment: its results beside those that are published."""
    from functools import partial

    from harness.claims import catalogue, register, replay

    keys = catalogue.read().headline if name == "headline" else {}
    return partial(replay.end, name=name, register=register.read(), keys=keys)
