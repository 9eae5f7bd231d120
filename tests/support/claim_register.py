"""Made-up rows of a register."""

from __future__ import annotations

from dataclasses import replace

from harness.claims.register import Match

MATCH = Match(
    experiment="x",
    variant="v",
    base="base",
    kind="gauntlet",
    limit="2000 nodes a move",
    games=0,
    wins=0,
    draws=0,
    losses=0,
    pairs=(0, 0, 0, 0, 0),
    ended=True,
    within=10.0,
    depth=None,
    base_depth=None,
    seed=1,
    bench=1,
    version="0",
    played="2026-01-01",
    command="gauntlet run x",
    hash="",
)


def match(pairs: tuple[int, ...], variant: str = "v", **more: object) -> Match:
    return replace(MATCH, variant=variant, pairs=pairs, games=2 * sum(pairs), **more)  # type: ignore[arg-type]
