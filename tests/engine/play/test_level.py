"""Level: weaker by degrees, never by more than the margin, full strength untouched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.game import Game
from engine.model import Limits, Result
from engine.play.level import STRONGEST, WEAKEST, candidates, choose, draw, level_of, margin, node_cap, weak_limits
from engine.play.options import FULL_LEVEL
from engine.search.threads import Searcher
from engine.variant.features import Features

LEVELS = range(1, FULL_LEVEL)


def test_every_step_sees_more_and_errs_less() -> None:
    assert [node_cap(level) for level in LEVELS] == sorted({node_cap(level) for level in LEVELS})
    margins = [margin(level) for level in range(1, FULL_LEVEL + 1)]
    assert margins == sorted(set(margins), reverse=True) and margins[-1] == 0
    counts = [candidates(level) for level in LEVELS]
    assert counts == sorted(counts, reverse=True) and counts[0] == 6 and counts[-1] == 2


@given(st.lists(st.integers(-3000, 3000), min_size=1, max_size=8), st.integers(1, FULL_LEVEL), st.floats(0, 0.999999))
def test_the_draw_stays_within_the_margin(scores: list[int], level: int, chance: float) -> None:
    ranked = sorted(scores, reverse=True)
    chosen = draw(ranked, margin(level), chance)
    assert ranked[0] - ranked[chosen] <= margin(level)


def test_a_mate_that_is_seen_is_played_and_one_against_us_avoided() -> None:
    assert draw([100_002, 500, 490], margin(1), 0.99) == 0
    assert draw([-300, -310, -100_001], margin(1), 0.999999) == 1
    assert draw([-100_003, -100_001], margin(1), 0.99) == 0


def test_better_moves_come_more_often() -> None:
    picks = [draw([50, 0, -50], margin(1), chance / 1000) for chance in range(1000)]
    assert picks.count(0) > picks.count(1) > picks.count(2) > 0


def test_the_cap_is_added_to_the_limits() -> None:
    assert weak_limits(Limits(hard_ms=100), 1) == Limits(nodes=150, hard_ms=100)
    assert weak_limits(Limits(nodes=20), 1).nodes == 20
    assert weak_limits(Limits(nodes=9999), 1).nodes == 150


@pytest.mark.parametrize("level", [1, 8, 19])
def test_moves_are_legal_varied_and_obey_exclusions(level: int) -> None:
    """The weakest level draws among three moves of like odds here: 60 draws of the same one come once in 10**24."""
    game, searcher = Game(), Searcher(1)
    excluded = game.legal_moves()[:17]
    seen = set()
    for _ in range(60 if level == LEVELS[0] else 6):
        limits = Limits(soft_ms=100, hard_ms=100)
        searcher.prepare(limits)
        result = choose(searcher, game, Features(), limits, level, lambda info: None, excluded, lambda: False)
        assert result.move in game.legal_moves() and result.move not in excluded
        seen.add(result.move)
    assert level > LEVELS[0] or len(seen) > 1


class Counted:
    """A searcher that notes the limits and the result of each search."""

    def __init__(self) -> None:
        self._searcher = Searcher(1)
        self.limits: list[Limits] = []
        self.results: list[Result] = []

    def search(self, game: Game, features: Features, limits: Limits, *rest: object) -> Result:
        self.limits.append(limits)
        self.results.append(self._searcher.search(game, features, limits, *rest))
        return self.results[-1]


@pytest.mark.parametrize(("level", "nodes"), [(5, 1000), (15, 1000), (15, 3), (1, 10**6)])
def test_all_its_searches_together_keep_to_the_nodes_and_are_counted(level: int, nodes: int) -> None:
    searcher = Counted()
    chosen = choose(searcher, Game(), Features(), Limits(nodes=nodes), level, lambda info: None, (), lambda: False)
    assert len(searcher.results) == candidates(level)
    assert chosen.nodes == sum(result.nodes for result in searcher.results)
    assert chosen.ms == sum(result.ms for result in searcher.results)
    assert chosen.nodes <= max(nodes, 10) and all(one.nodes <= node_cap(level) for one in searcher.limits)


@pytest.mark.parametrize(("hard", "searches"), [(0, 2), (10**5, 2), (1, 1)])
def test_alternatives_have_the_time_that_the_first_search_leaves(hard: int, searches: int) -> None:
    searcher = Counted()
    limits = Limits(soft_ms=hard, hard_ms=hard)
    choose(searcher, Game(), Features(), limits, FULL_LEVEL - 1, lambda info: None, (), lambda: False)
    assert len(searcher.results) == searches
    rest = max(0, hard - searcher.results[0].ms)
    assert all(one.hard_ms == one.soft_ms == min(hard // 10, rest) for one in searcher.limits[1:])


@pytest.mark.parametrize(("left", "searches"), [(0, 1), (50, 2), (None, 2)])
def test_alternatives_have_the_time_that_a_ponder_hit_leaves(left: int | None, searches: int) -> None:
    """They were searched without a limit of time, as the pondering had begun, and the clock ran out."""
    searcher = Counted()
    renewed = None if left is None else Limits(soft_ms=left + 1, hard_ms=left + 1)
    choose(
        searcher, Game(), Features(), Limits(), FULL_LEVEL - 1, lambda info: None, (), lambda: False, 0, lambda: renewed
    )
    assert len(searcher.results) == searches
    assert all(one.hard_ms == one.soft_ms == (left or 0) // 10 for one in searcher.limits[1:])


def test_a_stop_ends_it_at_once() -> None:
    game, searcher = Game(), Searcher(1)
    searcher.prepare(Limits())
    result = choose(searcher, game, Features(), Limits(), 10, lambda info: None, (), lambda: True)
    assert result.move in game.legal_moves()


def test_higher_levels_beat_lower_ones() -> None:
    """Six short games of level 16 against level 1, both colours: the higher level scores most of the points."""
    searcher = Searcher(1)
    points = 0.0
    for number in range(6):
        game = Game()
        for _ in range(100):
            if game.outcome() or abs(_material(game)) > 1200:
                break
            level = 16 if game.turn == number % 2 else 1
            limits = Limits(nodes=4000)
            searcher.prepare(limits)
            result = choose(searcher, game, Features(), limits, level, lambda info: None, (), lambda: False)
            game.push(result.move)
        over = game.outcome()
        if over and over[0] != "1/2-1/2":
            white = 1.0 if over[0] == "1-0" else 0.0
        elif over:
            white = 0.5
        else:
            white = 1.0 if _material(game) > 100 else 0.0 if _material(game) < -100 else 0.5
        points += white if number % 2 == 0 else 1 - white
    assert points >= 5


def _material(game: Game) -> int:
    """Centipawns that White is ahead."""
    values = {"p": 100, "n": 300, "b": 300, "r": 500, "q": 900}
    board = game.fen().split()[0]
    return sum(values.get(man.lower(), 0) * (1 if man.isupper() else -1) for man in board)


def test_elo_of_a_level_and_the_level_of_an_elo() -> None:
    assert [level_of(elo) for elo in (WEAKEST, STRONGEST)] == [1, 15]
    levels = [level_of(elo) for elo in range(WEAKEST - 500, STRONGEST + 500)]
    assert levels == sorted(levels) and set(levels) == set(range(1, 16))
