"""`gauntlet continue`: has a paused run go on."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("continue", short_help="Continue a paused run.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def command(folder: Path) -> None:
    """Continue the run in DIR after `gauntlet pause`. A run that has stopped needs `gauntlet resume` instead."""
    from harness.journal import control

    click.echo(control.ask(folder, control.PLAY))
