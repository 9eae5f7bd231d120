"""A small writer of inline SVG: coloured by the page's style sheet, hover values in attributes, all text escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from harness.report.page.text import clean

Point = tuple[float, float]


def attribute(value: object) -> Markup:
    """A value ready to stand in an attribute or a text node."""
    return escape(clean(str(value)))


def _n(value: float) -> str:
    """A coordinate, short."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map from data to drawing."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The coordinate of a value; values outside the range are drawn at the edge."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def ticks(self, count: int = 5) -> list[float]:
        """About `count` round values inside the range."""
        rough = (self.high - self.low) / max(1, count)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [n * step for n in range(first, last + 1)]


def padded(values: Sequence[float], share: float = 0.06, least: float = 1.0) -> tuple[float, float]:
    """The range of the values with some air around it; never empty."""
    low, high = min(values), max(values)
    smallest = 1e-9 * max(1.0, abs(low), abs(high))  # that a float can tell apart from its neighbours
    air = max((high - low) * share, (least - (high - low)) / 2.0, smallest)
    return low - air, high + air


class Picture:
    """One drawing with a title; its text equivalent stands beside it on the page."""

    def __init__(self, width: float, height: float, title: str, classes: str = "") -> None:
        self.width, self.height = width, height
        self._parts: list[str] = [
            f'<svg viewBox="0 0 {_n(width)} {_n(height)}" role="img" class="chart {attribute(classes)}" '
            f'aria-label="{attribute(title)}" preserveAspectRatio="xMidYMid meet">'
        ]

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
        self._parts.append(f'<path class="{style}" d="M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}"/>')

    def polyline(self, points: Sequence[Point], style: str) -> None:
        if points:
            self._parts.append(f'<path class="{style}" d="M{"L".join(f"{_n(x)} {_n(y)}" for x, y in points)}"/>')

    def area(self, points: Sequence[Point], style: str) -> None:
        if points:
            self._parts.append(f'<path class="{style}" d="M{"L".join(f"{_n(x)} {_n(y)}" for x, y in points)}Z"/>')

    def rect(self, x: float, y: float, width: float, height: float, style: str, tip: str = "") -> None:
        size = f'x="{_n(x)}" y="{_n(y)}" width="{_n(max(0.0, width))}" height="{_n(max(0.0, height))}"'
        self._parts.append(f'<rect class="{style}" {size}{_tip(tip)}/>')

    def dot(self, x: float, y: float, radius: float, style: str, tip: str = "") -> None:
        focus = ' tabindex="0"' if tip else ""
        self._parts.append(f'<circle class="{style}" cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"{focus}{_tip(tip)}/>')

    def text(self, x: float, y: float, content: object, style: str = "", anchor: str = "start") -> None:
        self._parts.append(
            f'<text class="{style}" x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{attribute(content)}</text>'
        )

    def markup(self) -> Markup:
        return Markup("".join([*self._parts, "</svg>"]))


def _tip(tip: str) -> str:
    return f' data-tip="{attribute(tip)}"' if tip else ""
