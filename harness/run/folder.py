"""The folder of a run: where a new one goes, and what is printed at the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.errors import BadInput
from harness.files import for_shell, named
from harness.journal.journal import FILE
from harness.tables.summaries import print_final
from harness.terminal.words import say


def refuse_used(out: str) -> None:
    """Raises BadInput if a new run cannot have this folder."""
    folder = named(out)
    if (folder / FILE).exists():
        raise BadInput(f"{folder}: there are results already; gauntlet resume {for_shell(folder)} goes on with them")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder}: is a file; --out expects a folder")


def results_folder(out: str | None, name: str) -> Path:
    """Makes and returns the folder for a new run; raises BadInput if it already holds a run."""
    place = Path("results")
    if out is not None:
        refuse_used(out)
        place = named(out)
    try:
        place.mkdir(parents=True, exist_ok=True)
        return place if out is not None else _unused(place, name)
    except OSError as error:
        raise BadInput(f"{error.filename or place}: cannot be made: {error.strerror}") from error


def _unused(place: Path, name: str) -> Path:
    """Makes NAME, or the first of NAME-2, ... that is not there: runs that begin at the same time get one each."""
    safe = "".join(c if c not in "/\\:\0" else "-" for c in name).strip(". ") or "run"
    number, folder = 1, place / safe
    while True:
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            number += 1
            folder = place / f"{safe}-{number}"


def show_end(folder: Path, more: Sequence[str] = ()) -> None:
    """Prints the end of a run: the table, a line per pairing, `more`, and the folder."""
    print_final(folder)
    for line in more:
        say(line)
    say(f"results: {folder}")
