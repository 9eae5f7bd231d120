"""`gauntlet resume`: resumes a run that was stopped."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("resume", short_help="Resume a run that was stopped.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--cluster", metavar="ADDRESS|local:N", help="Resume on a cluster; see gauntlet run.")
@click.option(
    "--concurrency", type=click.IntRange(min=1), metavar="N", help="Games at a time (default: as in the experiment)."
)
@click.option("--live-json", "as_json", is_flag=True, help="Show the state as JSON lines, about one per second.")
@click.option("--force", is_flag=True, help="Take over from a run on another host that still seems to be in progress.")
def command(folder: Path, cluster: str | None, concurrency: int | None, as_json: bool, force: bool) -> int:
    """Play the games that are missing in the results folder DIR. A finished run stays as it is."""
    from harness.run.display import make_display
    from harness.run.start import resume

    return resume(folder, lambda monitor: make_display(monitor, as_json), cluster, force, concurrency)
