"""Aspiration windows: our forms end on any answers; Moreland's wrong form does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import QUIET, search

from engine.board.game import Game
from engine.search.aspiration import windows

INFINITE = 32000
KINDS = st.sampled_from(("low", "high", "inside", "edge"))
FORMS = ("reset", "onesided", "gradual")


def unstable(alpha: int, beta: int) -> int:
    """A search made unstable by its table: bounded above it fails high, bounded below it fails low."""
    if beta < INFINITE:
        return beta + 20
    if alpha > -INFINITE:
        return alpha - 20
    return 30


def wrong_form(search_window: Callable[[int, int], int], value: int, width: int, patience: int) -> tuple[int, int]:
    """Moreland's crashing loop: a fail low reopens to (-inf, value + 1), a fail high to (value - 1, inf).

    Returns (searches, exact values): it gives up after `patience` searches.
    """
    alpha, beta = value - width, value + width
    for searches in range(1, patience + 1):
        value = search_window(alpha, beta)
        if value <= alpha:
            alpha, beta = -INFINITE, value + 1
        elif value >= beta:
            alpha, beta = value - 1, INFINITE
        else:
            return searches, 1
    return patience, 0


def test_the_wrong_form_never_ends() -> None:
    """A3: the re-search above fails low, the one below fails high, and no exact score ever comes."""
    assert wrong_form(unstable, 0, 50, 10_000) == (10_000, 0)
    # On a stable search it works, which is why it looks right.
    assert wrong_form(lambda alpha, beta: 120, 0, 50, 10_000) == (2, 1)


def drive(
    level: str, value: int, width: int, answer: Callable[[int, int], int], patience: int = 100
) -> tuple[list[tuple[int, int]], list[int]]:
    """Ask `answer` for a score in each window that the form opens; (windows, scores) until it is content."""
    scores: list[int] = []
    while True:
        asked = windows(level, value, width, scores)
        if len(asked) <= len(scores) or len(scores) >= patience:
            return asked, scores
        scores.append(answer(*asked[-1]))


@pytest.mark.parametrize("level", FORMS)
def test_our_forms_end_where_the_wrong_one_loops(level: str) -> None:
    asked, scores = drive(level, 0, 50, unstable)
    assert asked[-1] == (-INFINITE, INFINITE) and scores[-1] == 30
    assert len(asked) <= 12


@given(
    st.sampled_from(FORMS),
    st.integers(-3000, 3000),
    st.integers(1, 1000),
    st.lists(
        st.tuples(st.sampled_from(("low", "high", "inside", "edge")), st.integers(0, 40000)), min_size=60, max_size=60
    ),
)
def test_any_answers_end_it(level: str, value: int, width: int, plan: list[tuple[str, int]]) -> None:
    """Adversarial fail highs and lows: windows only grow, are never empty, and the loop ends within 40 searches."""
    steps = iter(plan)

    def answer(alpha: int, beta: int) -> int:
        kind, distance = next(steps)
        if kind == "low":
            return max(alpha - distance, -INFINITE)
        if kind == "high":
            return min(beta + distance, INFINITE)
        if kind == "edge":
            return alpha if distance % 2 else beta
        return alpha + 1 + distance % max(1, beta - alpha - 1)

    asked, scores = drive(level, value, width, answer, patience=50)
    assert len(asked) == len(scores) <= 40
    for (alpha, beta), (wider_alpha, wider_beta) in zip(asked, asked[1:], strict=False):
        assert -INFINITE <= wider_alpha <= alpha < beta <= wider_beta <= INFINITE
        assert (wider_alpha, wider_beta) != (alpha, beta)
    failed = [("low" if s <= a else "high" if s >= b else "") for (a, b), s in zip(asked, scores, strict=True)]
    if "low" in failed[:-1] and "high" in failed[:-1]:
        both = max(failed.index("low"), failed.index("high"))
        assert asked[both + 1] == (-INFINITE, INFINITE), "once both sides have failed the window is full"


def test_what_each_form_opens() -> None:
    """A1 opens both sides, A2 the one that failed, the gradual form a step that doubles."""
    assert windows("reset", 20, 50, [90]) == [(-30, 70), (-INFINITE, INFINITE)]
    assert windows("onesided", 20, 50, [90]) == [(-30, 70), (-30, INFINITE)]
    assert windows("onesided", 20, 50, [-80]) == [(-30, 70), (-INFINITE, 70)]
    assert windows("gradual", 0, 10, [15, 40]) == [(-10, 10), (-10, 35), (-10, 80)]
    assert windows("gradual", 0, 10, [5]) == [(-10, 10)]


@pytest.mark.parametrize("fen", QUIET[:6])
@pytest.mark.parametrize("level", FORMS)
def test_the_score_does_not_depend_on_the_window(fen: str, level: str) -> None:
    """Without a table or pruning the root score with any window is the one without."""
    exact = search(fen, 4, Preset="vicki")
    for width in (1, 50):
        narrow = search(fen, 4, Preset="vicki", Aspiration=level, WindowWidth=width)
        assert (narrow.score, narrow.depth) == (exact.score, exact.depth)


@pytest.mark.parametrize("level", FORMS)
@pytest.mark.parametrize("nodes", [1, 2, 37, 300, 1500, 4000, 9000])
def test_a_stop_inside_a_research_still_gives_a_move(level: str, nodes: int) -> None:
    """Width 1 makes nearly every search fail first; whenever it is stopped there is a legal move."""
    for fen in QUIET[:4]:
        result = search(fen, 30, nodes=nodes, Aspiration=level, WindowWidth=1)
        assert result.move in Game(fen).legal_moves() and result.pv[0] == result.move
