"""`gauntlet engines`: the engines that a match may call by name."""

from __future__ import annotations

import json

import click


@click.group(
    name="engines", short_help="Keep engines under names: add, list, remove, check.", invoke_without_command=True
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Keep engines under names that `gauntlet match NAME NAME` understands."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@command.command(short_help="Register COMMAND as NAME.")
@click.argument("name")
@click.argument("engine", metavar="COMMAND")
@click.option(
    "--protocol",
    type=click.Choice(["auto", "xboard", "uci"]),
    default="auto",
    show_default=True,
    help="Protocol it speaks; auto asks it.",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Option to set in every match.")
@click.option("--directory", metavar="DIR", help="The engine's working directory.")
def add(name: str, engine: str, protocol: str, options: tuple[str, ...], directory: str | None) -> None:
    """Register COMMAND (quote it when it has arguments) as NAME; the engine is started once to see that it answers."""
    import shlex
    from pathlib import Path

    from harness.commands._values import settings
    from harness.conformance.check import split_command
    from harness.conformance.probe import HANDSHAKE
    from harness.errors import BadInput
    from harness.files import named
    from harness.model import Limit, Player
    from harness.run.handshake import spoken
    from harness.spec import registry

    if not name.strip() or not name.isprintable():
        raise BadInput("the name of an engine must be one that can be seen")
    if name == "sortie":
        raise BadInput("sortie is the engine beside gauntlet in every match: expected another name")
    words = list(split_command(engine))
    # The registry is used from any folder.
    for place, word in enumerate(words):
        if ("/" in word or place) and Path(word).exists():
            words[place] = str(Path(word).absolute())
    chosen = settings(options)
    folder = None if directory is None else str(named(directory).absolute())
    if folder is not None and not Path(folder).is_dir():
        raise BadInput(f"--directory {directory}: no such folder")
    player = Player(0, name, tuple(words), protocol, Limit(), directory=folder)
    table: dict[str, object] = {"command": shlex.join(words), "protocol": spoken(player, HANDSHAKE)}
    if chosen:
        table["options"] = chosen
    if folder is not None:
        table["directory"] = folder
    engines = registry.load()
    engines[name] = table
    registry.save(engines)
    click.echo(f"{name}: {table['command']} ({table['protocol']})")


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object as the last line.")
def list_engines(as_json: bool) -> None:
    """Print the registered engines."""
    from harness.spec import registry

    engines = registry.load()
    if as_json:
        click.echo(json.dumps({"engines": [{"name": name, **table} for name, table in engines.items()]}, default=str))
        return
    width = max((len(name) for name in engines), default=0)
    for name, table in engines.items():
        # The file may have been edited: a value is of any kind that TOML has.
        click.echo(f"{name:{width}}  {table.get('protocol', 'auto')!s:6}  {table.get('command', '')}")
    if not engines:
        click.echo("no engine is registered: gauntlet engines add NAME COMMAND")


@command.command()
@click.argument("name")
def remove(name: str) -> None:
    """Forget the engine called NAME."""
    from harness.spec import registry

    engines = registry.load()
    registry.named(name, engines)
    del engines[name]
    registry.save(engines)


@command.command()
@click.argument("name")
@click.pass_context
def check(ctx: click.Context, name: str) -> int:
    """Test the registered engine's protocol, as `gauntlet check` does."""
    import os

    from harness.commands.tools.check import command as check_command
    from harness.errors import BadInput
    from harness.spec import registry
    from harness.spec.players import PROTOCOLS
    from harness.spec.toml_table import Table

    table = registry.named(name, registry.load())
    if not isinstance(table.get("command"), str):
        raise BadInput(f"{registry.path()}: {name} has no command, a string")
    keys = Table(f"{registry.path()}: {name}:", table)
    protocol = keys.choice("protocol", PROTOCOLS, "auto")
    os.chdir(keys.text("directory", "."))
    status: int = ctx.invoke(
        check_command,
        engine=table["command"],
        protocol=None if protocol == "auto" else protocol,
        only=(),
        as_json=False,
    )
    return status
