"""The worth of ordering under either evaluation: the two runs side by side, and what lies between them."""

from __future__ import annotations

import pytest
from claim_register import match

from harness.claims.pages import by_evaluation, findings
from harness.claims.register import Register
from harness.claims.verdicts import Figure

EVEN, WORSE = (40, 100, 200, 100, 40), (80, 130, 180, 70, 20)


def register(**played: tuple[tuple[int, ...], tuple[int, ...]]) -> Register:
    found = Register()
    for variant, both in played.items():
        for experiment, pairs in zip((by_evaluation.CLASSICAL, by_evaluation.NETWORK), both, strict=True):
            found.matches[f"{experiment}/{variant}"] = match(pairs, variant, experiment=experiment)
    return found


def test_a_row_for_each_variant_the_costliest_first() -> None:
    rows = by_evaluation.rows(register(**{"no-killers": (EVEN, EVEN), "lmr-off": (EVEN, WORSE)}))
    assert [row[0] for row in rows] == ["`lmr-off`", "`no-killers`"]
    assert rows[1][3].startswith("0.0 [-") and rows[0][3].startswith("-")
    text = findings.pages(register(**{"lmr-off": (EVEN, WORSE)}))["by-evaluation.md"]
    assert "| `lmr-off` |" in text and "960 games with the terms, 960 with the network" in text


def test_what_was_played_under_one_evaluation_alone_is_no_row() -> None:
    found = register(**{"lmr-off": (EVEN, WORSE)})
    del found.matches[f"{by_evaluation.CLASSICAL}/lmr-off"]
    assert not by_evaluation.rows(found)
    assert "open" in findings.pages(found)["by-evaluation.md"]


def test_the_answer_names_what_differs() -> None:
    same = register(**{"no-killers": (EVEN, EVEN), "lmr-off": (WORSE, WORSE)})
    assert by_evaluation.answer(same).endswith("none of the 2 differences excludes zero.")
    apart = register(**{"no-killers": (EVEN, EVEN), "lmr-off": (EVEN, WORSE)})
    assert by_evaluation.answer(apart).startswith("Of 2 differences these exclude zero: `lmr-off`.")
    assert by_evaluation.answer(apart) in findings.pages(apart)["by-evaluation.md"].replace("\n", " ")


def test_the_difference_is_as_uncertain_as_both() -> None:
    found = by_evaluation.difference(Figure(-10.0, -14.0, -6.0), Figure(-40.0, -43.0, -37.0))
    assert found.elo == -30.0 and found.low == pytest.approx(-35.0) and found.high == pytest.approx(-25.0)
    assert by_evaluation.difference(Figure(None, None, -6.0), Figure(0.0, -1.0, 1.0)) == Figure(None, None, None)
