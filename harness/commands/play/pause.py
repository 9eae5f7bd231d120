"""`gauntlet pause`: has a run begin no game until it is told to go on."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("pause", short_help="Begin no game for now.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def command(folder: Path) -> None:
    """Have the run at work in DIR begin no game until `gauntlet continue DIR`; those in play go on to their end."""
    from harness.journal import control

    click.echo(control.ask(folder, control.PAUSE))
