"""Summaries for people: pairing lines, the final table of a run and what it means, the tables of `gauntlet show`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from harness.analysis import summary as summaries
from harness.analysis.summary import PairingSummary, PlayerSummary, Summary
from harness.model import Limit
from harness.schedule import rounds
from harness.spec.settings import Experiment
from harness.spec.toml_table import clock_text, plain
from harness.tables.grid import UNKNOWN, Grid, console

if TYPE_CHECKING:
    from rich.console import Console

SETTLED = 10.0  # Elo: how fine a difference the closing sentence counts games for
PENTANOMIAL = "LL LD DD WD WW".replace(" ", "\u00a0")
MOST_NAMED = 4  # pairings in a sentence


def signed(value: float, digits: int = 1) -> str:
    """A number with as many digits, never minus nought."""
    text = f"{value:.{digits}f}"
    return text[1:] if text.strip("-0.") == "" and text.startswith("-") else text


def bar(value: float | None, error: float | None, digits: int = 1) -> str:
    """`-62.1 ± 24.0`, with words where a figure is missing."""
    if value is None:
        return UNKNOWN
    return f"{signed(value, digits)} ± {UNKNOWN if error is None else f'{error:.{digits}f}'}"


def pairing_line(pairing: PairingSummary, screened: bool) -> str:
    """`lmr-off vs base   Elo -62.1 ± 24.0   nodes 1.84 ± 0.11   +20 =31 -49 of 100`."""
    parts = [f"{pairing.a} vs {pairing.b}", f"Elo {bar(pairing.elo, pairing.elo_error)}"]
    if screened:
        ratio = pairing.nodes
        parts.append(f"nodes {bar(ratio.ratio, ratio.error, 2) if ratio else UNKNOWN}")
    parts.append(f"+{pairing.wins} ={pairing.draws} -{pairing.losses} of {pairing.scheduled}")
    return "   ".join(parts)


def final_lines(folder: Path | str) -> list[str]:
    """The line of each pairing, as they stand before `results: DIR`."""
    _, summary, screen = summaries.read(folder)
    return [pairing_line(pairing, screen is not None) for pairing in summary.pairings]


def print_final(folder: Path | str) -> None:
    """The table that ends a run, the sentence under it, and a line for each pairing."""
    experiment, summary, screen = summaries.read(folder)
    out = console()
    final_table(summary, screen).print(out)
    if experiment.kind in summaries.DYNAMIC:
        _print_standings(out, Path(folder), experiment)
    firsts = {pairing.a for pairing in summary.pairings}
    for player in summary.players:
        if player.name not in firsts and player.faults:
            out.print(f"faults of {player.name}: {faults_text(player)}", soft_wrap=True)
    _print_sprt(out, summary)
    out.print(verdict(experiment, summary, screen), soft_wrap=not out.is_terminal)
    found = _distinct(Path(folder))
    if "repeat" in found:
        out.print(found, soft_wrap=True)
    if experiment.claim is not None:
        claim = experiment.claim
        out.print(f"{claim.id}{f' ({claim.where})' if claim.where else ''} claims: {claim.text}.", soft_wrap=True)
    if unplayed := unplayed_line(folder, summary):
        out.print(unplayed, soft_wrap=True)
    out.print()
    for pairing in summary.pairings:
        # The line is for other programs too: never broken.
        out.print(pairing_line(pairing, screen is not None), soft_wrap=True)


def unplayed_line(folder: Path | str, summary: Summary) -> str | None:
    """How many games are missing and why; None when all were played or made needless by a verdict."""
    if summary.kind in summaries.DYNAMIC:
        count = summary.scheduled - summary.played
    else:
        undecided = [p for p in summary.pairings if p.sprt is None or p.sprt.verdict is None]
        count = sum(pairing.scheduled - pairing.played for pairing in undecided)
    if count <= 0:
        return None
    text = f"{count} of {summary.scheduled} games were not played: "
    if summary.state != "done":
        return text + f"the run was stopped; gauntlet resume {folder} goes on with them"
    return text + f"their players did not start, or ended what was to play them; {Path(folder) / 'run.log'} says which"


def _pairing_names(summary: Summary) -> tuple[str, list[str]]:
    """A title for the column of pairings and a name for each: a's alone where all meet the same b."""
    others = {pairing.b for pairing in summary.pairings}
    if len(others) == 1:
        return f"against {others.pop()}", [pairing.a for pairing in summary.pairings]
    return "pairing", [f"{pairing.a} vs {pairing.b}" for pairing in summary.pairings]


def faults_text(player: PlayerSummary) -> str:
    """`0`, or `3: 2 time, 1 crash`."""
    total = sum(player.faults.values())
    return f"{total}: " + ", ".join(f"{n} {word}" for word, n in sorted(player.faults.items())) if total else "0"


def final_table(summary: Summary, screen: Mapping[str, object] | None) -> Grid:
    """A row for each pairing: games, W/D/L, Elo, LOS, nodes, time to depth, and the faults of a in all its games."""
    head, names = _pairing_names(summary)
    columns = {head: False, "games": True, "W/D/L": True, "Elo (95 %)": True, "LOS": True}
    if screen is not None:
        columns |= {"nodes": True, "time to depth": True}
    table = Grid({**columns, "faults": True})
    players = {player.name: player for player in summary.players}
    for pairing, name in zip(summary.pairings, names, strict=True):
        cells = [
            name,
            str(pairing.played),
            f"{pairing.wins}/{pairing.draws}/{pairing.losses}",
            bar(pairing.elo, pairing.elo_error),
            UNKNOWN if pairing.los is None else f"{100 * pairing.los:.1f} %",
        ]
        if screen is not None:
            cells += [bar(pairing.nodes.ratio, pairing.nodes.error, 2) if pairing.nodes else UNKNOWN]
            cells += [_time_ratio(screen, pairing)]
        cells.append(faults_text(players[pairing.a]))
        table.add(cells)
    return table


def _time_ratio(screen: Mapping[str, object], pairing: PairingSummary) -> str:
    rows = screen.get("variants")
    for row in rows if isinstance(rows, list) else []:
        if row["name"] == pairing.a and screen.get("base") == pairing.b:
            return bar(row.get("time_ratio"), row.get("time_error"), 2)
    return UNKNOWN


def limit_words(limit: Limit) -> str:
    """A limit as one would say it."""
    if limit.movetime is not None:
        return f"{plain(limit.movetime)} s a move"
    if limit.nodes is not None:
        return f"{limit.nodes} nodes a move"
    if limit.depth is not None:
        return f"depth {limit.depth}"
    return f"{clock_text(limit)} s"


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def verdict(experiment: Experiment, summary: Summary, screen: Mapping[str, object] | None) -> str:
    """In a sentence: what was measured, and what cannot be concluded from so few games."""
    limits = {player.limit for player in experiment.players}
    pace = limit_words(experiment.limit) if limits == {experiment.limit} else "each player's own limit"
    parts = [f"Measured: {summary.played} games at {pace}, each opening with both colours"]
    settled, open_ = [], []
    for pairing in summary.pairings:
        low, high = _interval(pairing)
        if low is None or high is None or low <= 0.0 <= high:
            open_.append(pairing)
        else:
            word = "stronger" if low > 0 else "weaker"
            settled.append(f"{pairing.a} is {word} than {pairing.b} by {abs(low):.0f} to {abs(high):.0f} Elo")
            if low < 0:
                settled[-1] = f"{pairing.a} is {word} than {pairing.b} by {abs(high):.0f} to {abs(low):.0f} Elo"
    if len(settled) > MOST_NAMED:
        settled = [*settled[:MOST_NAMED], f"{len(settled) - MOST_NAMED} more pairings are decided"]
    parts.append(_and(settled) if settled else "no pairing is decided at 95 %")
    if open_:
        few = len(open_) <= MOST_NAMED
        names = _and([f"{pairing.a} vs {pairing.b}" for pairing in open_]) if few else f"{len(open_)} pairings"
        parts.append(f"cannot be concluded yet: who is better in {names}, where the interval holds 0 or is open")
    if needed := max((games_needed(pairing) or 0 for pairing in summary.pairings), default=0):
        parts.append(f"a difference of {SETTLED:.0f} Elo takes about {needed:,} games a pairing to be seen")
    if screen is not None:
        parts.append(f"node ratios are of fixed depth {screen['depth']} and say nothing of strength by themselves")
    return "; ".join(parts) + "."


def _interval(pairing: PairingSummary) -> tuple[float | None, float | None]:
    found = pairing.estimate()
    return found.elo_low, found.elo_high


def games_needed(pairing: PairingSummary) -> int | None:
    """Games until the 95 % interval is as narrow as ±10 Elo, two digits; None while the spread is not known."""
    found = pairing.estimate()
    if found.elo_error is None or found.elo_error <= SETTLED:
        return None
    games = found.games * (found.elo_error / SETTLED) ** 2
    step = 10 ** max(0, len(str(int(games))) - 2)
    return int(-(-games // step) * step)


# gauntlet show --------------------------------------------------------------------------------------------------------


def print_show(folder: Path | str) -> None:
    """The state of a run: players, pairings, how games ended."""
    experiment, summary, screen = summaries.read(folder)
    out = console()
    hours = summary.seconds / 3600
    out.print(
        f"{summary.name}: {summary.kind}, {summary.state}, {summary.played} of {summary.scheduled} games, "
        f"{summary.plies} plies, {hours:.2f} h",
        soft_wrap=True,
    )
    players_table(summary).print(out)
    if any(pairing.played for pairing in summary.pairings):
        pairings_table(summary).print(out)
    _print_sprt(out, summary)
    if experiment.kind in summaries.DYNAMIC:
        _print_standings(out, Path(folder), experiment)
    if summary.reasons:
        ends = ", ".join(f"{n} {word}" for word, n in sorted(summary.reasons.items(), key=lambda item: -item[1]))
        out.print(f"games ended by: {ends}", soft_wrap=True)
        out.print(_distinct(Path(folder)), soft_wrap=True)
    warnings = {player.name: player.warnings for player in summary.players if player.warnings}
    for name, words in warnings.items():
        out.print(f"warnings of {name}: " + ", ".join(f"{n} {word}" for word, n in words.items()), soft_wrap=True)
    for pairing in summary.pairings:
        out.print(pairing_line(pairing, screen is not None), soft_wrap=True)


def _distinct(folder: Path) -> str:
    from harness.journal.distinct import distinct
    from harness.journal.journal import Reader

    with Reader(folder) as reader:
        return distinct(reader).sentence()


def players_table(summary: Summary) -> Grid:
    """A row for each player, best first."""
    columns = {"player": False, "Elo": True, "games": True, "points": True, "W/D/L": True, "white": True, "black": True}
    table = Grid({**columns, "depth": True, "nodes": True, "knps": True, "ms": True, "faults": True})
    for player in sorted(summary.players, key=lambda one: (one.elo is None, -(one.elo or 0.0), -one.points)):
        cells = [
            player.name,
            bar(player.elo, player.elo_error),
            str(player.games),
            f"{player.points:g}",
            f"{player.wins}/{player.draws}/{player.losses}",
            "/".join(str(n) for n in player.white),
            "/".join(str(n) for n in player.black),
            _mean(player.depth, 1),
            _mean(player.nodes, 0),
            _mean(None if player.nps is None else player.nps / 1000, 0),
            _mean(player.ms, 1),
            faults_text(player),
        ]
        table.add(cells)
    return table


def _mean(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def pairings_table(summary: Summary) -> Grid:
    """A row for each pairing with its pentanomial counts and test."""
    head, names = _pairing_names(summary)
    columns = {head: False, "games": True, "score": True, PENTANOMIAL: True, "Elo (95 %)": True}
    table = Grid({**columns, "LOS": True, "nElo (95 %)": True, "draws": True})
    for pairing, name in zip(summary.pairings, names, strict=True):
        cells = [
            name,
            str(pairing.played),
            "-" if pairing.score is None else f"{100 * pairing.score:.1f} %",
            " ".join(str(n) for n in pairing.pentanomial),
            bar(pairing.elo, pairing.elo_error),
            UNKNOWN if pairing.los is None else f"{100 * pairing.los:.1f} %",
            bar(pairing.nelo, pairing.nelo_error),
            "-" if pairing.draw_ratio is None else f"{100 * pairing.draw_ratio:.0f} %",
        ]
        table.add(cells)
    return table


def sprt_line(pairing: PairingSummary) -> str | None:
    """The test of a pairing: hypotheses, LLR within its bounds, verdict, and the Elo corrected for the early stop."""
    test = pairing.sprt
    if test is None:
        return None
    from harness.stats import elo as stats

    text = (
        f"{pairing.a} vs {pairing.b}   SPRT {test.elo0:g} against {test.elo1:g} ({test.model} Elo)   "
        f"LLR {test.llr:.2f} [{test.lower:.2f}, {test.upper:.2f}]   {test.verdict or 'undecided'}"
    )
    corrected = stats.sprt_elo(pairing.pentanomial, test.elo0, test.elo1, test.alpha, test.beta, test.model)
    if test.verdict and corrected:
        text += f"   Elo corrected for the stop {corrected[0]:.1f} [{corrected[1]:.1f}, {corrected[2]:.1f}]"
    return text


def _print_sprt(out: Console, summary: Summary) -> None:
    for line in map(sprt_line, summary.pairings):
        if line is not None:
            out.print(line, soft_wrap=True)


def standing_lines(experiment: Experiment, results: Mapping[int, str]) -> list[str]:
    """A line for each division of each season of a league; the places of the last round of the other kinds."""
    stages = rounds.stages(experiment, results)
    league = experiment.kind == "league"
    lines = []
    for stage in stages if league else stages[-1:]:
        title = stage.title if stage.complete else f"{stage.title} (in play)"
        for number, group in enumerate(stage.groups, 1):
            places = enumerate(group, 1)
            names = ", ".join(f"{n} {experiment.players[player].name} ({points:g})" for n, (player, points) in places)
            lines.append(f"{title}, division {number}: {names}" if league else f"standings, {title}: {names}")
    return lines


def _print_standings(out: Console, folder: Path, experiment: Experiment) -> None:
    from harness.journal.journal import Reader

    with Reader(folder) as reader:
        results = summaries.results_of(reader, experiment, reader.rows())
    for line in standing_lines(experiment, results):
        out.print(line, soft_wrap=True)
