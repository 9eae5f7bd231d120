"""README's first screen: each headline comparison in a sentence and in a row, with its spot check beside it."""

from __future__ import annotations

from claim_register import match

from harness.claims import catalogue
from harness.claims.pages import first_screen
from harness.claims.register import Register

WORSE = (300, 400, 200, 80, 20)  # 1,000 pairs


def test_a_sentence_and_a_row_for_each_comparison() -> None:
    """The sentence tells what a technique is worth, the row how the variant without it fares."""
    key = catalogue.read().headline["lmr-off"]
    register = Register({key: match(WORSE, "lmr-off", experiment="worth-headline")})
    told = first_screen.text(register)
    assert "late-move reductions +16" in told and "| `lmr-off` | **weaker**: -16" in told
    assert told.count("\n| `") == 1 and "agrees" not in told


def test_the_spot_check_says_whether_it_agrees() -> None:
    long = match(WORSE, "lmr-off", experiment="worth-headline")
    for pairs, said in (((9, 12, 6, 3, 0), "agrees"), ((0, 0, 5, 15, 10), "differs by more than chance")):
        register = Register({"worth-headline/lmr-off": long, "headline/lmr-off": match(pairs, "lmr-off")})
        assert f"60 games: {said} |" in first_screen.text(register)


def test_without_games_there_is_neither() -> None:
    told = first_screen.text(Register())
    assert "\n| `" not in told and "is worth to Sortie" not in told
    assert "21 old claims" in told and "| its own engine | 21 |" in told
