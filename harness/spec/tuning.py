"""The [spsa] table: the options to tune, with bounds, start and step of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from harness.engines import sortie
from harness.errors import BadInput, nearest
from harness.model import Player
from harness.spec import keys
from harness.spec.settings import Experiment, Parameter, Spsa
from harness.spec.toml_table import Table, quoted, section_name, show
from harness.terminal.numbers import plain

NUMBERS = ("least", "most", "start", "step")
MOST_GAMES, MOST_LAG = 10_000_000, 10_000
FARTHEST = 1e9  # greatest distance of a parameter from 0
START_SHARE = 0.1  # of all iterations: the usual A


@dataclass(frozen=True, slots=True)
class TuningReader:
    """Reads [spsa]; for `check` and `ask` see `reader.load`."""

    table: Table
    check: bool
    ask: sortie.Ask

    def games(self, override: object) -> int:
        """How many games the schedule has, including those played before."""
        given = self.table if override is None else Table("", {"games": override}, {"games": "--games"})
        if "games" not in given:
            raise self.table.fail("games is missing: how many are played; ten thousand and more for a dozen parameters")
        games = given.whole("games", None, 2, MOST_GAMES)
        assert games is not None
        if games % 2:
            raise given.fail(f"games must be even (both colours), not {games}")
        return games

    def played(self, games: int) -> int:
        """How many of the games were played by an earlier run."""
        played = self.table.whole("played", 0, 0, MOST_GAMES)
        if played % 2 or played >= games:
            raise self.table.fail(f"played must be even and below games ({games}), not {played}")
        return played

    def spsa(self, players: tuple[Player, ...], games: int) -> Spsa:
        """The settings, with each parameter checked against what is known of the engine; `games` as from the method."""
        table = self.table
        if len(players) != 1:
            raise table.fail(
                "tunes one engine, [base] or one [engines.NAME]: this file has "
                + (", ".join(player.name for player in players) or "none")
            )
        (player,) = players
        c_end, r_end = (_number(table, key, default) for key, default in (("c_end", 1.0), ("r_end", 0.002)))
        tables = flat(table.table("parameters"), table)
        given = dict(tables)
        if len(given) < len(tables):  # as [spsa.parameters.tune.x] and as [spsa.parameters."tune.x"]
            names = [name for name, _ in tables]
            twice = next(name for name in given if names.count(name) > 1)
            raise self.place(twice).fail("is given twice, in two ways to write it")
        if not given:
            raise table.fail("needs [spsa.parameters.NAME] with least, most, start and step: an option of the engine")
        known = self.known(player)
        parameters = tuple(self.parameter(name, values, player, known, c_end) for name, values in given.items())
        for parameter in parameters:
            if parameter.name in dict(player.options):
                raise self.place(parameter.name).fail("is tuned, so it cannot be among the engine's options as well")
        iterations = games // 2
        return Spsa(
            parameters=parameters,
            c_end=c_end,
            r_end=r_end,
            alpha=_number(table, "alpha", 0.602, 1.0, none=True),
            gamma=_number(table, "gamma", 0.101, 1.0, none=True),
            A=_number(table, "A", START_SHARE * iterations, float(MOST_GAMES), none=True),
            lag=table.whole("lag", 16, 1, MOST_LAG),
            played=self.played(games),
        )

    def known(self, player: Player) -> Mapping[str, sortie.OptionSpec]:
        """The options of a Sortie by name, parameters included; empty for another engine, which is asked when the run starts."""
        if not player.sortie or not self.check:
            return {}
        return {**self.ask(player.command), **sortie.tunables(player.command)}

    def place(self, name: str) -> Table:
        return Table(f"{self.table.place.removesuffix('[spsa]')}[{section_name('spsa.parameters', name)}]", {})

    def parameter(
        self,
        name: str,
        values: Mapping[str, object],
        player: Player,
        known: Mapping[str, sortie.OptionSpec],
        c_end: float,
    ) -> Parameter:
        table = replace(self.place(name), values=values)
        table.only(keys.section("spsa.parameters.NAME").names())
        spec = known.get(name)
        if known and spec is None:
            raise table.fail(
                f'unknown option "{name}"{nearest(name, sortie.alike(name, known)) or "; sortie options --tunable lists them"}'
            )
        if spec is not None and spec.kind not in ("spin", "slider"):
            raise table.fail("is no number: only spin options can be tuned")
        usual: dict[str, float | None] = dict.fromkeys(NUMBERS)
        if spec is not None:
            usual = {"least": spec.low, "most": spec.high, "start": _default(spec), "step": spec.step}
        least, most, start, step = (self.number(table, key, usual[key]) for key in NUMBERS)
        whole = all(isinstance(value, int) for value in (least, most, start, step))
        if not least < most:
            raise table.fail(f"least must be below most, not {plain(least)} and {plain(most)}")
        if not least <= start <= most:
            raise table.fail(f"start must be {plain(least)} to {plain(most)}, not {plain(start)}")
        if not 0 < step <= most - least:
            raise table.fail(f"step must be above 0 and {plain(most - least)} or less, not {plain(step)}")
        if spec is not None and not (spec.low is None or spec.high is None):
            if least < spec.low or most > spec.high:
                raise table.fail(
                    f"least and most must lie within {spec.low} to {spec.high}, not {plain(least)} and {plain(most)}"
                )
            if not whole:
                raise table.fail("takes whole numbers: least, most, start and step must be whole")
        if whole and step * c_end < 0.5:
            raise table.fail(
                f"step times c_end must be 0.5 or more, not {plain(step * c_end)}: less is lost in rounding to whole numbers"
            )
        hidden = table.flag("hidden") or name.startswith(sortie.TUNE) and player.sortie
        return Parameter(name, least, most, start, step, whole, hidden)

    @staticmethod
    def number(table: Table, key: str, usual: float | None) -> float:
        if key not in table:
            if usual is None:
                raise table.fail(f"{key} is missing: each parameter needs least, most, start and step")
            return usual
        found = table.number(key, None, -FARTHEST, FARTHEST)
        assert found is not None
        value = table.values[key]
        return value if isinstance(value, int) else found


def _number(table: Table, key: str, default: float, most: float = 1e6, none: bool = False) -> float:
    """A number above 0, or also 0 if `none` is set."""
    return table.number(key, default, 0, most, above=not none)


def _default(spec: sortie.OptionSpec) -> int | None:
    try:
        return int(spec.default)
    except ValueError:
        return None


def flat(tables: Mapping[str, object], table: Table, before: str = "") -> list[tuple[str, Mapping[str, object]]]:
    """Parameter tables by full name: `[spsa.parameters.tune.margin]`, a table in a table to TOML, means `tune.margin`."""
    found: list[tuple[str, Mapping[str, object]]] = []
    for key, value in tables.items():
        name = before + key
        if not key.strip() or not key.isprintable() or "=" in key:
            raise table.fail(f"parameters: {quoted(key)} cannot be the name of an option")
        if not isinstance(value, Mapping):
            raise table.fail(f"parameters.{name} must be a table with least, most, start and step, not {show(value)}")
        inner = [part for part in value.values() if isinstance(part, Mapping)]
        if inner and len(inner) == len(value):
            found += flat(value, table, f"{name}.")
        else:
            found.append((name, value))
    return found


def sides(experiment: Experiment) -> Experiment:
    """The experiment with the engine's two sides, `NAME+` and `NAME-`, as players; each game brings their options."""
    (player,) = experiment.players
    assert experiment.spsa is not None
    hidden = tuple(parameter.name for parameter in experiment.spsa.parameters if parameter.hidden)
    one = replace(player, hidden=(*player.hidden, *hidden))
    both = tuple(replace(one, index=index, name=player.name + sign) for index, sign in enumerate("+-"))
    return replace(experiment, players=both, entrants=experiment.players)


def refuse_games(main: Table) -> None:
    """Raises BadInput for [experiment] games, which would contradict [spsa] games."""
    if "games" in main:
        raise BadInput(f"{main.place} games: [spsa] games says how many are played")
