"""`gauntlet keys`: every key of the experiment file."""

from __future__ import annotations

import click


@click.command("keys", short_help="List every key of the experiment file.")
@click.argument("table", required=False)
@click.option("--markdown", is_flag=True, help="Print the Markdown tables of docs/experiment-file.md.")
def command(table: str | None, markdown: bool) -> None:
    """List the tables and keys of the experiment file, or the keys of TABLE: type, default, meaning, example."""
    from harness.errors import BadInput, suggestion
    from harness.spec import keys
    from harness.terminal.words import folded

    if markdown and table is not None:
        raise BadInput("gauntlet keys: --markdown prints all tables and takes no TABLE")
    if markdown:
        click.echo(keys.reference(), nl=False)
        return
    names = [section.name for section in keys.SECTIONS]
    wanted = [name for name in names if table is None or table in (name, name.partition(".")[0])]
    if not wanted:
        raise BadInput(f'gauntlet keys: no table "{table}"{suggestion(table or "", names)}')
    for name in wanted:
        section = keys.section(name)
        click.echo(folded(f"[{name}]  {section.meaning}", hang=2))
        for key in section.keys:
            default = f"; default {key.default.strip('()')}" if key.default else ""
            click.echo(folded(f"  {key.name:13} {key.kind}{default}", hang=16))
            click.echo(folded(f"  {'':13} {key.meaning}; e.g. {key.name} = {key.example}", hang=16))
        click.echo()
