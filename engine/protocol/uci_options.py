"""The options of the UCI protocol: the engine's, under UCI's rules, and those that UCI itself defines."""

from __future__ import annotations

from engine.play.level import STRONGEST, WEAKEST, level_of
from engine.play.options import LEAST_MEMORY, MOST_CORES, MOST_MEMORY, OWN, Option, Settings, checked, offered
from engine.variant.parameters import PREFIX

UCI_OWN = (
    Option("Hash", "spin", "64", "MiB of the hash table", "UCI", (), LEAST_MEMORY, MOST_MEMORY),
    Option("Threads", "spin", "1", "searching threads", "UCI", (), 1, MOST_CORES),
    Option("Clear Hash", "button", "", "empty the hash table", "UCI"),
    Option("Ponder", "check", "off", "the GUI may let us think on the opponent's time", "UCI"),
    Option("UCI_Chess960", "check", "off", "Fischer random: castling is king takes rook", "UCI"),
    Option("UCI_LimitStrength", "check", "off", "play as strong as UCI_Elo says", "UCI"),
    Option("UCI_Elo", "spin", str(STRONGEST), "strength under UCI_LimitStrength", "UCI", (), WEAKEST, STRONGEST),
)
RESOURCES = {"Hash": "memory", "Threads": "cores"}
# UCI has no draw offers or resignation, and a name of its own for emptying the table.
NOT_IN_UCI = ("Resign", "LossScore", "LossMoves", "AcceptDraws", "ClearHash")
# lichess-bot and other programs set this name without asking, so it is also the one that is offered.
USUAL = {"MoveOverhead": "Move Overhead"}
ALIASES = {usual.lower(): name for name, usual in USUAL.items()}
EMPTY = "<empty>"
TEXTS = ("string", "file", "path")


def option_line(option: Option, value: str) -> str:
    """`option name NAME type KIND default VALUE ...`."""
    kind = "string" if option.kind in TEXTS else option.kind
    head = f"option name {USUAL.get(option.name, option.name)} type {kind}"
    if kind == "button":
        return head
    if kind == "check":
        return f"{head} default {'true' if value == 'on' else 'false'}"
    if kind == "spin":
        return f"{head} default {value} min {option.minimum} max {option.maximum}"
    if kind == "combo":
        return f"{head} default {value}" + "".join(f" var {level}" for level in option.choices)
    return f"{head} default {value or EMPTY}"


class UciOptions:
    """The options that a UCI GUI may set, on top of the engine's settings. Names and levels may be in either case."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._values = {option.name: option.default for option in UCI_OWN}
        engine = [option for option in offered() if option.name not in NOT_IN_UCI]
        own = {option.name for option in OWN}
        # What people set comes first, then the switches of the search; Preset still precedes those that it sets.
        people = [option for option in engine if option.name in own]
        self._offered = [*UCI_OWN, *people, *(option for option in engine if option.name not in own)]
        self._by_name = {option.name.lower(): option for option in self._offered}

    def lines(self) -> list[str]:
        """The declaration of every option with its present value."""
        return [option_line(option, self._value(option)) for option in self._offered]

    def set(self, name: str, value: str) -> str:
        """Set an option and return its proper name. On ValueError, one plain sentence, everything stays as it was."""
        option = self._by_name.get(ALIASES.get(name.lower(), name).lower())
        if option is None and name.startswith(PREFIX):  # for tuning the engine: understood, not offered
            self._settings.set(name, value)
            return name
        if option is None:
            raise ValueError(f"unknown option '{name}'")
        if option.kind == "button":
            return option.name
        if option.kind == "combo":
            value = next((level for level in option.choices if level.lower() == value.lower()), value)
        elif option.kind in TEXTS and value == EMPTY:
            value = ""
        if option.name in RESOURCES:
            self._settings.set(RESOURCES[option.name], checked(option, value))
        elif option.name in self._values:
            self._values[option.name] = checked(option, value)
        else:
            self._settings.set(option.name, value)
        return option.name

    def on(self, name: str) -> bool:
        """Whether a check option of UCI's own is on."""
        return self._values[name] == "on"

    def level(self) -> int:
        """The playing level: by UCI_Elo while strength is limited, else option Level."""
        if self.on("UCI_LimitStrength"):
            return level_of(int(self._values["UCI_Elo"]))
        return self._settings.number("Level")

    def _value(self, option: Option) -> str:
        if option.name in RESOURCES:
            return str(getattr(self._settings, RESOURCES[option.name]))
        if option.name in self._values:
            return self._values[option.name]
        return self._settings.get(option.name) if option.kind != "button" else ""
