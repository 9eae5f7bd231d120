"""Names in the picture of nodes against Elo: off each other and off the points, however close these are."""

from __future__ import annotations

import math
import random
import re
from itertools import combinations
from pathlib import Path

import browser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.screen_file import NodeRatio
from harness.analysis.summary import PairingSummary
from harness.report.page import render
from harness.report.page.drawing import labels, tradeoff
from harness.report.page.drawing.charts import LETTERS
from harness.report.page.drawing.labels import Box, Name, Segment
from harness.stats import elo as stats

AREA = Box(50, 0, 480, 300)
RADIUS = 7.0
# What the shipped headline gave once: two variants at nearly the same place.
HEADLINE = (
    ("history-off", 1.07, (3, 12, 20, 9, 4)),
    ("see-early-exit", 1.01, (4, 10, 22, 10, 2)),
    ("lmr-off", 2.83, (12, 20, 10, 5, 1)),
)


def pairing(name: str, ratio: float, counts: tuple[int, ...]) -> PairingSummary:
    found = PairingSummary(name, "base", 2 * sum(counts), 2 * sum(counts), pentanomial=list(counts))
    estimate = stats.estimate(counts)
    found.elo, found.elo_error = estimate.elo, estimate.elo_error
    found.elo_low, found.elo_high = estimate.elo_low, estimate.elo_high
    found.nodes = NodeRatio(ratio, ratio * 0.05, ratio * 0.94, ratio * 1.06, 9, 42)
    return found


def crowd(count: int, spread: int = 1, length: int = 12) -> list[PairingSummary]:
    """Variants so close together that their points touch."""
    rng = random.Random(count)
    found = []
    for number in range(count):
        counts = [5, 12, 26, 12, 5]
        counts[rng.randrange(5)] += rng.randrange(spread + 1)
        found.append(
            pairing(f"variant-{number}-".ljust(length, "m"), 1.0 + rng.random() * 0.01 * spread, tuple(counts))
        )
    return found


CROWDS = {
    "headline": [pairing(*row) for row in HEADLINE],
    "one point": [pairing(f"same-{n}", 1.0, (5, 12, 26, 12, 5)) for n in range(6)],
    "cluster": crowd(12, 3),
    "long names": crowd(8, 2, 40),
    "corner": [*crowd(5), pairing("far", 40.0, (40, 20, 2, 1, 0))],
}


def dots(names: list[Name]) -> list[Box]:
    return [Box(one.x - RADIUS, one.y - RADIUS, one.x + RADIUS, one.y + RADIUS) for one in names]


def check(names: list[Name], places: list[labels.Place | None]) -> None:
    standing = [place.box for place in places if place is not None]
    for one, other in combinations(standing, 2):
        assert not one.meets(other)
    for box in standing:
        assert box.inside(AREA) and not any(box.meets(dot) for dot in dots(names))


@given(st.integers(0, 10**6), st.integers(1, 14), st.sampled_from([0.0, 2.0, 15.0, 80.0]))
@settings(max_examples=20, deadline=None)
def test_names_touch_neither_each_other_nor_a_point(seed: int, count: int, spread: float) -> None:
    rng = random.Random(seed)
    x, y = rng.uniform(AREA.left, AREA.right), rng.uniform(AREA.top, AREA.bottom)
    names = [
        Name(
            min(max(rng.gauss(x, spread), AREA.left), AREA.right),
            min(max(rng.gauss(y, spread), AREA.top), AREA.bottom),
            rng.uniform(20, 180),
            18,
        )
        for _ in range(count)
    ]
    bars = [Segment(one.x - 40, one.y, one.x + 40, one.y) for one in names]
    places = labels.place(names, AREA, RADIUS, bars)
    check(names, places)
    assert places == labels.place(names, AREA, RADIUS, bars)
    assert all(place is not None for place in places), "there was room for all of them"


def test_what_has_no_room_stands_back() -> None:
    names = [Name(100, 100, 300, 18) for _ in range(60)]
    places = labels.place(names, AREA, RADIUS)
    check(names, places)
    assert 5 < sum(place is not None for place in places) < 60
    assert labels.place([Name(100, 100, 1000, 18)], AREA, RADIUS) == [None]
    assert labels.place([Name(100, 100)], AREA, RADIUS) == [None]


def test_a_lone_name_stands_beside_its_point_and_off_the_bars() -> None:
    bars = [Segment(60, 150, 400, 150), Segment(200, 20, 200, 280)]
    (place,) = labels.place([Name(200, 150, 90, 18)], AREA, RADIUS, bars)
    assert place is not None and place.tether is None and not any(bar.meets(place.box) for bar in bars)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_a_segment_meets_what_it_runs_through(share: float) -> None:
    box = Box(10, 10, 20, 20)
    turn = 2 * math.pi * share
    assert Segment(15 + 20 * math.cos(turn), 15 + 20 * math.sin(turn), 15, 15).meets(box)
    assert not Segment(30 + share, 0, 30, 40).meets(box) and not Segment(0, 21, 40, 21 + share).meets(box)
    assert Segment(15, 0, 15, 40).meets(box) and Segment(12, 12, 13, 13).meets(box)


def drawn(picture: str) -> tuple[dict[str, Box], list[Box]]:
    """The names of a picture with the boxes they may fill, and its points."""
    names = {}
    for style, x, y, anchor, text in re.findall(
        r'<text class="(label[^"]*)" x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)">([^<]+)', picture
    ):
        assert style
        width = labels.text_width(text, LETTERS)
        left = float(x) - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        names[text] = Box(left, float(y) - 0.8 * LETTERS, left + width, float(y) + 0.2 * LETTERS)
    points = re.findall(r'<circle class="dot[^"]*" cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"', picture)
    return names, [
        Box(float(x) - float(r), float(y) - float(r), float(x) + float(r), float(y) + float(r)) for x, y, r in points
    ]


@pytest.mark.parametrize("kind", CROWDS)
def test_the_picture_of_a_crowd(kind: str) -> None:
    picture, unnamed = tradeoff.picture(CROWDS[kind])
    names, points = drawn(str(picture))
    assert unnamed == 0 and len(points) == len(CROWDS[kind]) == len(names)
    for one, other in combinations(names.values(), 2):
        assert not one.meets(other)
    assert not any(box.meets(point) for box in names.values() for point in points)


def test_a_picture_says_how_many_points_it_cannot_name() -> None:
    picture, unnamed = tradeoff.picture(crowd(90))
    names, points = drawn(str(picture))
    assert len(points) == 90 and len(names) + unnamed == 90 and unnamed >= 90 - tradeoff.NAMED


OVERLAPS = """
const marks = [...document.querySelectorAll('.chart .label, .chart .tick, .chart .axis, .dot')]
    .map(one => [one.textContent || one.getAttribute('class'), one.getBoundingClientRect(), one.tagName]);
const chart = document.querySelector('#tradeoff .chart').getBoundingClientRect();
const found = [];
marks.forEach(([a, p, kind], i) => {
    if (p.left < chart.left - 1 || p.right > chart.right + 1 || p.top < chart.top - 1 || p.bottom > chart.bottom + 1)
        found.push([a, 'outside']);
    marks.slice(i + 1).forEach(([b, q, other]) => {
        if (kind === 'circle' && other === 'circle') return;
        if (p.left < q.right - 1 && q.left < p.right - 1 && p.top + 2 < q.bottom && q.top + 2 < p.bottom)
            found.push([a, b]);
    });
});
return [marks.length, found];
"""


@pytest.mark.peers
@pytest.mark.parametrize("width", [390, 1100])
def test_the_picture_in_a_browser(tmp_path: Path, width: int) -> None:
    """Real letters of a real font, on a phone and on a desk, light and dark."""
    css = str(render.style())
    with browser.chromium() as tab:
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 700}
        tab.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})
        for kind, pairings in CROWDS.items():
            page = tmp_path / "page.html"
            page.write_text(
                '<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
                f"<style>{css}</style></head><body><main><section id=tradeoff><figure>{tradeoff.picture(pairings)[0]}"
                "</figure></section></main></body></html>"
            )
            tab.open(page.as_uri())
            for scheme in ("light", "dark"):
                features = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
                tab.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": features})
                count, found = tab.run(OVERLAPS)
                assert count > 2 * len(pairings) and found == [], (kind, width, scheme)


def test_without_a_figure_there_is_no_picture() -> None:
    bare = pairing("x", 1.0, (5, 12, 26, 12, 5))
    bare.nodes = None
    assert tradeoff.picture([bare]) == ("", 0) == tradeoff.picture([])


@given(st.lists(st.floats(0, 300), max_size=12))
def test_a_column_of_names_keeps_its_order_and_its_distance(heights: list[float]) -> None:
    places = dict(enumerate(heights))
    found = labels.apart(places)
    assert sorted(found) == sorted(places)
    order = sorted(places, key=lambda one: places[one])
    for above, below in zip(order, order[1:], strict=False):
        assert found[below] - found[above] >= labels.LINE - 1e-6
    if all(places[b] - places[a] >= labels.LINE for a, b in zip(order, order[1:], strict=False)):
        assert found == places, "names that are far enough from each other stay"
    if heights:
        assert sum(found.values()) / len(found) == pytest.approx(sum(heights) / len(heights), abs=1e-6)
