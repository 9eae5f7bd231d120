"""`gauntlet init`: an experiment to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from harness.errors import BadInput


@click.command("init", short_help="Write a commented experiment file.")
@click.argument("file", default="experiment.toml", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Write a commented example to FILE (default: experiment.toml), ready for `gauntlet run FILE`."""
    from harness.files import for_shell
    from harness.spec import keys

    try:
        with open(file, "x", encoding="utf-8") as out:
            try:
                out.write(keys.commented_example())
                out.flush()
            except OSError:
                file.unlink()  # else the next try would find half an example in its place
                raise
    except FileExistsError:
        raise BadInput(f"{file}: is there already, and is not overwritten") from None
    except OSError as error:
        raise BadInput(f"{file}: cannot be written: {error.strerror}") from None
    click.echo(f"{file}: gauntlet run {for_shell(file)} plays it")
