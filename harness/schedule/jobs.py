"""The schedule: who meets whom from which opening; a pure function of the experiment and, with rounds, of the results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from harness.journal.record import GameRow
from harness.model import Job, Opening
from harness.schedule import rounds
from harness.schedule.pairing import book_of, opening_of, pair_jobs, pairings_of
from harness.schedule.spsa import Tuning
from harness.spec.settings import Experiment
from harness.terminal.numbers import noun

MANY = "many.tsv.gz"  # the shipped openings for runs of thousands of pairs
AT_ONCE = ("gauntlet", "roundrobin", "match", "factorial", "spsa")  # kinds whose number of games is known beforehand


def scheduled(experiment: Experiment, results: Mapping[int, str] | None = None) -> int:
    """How many games are planned; with rounds, how many are dealt or certain to come."""
    if experiment.kind in AT_ONCE:
        return len(pairings_of(experiment)) * experiment.games_each
    return rounds.scheduled(experiment, results or {})


def jobs(experiment: Experiment, results: Mapping[int, str] | None = None) -> Iterable[Job]:
    """Every game to be played, with ids from 1, pair by pair through all pairings.

    Kinds with rounds (swiss, knockout, league) deal what the results so far (id -> "1-0", "0-1", "1/2-1/2", "*") allow.
    Ask again when all games dealt have been played: the same jobs come first, then those of the next round, or no more
    than before if the tournament is over. For a tuning run see `spsa.Tuning`. The other kinds deal
    everything at once, lazily.
    The opening file is read, and refused if it is broken, before this returns.
    """
    if experiment.spsa is not None:
        return Tuning(experiment)
    book = book_of(experiment)
    if experiment.kind in AT_ONCE:
        return _all(experiment, book)
    return rounds.deal(experiment, book, results or {})


def repetition(experiment: Experiment) -> str | None:
    """A warning for a run with more pairs in a pairing than openings, at limits at which engines repeat their games, else None.

    A game that repeats another move by move tells nothing new, but every interval takes the two for different games.
    """
    if (
        experiment.kind not in AT_ONCE
        or experiment.spsa is not None
        or any(player.limit.timed for player in experiment.players)
    ):
        return None
    lines = len(book_of(experiment))
    pairs = experiment.games_each // 2 if experiment.paired else experiment.games_each
    if pairs <= lines:
        return None
    more = f'; [openings] file = "{MANY}" has more' if experiment.openings.shown != MANY else ""
    what = "pairs" if experiment.paired else "games"
    return (
        f"{pairs:,} {what} from {lines:,} {noun(lines, 'opening')}: at fixed nodes or depth engines repeat their games, and "
        f"what repeats tells nothing new{more}"
    )


def chosen(experiment: Experiment, choose: Callable[[Sequence[int], Collection[int]], int | None]) -> Iterator[Job]:
    """The jobs of a kind that deals everything at once, with their ids, each pair from the pairing that `choose` names.

    `choose` is told how many pairs of each pairing have been dealt, and which pairings have some left; None ends the dealing.
    """
    book = book_of(experiment)
    return _chosen(experiment, book, choose)


def _chosen(
    experiment: Experiment,
    book: tuple[Opening, ...],
    choose: Callable[[Sequence[int], Collection[int]], int | None],
) -> Iterator[Job]:
    couples = pairings_of(experiment)
    opening = opening_of(experiment, book)
    most = experiment.games_each // 2
    dealt, left = [0] * len(couples), list(range(len(couples) if most else 0))
    while left and (index := choose(dealt, left)) is not None:
        dealt[index] += 1
        pair = dealt[index]
        if pair == most:
            left.remove(index)
        yield from pair_jobs(couples[index], pair, 2 * ((pair - 1) * len(couples) + index) + 1, opening(pair))


def holds(experiment: Experiment, row: GameRow) -> bool:
    """Says whether a game is the one scheduled under its id, for a kind without rounds."""
    couples = pairings_of(experiment)
    if experiment.paired:
        pair, place = divmod(row.id - 1, 2 * len(couples))
        index, leg = divmod(place, 2)
        turned = leg == 1
    else:  # see `_single`
        pair, index = divmod(row.id - 1, len(couples))
        leg, turned = 0, pair % 2 == 1
    players = (couples[index].b, couples[index].a) if turned else (couples[index].a, couples[index].b)
    return (row.pairing, row.pair, row.leg, row.white, row.black) == (index, pair + 1, leg + 1, *players)


def _all(experiment: Experiment, book: tuple[Opening, ...]) -> Iterator[Job]:
    couples = pairings_of(experiment)
    opening = opening_of(experiment, book)
    if not experiment.paired:
        yield from _single(experiment, opening)
        return
    next_id = 1
    for pair in range(1, experiment.games_each // 2 + 1):
        for pairing in couples:
            yield from pair_jobs(pairing, pair, next_id, opening(pair))
            next_id += 2


def _single(experiment: Experiment, opening: Callable[[int], Opening]) -> Iterator[Job]:
    """Games that are not paired: an opening each, a with White in every odd one."""
    couples = pairings_of(experiment)
    for number in range(1, experiment.games + 1):
        for pairing in couples:
            white, black = (pairing.a, pairing.b) if number % 2 else (pairing.b, pairing.a)
            first = (number - 1) * len(couples) + pairing.index + 1
            yield Job(first, pairing.index, number, 1, white, black, opening(number))
