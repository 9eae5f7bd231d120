"""What each section of the page says: tables and pictures made of the facts of a run, in the order of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from harness.analysis.summary import DYNAMIC, PairingSummary, ranked
from harness.report.page import charts
from harness.report.page import tradeoff as pictures
from harness.report.page.facts import Facts, MoveFigures
from harness.report.page.series import Step, crosstable, named_pairs, opening_gains, paired_ratios, progress
from harness.report.page.text import number, percent, saved
from harness.stats import elo as stats
from harness.tables import numbers
from harness.tables import summaries as tables

STAGES_SHOWN = 12
INDEX_SHOWN = 8
OPENINGS_SHOWN = 5
CURVES_SHOWN = 16
TABLES_SHOWN = 24
NO_STATS = "No engine sent # stats lines: set Stats = true in [base] to have its cutoffs counted."


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text; the first column names the row."""

    head: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    caption: str = ""
    words: frozenset[int] = frozenset()  # columns that hold words, set to the left


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture and its text equivalent; `remark` says what to see, or why there is no picture."""

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
    return tables.verdict(facts.experiment, facts.summary, facts.screen)


def block(facts: Facts) -> str:
    """The figures of every pairing as plain lines to paste elsewhere."""
    lines = []
    limits = {player.limit for player in facts.experiment.players}
    pace = tables.limit_words(facts.experiment.limit) if len(limits) == 1 else "own limits"
    for pairing in facts.summary.pairings:
        lines.append(f"{facts.summary.name}: {name_of(pairing)} ({pace})")
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
    """The project's own picture."""
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
        remark = (
            f"Up: stronger in games than {_bases(facts)}. Right: fewer nodes to depth {depth.depth} over "
            f"{depth.positions} positions. A technique worth having sends the variant without it to the lower left. "
            "Bars are 95 % intervals."
        )
        if unnamed:
            remark += f" {unnamed} of the points are too close together to be named in the picture."
    else:
        remark = "No variant has both a node screen and an Elo yet; [screen] in the experiment asks for the screen."
    return Figure(
        "Nodes saved against Elo earned", picture, Table(head, tuple(rows), words=frozenset({3})), remark, open=True
    )


def _bases(facts: Facts) -> str:
    names = list(dict.fromkeys(p.b for p in facts.summary.pairings if p.nodes))
    return " and ".join(names)


def _end(value: float | None) -> str:
    return "open" if value is None else f"{value:+.1f}"


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
                f"{player.points:g} of {player.games}",
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
    if facts.experiment.kind not in DYNAMIC:
        return []
    return tables.standing_lines(facts.experiment, facts.results)


def curves_of(facts: Facts) -> tuple[list[tuple[int, str, Sequence[Step]]], int]:
    """(index, name, steps) of the pairings with most pairs, as many as a picture holds; and how many are left out."""
    named = named_pairs(facts)
    with_pairs = [index for index, (_, pairs) in enumerate(named) if pairs]
    chosen = sorted(sorted(with_pairs, key=lambda index: -len(named[index][1]))[:CURVES_SHOWN])
    curves: list[tuple[int, str, Sequence[Step]]] = []
    for index in chosen:
        name, pairs = named[index]
        curves.append((len(curves), name, progress(pairs, facts.experiment.sprt)))
    return curves, len(with_pairs) - len(chosen)


def progress_figures(facts: Facts) -> list[Figure]:
    """Elo with its band, and LLR with its bounds, against pairs played."""
    curves, left_out = curves_of(facts)
    more = f" {left_out} more pairings are in the tables only." if left_out else ""
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
    figures = [
        Figure(
            "Elo against pairs played",
            charts.elo_progress(curves),
            table,
            f"The band is the 95 % interval after so many pairs.{more}" if rows else "No pair is complete yet.",
            legend,
        )
    ]
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
    """Every player against every other, split by colour; where all meet one alone, a row for each of them."""
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
    """What the pairs brought."""
    pairings = list(enumerate(facts.summary.pairings))
    rows = tuple((name_of(p), *p.pentanomial, p.unpaired) for _, p in pairings)
    head = ("pairing", "0", "½", "1", "1½", "2", "single games")
    remark = "Points of the first player from the two games of a pair: both lost, half, one, one and a half, both won."
    return Figure("Pentanomial", charts.pentanomial(pairings), Table(head, rows), remark, open=True)


def _means_title(facts: Facts) -> str:
    limited = any(player.limit.nodes for player in facts.experiment.players)
    return "In the games, means over all moves" + (f" ({numbers.NODES_NOTE})" if limited else "")


def variants(facts: Facts) -> list[tuple[str, Table]]:
    """Depth, nodes, speed and time per player, to depth and in games."""
    players = facts.summary.players
    rows = tuple(
        (p.name, number(p.depth, 1), number(p.nodes), number(p.nps and p.nps / 1000), number(p.ms, 1)) for p in players
    )
    found = [(_means_title(facts), Table(("player", "depth", "nodes a move", "knps", "ms a move"), rows))]
    paired = []
    for index, couple in enumerate(facts.pairings):
        ratios = paired_ratios(facts, index)
        if ratios:
            cells = [
                f"×{r.ratio:.2f} ({r.low:.2f} to {r.high:.2f})" if (r := ratios.get(k)) else "–"
                for k in ("nodes a move", "nodes a second", "time a move", "depth")
            ]
            paired.append((f"{facts.name(couple.a)} / {facts.name(couple.b)}", *cells))
    if paired:
        head = ("pairing", "nodes a move", "nodes a second", "time a move", "depth")
        found.append(
            ("First over second, by opening: geometric mean over the pairs of games, 95 %", Table(head, tuple(paired)))
        )
    if facts.screen is not None:
        found.append(
            (f"To depth {facts.screen['depth']}, over {facts.screen['positions']} positions", _screen_table(facts))
        )
    return found


def _screen_table(facts: Facts) -> Table:
    assert facts.screen is not None
    base = facts.screen.get("base_figures")
    rows = []
    for row in [*([base] if base else []), *facts.screen.get("variants", [])]:
        is_base = row is base
        rows.append(
            (
                row["name"],
                number(row.get("nodes")),
                "1" if is_base else f"×{row['ratio']:.2f} ({row['low']:.2f} to {row['high']:.2f})",
                number(row.get("seconds"), 2),
                "1"
                if is_base or row.get("time_ratio") is None
                else f"×{row['time_ratio']:.2f} ({row['time_low']:.2f} to {row['time_high']:.2f})",
                number(row.get("ebf2"), 2),
                percent(row.get("first_move_cutoffs")) if row.get("first_move_cutoffs") is not None else "–",
                number(row.get("cut_index"), 2),
            )
        )
    head = (
        "player",
        "nodes",
        "of the base's",
        "time to depth, s",
        "of the base's",
        "branching",
        "cut by first move",
        "mean index of the cut",
    )
    return Table(head, tuple(rows))


def cutoffs(facts: Facts) -> list[Figure]:
    """Cutoffs by stage and by the index of the cutting move, from `# stats`; a remark alone without any."""
    reported: list[tuple[int, str, MoveFigures]] = [
        (i, facts.name(i), figures) for i, figures in enumerate(facts.scan.players) if figures.cutoffs
    ]
    if not reported:
        return [Figure("Cutoffs by stage and by index of the cutting move", Markup(""), None, NO_STATS)]
    totals: dict[str, int] = {}
    for _, _, figures in reported:
        for stage, times in figures.stages.items():
            totals[stage] = totals.get(stage, 0) + times
    stages = sorted(totals, key=lambda stage: -totals[stage])[:STAGES_SHOWN]
    by_stage = [(i, name, {s: _share(f.stages[s], sum(f.stages.values())) for s in stages}) for i, name, f in reported]
    places = [str(n + 1) if n < INDEX_SHOWN - 1 else f"{INDEX_SHOWN} or later" for n in range(INDEX_SHOWN)]
    by_index = []
    for i, name, figures in reported:
        total = sum(figures.index.values())
        values = {place: _share(figures.index[n], total) for n, place in enumerate(places[:-1])}
        values[places[-1]] = _share(sum(times for n, times in figures.index.items() if n >= INDEX_SHOWN - 1), total)
        by_index.append((i, name, values))
    legend = tuple((charts.style(i), name) for i, name, _ in reported)
    sums = tuple(
        (
            name,
            number(f.reported),
            number(f.main_nodes),
            number(f.q_nodes),
            number(f.cutoffs),
            percent(_share(f.first, f.cutoffs)),
        )
        for _, name, f in reported
    )
    head = ("player", "searches", "main nodes", "quiescence nodes", "cutoffs", "by the first move")
    return [
        Figure("Cutoffs", Markup(""), Table(head, sums), "From the # stats lines of the games.", open=True),
        Figure(
            "Cutoffs by stage",
            charts.shares("Share of cutoffs by stage", stages, by_stage),
            _share_table("stage", stages, by_stage),
            "Which stage of the move order gave the cutting move.",
            legend,
        ),
        Figure(
            "Cutoffs by index of the cutting move",
            charts.shares("Share of cutoffs by index", places, by_index),
            _share_table("move", places, by_index),
            "How many moves were searched until one cut off: 1 is perfect ordering.",
            legend,
        ),
    ]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _share_table(word: str, names: Sequence[str], rows: Sequence[tuple[int, str, dict[str, float]]]) -> Table:
    return Table(
        (word, *(player for _, player, _ in rows)),
        tuple((name, *(percent(values[name]) for _, _, values in rows)) for name in names),
    )


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
                f"{one.points:g} of {2 * one.pairs}",
                f"{one.gain:+.2f}",
                ", ".join(map(str, one.games[:4])) + (" …" if len(one.games) > 4 else ""),
            )
            for one in [*gains[:count], *gains[-count:]]
        )
        head = ("opening", "moves", "points", "gain a pair", "games")
        found.append((f"{facts.name(couple.a)} vs {facts.name(couple.b)}", Table(head, rows, words=frozenset({1, 4}))))
    return found


def _line(line: str, fen: str) -> str:
    """The moves of an opening as people write them, the position for one without moves."""
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
