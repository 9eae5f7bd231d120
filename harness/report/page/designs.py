"""The sections of the page for sweeps, factorials and tuning runs: Elo at each limit, the matches, the paths of parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from harness.analysis import tuned
from harness.analysis.sweeps import Curve, Point
from harness.report.page.drawing.charts import LETTERS, WIDTH, style
from harness.report.page.drawing.labels import apart, fitting
from harness.report.page.drawing.svg import Picture, Scale, padded
from harness.report.page.facts import Facts
from harness.report.page.view import Figure, Table
from harness.schedule.spsa import Walk
from harness.tables import designs as tables
from harness.tables import tuned as tuned_tables
from harness.tables.numbers import elo
from harness.terminal.numbers import figures, noun, plain

PANEL = (232.0, 112.0)  # width and height of one parameter's picture
NAMES = 120.0  # width of the column of names beside a sweep
HITS = 24  # places of a path that say their value


# A sweep ---------------------------------------------------------------------------------------------------------------


def sweep(facts: Facts) -> Figure | None:
    """Elo against the limit; None without a sweep."""
    curves = facts.summary.sweep
    if curves is None:
        return None
    rows = []
    for place, limit in enumerate(facts.experiment.sweep):
        points = [curve.points[place] for curve in curves]
        rows.append((tables.limit_title(limit), *(elo(p.outcome()) for p in points), max(p.played for p in points)))
    names = [name_of(curve, curves) for curve in curves]
    legend = tuple((style(index), name) for index, name in enumerate(names))
    table = Table(("limit", *names, "games"), tuple(rows))
    remark = f"From the view of {'the first of each pair' if any(' vs ' in name for name in names) else 'each variant'}"
    base = f" against {curves[0].b}" if not any(" vs " in name for name in names) else ""
    return Figure(
        "Elo at each limit", sweep_picture(curves), table, f"{remark}{base}; bands are 95 %.", legend, open=True
    )


def name_of(curve: Curve, curves: Sequence[Curve]) -> str:
    """The first player's name if all meet the same second player, else both names."""
    return curve.a if len({one.b for one in curves}) == 1 else f"{curve.a} vs {curve.b}"


def sweep_picture(curves: Sequence[Curve], named: bool = False) -> Markup:
    """Elo upwards, the limit across on a logarithmic axis; '' while nothing is determined.

    `named`: each curve bears its name at its end, where no legend stands beside the picture.
    """
    known = [[point for point in curve.points if point.elo is not None] for curve in curves]
    if not any(known):
        return Markup("")
    height, right = 330.0, WIDTH - (NAMES if named else 12)
    picture = Picture(WIDTH, height, "Elo against the limit, with its 95 % band", "hero")
    points = curves[0].points
    across = Scale(*padded([math.log(point.size) for point in points], 0.06, 0.2), 52, right)
    up = Scale(*_reach([point for line in known for point in line]), height - 46, 22)
    for tick in up.ticks(6):
        picture.line(52, up(tick), right, up(tick), "grid")
        picture.text(47, up(tick) + 4, f"{tick:+g}" if tick else "0", "tick", "end")
    for point in points:
        x = across(math.log(point.size))
        picture.line(x, 22, x, height - 46, "grid")
        picture.text(
            x, height - 29, f"{point.limit:,}" if isinstance(point.limit, int) else point.limit, "tick", "middle"
        )
    picture.line(52, up(0), right, up(0), "zero")
    word = "nodes a move" if isinstance(points[0].limit, int) else "clock, seconds"
    picture.text((52 + right) / 2, height - 8, word, "axis", "middle")
    picture.text(47, 12, "Elo", "axis", "end")
    for index, line in enumerate(known):
        band = [point for point in line if point.low is not None and point.high is not None]
        upper = [(across(math.log(point.size)), up(point.high or 0.0)) for point in band]
        lower = [(across(math.log(point.size)), up(point.low or 0.0)) for point in band]
        picture.area(upper + lower[::-1], f"band {style(index)}")
    for index, (curve, line) in enumerate(zip(curves, known, strict=True)):
        places = [(across(math.log(point.size)), up(point.elo or 0.0)) for point in line]
        picture.polyline(places, f"curve {style(index)}")
        for point, (x, y) in zip(line, places, strict=True):
            if len(line) == 1 and point.low is not None and point.high is not None:
                picture.line(x, up(point.low), x, up(point.high), f"bar {style(index)}")
            games = f"{point.played} {noun(point.played, 'game')}"
            tip = f"{name_of(curve, curves)} at {point.limit}: Elo {elo(point.outcome())}, {games}"
            picture.dot(x, y, 4.5, f"dot {style(index)}", tip)
    if named:
        ends = {index: up(line[-1].elo or 0.0) for index, line in enumerate(known) if line}
        for index, y in apart(ends).items():
            picture.text(right + 8, y + 4, name_of(curves[index], curves), f"label {style(index)}")
    return picture.markup()


def _reach(points: Sequence[Point]) -> tuple[float, float]:
    """The range of Elo that is drawn: wide intervals of few games are cut where they would squeeze the rest."""
    values = [point.elo or 0.0 for point in points]
    farthest = 1.5 * max(abs(value) for value in values) + 50.0
    ends = [end for point in points for end in (point.low, point.high) if end is not None]
    return padded([*values, 0.0, *(max(-farthest, min(farthest, end)) for end in ends)], 0.06, 20.0)


# A factorial -----------------------------------------------------------------------------------------------------------


def matches(facts: Facts) -> Table | None:
    """Which changes met which; None for the other kinds."""
    if facts.summary.matches is None:
        return None
    rows = []
    for index, match in enumerate(facts.summary.matches):
        first, second = tables.sides(facts.experiment, index % facts.experiment.matches)
        results = f"{match.wins}/{match.draws}/{match.losses}"
        rows.append((tables.match_name(facts.experiment, index), first, second, results, elo(match.outcome())))
    return Table(
        ("match", "one side", "other side", "W/D/L", "Elo"),
        tuple(rows),
        "Each side has some of the changes, the other just the others; every game counts for every change",
        words=frozenset({1, 2}),
    )


# A tuning run ----------------------------------------------------------------------------------------------------------


def sentence(facts: Facts) -> str:
    """A tuning run in a sentence; empty for the other kinds."""
    return "" if facts.summary.spsa is None else tuned_tables.sentence(facts.summary.spsa)


def block(facts: Facts) -> str:
    """The values as plain lines for pasting."""
    return "" if facts.summary.spsa is None else "\n".join(tuned_tables.lines(facts.summary.spsa))


def paths(facts: Facts) -> list[tuple[int, list[float]]]:
    """Iterations and the values of all parameters after them."""
    given_up = (failed.game for failed in facts.failed if failed.reason != "start")
    return tuned.paths(facts.experiment, tuned.results(facts.rows, given_up).known)


def parameters(facts: Facts) -> Figure | None:
    """The path of each parameter; None for the other kinds."""
    found = facts.summary.spsa
    if found is None:
        return None
    rows = tuple(
        (
            one.name,
            figures(one.value),
            plain(one.start),
            f"{one.steps:+.2f}",
            plain(one.least),
            plain(one.most),
            one.sent,
            elo(one.outcome()),
        )
        for one in found.parameters
    )
    head = ("parameter", "value", "start", "steps", "least", "most", "to be sent", tuned_tables.WORTH)
    remark = "The line is the value after so many games, the band how far it is moved to either side, the straight line its start."
    return Figure("Parameters", path_picture(facts), Table(head, rows), remark, open=True)


def path_picture(facts: Facts) -> Markup:
    """A panel for each parameter, two beside each other; '' before the first pair is complete."""
    assert facts.experiment.spsa is not None
    walked = paths(facts)
    if len(walked) < 2:
        return Markup("")
    plan, last = facts.experiment.spsa, walked[-1][0]
    width, height = PANEL
    rows = (len(plan.parameters) + 1) // 2
    picture = Picture(WIDTH, rows * height, "The path of each parameter through the run", "hero")
    walk = Walk(plan, facts.experiment.games // 2, facts.experiment.seed)

    def reach(done: int) -> float:
        return walk.reach(max(1, done))

    for index, parameter in enumerate(plan.parameters):
        left, top = (index % 2) * (WIDTH - width), (index // 2) * height
        values = [(done, found[index]) for done, found in walked]
        settled = values[len(values) // 20 :]
        ends = [value + side * reach(done) * parameter.step for done, value in settled for side in (1, -1)]
        up = Scale(*padded([*ends, parameter.start], 0.04, parameter.step), top + height - 24, top + 22)
        across = Scale(0, last, left + 44, left + width - 6)
        name = fitting(parameter.name, width - 90, LETTERS)
        picture.text(left + 4, top + 13, name, "label")
        picture.text(
            left + width - 6, top + 13, f"{plain(parameter.start)} → {figures(values[-1][1], 5)}", "tick", "end"
        )
        for tick in up.ticks(3):
            picture.line(across.start, up(tick), across.end, up(tick), "grid")
            picture.text(across.start - 4, up(tick) + 4, plain(tick), "tiny", "end")
        picture.line(across.start, up(parameter.start), across.end, up(parameter.start), "zero")
        upper = [(across(done), up(value + reach(done) * parameter.step)) for done, value in values]
        lower = [(across(done), up(value - reach(done) * parameter.step)) for done, value in values]
        picture.area(upper + lower[::-1], f"band {style(index)}")
        picture.polyline([(across(done), up(value)) for done, value in values], f"curve {style(index)}")
        for done, value in values[:: max(1, len(values) // HITS)]:
            tip = f"{parameter.name}: {value:.5g} after {2 * done} games"
            picture.rect(across(done) - 4, up(value) - 9, 8, 18, "hit", tip)
        picture.text(across.end, top + height - 8, f"{2 * last:,} games", "tiny", "end")
    return picture.markup()
