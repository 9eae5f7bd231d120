"""`gauntlet slots`: changes how many games a run plays at a time."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("slots", short_help="Change how many games a run plays at a time.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("number", metavar="N", type=int)
def command(folder: Path, number: int) -> None:
    """Make the run in progress in DIR play N games at a time from now on.

    Games in play are played to the end. A resumed run plays as many as its experiment or `gauntlet resume --concurrency` says.
    """
    from harness.journal import control

    click.echo(control.ask(folder, slots=number))
