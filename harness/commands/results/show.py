"""`gauntlet show`: the results of a run, also while it goes on."""

from __future__ import annotations

import click


@click.command(name="show", short_help="Show the results of a run.")
@click.argument("folder", metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def command(folder: str, as_json: bool) -> None:
    """Show the results in DIR: players, pairings, Elo, how games ended. Works while the run goes on."""
    if as_json:
        import json

        from harness.analysis import summary

        click.echo(json.dumps(summary.read(folder)[1].as_json(), allow_nan=False))
        return
    from harness.tables import summaries as tables

    tables.print_show(folder)
