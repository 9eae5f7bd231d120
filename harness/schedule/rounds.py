"""Tournaments in rounds: knockout, Swiss and league, each a pure function of the experiment and the results so far."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from harness.journal.record import GameRow
from harness.model import Job, Opening
from harness.schedule.pairing import opening_of, pair_jobs, pairings_of
from harness.spec.settings import Experiment

NO_BLACK, NO_WHITE, NO_GAME = "+/-", "-/+", "*"  # of games given up: which player did not start, if that is known
NOTHING = (0.0, 0.0)
POINTS = {
    "1-0": (1.0, 0.0),
    "0-1": (0.0, 1.0),
    "1/2-1/2": (0.5, 0.5),
    **dict.fromkeys((NO_BLACK, NO_WHITE, NO_GAME), NOTHING),
}
AHEAD = {"1-0": 1.0, NO_BLACK: 1.0, "0-1": -1.0, NO_WHITE: -1.0}  # White's lead in a knockout match


@dataclass(slots=True)
class _Standings:
    """The standings as the rounds are dealt again from the start; lists are indexed by player."""

    points: list[float]
    wins: list[int]
    met: set[tuple[int, int]] = field(default_factory=set)
    opponents: dict[int, list[int]] = field(default_factory=dict)
    byes: list[int] = field(default_factory=list)

    @classmethod
    def empty(cls, players: int) -> _Standings:
        return cls([0.0] * players, [0] * players, opponents={player: [] for player in range(players)})

    def add(self, job: Job, result: str) -> None:
        for player, points in zip((job.white, job.black), POINTS[result], strict=True):
            self.points[player] += points
            self.wins[player] += points == 1.0

    def meet(self, a: int, b: int) -> None:
        self.met.add((min(a, b), max(a, b)))
        self.opponents[a].append(b)
        self.opponents[b].append(a)

    def buchholz(self, player: int) -> float:
        """The sum of the opponents' points: the usual first tie-break."""
        return sum(self.points[other] for other in self.opponents[player])

    def order(self, players: list[int]) -> list[int]:
        """Best first: points, Buchholz, wins; who is level stays in the order given, which is the seeding."""
        return sorted(players, key=lambda one: (-self.points[one], -self.buchholz(one), -self.wins[one]))


@dataclass(frozen=True, slots=True)
class Stage:
    """The standings after a round or season, or in the one being played: groups of (player, points), best first."""

    title: str
    groups: tuple[tuple[tuple[int, float], ...], ...]
    complete: bool


class _Rounds:
    """Hands out jobs with consecutive ids; the pairs of a pairing are numbered through all its rounds."""

    def __init__(self, experiment: Experiment, book: tuple[Opening, ...], results: Mapping[int, str]) -> None:
        self.experiment, self.results = experiment, results
        self.pairings = {(pairing.a, pairing.b): pairing for pairing in pairings_of(experiment)}
        self.opening = opening_of(experiment, book) if book else lambda _: Opening("")
        self.jobs: list[Job] = []
        self.pairs: dict[tuple[int, int], int] = {}
        self.table = _Standings.empty(len(experiment.players))
        self.complete = True  # no result of the current round is missing

    def encounter(self, a: int, b: int, games: int) -> list[Job]:
        """The jobs of one meeting, `games` of them in colour-swapped pairs."""
        key = (min(a, b), max(a, b))
        dealt: list[Job] = []
        for _ in range(games // 2):
            pair = self.pairs[key] = self.pairs.get(key, 0) + 1
            first = len(self.jobs) + 1
            dealt += pair_jobs(self.pairings[key], pair, first, self.opening(pair), swap=a > b)
            self.jobs += dealt[-2:]
        return dealt

    def played(self, jobs: list[Job]) -> bool:
        """Adds the results of these jobs to the standings; returns whether all have one."""
        for job in jobs:
            if job.id in self.results:
                self.table.add(job, self.results[job.id])
            else:
                self.complete = False
        return self.complete


def deal(experiment: Experiment, book: tuple[Opening, ...], results: Mapping[int, str]) -> list[Job]:
    """All jobs of the rounds that have begun: a new round begins once the one before has been played."""
    dealer = _Rounds(experiment, book, results)
    for _ in _RULES[experiment.kind](dealer):
        pass
    return dealer.jobs


class Played(NamedTuple):
    """What the deal needs of a finished game: its players and its result."""

    pairing: int
    pair: int
    leg: int
    white: int
    black: int
    result: str

    @classmethod
    def of(cls, row: GameRow) -> Played:
        return cls(row.pairing, row.pair, row.leg, row.white, row.black, row.result)

    def belongs_to(self, job: Job) -> bool:
        """Says whether it is the game that was dealt under this id."""
        return self[:5] == (job.pairing, job.pair, job.leg, job.white, job.black)


@dataclass(frozen=True, slots=True)
class Account:
    """The results by which a tournament is dealt (of games given up too), and games that do not belong to it."""

    results: dict[int, str]
    given_up: frozenset[int]
    misfits: tuple[int, ...]


def account(
    experiment: Experiment,
    played: Mapping[int, Played],
    given_up: Collection[int],
    given_up_players: Collection[int] = (),
    no_shows: Collection[tuple[int, int]] = (),
) -> Account:
    """Deals the rounds again and compares each finished game with the one dealt under its id.

    A game with other players is a misfit: it was dealt by other results of earlier rounds. Games of rounds that have not been
    dealt yet are in neither. If there are games of a later round, what a player of `given_up_players` lacks of an earlier round
    counts as given up. `no_shows` are failed starts, as (game, player).
    """
    results: dict[int, str] = {}
    misfits: set[int] = set()
    gone = set(given_up)
    while True:
        dealt = deal(experiment, (), results)
        open_jobs = [job for job in dealt if job.id not in results]
        for job in open_jobs:
            game = played.get(job.id)
            if game is None:
                if job.id in gone:
                    results[job.id] = _given_up(job, no_shows)
            elif game.belongs_to(job):
                results[job.id] = game.result
            else:
                misfits.add(job.id)
        left = [job for job in open_jobs if job.id not in results]
        if len(left) < len(open_jobs):
            continue
        lost = {job.id for job in left if {job.white, job.black} & set(given_up_players)} - misfits
        if not lost or max(played, default=0) <= len(dealt):
            break
        gone |= lost
    return Account(results, frozenset(gone & results.keys()), tuple(sorted(misfits)))


def _given_up(job: Job, no_shows: Collection[tuple[int, int]]) -> str:
    """The result of a game given up. A player given up is not tried again, so its last failure may be in an earlier game."""
    players = (job.white, job.black)
    _, absent = max(((game, one) for game, one in no_shows if game <= job.id and one in players), default=(0, None))
    return NO_GAME if absent is None else NO_WHITE if absent == job.white else NO_BLACK


def settled(experiment: Experiment, results: Mapping[int, str]) -> dict[int, str]:
    """The results of a tournament that is over: a game dealt but never played counts as "*"."""
    found = dict(results)
    while missing := [job.id for job in deal(experiment, (), found) if job.id not in found]:
        found.update(dict.fromkeys(missing, NO_GAME))
    return found


def stages(experiment: Experiment, results: Mapping[int, str]) -> list[Stage]:
    """Every round or season so far, the last perhaps unfinished; in a league, points are those of the season."""
    dealer = _Rounds(experiment, (), results)
    found: list[Stage] = []
    for groups in _RULES[experiment.kind](dealer):
        points = dealer.table.points
        found.append(
            Stage(
                _title(experiment, len(found)),
                tuple(tuple((player, points[player]) for player in group) for group in groups),
                dealer.complete,
            )
        )
    return found


def _title(experiment: Experiment, number: int) -> str:
    rules = experiment.tournament
    if experiment.kind == "league":
        return f"season {number + 1} of {rules.seasons}"
    if experiment.kind == "swiss":
        return f"round {number + 1} of {rules.rounds}"
    left = (len(experiment.players) - 1).bit_length() - number  # rounds, this one included
    return {1: "final", 2: "semi-finals", 3: "quarter-finals"}.get(left, f"round of {2**left}")


def scheduled(experiment: Experiment, results: Mapping[int, str]) -> int:
    """The number of games dealt or certain to come; tie-break games of a knockout are added when they are dealt."""
    count, games = len(experiment.players), experiment.games
    rules = experiment.tournament
    if experiment.kind == "swiss":
        return rules.rounds * (count // 2) * games
    if experiment.kind == "league":
        meetings = sum(len(division) * (len(division) - 1) // 2 for division in rules.divisions)
        return rules.seasons * meetings * games
    dealer = _Rounds(experiment, (), results)
    for _ in _knockout(dealer):
        pass
    extra = sum(1 for job in dealer.jobs if job.pair > games // 2)
    return (count - 1) * games + extra


# Each rule yields the standings after every round and ends at the first round with missing results.


def _swiss(dealer: _Rounds) -> Iterator[list[list[int]]]:
    """Players of like score meet, and nobody meets the same opponent twice; who sits out gets half a meeting's points."""
    count, games = len(dealer.experiment.players), dealer.experiment.games
    table = dealer.table
    everyone = list(range(count))
    for number in range(dealer.experiment.tournament.rounds):
        ranking = table.order(everyone)
        couples, bye = _swiss_round(ranking, table, first=number == 0)
        dealt: list[Job] = []
        for a, b in couples:
            dealt += dealer.encounter(a, b, games)
        if not dealer.played(dealt):
            yield [table.order(everyone)]
            return
        for a, b in couples:
            table.meet(a, b)
        if bye is not None:
            table.byes.append(bye)
            table.points[bye] += games / 2
        yield [table.order(everyone)]


def _swiss_round(ranking: list[int], table: _Standings, first: bool) -> tuple[list[tuple[int, int]], int | None]:
    """The couples of a round, and who sits out: the last in the ranking who has not yet, and without whom new couples can meet.

    The first round pairs the upper half of the seeding with the lower.
    """
    candidates: list[int | None] = [None]
    if len(ranking) % 2:
        candidates = [player for player in reversed(ranking) if player not in table.byes] or list(reversed(ranking))
    for bye in candidates:
        rest = [player for player in ranking if player != bye]
        if first:
            half = len(rest) // 2
            return list(zip(rest[:half], rest[half:], strict=True)), bye
        couples = _pair_off(rest, table.met)
        if couples is not None:
            return couples, bye
    # No way without a repeated meeting: allow one rather than stop the tournament.
    bye = candidates[0]
    rest = [player for player in ranking if player != bye]
    return list(zip(rest[::2], rest[1::2], strict=True)), bye


def _pair_off(players: list[int], met: set[tuple[int, int]], budget: int = 100_000) -> list[tuple[int, int]] | None:
    """Couples from the top down, each with the nearest opponent not met before; None if that is impossible."""
    steps = [budget]

    def search(rest: list[int]) -> list[tuple[int, int]] | None:
        if not rest:
            return []
        top = rest[0]
        for other in rest[1:]:
            steps[0] -= 1
            if steps[0] < 0:
                return None
            if (min(top, other), max(top, other)) in met:
                continue
            below = search([player for player in rest if player not in (top, other)])
            if below is not None:
                return [(top, other), *below]
        return None

    return search(players)


def _knockout(dealer: _Rounds) -> Iterator[list[list[int]]]:
    """The best seed meets the lowest, and byes go to the best. A tie leads to more pairs; then the better seed advances.

    A game that a player does not start counts for its opponent here, though it has no score: somebody must advance.
    """
    count, games = len(dealer.experiment.players), dealer.experiment.games
    size = 1 << (count - 1).bit_length()
    bracket: list[int | None] = [seed if seed < count else None for seed in _seeds(size)]
    out: list[int] = []
    while len(bracket) > 1:
        matches = [(bracket[i], bracket[i + 1]) for i in range(0, len(bracket), 2)]
        dealt = {match: dealer.encounter(*_both(match), games) for match in matches if None not in match}
        extra = dealer.experiment.tournament.tiebreaks
        score = dict.fromkeys(dealt, 0.0)  # of the first against the second
        open_matches = list(dealt)
        for attempt in range(extra + 1):
            if not dealer.played([job for match in open_matches for job in dealt[match]]):
                yield [_knockout_order(bracket, out)]
                return
            tied = []
            for match in open_matches:
                score[match] += sum(_margin(job, dealer.results[job.id], match[0]) for job in dealt[match])
                if score[match] == 0:
                    tied.append(match)
            open_matches = tied
            if attempt < extra:
                for match in tied:
                    dealt[match] = dealer.encounter(*_both(match), 2)
        bracket, losers = _advance(matches, score)
        out = sorted(losers) + out
        yield [_knockout_order(bracket, out)]


def _both(match: tuple[int | None, int | None]) -> tuple[int, int]:
    a, b = match
    assert a is not None and b is not None
    return a, b


def _margin(job: Job, result: str, player: int | None) -> float:
    lead = AHEAD.get(result, 0.0)
    return lead if job.white == player else -lead


def _advance(
    matches: list[tuple[int | None, int | None]], score: dict[tuple[int | None, int | None], float]
) -> tuple[list[int | None], list[int]]:
    """The winners in bracket order, and the losers. A bye is a win; a tie goes to the better seed."""
    winners: list[int | None] = []
    losers: list[int] = []
    for match in matches:
        a, b = match
        if a is None or b is None:
            winners.append(a if b is None else b)
            continue
        ahead = a if score[match] > 0 or (score[match] == 0 and a < b) else b
        winners.append(ahead)
        losers.append(b if ahead == a else a)
    return winners, losers


def _knockout_order(bracket: list[int | None], out: list[int]) -> list[int]:
    return sorted(player for player in bracket if player is not None) + out


def _seeds(size: int) -> list[int]:
    """The seeds in bracket order, such that the two best can meet only in the final: 0, 3, 1, 2 for four."""
    order = [0]
    while len(order) < size:
        total = 2 * len(order) - 1
        order = [seed for one in order for seed in (one, total - one)]
    return order


def _league(dealer: _Rounds) -> Iterator[list[list[int]]]:
    """Each division is a round robin; after a season its best swap places with the last of the division above."""
    rules = dealer.experiment.tournament
    divisions = [list(division) for division in rules.divisions]
    for _ in range(rules.seasons):
        dealer.table = _Standings.empty(len(dealer.experiment.players))
        dealt: list[Job] = []
        for division in divisions:
            for a, b in _round_robin(division):
                dealer.table.meet(a, b)
                dealt += dealer.encounter(a, b, dealer.experiment.games)
        finished = dealer.played(dealt)
        divisions = [dealer.table.order(division) for division in divisions]
        if not finished:
            yield divisions
            return
        yield [list(division) for division in divisions]
        for upper, lower in zip(divisions, divisions[1:], strict=False):
            for step in range(rules.promote):
                place = len(upper) - rules.promote + step
                upper[place], lower[step] = lower[step], upper[place]


def _round_robin(players: list[int]) -> list[tuple[int, int]]:
    """All couples in rounds by the circle method, so that nobody waits long between games."""
    ring: list[int | None] = [*players, *([None] if len(players) % 2 else [])]
    couples: list[tuple[int, int]] = []
    for _ in range(len(ring) - 1):
        for i in range(len(ring) // 2):
            a, b = ring[i], ring[-1 - i]
            if a is not None and b is not None:
                couples.append((a, b))
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return couples


_RULES = {"swiss": _swiss, "knockout": _knockout, "league": _league}
