"""Reads a TOML table field by field; a wrong type or range or an unknown key gives one line that names the place."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, overload

from harness.errors import BadInput, nearest, suggestion
from harness.model import Limit
from harness.terminal.numbers import plain

_CLOCK = re.compile(r"(?:(?P<moves>\d+)/)?(?P<base>\d+(?:\.\d*)?|\.\d+)(?:\+(?P<increment>\d+(?:\.\d*)?|\.\d+))?")
LIMIT_KEYS = ("time", "movetime", "nodes", "depth")
LONGEST = 1e7  # seconds; a larger number is a mistake, not a time control
MOST_BITS = 10_000  # of a whole number that can be shown in a message: some 3,000 digits
LONGEST_SHOWN = 200  # characters of a value in a message


def show(value: object) -> str:
    """A TOML value as shown in a message."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        value = value if len(value) <= LONGEST_SHOWN else value[:LONGEST_SHOWN] + "…"
        return f'"{value}"' if value.isprintable() else quoted(value)
    if isinstance(value, Mapping):
        return "a table"
    return "a list" if isinstance(value, list) else str(value)


def decoded(data: bytes, label: str) -> str:
    """The text of a file, with or without a byte-order mark; raises BadInput."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{label}: is not UTF-8 text") from None


def tables(text: str, label: str) -> dict[str, Any]:
    """The tables in a TOML text; raises BadInput with the first line of what is wrong."""
    try:
        found = tomllib.loads(text)
        _refuse_numbers("", found)
    except ValueError as error:  # errors in TOML, and numbers of thousands of digits
        raise BadInput(f"{label}: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise BadInput(f"{label}: lists or tables within each other too deep") from None
    return found


def _refuse_numbers(key: str, value: object) -> None:
    """Raises ValueError for a whole number so long that Python will not show it, though it reads it in hexadecimal digits."""
    if isinstance(value, dict):
        for name, inner in value.items():
            _refuse_numbers(name, inner)
    elif isinstance(value, list):
        for inner in value:
            _refuse_numbers(key, inner)
    elif isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise ValueError(f"{key} has a whole number of {value.bit_length()} bits, expected 64 or fewer")


def section_name(kind: str, name: str) -> str:
    """`variants.lmr-off`, with the name quoted if TOML requires it."""
    bare = re.fullmatch(r"[A-Za-z0-9_-]+", name)
    return f"{kind}.{name}" if bare else f"{kind}.{quoted(name)}"


def quoted(value: str) -> str:
    """A TOML basic string. JSON's escapes are TOML's, except that TOML escapes DEL too."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the file. Messages begin with `place`, e.g. `fast.toml: [experiment]`.

    The keys in `options` come from the command line: messages about them begin with the option, e.g. `--games`.
    """

    place: str
    values: Mapping[str, object]
    options: Mapping[str, str] = field(default_factory=dict)

    def fail(self, message: str) -> BadInput:
        key, blank, rest = message.partition(" ")
        if key in self.options:
            return BadInput(f"{self.options[key]}{blank}{rest}")
        return BadInput(f"{self.place} {message}")

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def only(self, known: Iterable[str]) -> None:
        """Refuse every key that is not known."""
        names = list(known)
        for key in self.values:
            if key not in names:
                raise self.fail(f"unknown key {show(key)}{suggestion(key, names)}")

    @overload
    def text(self, key: str, default: str) -> str: ...

    @overload
    def text(self, key: str, default: None = None) -> str | None: ...

    def text(self, key: str, default: str | None = None) -> str | None:
        value = self.values.get(key, default)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.fail(f"{key} must be a string, not {show(value)}")
        if not value.strip() or any(ord(letter) < 32 for letter in value):
            raise self.fail(f"{key} must be one line of text, not {show(value)}")
        return value

    def choice(self, key: str, known: tuple[str, ...], default: str) -> str:
        value = self.text(key, default)
        if value not in known:
            expected = f"{', '.join(known[:-1])} or {known[-1]}"
            raise self.fail(f"{key} must be {expected}, not {show(value)}{nearest(str(value), known)}")
        return value

    def flag(self, key: str, default: bool = False) -> bool:
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.fail(f"{key} must be true or false, not {show(value)}")
        return value

    @overload
    def whole(self, key: str, default: int, low: int, high: int = 10**12) -> int: ...

    @overload
    def whole(self, key: str, default: None, low: int, high: int = 10**12) -> int | None: ...

    def whole(self, key: str, default: int | None, low: int, high: int = 10**12) -> int | None:
        value = self.values.get(key, default)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fail(f"{key} must be a whole number, not {show(value)}")
        if not low <= value <= high:
            allowed = f"{low} or more" if value < low else f"{high} or less"
            raise self.fail(f"{key} must be {allowed}, not {value}")
        return value

    @overload
    def number(self, key: str, default: float, low: float, high: float = LONGEST, above: bool = False) -> float: ...

    @overload
    def number(
        self, key: str, default: None, low: float, high: float = LONGEST, above: bool = False
    ) -> float | None: ...

    def number(
        self, key: str, default: float | None, low: float, high: float = LONGEST, above: bool = False
    ) -> float | None:
        """A finite number from low (excluded if `above`) to high."""
        value = self.values.get(key, default)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            value = float(max(-(10**18), min(10**18, value)))  # a whole number may be too long for a float
        if not isinstance(value, float) or not math.isfinite(value):
            raise self.fail(f"{key} must be a number, not {show(value)}")
        if value < low or value > high or (above and value == low):
            floor = f"more than {low:g}" if above else f"{low:g} or more"
            raise self.fail(f"{key} must be {floor}{f' and {high:g} or less' if value > high else ''}, not {value:g}")
        return float(value)

    def strings(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.fail(f'{key} must be a list of strings like ["first", "second"], not {show(value)}')
        for item in value:
            if any(letter in item for letter in "\n\r\0"):
                raise self.fail(f"{key} must hold one line a string, not {show(item)}")
        return tuple(value)

    def table(self, key: str) -> Mapping[str, object]:
        value = self.values.get(key, {})
        if not isinstance(value, Mapping):
            raise self.fail(f"{key} must be a table, not {show(value)}")
        return value

    @overload
    def limit(self, default: Limit) -> Limit: ...

    @overload
    def limit(self, default: None = None) -> Limit | None: ...

    def limit(self, default: Limit | None = None) -> Limit | None:
        """The one limit in this table, or the default if it has none."""
        given = [key for key in LIMIT_KEYS if key in self.values]
        if not given:
            return default
        nodes, depth = self.whole("nodes", None, 1), self.whole("depth", None, 1, 200)
        if given[:2] == ["time", "movetime"] or given == ["nodes", "depth"]:
            raise self.fail(
                f"{given[0]} and {given[1]}: one limit only of time, movetime, nodes, depth, but that nodes and depth "
                "may stand beside time or movetime as caps"
            )
        if given[0] == "nodes":
            return Limit(nodes=nodes)
        if given[0] == "depth":
            return Limit(depth=depth)
        if given[0] == "movetime":
            clock = Limit(movetime=self.number("movetime", None, 0, above=True))
        else:
            clock = self._clock()
        return replace(clock, most_nodes=nodes, most_depth=depth)

    def _clock(self) -> Limit:
        value = self.values["time"]
        wanted = 'a string like "2+0.02" or "40/60+0.5" (seconds)'
        if not isinstance(value, str):
            raise self.fail(f"time must be {wanted}, not {show(value)}")
        match = _CLOCK.fullmatch(value.replace(" ", ""))
        if match is None:
            raise self.fail(f"time must be {wanted}, not {show(value)}")
        moves = match["moves"]
        # To the nanosecond, as it is written: the run's own file must read as the same clock.
        base, increment = round(float(match["base"]), 9), round(float(match["increment"] or 0), 9)
        if base <= 0:
            raise self.fail(f"time must start with more than 0 seconds, not {show(value)}")
        if base > LONGEST or increment > LONGEST:
            raise self.fail(f"time must be of {plain(LONGEST)} seconds at most, not {show(value)}")
        if moves is not None and (len(moves) > 9 or not 1 <= int(moves) <= 1000):
            raise self.fail(f"time must have 1 to 1000 moves a session, not {show(value)}")
        return Limit(base=base, increment=increment, moves_per_session=int(moves or 0))


def clock_text(limit: Limit) -> str:
    """A clock as the TOML and the PGN write it: "2+0.02", "40/60+0.5"."""
    session = f"{limit.moves_per_session}/" if limit.moves_per_session else ""
    increment = f"+{plain(limit.increment)}" if limit.increment else ""
    return f"{session}{plain(limit.base or 0)}{increment}"


def caps_text(limit: Limit) -> str:
    """The caps beside a clock, `, 5000 nodes, depth 12 at most`; empty if there are none."""
    caps = [f"{limit.most_nodes} nodes"] if limit.most_nodes is not None else []
    caps += [f"depth {limit.most_depth}"] if limit.most_depth is not None else []
    return f", {' and '.join(caps)} a move at most" if caps else ""
