"""Sections on the searches behind the moves: depth, nodes and speed, and which moves cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from harness.report.page.drawing import charts
from harness.report.page.facts import Facts, MoveFigures
from harness.report.page.series import paired_ratios
from harness.report.page.text import number, percent
from harness.report.page.view import Figure, Table
from harness.tables import numbers
from harness.terminal.numbers import noun

STAGES_SHOWN = 12
INDEX_SHOWN = 8
NO_STATS = "No engine sent # stats lines: set Stats = true in [base] to have its cutoffs counted."


def variants(facts: Facts) -> list[tuple[str, Table]]:
    """Depth, nodes, speed and time of each player, in the node screen and in games."""
    players = facts.summary.players
    foreign = bool(facts.experiment.source)  # a PGN file may have no times
    rows = tuple(
        (
            p.name,
            number(p.depth, 1),
            number(p.nodes),
            number(p.nps and p.nps / 1000),
            number(p.ms or None if foreign else p.ms, 1),
        )
        for p in players
    )
    note = numbers.NODES_NOTE if any(player.limit.nodes for player in facts.experiment.players) else ""
    found = [
        (
            "In the games, means over all moves",
            Table(("player", "depth", "nodes a move", "knps", "ms a move"), rows, note),
        )
    ]
    paired = []
    for couple, ratios in zip(facts.pairings, paired_ratios(facts), strict=True):
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
        count: Any = facts.screen["positions"]
        found.append(
            (f"To depth {facts.screen['depth']}, over {count} {noun(count, 'position')}", _screen_table(facts))
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
                "1" if is_base else _times(row),
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


def _times(row: Mapping[str, Any]) -> str:
    """The time of a player over that of the base, with its interval; screens of old have none."""
    ratio, low, high = (row.get(key) for key in ("time_ratio", "time_low", "time_high"))
    if ratio is None:
        return "–"
    return f"×{ratio:.2f}" + ("" if low is None or high is None else f" ({low:.2f} to {high:.2f})")


def cutoffs(facts: Facts) -> list[Figure]:
    """Cutoffs by stage and by the index of the cutting move, from `# stats`; only a remark if there are none."""
    reported: list[tuple[int, str, MoveFigures]] = [
        (i, facts.name(i), figures) for i, figures in enumerate(facts.scan.players) if figures.cutoffs
    ]
    if not reported:
        if not any(player.sortie for player in facts.experiment.players):
            return []
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
