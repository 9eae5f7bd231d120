"""Text on the page: foreign text made harmless, figures as people write them."""

from __future__ import annotations

import re

from harness.tables.numbers import UNKNOWN, bar, signed

# Control characters, the overrides that reorder what is read, lone surrogates: none belongs in a name or a transcript.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b\x0c\x0d\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def clean(text: str) -> str:
    """The text with every character that could hide or reorder other text replaced by U+FFFD; escaping is not done."""
    return _HARMFUL.sub("\ufffd", text)


def shortened(text: str, length: int) -> str:
    """The text, its end replaced by an ellipsis when it is longer than that."""
    return text if len(text) <= length else text[: length - 1] + "…"


def percent(value: float | None, digits: int = 1) -> str:
    """A share as `97.9 %`."""
    return UNKNOWN if value is None else f"{100 * value:.{digits}f} %"


def number(value: float | None, digits: int = 0) -> str:
    """A figure with thousands set apart, a dash when there is none."""
    return "–" if value is None else f"{value:,.{digits}f}"


def plus(value: float | None, error: float | None, digits: int = 1) -> str:
    """`+12.3 ± 4.5`, words where a figure is missing."""
    if value is None:
        return UNKNOWN
    text = bar(value, error, digits)
    return f"+{text}" if signed(value, digits).strip("-0.") and value > 0 else text


def saved(ratio: float) -> str:
    """A node ratio in words: `38 % fewer nodes`, `2.83 times the nodes`."""
    if ratio >= 2.0:
        return f"{ratio:.2f} times the nodes"
    change = abs(100.0 * (1.0 - ratio))
    if round(change) == 0:
        return "as many nodes"
    return f"{change:.0f} % {'fewer' if ratio < 1 else 'more'} nodes"
