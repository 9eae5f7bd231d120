"""The figures that claims name beside those that were measured."""

from __future__ import annotations

import pytest
from claim_register import match

from harness.claims.amounts import AS_SAID, LESS, MORE, measured
from harness.claims.catalogue import Amount
from harness.claims.register import Register, Screen


def screen(ratio: float, low: float, high: float, ebf2: float | None = None) -> Screen:
    return Screen("x", "v", "base", 4, 55, ratio, low, high, ebf2, None, None, None, None, 1, 1, "")


def amount(kind: str, least: float, most: float) -> Amount:
    return Amount(kind, "x/v", "so much", least, most)


@pytest.mark.parametrize(
    ("ratio", "low", "high", "said"),
    [(0.40, 0.33, 0.47, AS_SAID), (0.93, 0.92, 0.94, LESS), (0.2, 0.1, 0.3, MORE), (0.5, 0.42, 0.6, AS_SAID)],
)
def test_a_share_is_as_said_where_its_interval_reaches_it(ratio: float, low: float, high: float, said: str) -> None:
    found = measured(amount("saved", 0.55, 0.65), Register(screens={"x/v": screen(ratio, low, high)}))
    assert found is not None and found.word == said
    assert (
        found.text()
        == f"so much (measured {100 - 100 * ratio:.0f} % [{100 - 100 * high:.0f}, {100 - 100 * low:.0f}]: {said})"
    )


def test_growth_and_plies_are_compared_without_an_interval() -> None:
    growth = measured(amount("growth", 5.4, 6.6), Register(screens={"x/v": screen(1, 1, 1, 5.7)}))
    assert growth is not None and growth.word == AS_SAID and "5.7" in growth.text()
    for kind, depth, said in (
        ("plies", 3.5, LESS),
        ("plies", 4.0, AS_SAID),
        ("plies", 2.0, LESS),
        ("plies lost", 2.0, AS_SAID),
        ("plies lost", 4.0, LESS),
    ):
        played = match((0, 1, 2, 1, 0), depth=depth, base_depth=3.0)
        shown = measured(amount(kind, 0.8, 1.2), Register({"x/v": played}))
        assert shown is not None and shown.word == said


@pytest.mark.parametrize("kind", ["saved", "growth", "plies", "plies lost"])
def test_what_was_not_measured_is_not_said(kind: str) -> None:
    assert measured(amount(kind, 0, 1), Register()) is None
