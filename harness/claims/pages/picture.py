"""The picture of all claims: nodes saved against Elo gained by the technique of each, coloured by verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from harness.claims.verdicts import FAILS, HOLDS, OPEN, Finding
from harness.report.page.drawing import labels
from harness.report.page.drawing.svg import Picture, Scale, padded
from harness.stats.elo import SMALL

WIDTH, HEIGHT = 760.0, 470.0
LETTERS = 13.0
ELO_TICKS = (-400, -200, -100, -50, -20, -5, 0, 5, 20, 50, 100, 200, 400)
NODE_TICKS = {
    "×64": 64,
    "×16": 16,
    "×4": 4,
    "×2": 2,
    "×1.2": 1.2,
    "×1": 1,
    "×0.8": 0.8,
    "1/2": 1 / 2,
    "1/4": 1 / 4,
    "1/16": 1 / 16,
}
CLASSES = {HOLDS: "holds", FAILS: "fails", SMALL: "small", OPEN: "open"}
STYLE = """
svg{background:#fff;font:13px system-ui,sans-serif}
path{fill:none;stroke-width:1.2}
.grid{stroke:#e3e3e3}.zero{stroke:#777}.tick{fill:#666;font-size:12px}.axis{fill:#333}
.label{fill:#222}.tether{stroke:#aaa;stroke-width:.8}
.bar{stroke-width:1.6;stroke-opacity:.45}
.holds{stroke:#0f7a4d;fill:#0f7a4d}.fails{stroke:#b3261e;fill:#b3261e}
.small{stroke:#8a6d00;fill:#8a6d00}.open{stroke:#7a7a7a;fill:#7a7a7a}
.curve{stroke-width:2}.band{stroke:none;fill-opacity:.13}
.s0{stroke:#1b6ca8;fill:#1b6ca8}.s1{stroke:#b3261e;fill:#b3261e}.s2{stroke:#0f7a4d;fill:#0f7a4d}.s3{stroke:#8a6d00;fill:#8a6d00}
.s4{stroke:#7b3fa0;fill:#7b3fa0}.s5{stroke:#3d3d3d;fill:#3d3d3d}.s6{stroke:#c2571a;fill:#c2571a}.s7{stroke:#00838f;fill:#00838f}
text.label,text.tick,text.holds,text.fails,text.small,text.open{stroke:none}path.bar,path.curve{fill:none}path.band{stroke:none}
"""


@dataclass(frozen=True, slots=True)
class Point:
    """A claim in one engine: nodes with the technique over nodes without it, and the Elo that it gains."""

    name: str
    verdict: str
    ratio: float
    ratio_low: float
    ratio_high: float
    elo: float
    low: float
    high: float


def point_of(name: str, verdict: str, found: Finding) -> Point | None:
    """The point of a claim by one of its findings; None if Elo or nodes are missing."""
    figure = found.elo
    nodes = found.screen
    if figure is None or figure.elo is None:
        return None
    if found.test.turned < 0:
        figure = figure.turned()
    if found.test.speed == "instructions":
        ratio, low, high = 1.0, 1.0, 1.0
    elif nodes is None:
        return None
    elif found.test.turned < 0:
        ratio, low, high = 1 / nodes.ratio, 1 / nodes.high, 1 / nodes.low
    else:
        ratio, low, high = nodes.ratio, nodes.low, nodes.high
    assert figure.elo is not None
    low_elo = figure.elo if figure.low is None else figure.low
    high_elo = figure.elo if figure.high is None else figure.high
    return Point(name, verdict, ratio, low, high, figure.elo, low_elo, high_elo)


def root(value: float) -> float:
    """The root of a value with its sign: most claims lie within 20 Elo and a tenth of the nodes, a few very far out."""
    return math.copysign(math.sqrt(abs(value)), value)


def fewer(ratio: float) -> float:
    """Where nodes over nodes stand on their axis, fewer to the right."""
    return root(-math.log2(ratio))


def draw(points: Sequence[Point], title: str) -> str:
    """The SVG file; an axis alone where there is no point yet."""
    picture = Picture(WIDTH, HEIGHT, title)
    left, top, right, bottom = 52.0, 40.0, WIDTH - 14, HEIGHT - 48
    saved = [fewer(value) for one in points for value in (one.ratio_low, one.ratio_high)]
    across = Scale(*padded([0.0, *saved], 0.04, 1.0), left, right)
    earned = [root(end) for one in points for end in (one.low, one.high)]
    up = Scale(*padded([0.0, *earned], 0.04, 8.0), bottom, top)
    for tick in ELO_TICKS:
        if up.low < root(tick) < up.high:
            picture.line(left, up(root(tick)), right, up(root(tick)), "grid")
            picture.text(left - 6, up(root(tick)) + 4, f"{tick:+}" if tick else "0", "tick", "end")
    for name, ratio in NODE_TICKS.items():
        if across.low < fewer(ratio) < across.high:
            x = across(fewer(ratio))
            picture.line(x, top, x, bottom, "grid")
            picture.text(x, bottom + 17, name, "tick", "middle")
    picture.line(across(0), top, across(0), bottom, "zero")
    picture.line(left, up(0), right, up(0), "zero")
    picture.text(
        (left + right) / 2,
        HEIGHT - 8,
        "nodes with the technique over nodes without it (fewer to the right); both axes are compressed outwards",
        "axis",
        "middle",
    )
    picture.text(4, 14, "Elo gained by the technique", "axis")
    x = right
    for word, style in reversed(CLASSES.items()):
        width = labels.text_width(word, LETTERS)
        picture.text(x, 14, word, style, "end")
        picture.dot(x - width * 0.92 - 10, 10, 5, style)
        x -= width * 0.92 + 34
    _points(picture, points, across, up, labels.Box(left + 2, top, right - 2, bottom - 2))
    return alone(str(picture.markup()))


def alone(drawing: str) -> str:
    """A picture of the page as a file of its own, its style within."""
    drawing = drawing.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return drawing.replace(">", f"><style>{STYLE}</style>", 1) + "\n"


def _points(picture: Picture, points: Sequence[Point], across: Scale, up: Scale, area: labels.Box) -> None:
    """The bars, dots and names."""
    bars, names = [], []
    for one in points:
        x, y = across(fewer(one.ratio)), up(root(one.elo))
        bars.append(labels.Segment(across(fewer(one.ratio_high)), y, across(fewer(one.ratio_low)), y))
        bars.append(labels.Segment(x, up(root(one.low)), x, up(root(one.high))))
        names.append(labels.Name(x, y, labels.text_width(one.name, LETTERS), LETTERS * 1.2))
    for number, bar in enumerate(bars):
        picture.line(*bar, f"bar {CLASSES[points[number // 2].verdict]}")
    for one, name in zip(points, names, strict=True):
        picture.dot(name.x, name.y, 5.0, CLASSES[one.verdict])
    for one, spot in zip(points, labels.place(names, area, 6.0, bars, []), strict=True):
        if spot is None:
            continue
        if spot.tether is not None:
            picture.line(*spot.tether, "tether")
        box = spot.box
        x = {"start": box.left, "end": box.right, "middle": (box.left + box.right) / 2}[spot.anchor]
        picture.text(x, box.bottom - LETTERS * 0.3, one.name, "label", spot.anchor)
