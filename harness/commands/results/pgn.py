"""`gauntlet pgn`: the finished games of a run."""

from __future__ import annotations

import sys

import click


@click.command(name="pgn")
@click.argument("folder", metavar="DIR")
@click.option("--out", type=click.Path(dir_okay=False), help="Write to this file instead of standard output.")
def command(folder: str, out: str | None) -> None:
    """Print the finished games in DIR as PGN, ordered by id. Works while the run goes on."""
    from harness.errors import BadInput
    from harness.journal.journal import Reader
    from harness.report import pgn

    with Reader(folder) as reader:
        if out is None:
            sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
            for game in pgn.games(reader):
                sys.stdout.write(game)
            return
        try:
            with open(out, "w", encoding="utf-8") as file:
                file.writelines(pgn.games(reader))
        except OSError as error:
            raise BadInput(f"{out}: cannot be written: {error.strerror}") from None
