"""`gauntlet book`: a Polyglot book from opening lines."""

from __future__ import annotations

from pathlib import Path

import click

from harness.errors import BadInput


@click.command(name="book", short_help="Make a Polyglot book of opening lines.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--out", required=True, metavar="BOOK.bin", help="Book to write.")
@click.option("--plies", type=int, help="Most plies to take from each line.")
def command(files: tuple[str, ...], out: str, plies: int | None) -> None:
    """Make a Polyglot book of the lines in FILE... (.pgn, .tsv, .bin, also .gz, or names of shipped files)."""
    from harness.books import openings
    from harness.books import polyglot as book
    from harness.files import file_to_make, refuse_overwriting, store
    from harness.model import Opening
    from harness.spec.reader import SHIPPED_OPENINGS
    from harness.terminal.progress import progress

    if plies is not None and plies < 1:
        raise BadInput(f"--plies must be 1 or more, not {plies}")
    target = file_to_make(out)
    refuse_overwriting(target, files)
    lines: list[Opening] = []
    for name in files:
        path = next((place for place in (Path(name), SHIPPED_OPENINGS / name) if place.is_file()), None)
        if path is None:
            raise BadInput(f"{name}: no such file, nor is it shipped")
        lines += openings.read(path, plies)
    with progress() as shown:
        data = book.build(lines, progress=shown)
    if not data:
        raise BadInput(f"{', '.join(files)}: no line has moves, and a book is made of moves")
    store(target, data)
    click.echo(f"{out}: {len(data) // 16} moves from {len(lines)} lines")
