"""The trade-off picture: each variant as a point, nodes saved against Elo earned, both with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from harness.analysis.screen_file import NodeRatio
from harness.analysis.summary import PairingSummary
from harness.report.page.drawing import labels
from harness.report.page.drawing.charts import LETTERS, WIDTH, style
from harness.report.page.drawing.svg import Picture, Scale, padded
from harness.report.page.text import saved, shortened
from harness.stats.elo import Outcome
from harness.tables import numbers

DOT = 6.0
NAME_LENGTH, NAME_WIDTH = 24, 230.0  # of a name in the picture: letters, and how wide they may be
UPWARDS = "Elo earned"
ACROSS = "nodes to equal depth, against the base  (right: fewer)"
NAMED = 40  # points with a name in the picture; all are in the table


@dataclass(frozen=True, slots=True)
class Point:
    """A variant with both figures; `low` and `high` are the ends of its Elo, None where one is open."""

    index: int  # of its pairing
    name: str
    nodes: NodeRatio
    elo: float
    low: float | None
    high: float | None

    def tip(self) -> str:
        """The text that appears when the pointer is on the point."""
        nodes = self.nodes
        return (
            f"{self.name}: {saved(nodes.ratio)} (×{nodes.ratio:.2f}, {nodes.low:.2f} to {nodes.high:.2f}), "
            f"Elo {numbers.elo(Outcome(self.elo, self.low, self.high, None))}"
        )


def points_of(pairings: Sequence[PairingSummary]) -> list[Point]:
    """The variants that have a node screen and an Elo, those farthest from the base first when there are many."""
    points = []
    for index, pairing in enumerate(pairings):
        found = pairing.outcome()
        if pairing.nodes is not None and found.elo is not None:
            points.append(Point(index, pairing.a, pairing.nodes, found.elo, found.low, found.high))
    if len(points) > NAMED:
        points.sort(key=lambda one: (-abs(one.elo) / 50.0 - abs(minus_log(one.nodes.ratio)), one.index))
    return points


def shown(name: str) -> str:
    """A name, shortened for the picture."""
    return labels.fitting(shortened(name, NAME_LENGTH), NAME_WIDTH, LETTERS)


def minus_log(ratio: float) -> float:
    """The coordinate of a node ratio: fewer nodes to the right, one unit for half the nodes."""
    return -math.log2(max(1e-9, ratio))


def picture(pairings: Sequence[PairingSummary]) -> tuple[Markup, int]:
    """The picture ('' without points), and how many points have no name for lack of room."""
    points = points_of(pairings)
    if not points:
        return Markup(""), 0
    # Many names need room: the picture grows with them.
    height = 350.0 + 12.0 * max(0, min(len(points), NAMED) - 10)
    drawing = Picture(WIDTH, height, "Nodes saved against Elo earned, a point for each variant", "hero")
    across, up = _axes(drawing, points, height)
    bars: list[labels.Segment] = []
    names: list[labels.Name] = []
    for point in points:
        x, y = across(minus_log(point.nodes.ratio)), up(point.elo)
        low, high = up.low if point.low is None else point.low, up.high if point.high is None else point.high
        ends = across(minus_log(point.nodes.high)), across(minus_log(point.nodes.low))
        bars += [labels.Segment(ends[0], y, ends[1], y), labels.Segment(x, up(low), x, up(high))]
        width = labels.text_width(shown(point.name), LETTERS) if len(names) < NAMED else 0.0
        names.append(labels.Name(x, y, width, LETTERS * 1.2))
    for number, bar in enumerate(bars):
        drawing.line(*bar, f"bar {style(points[number // 2].index)}")
    for point, name in zip(points, names, strict=True):
        drawing.dot(name.x, name.y, DOT, f"dot {style(point.index)}", point.tip())
    area = labels.Box(across.start + 2, 1, WIDTH - 2, height - 50)
    corner = labels.Box(4, 0, 4 + labels.text_width(UPWARDS, LETTERS), 17)
    spots = labels.place(names, area, DOT + 1, bars, [corner])
    for point, spot in zip(points, spots, strict=True):
        if spot is not None and spot.tether is not None:
            drawing.line(*spot.tether, f"tether {style(point.index)}")
    for point, spot in zip(points, spots, strict=True):
        if spot is not None:
            _label(drawing, point, spot)
    return drawing.markup(), spots.count(None)


def _axes(drawing: Picture, points: Sequence[Point], height: float) -> tuple[Scale, Scale]:
    """Draws grid, figures and titles of both axes; returns the scales of -log2 of the nodes and of Elo."""
    left, top, right, bottom = 48.0, 24.0, WIDTH - 12, height - 48
    ratios = [end for point in points for end in (point.nodes.low, point.nodes.high, 1.0)]
    across = Scale(*padded([minus_log(ratio) for ratio in ratios], 0.16, 0.5), left, right)
    elos = [0.0, *(end for point in points for end in (point.low, point.elo, point.high) if end is not None)]
    up = Scale(*padded(elos, 0.1, 10.0), bottom, top)
    for tick in up.ticks(5):
        drawing.line(left, up(tick), right, up(tick), "grid")
        drawing.text(left - 5, up(tick) + 4, f"{tick:+.0f}" if tick else "0", "tick", "end")
    for ratio in _ratio_ticks(across):
        x = across(minus_log(ratio))
        drawing.line(x, top, x, bottom, "grid")
        drawing.text(x, height - 32, f"×{ratio:.3g}", "tick", "middle")
    drawing.line(across(0), top, across(0), bottom, "zero")
    drawing.line(left, up(0), right, up(0), "zero")
    drawing.text((left + right) / 2, height - 10, ACROSS, "axis", "middle")
    drawing.text(4, 13, UPWARDS, "axis")
    return across, up


def _label(drawing: Picture, point: Point, spot: labels.Place) -> None:
    """The name of a point."""
    box = spot.box
    x = {"start": box.left, "end": box.right, "middle": (box.left + box.right) / 2}[spot.anchor]
    drawing.text(x, box.bottom - LETTERS * 0.3, shown(point.name), f"label {style(point.index)}", spot.anchor)


def _ratio_ticks(across: Scale) -> list[float]:
    """Round node ratios on an axis of -log2, none so near the one before that their figures would touch."""
    fine = across.high - across.low < 1.2
    known = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2] if fine else [2.0**n for n in range(-12, 13)]
    inside = [ratio for ratio in known if across.low <= minus_log(ratio) <= across.high]
    found: list[float] = []
    # From 1 outwards, so that the base's own place keeps its figure.
    for ratio in sorted(inside, key=lambda one: (abs(minus_log(one)), one)):
        room = [
            abs(across(minus_log(ratio)) - across(minus_log(other)))
            - labels.text_width(f"×{ratio:.3g}×{other:.3g}", LETTERS) / 2
            for other in found
        ]
        if all(gap > 4.0 for gap in room):
            found.append(ratio)
    return found
