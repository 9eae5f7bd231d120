"""Who meets whom, from which opening, and the two games of a pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.books import openings
from harness.model import Job, Opening
from harness.spec.settings import Experiment


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players who meet; `a` comes before `b` in the order of players, and every figure is from a's view."""

    index: int
    a: int
    b: int


def pairings_of(experiment: Experiment) -> tuple[Pairing, ...]:
    """All pairings that can occur, in the order of their games; jobs and records name a pairing by its index in this tuple."""
    count = len(experiment.players) // experiment.limits
    if experiment.kind == "gauntlet":
        base = experiment.base
        couples = [(min(i, base), max(i, base)) for i in range(count) if i != base]
    elif experiment.kind == "factorial":
        couples = [(a, a + 1) for a in range(0, count, 2)]
    else:
        couples = [(a, b) for a in range(count) for b in range(a + 1, count)]
    starts = range(0, len(experiment.players), count)
    every = [(start + a, start + b) for start in starts for a, b in couples]
    return tuple(Pairing(index, a, b) for index, (a, b) in enumerate(every))


def pair_jobs(pairing: Pairing, pair: int, first_id: int, opening: Opening, swap: bool = False) -> tuple[Job, Job]:
    """The two games of a pair: the same opening, a with White in the first (with Black if `swap`)."""
    white, black = (pairing.b, pairing.a) if swap else (pairing.a, pairing.b)
    return (
        Job(first_id, pairing.index, pair, 1, white, black, opening),
        Job(first_id + 1, pairing.index, pair, 2, black, white, opening),
    )


def book_of(experiment: Experiment) -> tuple[Opening, ...]:
    """The openings of an experiment; raises BadInput for a broken file."""
    return openings.read(experiment.openings.file, experiment.openings.plies, experiment.chess960)


def opening_of(experiment: Experiment, book: Sequence[Opening]) -> Callable[[int], Opening]:
    """A function from the number of a pair, from 1, to its opening; all pairings have the same."""
    settings = experiment.openings
    place = openings.pick_by_pair(len(book), settings.order, experiment.seed, settings.start)
    return lambda pair: book[place(pair)]
