"""The results of a run so far: every figure in `gauntlet show`, computed from the journal and the node screen."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from harness.analysis import sweeps, tuned
from harness.analysis.screen_file import NodeRatio, node_ratio, read_screen
from harness.analysis.tally import Effects
from harness.errors import BadInput
from harness.journal.journal import Reader, Verdict
from harness.journal.record import NO_MOVES, GameRow, MoveSums
from harness.model import FAULTS
from harness.schedule import jobs as schedule
from harness.schedule import rounds
from harness.schedule.pairing import pairings_of
from harness.spec import reader as experiments
from harness.spec.designs import names_of_rows, unswept
from harness.spec.settings import DYNAMIC_KINDS, Experiment
from harness.stats import elo as stats
from harness.stats import ratings, stopped

LONG_ENOUGH = 2000.0  # milliseconds of thinking that show how many processors a player uses


@dataclass(slots=True)
class PlayerSummary:
    """One player over all its games; depth, nodes, nps and ms are means over its moves.

    `processors` is its processor time, also that between its moves, over its thinking time.
    """

    name: str
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points: float = 0.0
    white: list[int] = field(default_factory=lambda: [0, 0, 0])
    black: list[int] = field(default_factory=lambda: [0, 0, 0])
    faults: dict[str, int] = field(default_factory=dict)
    warnings: dict[str, int] = field(default_factory=dict)
    elo: float | None = None
    elo_error: float | None = None
    depth: float | None = None
    nodes: float | None = None
    nps: float | None = None
    ms: float | None = None
    processors: float | None = None


@dataclass(frozen=True, slots=True)
class SprtState:
    """The state of a pairing's sequential test; the Elo is corrected for stopping, None until there is a verdict."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    model: str
    llr: float
    lower: float
    upper: float
    verdict: str | None
    elo: float | None = None
    elo_low: float | None = None
    elo_high: float | None = None
    los: float | None = None


@dataclass(slots=True)
class PairingSummary:
    """Two players; every figure is from a's view."""

    a: str
    b: str
    scheduled: int
    played: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    pentanomial: list[int] = field(default_factory=lambda: [0] * 5)
    unpaired: int = 0
    score: float | None = None
    elo: float | None = None
    elo_error: float | None = None
    los: float | None = None
    nelo: float | None = None
    nelo_error: float | None = None
    draw_ratio: float | None = None
    nodes: NodeRatio | None = None
    sprt: SprtState | None = None
    elo_low: float | None = None
    elo_high: float | None = None
    worth: str | None = None

    @property
    def verdict(self) -> str | None:
        """The verdict by its sequential test or by [decide]; None while there is none."""
        return self.sprt.verdict if self.sprt is not None else self.worth

    def estimate(self) -> stats.Estimate:
        """Elo and related figures by the games so far: see `stats.match`."""
        return stats.match(self.pentanomial, (self.wins, self.draws, self.losses))

    def outcome(self) -> stats.Outcome:
        """The figures to show, corrected for stopping if a test has ended the pairing."""
        test = self.sprt
        if test is not None and test.verdict and test.elo is not None:
            return stats.Outcome(test.elo, test.elo_low, test.elo_high, test.los, corrected=True)
        return stats.Outcome(self.elo, self.elo_low, self.elo_high, self.los)


@dataclass(slots=True)
class Summary:
    """The whole run.

    In a factorial `pairings` are the variants against the base, each counted in all games; `matches` are the actual meetings.
    """

    name: str
    kind: str
    state: str
    scheduled: int
    played: int
    plies: int
    seconds: float
    reasons: dict[str, int]
    players: list[PlayerSummary]
    pairings: list[PairingSummary]
    matches: list[PairingSummary] | None = None
    sweep: list[sweeps.Curve] | None = None
    spsa: tuned.TuningSummary | None = None

    @property
    def met(self) -> list[PairingSummary]:
        """The pairings of players that have met."""
        return self.pairings if self.matches is None else self.matches

    def as_json(self) -> dict[str, object]:
        """The object that `gauntlet show --json` prints, without the fields that this kind of run lacks."""
        found = asdict(self)
        return {
            key: value for key, value in found.items() if value is not None or key not in ("matches", "sweep", "spsa")
        }


def read(folder: Path | str) -> tuple[Experiment, Summary, dict[str, object] | None]:
    """Experiment, summary and node screen of a results folder, even of a run at work. Raises BadInput."""
    folder = Path(folder)
    with Reader(folder) as reader:
        experiment = of_journal(reader)
        screen = read_screen(folder)
        return experiment, summarise(reader, experiment, screen), screen


def of_journal(reader: Reader) -> Experiment:
    """The journal's experiment; the programs and files that it names need not exist any more."""
    text = reader.meta.get("experiment")
    if text is None:
        raise BadInput(f"{reader.path}: the journal does not hold its experiment")
    return experiments.parse(text, f"{reader.folder}/experiment.toml", reader.folder, check=False)


def results_of(reader: Reader, experiment: Experiment, rows: Iterable[GameRow]) -> dict[int, str]:
    """The results by which a tournament in rounds is dealt; once it is over, games never played are among them as "*"."""
    played = {row.id: rounds.Played.of(row) for row in rows}
    found = rounds.account(experiment, played, reader.given_up(), reader.given_up_players(), reader.no_shows()).results
    return rounds.settled(experiment, found) if reader.state() == "done" else found


def summarise(reader: Reader, experiment: Experiment, screen: Mapping[str, object] | None = None) -> Summary:
    """The summary of what the journal holds now."""
    rows = list(reader.rows())
    runs = reader.runs()
    state = reader.state()
    # A run that was killed could not say when it ended; its last game does.
    last = time.time() if state == "running" else max((row.started + row.seconds for row in rows), default=0.0)
    results = results_of(reader, experiment, rows) if experiment.kind in DYNAMIC_KINDS else {}
    summary = count(experiment, rows, reader.verdicts(), screen, results)
    if experiment.spsa is not None:
        summary.spsa = tuned.summary(experiment, tuned.results(rows, reader.given_up()).known)
    summary.state = state
    summary.seconds = round(sum((run.ended or max(run.began, last)) - run.began for run in runs), 3)
    if experiment.kind not in DYNAMIC_KINDS:
        summary.scheduled = reader.scheduled
    for failed in reader.failed_starts():
        faults = summary.players[failed.player].faults
        faults[failed.reason] = faults.get(failed.reason, 0) + 1
    return summary


def count(
    experiment: Experiment,
    rows: Iterable[GameRow],
    verdicts: Mapping[int, Verdict] | None = None,
    screen: Mapping[str, object] | None = None,
    results: Mapping[int, str] | None = None,
) -> Summary:
    """The figures of finished games; `results`: see `results_of`."""
    players = [PlayerSummary(player.name) for player in experiment.players]
    sums = [NO_MOVES] * len(players)
    couples = pairings_of(experiment)
    pairings = [PairingSummary(players[p.a].name, players[p.b].name, experiment.games_each) for p in couples]
    effects = Effects(experiment) if experiment.matches else None
    first_legs: list[dict[int, float]] = [{} for _ in couples]
    reasons: dict[str, int] = {}
    played = plies = 0
    for row in rows:
        played += 1
        plies += row.plies
        reasons[row.reason] = reasons.get(row.reason, 0) + 1
        for colour, index in enumerate((row.white, row.black)):
            sums[index] = sums[index].plus(row.sums(colour))
        _add_evidence(players, row)
        points = row.points
        if points is None:
            continue
        _add_result(players[row.white], players[row.white].white, points)
        _add_result(players[row.black], players[row.black].black, 1.0 - points)
        couple, pairing = couples[row.pairing], pairings[row.pairing]
        of_a = points if row.white == couple.a else 1.0 - points
        if effects is not None:
            effects.add(row.pairing, row.pair, of_a)
        pairing.played += 1
        if of_a == 1.0:
            pairing.wins += 1
        elif of_a == 0.0:
            pairing.losses += 1
        else:
            pairing.draws += 1
        other = first_legs[row.pairing].pop(row.pair, None)
        if other is None:
            first_legs[row.pairing][row.pair] = of_a
        else:
            pairing.pentanomial[int(2 * (of_a + other))] += 1
    for player, sum_ in zip(players, sums, strict=True):
        _means(player, sum_)
    for index, pairing in enumerate(pairings):
        pairing.unpaired = len(first_legs[index])
        _figures(pairing)
        if effects is None:
            _judge(pairing, experiment, (verdicts or {}).get(index), screen, len(pairings))
    matches = None
    if effects is not None:
        matches, pairings = pairings, _of_effects(experiment, effects, verdicts or {}, screen)
    scheduled = schedule.scheduled(experiment, results)
    if experiment.kind in DYNAMIC_KINDS:
        pairings = _dealt_only(experiment, results or {}, pairings)
    _rate(players, pairings if matches is None else matches, experiment)
    summary = Summary(
        experiment.name, experiment.kind, "stopped", scheduled, played, plies, 0.0, reasons, players, pairings, matches
    )
    if experiment.sweep:
        summary.sweep = sweeps.curves(experiment, pairings)
    return summary


def _of_effects(
    experiment: Experiment,
    effects: Effects,
    verdicts: Mapping[int, Verdict],
    screen: Mapping[str, object] | None,
) -> list[PairingSummary]:
    """The variants of a factorial as pairings with the base."""
    names = names_of_rows(experiment)
    found = []
    for index, row in enumerate(effects.rows):
        counts = (row.scheduled, row.played, row.wins, row.draws, row.losses)
        pairing = PairingSummary(names[row.pairing.a], names[row.pairing.b], *counts, list(row.pairs), row.unpaired)
        _figures(pairing)
        _judge(pairing, experiment, verdicts.get(index), screen, len(effects.rows))
        if pairing.sprt is not None and experiment.sprt is not None:
            # A verdict on one variant does not stop the games, which go on for the others: there is no stopping bias to correct.
            llr = row.llr(experiment.sprt)
            pairing.sprt = replace(pairing.sprt, llr=llr, elo=None, elo_low=None, elo_high=None, los=None)
        found.append(pairing)
    return found


def _add_evidence(players: list[PlayerSummary], row: GameRow) -> None:
    """Adds a game's fault and its warnings to its players."""
    if row.reason in FAULTS:
        faults = players[row.at_fault].faults
        faults[row.reason] = faults.get(row.reason, 0) + 1
    if row.warnings:
        for player, words in row.warning_counts().items():
            warnings = players[player].warnings
            for word, times in words.items():
                warnings[word] = warnings.get(word, 0) + times


def _add_result(player: PlayerSummary, colour: list[int], points: float) -> None:
    player.games += 1
    player.points += points
    if points == 1.0:
        player.wins += 1
        colour[0] += 1
    elif points == 0.0:
        player.losses += 1
        colour[2] += 1
    else:
        player.draws += 1
        colour[1] += 1


def _means(player: PlayerSummary, sums: MoveSums) -> None:
    player.depth = sums.depth / sums.depths if sums.depths else None
    player.nodes = sums.nodes / sums.counted if sums.counted else None
    player.nps = 1000.0 * sums.nodes / sums.timed if sums.timed else None
    player.ms = sums.ms / sums.moves if sums.moves else None
    player.processors = sums.cpu / sums.ms if sums.cpu and sums.ms >= LONG_ENOUGH else None


def _figures(pairing: PairingSummary) -> None:
    """Computes score and Elo from the counts of games."""
    found = pairing.estimate()
    pairing.elo, pairing.elo_error, pairing.los = found.elo, found.elo_error, found.los
    pairing.nelo, pairing.nelo_error = found.nelo, found.nelo_error
    pairing.elo_low, pairing.elo_high = found.elo_low, found.elo_high
    if pairing.played:
        pairing.score = (pairing.wins + pairing.draws / 2.0) / pairing.played
        pairing.draw_ratio = pairing.draws / pairing.played


def _judge(
    pairing: PairingSummary,
    experiment: Experiment,
    verdict: Verdict | None,
    screen: Mapping[str, object] | None,
    asked: int,
) -> None:
    """Adds what is known of one of `asked` pairings beside its games: the ratio of nodes, and what tests say of it."""
    sweep, sprt = experiment.sweep, experiment.sprt
    pairing.nodes = node_ratio(unswept(pairing.a, sweep), unswept(pairing.b, sweep), screen)
    if experiment.decide is not None and (verdict or pairing.played >= pairing.scheduled):
        seen = sum(pairing.pentanomial)
        reach = experiment.decide.reach(asked, pairing.scheduled // 2, seen, ended=True)
        settled = stats.worth(pairing.pentanomial, experiment.decide.within, reach)
        pairing.worth = verdict.verdict if verdict else settled
    if sprt is not None:
        lower, upper = stats.bounds(sprt.alpha, sprt.beta)
        llr = stats.llr(pairing.pentanomial, sprt.elo0, sprt.elo1, sprt.model)
        test = SprtState(*sprt.law, llr, lower, upper, verdict.verdict if verdict else None)
        if verdict:
            found = stopped.outcome(pairing.pentanomial, (pairing.wins, pairing.draws, pairing.losses), sprt.law)
            if found.corrected:
                test = replace(test, elo=found.elo, elo_low=found.low, elo_high=found.high, los=found.los)
        pairing.sprt = test


def _dealt_only(
    experiment: Experiment, results: Mapping[int, str], pairings: list[PairingSummary]
) -> list[PairingSummary]:
    """The pairings that have met or are to meet, with the number of games dealt to each."""
    dealt: dict[int, int] = {}
    for job in rounds.deal(experiment, (), results):
        dealt[job.pairing] = dealt.get(job.pairing, 0) + 1
    for index, pairing in enumerate(pairings):
        pairing.scheduled = dealt.get(index, 0)
    return [pairing for pairing in pairings if pairing.scheduled or pairing.played]


def _rate(players: list[PlayerSummary], pairings: list[PairingSummary], experiment: Experiment) -> None:
    """Gives a joint rating to each player for whom the games determine one."""
    found = joint(experiment, pairings)
    for player, rating, error in zip(players, found.ratings, found.errors, strict=True):
        player.elo, player.elo_error = rating, error


def joint(experiment: Experiment, pairings: list[PairingSummary]) -> ratings.Field:
    """The joint rating on the logistic scale, from the games of all pairings at once.

    Players at different limits, or whose options differ from match to match, are not one field: nobody gets a rating.
    """
    if experiment.entrants:
        return ratings.score_model(len(experiment.players), [])
    index = {player.name: player.index for player in experiment.players}
    return ratings.score_model(len(index), meetings(index, pairings))


def meetings(index: Mapping[str, int], pairings: Iterable[PairingSummary]) -> list[ratings.Meeting]:
    """The pairings in the form for the rating models, each with the variance of a's points; `index` numbers the players.

    The two games of a pair are not independent, so the variance is that of pairs, as in `stats.match`. If all results are the
    same there is none: then it is that of games between equals with the draw rate of the whole field.
    """
    pairings = [pairing for pairing in pairings if pairing.played]
    games = sum(pairing.played for pairing in pairings)
    equal = (1.0 - sum(pairing.draws for pairing in pairings) / games) / 4.0 if games else 0.0
    found = []
    for pairing in pairings:
        counts = (pairing.wins, pairing.draws, pairing.losses)
        found.append(ratings.Meeting(index[pairing.a], index[pairing.b], *counts, _variance(pairing, equal)))
    return found


def _variance(pairing: PairingSummary, equal: float) -> float:
    """Variance of a's points in all games; `equal` is that of one game, used if the results show none."""
    games = (pairing.wins, pairing.draws, pairing.losses)
    spread = stats.moments(games)[2]
    pairs = sum(pairing.pentanomial)
    if stats.one_kind(pairing.pentanomial):
        if pairing.pentanomial[2] < stats.FEWEST_PAIRS:
            return (spread or equal) * pairing.played
        return (2 * pairs * stats.shared_reach(pairs) / stats.Z95) ** 2 + spread * (pairing.played - 2 * pairs)
    return 4.0 * pairs * stats.moments(pairing.pentanomial)[2] + spread * (pairing.played - 2 * pairs)


def ranked(players: Iterable[PlayerSummary]) -> list[PlayerSummary]:
    """The players from best to worst, by rating.

    A player without a rating is above all others if it won every point, below all if it won none, else where its score would
    put it against an average player.
    """

    def key(player: PlayerSummary) -> tuple[bool, float, float]:
        if not player.games:
            return True, 0.0, 0.0
        share = player.points / player.games
        if player.elo is not None:
            strength = player.elo
        elif 0.0 < share < 1.0:
            strength = stats.elo(share)
        else:
            strength = math.inf if share else -math.inf
        return False, -strength, -player.points

    return sorted(players, key=key)
