"""Sweeps in the register: a curve for each variant, a page with its picture."""

from __future__ import annotations

from xml.etree import ElementTree

from claim_register import match

from harness.claims import by_nodes, pages
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
    made = pages.pages(register)
    assert made["by-nodes.md"].count("| `no-history` |") == 3 and "| 16,000 |" in made["by-nodes.md"]
    ElementTree.fromstring(made["by-nodes.svg"])


def test_without_a_sweep_there_is_no_picture() -> None:
    made = pages.pages(Register())
    assert "by-nodes.svg" not in made and "open" in made["by-nodes.md"]
