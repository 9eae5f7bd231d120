"""Places for the names of points in a picture: each near its point, clear of all points and of the other names.

Coordinates grow to the right and downwards. The same input gives the same places.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LINE = 15.0  # from one name of a column to the next
AIR = 2.0  # between a name and whatever it must not touch
STEP = 14.0  # from one ring of places around a point to the next
RINGS = 20
ROUNDS = 3  # in which each name may move to a better place, given the others
TETHERED = 10.0  # a name farther from its point than this is tied to it by a line
CROSSED_BAR = 12.0  # the cost, as a distance, of standing on an error bar
CROSSED_DOT = 25.0  # of a tether that runs through another point
CROSSED_NAME = 80.0  # or through another name
_DIRECTIONS = (
    *((0.7, -0.7), (1.0, 0.0), (0.7, 0.7), (-0.7, -0.7), (-1.0, 0.0), (-0.7, 0.7), (0.0, -1.0), (0.0, 1.0)),
    *((0.92, -0.38), (0.92, 0.38), (-0.92, -0.38), (-0.92, 0.38), (0.38, -0.92), (0.38, 0.92), (-0.38, -0.92)),
    (-0.38, 0.92),
)
_NARROW = frozenset("iIjl.,:;'|!()[]{}ftr-/\\ ")
_WIDE = frozenset("mwMW@%…—")


class Box(NamedTuple):
    """A rectangle: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float

    def grown(self, by: float) -> Box:
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def inside(self, other: Box) -> bool:
        return (
            self.left >= other.left
            and self.top >= other.top
            and self.right <= other.right
            and self.bottom <= other.bottom
        )

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """The point of the box that is nearest to another."""
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)


class Segment(NamedTuple):
    """A straight line between two points."""

    x1: float
    y1: float
    x2: float
    y2: float

    def meets(self, box: Box) -> bool:
        """Says whether any of it lies in the box."""
        dx, dy = self.x2 - self.x1, self.y2 - self.y1
        first, last = 0.0, 1.0
        for step, room in (
            (-dx, self.x1 - box.left),
            (dx, box.right - self.x1),
            (-dy, self.y1 - box.top),
            (dy, box.bottom - self.y1),
        ):
            if step == 0.0:
                if room < 0.0:
                    return False
                continue
            share = room / step
            if step < 0.0:
                first = max(first, share)
            else:
                last = min(last, share)
        return first <= last


@dataclass(frozen=True, slots=True)
class Name:
    """A point and the size of its name; a point without a name is only kept free."""

    x: float
    y: float
    width: float = 0.0
    height: float = 0.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name stands. `anchor` is its side towards the point: "start", "end" or "middle"."""

    box: Box
    anchor: str
    tether: Segment | None


def text_width(text: str, size: float) -> float:
    """About how wide a bold line of text is, rather too much than too little, as the reader's font is not known."""
    return size * sum(_letter(letter) for letter in text)


def fitting(text: str, width: float, size: float) -> str:
    """The text, its end replaced by an ellipsis when it would be wider than that."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text + "…"


def _letter(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if ord(letter) > 0x24F:
        return 1.3 if ord(letter) >= 0x1F000 else 1.1
    if letter in _NARROW:
        return 0.5
    if letter in _WIDE:
        return 1.12
    return 0.73 if letter.islower() or letter.isdigit() else 0.87


def place(
    names: Sequence[Name], area: Box, radius: float, bars: Sequence[Segment] = (), taken: Sequence[Box] = ()
) -> list[Place | None]:
    """A place for every name within the area, in their order; None for one without a size or without room.

    Points are discs of `radius`. No name touches another name, a point, or a box of `taken`; error bars and tethers (the
    lines from names to their points) are crossed only if the alternative is far away. A name without room is left out.
    """
    board = _Board(names, area, radius, bars, taken)
    order = sorted((n for n, name in enumerate(names) if name.width > 0), key=board.crowd)
    for _ in range(ROUNDS):
        for number in order:
            board.settle(number)
        # Names that found no room are placed first in the next round.
        order.sort(key=lambda number: board.places[number] is not None)
    return board.places


class _Board:
    """The picture while names are put on it."""

    def __init__(
        self, names: Sequence[Name], area: Box, radius: float, bars: Sequence[Segment], taken: Sequence[Box]
    ) -> None:
        self.names = names
        self.area = area
        self.radius = radius
        self.bars = bars
        self.taken = [box.grown(AIR) for box in taken]
        self.dots = [
            Box(one.x - radius, one.y - radius, one.x + radius, one.y + radius).grown(AIR / 2) for one in names
        ]
        self.places: list[Place | None] = [None] * len(names)

    def crowd(self, number: int) -> tuple[int, float, float]:
        """Sorts the points with most neighbours to the front, then from the left and from the top."""
        one = self.names[number]
        near = sum(1 for other in self.names if math.hypot(other.x - one.x, other.y - one.y) < 60.0)
        return -near, one.x, one.y

    def settle(self, number: int) -> None:
        """Moves a name to the best place that the others leave."""
        self.places[number] = None
        best, least = None, math.inf
        for distance, rank, found in self._candidates(self.names[number]):
            cost = distance + rank * 0.4
            if cost >= least:
                if distance >= least:
                    break
                continue
            if not self._free(found.box):
                continue
            cost += self._crossings(number, found)
            if cost < least:
                best, least = found, cost
        self.places[number] = best

    def _candidates(self, name: Name) -> list[tuple[float, int, Place]]:
        found = []
        for ring in range(RINGS):
            distance = ring * STEP
            reach = self.radius + AIR + 1.0 + distance
            for rank, (across, down) in enumerate(_DIRECTIONS):
                x, y = name.x + across * reach, name.y + down * reach
                anchor = "start" if across > 0.2 else "end" if across < -0.2 else "middle"
                left = {"start": x, "end": x - name.width, "middle": x - name.width / 2}[anchor]
                top = y if down > 0.5 else y - name.height if down < -0.5 else y - name.height / 2
                box = Box(left, top, left + name.width, top + name.height)
                if box.inside(self.area):
                    tether = self._tether(name, box) if distance >= TETHERED else None
                    found.append((distance, rank, Place(box, anchor, tether)))
        return found

    def _tether(self, name: Name, box: Box) -> Segment:
        """From the rim of the point to the name."""
        x, y = box.nearest(name.x, name.y)
        length = math.hypot(x - name.x, y - name.y) or 1.0
        share = self.radius / length
        return Segment(name.x + (x - name.x) * share, name.y + (y - name.y) * share, x, y)

    def _free(self, box: Box) -> bool:
        if any(box.meets(dot) for dot in self.dots) or any(box.meets(one) for one in self.taken):
            return False
        aired = box.grown(AIR)
        return not any(aired.meets(other.box) for other in self.places if other is not None)

    def _crossings(self, number: int, found: Place) -> float:
        """What it costs that the name, or its tether, lies across something else."""
        cost = sum(CROSSED_BAR for bar in self.bars if bar.meets(found.box))
        if found.tether is not None:
            cost += sum(CROSSED_DOT for n, dot in enumerate(self.dots) if n != number and found.tether.meets(dot))
        for other in self.places:
            if other is None:
                continue
            if found.tether is not None and found.tether.meets(other.box):
                cost += CROSSED_NAME
            if other.tether is not None and other.tether.meets(found.box):
                cost += CROSSED_NAME
        return cost


def apart(places: Mapping[int, float], gap: float = LINE) -> dict[int, float]:
    """The same places in their order, moved by as little as it takes that no two are nearer than the gap."""
    order = sorted(places, key=lambda one: places[one])
    groups: list[tuple[list[int], float]] = []  # neighbours that touch, and where the middle of the group stands
    for one in order:
        group, middle = [one], places[one]
        while groups and middle - groups[-1][1] < gap * (len(group) + len(groups[-1][0])) / 2:
            group = groups.pop()[0] + group
            middle = sum(places[other] for other in group) / len(group)
        groups.append((group, middle))
    return {
        one: middle + gap * (place - (len(group) - 1) / 2)
        for group, middle in groups
        for place, one in enumerate(group)
    }
