"""`gauntlet experiments`: what is shipped."""

from __future__ import annotations

import json

import click


@click.command("experiments", short_help="List the shipped experiments.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines.")
def command(as_json: bool) -> None:
    """List the experiments that `gauntlet run NAME` and `gauntlet nodes NAME` know, one per line."""
    from harness.spec import reader
    from harness.terminal.words import folded

    found = {name: reader.description(name) for name in reader.shipped_experiments()}
    if as_json:
        click.echo(json.dumps({"experiments": [{"name": name, "description": found[name]} for name in found]}))
        return
    width = max(map(len, found))
    for name, text in found.items():
        click.echo(folded(f"{name:{width}}  {text}", hang=width + 2))
