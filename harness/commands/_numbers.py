"""Numbers on the command line."""

from __future__ import annotations

import math
from typing import Any

import click


class Within(click.FloatRange):
    """click's FloatRange, which lets `nan` pass: it is neither below the least nor above the greatest number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"'{value}' is not a number.", param, ctx)
        return number
