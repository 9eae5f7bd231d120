"""`gauntlet pause`: has a run begin no game until it is told to go on."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("pause", short_help="Pause a run: begin no new game.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def command(folder: Path) -> None:
    """Pause the run in progress in DIR until `gauntlet continue DIR`. Games in play are played to the end; no new one begins."""
    from harness.journal import control

    click.echo(control.ask(folder, control.PAUSE))
