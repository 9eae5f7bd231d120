"""Games that a further run of a match has in common with those before it.

At fixed nodes or depth engines play alike move for move, so another run from the same opening plays the same games again: they
tell nothing new, and counted twice they make the interval too narrow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.analysis.tally import Tally
from harness.claims.register import Match, Part
from harness.errors import BadInput
from harness.journal.record import GameRow
from harness.schedule import jobs as schedule
from harness.spec.designs import names_of_rows
from harness.spec.settings import Experiment

Start = tuple[int, str, tuple[str, ...]]  # who meets whom, and from which opening


def without_repeats(match: Match, before: Iterable[Part], experiment: Experiment, rows: Iterable[GameRow]) -> Match:
    """`match` without the pairs of games from openings that the runs `before` it have played between the same players.

    `experiment` and `rows` are those of its run. Where time limits the moves all games count. Raises BadInput if no game is left.
    """
    if any(player.limit.timed for player in experiment.players):
        return match
    known = {start for part in before for start in _starts(experiment, part)}
    tally = Tally.empty(experiment, 0)
    for row in rows:
        if (row.pairing, row.fen, tuple(row.line.split())) not in known:
            tally.add(row)
    names = names_of_rows(experiment)
    found = next(one for one in tally.rows if names[one.pairing.a] == match.variant)
    if not found.played:
        raise BadInput(
            f"{match.experiment}/{match.variant}: the openings of all {match.games:,} games have been played before, "
            "and at fixed nodes or depth the same games again tell nothing"
        )
    return replace(
        match,
        games=found.played,
        wins=found.wins,
        draws=found.draws,
        losses=found.losses,
        pairs=tuple(found.pairs),
        repeated=match.games - found.played,
    )


def _starts(experiment: Experiment, part: Part) -> Iterable[Start]:
    """How the games of an earlier run began; a run plays its schedule from the start."""
    games = part.games + part.repeated
    for job in schedule.jobs(replace(experiment, seed=part.seed, games=games + games % 2)):
        yield job.pairing, job.opening.fen, job.opening.moves
