"""Designs of opposites: every change is measured free of the others."""

from __future__ import annotations

from itertools import combinations

import pytest

from harness.stats import design


def sign(match: int, change: int) -> int:
    return 1 if design.has(match, change) else -1


@pytest.mark.parametrize("changes", range(design.FEWEST, design.MOST + 1))
def test_changes_are_orthogonal(changes: int) -> None:
    matches = design.matches(changes)
    assert changes <= matches < 2 * changes
    for one, other in combinations(range(changes), 2):
        assert sum(sign(match, one) * sign(match, other) for match in range(matches)) == 0


@pytest.mark.parametrize("changes", range(4, design.MOST + 1))
def test_no_match_sets_all_changes_against_none(changes: int) -> None:
    for match in range(design.matches(changes)):
        assert 0 < sum(design.has(match, change) for change in range(changes)) < changes


def test_effects_that_add_up_are_found_exactly() -> None:
    worth = [7.0, -3.0, 0.0, 20.0, 1.0]
    matches = design.matches(len(worth))
    differences = [sum(sign(match, n) * value for n, value in enumerate(worth)) for match in range(matches)]
    for change, value in enumerate(worth):
        assert sum(sign(match, change) * d for match, d in enumerate(differences)) / matches == value
