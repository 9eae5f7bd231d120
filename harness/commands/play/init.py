"""`gauntlet init`: an experiment to begin with."""

from __future__ import annotations

import os
from pathlib import Path

import click

from harness.errors import BadInput


@click.command("init", short_help="Write a commented experiment file.")
@click.argument("file", default="experiment.toml", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Write a commented example to FILE (default: experiment.toml), ready for `gauntlet run FILE`."""
    from harness.files import for_shell, store
    from harness.spec import keys

    if os.path.lexists(file):
        raise BadInput(f"{file}: is there already, and is not overwritten")
    store(file, keys.commented_example().encode())
    click.echo(f"{file}: gauntlet run {for_shell(file)} plays it")
