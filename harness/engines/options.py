"""Options that engines declare, in both protocols: parsing the declaration, checking and spelling a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from harness.errors import nearest, suggestion

_TRUE, _FALSE = ("true", "on", "1", "yes"), ("false", "off", "0", "no")


class WrongOption(Exception):
    """The engine has no such option or does not take that value; the message says what it takes."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option as declared. `low` and `high` bound a spin, `choices` belong to a combo."""

    name: str
    kind: str
    default: str = ""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    def holds_default(self) -> bool:
        """Says whether the default of a spin lies between its bounds, all three being numbers."""
        default = _whole(self.default)
        return None not in (default, self.low, self.high) and self.low <= default <= self.high  # type: ignore[operator]

    def spelled(self, value: str, true: str, false: str) -> str | None:
        """Returns the value as the protocol wants it, None for a button; raises WrongOption."""
        if self.kind in ("button", "save", "reset"):
            return None
        if self.kind == "check":
            if value.lower() in _TRUE:
                return true
            if value.lower() in _FALSE:
                return false
            raise WrongOption(f'option {self.name} takes true or false, not "{value}"')
        if self.kind in ("spin", "slider"):
            try:
                number = int(value)
            except ValueError:
                raise WrongOption(f'option {self.name} takes a whole number, not "{value}"') from None
            if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
                least = "" if self.low is None else f" {self.low}"
                most = " or more" if self.high is None else f" to {self.high}" if least else f" up to {self.high}"
                raise WrongOption(f"option {self.name} takes{least}{most}, not {number}")
            return str(number)
        if self.kind == "combo":
            for choice in self.choices:
                if choice.lower() == value.lower():
                    return choice
            raise WrongOption(f'option {self.name} has no choice "{value}"{suggestion(value, self.choices)}')
        return value


NAMED = 60  # options in a message
OF_UCI = {"hash": "memory", "threads": "cores"}  # settings for which XBoard has commands, by their UCI names


def lookup(options: Mapping[str, Option], name: str, more: Iterable[str] = ()) -> Option:
    """Returns the option of that name, ignoring case if that is unambiguous; raises WrongOption.

    `more` are settings for which the protocol has commands; the message lists them with the options.
    """
    if name in options:
        return options[name]
    same = [option for known, option in options.items() if known.lower() == name.lower()]
    if len(same) == 1:
        return same[0]
    offered = [*more, *options]
    if not offered:
        raise WrongOption(f'no option "{name}": it offers none')
    left = f" and {len(offered) - NAMED} more" if len(offered) > NAMED else ""
    other = OF_UCI.get(name.lower())
    hint = f': did you mean "{other}"?' if other in offered else nearest(name, offered)
    it = f"{hint} It offers" if hint else ": it offers"
    raise WrongOption(f'no option "{name}"{it} {", ".join(offered[:NAMED])}{left}')


def _whole(text: str | None) -> int | None:
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


def parse_xboard(text: str) -> Option | None:
    """Returns the option that `feature option="TEXT"` declares, None for one that cannot be understood."""
    match = re.match(
        r"(.+?) -(check|spin|slider|string|file|path|combo|button|save|reset)(?: (.*))?$", text.strip("\r\n")
    )
    if not match:
        return None
    name, kind, rest = match[1], match[2], match[3] or ""
    if kind in ("spin", "slider"):
        words = rest.split()
        if len(words) < 3:
            return None
        return Option(name, kind, words[0], _whole(words[1]), _whole(words[2]))
    if kind == "combo":
        parts = [part.strip() for part in rest.split("///")]
        default = next((part[1:] for part in parts if part.startswith("*")), parts[0])
        return Option(name, kind, default, choices=tuple(part.lstrip("*") for part in parts))
    return Option(name, kind, rest)


_UCI = re.compile(r"option\s+name\s+(.*?)\s+type\s+(\w+)(.*)$")
_UCI_WORDS = re.compile(r"(?<!\S)(default|min|max|var)(?!\S)")


def parse_uci(line: str) -> Option | None:
    """Returns the option that a line `option name ... type ...` declares, None for one that cannot be understood."""
    match = _UCI.match(line.strip())
    if not match:
        return None
    parts = _UCI_WORDS.split(match[3])
    default, low, high = "", None, None
    choices: list[str] = []
    for word, value in zip(parts[1::2], parts[2::2], strict=True):
        value = value.strip()
        if word == "default":
            default = value
        elif word == "min":
            low = _whole(value)
        elif word == "max":
            high = _whole(value)
        else:
            choices.append(value)
    return Option(match[1], match[2], default, low, high, tuple(choices))
