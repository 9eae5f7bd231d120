"""The schedule: who meets whom from which opening; a pure function of the experiment and, with rounds, of results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from harness import openings
from harness.model import Job, Opening
from harness.settings import Experiment


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players who meet; `a` stands before `b` in the order of players, and every figure is from a's view."""

    index: int
    a: int
    b: int


def pairings(experiment: Experiment) -> tuple[Pairing, ...]:
    """All pairings that can occur, in the order of their games. Their places are their keys in jobs and records."""
    count = len(experiment.players)
    if experiment.kind == "gauntlet":
        base = experiment.base
        couples = [(min(i, base), max(i, base)) for i in range(count) if i != base]
    else:
        couples = [(a, b) for a in range(count) for b in range(a + 1, count)]
    return tuple(Pairing(index, a, b) for index, (a, b) in enumerate(couples))


def scheduled(experiment: Experiment, results: Mapping[int, str] | None = None) -> int:
    """How many games are planned; with rounds: dealt so far and certain to come."""
    if experiment.kind in ("gauntlet", "roundrobin", "match"):
        return len(pairings(experiment)) * experiment.games
    from harness import tournaments

    return tournaments.scheduled(experiment, results or {})


def jobs(experiment: Experiment, results: Mapping[int, str] | None = None) -> Iterable[Job]:
    """Every game to be played, ids from 1, pair by pair through all pairings.

    Kinds with rounds (swiss, knockout, league) deal what the results so far (id -> "1-0", "0-1", "1/2-1/2", "*") allow:
    ask again when all that was dealt is played; the same jobs come first, then those of the next round, and no more
    than before when the tournament is over. The other kinds deal everything at once, lazily.
    The opening file is read, and refused if it is broken, before this returns.
    """
    book = openings.read(experiment.openings.file, experiment.openings.plies, experiment.chess960)
    if experiment.kind in ("gauntlet", "roundrobin", "match"):
        return _all(experiment, book)
    from harness import tournaments

    return tournaments.deal(experiment, book, results or {})


def pair_jobs(pairing: Pairing, pair: int, first_id: int, opening: Opening, swap: bool = False) -> tuple[Job, Job]:
    """The two games of a pair: the same opening, a with white in the first (with black when swapped)."""
    white, black = (pairing.b, pairing.a) if swap else (pairing.a, pairing.b)
    return (
        Job(first_id, pairing.index, pair, 1, white, black, opening),
        Job(first_id + 1, pairing.index, pair, 2, black, white, opening),
    )


def _all(experiment: Experiment, book: tuple[Opening, ...]) -> Iterator[Job]:
    couples = pairings(experiment)
    place = openings.dealer(len(book), experiment.openings.order, experiment.seed)
    next_id = 1
    for pair in range(1, experiment.games // 2 + 1):
        opening = book[place(pair)]
        for pairing in couples:
            yield from pair_jobs(pairing, pair, next_id, opening)
            next_id += 2
