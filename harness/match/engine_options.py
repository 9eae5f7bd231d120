"""The words after -engine and -each of cutechess-cli and fastchess: settings of an engine or of the whole run."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence

from harness.errors import BadInput, suggestion
from harness.match.request import Engine
from harness.model import Limit
from harness.spec import registry
from harness.spec.toml_table import clock_text

ON, OFF = ("true", "on", "1"), ("false", "off", "0")
PATIENCE = 10.0  # seconds; what tscale multiplies
REFUSED = {
    "book": "use -openings file=BOOK.bin",
    "bookdepth": "use -openings plies=N",
    "whitepov": "scores are taken from the mover's view",
    "trust": "every claim of a result is checked",
    "stderr": "the end of an engine's stderr is kept with each fault",
    "debug": "the last lines of every fault are kept in the results folder",
}
KNOWN = (
    *("cmd", "conf", "name", "dir", "arg", "args", "proto", "tc", "st", "timemargin", "depth", "plies", "nodes"),
    *("ponder", "restart", "initstr", "tscale"),
)
_CLOCK = re.compile(r"(?:(\d+)/)?(?:(\d+):)?(\d+(?:\.\d*)?|\.\d+)(?:\+(\d+(?:\.\d*)?|\.\d+))?")


def read_engine(words: Sequence[str]) -> tuple[Engine, dict[str, object]]:
    """The engine, and its restart, ponder and patience, which the experiment file has once for all engines."""
    engine = Engine()
    whole: dict[str, object] = {}
    limits: dict[str, object] = {}
    arguments: list[str] = []
    for word in words:
        key, mark, value = word.partition("=")
        if key.startswith("option.") and mark:
            engine.options[key.removeprefix("option.")] = value
        elif key in REFUSED:
            raise BadInput(f"{key}: not supported: {REFUSED[key]}")
        elif key == "ponder" and not mark:
            whole["ponder"] = True
        elif key not in KNOWN or not mark:
            raise BadInput(f'-engine: unknown "{word}"{suggestion(key, KNOWN)}')
        elif key in ("tc", "st", "depth", "plies", "nodes"):
            _limit(key, value, limits)
        elif key == "timemargin":
            engine.keys["margin"] = _amount(key, value) / 1000
        elif key in ("restart", "ponder", "tscale"):
            _for_all(key, value, whole)
        elif key == "arg":
            arguments.append(shlex.quote(value))
        elif key == "args":
            arguments.append(value)
        else:
            _own(key, value, engine)
    if not engine.command:
        raise BadInput("-engine: cmd=COMMAND (or conf=NAME, a registered engine) is missing")
    engine.arguments = " ".join(arguments)
    if not engine.registered:
        engine.command = _one_word(engine.command, str(engine.keys.get("directory", "")))
    engine.keys.update(_one_limit(limits))
    return engine, whole


def _own(key: str, value: str, engine: Engine) -> None:
    if key == "cmd":
        engine.command, engine.registered = value, False
    elif key == "conf":
        registry.named(value, registry.load())
        engine.command, engine.registered = value, True
    elif key == "name":
        engine.name = value
    elif key == "dir":
        engine.keys["directory"] = os.path.abspath(os.path.expanduser(value))
    elif key == "initstr":
        engine.keys["init"] = value.split("\\n")
    elif value not in ("uci", "xboard"):
        raise BadInput(f"proto must be uci or xboard, not {value}")
    else:
        engine.keys["protocol"] = value


def _one_word(command: str, directory: str) -> str:
    """The command, quoted if it is a path with blanks or quotes: one word for those programs, while ours split it as a shell."""
    there = any(os.path.exists(place) for place in (command, os.path.join(directory, command)))
    return shlex.quote(command) if there else command


def _for_all(key: str, value: str, whole: dict[str, object]) -> None:
    if key == "tscale":
        whole["patience"] = PATIENCE * _more_than_nothing(key, value)
    elif key == "ponder":
        if value.lower() not in (*ON, *OFF):
            raise BadInput(f"ponder must be true or false, not {value}")
        whole["ponder"] = value.lower() in ON
    elif value not in ("auto", "on", "off"):
        raise BadInput(f"restart must be auto, on or off, not {value}")
    else:
        whole["restart"] = value == "on"


def _limit(key: str, value: str, limits: dict[str, object]) -> None:
    if key == "tc" and value == "inf":
        return
    if key == "tc":
        match = _CLOCK.fullmatch(value)
        if match is None or len(value) > 40:
            raise BadInput(f'tc={value}: expected MOVES/TIME+INCREMENT like "40/60", "1:30+1" or "8+0.08", or inf')
        moves, minutes, seconds, increment = match.groups()
        base = 60 * int(minutes or 0) + float(seconds)
        if not base:
            raise BadInput(f"tc={value}: expected more than 0 seconds to begin with")
        limits["time"] = clock_text(
            Limit(base=base, increment=float(increment or 0), moves_per_session=int(moves or 0))
        )
    elif key == "st":
        limits["movetime"] = _more_than_nothing(key, value)
    elif not value.isdecimal() or len(value) > 12 or int(value) < 1:
        raise BadInput(f"{key}={value}: expected a whole number of 1 or more")
    else:
        limits["depth" if key == "plies" else key] = int(value)


def _one_limit(limits: dict[str, object]) -> dict[str, object]:
    words = {"time": "tc", "movetime": "st", "nodes": "nodes", "depth": "depth"}
    clocks = [key for key in limits if key in ("time", "movetime")]
    if len(clocks) > 1 or (len(limits) > 1 and not clocks):
        names = " and ".join(words[key] for key in limits)
        raise BadInput(f"{names}: not supported together: expected tc or st, beside it nodes or depth; or one of these")
    if not limits:
        raise BadInput("expected a limit for every engine: tc=, st=, nodes= or depth= (with -each for all)")
    return limits


def _more_than_nothing(key: str, value: str) -> float:
    number = _amount(key, value)
    if not number:
        raise BadInput(f"{key}={value}: expected a number above 0")
    return number


def _amount(key: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e9:
        raise BadInput(f"{key}={value}: expected a number of 0 or more")
    return number
