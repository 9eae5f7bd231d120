"""What the figures of a register make of a claim: no verdict is kinder than its interval."""

from __future__ import annotations

from dataclasses import replace

import pytest
from claim_register import match

from harness.claims import catalogue, words
from harness.claims.catalogue import EXPECTATIONS, Claim, Trial
from harness.claims.register import FEWEST, Count, Register, Screen
from harness.claims.verdicts import (
    FAILS,
    HOLDS,
    NOT_ASKED,
    OPEN,
    find,
    findings,
    judged,
    telling,
    verdict,
    worth_of_time,
)
from harness.stats.elo import SMALL, STRONGER, WEAKER

BETTER, WORSE, EVEN = (10, 100, 200, 150, 60), (60, 150, 200, 100, 10), (500, 1000, 2000, 1000, 500)
FEW = (50, 100, 200, 100, 50)


def trial(expects: str = "stronger", **more: object) -> Trial:
    return Trial("own", "e", "x", str(more.pop("variant", "v")), expects, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("expects", "better", "worse", "small"),
    [
        ("stronger", HOLDS, FAILS, SMALL),
        ("weaker", FAILS, HOLDS, SMALL),
        ("not-stronger", FAILS, HOLDS, HOLDS),
        ("not-weaker", HOLDS, FAILS, HOLDS),
        ("differs", HOLDS, HOLDS, SMALL),
    ],
)
def test_what_was_expected_and_what_came(expects: str, better: str, worse: str, small: str) -> None:
    assert expects in EXPECTATIONS
    for pairs, said in ((BETTER, better), (WORSE, worse), (EVEN, small), (FEW, OPEN)):
        assert find(trial(expects), Register({"x/v": match(pairs)})).verdict == said
    assert judged(None, expects) == OPEN == find(trial(expects), Register()).verdict


def test_the_finding_that_tells_is_one_with_the_verdict_of_the_claim() -> None:
    found = Register(
        {f"x/{name}": match(pairs, variant=name) for name, pairs in {"v": BETTER, "w": WORSE, "f": FEW}.items()}
    )
    v, w, f = (trial(variant=name) for name in "vwf")
    for tests, name in (((v, w), "w"), ((v, f), "f"), ((v,), "v"), ((w, v, f), "w")):
        assert telling([find(test, found) for test in tests]).test.variant == name
    assert telling([find(replace(v, decides=False), found)]).test.variant == "v"  # nothing decides it


def test_a_small_difference_needs_its_games() -> None:
    still = (0, 2, (FEWEST - 10) // 2, 2, 0)
    assert match(still).games < FEWEST and match(still).word is None
    assert match((0, 2, FEWEST // 2, 2, 0)).word == SMALL
    assert match((0, 0, 20, 40, 40)).word == STRONGER  # not so a difference that the interval shows


def test_a_run_that_goes_on_is_looked_at_more_strictly() -> None:
    pairs = (40, 90, 200, 110, 60)  # 2.6 standard errors
    assert match(pairs).word == STRONGER and match(pairs, ended=False).word is None
    assert match(WORSE, ended=False).word == WEAKER


def claim(*tests: Trial) -> Claim:
    return Claim("C99", "t", "a", 2000, "s", "p", "text", "how", "what", tests)


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ((BETTER, BETTER), HOLDS),
        ((BETTER, WORSE), FAILS),
        ((FEW, WORSE), FAILS),
        ((BETTER, FEW), OPEN),
        ((EVEN, FEW), OPEN),
        ((BETTER, EVEN), SMALL),
    ],
)
def test_a_claim_of_two_parts(results: tuple[tuple[int, ...], ...], said: str) -> None:
    register = Register({f"x/{name}": match(pairs, name) for name, pairs in zip("ab", results, strict=True)})
    whole = claim(trial(variant="a"), trial(variant="b"), trial("weaker", variant="a", decides=False))
    assert verdict(findings(whole, "own", register)) == said
    assert verdict(findings(whole, "today", register)) == NOT_ASKED


COUNT = Count("x", "v", "base", 8, 16, 1.1, 1.05, 1.2, 1, "")
SCREEN = Screen("x", "v", "base", 8, 55, 0.5, 0.4, 0.6, None, None, None, None, None, 1, 1, "")
TWICE = (20, 100, 200, 180, 100)  # 84 Elo


def test_time_is_worth_what_nodes_are() -> None:
    pace = match(TWICE, "twice", experiment="doubling")
    found = pace.estimate
    assert found.elo and found.elo_low and found.elo_high
    half = worth_of_time(SCREEN, pace)
    assert half is not None and half.elo == pytest.approx(found.elo)  # half the nodes: what twice the nodes earn
    assert half.low and half.high and half.low < found.elo_low and half.high > found.elo_high
    same = worth_of_time(replace(COUNT, ratio=1.0, low=1.0, high=1.0), pace)
    assert same is not None and (same.elo, same.low, same.high) == (0.0, 0.0, 0.0)
    slower = worth_of_time(COUNT, pace)
    assert slower is not None and slower.high is not None and slower.high < 0
    assert worth_of_time(None, pace) is None and worth_of_time(COUNT, None) is None


def test_a_claim_of_time_is_decided_by_what_was_counted() -> None:
    pace = {"doubling/twice": match(TWICE, "twice", experiment="doubling")}
    timed = trial("weaker", speed="instructions", pace="doubling")
    assert find(timed, Register(pace)).verdict == OPEN
    assert find(timed, Register(pace, {}, {"x/v": replace(COUNT, ratio=2.0, low=1.9, high=2.1)})).verdict == HOLDS
    assert find(timed, Register(pace, {}, {"x/v": replace(COUNT, ratio=1.01, low=1.0, high=1.02)})).verdict == SMALL
    assert find(timed, Register(pace, {}, {"x/v": replace(COUNT, ratio=1.1, low=0.9, high=1.3)})).verdict == OPEN
    taken = replace(COUNT, ratio=1.01, low=1.0, high=1.02, time=2.0, time_low=1.9, time_high=2.1, rounds=40)
    assert find(timed, Register(pace, {}, {"x/v": taken})).verdict == HOLDS, (
        "time that was taken comes before instructions"
    )
    few = {"doubling/twice": match(tuple(one // 10 for one in TWICE), "twice", experiment="doubling")}
    assert find(timed, Register(few, {}, {"x/v": replace(COUNT, ratio=1.01, low=1.0, high=1.02)})).verdict == OPEN
    counted = trial("stronger", speed="nodes", pace="doubling")
    assert find(counted, Register(pace, {"x/v": SCREEN})).verdict == HOLDS


def test_games_on_the_clock_stand_beside_a_claim_of_time() -> None:
    timed = trial("weaker", speed="instructions", pace="doubling")
    claim = replace(catalogue.read().claim("C4"), tests=(timed,))
    found = Register({"x/v": match(EVEN, limit="1+0.01 s")}, {}, {"x/v": COUNT})
    told = words.on_the_clock(claim, found)
    assert told.startswith("Games on the clock, in Elo: `v` in e 0.0 [") and told.endswith(
        " (10,000 games at 1+0.01 s)."
    )
    assert words.on_the_clock(claim, Register()) == ""
    assert words.on_the_clock(replace(claim, tests=(trial(),)), found) == ""
