"""What is left to play: the tests that keep a claim open, and a guess at the games they need."""

from __future__ import annotations

import pytest
from claim_register import match

from harness.claims import remaining
from harness.claims.catalogue import Claim, Trial
from harness.claims.register import FEWEST, Register
from harness.claims.verdicts import OPEN

PAIRS = (50, 100, 200, 120, 55)  # between even and better, in 1,050 games


def claim(*tests: Trial) -> Claim:
    return Claim("C1", "t", "a", 2000, "s", "winglet", "x", "y", "z", tests)


def trial(variant: str, **more: object) -> Trial:
    return Trial("own", "e", "x", variant, "stronger", **more)  # type: ignore[arg-type]


def test_a_claim_is_kept_open_by_the_tests_without_a_verdict() -> None:
    found = Register({"x/v": match((0, 0, 20, 40, 40)), "x/w": match(PAIRS, variant="w", ended=False)})
    left = list(remaining.of([claim(trial("v"), trial("w"), trial("beside", decides=False))], found))
    assert [one.test.variant for one in left] == ["w"]
    assert not list(remaining.of([claim(trial("v"))], found))  # it holds
    unplayed = list(remaining.of([claim(trial("v"), trial("none"))], found))
    assert [one.text() for one in unplayed] == ["–"]


@pytest.mark.parametrize("pairs", [PAIRS, (100, 200, 400, 202, 102), (70, 100, 200, 100, 72)])
def test_so_many_games_as_it_names_settle_it(pairs: tuple[int, ...]) -> None:
    found = Register({"x/v": match(pairs, ended=False)})
    (one,) = remaining.of([claim(trial("v"))], found)
    assert one.games is not None and one.games >= min(FEWEST, one.played)
    for share, settled in ((1.1, True), (0.9, False)):
        times = one.games * share / one.played
        more = match(tuple(round(count * times) for count in pairs), ended=False)
        assert (more.word is not None) == settled or more.games < FEWEST, (one.games, share)
    assert one.test.key == "x/v" and OPEN == "open"
