"""`gauntlet pgn`: the finished games of a run."""

from __future__ import annotations

import sys

import click


@click.command(name="pgn")
@click.argument("folder", metavar="DIR")
@click.option("--out", metavar="FILE", help="Write to this file instead of standard output.")
@click.option(
    "--details",
    default="",
    metavar="WORDS",
    help="Added to each move: nodes, timeleft, eval (as [%eval]), clk (as [%clk]), pv (of a run with key pv); separated by commas.",
)
def command(folder: str, out: str | None, details: str) -> None:
    """Print the finished games in DIR as PGN, in order of id. Works while the run goes on."""
    from pathlib import Path

    from harness.files import file_to_make, refuse_overwriting, store
    from harness.journal.journal import OWN, Reader
    from harness.report import pgn

    wanted = pgn.details_of(details, "--details")
    path = None if out is None else file_to_make(out)
    if path is not None:
        refuse_overwriting(path, [Path(folder) / name for name in OWN])
    with Reader(folder) as reader:
        if path is not None:
            store(path, (game.encode() for game in pgn.games(reader, wanted)))
            return
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
        for game in pgn.games(reader, wanted):
            sys.stdout.write(game)
