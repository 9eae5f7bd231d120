"""The user's own engines by name: a TOML file of `[engines.NAME]` tables in the user's configuration folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click

from harness import files
from harness.errors import BadInput, suggestion
from harness.spec.toml_table import section_name, tables
from harness.spec.writer import section

FILE = "engines.toml"


def path() -> Path:
    """The path of the registry: GAUNTLET_ENGINES, else engines.toml in the user's configuration folder of gauntlet."""
    given = os.environ.get("GAUNTLET_ENGINES")
    return files.named(given) if given else Path(click.get_app_dir("gauntlet")) / FILE


def load() -> dict[str, dict[str, object]]:
    """The tables of the registered engines by name; none if there is no file. Raises BadInput for a broken one."""
    place = path()
    if place.exists() and not place.is_file():  # reading a pipe or a device might never end
        raise BadInput(
            f"{place}: {'is a folder' if place.is_dir() else 'is no regular file'}, expected a file of engines"
        )
    try:
        text = place.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BadInput(f"{place}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"{place}: {error}") from None
    engines = tables(text, str(place)).get("engines", {})
    if not isinstance(engines, Mapping) or not all(isinstance(table, Mapping) for table in engines.values()):
        raise BadInput(f"{place}: expected [engines.NAME] tables")
    return {name: dict(table) for name, table in engines.items()}


def named(name: str, engines: Mapping[str, Mapping[str, object]]) -> Mapping[str, object]:
    """The table of the engine registered under a name; raises BadInput if there is none."""
    if name not in engines:
        raise BadInput(f'no engine is registered as "{name}"{suggestion(name, engines)}')
    return engines[name]


def save(engines: Mapping[str, Mapping[str, object]]) -> None:
    """Writes the registry atomically; raises BadInput if that is impossible."""
    place = path()
    if place.parts[0] == "~":
        raise BadInput("no home folder is known to keep engines in: name a file in GAUNTLET_ENGINES")
    lines = ["# The engines that gauntlet knows by name; gauntlet engines add|remove|list|check"]
    for name, table in engines.items():
        lines += section(section_name("engines", name), table)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{place}: cannot be written: {error.strerror}") from None
    files.store(place, ("\n".join(lines) + "\n").encode())
