"""Values on the command line that click has no type for."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import click

from harness.errors import BadInput


class Within(click.FloatRange):
    """click's FloatRange, which lets `nan` pass, as it is neither below nor above any number, and `inf` where no most is given."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"'{value}' is not a finite number.", param, ctx)
        return number


def settings(texts: Iterable[str]) -> dict[str, str]:
    """The engine's options in repeated `--option NAME=VALUE`, the last of a name counting; raises BadInput."""
    found = {}
    for text in texts:
        name, mark, value = text.partition("=")
        if not mark or not name.strip():
            raise BadInput(f'--option: expected NAME=VALUE, not "{text}"')
        found[name] = value
    return found
