"""`gauntlet stop`: has a run stop when the games in play have ended."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("stop", short_help="Stop a run when its games in play have ended.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--now", is_flag=True, help="Do not wait for the games in play; gauntlet resume plays them again.")
def command(folder: Path, now: bool) -> None:
    """Stop the run in progress in DIR when its games in play have ended.

    It ends with status 130, as after Ctrl-C; `gauntlet resume` continues it.
    """
    from harness.journal import control

    click.echo(control.ask(folder, control.NOW if now else control.STOP))
