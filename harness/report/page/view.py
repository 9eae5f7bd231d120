"""The sections of the page, in its order: tables and pictures made of the facts of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from harness.analysis.summary import PairingSummary, ranked
from harness.report.page.drawing import charts
from harness.report.page.drawing import tradeoff as pictures
from harness.report.page.facts import Facts
from harness.report.page.series import Step, crosstable, named_pairs, opening_gains, progress
from harness.report.page.text import percent, saved
from harness.spec.settings import DYNAMIC_KINDS
from harness.stats import elo as stats
from harness.tables import fields, numbers
from harness.tables.verdict import limit_words, verdict
from harness.terminal.numbers import noun, plain

OPENINGS_SHOWN = 5
CURVES_SHOWN = 16
BARS_SHOWN = 64
TABLES_SHOWN = 24


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text; the first column names the row."""

    head: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    caption: str = ""
    words: frozenset[int] = frozenset()  # columns of words, which are set to the left


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture with its table; `remark` says what it shows, or why there is no picture."""

    title: str
    picture: Markup
    table: Table | None
    remark: str = ""
    legend: tuple[tuple[str, str], ...] = ()  # (style classes, name)
    open: bool = False  # the table is shown beside the picture, not folded away


def name_of(pairing: PairingSummary) -> str:
    """`lmr-off vs base`."""
    return f"{pairing.a} vs {pairing.b}"


def sentence(facts: Facts) -> str:
    """The verdict."""
    if not facts.summary.played:
        return "No game is finished yet."
    return verdict(facts.experiment, facts.summary, facts.screen)


def block(facts: Facts) -> str:
    """The figures of every pairing as plain lines for pasting."""
    lines = []
    limits = {player.limit for player in facts.experiment.players}
    pace = limit_words(limits.pop()) if len(limits) == 1 else "own limits"
    for pairing in facts.summary.pairings:
        # Of games that were played elsewhere the limit is not always known; their name says where they come from.
        where = "" if facts.experiment.source else f" ({pace})"
        lines.append(f"{facts.summary.name}: {name_of(pairing)}{where}")
        found = pairing.outcome()
        how = ", corrected for the stop of the test" if found.corrected else ""
        lines.append(f"Elo   | {numbers.elo(found)} (95 %{how}), LOS {numbers.probability(found.los)}")
        if pairing.sprt:
            test = pairing.sprt
            lines.append(
                f"SPRT  | [{test.elo0:g}, {test.elo1:g}] {test.model}, alpha {test.alpha:g}, beta {test.beta:g}"
            )
            told = numbers.llr(test.llr, test.lower, test.upper, test.verdict)
            lines.append(f"LLR   | {told.removeprefix('LLR ')}")
        lines.append(f"Games | N: {pairing.played} W: {pairing.wins} L: {pairing.losses} D: {pairing.draws}")
        lines.append(f"Penta | {pairing.pentanomial}" + (f" and {pairing.unpaired} single" if pairing.unpaired else ""))
        if pairing.nodes:
            nodes = pairing.nodes
            lines.append(f"Nodes | x{nodes.ratio:.2f} ({nodes.low:.2f} to {nodes.high:.2f}) to depth {nodes.depth}")
        lines.append("")
    return "\n".join(lines).strip()


def tradeoff(facts: Facts) -> Figure:
    """Nodes saved against Elo earned, a point for each variant."""
    rows = []
    for pairing in facts.summary.pairings:
        found, nodes = pairing.outcome(), pairing.nodes
        between = f"{nodes.low:.2f} to {nodes.high:.2f}" if nodes else "–"
        rows.append(
            (
                name_of(pairing),
                f"×{nodes.ratio:.2f}" if nodes else "not screened",
                between,
                saved(nodes.ratio) if nodes else "–",
                numbers.UNKNOWN if found.elo is None else numbers.plus(found.elo),
                numbers.interval(found.low, found.high),
            )
        )
    head = ("pairing", "nodes", "95 %", "in words", "Elo", "95 %")
    picture, unnamed = pictures.picture(facts.summary.pairings)
    if picture:
        depth = next(p.nodes for p in facts.summary.pairings if p.nodes)
        positions = f"{depth.positions} {noun(depth.positions, 'position')}"
        remark = (
            f"Up: stronger in games than {_bases(facts)}. Right: fewer nodes to depth {depth.depth} over "
            f"{positions}. A technique worth having sends the variant without it to the lower left. "
            "Bars are 95 % intervals."
        )
        if unnamed:
            are = "is too close to others" if unnamed == 1 else "are too close together"
            remark += f" {unnamed} of the points {are} to be named in the picture."
    else:
        remark = "No variant has both a node screen and an Elo yet; [screen] in the experiment asks for the screen."
    return Figure(
        "Nodes saved against Elo earned", picture, Table(head, tuple(rows), words=frozenset({3})), remark, open=True
    )


def _bases(facts: Facts) -> str:
    names = list(dict.fromkeys(p.b for p in facts.summary.pairings if p.nodes))
    return " and ".join(names)


def ranking(facts: Facts) -> tuple[Figure, Table | None]:
    """Joint ratings with the confidence that each is better than the next, and that of everyone against everyone."""
    players = facts.summary.players
    places = {player.name: index for index, player in enumerate(players)}
    order = [places[player.name] for player in ranked(players)]
    cfs = facts.field.cfs
    entries, rows = [], []
    for place, index in enumerate(order):
        player = players[index]
        below = order[place + 1] if place + 1 < len(order) else None
        confidence = cfs[index][below] if below is not None else None
        entries.append((index, player, confidence))
        share = percent(player.points / player.games) if player.games else "–"
        rows.append(
            (
                player.name,
                numbers.rating(player.elo, player.elo_error, (player.wins, player.draws, player.losses)),
                f"{plain(player.points)} of {player.games}",
                share,
                "/".join(map(str, (player.wins, player.draws, player.losses))),
                "–" if below is None or confidence is None else numbers.probability(confidence),
            )
        )
    head = ("player", "Elo", "points", "score", "W/D/L", "CFS over next")
    figure = Figure(
        "Ranking",
        charts.ranking(entries),
        Table(head, tuple(rows)),
        "All games rated at once, mean 0, 95 % bars. CFS is the confidence that a player is stronger than another.",
        open=True,
    )
    if not any(value is not None for row in cfs for value in row):
        return figure, None
    matrix = tuple(
        (players[i].name, *("·" if i == j else percent(cfs[i][j], 0) if cfs[i][j] is not None else "–" for j in order))
        for i in order
    )
    return figure, Table(
        ("row above column", *(players[j].name for j in order)), matrix, "CFS of the row over the column"
    )


def standings(facts: Facts) -> list[str]:
    """Places and points of a tournament with rounds; empty for the other kinds."""
    if facts.experiment.kind not in DYNAMIC_KINDS:
        return []
    return fields.standing_lines(facts.experiment, facts.results)


def curves_of(facts: Facts) -> tuple[list[tuple[int, str, Sequence[Step]]], int]:
    """(index, name, steps) of the pairings with most pairs, as many as a picture holds, and how many are left out."""
    named = named_pairs(facts)
    with_pairs = [index for index, (_, pairs) in enumerate(named) if pairs]
    chosen = sorted(sorted(with_pairs, key=lambda index: -len(named[index][1]))[:CURVES_SHOWN])
    curves: list[tuple[int, str, Sequence[Step]]] = []
    for index in chosen:
        name, pairs = named[index]
        curves.append((len(curves), name, progress(pairs, facts.experiment.sprt, facts.experiment.matches)))
    return curves, len(with_pairs) - len(chosen)


def _left_out(count: int) -> str:
    if not count:
        return ""
    return f" {count} more {noun(count, 'pairing')} {'is' if count == 1 else 'are'} in the tables only."


def progress_figures(facts: Facts) -> list[Figure]:
    """Elo with its band, and LLR with its bounds, against pairs played."""
    curves, left_out = curves_of(facts)
    more = _left_out(left_out)
    legend = tuple((charts.style(index), name) for index, name, _ in curves)
    sprt = facts.experiment.sprt
    rows: list[tuple[object, ...]] = []
    for _, name, steps in curves:
        for step in _some(steps):
            elo = numbers.UNKNOWN if step.elo is None else numbers.plus(step.elo)
            cells = (name, step.pairs, elo, numbers.interval(step.low, step.high))
            llr = "–" if step.llr is None else f"{step.llr:+.2f}"
            rows.append(cells if sprt is None else (*cells, llr))
    head = ("pairing", "pairs", "Elo", "95 %", *(() if sprt is None else ("LLR",)))
    table = Table(head, tuple(rows)) if rows else None
    picture = charts.elo_progress(curves)
    if picture:
        remark = f"The band is the 95 % interval after so many pairs.{more}"
    else:
        remark = "Too few pairs for a curve." if rows else "No pair is complete yet."
    figures = [Figure("Elo against pairs played", picture, table, remark, legend)]
    if sprt is None:
        remark = "No sequential test was asked for ([sprt]): the number of games was fixed, so there is no LLR."
        figures.append(Figure("LLR against pairs played", Markup(""), None, remark))
    else:
        low, high = stats.bounds(sprt.alpha, sprt.beta)
        words = [
            f"{name_of(p)}: {numbers.decision(p.sprt.verdict)} at LLR {p.sprt.llr:.2f}"
            for p in facts.summary.pairings[:CURVES_SHOWN]
            if p.sprt
        ]
        remark = (
            f"{sprt.model} model, {sprt.elo0:g} against {sprt.elo1:g} Elo, bounds {low:.2f} and {high:.2f}. "
            + "; ".join(words)
        )
        figures.append(
            Figure("LLR against pairs played", charts.llr_progress(curves, sprt, low, high), table, remark, legend)
        )
    return figures


def _some(steps: Sequence[Step]) -> Sequence[Step]:
    """A few steps of a curve, the last among them."""
    return steps if len(steps) < 7 else [steps[round(n * (len(steps) - 1) / 5)] for n in range(6)]


def crosstable_of(facts: Facts) -> Table:
    """Every player against every other, split by colour; if all meet only one player, a row for each."""
    found = crosstable(facts)
    names = [player.name for player in facts.experiment.players]
    bases = {couple.b for couple in facts.pairings}
    if len(bases) == 1:
        base = bases.pop()
        lines = []
        for couple in facts.pairings:
            cell = found[couple.a][base]
            words = ("–", "–", "–") if cell is None else (_points(*cell), _wdl(cell[0]), _wdl(cell[1]))
            lines.append((names[couple.a], *words))
        return Table((f"against {names[base]}", "points", "with White", "with Black"), tuple(lines))
    rows = []
    for i, name in enumerate(names):
        cells: list[object] = [name]
        for j in range(len(names)):
            cell = found[i][j]
            cells.append("·" if i == j else "–" if cell is None else _cell(*cell))
        rows.append(tuple(cells))
    return Table(
        ("row against column", *names), tuple(rows), "Wins, draws and losses of the row; W: it had white, B: black"
    )


def _cell(white: list[int], black: list[int]) -> str:
    return f"{_points(white, black)}\nW {_wdl(white)}\nB {_wdl(black)}"


def _points(white: list[int], black: list[int]) -> str:
    return f"{white[0] + black[0] + (white[1] + black[1]) / 2:g}/{sum(white) + sum(black)}"


def _wdl(counts: list[int]) -> str:
    return f"+{counts[0]} ={counts[1]} -{counts[2]}"


def pentanomial(facts: Facts) -> Figure:
    """The pentanomial counts of each pairing."""
    pairings = list(enumerate(facts.summary.pairings))
    rows = tuple((name_of(p), *p.pentanomial, p.unpaired) for _, p in pairings)
    head = ("pairing", "0", "½", "1", "1½", "2", "single games")
    paired = [(index, p) for index, p in pairings if sum(p.pentanomial)]
    drawn = sorted(sorted(paired, key=lambda one: -sum(one[1].pentanomial))[:BARS_SHOWN], key=lambda one: one[0])
    remark = (
        "Points of the first player from the two games of a pair: both lost, half, one, one and a half, both won."
        f"{_left_out(len(paired) - len(drawn))}"
    )
    return Figure("Pentanomial", charts.pentanomial(drawn), Table(head, rows), remark, open=True)


def opening_tables(facts: Facts) -> list[tuple[str, Table]]:
    """For each pairing the openings where the first player gained and lost most."""
    found: list[tuple[str, Table]] = []
    for index, couple in enumerate(facts.pairings):
        gains = opening_gains(facts.pairs[index])
        if len(gains) < 2 or len(found) == TABLES_SHOWN:
            continue
        count = min(OPENINGS_SHOWN, len(gains) // 2)
        rows = tuple(
            (
                one.name or "–",
                _line(one.line, one.fen),
                f"{plain(one.points)} of {2 * one.pairs}",
                f"{one.gain:+.2f}",
                ", ".join(map(str, one.games[:4])) + (" …" if len(one.games) > 4 else ""),
            )
            for one in [*gains[:count], *gains[-count:]]
        )
        head = ("opening", "moves", "points", "gain a pair", "games")
        found.append((f"{facts.name(couple.a)} vs {facts.name(couple.b)}", Table(head, rows, words=frozenset({1, 4}))))
    return found


def _line(line: str, fen: str) -> str:
    """The moves of an opening in SAN; its position if it has none."""
    import chess

    words = line.split()
    if not words:
        return fen
    try:
        board = chess.Board(fen)
        return board.variation_san([chess.Move.from_uci(word) for word in words])
    except ValueError:
        return line


def bounds(facts: Facts) -> list[dict[str, str]]:
    """The LLR of each pairing as a bar between its bounds; empty without a test."""
    bars = []
    for pairing in facts.summary.pairings:
        test = pairing.sprt
        if test is None:
            continue
        inside = min(test.upper, max(test.lower, test.llr))  # pairs in play at the stop may carry it on
        zero, place = (100 * (value - test.lower) / (test.upper - test.lower) for value in (0.0, inside))
        bars.append(
            {
                "name": name_of(pairing),
                "llr": f"{test.llr:.2f}",
                "low": f"{test.lower:.2f}",
                "high": f"{test.upper:.2f}",
                "zero": f"{zero:.1f}",
                "left": f"{min(zero, place):.1f}",
                "width": f"{abs(zero - place):.1f}",
                "side": "h1" if place > zero else "h0",
                "verdict": numbers.decision(test.verdict),
            }
        )
    return bars
