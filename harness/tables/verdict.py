"""What a run has shown, in sentences: what was measured, who is better, what is open."""

from __future__ import annotations

from collections.abc import Mapping

from harness.analysis.summary import PairingSummary, Summary
from harness.model import Limit
from harness.spec.settings import Experiment
from harness.spec.toml_table import caps_text, clock_text
from harness.stats.elo import NEEDLESS, SMALL, STRONGER, WEAKER
from harness.tables import designs
from harness.tables.fields import field_words
from harness.tables.numbers import comparison, conjunction, loose_limit, more_processors
from harness.terminal.numbers import noun, plain

SETTLED = 10.0  # Elo: the difference for which the closing sentence counts games
MOST_NAMED = 4  # pairings in a sentence


def limit_words(limit: Limit) -> str:
    """A limit as one would say it."""
    if limit.movetime is not None:
        return f"{plain(limit.movetime)} s a move{caps_text(limit)}"
    if limit.nodes is not None:
        return f"{limit.nodes} nodes a move"
    if limit.depth is not None:
        return f"depth {limit.depth}"
    return f"{clock_text(limit)} s{caps_text(limit)}"


def verdict(experiment: Experiment, summary: Summary, screen: Mapping[str, object] | None, figures: bool = True) -> str:
    """In sentences: what was measured, who is better, what is undecided. Without `figures` it names no Elo."""
    limits = {player.limit for player in experiment.players}
    pace = limit_words(experiment.limit) if limits == {experiment.limit} else "each player's own limit"
    if experiment.sweep:
        pace = designs.sweep_words(experiment)
    how = f"at {pace}, {'each opening with both colours' if experiment.paired else 'an opening a game'}"
    parts = ["No game was played"]
    if summary.played:
        how = f"of {experiment.source}" if experiment.source else how
        parts = [f"Measured: {summary.played} {noun(summary.played, 'game')} {how}", *cautions(experiment, summary)]
    decided: list[str] = []
    undecided: list[PairingSummary] = []
    idle: list[PairingSummary] = []
    small: list[PairingSummary] = []
    needless: list[PairingSummary] = []
    sure = experiment.decide.confidence if experiment.decide is not None else None
    for pairing in summary.pairings:
        if pairing.worth == SMALL:
            small.append(pairing)
        elif sure is not None and pairing.worth == NEEDLESS:
            needless.append(pairing)
        elif (said := _who_is_better(pairing, sure is not None, figures)) is not None:
            decided.append(said)
        else:
            (undecided if pairing.played else idle).append(pairing)
    if len(decided) > MOST_NAMED:
        left = len(decided) - MOST_NAMED
        more = f"{left} more pairings are decided" if left > 1 else "another pairing is decided"
        decided = [*decided[:MOST_NAMED], more]
    if decided:
        parts.append(conjunction(decided))
    if (ranking := field_words(experiment, summary)) is not None:
        parts.append(ranking)
    if small and experiment.decide is not None:
        parts.append(f"Within {experiment.decide.within:g} Elo, too small to matter: {_named(small)}")
    if needless:
        parts.append(f"Left open, because the answer did not need it: {_named(needless)}")
    if undecided:
        which = "whose interval includes 0" if len(undecided) == 1 else "whose intervals include 0"
        level, reason = ("95", f", {which}") if sure is None else (f"{100 * sure:g}", "")
        parts.append(f"Who is better is open at {level} %: {_named(undecided)}{reason}")
    if idle and summary.played:
        parts.append(f"No game yet: {_named(idle)}")
    if any(pairing.outcome().corrected for pairing in summary.pairings):
        parts.append("Where a test has stopped a pairing, its interval and LOS are corrected for the stop")
    open_ = [pairing for pairing in summary.pairings if pairing.verdict is None]
    if needed := max((games_needed(pairing) or 0 for pairing in open_), default=0):
        parts.append(f"Seeing a difference of {SETTLED:.0f} Elo takes about {needed:,} games a pairing")
    if screen is not None:
        parts.append(f"Node ratios are for depth {screen['depth']} and by themselves say nothing of strength")
    return ". ".join(parts) + "."


def _who_is_better(pairing: PairingSummary, settled: bool, figures: bool) -> str | None:
    """The sentence on a pairing; None while that is open.

    `settled`: only a verdict of the run counts, because an interval takes no account of how often one looked, and at how many.
    """
    said = comparison(pairing.a, pairing.b, pairing.outcome(), figures)
    if not settled:
        return said
    if pairing.worth not in (STRONGER, WEAKER):
        return None
    return said or f"{pairing.a} is {pairing.worth} than {pairing.b}"


def cautions(experiment: Experiment, summary: Summary) -> list[str]:
    """A sentence for each player that, by its figures, did not play under the conditions that were asked for."""
    said: list[str | None] = []
    for player, found in zip(experiment.players, summary.players, strict=True):
        said.append(loose_limit(player, found.nodes))
        if not experiment.ponder:
            said.append(more_processors(player, found.processors))
    return [sentence for sentence in said if sentence is not None]


def _named(pairings: list[PairingSummary]) -> str:
    """The pairings by name, or how many they are."""
    if len(pairings) > MOST_NAMED:
        return f"{len(pairings)} pairings"
    return conjunction([f"{pairing.a} vs {pairing.b}" for pairing in pairings])


def games_needed(pairing: PairingSummary) -> int | None:
    """Games until the 95 % interval is ±SETTLED Elo, in two digits; None while the spread is not known."""
    found = pairing.estimate()
    if found.elo_error is None or found.elo_error <= SETTLED:
        return None
    # The error of many pairs that were all shared falls faster: see `stats.shared_reach`.
    shared = found.draw_ratio == 1.0 and found.elo == 0.0
    games = found.games * (found.elo_error / SETTLED) ** (1 if shared else 2)
    step = 10 ** max(0, len(str(int(games))) - 2)
    return int(-(-games // step) * step)
