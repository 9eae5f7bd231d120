"""`gauntlet pgn`: the finished games of a run."""

from __future__ import annotations

import sys

import click


@click.command(name="pgn")
@click.argument("folder", metavar="DIR")
@click.option("--out", type=click.Path(dir_okay=False), help="Write to this file instead of standard output.")
@click.option(
    "--details",
    default="",
    metavar="WORDS",
    help="Added to each move: nodes, timeleft, eval (as [%eval]), clk (as [%clk]), pv (of a run with key pv); separated by commas.",
)
def command(folder: str, out: str | None, details: str) -> None:
    """Print the finished games in DIR as PGN, in order of id. Works while the run goes on."""
    from pathlib import Path

    from harness.errors import BadInput
    from harness.files import refuse_overwriting
    from harness.journal.journal import OWN, Reader
    from harness.report import pgn

    wanted = pgn.details_of(details, "--details")
    if out is not None:
        refuse_overwriting(out, [Path(folder) / name for name in OWN])
    with Reader(folder) as reader:
        if out is None:
            sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
            for game in pgn.games(reader, wanted):
                sys.stdout.write(game)
            return
        try:
            with open(out, "w", encoding="utf-8") as file:
                file.writelines(pgn.games(reader, wanted))
        except OSError as error:
            raise BadInput(f"{out}: cannot be written: {error.strerror}") from None
