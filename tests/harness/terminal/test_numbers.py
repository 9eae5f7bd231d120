"""Numbers as people and engines read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.terminal.numbers import figures, noun, plain


@pytest.mark.parametrize(
    ("value", "text"), [(0.05, "0.05"), (150000.5, "150000.5"), (33554432, "33554432"), (0.3 - 0.1, "0.2"), (0, "0")]
)
def test_plain(value: float, text: str) -> None:
    assert plain(value) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (1490.4, 3, "1490"),
        (83.25174, 6, "83.2517"),
        (28.5, 3, "28.5"),
        (33554432.0, 6, "33554432"),
        (1234567.5, 6, "1234568"),
        (999999.6, 6, "1000000"),
        (0.00001234, 6, "0.00001234"),
        (-104.0, 6, "-104"),
        (0.0, 6, "0"),
    ],
)
def test_figures(value: float, digits: int, text: str) -> None:
    assert figures(value, digits) == text


@given(st.floats(-1e12, 1e12), st.integers(1, 9))
def test_figures_have_no_power_of_ten_and_are_as_near_as_so_many_digits_can_be(value: float, digits: int) -> None:
    text = figures(value, digits)
    assert set(text) <= set("-0123456789.")
    assert abs(float(text) - value) <= max(abs(value) * 0.5000001 * 10.0 ** (1 - digits), 1e-300)


def test_only_one_is_no_plural() -> None:
    assert [f"{count} {noun(count, 'game')}" for count in (0, 1, 2, 21)] == ["0 games", "1 game", "2 games", "21 games"]
