"""The report of a run: one self-contained HTML file, or Markdown with pictures."""

from __future__ import annotations

from pathlib import Path

from harness.errors import BadInput
from harness.files import refuse_overwriting, store
from harness.journal.journal import OWN, Reader
from harness.report.page import facts, markdown, render, viewer

DEFAULT = {"html": "report.html", "md": "report.md"}


def write(folder: Path | str, out: Path | str | None = None, form: str = "html") -> list[Path]:
    """Writes the report of a results folder, also while the run goes on; returns the files, the report first."""
    folder = Path(folder)
    target = Path(out) if out is not None else folder / DEFAULT[form]
    if target.is_dir():
        raise BadInput(f"{target}: is a directory; expected the name of a file to write")
    refuse_overwriting(target, [folder / name for name in OWN])
    with Reader(folder) as reader:
        found = facts.gather(reader)
        if form == "md":
            return markdown.write(found, target)
        games = viewer.games(reader, found, viewer.deciding(found))
    store(target, render.html(found, games).encode("utf-8", "replace"))
    return [target]
