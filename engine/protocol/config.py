"""The ini file: options for GUIs that have none, one NAME=VALUE a line."""

from __future__ import annotations

import os
import sys

from engine.play.options import Settings

NAME = "sortie.ini"
SECTIONS = ("sortie", "options")


def beside_program() -> str | None:
    """The path of sortie.ini beside the running program, None if there is none.

    For a linked program both the link's directory and its target's count; for `python -m engine`, the directory that holds
    the package. A standalone program found on the PATH only knows its bare name.
    """
    program = sys.executable if hasattr(sys, "frozen") else os.path.abspath(sys.argv[0] or ".")
    if os.path.basename(program) == "__main__.py":
        program = os.path.dirname(program)
    for path in (program, os.path.realpath(program)):
        candidate = os.path.join(os.path.dirname(path), NAME)
        if os.path.isfile(candidate):
            return candidate
    return None


def read_ini(path: str) -> list[tuple[int, str, str]]:
    """(line number, name, value) of each setting in the file.

    Blank lines and lines that start with `#` or `;` are ignored, a value may be in double quotes, and the sections
    [sortie] and [options] may be named. OSError when it cannot be read, ValueError with FILE:LINE for a bad line.
    """
    with open(path, "rb") as file:
        text = file.read().decode("utf-8-sig", "surrogateescape")
    if "\0" in text:  # UTF-16, as some editors of Windows save "Unicode"
        raise ValueError(f"{path}: expected a text file in UTF-8")
    settings = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            if line[-1] != "]" or line[1:-1].strip().lower() not in SECTIONS:
                raise ValueError(f"{path}:{number}: unknown section {line}, expected [sortie]")
            continue
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"{path}:{number}: expected NAME=VALUE, not '{line}'")
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1]
        settings.append((number, name.strip(), value))
    return settings


def apply_ini(path: str, settings: Settings) -> None:
    """Set the options in the file; ValueError, one plain line that names the file and the line, for a bad one."""
    try:
        lines = read_ini(path)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    for number, name, value in lines:
        try:
            settings.set(name, value)
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from None
