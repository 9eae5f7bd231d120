"""The report as Markdown with PNG pictures beside it, for a README: the same figures, drawn by matplotlib."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.report.page import evidence, labels, tradeoff, view
from harness.report.page.facts import Facts
from harness.report.page.files import store
from harness.report.page.text import clean, shortened
from harness.report.page.view import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

COLOURS = ("#0b6e99", "#c4501b", "#4b7f1f", "#8a3fa0", "#b8860b", "#c2306a", "#3c5bd0", "#5a6470")
PENTA = ("#b4341f", "#e0916f", "#c9c5bb", "#7db3ab", "#0f7a6c")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#!|~&$]|:(?=//)|(?<=www)[.])", re.IGNORECASE)


def write(facts: Facts, target: Path) -> list[Path]:
    """Writes the report and its pictures (`STEM-NAME.png` beside it); returns the files, the report first."""
    pictures = {}
    for name, draw in (("tradeoff", _tradeoff), ("ranking", _ranking), ("progress", _progress), ("pairs", _pairs)):
        data = draw(facts)
        if data is not None:
            pictures[name] = (target.with_name(f"{target.stem}-{name}.png"), data)
    store(target, document(facts, {name: path.name for name, (path, _) in pictures.items()}).encode("utf-8", "replace"))
    for path, data in pictures.values():
        store(path, data)
    return [target, *(path for path, _ in pictures.values())]


def inline(value: object) -> str:
    """Foreign text in a Markdown line: every sign that could mean something is escaped, lines are joined."""
    text = " ".join(clean(str(value)).split())
    return _MARKUP.sub(lambda found: {"<": "&lt;", ">": "&gt;", "&": "&amp;"}.get(found[1], "\\" + found[1]), text)


def fenced(text: str) -> str:
    """Text in a code block whose fence is longer than any run of backquotes in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{clean(text)}\n{fence}"


def _table(table: Table) -> str:
    plain = [[inline(cell) if cell != "" else " " for cell in row] for row in table.rows]
    marks = ["---" if place == 0 or place in table.words else "---:" for place in range(len(table.head))]
    lines = [[inline(cell) or " " for cell in table.head], marks, *plain]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def document(facts: Facts, pictures: dict[str, str]) -> str:
    """The Markdown text; `pictures` names the files that exist."""

    def picture(name: str, words: str) -> list[str]:
        from urllib.parse import quote

        return [f"![{words}]({quote(pictures[name])})"] if name in pictures else []

    summary = facts.summary
    ranking, cfs = view.ranking(facts)
    trade, pairs = view.tradeoff(facts), view.pentanomial(facts)
    parts = [f"# {inline(summary.name)}", inline(view.sentence(facts))]
    if places := view.standings(facts):
        parts.append("\n".join(f"* {inline(line)}" for line in places))
    parts.append(fenced(view.block(facts)))
    parts += ["## Nodes against Elo", *picture("tradeoff", "Nodes saved against Elo earned, a point for each variant")]
    parts += [inline(trade.remark), *([_table(trade.table)] if trade.table else [])]
    parts += ["## Ranking", *picture("ranking", "Ranking with 95 % error bars")]
    parts += [_table(table) for table in (ranking.table, cfs) if table]
    parts += ["## Through the run", *picture("progress", "Elo with its band, and LLR, against pairs played")]
    for figure in view.progress_figures(facts):
        if figure.title.startswith("LLR"):
            parts.append(inline(figure.remark))
        elif figure.table:
            parts.append(_table(figure.table))
    parts += ["## Crosstable by colour", _table(view.crosstable_of(facts))]
    parts += ["## Pairs", *picture("pairs", "Pentanomial bars"), *([_table(pairs.table)] if pairs.table else [])]
    parts.append("## Depth, nodes, time, cutoffs")
    for title, table in view.variants(facts):
        parts += [f"{inline(title)}:", _table(table)]
    for figure in view.cutoffs(facts):
        parts += [f"{inline(figure.title)}: {inline(figure.remark)}", *([_table(figure.table)] if figure.table else [])]
    parts.append("## Openings that gained or lost most")
    for title, table in view.opening_tables(facts):
        parts += [f"{inline(title)}:", _table(table)]
    parts += ["## How games ended, and faults", _table(evidence.endings(facts))]
    blame = evidence.blame(facts)
    parts.append(_table(blame) if blame else "No faults, no warnings.")
    cards, more = evidence.faults(facts)
    for card in cards[:10]:
        parts += [f"**{inline(card.title)}**", fenced(f"position: {card.position}\n{card.transcript}")]
    if more or len(cards) > 10:
        parts.append(f"{more + max(0, len(cards) - 10)} more faults are kept in the folder `faults` of the run.")
    parts += ["## Engine CPU, harness lag, load", _table(evidence.engine_cpu(facts)), _table(evidence.machines(facts))]
    parts += ["## To play it again", _table(evidence.provenance(facts))]
    return "\n\n".join(part for part in parts if part) + "\n"


# Pictures -------------------------------------------------------------------------------------------------------------


def _drawing(height: float, panels: int = 1) -> tuple[Drawing, Sequence[Axes]]:
    """A figure that touches no global state and no display."""
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(7.2, height), dpi=120, layout="constrained")
    found = [drawing.add_subplot(1, panels, n + 1) for n in range(panels)]
    for axes in found:
        axes.grid(color="#e4e1da", linewidth=0.8)
        axes.set_axisbelow(True)
        for edge in ("top", "right"):
            axes.spines[edge].set_visible(False)
    return drawing, found


def _png(drawing: Drawing) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    buffer = io.BytesIO()
    FigureCanvasAgg(drawing)
    drawing.savefig(buffer, format="png")
    return buffer.getvalue()


def _label(text: str) -> str:
    """A name that matplotlib takes for words, not for mathematics."""
    return clean(text).replace("$", r"\$")


def _tradeoff(facts: Facts) -> bytes | None:
    points = tradeoff.points_of(facts.summary.pairings)
    return _png(tradeoff_drawing(points)) if points else None


def tradeoff_drawing(points: Sequence[tradeoff.Point]) -> Drawing:
    """Each variant as a named point: nodes saved against Elo earned, both with their intervals."""
    drawing, (axes,) = _drawing(4.6 + 0.12 * max(0, min(len(points), tradeoff.NAMED) - 10))
    for point in points:
        nodes = point.nodes
        x = tradeoff.minus_log(nodes.ratio)
        low = point.elo if point.low is None else point.low
        high = point.elo if point.high is None else point.high
        axes.errorbar(
            [x],
            [point.elo],
            xerr=[[x - tradeoff.minus_log(nodes.high)], [tradeoff.minus_log(nodes.low) - x]],
            yerr=[[point.elo - low], [high - point.elo]],
            fmt="o",
            color=_colour(point.index),
            markersize=7,
            linewidth=1.8,
        )
    axes.axhline(0, color="#5d6670", linewidth=1)
    axes.axvline(0, color="#5d6670", linewidth=1)
    axes.margins(0.16, 0.12)
    axes.xaxis.set_major_formatter(lambda value, _: f"×{2.0**-value:.3g}")
    axes.set_xlabel("nodes to equal depth, against the base (right: fewer)")
    axes.set_ylabel("Elo earned")
    _name_points(drawing, axes, points)
    return drawing


def _name_points(drawing: Drawing, axes: Axes, points: Sequence[tradeoff.Point]) -> None:
    """Writes the names beside their points, in pixels of the finished picture, off each other and off the points."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.lines import Line2D
    from matplotlib.patheffects import AbstractPathEffect, withStroke
    from matplotlib.transforms import IdentityTransform

    renderer = FigureCanvasAgg(drawing).get_renderer()  # type: ignore[no-untyped-call]
    drawing.draw_without_rendering()
    drawing.set_layout_engine("none")  # what is measured from here on stays where it is
    height = drawing.bbox.height
    halo: list[AbstractPathEffect] = [withStroke(linewidth=3, foreground="white")]
    texts, names, bars = [], [], []
    for number, point in enumerate(points):
        shown = _label(shortened(point.name, tradeoff.NAME_LENGTH)) if number < tradeoff.NAMED else ""
        text = drawing.text(0, 0, shown, color=_colour(point.index), weight="bold", transform=IdentityTransform())
        text.set_path_effects(halo)
        size = text.get_window_extent(renderer)
        x, y = _pixel(axes, tradeoff.minus_log(point.nodes.ratio), point.elo, height)
        names.append(labels.Name(x, y, size.width if shown else 0.0, size.height))
        ends = [_pixel(axes, tradeoff.minus_log(end), 0.0, height)[0] for end in (point.nodes.high, point.nodes.low)]
        bars.append(labels.Segment(ends[0], y, ends[1], y))
        rise = [_pixel(axes, 0.0, end, height)[1] for end in (point.low, point.high) if end is not None]
        bars.append(labels.Segment(x, max(y, *rise, y), x, min(y, *rise, y)))
        texts.append(text)
    frame = axes.get_window_extent(renderer)
    area = labels.Box(frame.x0 + 3, height - frame.y1 + 3, frame.x1 - 3, height - frame.y0 - 3)
    for point, text, spot in zip(points, texts, labels.place(names, area, 7.0, bars), strict=True):
        if spot is None:
            text.set_visible(False)
            continue
        text.set_position((spot.box.left, height - spot.box.bottom))
        text.set_verticalalignment("bottom")
        if spot.tether is not None:
            x1, y1, x2, y2 = spot.tether
            ends_x, ends_y = [x1, x2], [height - y1, height - y2]
            colour = _colour(point.index)
            drawing.add_artist(
                Line2D(ends_x, ends_y, color=colour, linewidth=0.8, zorder=2.5, transform=IdentityTransform())
            )


def _pixel(axes: Axes, x: float, y: float, height: float) -> tuple[float, float]:
    """Where a point of the data lies in the picture, pixels from its upper left corner."""
    across, up = axes.transData.transform((x, y))
    return float(across), height - float(up)


def _colour(index: int) -> str:
    return COLOURS[index % len(COLOURS)]


def _ranking(facts: Facts) -> bytes | None:
    rated = [(i, p) for i, p in enumerate(facts.summary.players) if p.elo is not None]
    if not rated:
        return None
    rated.sort(key=lambda entry: entry[1].elo or 0.0)
    drawing, (axes,) = _drawing(0.9 + 0.42 * len(rated))
    for place, (index, player) in enumerate(rated):
        colour = COLOURS[index % len(COLOURS)]
        axes.errorbar(
            [player.elo or 0.0], [place], xerr=[[player.elo_error or 0.0]], fmt="o", color=colour, linewidth=2
        )
    axes.set_yticks(range(len(rated)), [_label(player.name) for _, player in rated])
    axes.axvline(0, color="#5d6670", linewidth=1)
    axes.margins(y=0.15)
    axes.set_xlabel("Elo, 95 %")
    return _png(drawing)


def _progress(facts: Facts) -> bytes | None:
    sprt = facts.experiment.sprt
    curves = [(name, steps) for _, name, steps in view.curves_of(facts)[0] if len(steps) > 1]
    if not curves:
        return None
    drawing, panels = _drawing(3.6, 2 if sprt else 1)
    for number, (name, steps) in enumerate(curves):
        colour = COLOURS[number % len(COLOURS)]
        known = [step for step in steps if step.low is not None and step.high is not None and step.elo is not None]
        settled = [step for step in known if step.pairs >= steps[-1].pairs / 6]
        pairs = [step.pairs for step in settled]
        panels[0].plot(pairs, [step.elo or 0.0 for step in settled], color=colour, label=_label(name))
        panels[0].fill_between(
            pairs,
            [step.low or 0.0 for step in settled],
            [step.high or 0.0 for step in settled],
            color=colour,
            alpha=0.12,
        )
        if sprt:
            panels[1].plot([step.pairs for step in steps], [step.llr or 0.0 for step in steps], color=colour)
    panels[0].axhline(0, color="#5d6670", linewidth=1)
    panels[0].set_ylabel("Elo, 95 %")
    panels[0].legend(frameon=False, fontsize=8)
    if sprt:
        from harness.stats import elo as stats

        for bound in stats.bounds(sprt.alpha, sprt.beta):
            panels[1].axhline(bound, color="#5d6670", linestyle="--", linewidth=1)
        panels[1].set_ylabel("LLR")
    for axes in panels:
        axes.set_xlabel("pairs played")
    return _png(drawing)


def _pairs(facts: Facts) -> bytes | None:
    shown = [pairing for pairing in facts.summary.pairings if sum(pairing.pentanomial)][::-1]
    if not shown:
        return None
    drawing, (axes,) = _drawing(0.9 + 0.42 * len(shown))
    for place, pairing in enumerate(shown):
        total, left = sum(pairing.pentanomial), 0.0
        for count, colour in zip(pairing.pentanomial, PENTA, strict=True):
            width = 100 * count / total
            axes.barh(place, width, left=left, color=colour, edgecolor="white")
            if width > 4:
                axes.text(left + width / 2, place, str(count), ha="center", va="center", fontsize=8)
            left += width
    axes.set_yticks(range(len(shown)), [_label(view.name_of(pairing)) for pairing in shown])
    axes.set_xlabel("% of pairs that brought 0, ½, 1, 1½, 2 points")
    axes.grid(visible=False)
    return _png(drawing)
