"""What a match command asks for, in any dialect, and the experiment file that means the same."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.engines import sortie
from harness.errors import BadInput
from harness.files import named
from harness.spec import registry

Tables = dict[str, object]


@dataclass(slots=True)
class Engine:
    """One engine of a match: its command or a registered name in `command`, and the keys of its `[engines.NAME]` table.

    `arguments` are added to the command, that of the registered engine too.
    """

    command: str = ""
    registered: bool = True  # whether the command may be a registered name: cmd= of other programs is always a program
    arguments: str = ""
    name: str = ""
    keys: Tables = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Request:
    """A match as asked for. `main`, `openings`, `adjudication` and `sprt` hold keys of the experiment's tables.

    `options` are the words of the command line by the key of `main` that they set, for messages.
    """

    engines: list[Engine] = field(default_factory=list)
    main: Tables = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    openings: Tables = field(default_factory=dict)
    adjudication: Tables = field(default_factory=dict)
    sprt: Tables = field(default_factory=dict)
    out: str | None = None
    pgn: str | None = None
    pgn_details: frozenset[str] = frozenset()
    epd: str | None = None
    style: str = "gauntlet"  # of the output: gauntlet, cutechess or fastchess
    rating_interval: int = 0  # games between two ratings in the styles cutechess and fastchess; 0: only at the end
    score_interval: int = 1  # games between two scores in the style cutechess


def tables(request: Request) -> Tables:
    """The experiment as the tables of its file; raises BadInput if there are too few engines."""
    if len(request.engines) < 2:
        raise BadInput(f"a match needs two engines, not {len(request.engines)}: gauntlet match ENGINE ENGINE")
    names: list[str] = []
    engines: Tables = {}
    for engine in request.engines:
        keys = _engine(engine)
        name = _distinct(engine.name or str(keys.pop("name", "")) or _called(engine.command), names)
        keys.pop("name", None)
        names.append(name)
        engines[name] = keys
    main = {"name": "-vs-".join(_plain(name) for name in names[:2]), "kind": "match", **request.main}
    if len(names) > 2 and main["kind"] == "match":
        main["kind"] = "roundrobin"
    if main["kind"] == "gauntlet":
        main["base"] = names[0]
    found: Tables = {"experiment": main, "engines": engines}
    for key in ("openings", "adjudication", "sprt"):
        if values := getattr(request, key):
            found[key] = values
    return found


def _engine(engine: Engine) -> Tables:
    """The `[engines.NAME]` table of an engine: its own keys, over the registered ones if its command is a registered name."""
    known = registry.load().get(engine.command) if engine.registered else None
    # Sortie needs no path: it is installed beside gauntlet.
    command = shlex.quote(sortie.beside()) if engine.command == "sortie" else engine.command
    keys: Tables = dict(known) if known is not None else {"command": command, "protocol": "auto"}
    options = keys.get("options", {})
    if not isinstance(options, Mapping):
        raise BadInput(f"{registry.path()}: options of {engine.command} must be a table, not {options!r}")
    if engine.arguments and isinstance(keys.get("command"), str):
        keys["command"] = f"{keys['command']} {engine.arguments}"
    keys.update(engine.keys)
    if options or engine.options:
        keys["options"] = {**options, **engine.options}
    if known is not None and not engine.name:
        keys["name"] = engine.command
    return keys


def _called(command: str) -> str:
    """The name of a program: the last part of its path without its suffix."""
    quoted = any(mark in command for mark in "'\"")  # else a backslash may separate folders, and shlex would drop it
    try:
        words = shlex.split(command) if quoted else command.split()
    except ValueError:
        words = command.split()
    word = words[0] if words else command
    return os.path.splitext(os.path.basename(word.replace("\\", "/")))[0] or word


def _distinct(name: str, taken: list[str]) -> str:
    """The name, with a number if another engine has it already."""
    fresh, number = name, 1
    while fresh in taken:
        number += 1
        fresh = f"{name}-{number}"
    return fresh


def _plain(name: str) -> str:
    """The name in a form that may be part of a folder's name."""
    return "".join(letter if letter.isalnum() or letter in "-_. " else "-" for letter in name).strip(" .") or "engine"


def folder_name(path: str) -> str:
    """A folder on the command line, made absolute: runs may be resumed from elsewhere."""
    return str(named(path).absolute())
