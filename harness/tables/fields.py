"""A field of players that meet each other: its ranking, who is best, the places of a tournament by rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.analysis import summary as summaries
from harness.analysis.summary import PairingSummary, Summary
from harness.schedule import rounds
from harness.spec.settings import Decide, Experiment
from harness.stats import standing
from harness.tables.grid import Grid
from harness.tables.numbers import conjunction, faults_text, rating
from harness.terminal.numbers import plain


def one_opponent(summary: Summary) -> str | None:
    """The player that all others meet; None if there is none such."""
    others = {pairing.b for pairing in summary.pairings}
    return others.pop() if len(others) == 1 else None


def is_field(summary: Summary) -> bool:
    """Whether the players meet each other, not all the same one, so that a ranking says more than their pairings."""
    return summary.matches is None and summary.sweep is None and one_opponent(summary) is None


def ranking_table(summary: Summary) -> Grid:
    """A row for each player of a field, best first."""
    table = Grid({"player": False, "Elo": True, "games": True, "points": True, "W/D/L": True, "faults": True})
    for player in summaries.ranked(summary.players):
        results = (player.wins, player.draws, player.losses)
        cells = [player.name, rating(player.elo, player.elo_error, results), str(player.games), plain(player.points)]
        table.add([*cells, "/".join(map(str, results)), faults_text(player.faults)])
    return table


def field_words(experiment: Experiment, summary: Summary) -> str | None:
    """Who is best, or the order of the field, at each limit, where `[decide] until` asks for it; None where it does not."""
    decide = experiment.decide
    if decide is None or decide.until == "all" or not summary.played:
        return None
    size = len(summary.pairings) // experiment.limits
    starts = range(0, len(summary.pairings), size)
    return ". ".join(_answer(experiment, decide, summary.pairings[start : start + size]) for start in starts)


def _answer(experiment: Experiment, decide: Decide, pairings: Sequence[PairingSummary]) -> str:
    """The answer to the question of `[decide] until` in one field."""
    names = [player.name for player in experiment.players]
    meetings = [(names.index(pairing.a), names.index(pairing.b)) for pairing in pairings]
    verdicts = {number: pairing.worth for number, pairing in enumerate(pairings) if pairing.worth is not None}
    below = standing.known(meetings, verdicts)
    sure = "" if decide.confidence is None else f", with a confidence of {100 * decide.confidence:g} %"
    if decide.until == standing.BEST:
        if (winner := standing.best(below)) is not None:
            return f"The best is {names[winner]}{sure}"
        beaten = set().union(*below.values())
        unbeaten = [names[n] for n in below if n not in beaten]
        if len(unbeaten) < 2:
            return "Who is the best is open, as some beat each other in a circle"
        return f"Who is the best is open between {conjunction(unbeaten)}"
    if ranks := standing.order(below):
        return f"The order of the field is {', '.join(names[n] for n in ranks)}{sure}"
    return "The order of the field is open"


def standing_lines(experiment: Experiment, results: Mapping[int, str]) -> list[str]:
    """A line for each division of each season of a league; the places of the last round of the other kinds."""
    stages = rounds.stages(experiment, results)
    league = experiment.kind == "league"
    lines = []
    for stage in stages if league else stages[-1:]:
        title = stage.title if stage.complete else f"{stage.title} (in play)"
        for number, group in enumerate(stage.groups, 1):
            places = enumerate(group, 1)
            names = ", ".join(
                f"{n} {experiment.players[player].name} ({plain(points)})" for n, (player, points) in places
            )
            lines.append(f"{title}, division {number}: {names}" if league else f"standings, {title}: {names}")
    return lines
