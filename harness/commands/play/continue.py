"""`gauntlet continue`: has a paused run go on."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("continue", short_help="Go on with a paused run.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def command(folder: Path) -> None:
    """Have the run in DIR that `gauntlet pause` holds go on. A run that has ended is gone on with by `gauntlet resume`."""
    from harness.journal import control

    click.echo(control.ask(folder, control.PLAY))
