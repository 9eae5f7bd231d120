"""Statistics against the published oracle values, and what must hold for all counts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.stats import elo as stats
from harness.stats.stopped import sprt_elo

# W,D,L; elo0,elo1; elo, +-, LOS, nElo, nElo +-, LLR logistic, LLR normalized.
TRINOMIAL = """
T01 1,0,0 0,5 1129.650334 376.022568 1.000000 4908.076907 - 0.014287 0.014280
T03 1,1,1 0,5 0.000000 561.204306 0.500000 0.000000 393.153152 -0.000466 -0.000311
T05 10,20,1 0,5 103.854924 70.675324 0.999057 193.923363 122.304248 0.359800 0.214570
T07 12,30,8 0,5 27.854371 61.452178 0.816384 44.303368 96.302461 0.131224 0.085871
T09 55,30,15 0,10 147.190714 60.464983 1.000000 189.119978 68.096123 1.591088 1.335523
T11 250,500,250 0,5 0.000000 15.236516 0.500000 0.000000 21.533885 -0.207077 -0.103547
T13 250,450,300 -5,0 -17.386278 15.984908 0.016304 -23.477521 21.533885 -1.120535 -0.866782
T15 1450,4000,1500 0,6 -2.499580 5.322045 0.178622 -3.836784 8.168268 -4.473651 -2.361585
T17 5019,15699,5026 0,5 -0.094471 2.651122 0.472159 -0.151237 4.244088 -7.088346 -2.827070
T19 10871,20431,10650 -1.75,0.25 1.830282 2.381267 0.934032 2.555470 3.324651 3.496019 2.297500
T21 980,15,5 0,50 759.050837 87.325989 1.000000 1827.079987 21.533885 132.127293 130.687922
T23 3,994,3 0,2 0.000000 1.668020 0.500000 0.000000 21.533885 -2.121526 -0.016591
"""
# LL,LD,WL+DD,WD,WW; elo0,elo1; elo, +-, LOS, nElo, nElo +-, LLR logistic, normalized, SPRT-Elo [95 %].
PENTANOMIAL = """
P01 0,0,1,0,0 0,5 0.000000 34.020730 0.500000 0.000000 - -0.011282 -0.000215 0 -34.0207 34.0207
P03 1,2,4,2,1 0,5 0.000000 122.818424 0.500000 0.000000 152.267561 -0.003451 -0.002071 0 -122.8184 122.8184
P05 2,10,25,14,3 0,10 19.321872 41.837312 0.818975 30.472117 65.525525 0.314113 0.225237 19.3219 -22.2342 61.4404
P07 10,200,340,200,10 0,5 0 9.817818 0.500000 0.000000 17.466287 -0.498242 -0.157390 0 -9.8178 9.8178
P09 54,370,1121,410,53 0,3 3.287586 5.892687 0.862946 5.995935 10.745473 0.592828 0.448277 3.2876 -2.6042 9.1812
P11 95,929,2515,1075,95 0,5 5.386458 3.799256 0.997276 9.950266 7.016864 3.833469 2.899940 4.9842 1.0505 8.8611
P13 379,10170,21828,10640,343 0,2 1.594561 1.208750 0.995139 3.050530 2.312399 3.125676 2.945495 1.4211 0.1461 2.6643
P15 127,4883,10712,5150,104 -1.75,0.25 1.830282 1.698967 0.982636 3.581711 3.324651 6.862003 3.010154 1.6588 -0.1009 3.4028
P17 871,26175,55983,26678,821 0,2 0.633399 0.752171 0.950578 1.219646 1.448342 -4.978673 0.804451 0.6131 -0.1845 1.39
P19 10789,19328,33806,19402,10543 -3,1 -0.773577 1.277580 0.117659 -0.951629 1.571624 2.131068 0.300870 -0.8062 -2.837 1.2122
P21 39,8843,26675,9240,44 0.5,2.5 1.576763 1.030314 0.998648 3.479956 2.273892 0.555517 2.941675 1.4273 0.3386 2.4874
P23 200,50,120,40,150 -10,0 -34.233495 23.562396 0.002049 -29.801412 20.347609 -2.032007 -2.280812 -34.2012 -57.9279 -10.7825
"""  # noqa: E501


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


def numbers(text: str) -> list[float]:
    return [float(part) for part in text.split(",")]


def counts(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def check_estimate(row: list[str], found: stats.Estimate) -> None:
    for value, wanted in zip((found.elo, found.elo_error, found.los, found.nelo, found.nelo_error), row, strict=True):
        assert value == pytest.approx(float(wanted), abs=1e-6)


@pytest.mark.parametrize("row", rows(TRINOMIAL), ids=lambda row: row[0])
def test_trinomial_oracle(row: list[str]) -> None:
    wdl, (elo0, elo1) = counts(row[1]), numbers(row[2])
    if row[0] == "T01":  # the oracle clamps what we leave undetermined
        found = stats.estimate(wdl)
        assert (found.elo, found.elo_error, found.nelo, found.nelo_error) == (None,) * 4
        assert (found.games, found.score, found.los) == (1, 1.0, 0.75)
    else:
        check_estimate(row[3:8], stats.estimate(wdl))
    assert stats.llr(wdl, elo0, elo1, "logistic") == pytest.approx(float(row[8]), abs=1e-6)
    assert stats.llr(wdl, elo0, elo1, "normalized") == pytest.approx(float(row[9]), abs=1e-6)


@pytest.mark.parametrize("row", rows(PENTANOMIAL), ids=lambda row: row[0])
def test_pentanomial_oracle(row: list[str]) -> None:
    pairs, (elo0, elo1) = counts(row[1]), numbers(row[2])
    if row[0] == "P01":
        assert stats.estimate(pairs) == stats.Estimate(games=2, score=0.5, los=0.5, draw_ratio=1.0)
        assert sprt_elo(pairs, elo0, elo1) is None
    else:
        check_estimate(row[3:8], stats.estimate(pairs))
        found = sprt_elo(pairs, elo0, elo1)
        # The oracle expands the far tail of the normal law in 1/z where the drift is strong, which moves the upper ends
        # of P11 and P15 by up to 9e-4; ours is the exact law (see the test against the Fourier series below).
        tolerance = 1e-3 if row[0] in ("P11", "P15") else 1e-4
        assert found == pytest.approx([float(value) for value in row[10:13]], abs=tolerance)
    assert stats.llr(pairs, elo0, elo1, "logistic") == pytest.approx(float(row[8]), abs=1e-6)
    assert stats.llr(pairs, elo0, elo1, "normalized") == pytest.approx(float(row[9]), abs=1e-6)


@pytest.mark.parametrize(
    "data", [(5, 0, 0), (0, 7, 0), (0, 0, 3), (0, 0, 9, 0, 0), (4, 0, 0, 0, 0), (0, 0, 0, 0, 2), (0, 3, 0, 0, 0)]
)
def test_one_kind_gives_no_figure_of_elo(data: tuple[int, ...]) -> None:
    found = stats.estimate(data)
    assert (found.elo, found.elo_error, found.nelo, found.nelo_error) == (None,) * 4
    assert math.isfinite(stats.llr(data, 0, 5)) and math.isfinite(stats.llr(data, 0, 5, "logistic"))


def beta_above_half(wins: int, losses: int) -> float:
    """Posterior of a chance of winning above 1/2 after so many wins and losses, uniform prior: a sum of binomials."""
    games = wins + losses + 1
    return float(sum(math.comb(games, k) for k in range(wins + 1)) / 2**games)


@pytest.mark.parametrize("games", [1, 2, 6, 20, 300])
def test_a_sweep_says_who_is_better_and_by_how_much_at_least(games: int) -> None:
    won, lost = stats.estimate((games, 0, 0)), stats.estimate((0, 0, games))
    assert won.los == pytest.approx(beta_above_half(games, 0)) and lost.los == pytest.approx(beta_above_half(0, games))
    assert won.elo_low is not None and won.elo_high is None
    assert (lost.elo_low, lost.elo_high) == (None, -won.elo_low)
    # Below the bound the posterior, whose distribution function is score ** (games + 1), has 2.5 %.
    assert stats.expected(won.elo_low) ** (games + 1) == pytest.approx(0.025)
    # LOS and the interval never disagree.
    assert won.los is not None and (won.los > 0.975) == (won.elo_low > 0)
    if games % 2 == 0:
        assert stats.estimate((0, 0, 0, 0, games // 2)).elo_low == won.elo_low


def test_pairs_without_spread_leave_the_word_to_the_games() -> None:
    """Won, lost and two drawn: every pair scored 1, yet the match is an even one and not without a figure."""
    found = stats.match((0, 0, 2, 0, 0), (1, 2, 1))
    assert found.elo == 0.0 and found.los == 0.5 and found == stats.estimate((1, 2, 1))
    assert stats.match((0, 1, 1, 0, 0), (0, 3, 1)) == stats.estimate((0, 1, 1, 0, 0))


@pytest.mark.parametrize("pairs", [30, 500, 5000])
def test_pairs_that_were_all_shared_leave_little_room(pairs: int) -> None:
    found = stats.match((0, 0, pairs, 0, 0), (pairs // 3, 2 * (pairs - pairs // 3), pairs // 3))
    assert found == stats.estimate((0, 0, pairs, 0, 0))  # what `gauntlet stats --pentanomial` says
    assert found.elo == 0.0 and found.elo_low == -found.elo_error == -found.elo_high  # type: ignore[operator]
    # So many others, had there been any, would have stayed unseen in all pairs with a probability of 5 %.
    others = 2.0 * (stats.expected(found.elo_high) - 0.5)  # type: ignore[arg-type]
    assert (1.0 - others) ** pairs == pytest.approx(0.05)


def test_unequal_error_rates_have_their_own_bounds() -> None:
    """Wald: H0 is accepted at log(beta / (1 - alpha)), H1 at log((1 - beta) / alpha)."""
    assert stats.bounds(0.01, 0.2) == pytest.approx((math.log(0.2 / 0.99), math.log(0.8 / 0.01)))


def test_clean_sweep_ends_a_test() -> None:
    low, high = stats.bounds()
    assert stats.llr((0, 0, 0, 0, 400), 0, 10) > high
    assert stats.llr((400, 0, 0, 0, 0), 0, 10) < low


def test_error_bar_that_leaves_the_scale_is_not_determined() -> None:
    found = stats.estimate((3, 1, 0))
    assert found.elo is not None and found.elo_error is None and found.elo_high is None and found.elo_low is not None


def test_nothing_played() -> None:
    assert stats.estimate((0, 0, 0)) == stats.Estimate(games=0)
    assert stats.llr((0, 0, 0, 0, 0), 0, 5) == 0.0


def test_pairs_by_accident_do_not_speak_for_all_games() -> None:
    """Of 302 games of a PGN file four had an opening in common, and the rest did not count."""
    assert stats.match((0, 1, 1, 0, 0), (146, 88, 68)) == stats.estimate((146, 88, 68))
    assert stats.match((0, 30, 30, 0, 0), (40, 50, 40)) == stats.estimate((0, 30, 30, 0, 0))


def test_pairs_won_by_half_a_point_may_be_half_drawn() -> None:
    assert stats.estimate((0, 0, 0, 5, 0)).los == 1 - 0.5**6
    assert stats.estimate((0, 0, 0, 0, 5)).los == 1 - 0.5**11


@pytest.mark.parametrize(
    "pairs, elo0, elo1, expected",
    [
        ((0, 1, 1125, 2, 0), -20, 20, 2.9422),
        ((0, 1, 1190, 2, 0), -20, 20, 3.0004),
        ((1, 34, 2090, 35, 1), -100, 100, 3.6661),
        ((0, 10, 750, 12, 0), -100, 100, 7.5815),
        ((0, 3, 208, 2, 0), -100, 100, -3.9978),
        ((2, 1, 93, 3, 1), 0, 200, -44.0337),
        ((0, 0, 83600, 616, 643), -200, 200, 5740.8),
        ((643, 616, 83600, 0, 0), -200, 200, -5740.8),
    ],
)
def test_the_likeliest_law_is_found_where_nearly_all_pairs_were_shared(
    pairs: tuple[int, ...], elo0: float, elo1: float, expected: float
) -> None:
    """Expected: by a scan of all standard deviations, each with the likeliest law of its two moments."""
    assert stats.llr(pairs, elo0, elo1) == pytest.approx(expected, abs=1e-3)


few = st.integers(0, 300)


@settings(max_examples=30, deadline=None)
@given(st.one_of(st.tuples(few, few, few), st.tuples(few, few, few, few, few)), st.floats(-30, 30), st.floats(0.5, 40))
def test_numbers_are_finite_and_mirror(data: tuple[int, ...], elo0: float, width: float) -> None:
    """Seen from the other side everything changes its sign, and nothing is ever inf or nan."""
    there, back = stats.estimate(data), stats.estimate(data[::-1])
    for name in ("elo", "nelo"):
        a, b = getattr(there, name), getattr(back, name)
        assert (a is None) == (b is None)
        if a is not None:
            assert math.isfinite(a) and a == pytest.approx(-b, abs=1e-6)
    for model in ("normalized", "logistic"):
        one, other = stats.llr(data, elo0, elo0 + width, model), stats.llr(data[::-1], -elo0 - width, -elo0, model)
        assert math.isfinite(one)
        assert one == pytest.approx(-other, abs=1e-5 * max(1, abs(one)))


@pytest.mark.parametrize("data", [(1, 1, 1), (250, 500, 250), (10, 200, 340, 200, 10), (1, 0, 0, 0, 1)])
def test_no_figure_is_minus_nought(data: tuple[int, ...]) -> None:
    found = stats.estimate(data)
    figures = [found.elo, found.nelo, stats.llr(data, -5, 5), *(sprt_elo(data, -5, 5) or ())]
    assert "-0.0" not in [repr(value) for value in figures]


@pytest.mark.parametrize(
    ("pairs", "within", "z", "expected"),
    [
        ((0, 0, 0, 0, 0), 10.0, stats.Z95, None),
        ((0, 0, 0, 0, 60), 10.0, stats.Z999, stats.STRONGER),
        ((60, 0, 0, 0, 0), 10.0, stats.Z999, stats.WEAKER),
        ((0, 0, 0, 0, 29), 10.0, stats.Z999, None),  # too few pairs for a look in between
        ((0, 0, 0, 0, 29), 10.0, stats.Z95, stats.STRONGER),  # but not at the end
        ((0, 0, 60, 0, 0), 10.0, stats.Z999, None),  # every game like its twin, but one pair in nine need not be
        ((0, 0, 60, 0, 0), 20.0, stats.Z95, stats.SMALL),  # 0 +- 17
        ((0, 0, 300, 0, 0), 10.0, stats.Z999, stats.SMALL),  # 0 +- 8
        ((0, 0, 0, 40, 0), 10.0, stats.Z999, stats.STRONGER),  # a win and a draw in every pair
        ((0, 0, 0, 29, 0), 10.0, stats.Z95, None),
        ((50, 100, 200, 100, 50), 10.0, stats.Z95, None),  # 0 +- 17
        ((500, 1000, 2000, 1000, 500), 10.0, stats.Z95, stats.SMALL),  # 0 +- 5.4
        ((500, 1000, 2000, 1000, 500), 10.0, stats.Z999, stats.SMALL),  # 0 +- 9.0
        ((500, 1000, 2000, 1000, 500), 5.0, stats.Z95, None),
        ((480, 980, 2000, 1020, 520), 10.0, stats.Z95, stats.SMALL),  # 4.2 +- 5.4: excluded on both sides of 10
        ((450, 950, 2000, 1050, 550), 10.0, stats.Z95, stats.STRONGER),  # 10.4 +- 5.4
        ((550, 1050, 2000, 950, 450), 10.0, stats.Z95, stats.WEAKER),
        ((5, 10, 9970, 12, 3), 10.0, stats.Z999, stats.SMALL),  # hardly ever another move
    ],
)
def test_worth(pairs: tuple[int, ...], within: float, z: float, expected: str | None) -> None:
    assert stats.worth(pairs, within, z) == expected
    turned = {stats.STRONGER: stats.WEAKER, stats.WEAKER: stats.STRONGER}
    assert stats.worth(pairs[::-1], within, z) == turned.get(expected or "", expected)


@pytest.mark.parametrize("risk", [0.05, 0.2])
def test_a_boundary_is_crossed_as_seldom_as_one_allows(risk: float) -> None:
    """Looks after every pair from the 30th to the 1,000th, at two equals."""
    import numpy as np

    z = stats.boundary(risk, stats.FEWEST_PAIRS, 1000)
    rng = np.random.Generator(np.random.PCG64(7))
    walks = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], (3000, 1000), p=(0.1, 0.2, 0.4, 0.2, 0.1))
    sums, squares = walks.cumsum(axis=1), (walks**2).cumsum(axis=1)
    pairs = np.arange(1, 1001)
    spread = np.sqrt(squares / pairs - (sums / pairs) ** 2 + 1e-12)
    bound = np.array([stats.widened(z, int(pair)) for pair in pairs])
    crossed = (np.abs(sums) / (spread * np.sqrt(pairs)) > bound)[:, stats.FEWEST_PAIRS - 1 :].any(axis=1)
    assert 0.5 * risk < crossed.mean() < 1.1 * risk


def test_looks_in_between_seldom_settle_what_is_not_so() -> None:
    """Two equals, asked after every ten pairs of 1,500: said to differ in two or three matches of a hundred."""
    import numpy as np

    rng = np.random.Generator(np.random.PCG64(5))
    wrong = 0
    for _ in range(200):
        counts = np.zeros(5, dtype=int)
        for _ in range(150):
            counts += np.bincount(rng.choice(5, 10, p=(0.1, 0.2, 0.4, 0.2, 0.1)), minlength=5)
            if stats.worth([int(n) for n in counts], 10.0, stats.Z999) in (stats.STRONGER, stats.WEAKER):
                wrong += 1
                break
    assert wrong <= 10
