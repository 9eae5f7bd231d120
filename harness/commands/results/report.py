"""`gauntlet report`: a run as a page to pass around."""

from __future__ import annotations

import click


@click.command(name="report")
@click.argument("folder", metavar="DIR")
@click.option("--out", metavar="FILE", help="Where to write it (default: DIR/report.html, DIR/report.md).")
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "md"]),
    default="html",
    show_default=True,
    help="A page, or Markdown with SVG pictures.",
)
def command(folder: str, out: str | None, form: str) -> None:
    """Write the results in DIR as one page that needs nothing else. Works while the run goes on."""
    from harness.report import write as report

    for path in report.write(folder, out, form):
        click.echo(str(path))
