"""The time budget against the formulas of the protocol reference, section 7."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model import Limits
from engine.play.clock import (
    DEFAULT_MS,
    INSTANT_MS,
    Clocks,
    Lag,
    Situation,
    TimeControl,
    budget,
    moves_to_go,
    parse_base,
    parse_decimal,
    parse_level,
    parse_whole,
    share,
    to_ms,
)

WHITE, BLACK = 0, 1


@pytest.mark.parametrize(
    ("words", "control"),
    [
        ("40 5 0", TimeControl(40, 300_000, 0)),
        ("40 0:30 0", TimeControl(40, 30_000, 0)),
        ("0 0:05 0.1", TimeControl(0, 5_000, 100)),
        ("0 25+5 0", TimeControl(0, 1_500_000, 0)),
        ("0 1 0.5", TimeControl(0, 60_000, 500)),
        ("0 0:00 1", TimeControl(0, 0, 1000)),
        ("0 0 0", TimeControl(0, 0, 0)),
        ("5 2:5 12", TimeControl(5, 125_000, 12_000)),
        ("0 61:40 3", TimeControl(0, 3_700_000, 3_000)),
        ("0 5: 0", TimeControl(0, 300_000, 0)),
        ("0 5:x 0", TimeControl(0, 300_000, 0)),
        ("1 1 .25 junk", TimeControl(1, 60_000, 250)),
    ],
)
def test_level_is_read(words: str, control: TimeControl) -> None:
    assert parse_level(words.split()) == control


@pytest.mark.parametrize(
    "words",
    ["", "40", "40 5", "x 5 0", "-1 5 0", "40 x 0", "40 -5 0", "40 5 x", "40 5 -1", "4.5 5 0", "40 :30 0", "40 5 nan"],
)
def test_level_that_means_nothing_is_refused(words: str) -> None:
    with pytest.raises(ValueError):
        parse_level(words.split())


@pytest.mark.parametrize("text", ["", "-", ".", "1e9", "inf", "nan", "0x10", "1_000", "٣", "1.2.3", "9" * 40])
def test_only_plain_decimal_numbers_are_numbers(text: str) -> None:
    for parse in (parse_decimal, parse_whole):
        with pytest.raises(ValueError):
            parse(text)


def test_numbers_with_sign_and_fraction() -> None:
    assert parse_decimal("+1.5") == 1.5
    assert parse_decimal("-.5") == -0.5
    assert parse_decimal("7.") == 7
    assert parse_whole("-300") == -300
    with pytest.raises(ValueError):
        parse_whole("1.5")
    assert parse_base("0.5") == 30_000


def test_moves_to_go_falls_from_34_to_18_with_the_men() -> None:
    assert moves_to_go(None, 0, 32, 60_000) == 34
    assert moves_to_go(None, 0, 2, 60_000) == 18
    steps = [moves_to_go(None, 0, men, 60_000) for men in range(2, 33)]
    assert steps == sorted(steps)


def test_an_increment_lets_the_clock_be_spent_in_the_middlegame() -> None:
    assert moves_to_go(TimeControl(0, 60_000, 600), 0, 32, 60_000) == 22
    assert moves_to_go(TimeControl(0, 60_000, 600), 0, 2, 60_000) == 8
    steps = [moves_to_go(TimeControl(0, 60_000, 600), 0, 32, clock) for clock in (600_000, 120_000, 60_000, 6_000, 0)]
    assert steps == sorted(steps, reverse=True)  # a clock that falls comes near the increment


@pytest.mark.parametrize(("made", "left"), [(0, 40), (1, 39), (39, 1), (40, 40), (79, 1), (80, 40)])
def test_moves_to_go_repeats_with_the_session(made: int, left: int) -> None:
    assert moves_to_go(TimeControl(40, 1, 0), made, 10, 60_000) == left


def test_soft_and_hard_follow_the_formulas() -> None:
    kept = 50
    soft, hard = share(300_000 + kept, TimeControl(40, 300_000, 0), 0, 32, 50)
    assert (soft, hard) == (7_500, 30_000)
    soft, hard = share(60_000 + kept, TimeControl(0, 60_000, 1_000), 0, 32, 50)
    assert (soft, hard) == (3_577, 14_309)
    # The last move of a session keeps a reserve.
    soft, hard = share(3_000 + kept, TimeControl(40, 300_000, 0), 39, 32, 50)
    assert (soft, hard) == (2_100, 2_100)
    soft, hard = share(1_000, TimeControl(0, 0, 10_000), 0, 32, 50)  # the increment comes only after the move
    assert (soft, hard) == (950 // 22 + 950 // 2, 950)
    assert share(200, TimeControl(0, 0, 0), 0, 32, 50) == (4, 17)  # half of a low clock is free all the same
    assert share(400, None, 0, 32, 500) == (0, 0)


def test_a_busy_machine_is_met_with_a_larger_reserve() -> None:
    quiet = share(1_000, None, 0, 32, 50)
    busy = share(1_000, None, 0, 32, 50, Lag(10, 100))
    assert busy[0] < quiet[0] and busy[1] < quiet[1]
    assert share(350, None, 0, 32, 50, Lag(10, 200)) == (0, 0)  # the reserve is all there is: move at once
    assert share(350, None, 0, 32, 50) != (0, 0)


def test_a_clock_that_has_run_down_means_depth_one_at_once() -> None:
    for clock in (INSTANT_MS, 10, 0, -3_000):
        limits = budget(Situation(clock_ms=clock))
        assert limits.depth == 1 and 0 < limits.hard_ms <= 10
    assert budget(Situation(clock_ms=INSTANT_MS + 1, overhead_ms=20)).depth == 0


def test_st_keeps_the_overhead_and_ignores_the_clock() -> None:
    limits = budget(Situation(st_ms=1_000, clock_ms=50, control=None, overhead_ms=50))
    assert (limits.soft_ms, limits.hard_ms, limits.depth) == (950, 950, 0)
    assert budget(Situation(st_ms=1_000, overhead_ms=0)).hard_ms == 980  # never less than 20 ms kept back
    assert budget(Situation(st_ms=100, overhead_ms=75)).hard_ms == 80  # a fifth of a short move at most
    assert budget(Situation(st_ms=10)).hard_ms == 1


def test_sd_caps_every_time_control_and_decides_alone_without_a_clock() -> None:
    assert budget(Situation(depth=7)) == Limits(depth=7)
    assert budget(Situation(depth=7, st_ms=1_000)).depth == 7
    assert budget(Situation(depth=7, clock_ms=60_000)).depth == 7
    assert budget(Situation()).hard_ms == DEFAULT_MS


@pytest.mark.parametrize(
    ("st_ms", "rate", "nodes"),
    [(1_000, 5_000, 5_000), (5_000_000, 1, 5_000), (86_400_000, 1, 86_400), (to_ms(2e9), 1, 2_000_000_000)],
)
def test_st_and_nps_together_are_an_exact_number_of_nodes(st_ms: int, rate: int, nodes: int) -> None:
    limits = budget(Situation(st_ms=st_ms, nps=rate))
    assert (limits.nodes, limits.soft_ms, limits.hard_ms) == (nodes, 0, 0)


def test_nps_with_a_clock_counts_nodes_and_nps_0_takes_cpu_time() -> None:
    clock = 34_000 + 20
    assert budget(Situation(clock_ms=clock, nps=1_000)).nodes == 1_000
    limits = budget(Situation(clock_ms=clock, nps=0))
    assert limits.cpu_clock and limits.soft_ms == 1_000 and not limits.nodes
    assert budget(Situation(nps=100)).nodes == 100 * DEFAULT_MS // 1000
    assert budget(Situation(clock_ms=1, nps=1_000)).depth == 1


@given(
    clock=st.integers(-(10**6), 10**9),
    moves=st.integers(0, 100),
    base=st.integers(0, 10**8),
    increment=st.integers(0, 10**6),
    made=st.integers(0, 500),
    men=st.integers(2, 32),
    overhead=st.integers(0, 5000),
)
def test_the_budget_never_exceeds_the_clock(
    clock: int, moves: int, base: int, increment: int, made: int, men: int, overhead: int
) -> None:
    control = TimeControl(moves, base, increment)
    limits = budget(Situation(clock, control, made, men, None, 0, None, overhead))
    assert 0 < limits.soft_ms <= limits.hard_ms
    if clock > INSTANT_MS:
        assert limits.hard_ms <= max(5, clock - max(overhead, 20))


@given(
    mps=st.integers(1, 60),
    base=st.integers(2_000, 10**7),
    increment=st.integers(0, 3_000),
    lag=st.integers(0, 20),
)
def test_no_session_is_ever_lost_when_every_move_takes_all_it_may(
    mps: int, base: int, increment: int, lag: int
) -> None:
    clocks = Clocks()
    clocks.set_level(TimeControl(mps, base, increment))
    for _ in range(3 * mps):
        left = clocks.left_ms(WHITE)
        assert left is not None
        limits = budget(Situation(left, clocks.control, clocks.moves(WHITE), 32, None, 0, None, 50))
        used = limits.hard_ms + lag
        if left > INSTANT_MS:
            assert used <= left
        clocks.made(WHITE, min(used, max(left, 0)))
    assert clocks.moves(WHITE) == 3 * mps


def test_own_clock_runs_without_any_time_command() -> None:
    clocks = Clocks()
    clocks.set_level(TimeControl(2, 60_000, 500))
    clocks.made(WHITE, 10_000)
    assert clocks.left_ms(WHITE) == 50_500
    clocks.made(WHITE, 20_000)
    assert clocks.left_ms(WHITE) == 50_500 - 20_000 + 500 + 60_000
    assert clocks.left_ms(BLACK) == 60_000
    clocks.unmade(WHITE)
    assert (clocks.moves(WHITE), clocks.left_ms(WHITE)) == (1, 30_500)
    clocks.unmade(WHITE)
    clocks.unmade(WHITE)  # before the level: nothing more to take off
    assert clocks.moves(WHITE) == 0


def test_time_is_ours_whichever_colour_we_get() -> None:
    clocks = Clocks()
    clocks.set_level(TimeControl(0, 60_000, 0))
    clocks.set_time(500)
    clocks.set_otim(90_000)
    clocks.settle(BLACK)
    assert (clocks.left_ms(BLACK), clocks.left_ms(WHITE)) == (500, 90_000)
    clocks.settle(WHITE)  # nothing new was said
    assert clocks.left_ms(WHITE) == 90_000


def test_level_and_st_cancel_each_other_and_new_keeps_them() -> None:
    clocks = Clocks()
    clocks.set_st(1_000)
    clocks.set_level(TimeControl(0, 300_000, 0))
    assert clocks.st_ms is None and clocks.left_ms(WHITE) == 300_000
    clocks.made(WHITE, 1_000)
    clocks.new_game()
    assert clocks.left_ms(WHITE) == 300_000 and clocks.moves(WHITE) == 0
    clocks.set_st(2_000)
    assert clocks.control is None and clocks.left_ms(WHITE) is None
    clocks.new_game()
    assert clocks.st_ms == 2_000


def test_seconds_become_whole_milliseconds_within_bounds() -> None:
    assert to_ms(0.1) == 100
    assert to_ms(1e20) == 10**15
    assert to_ms(-3.0) == -3000


def test_lag_is_learnt_from_the_clock_that_the_gui_tells() -> None:
    clocks = Clocks()
    clocks.set_level(TimeControl(0, 60_000, 1_000))
    clocks.set_time(60_000)
    clocks.settle(WHITE)
    told = 60_000
    for _ in range(20):  # each move takes 500 ms of ours, but 600 ms of the clock
        clocks.made(WHITE, 500)
        clocks.made(BLACK)
        told += 1_000 - 600
        clocks.set_time(told)
        clocks.settle(WHITE)
    usual, worst = clocks.lag()
    assert 85 <= usual <= worst <= 90  # a hundredth is put down to rounding
    clocks.made(WHITE, 500)
    clocks.set_time(10_000)  # another clock altogether is no lag
    clocks.settle(WHITE)
    assert clocks.lag() == (usual, worst)
    clocks.overrun(180)
    assert clocks.lag().worst_ms == 180
    for _ in range(100):  # punctual moves let it be forgotten
        clocks.made(WHITE, 500)
        clocks.set_time(clocks.left_ms(WHITE) or 0)
        clocks.settle(WHITE)
    assert clocks.lag().worst_ms < 10 and clocks.lag().usual_ms == 0


def test_lag_is_learnt_and_forgotten_though_the_gui_repeats_the_level_before_each_move() -> None:
    clocks = Clocks()
    clocks.overrun(200)
    told = 60_000
    for number in range(120):
        clocks.set_level(TimeControl(0, told, 0))
        clocks.set_time(told)
        clocks.settle(WHITE)
        clocks.made(WHITE, 100)
        told -= 100 if number < 100 else 160
        if number == 99:
            assert clocks.lag().worst_ms < 15 and clocks.lag().usual_ms == 0
    assert clocks.lag().usual_ms > 40
    clocks.new_game()
    clocks.set_time(60_000)
    before = clocks.lag()
    clocks.settle(WHITE)
    assert clocks.lag() == before


def test_without_our_own_timing_nothing_is_learnt() -> None:
    clocks = Clocks()
    clocks.set_level(TimeControl(0, 60_000, 0))
    clocks.made(WHITE)  # a forced move, not timed
    clocks.set_time(59_900)
    clocks.settle(WHITE)
    clocks.set_time(59_800)
    clocks.settle(WHITE)
    assert clocks.lag() == (0, 0)


def test_a_clock_with_an_increment_settles_above_moves_at_once() -> None:
    """At 0.5 s + 5 ms long games were once decided by moves at depth 1: the plan ran the clock down to where they begin."""
    control = TimeControl(0, 500, 5)
    clock = 500
    for move in range(200):
        soft, hard = share(clock, control, move, max(4, 32 - move // 3), 20)
        assert hard, f"move at once on move {move}"
        clock += 5 - soft - 1  # a millisecond is lost on the way
    assert 100 < clock < 200
