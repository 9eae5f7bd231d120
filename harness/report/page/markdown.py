"""The report as Markdown with the page's pictures beside it as SVG files, for a README."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from harness.files import store
from harness.report.page import designs, evidence, searches, view
from harness.report.page.drawing.svg import attribute
from harness.report.page.facts import Facts
from harness.report.page.render import sections, source
from harness.report.page.text import clean
from harness.report.page.view import Figure, Table

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#!|~&$]|:(?=//)|(?<=www)[.])", re.IGNORECASE)


def write(facts: Facts, target: Path) -> list[Path]:
    """Writes the report and its pictures (`STEM-NAME.svg` beside it); returns the files, the report first."""
    files = [target]
    text = document(facts, lambda name: target.with_name(f"{target.stem}-{name}.svg").name)
    store(target, text.encode("utf-8", "replace"))
    for name, figure in figures(facts).items():
        if figure.picture:
            files.append(target.with_name(f"{target.stem}-{name}.svg"))
            store(files[-1], standalone(figure.picture, figure.legend).encode())
    return files


def figures(facts: Facts) -> dict[str, Figure]:
    """The figures with pictures by the name in their files' names, in the order of the report."""
    elo, llr = view.progress_figures(facts)
    special = {"parameters": designs.parameters(facts), "sweep": designs.sweep(facts)}
    found = {name: figure for name, figure in special.items() if figure is not None}
    if facts.summary.spsa is not None:
        return found
    return found | {
        "tradeoff": view.tradeoff(facts),
        "ranking": view.ranking(facts)[0],
        "progress": elo,
        "llr": llr,
        "pairs": view.pentanomial(facts),
    }


def standalone(picture: Markup, legend: Sequence[tuple[str, str]] = ()) -> str:
    """A picture of the page as an SVG file of its own, style sheet (light and dark) and legend included."""
    width, height = (float(number) for number in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture)[0])
    full = height + 18 * len(legend)
    keys = "".join(
        f'<path class="curve {classes}" d="M8 {y}h24"/><text class="axis" x="40" y="{y + 4}">{attribute(name)}</text>'
        for y, (classes, name) in zip(range(int(height) + 8, int(full) + 8, 18), legend, strict=True)
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {full:g}" width="{1.5 * width:g}"'
    style = f"<style>{source('charts.css')}svg{{font-family:system-ui,sans-serif;background:var(--card)}}</style>"
    body = re.sub(r'^<svg viewBox="[^"]*"([^>]*)>', rf"{head}\1>{style}", str(picture))
    return body.removesuffix("</svg>") + keys + "</svg>\n"


def inline(value: object) -> str:
    """Foreign text in a Markdown line: every character with a meaning is escaped, lines are joined."""
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
    caption = f"{inline(table.caption)}\n\n" if table.caption else ""
    return caption + "\n".join("| " + " | ".join(line) + " |" for line in lines)


def document(facts: Facts, file_of: Callable[[str], str]) -> str:
    """The Markdown text; `file_of` gives the name of a picture's file."""
    drawn = figures(facts)

    def picture(name: str, title: str) -> list[str]:
        return [f"![{title}]({quote(os.fsencode(file_of(name)))})"] if drawn[name].picture else []

    summary = facts.summary
    parts = [f"# {inline(summary.name)}", inline(designs.sentence(facts) or view.sentence(facts))]
    if places := view.standings(facts):
        parts.append("\n".join(f"* {inline(line)}" for line in places))
    parts.append(fenced(designs.block(facts) or view.block(facts)))
    for name, title in (("parameters", "The path of each parameter"), ("sweep", "Elo against the limit")):
        if name in drawn and (table := drawn[name].table):
            parts += [f"## {drawn[name].title}", *picture(name, title), inline(drawn[name].remark), _table(table)]
    if matches := designs.matches(facts):
        parts += ["## Matches", _table(matches)]
    if summary.spsa is None:
        parts += _strength(facts, drawn, picture)
    parts.append("## Depth, nodes, time, cutoffs")
    for title, table in searches.variants(facts):
        parts += [f"{inline(title)}:", _table(table)]
    for figure in searches.cutoffs(facts):
        parts += [f"{inline(figure.title)}: {inline(figure.remark)}", *([_table(figure.table)] if figure.table else [])]
    if "openings" in dict(sections(facts, ())):
        parts.append("## Openings that gained or lost most")
        for title, table in view.opening_tables(facts):
            parts += [f"{inline(title)}:", _table(table)]
    parts += ["## How games ended, and faults", _table(evidence.endings(facts))]
    blame = evidence.blame(facts)
    parts.append(_table(blame) if blame else "No faults, no warnings.")
    cards, more = evidence.faults(facts)
    for card in cards[:10]:
        parts += [f"**{inline(card.title)}**", fenced(f"position: {card.position}\n{card.transcript}")]
    if more := more + max(0, len(cards) - 10):
        parts.append(f"{evidence.kept(more)} in the folder `faults` of the run.")
    parts += ["## Engine CPU, harness lag, load", _table(evidence.engine_cpu(facts)), _table(evidence.machines(facts))]
    parts += ["## To play it again", _table(evidence.provenance(facts))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _strength(facts: Facts, drawn: Mapping[str, Figure], picture: Callable[[str, str], list[str]]) -> list[str]:
    """The sections on strength, which a tuning run does not have, as its two sides are one engine."""
    ranking, cfs = view.ranking(facts)
    trade, pairs = drawn["tradeoff"], drawn["pairs"]
    parts = []
    if "tradeoff" in dict(sections(facts, ())):
        title = "Nodes saved against Elo earned, a point for each variant"
        parts += ["## Nodes against Elo", *picture("tradeoff", title), inline(trade.remark)]
        parts += [_table(trade.table)] if trade.table else []
    parts += ["## Ranking", *picture("ranking", "Ranking with 95 % error bars")]
    parts += [_table(table) for table in (ranking.table, cfs) if table]
    parts += ["## Through the run", *picture("progress", "Elo with its band against pairs played")]
    parts += picture("llr", "LLR with its bounds against pairs played")
    if table := drawn["progress"].table:  # the LLR's is the same
        parts.append(_table(table))
    parts.append(inline(drawn["llr"].remark))
    if facts.summary.matches is None:
        parts += ["## Crosstable by colour", _table(view.crosstable_of(facts))]
    parts += ["## Pairs", *picture("pairs", "Pentanomial bars"), *([_table(pairs.table)] if pairs.table else [])]
    return parts
