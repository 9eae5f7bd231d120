"""`gauntlet run`: plays an experiment from its file to its results folder."""

from __future__ import annotations

import click


@click.command("run", short_help="Play an experiment.")
@click.argument("spec")
@click.option("--out", metavar="DIR", help="Results folder (default: results/NAME, then NAME-2, ...).")
@click.option("--games", type=int, metavar="N", help="Games per pairing, in place of the file's.")
@click.option("--concurrency", type=int, metavar="N", help="Games at a time, in place of the file's.")
@click.option("--seed", type=int, metavar="N", help="Seed of the order of openings, in place of the file's.")
@click.option(
    "--cluster",
    metavar="ADDRESS|local:N",
    help="Play on the workers of a Dask scheduler, or on N worker processes of this machine.",
)
@click.option("--pgn", metavar="FILE", help="Also add every game to this PGN file as soon as it is finished.")
@click.option("--live-json", "as_json", is_flag=True, help="Show the state as JSON lines, about one a second.")
def command(
    spec: str,
    out: str | None,
    games: int | None,
    concurrency: int | None,
    seed: int | None,
    cluster: str | None,
    pgn: str | None,
    as_json: bool,
) -> int:
    """Play SPEC: a TOML file, or the name of a shipped experiment."""
    from harness.match.files import with_files
    from harness.run.display import make_display
    from harness.run.start import start

    given = {"games": games, "concurrency": concurrency, "seed": seed}
    overrides = {key: value for key, value in given.items() if value is not None}
    return start(spec, overrides, out, with_files(lambda monitor: make_display(monitor, as_json), pgn), cluster)
