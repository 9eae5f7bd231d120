"""Games that a further run of a match has in common with those before it.

At fixed nodes or depth engines play alike move for move, so another run from the same opening plays the same games again: they
tell nothing new, and counted twice they make the interval too narrow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.analysis.tally import PairingTally
from harness.books import openings
from harness.claims.register import Match, Part
from harness.errors import BadInput
from harness.journal.record import GameRow
from harness.model import Limit
from harness.schedule.pairing import pairings_of
from harness.spec.settings import Experiment


def without_repeats(match: Match, before: Iterable[Part], experiment: Experiment, rows: Iterable[GameRow]) -> Match:
    """`match` without the pairs of games from openings that the runs `before` it have played.

    `experiment` and `rows` are those of its run. All games count where time limits the moves, in a factorial, where
    another seed gives both sides other changes, and where games are not played in pairs. Raises BadInput if no pair is left.
    """
    if experiment.kind == "factorial" or not experiment.paired:
        return match
    pairing = next(one for one in pairings_of(experiment) if experiment.players[one.a].name == match.variant)
    if any(_varies(experiment.players[side].limit) for side in (pairing.a, pairing.b)):
        return match
    known = {
        opening for part in before for opening in _drawn(experiment, part.seed, (part.games + part.repeated + 1) // 2)
    }
    own = _drawn(experiment, match.seed, experiment.games_each // 2)
    tally = PairingTally(pairing, match.games)
    for row in rows:
        if row.pairing == pairing.index and own[row.pair - 1] not in known and row.points is not None:
            tally.add(row.pair, row.points if row.white == pairing.a else 1.0 - row.points)
    if not tally.played:
        raise BadInput(
            f"{match.experiment}/{match.variant}: the openings of all {match.games:,} games have been played before, "
            "and at fixed nodes or depth the same games again tell nothing"
        )
    return replace(
        match,
        games=tally.played,
        wins=tally.wins,
        draws=tally.draws,
        losses=tally.losses,
        pairs=tuple(tally.pairs),
        repeated=match.games - tally.played,
    )


def _varies(limit: Limit) -> bool:
    """Whether two games under this limit differ by the chances of the clock."""
    return limit.nodes is None and limit.depth is None


def _drawn(experiment: Experiment, seed: int, pairs: int) -> list[int]:
    """The openings of the first so many pairs, by their place in the file."""
    settings = experiment.openings
    book = openings.read(settings.file, settings.plies, experiment.chess960)
    place = openings.pick_by_pair(len(book), settings.order, seed, settings.start)
    return [place(pair) for pair in range(1, pairs + 1)]
