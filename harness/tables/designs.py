"""Sweeps and factorials for people: Elo at each limit, and which changes met which."""

from __future__ import annotations

from collections.abc import Sequence

from harness.analysis.summary import Summary
from harness.analysis.sweeps import Curve
from harness.model import Limit, Player
from harness.schedule.pairing import pairings_of
from harness.spec.designs import at, limit_word
from harness.spec.settings import Experiment
from harness.stats import design
from harness.tables.grid import Grid
from harness.tables.numbers import elo
from harness.terminal.numbers import noun


def limit_title(limit: Limit) -> str:
    """A limit at the head of a column."""
    return f"{limit.nodes:,} nodes" if limit.nodes is not None else f"{limit_word(limit)} s"


def sweep_table(experiment: Experiment, curves: Sequence[Curve]) -> Grid:
    """A row for each limit, a column of Elo for each pairing."""
    against = {curve.b for curve in curves}
    names = [curve.a if len(against) == 1 else f"{curve.a} vs {curve.b}" for curve in curves]
    head = f"against {against.pop()}" if len(against) == 1 else "limit"
    table = Grid({head: False, **dict.fromkeys(names, True), "games": True}, "Elo (95 %) at each limit")
    for place, limit in enumerate(experiment.sweep):
        points = [curve.points[place] for curve in curves]
        games = sorted({point.played for point in points})
        count = str(games[0]) if len(games) == 1 else f"{games[0]} to {games[-1]}"
        table.add([limit_title(limit), *(elo(point.outcome()) for point in points), count])
    return table


def matches_table(experiment: Experiment, summary: Summary) -> Grid:
    """A row for each match of a factorial: what its two engines have of the changes, and how it stands."""
    table = Grid(
        {"match": False, "one side": False, "other side": False, "W/D/L": True, "Elo (95 %)": True},
        "The matches: each side has some of the changes, the other just the others",
    )
    for index, pairing in enumerate(summary.matches or ()):
        match = index % experiment.matches
        figures = [f"{pairing.wins}/{pairing.draws}/{pairing.losses}", elo(pairing.outcome())]
        table.add([match_name(experiment, index), *sides(experiment, match), *figures])
    return table


def match_name(experiment: Experiment, index: int) -> str:
    """`3`, in a sweep `3@4000`."""
    block, match = divmod(index, experiment.matches)
    return at(str(match + 1), experiment.sweep[block]) if experiment.sweep else str(match + 1)


def sides(experiment: Experiment, match: int) -> tuple[str, str]:
    """The changes that the first and the second engine of a match have."""
    variants = experiment.entrants[:-1]
    return _side(variants, match, True), _side(variants, match, False)


def _side(variants: Sequence[Player], match: int, first: bool) -> str:
    names = [variant.name for index, variant in enumerate(variants) if design.has(match, index) is first]
    return " ".join(names) or "none"


def sweep_words(experiment: Experiment) -> str:
    """The limits of a sweep in words: `1,000 to 64,000 nodes a move`."""
    first, last = experiment.sweep[0], experiment.sweep[-1]
    if first.nodes is not None:
        return f"{first.nodes:,} to {last.nodes:,} nodes a move"
    return f"{limit_word(first)} to {limit_word(last)} s"


def who_plays(experiment: Experiment) -> str | None:
    """Before the first game: who meets whom if players are derived from those in the file; None for the other kinds."""
    names = [player.name for player in experiment.named]
    if experiment.spsa is not None:
        count, pairs = len(experiment.spsa.parameters), experiment.games // 2
        return f"{count} {noun(count, 'parameter')} of {names[0]}, {pairs:,} {noun(pairs, 'pair')} of games"
    limits = f", at each of {experiment.limits} limits" if experiment.sweep else ""
    if experiment.matches:
        return (
            f"{len(names) - 1} changes of {names[-1]} in {experiment.matches} matches of {experiment.games_each:,} games"
            f"{limits}: each side has some, the other just the others"
        )
    if experiment.sweep:
        count = len(pairings_of(experiment)) // experiment.limits
        games = f"{experiment.games:,} {noun(experiment.games, 'game')}"
        return f"{count} {noun(count, 'pairing')} of {games}{limits}: {', '.join(names)}"
    return None
