"""Writes an experiment as TOML with every default spelled out: enough to play it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from harness.model import Limit, Player
from harness.spec.settings import DYNAMIC_KINDS, Experiment, Spsa
from harness.spec.toml_table import clock_text, quoted, section_name
from harness.terminal.numbers import plain


def literal(value: object) -> str:
    """A value of a setting as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        written = plain(value)
        if float(written) != value:
            written = repr(value)  # it is read back exactly
        return written if not written.lstrip("-").isdigit() else f"{written}.0"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    return quoted(str(value))


def _limits(limit: Limit) -> dict[str, object]:
    """A limit and its caps."""
    caps = {"nodes": limit.most_nodes, "depth": limit.most_depth}
    return {**{key: cap for key, cap in caps.items() if cap is not None}, **dict([_limit(limit)])}


def _limit(limit: Limit) -> tuple[str, object]:
    if limit.movetime is not None:
        return "movetime", limit.movetime
    if limit.nodes is not None:
        return "nodes", limit.nodes
    if limit.depth is not None:
        return "depth", limit.depth
    return "time", clock_text(limit)


def section(name: str, values: Mapping[str, object]) -> list[str]:
    """A table as lines, after a blank one; keys without a value are left out."""
    lines = ["", f"[{name}]"]
    for key, value in values.items():
        if value is None or value == {} or value == ():
            continue
        shown = key if key.replace("_", "").replace("-", "").isalnum() and key.isascii() else quoted(key)
        if isinstance(value, Mapping):
            inner = ", ".join(f"{quoted(str(name))} = {literal(item)}" for name, item in value.items())
            lines.append(f"{shown} = {{ {inner} }}")
        else:
            lines.append(f"{shown} = {literal(value)}")
    return lines


def _player(player: Player, default: Limit | None, base: Player | None) -> dict[str, object]:
    values: dict[str, object] = {"command": shlex.join(player.command)}
    if not player.sortie:
        values["protocol"] = player.protocol
        values["options"] = dict(player.options)
    else:
        values["options"] = {key: value for key, value in player.options if not key[:1].isupper()}
        values.update({key: value for key, value in player.options if key[:1].isupper()})
    # Even an empty list is written, or a variant would inherit the base's lines.
    values.update(
        init=list(player.init) if player.sortie else player.init, directory=player.directory, env=dict(player.env)
    )
    values["hidden"] = () if player.sortie else player.hidden
    if default is not None and (player.limit != default or player.sortie):
        values.update(_limits(player.limit))
    values.update((key, text) for key, text in player.git if text)
    values["margin"] = player.margin
    inherits = player.sortie and base is not None and base.io_log
    values["io_log"] = player.io_log if inherits else player.io_log or None
    return values


def dump(experiment: Experiment) -> str:
    """The TOML text, with the players in their order. Loading it gives an equal experiment."""
    limit = _limits(experiment.limit) if not experiment.sweep else {}
    names = [player.name for player in experiment.named]
    main = {
        "name": experiment.name,
        "kind": experiment.kind,
        "base": names[experiment.base],
        "games": experiment.games if experiment.spsa is None else None,
        **limit,
        "concurrency": experiment.concurrency,
        "seed": experiment.seed,
        "margin": experiment.margin,
        "patience": experiment.patience,
        "max_moves": experiment.max_moves,
        "ponder": experiment.ponder,
        "chess960": experiment.chess960,
        "restart": experiment.restart,
        "paired": experiment.paired,
        "pv": experiment.pv,
        "checks": experiment.checks,
        "affinity": experiment.affinity,
    }
    lines = section("experiment", main)[1:]
    for player in experiment.named:
        if player.sortie:
            name = "base" if player is experiment.sortie_base else section_name("variants", player.name)
        else:
            name = section_name("engines", player.name)
        default = experiment.limit if not experiment.sweep else None
        lines += section(name, _player(player, default, experiment.sortie_base))
    openings = experiment.openings
    lines += section(
        "openings",
        {
            "file": openings.shown if openings.shipped else str(openings.file),
            "order": openings.order,
            "plies": openings.plies,
            "start": openings.start if openings.start > 1 else None,
            "sha256": openings.sha256 or None,
        },
    )
    for name in ("adjudication", "sprt", "decide", "screen", "claim"):
        part = getattr(experiment, name)
        if part is not None:
            lines += section(name, _plain(name, part))
    if experiment.sweep:
        limits = [_limit(limit) for limit in experiment.sweep]
        lines += section("sweep", {limits[0][0]: [value for _, value in limits]})
    if experiment.spsa is not None:
        lines += _spsa(experiment.spsa, experiment.games)
    if experiment.kind in DYNAMIC_KINDS:
        lines += section("tournament", _tournament(experiment, names))
    return "\n".join(lines) + "\n"


def _plain(name: str, part: object) -> dict[str, object]:
    values = {key: getattr(part, key) for key in part.__slots__}  # type: ignore[attr-defined]
    if name == "adjudication":
        for half in ("resign", "draw"):
            if values[f"{half}_score"] is None:
                values = {key: value for key, value in values.items() if not key.startswith(half)}
        if values["syzygy"] is None:
            values = {key: value for key, value in values.items() if not key.startswith("syzygy")}
    if name == "screen" and values["positions"] is not None:
        values["positions"] = str(values["positions"])
    return {key: None if value == "" else value for key, value in values.items()}


def _spsa(part: Spsa, games: int) -> list[str]:
    numbers = {key: getattr(part, key) for key in ("c_end", "r_end", "alpha", "gamma", "A", "lag", "played")}
    lines = section("spsa", {"games": games + part.played, **numbers})
    for parameter in part.parameters:
        values = {key: getattr(parameter, key) for key in ("least", "most", "start", "step")}
        if parameter.hidden:
            values["hidden"] = True
        lines += section(section_name("spsa.parameters", parameter.name), values)
    return lines


def _tournament(experiment: Experiment, names: list[str]) -> dict[str, object]:
    part = experiment.tournament
    if experiment.kind == "swiss":
        return {"rounds": part.rounds}
    if experiment.kind == "knockout":
        return {"tiebreaks": part.tiebreaks}
    divisions = [[names[index] for index in division] for division in part.divisions]
    return {"divisions": divisions, "promote": part.promote, "seasons": part.seasons}
