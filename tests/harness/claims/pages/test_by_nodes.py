"""Sweeps in the register: a curve for each variant, a page with its picture."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from claim_register import match

from harness.analysis.sweeps import Curve, Point
from harness.claims.pages import by_nodes, findings
from harness.claims.register import Register


def test_a_curve_for_each_variant_from_the_least_to_the_most() -> None:
    register = Register()
    for nodes in (16000, 1000, 4000):
        for variant, better in (("no-history", 0), ("lmr-off", 40)):
            pairs = (60, 150, 200, 100 + better, 10 + better)
            key = f"worth-by-nodes/{variant}@{nodes}"
            register.matches[key] = match(pairs, f"{variant}@{nodes}", experiment="worth-by-nodes")
    register.matches["x/other@1000"] = match((1, 1, 1, 1, 1), "other@1000")
    found = by_nodes.curves(register)
    assert [curve.a for curve in found] == ["lmr-off", "no-history"]
    assert [[point.limit for point in curve.points] for curve in found] == [[1000, 4000, 16000]] * 2
    made = findings.pages(register)
    assert made["by-nodes.md"].count("| `no-history` |") == 4 and "| 16,000 |" in made["by-nodes.md"]
    ElementTree.fromstring(made["by-nodes.svg"])


def test_a_picture_for_each_sweep() -> None:
    register = Register()
    for sweep in by_nodes.SWEEPS:
        for nodes in (1000, 4000):
            key = f"{sweep}/{sweep}@{nodes}"
            register.matches[key] = match((60, 150, 200, 100, 10), f"{sweep}@{nodes}", experiment=sweep)
    made = findings.pages(register)
    for name in ("by-nodes.svg", "by-nodes-wide.svg"):
        ElementTree.fromstring(made[name])
        assert f"({name})" in made["by-nodes.md"]


@pytest.mark.parametrize(
    ("elo", "word"),
    [((-40.0, -30.0, -20.0), "shrinks"), ((20.0, 30.0, 40.0), "grows"), ((1.0, -1.0, 1.0), "no change beyond error")],
)
def test_what_becomes_of_a_difference_with_the_nodes(elo: tuple[float, ...], word: str) -> None:
    """A line through three points of equal error: its slope is half the difference of the ends."""
    points = [Point(4**n, float(4**n), 100, value, value - 5, value + 5, None) for n, value in enumerate(elo)]
    found = by_nodes.trend(Curve("part", "base", points))
    assert found is not None and found.slope == pytest.approx((elo[2] - elo[0]) / 2) and found.word == word
    assert found.high - found.low == pytest.approx(10 / math.sqrt(2))
    assert "`part`" in by_nodes.answer([Curve("part", "base", points)])
    assert by_nodes.trend(Curve("part", "base", points[:1])) is None


def test_without_a_sweep_there_is_no_picture() -> None:
    made = findings.pages(Register())
    assert "by-nodes.svg" not in made and "open" in made["by-nodes.md"]
