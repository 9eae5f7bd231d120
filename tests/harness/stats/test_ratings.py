"""Joint ratings against Ordo 1.2.6 and BayesElo 0057.2, and where no rating can be given."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.stats import bayeselo
from harness.stats import elo as stats
from harness.stats.bayeselo import bayes_elo
from harness.stats.ratings import LOGISTIC, ORDO, Meeting, placed, score_model

J1 = [("A", "B", 30, 40, 10), ("B", "A", 20, 35, 25)]
J3 = [
    *[("Base", "V1", 22, 60, 18), ("V1", "Base", 30, 58, 12), ("Base", "V2", 28, 61, 11)],
    *[("V2", "Base", 19, 60, 21), ("Base", "V3", 20, 62, 18), ("V3", "Base", 26, 57, 17)],
]
J5 = [
    *[("A", "B", 10, 80, 10), ("B", "A", 11, 79, 10), ("A", "C", 14, 76, 10), ("C", "A", 9, 80, 11)],
    *[("A", "D", 9, 82, 9), ("D", "A", 12, 78, 10), ("B", "C", 13, 77, 10), ("C", "B", 10, 79, 11)],
]
NAMES = {"J1": ["A", "B"], "J3": ["Base", "V1", "V2", "V3"], "J5": ["A", "B", "C", "D"]}
GAMES = {"J1": J1, "J3": J3, "J5": J5}


def meetings(key: str) -> list[Meeting]:
    names = NAMES[key]
    return [Meeting(names.index(white), names.index(black), w, d, lost) for white, black, w, d, lost in GAMES[key]]


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        ("J1", [27.608, -27.608]),
        ("J3", [-0.8623, 23.712, -34.2594, 11.4097]),
        ("J5", [1.3148, 1.3148, -7.4493, 4.8198]),
    ],
)
def test_ordo_plain(key: str, wanted: list[float]) -> None:
    assert score_model(len(wanted), meetings(key), ORDO).ratings == pytest.approx(wanted, abs=0.05)


@pytest.mark.parametrize(
    ("key", "wanted", "white", "draws"),
    [
        ("J1", [27.863, -27.863], 33.79, 48.44),
        ("J3", [-0.859, 23.828, -34.482, 11.514], 28.24, 60.54),
        ("J5", None, 3.07, 78.95),
    ],
)
def test_ordo_with_white_advantage_and_draw_rate(
    key: str, wanted: list[float] | None, white: float, draws: float
) -> None:
    found = score_model(len(NAMES[key]), meetings(key), ORDO, white_advantage=True)
    if wanted is not None:
        assert found.ratings == pytest.approx(wanted, abs=0.05)
    assert found.advantage == pytest.approx(white, abs=0.05)
    assert found.draw_rate is not None and 100 * found.draw_rate == pytest.approx(draws, abs=0.05)


@pytest.mark.parametrize(
    ("key", "wanted", "advantage", "draw_elo"),
    [
        ("J1", [27, -27], 40.8943, 188.786),
        ("J3", [-1, 23, -33, 11], 43.7644, 246.322),
        ("J5", [1, 1, -7, 5], 8.16697, 372.872),
    ],
)
def test_bayes_elo(key: str, wanted: list[float], advantage: float, draw_elo: float) -> None:
    found = bayes_elo(len(wanted), meetings(key))
    assert found.ratings == pytest.approx(wanted, abs=1)
    assert found.advantage == pytest.approx(advantage, abs=0.01)
    assert found.draw_elo == pytest.approx(draw_elo, abs=0.01)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=3, max_size=3))
def test_bayes_elo_is_the_likeliest(rows: list[tuple[int, int, int]]) -> None:
    """No small step of any rating makes the results (with the prior draws) likelier."""
    couples = [(0, 1), (1, 2), (2, 0)]
    games = [Meeting(a, b, *row) for (a, b), row in zip(couples, rows, strict=True)]
    found = bayes_elo(3, games)
    if found.draw_elo is None:
        return
    assert -500 < found.advantage < 2000 and 0 < found.draw_elo < 2000
    scale = 4 * 10 ** (-found.draw_elo / 400) / (1 + 10 ** (-found.draw_elo / 400)) ** 2
    raw = [0.0 if rating is None else rating / scale for rating in found.ratings]

    def loss(ratings: list[float]) -> float:
        total = 0.0
        played = [game for game in games if game.games]
        meets = {
            player: sum(game.games for game in played if player in (game.white, game.black)) for player in range(3)
        }
        for game in played:
            prior = 0.5 * game.games * (1 / meets[game.white] + 1 / meets[game.black])
            gap = ratings[game.white] - ratings[game.black]
            for advantage, counts in (
                (found.advantage, (game.wins, game.draws + prior, game.losses)),
                (-found.advantage, (0.0, prior, 0.0)),
            ):
                assert found.draw_elo is not None
                won = 1 / (1 + 10 ** ((found.draw_elo - gap - advantage) / 400))
                lost = 1 / (1 + 10 ** ((found.draw_elo + gap + advantage) / 400))
                for count, chance in zip(counts, (won, 1 - won - lost, lost), strict=True):
                    total -= count * math.log(chance)
        return total

    best = loss(raw)
    for player in range(3):
        for step in (-1.0, 1.0):
            moved = list(raw)
            moved[player] += step
            assert loss(moved) >= best - 1e-6


def test_the_information_of_bayes_elo_is_the_slope_of_its_gradient() -> None:
    """Differences of the gradient as such left the errors off by a thousandth, and took minutes for 600 players."""
    games = [Meeting(0, 1, 5, 3, 2), Meeting(1, 0, 1, 4, 2), Meeting(1, 2, 3, 0, 3), Meeting(2, 0, 2, 2, 1)]
    likelihood = bayeselo._likelihood([0, 1, 2], games, 2.0)
    x = np.array([0.1, -0.3, 0.2, 0.15, 0.6])
    steps = np.eye(5) * 1e-5
    slopes = np.array([(likelihood.negative(x + s)[1] - likelihood.negative(x - s)[1]) / 2e-5 for s in steps])
    assert likelihood.information(x) == pytest.approx(slopes, abs=1e-6)


def test_two_players_differ_by_the_elo_of_their_match() -> None:
    found = score_model(2, [Meeting(0, 1, 50, 75, 35)], LOGISTIC)
    match = stats.estimate((50, 75, 35))
    a, b = found.ratings
    assert a is not None and b is not None and a + b == pytest.approx(0)
    assert a - b == pytest.approx(match.elo, abs=1e-6)
    # Each stands half of the difference from the mean, so its error is half of the match's.
    assert found.errors[0] is not None and 2 * found.errors[0] == pytest.approx(match.elo_error, rel=0.02)
    assert found.cfs[0][1] == pytest.approx(match.los, abs=0.01)
    assert found.cfs[0][1] == pytest.approx(1 - (found.cfs[1][0] or 0))


def test_who_cannot_be_placed_has_no_rating() -> None:
    games = [Meeting(0, 1, 3, 2, 1), Meeting(2, 0, 5, 0, 0), Meeting(1, 3, 0, 4, 0), Meeting(4, 5, 1, 1, 1)]
    assert placed(6, games) == [0, 1]
    found = score_model(6, games)
    assert [rating is None for rating in found.ratings] == [False, False, True, True, True, True]
    assert score_model(2, [Meeting(0, 1, 4, 0, 0)]).ratings == (None, None)
    assert score_model(2, [Meeting(0, 1, 0, 4, 0)]).ratings == (None, None)
    assert score_model(3, []).ratings == (None, None, None)
    assert bayes_elo(2, []).ratings == (None, None)


@pytest.mark.parametrize(
    "games",
    [
        [Meeting(0, 1, 20, 0, 0)],
        [Meeting(0, 1, 10, 0, 0), Meeting(1, 0, 0, 0, 10)],
        [Meeting(0, 1, 0, 20, 0)],
        [Meeting(0, 1, 5, 0, 0), Meeting(1, 0, 5, 0, 0)],
    ],
    ids=["won as white", "won", "drawn", "white wins"],
)
def test_the_prior_of_bayes_elo_places_everybody(games: list[Meeting]) -> None:
    found = bayes_elo(2, games)
    first, second = found.ratings
    assert first is not None and second is not None and first == pytest.approx(-second)
    assert all(error is not None and 0 < error < 1000 for error in found.errors)
    assert (first > 50) == (games[0].losses == 0 and games[0].wins > 5)
    if first < 1:
        assert first == pytest.approx(0, abs=0.01)


def test_white_s_advantage_is_left_out_where_the_games_do_not_determine_it() -> None:
    """White won all but one drawn game: without that the ratings of these equals were 2900 apart, and the advantage 3700."""
    games = [Meeting(0, 1, 50, 1, 0), Meeting(1, 0, 50, 0, 0)]
    found = score_model(2, games, ORDO, white_advantage=True)
    assert found == score_model(2, games, ORDO) and found.advantage == 0.0
    assert found.ratings[0] == pytest.approx(0.0, abs=3.0)


def test_nor_where_each_player_had_one_colour() -> None:
    """The better player or the better colour? No game tells."""
    games = [Meeting(0, 1, 50, 30, 20)]
    found = score_model(2, games, ORDO, white_advantage=True)
    assert found == score_model(2, games, ORDO) and found.advantage == 0.0


@pytest.mark.parametrize("games", [1, 5, 50])
def test_without_losses_of_white_drawelo_is_bayes_elo_s_own(games: int) -> None:
    found = bayes_elo(2, [Meeting(0, 1, games, 0, 0), Meeting(1, 0, games, 0, 0)])
    assert found.draw_elo == pytest.approx(97.3)
    assert found.errors[0] is not None and found.errors[0] > 100


def test_where_the_weaker_never_won_equals_always_draw() -> None:
    assert score_model(2, [Meeting(0, 1, 1, 9, 0)]).draw_rate == pytest.approx(1.0)
    assert score_model(2, [Meeting(0, 1, 5, 5, 0), Meeting(1, 0, 0, 5, 5)]).draw_rate == pytest.approx(1.0)


counts = st.integers(1, 60)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(counts, counts, counts), min_size=6, max_size=6))
def test_expected_points_equal_actual_points(rows: list[tuple[int, int, int]]) -> None:
    couples = [(0, 1), (2, 0), (0, 3), (1, 2), (3, 1), (2, 3)]
    games = [Meeting(a, b, *row) for (a, b), row in zip(couples, rows, strict=True)]
    ratings = score_model(4, games).ratings
    for player in range(4):
        actual = wanted = 0.0
        for game in games:
            if player in (game.white, game.black):
                mine, other = (game.white, game.black) if player == game.white else (game.black, game.white)
                actual += game.points if player == game.white else game.games - game.points
                wanted += game.games * stats.expected((ratings[mine] or 0.0) - (ratings[other] or 0.0))
        assert actual == pytest.approx(wanted, abs=1e-5)
