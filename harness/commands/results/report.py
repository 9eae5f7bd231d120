"""`gauntlet report`: a run as a self-contained page."""

from __future__ import annotations

import click

from harness.commands.results._rename import with_rename


@click.command(name="report", short_help="Write the results of a run as one page.")
@click.argument("paths", metavar="DIR|FILE.pgn...", nargs=-1, required=True)
@click.option(
    "--out", metavar="FILE", help="Where to write it (default: report.html or report.md in DIR or beside FILE)."
)
@with_rename
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "md"]),
    default="html",
    show_default=True,
    help="An HTML page, or Markdown with SVG pictures.",
)
def command(paths: tuple[str, ...], out: str | None, rename: tuple[str, ...], form: str) -> None:
    """Write the results in DIR as one self-contained page. Works while the run goes on.

    PGN files may come from any program; all of them together are reported as one run.
    """
    from pathlib import Path

    from harness.errors import BadInput
    from harness.files import named, refuse_overwriting
    from harness.journal.foreign import is_pgn, rename_rule, results
    from harness.report import write as report

    if len(paths) > 1 and not all(map(is_pgn, paths)):
        raise BadInput("gauntlet report: expected one results folder, or PGN files")
    if out is not None:
        out = str(named(out)) + (f"/{report.DEFAULT[form]}" if out.endswith("/") else "")
        refuse_overwriting(out, [path for path in paths if is_pgn(path)])
    with results(paths, [rename_rule(text) for text in rename]) as folders:
        target = out or (str(Path(paths[0]).with_name(report.DEFAULT[form])) if is_pgn(paths[0]) else None)
        for path in report.write(folders[0], target, form):
            click.echo(str(path))
