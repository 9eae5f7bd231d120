"""`gauntlet nodes`: the fixed-depth node screen of an experiment's variants."""

from __future__ import annotations

import json

import click

from harness.errors import BadInput


@click.command(name="nodes", short_help="Compare node counts at a fixed depth.")
@click.argument("spec", metavar="SPEC")
@click.option("--depth", type=int, help="Plies; default: the experiment's [screen], else 9.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object as the last line.")
def command(spec: str, depth: int | None, as_json: bool) -> None:
    """Search the same positions to the same depth with every variant of SPEC, and compare its nodes with the base's."""
    from harness.analysis import node_screen as nodes
    from harness.spec import reader as experiment
    from harness.terminal.progress import progress

    if depth is not None and not 1 <= depth <= 100:
        raise BadInput(f"--depth must be 1 to 100, not {depth}")
    plan = experiment.load(spec)
    with progress() as shown:
        result = nodes.screen(plan, depth, shown)
    if as_json:
        click.echo(json.dumps(result, allow_nan=False))
        return
    from harness.tables import node_tables

    node_tables.print_screen(plan, result)
