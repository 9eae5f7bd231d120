"""Numbers on the command line."""

from __future__ import annotations

import math
from typing import Any

import click


class Within(click.FloatRange):
    """click's FloatRange, which lets `nan` pass, as it is neither below nor above any number, and `inf` where no most is given."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"'{value}' is not a finite number.", param, ctx)
        return number
