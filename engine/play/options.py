"""Every option Sortie offers: the switches of the kernel and the engine's own, with their values."""

from __future__ import annotations

import os

from engine.model import Value
from engine.play.clock import parse_whole
from engine.variant.features import SWITCHES, Features, nearest
from engine.variant.parameters import PREFIX

DEFAULT_MEMORY = 64  # MiB, until the GUI says `memory`
SMALL_MEMORY = 16  # MiB, if the first size asked for is not to be had
LEAST_MEMORY = 1
MOST_MEMORY = 1 << 20  # MiB that a GUI may be offered
FULL_LEVEL = 20
MOST_CORES = 256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engine.evaluation.network import Network
    from engine.syzygy.tables import Tables
    from engine.variant.features import Switch

ON = ("on", "true", "1")
OFF = ("off", "false", "0")


class Option(Value):
    """One option. kind: check, spin, combo, string, file, path or button; choices belong to a combo."""

    __slots__ = ()
    name: str
    kind: str
    default: str
    text: str
    source: str
    choices: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = 0


OWN = (
    Option("OwnBook", "check", "off", "play opening moves from the book", "engine/play/book.py"),
    Option("BookFile", "file", "", "the book, in Polyglot format; empty: the shipped one", "engine/play/book.py"),
    Option(
        "NetworkFile",
        "file",
        "",
        "the network for Evaluation=network; empty: the shipped one",
        "engine/evaluation/network.py",
    ),
    Option("SyzygyPath", "path", "", "folders of Syzygy endgame tables; empty: none", "engine/syzygy/tables.py"),
    Option(
        "SyzygyProbeDepth",
        "spin",
        "1",
        "least depth left at which positions with as many men as the largest tables are probed",
        "engine/syzygy/oracle.pxd",
        (),
        1,
        100,
    ),
    Option("SyzygyProbeLimit", "spin", "7", "tables with more men than this are not used", "engine/syzygy/oracle.pxd", (), 0, 7),
    Option(
        "Syzygy50MoveRule",
        "check",
        "on",
        "a table's win that takes longer than fifty moves counts as a draw",
        "engine/syzygy/oracle.pxd",
    ),
    Option("Resign", "check", "off", "give up lost games", "engine/play/verdict.py"),
    Option("LossScore", "spin", "800", "a game is lost at this many centipawns behind", "engine/play/verdict.py", (), 100, 10000),
    Option("LossMoves", "spin", "3", "... on this many of its own moves in a row", "engine/play/verdict.py", (), 1, 20),
    Option("AcceptDraws", "check", "on", "accept an offered draw when it is good enough", "engine/play/verdict.py"),
    Option("Contempt", "spin", "0", "a draw counts as a loss of this many centipawns", "engine/search/threads.py", (), -200, 200),
    Option("MoveOverhead", "spin", "50", "milliseconds kept in reserve each move for the GUI", "engine/play/clock.py", (), 0, 5000),
    Option("MultiPV", "spin", "1", "number of lines that analysis shows, best first", "engine/search/threads.py", (), 1, 256),
    Option(
        "Level",
        "spin",
        str(FULL_LEVEL),
        "playing strength against people; 20 is full strength",
        "engine/play/level.py",
        (),
        1,
        FULL_LEVEL,
    ),
    Option("LogFile", "string", "", "log both directions of the protocol to this file; empty: no log", "engine/protocol/output.py"),
    Option("ClearHash", "button", "", "empty the hash table", "engine/play/thinking.py"),
)
# Names that other engines use. They are understood but not offered: GUIs that look for an option's name inside
# another's would find the wrong one (Resign in ResignThreshold).
ALIASES = {"ResignThreshold": "LossScore", "ResignMoves": "LossMoves"}
UCI_NAMES = {"hash": "memory", "threads": "cores"}  # no aliases: under UCI the GUI sets these


class UnknownOption(ValueError):
    """There is no option of that name; the message names the nearest one."""


def from_switch(switch: Switch) -> Option:
    """A switch of the kernel as an option; a check's default reads on or off."""
    kind = switch.kind
    choices = tuple(switch.levels) if kind == "combo" else ()
    limits = (switch.minimum, switch.maximum) if kind == "spin" else (0, 0)
    return Option(switch.name, kind, switch.default, switch.text, switch.source, choices, *limits)


def offered() -> list[Option]:
    """All options in the order they are offered: switches first, Preset leading, so that later ones override it."""
    return [from_switch(switch) for switch in SWITCHES] + list(OWN)


def parse_check(name: str, value: str) -> str:
    """`on` or `off` from any of on/off, true/false, 1/0."""
    if value.lower() in ON:
        return "on"
    if value.lower() in OFF:
        return "off"
    raise ValueError(f"option {name}: expected on or off, not '{value}'")


def checked(option: Option, value: str) -> str:
    """The value in the form in which this option keeps it. ValueError with one plain sentence for a value it may not take."""
    if option.kind == "check":
        return parse_check(option.name, value)
    if option.kind == "spin":
        wanted = f"option {option.name}: expected {option.minimum} to {option.maximum}, not '{value}'"
        try:
            number = parse_whole(value)
        except ValueError:
            raise ValueError(wanted) from None
        if not option.minimum <= number <= option.maximum:
            raise ValueError(wanted)
        return str(number)
    return value


def name_and_value(text: str) -> tuple[str, str]:
    """(name, value) of the command line's --option NAME=VALUE; ValueError with one plain sentence for any other text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ValueError(f"--option: expected NAME=VALUE, not '{text}'")
    return name, value


def machine_memory() -> int | None:
    """MiB of memory of this machine, None if the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    except (AttributeError, OSError, ValueError):
        return None


class Settings:
    """The values of all options, and `memory` and `cores`, which have commands of their own in the protocol."""

    def __init__(self) -> None:
        self.features = Features()
        self.memory = DEFAULT_MEMORY
        self.cores = 1
        self._own = {option.name: option.default for option in OWN if option.kind != "button"}
        self._chosen: set[str] = set()

    def set(self, name: str, value: str) -> None:
        """Set an option by name. UnknownOption or ValueError (one plain sentence) leave everything as it was."""
        name = ALIASES.get(name, name)
        own = next((option for option in OWN if option.name == name), None)
        if name in ("memory", "cores"):
            self._set_resource(name, value)
        elif own is not None:
            if own.kind == "button":
                raise ValueError(f"option {name} is a button and takes no value")
            self._own[name] = checked(own, value)
        elif name.startswith(PREFIX) or any(switch.name == name for switch in SWITCHES):
            self.features.set(name, value)  # parameters are for tuning the engine: understood, not offered
        else:
            names = [option.name for option in offered()] + list(ALIASES) + ["memory", "cores"]
            meant = nearest(UCI_NAMES.get(name.lower(), name), names)
            raise UnknownOption(f"unknown option '{name}'{meant or ', sortie options lists them'}")
        self._chosen.add(name)

    def chosen(self, name: str) -> bool:
        """Whether the user or the GUI ever set this option."""
        return name in self._chosen

    def get(self, name: str) -> str:
        """The value of an option as text."""
        return self._own[name] if name in self._own else self.features.get(name)

    def on(self, name: str) -> bool:
        """Whether a check option is on."""
        return self.get(name) == "on"

    def number(self, name: str) -> int:
        """The value of a spin option."""
        return int(self.get(name))

    def require(self) -> None:
        """Raise ValueError (one plain sentence) when the machine has less memory than the hash table is to take."""
        most = machine_memory()
        if most is not None and self.memory > most:
            raise ValueError(f"memory: this machine has {most} MiB, less than the {self.memory} asked for")

    def _set_resource(self, name: str, value: str) -> None:
        try:
            number = parse_whole(value)
        except ValueError:
            number = 0
        if name == "memory":
            if number < LEAST_MEMORY:
                raise ValueError(f"memory: expected a whole number of MiB from {LEAST_MEMORY} on, not '{value}'")
            self.memory = number
        else:
            if not 1 <= number <= MOST_CORES:
                raise ValueError(f"cores: expected a whole number from 1 to {MOST_CORES}, not '{value}'")
            self.cores = number


def network_of(settings: Settings) -> Network | None:
    """The network to evaluate with, None for the classical terms; ValueError if it cannot be used."""
    if settings.get("Evaluation") != "network":
        return None
    from engine.evaluation.network import Network  # a game without a network never loads it

    try:
        return Network(settings.get("NetworkFile"))
    except ImportError as error:  # of zlib: there is too little memory to load it
        raise ValueError(f"no network can be read: {error}") from None


def tables_of(settings: Settings) -> Tables | None:
    """The endgame tables that the settings name, None if they name none; ValueError if none of them can be used."""
    if not settings.get("SyzygyPath"):
        return None
    from engine.syzygy.tables import Tables  # a game without tables never loads it

    return Tables(
        settings.get("SyzygyPath"),
        settings.number("SyzygyProbeLimit"),
        settings.number("SyzygyProbeDepth"),
        settings.on("Syzygy50MoveRule"),
    )
