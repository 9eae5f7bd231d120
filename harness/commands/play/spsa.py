"""`gauntlet spsa`: tunes numeric options of an engine by simultaneous perturbation."""

from __future__ import annotations

import click


@click.command("spsa", short_help="Tune numeric options of an engine by playing games.")
@click.argument("spec")
@click.option("--out", metavar="DIR", help="Results folder (default: results/NAME, then NAME-2, ...).")
@click.option("--games", type=int, metavar="N", help="Games in all, instead of the file's number.")
@click.option("--concurrency", type=int, metavar="N", help="Games at a time, instead of the file's number.")
@click.option(
    "--seed", type=int, metavar="N", help="Seed for the random steps and the openings, instead of the file's."
)
@click.option("--cluster", metavar="ADDRESS|local:N", help="Play on a cluster; see gauntlet run.")
@click.option("--live-json", "as_json", is_flag=True, help="Show the state as JSON lines, about one per second.")
def command(
    spec: str,
    out: str | None,
    games: int | None,
    concurrency: int | None,
    seed: int | None,
    cluster: str | None,
    as_json: bool,
) -> int:
    """Tune the engine of SPEC, a TOML file with a table [spsa]. `resume`, `show` and `report` work on its folder too."""
    from harness.run.display import make_display
    from harness.run.start import start

    given = {"games": games, "concurrency": concurrency, "seed": seed}
    overrides = {key: value for key, value in given.items() if value is not None}
    return start(spec, overrides, out, lambda monitor: make_display(monitor, as_json), cluster, tunes=True)
