"""The option --rename of the commands that read PGN files."""

from __future__ import annotations

import click

with_rename = click.option(
    "--rename",
    multiple=True,
    metavar="PATTERN=NAME",
    help="In PGN files: players whose name matches the pattern count as NAME.",
)
