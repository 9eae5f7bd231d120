"""What an XBoard engine says it can do: its feature lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from harness.engines.options import Option, parse_xboard

_FEATURE = re.compile(r'([A-Za-z0-9_]+)\s*=\s*(?:"([^"]*)"|\'([^\']*)\'|(\S+))')
_KNOWN = frozenset(
    "ping setboard playother san usermove time draw sigint sigterm reuse analyze myname variants colors ics name pause "
    "nps debug memory smp egt option exclude done".split()
)
_SWITCHES = frozenset("ping setboard san usermove time draw reuse analyze nps playother memory smp".split())


@dataclass(slots=True)
class Features:
    """What an engine says it can do; the defaults are those of protocol version 1."""

    ping: bool = False
    setboard: bool = False
    san: bool = False
    usermove: bool = False
    time: bool = True
    draw: bool = True
    reuse: bool = True
    analyze: bool = True
    nps: bool = False
    playother: bool = False
    memory: bool | None = None
    smp: bool | None = None
    myname: str = ""
    variants: tuple[str, ...] | None = None
    options: dict[str, Option] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)  # what it says of other options
    done: bool | None = None
    any: bool = False

    def take(self, line: str) -> list[str]:
        """Reads a feature line; returns the answers to send."""
        replies = []
        for match in _FEATURE.finditer(line, len("feature")):
            name = match[1]
            value = next(part for part in match.groups()[1:] if part is not None)
            self.any = True
            if name not in _KNOWN:
                replies.append(f"rejected {name}")
                continue
            if name == "option":
                option = parse_xboard(value)
                if option is None:
                    self.unreadable.append(value)
                    replies.append("rejected option")
                    continue
                self.options[option.name] = option
            elif name == "variants":
                self.variants = tuple(value.replace(",", " ").split())
            elif name == "myname":
                self.myname = value
            elif name in _SWITCHES:
                setattr(self, name, value != "0")
            elif name == "done":
                self.done = value != "0"
            replies.append(f"accepted {name}")
        return replies
