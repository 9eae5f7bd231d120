"""Experiments that derive players from those in the file: for each limit of a sweep, for the matches of a factorial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from harness.errors import BadInput
from harness.model import Limit, Player
from harness.spec.settings import Experiment
from harness.spec.toml_table import LIMIT_KEYS, Table, clock_text, section_name
from harness.stats import design

USUAL_GAMES = 100
FEWEST_LIMITS, MOST_LIMITS = 2, 20


def limit_word(limit: Limit) -> str:
    """A limit of a sweep as part of a name: `1000`, `2+0.02`."""
    return str(limit.nodes) if limit.nodes is not None else clock_text(limit)


def at(name: str, limit: Limit) -> str:
    """The name of a player at a limit of a sweep."""
    return f"{name}@{limit_word(limit)}"


def unswept(name: str, sweep: Sequence[Limit]) -> str:
    """The name of a player without the limit of a sweep."""
    tail = next((at("", limit) for limit in sweep if name.endswith(at("", limit))), "")
    return name.removesuffix(tail)


def read_sweep(table: Table | None, main: Table, data: Mapping[str, object]) -> tuple[Limit, ...]:
    """The limits of [sweep], in ascending order; none without the table."""
    if table is None:
        return ()
    if len(table.values) != 1:
        raise table.fail('needs one of nodes = [1000, 4000, ...] and time = ["1+0.01", "2+0.02", ...]')
    ((key, values),) = table.values.items()
    if not isinstance(values, list) or not FEWEST_LIMITS <= len(values) <= MOST_LIMITS:
        raise table.fail(f"{key} must be a list of {FEWEST_LIMITS} to {MOST_LIMITS} limits")
    limits = [Table(table.place, {key: value}).limit() for value in values]
    found = tuple(limit for limit in limits if limit is not None)
    sizes = [size(limit) for limit in found]
    if any(low >= high for low, high in zip(sizes, sizes[1:], strict=False)):
        raise table.fail(f"{key} must grow from limit to limit")
    places: list[tuple[str, object]] = [(main.place, main.values)]
    for kind in ("variants", "engines"):
        tables = data.get(kind)
        for name, own in tables.items() if isinstance(tables, Mapping) else ():
            places.append((f"[{section_name(kind, name)}]", own))
    places.append(("[base]", data.get("base", {})))
    for place, own in places:
        for limit_key in LIMIT_KEYS:
            if isinstance(own, Mapping) and limit_key in own:
                label = main.place.removesuffix("[experiment]")
                raise BadInput(f"{label}{place.removeprefix(label)} {limit_key}: the limits are those of [sweep]")
    return found


def size(limit: Limit) -> float:
    """The place of a limit on an axis: nodes a move, or the seconds that a side has for 40 moves."""
    if limit.nodes is not None:
        return float(limit.nodes)
    sessions = 40 / limit.moves_per_session if limit.moves_per_session else 1.0
    return (limit.base or 0.0) * sessions + 40 * limit.increment


def games(main: Table, changes: int, most: int) -> int:
    """The number of games in a factorial, all matches together: whole rounds, each match with both colours."""
    least = 2 * design.matches(max(1, changes))
    found = main.whole("games", -(-USUAL_GAMES // least) * least, 1, most)
    if found % least:
        below = max(least, found // least * least)
        raise main.fail(
            f"games must be a multiple of {least} ({least // 2} matches, each opening with both colours), "
            f"like {below} or {below + least}, not {found}"
        )
    return found


def factorial(experiment: Experiment, main: Table) -> Experiment:
    """The experiment with the engines of its matches as players: `1A` and `1B` meet in match 1."""
    *variants, base = experiment.players
    if not base.sortie or not all(variant.sortie for variant in variants):
        raise main.fail('kind "factorial" takes variants of one engine: [base] and [variants.NAME], no [engines.NAME]')
    if not design.FEWEST <= len(variants) <= design.MOST:
        raise main.fail(f'kind "factorial" is for {design.FEWEST} to {design.MOST} variants, not {len(variants)}')
    changes = [_changes(variant, base, main) for variant in variants]
    owners: dict[str, str] = {}
    for variant, change in zip(variants, changes, strict=True):
        for option in change:
            if option in owners:
                raise main.fail(
                    f'kind "factorial": {owners[option]} and {variant.name} both change {option}, '
                    "and one engine may have to play with both"
                )
            owners[option] = variant.name
    players = []
    for match in range(design.matches(len(variants))):
        for side, first in (("A", True), ("B", False)):
            options = dict(base.options)
            for index, change in enumerate(changes):
                if design.has(match, index) is first:
                    options.update(change)
            hidden = tuple(name for name in options if any(name in one.hidden for one in experiment.players))
            players.append(replace(base, name=f"{match + 1}{side}", options=tuple(options.items()), hidden=hidden))
    return replace(experiment, players=_numbered(players), entrants=experiment.players)


def _changes(variant: Player, base: Player, main: Table) -> dict[str, str]:
    """The options in which a variant differs from the base."""
    where = f"{main.place.removesuffix('[experiment]')}[{section_name('variants', variant.name)}]"
    for key in ("command", "init", "directory", "env", "limit", "margin", "io_log"):
        if getattr(variant, key) != getattr(base, key):
            raise BadInput(f"{where} {key}: in a factorial a variant changes options only")
    before = dict(base.options)
    found = {name: value for name, value in variant.options if before.get(name) != value}
    if not found:
        raise BadInput(f"{where} changes nothing of the base")
    if "Preset" in found:
        raise BadInput(f"{where} Preset: changes all switches at once; in a factorial it would undo other variants")
    return found


def swept(experiment: Experiment) -> Experiment:
    """The experiment with every player at every limit of the sweep, limit by limit."""
    players = [
        replace(player, name=at(player.name, limit), limit=limit)
        for limit in experiment.sweep
        for player in experiment.players
    ]
    return replace(experiment, players=_numbered(players), entrants=experiment.named)


def _numbered(players: list[Player]) -> tuple[Player, ...]:
    return tuple(replace(player, index=index) for index, player in enumerate(players))


def names_of_rows(experiment: Experiment) -> tuple[str, ...]:
    """The names of the rows to show, by index: the players, or in a factorial the variants."""
    if not experiment.matches:
        return tuple(player.name for player in experiment.players)
    plain = [player.name for player in experiment.entrants]
    return tuple(at(name, limit) for limit in experiment.sweep for name in plain) if experiment.sweep else tuple(plain)
