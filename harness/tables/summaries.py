"""Summaries for people: pairing lines, the final table of a run and what it means, the tables of `gauntlet show`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.analysis import summary as summaries
from harness.analysis.by_opening import by_opening
from harness.analysis.summary import PairingSummary, PlayerSummary, Summary
from harness.files import for_shell
from harness.journal.distinct import distinct
from harness.journal.journal import Reader
from harness.model import Limit
from harness.schedule.jobs import AT_ONCE
from harness.schedule.pairing import pairings_of
from harness.spec.designs import unswept
from harness.spec.settings import DYNAMIC_KINDS, Experiment
from harness.tables import designs, tuned
from harness.tables.fields import is_field, one_opponent, ranking_table, standing_lines
from harness.tables.grid import Grid, console, say
from harness.tables.numbers import (
    NODES_NOTE,
    UNKNOWN,
    bar,
    conjunction,
    elo,
    faults_text,
    interval,
    llr,
    plus,
    probability,
    rating,
    warnings_text,
)
from harness.tables.verdict import cautions, verdict
from harness.terminal.numbers import duration, noun, plain

if TYPE_CHECKING:
    from rich.console import Console

PENTANOMIAL = "LL LD DD WD WW".replace(" ", "\u00a0")
REPETITIVE = 0.02  # share of games that repeat others: fewer do not change an interval
MOST_PLAYERS = 8  # names in one
INTERVAL = "Elo, 95\u00a0% interval"


def pairing_parts(pairing: PairingSummary, screened: bool) -> list[str]:
    """The parts of `lmr-off vs base   Elo -62.1 ± 24.0   nodes 1.84 ± 0.11   +20 =31 -49 of 100`."""
    parts = [f"{pairing.a} vs {pairing.b}", f"Elo {bar(pairing.elo, pairing.elo_error)}"]
    if screened:
        ratio = pairing.nodes
        parts.append(f"nodes {bar(ratio.ratio, ratio.error, 2) if ratio else UNKNOWN}")
    return [*parts, f"+{pairing.wins} ={pairing.draws} -{pairing.losses} of {pairing.scheduled}"]


def print_final(folder: Path | str) -> None:
    """Prints the end of a run, each figure once: the verdict, the table behind it, and the line of each pairing."""
    experiment, summary, screen = summaries.read(folder)
    out = console()
    if summary.spsa is not None:
        tuned.print_end(out, Path(folder), summary.spsa)
        print_losses(out, Path(folder), summary)
        return
    out.print()
    say(out, verdict(experiment, summary, screen, figures=False))
    if experiment.claim is not None:
        claim = experiment.claim
        say(out, f"{claim.id}{f' ({claim.where})' if claim.where else ''} claims: {claim.text}.")
    if summary.sweep is not None:
        designs.sweep_table(experiment, summary.sweep).print(out)
    if (field := is_field(summary)) and summary.played:
        ranking_table(summary).print(out)
    final_table(summary, screen, experiment.sweep).print(out)
    if not field:
        with_row = {pairing.a for pairing in summary.pairings} if one_opponent(summary) else set()
        _print_faults(out, [player for player in summary.players if player.name not in with_row])
    if experiment.kind in DYNAMIC_KINDS:
        _print_standings(out, Path(folder), experiment)
    _print_sprt(out, summary)
    _print_repetition(out, Path(folder), experiment, summary, always=False)
    if unplayed := unplayed_line(folder, summary):
        say(out, unplayed)
    if any(p.elo_error is not None for p in summary.pairings):
        stopped = any(pairing.outcome().corrected for pairing in summary.pairings)
        more = ", and Elo is not corrected for the stop of the test" if stopped else ""
        say(out, f"In the lines below ± is half the width of the interval{more}.")
    for pairing in summary.pairings:
        if pairing.played or not field:
            _print_line(out, pairing_parts(pairing, screen is not None))


def _print_line(out: Console, parts: list[str]) -> None:
    """Prints a line for people and programs; on a terminal that is too narrow it is broken between its parts."""
    from rich.cells import cell_len

    lines = [parts[0]]
    for part in parts[1:]:
        joined = f"{lines[-1]}   {part}"
        if out.is_terminal and cell_len(joined) > out.width:
            lines.append(f"   {part}")
        else:
            lines[-1] = joined
    for line in lines:
        out.print(line, soft_wrap=True)


def print_losses(out: Console, folder: Path, summary: Summary) -> None:
    """Prints what tables may not say: the faults of every player, and the games that were not played."""
    _print_faults(out, summary.players)
    if unplayed := unplayed_line(folder, summary):
        say(out, unplayed)


def _print_faults(out: Console, players: Iterable[PlayerSummary]) -> None:
    for player in players:
        if player.faults:
            say(out, f"faults of {player.name}: {faults_text(player.faults)}")


def unplayed_line(folder: Path | str, summary: Summary) -> str | None:
    """How many games are missing and why; None while the run goes on, and if none is missing or needed."""
    if summary.state == "running":
        return None
    if summary.kind in DYNAMIC_KINDS:
        count = summary.scheduled - summary.played
    else:
        undecided = [p for p in summary.met if p.verdict is None]
        if summary.matches is not None:  # those of a limit are needless once all its variants are decided
            limits = len(summary.sweep[0].points) if summary.sweep else 1
            each, variants = len(summary.matches) // limits, len(summary.pairings) // limits
            undecided = [
                match
                for index, match in enumerate(summary.matches)
                if not all(row.verdict for row in summary.pairings[index // each * variants :][:variants])
            ]
        count = sum(pairing.scheduled - pairing.played for pairing in undecided)
    if count <= 0:
        return None
    were, their, them = ("was", "its", "it") if count == 1 else ("were", "their", "them")
    text = f"{count} of {summary.scheduled} {noun(summary.scheduled, 'game')} {were} not played: "
    if summary.state != "done":
        return text + f"the run was stopped; gauntlet resume {for_shell(folder)} goes on with {them}"
    log = Path(folder) / "run.log"
    return text + f"{their} players did not start, or killed the process that was to play {them}; {log} says which"


def _pairing_names(summary: Summary) -> tuple[str, list[str]]:
    """A title for the column of pairings and a name for each: only a's if all meet the same b."""
    if (other := one_opponent(summary)) is not None:
        return f"against {other}", [pairing.a for pairing in summary.pairings]
    return "pairing", [f"{pairing.a} vs {pairing.b}" for pairing in summary.pairings]


def final_table(summary: Summary, screen: Mapping[str, object] | None, sweep: Sequence[Limit] = ()) -> Grid:
    """A row for each pairing with what its line leaves out: interval, LOS, time to depth, faults of a if all meet one player."""
    head, names = _pairing_names(summary)
    columns = {head: False, INTERVAL: True, "LOS": True}
    if screen is not None:
        columns |= {f"time to depth {screen['depth']}": True}
    whole = one_opponent(summary) is not None
    table = Grid({**columns, "faults": True} if whole else columns)
    players = {player.name: player for player in summary.players}
    for pairing, name in zip(summary.pairings, names, strict=True):
        if not whole and not pairing.played:
            continue  # of a field that was stopped: the sentence above says how many they are
        found = pairing.outcome()
        cells = [name, interval(found.low, found.high), probability(found.los)]
        if screen is not None:
            cells.append(_time_ratio(screen, pairing, sweep))
        if whole:
            cells.append(faults_text(players[pairing.a].faults) if pairing.a in players else "-")
        table.add(cells)
    return table


def _time_ratio(screen: Mapping[str, object], pairing: PairingSummary, sweep: Sequence[Limit]) -> str:
    a, b = (unswept(name, sweep) for name in (pairing.a, pairing.b))
    rows = screen.get("variants")
    for row in rows if isinstance(rows, list) else []:
        if row["name"] == a and screen.get("base") == b:
            return bar(row.get("time_ratio"), row.get("time_error"), 2)
    return UNKNOWN


def who_plays(experiment: Experiment) -> str:
    """Before the first game: how many games, and who meets whom.

    `3 pairings of 200 games: history-off, see-early-exit and lmr-off, each against base (Sortie)`.
    """
    if (special := designs.who_plays(experiment)) is not None:
        return special
    names = [player.name for player in experiment.players]
    if experiment.kind in DYNAMIC_KINDS:
        return f"{experiment.kind}, {experiment.games} {noun(experiment.games, 'game')} a meeting: {_some(names)}"
    count = len(pairings_of(experiment))
    games = f"{count} {noun(count, 'pairing')} of {experiment.games:,} {noun(experiment.games, 'game')}"
    if experiment.kind == "roundrobin":
        return f"{games}: {_some(names)}, everyone against everyone"
    # The figures of two players are those of the one named first.
    base = experiment.players[1 if len(names) == 2 else experiment.base]
    others = [name for name in names if name != base.name]
    shown = "Sortie" if base.sortie else Path(base.command[0]).name
    against = base.name if shown == base.name else f"{base.name} ({shown})"
    return f"{games}: {_some(others)}{', each' if len(others) > 1 else ''} against {against}"


def _some(names: list[str]) -> str:
    """The names in words, those beyond MOST_PLAYERS as a number."""
    left = len(names) - MOST_PLAYERS
    return conjunction(names if left <= 0 else [*names[:MOST_PLAYERS], f"{left} more"])


# gauntlet show --------------------------------------------------------------------------------------------------------


def print_show(folder: Path | str) -> None:
    """The state of a run: players, pairings, how games ended."""
    experiment, summary, screen = summaries.read(folder)
    out = console()
    say(
        out,
        f"{summary.name}: {summary.kind}, {summary.state}, {summary.played:,} of {summary.scheduled:,} "
        f"{noun(summary.scheduled, 'game')}, {summary.plies:,} plies, {duration(summary.seconds)}",
    )
    if summary.spsa is not None:
        tuned.parameters_table(summary.spsa).print(out)
        say(out, tuned.sentence(summary.spsa))
    players_table(summary).print(out)
    for sentence in cautions(experiment, summary):
        say(out, f"{sentence}.")
    if any(player.limit.nodes for player in experiment.players):
        say(out, NODES_NOTE)
    if summary.sweep is not None:
        designs.sweep_table(experiment, summary.sweep).print(out)
    if summary.matches is not None:
        designs.matches_table(experiment, summary).print(out)
    if any(pairing.played for pairing in summary.pairings):
        pairings_table(summary, screen).print(out)
    _print_sprt(out, summary)
    if experiment.kind in DYNAMIC_KINDS:
        _print_standings(out, Path(folder), experiment)
    if summary.reasons:
        ends = ", ".join(f"{n} {word}" for word, n in sorted(summary.reasons.items(), key=lambda item: -item[1]))
        say(out, f"games ended by: {ends}")
        _print_repetition(out, Path(folder), experiment, summary, always=True)
    for player in summary.players:
        if player.warnings:
            say(out, f"warnings of {player.name}: {warnings_text(player.warnings)}")
    if unplayed := unplayed_line(folder, summary):
        say(out, unplayed)


def _print_repetition(out: Console, folder: Path, experiment: Experiment, summary: Summary, always: bool) -> None:
    """Whether games repeat each other, and if many do the intervals that stand all the same; `always`: also if none does."""
    with Reader(folder) as reader:
        found = distinct(reader)
        if found.repeated or always:
            say(out, found.sentence())
        few = not found.repeated or found.repeated < REPETITIVE * found.games
        if few or experiment.spsa is not None or experiment.kind not in AT_ONCE:
            return
        rows = by_opening(experiment, reader.rows())
    said = [
        f"{pairing.a} vs {pairing.b} {elo(row.outcome)} ({row.openings:,} {noun(row.openings, 'opening')})"
        for pairing, row in zip(summary.pairings, rows, strict=True)
        if pairing.played
    ]
    if said:
        say(out, f"As games repeat, with all those from one opening as one sample: {'; '.join(said)}.")


def players_table(summary: Summary) -> Grid:
    """A row for each player, best first."""
    columns = {"player": False, "Elo": True, "games": True, "points": True, "W/D/L": True, "white": True, "black": True}
    table = Grid({**columns, "depth": True, "nodes": True, "knps": True, "ms": True, "faults": True})
    for player in summaries.ranked(summary.players):
        cells = [
            player.name,
            rating(player.elo, player.elo_error, (player.wins, player.draws, player.losses)),
            str(player.games),
            plain(player.points),
            f"{player.wins}/{player.draws}/{player.losses}",
            "/".join(str(n) for n in player.white),
            "/".join(str(n) for n in player.black),
            _mean(player.depth, 1),
            _mean(player.nodes, 0),
            _mean(None if player.nps is None else player.nps / 1000, 0),
            _mean(player.ms, 1),
            faults_text(player.faults),
        ]
        table.add(cells)
    return table


def _mean(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def pairings_table(summary: Summary, screen: Mapping[str, object] | None = None) -> Grid:
    """A row for each pairing with its pentanomial counts, figures and node ratio."""
    columns = {"pairing": False, "games": True, "W/D/L": True, "score": True, PENTANOMIAL: True, "Elo [95 %]": True}
    columns |= {"LOS": True, "nElo": True, "draws": True}
    if screen is not None:
        columns |= {"nodes": True}
    table = Grid(columns)
    for pairing in summary.pairings:
        found = pairing.outcome()
        cells = [
            f"{pairing.a} vs {pairing.b}",
            f"{pairing.played} of {pairing.scheduled}",
            f"{pairing.wins}/{pairing.draws}/{pairing.losses}",
            "-" if pairing.score is None else f"{100 * pairing.score:.1f} %",
            " ".join(str(n) for n in pairing.pentanomial),
            elo(found),
            probability(found.los),
            bar(pairing.nelo, pairing.nelo_error),
            "-" if pairing.draw_ratio is None else f"{100 * pairing.draw_ratio:.0f} %",
        ]
        if screen is not None:
            ratio = pairing.nodes
            cells.append(f"{ratio.ratio:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]" if ratio else "-")
        table.add(cells)
    return table


def sprt_line(pairing: PairingSummary) -> str | None:
    """The test of a pairing: hypotheses, LLR within its bounds, decision, and the Elo corrected for the stop."""
    test = pairing.sprt
    if test is None:
        return None
    text = (
        f"{pairing.a} vs {pairing.b}: SPRT of {test.elo0:g} against {test.elo1:g} {test.model} Elo, "
        f"{llr(test.llr, test.lower, test.upper, test.verdict)}"
    )
    if test.elo is not None:
        text += f"; Elo corrected for the stop {plus(test.elo)}"
    return text


def _print_sprt(out: Console, summary: Summary) -> None:
    for line in map(sprt_line, summary.pairings):
        if line is not None:
            say(out, line)


def _print_standings(out: Console, folder: Path, experiment: Experiment) -> None:
    with Reader(folder) as reader:
        results = summaries.results_of(reader, experiment, reader.rows())
    for line in standing_lines(experiment, results):
        say(out, line)
