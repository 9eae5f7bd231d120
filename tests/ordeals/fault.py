"""What a fault is that is put into the programs on purpose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """`old`, which stands in `file` exactly once, becomes `new`; pytest's `test` must then fail."""

    name: str
    file: str
    old: str
    new: str
    test: str
    why: str
