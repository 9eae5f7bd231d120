"""What ends a pairing before its last game: the tables [sprt] and [decide] of the experiment file."""

from __future__ import annotations

from harness.spec.settings import DYNAMIC_KINDS, Decide, Sprt
from harness.spec.toml_table import Table
from harness.stats.elo import FEWEST_PAIRS, LEAST_GAP, LEAST_RISK, MOST_NORMALIZED
from harness.stats.standing import BEST, ORDER

MODELS = ("normalized", "logistic")
MOST_LEAST = 1_000_000  # games
UNTIL = ("all", BEST, ORDER)


def sprt(table: Table | None, kind: str, paired: bool) -> Sprt | None:
    """The sequential test; None without its table."""
    if table is None:
        return None
    _refuse_unpaired(table, kind, paired)
    for key in ("elo0", "elo1"):
        if key not in table:
            raise table.fail(f"{key} is missing: a test needs both elo0 and elo1")
    elo0, elo1 = (table.number(key, 0.0, -2000, 2000) for key in ("elo0", "elo1"))
    if elo0 >= elo1:
        raise table.fail(f"elo0 must be below elo1, not {elo0:g} and {elo1:g}")
    if elo1 - elo0 < LEAST_GAP:
        raise table.fail(f"elo0 and elo1 must be {LEAST_GAP:g} apart or more, not {elo0:g} and {elo1:g}")
    alpha, beta = (table.number(key, 0.05, LEAST_RISK, 0.49) for key in ("alpha", "beta"))
    model = table.choice("model", MODELS, "normalized")
    if model == "normalized" and max(abs(elo0), abs(elo1)) > MOST_NORMALIZED:
        raise table.fail(f"normalized elo0 and elo1 must be within {MOST_NORMALIZED:g}, not {elo0:g} and {elo1:g}")
    return Sprt(elo0, elo1, alpha, beta, model)


def decide(table: Table | None, kind: str, paired: bool, tested: bool) -> Decide | None:
    """When a pairing is settled; None without its table. `tested`: there is also a sequential test."""
    if table is None:
        return None
    if tested:
        raise table.fail("does not go with [sprt]: both say when a pairing ends")
    _refuse_unpaired(table, kind, paired)
    until = table.choice("until", UNTIL, "all")
    if until != "all" and kind != "roundrobin":
        raise table.fail(f'until = "{until}" needs kind "roundrobin", where everyone meets everyone, not "{kind}"')
    confidence = table.number("confidence", None, 0.5, 0.9999)
    least = table.whole("least", 2 * FEWEST_PAIRS, 2 * FEWEST_PAIRS, MOST_LEAST)
    return Decide(table.number("within", 10.0, 0.1, 400), until, confidence, least)


def _refuse_unpaired(table: Table, kind: str, paired: bool) -> None:
    """Raises BadInput unless the games are in pairs and the kind has no rounds that need all of them."""
    if kind in DYNAMIC_KINDS:
        raise table.fail(f'does not go with kind "{kind}": its rounds need all their games')
    if not paired:
        raise table.fail("needs games in pairs: without paired = false in [experiment]")
