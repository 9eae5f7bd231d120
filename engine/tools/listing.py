"""What `sortie options` prints: every option for people and as JSON, a preset's switches and the order it tries moves in."""

from __future__ import annotations

from engine.play.options import ALIASES, Option
from engine.variant.features import ORDERING, SELECTIVITY, STAGE_TEXTS, Features
from engine.variant.parameters import Parameter

INDENT = 17  # columns: longer than any name
# What each engine had, and what it lacked, when its author made his claims (docs/sources.md).
PRESET_TEXTS = {
    "modern": "the defaults: what plays best",
    "winglet": "Luijten's Winglet, 2011: deepening, PVS, PV following, history of all moves; no hash table, killers or SEE",
    "moreland": "Moreland's page, about 2000: iterative deepening, alpha-beta, a hash table, a window of 50",
    "jazz": "Glebbeek's Jazz, about 2011: hash table, killers, counter, combo, null move, check extension, reductions; no history",
    "mediocre": "Pettersson's Mediocre, 19 March 2007: hash table, IID, SEE, LMR, killers, history counts; not staged yet",
    "vicki": "Van Niekerk's Vicki, 2 May 2007: whole PV, early-exit SEE; no hash table, killers, history or null move",
    "bare": "alpha-beta and quiescence, nothing else",
}


def choices_of(option: Option) -> list[str]:
    """The values an option takes, as far as they can be listed."""
    if option.kind == "check":
        return ["on", "off"]
    return list(option.choices)


def described(option: Option) -> dict:
    """An option as in `sortie options --json`; default, min and max of a number are numbers."""
    entry: dict = {
        "name": option.name,
        "type": option.kind,
        "default": option.default,
        "choices": choices_of(option),
    }
    if option.kind == "spin":
        entry |= {"default": int(option.default), "min": option.minimum, "max": option.maximum}
    return entry | {"description": option.text, "source": option.source}


def option_lines(listed: list[Option]) -> list[str]:
    """Three lines for each option, by subject: name, levels and default; what it does; its source."""
    lines = []
    for title, members in sections(listed):
        lines += [title, ""]
        for option in members:
            lines.append(f"{option.name:<{INDENT}}{values(option)}".rstrip())
            lines.append(" " * INDENT + option.text)
            lines.append(" " * INDENT + f"source: {option.source}")
        lines.append("")
    lines.append("Also understood: " + ", ".join(f"{alias} = {name}" for alias, name in ALIASES.items()))
    return [*lines, "Sources, and what the claims C1 to C21 say: docs/sources.md"]


def preset_lines(features: Features, listed: list[Option]) -> list[str]:
    """The level of every switch with what it does, and the stages that the moves of a node come from, first to last."""
    levels = features.settings()
    preset = features.get("Preset")
    lines = [f"Preset={preset}", PRESET_TEXTS[preset], ""]
    for title, members in sections([option for option in listed if option.name in levels and option.name != "Preset"]):
        lines.append(title)
        lines += [f"  {option.name:<{INDENT}}{levels[option.name]:<12}{option.text}" for option in members]
        lines.append("")
    for where, program in (("a node", features.program()), ("quiescence", features.quiescence_program())):
        lines.append(f"The moves of {where} are tried in this order: {' '.join(program)}")
        lines += [f"  {stage:<{INDENT}}{STAGE_TEXTS[stage]}" for stage in program[:-1]]
    return lines


def parameter_lines(rows: tuple[Parameter, ...]) -> list[str]:
    """A line for each parameter: name, default, range, a tuner's step, meaning."""
    width = max(len(row.name) for row in rows) + 2
    lines = [
        f"{row.name:<{width}}{row.default:>6}  {f'{row.least} to {row.most}':<14}step {row.step:<5}{row.meaning}"
        for row in rows
    ]
    return [*lines, "Set one with --option tune.NAME=VALUE, or over the protocol with `option tune.NAME=VALUE`."]


def sections(listed: list[Option]) -> list[tuple[str, list[Option]]]:
    """The options by subject; empty sections are left out."""
    tried = {row[0] for row in ORDERING}
    searched = {row[0] for row in SELECTIVITY}
    parts = [
        ("Preset", [option for option in listed if option.name == "Preset"]),
        ("Move ordering", [option for option in listed if option.name in tried]),
        ("Search and evaluation", [option for option in listed if option.name in searched]),
        ("The engine", [option for option in listed if option.name not in tried | searched | {"Preset"}]),
    ]
    return [(title, members) for title, members in parts if members]


def values(option: Option) -> str:
    """Levels or range, and the default."""
    if option.kind == "button":
        return "a button"
    range_ = f"{option.minimum} to {option.maximum}" if option.kind == "spin" else ", ".join(choices_of(option))
    return f"{range_ or option.kind}; default {option.default or 'none'}"
