"""What must not change the tree, what must not change the score, and which orders must cost more nodes."""

from __future__ import annotations

import math
import random
from functools import cache
from types import ModuleType
from typing import Any

import pytest
from positions import QUIET, SHARP, features, mirror, random_positions, search

from engine.search.threads import Searcher
from engine.variant.features import SWITCHES

# Depths that take tens of milliseconds a position.
DEPTHS = {"modern": 9, "winglet": 3, "moreland": 4, "jazz": 5, "mediocre": 5, "vicki": 4, "bare": 3}
ORDERS: dict[str, dict[str, Any]] = {
    "worst": {"Baseline": "worst"},
    "random": {"Baseline": "random"},
    "generation": {},
    "full": {
        "CaptureOrder": "see",
        "BadCaptures": "last",
        "Killers": 2,
        "CounterMove": "on",
        "History": "quiet",
        "PVMoves": "line",
    },
}
INFINITE = 32000
TREES = (QUIET[0], QUIET[4], QUIET[9], QUIET[12], SHARP[0], SHARP[1], SHARP[6])


def fingerprint(fen: str, preset: str, **levels: Any) -> tuple[int, int, int, str]:
    """Nodes, score and main-search nodes of a search, and the table of cutoffs."""
    result = search(fen, DEPTHS[preset], Preset=preset, **levels)
    return result.nodes, result.score, result.stats["main_nodes"], str(result.stats["cut_index"])


@pytest.mark.parametrize("preset", DEPTHS)
@pytest.mark.parametrize(
    ("switch", "levels"),
    [
        ("Choose", ("selection", "sort")),
        ("Generation", ("staged", "all")),
        ("Legality", ("late", "early")),
        ("Stats", ("off", "on")),
    ],
)
def test_same_tree(preset: str, switch: str, levels: tuple[str, str]) -> None:
    """Selection = sort, staged = all, late = early legality, Stats on = off: node for node."""
    for fen in TREES:
        if preset == "bare" and fen == SHARP[0]:
            continue  # every capture of that position to the end: millions
        one, two = (fingerprint(fen, preset, **{switch: level}) for level in levels)
        assert one == two, fen


@pytest.mark.parametrize("preset", DEPTHS)
def test_all_three_at_once(preset: str) -> None:
    for fen in (QUIET[2], QUIET[10]):
        plain = fingerprint(fen, preset, Choose="selection", Generation="staged", Legality="late")
        assert plain == fingerprint(fen, preset, Choose="sort", Generation="all", Legality="early")


@pytest.mark.parametrize("preset", DEPTHS)
def test_twins_cost_the_same_nodes(preset: str) -> None:
    for fen in (*QUIET, *SHARP[1:]):
        assert fingerprint(fen, preset) == fingerprint(mirror(fen), preset), fen


@pytest.mark.parametrize("seed", range(6))
def test_equalities_whatever_else_is_on(seed: int) -> None:
    """Selection, staging, legality, Stats and colour change no node count under any mixture of the other switches."""
    chance = random.Random(seed)
    others = [s for s in SWITCHES if s.name not in ("Preset", "Choose", "Generation", "Legality", "Stats")]
    compared = 0
    for _ in range(12):
        preset = chance.choice(tuple(DEPTHS))
        levels: dict[str, Any] = {"Preset": preset}
        for switch in chance.sample(others, chance.randint(0, 8)):
            levels[switch.name] = chance.choice(switch.levels) if switch.levels else str(chance.randint(1, 60))
        slow = levels.get("Algorithm") == "minimax" or levels.get("Baseline", "none") != "none"
        depth = 2 if slow or levels.get("FractionalDepth") == "on" else DEPTHS[preset] - 1
        fen = chance.choice((*QUIET, *SHARP[1:]))
        plain: dict[str, Any] = {**levels, "Choose": "selection", "Generation": "staged", "Legality": "late"}
        twins = (
            (fen, plain),
            (mirror(fen), plain),
            (fen, {**plain, "Choose": "sort"}),
            (fen, {**plain, "Generation": "all"}),
            (fen, {**plain, "Legality": "early", "Stats": "on"}),
        )
        first = search(fen, depth, nodes=60_000, **plain)
        if first.nodes >= 60_000:
            continue  # the limit may fall between two moves of the twin
        compared += 1
        for position, chosen in twins:
            again = search(position, depth, nodes=60_000, **chosen)
            assert (again.nodes, again.score) == (first.nodes, first.score), (position, chosen)
    assert compared >= 6


@pytest.mark.parametrize("baseline", ["random", "worst"])
def test_twins_cost_the_same_in_the_baseline_orders(baseline: str) -> None:
    for fen in QUIET[9:]:
        one, two = (search(f, 3, Preset="bare", QSearch="winning", Baseline=baseline).nodes for f in (fen, mirror(fen)))
        assert one == two


@pytest.mark.parametrize("preset", DEPTHS)
def test_twice_the_same_run(preset: str) -> None:
    """From fresh tables, and from tables that other searches have filled and clear() has emptied."""
    fens = (QUIET[1], QUIET[11])
    fresh = [fingerprint(fen, preset) for fen in fens]
    assert fresh == [fingerprint(fen, preset) for fen in fens]
    used = Searcher(4)
    for _ in range(2):
        assert fresh == [fingerprint(fen, preset, searcher=used) for fen in fens]


def test_random_order_is_the_same_order_in_each_search() -> None:
    """The generator is reseeded when a search begins, not when the engine starts."""
    used = Searcher(4)
    levels: dict[str, Any] = {"Preset": "bare", "QSearch": "winning", "Baseline": "random"}
    nodes = [search(QUIET[10], 3, searcher=used, **levels).nodes for _ in range(2)]
    assert nodes[0] == nodes[1] == search(QUIET[10], 3, **levels).nodes


@pytest.mark.parametrize("quiescence", ["winning", "nonlosing"])
def test_three_searches_one_score(quiescence: str) -> None:
    """With all selectivity off minimax, alpha-beta and PVS agree on the root score, with any order and window."""
    levels: dict[str, Any] = {"Preset": "bare", "QSearch": quiescence}
    for fen in (QUIET[0], QUIET[1], *QUIET[9:], *SHARP[1:3], SHARP[4], SHARP[7]):
        for depth in (1, 2, 3) if quiescence == "winning" else (1, 2):
            exact = search(fen, depth, Algorithm="minimax", **levels).score
            for algorithm in ("alphabeta", "pvs"):
                for extra in (
                    {},
                    {"CaptureOrder": "see", "Killers": 2, "History": "quiet", "PVMoves": "line"},
                    {"Aspiration": "gradual", "WindowWidth": 1, "Deepening": "on"},
                    {"Baseline": "worst"},
                ):
                    assert search(fen, depth, Algorithm=algorithm, **levels, **extra).score == exact, (fen, extra)


def test_one_score_where_pieces_hang() -> None:
    """The same in positions of random games: there a move that beats alpha often beats it by more than its first search tells."""
    levels: dict[str, Any] = {"Preset": "bare", "QSearch": "winning"}
    for game in random_positions(seed=29, count=16):
        for depth in (1, 2):
            if search(game.fen(), depth, Algorithm="alphabeta", Baseline="worst", **levels).nodes > 11_000:
                continue  # minimax would take seconds
            exact = search(game.fen(), depth, Algorithm="minimax", **levels).score
            for algorithm in ("alphabeta", "pvs"):
                for order in ORDERS.values():
                    assert search(game.fen(), depth, Algorithm=algorithm, **levels, **order).score == exact, game.fen()


def test_pvs_and_alphabeta_agree_deeper() -> None:
    """Where minimax cannot follow: the score of a zero window is often exact near the leaves, seldom further up."""
    for game in random_positions(seed=31, count=60):
        for order in ("generation", "full"):
            levels: dict[str, Any] = {"Preset": "bare", "QSearch": "winning", **ORDERS[order]}
            one, two = (search(game.fen(), 4, Algorithm=name, **levels).score for name in ("alphabeta", "pvs"))
            assert one == two, game.fen()


@pytest.mark.parametrize("algorithm", ["alphabeta", "pvs"])
@pytest.mark.parametrize("order", ["generation", "full", "worst"])
def test_bounds_inside_the_tree(probe: ModuleType, algorithm: str, order: str) -> None:
    """Fail-soft: what an inner node returns at or below alpha bounds its minimax value from above, at or above beta from
    below, and between them it is the value."""
    chance = random.Random(7)
    plain: dict[str, Any] = {"Preset": "bare", "QSearch": "winning"}
    below = above = 0
    for game in random_positions(seed=11, count=40):
        for depth in (1, 2):
            exact = probe.inner_search(game, features(**plain, Algorithm="minimax"), depth, -INFINITE, INFINITE)
            chosen = features(**plain, **ORDERS[order], Algorithm=algorithm)
            assert probe.inner_search(game, chosen, depth, -INFINITE, INFINITE) == exact
            for _ in range(6):
                alpha = exact + chance.randint(-300, 200)
                beta = alpha + chance.choice((1, 1, 30, 200))
                found = probe.inner_search(game, chosen, depth, alpha, beta)
                if found <= alpha:
                    assert exact <= found, (game.fen(), alpha, beta)
                elif found >= beta:
                    assert exact >= found, (game.fen(), alpha, beta)
                else:
                    assert exact == found, (game.fen(), alpha, beta)
                below += found < alpha
                above += found > beta
    assert below > 50 and above > 50, "bounds beyond the window are what fail-soft is about"


def test_alpha_beta_visits_less_than_minimax() -> None:
    for fen in QUIET[9:]:
        nodes = [
            search(fen, 3, Preset="bare", QSearch="winning", Algorithm=name).nodes for name in ("alphabeta", "minimax")
        ]
        assert nodes[0] < nodes[1] / 2


@cache
def orders_measured() -> tuple[dict[str, int], dict[str, float]]:
    """Nodes of each order on the bare preset, all iterations, and its growth per ply: the root of the last over two before."""
    nodes = dict.fromkeys(ORDERS, 0)
    last = dict.fromkeys(ORDERS, 0)
    two_before = dict.fromkeys(ORDERS, 0)
    for fen in (QUIET[0], QUIET[1], QUIET[2], *QUIET[9:]):
        for name, levels in ORDERS.items():
            result = search(fen, 4, Preset="bare", QSearch="winning", **levels)
            nodes[name] += result.nodes
            last[name] += result.stats["iterations"][3]
            two_before[name] += result.stats["iterations"][1]
    return nodes, {name: math.sqrt(last[name] / two_before[name]) for name in ORDERS}


def test_better_orders_cost_less() -> None:
    """C2: worst > random > generation > full in nodes."""
    nodes, _ = orders_measured()
    assert nodes["worst"] > nodes["random"] > nodes["generation"] > nodes["full"]


def test_better_orders_branch_less() -> None:
    """C2: the two-ply branching of the full order is below 0.65 of random's, random's below that of the worst."""
    _, branching = orders_measured()
    assert branching["full"] < 0.65 * branching["random"]
    assert branching["random"] < branching["worst"]


def test_each_history_form_and_weight_is_a_tree_of_its_own() -> None:
    """The levels differ: no two forms of history, and no two credit weights, visit the same nodes."""
    forms = {
        search(QUIET[3], 6, Preset="jazz", History=form).nodes
        for form in ("off", "original", "quiet", "gated", "gravity")
    }
    weights = {search(QUIET[3], 4, Preset="winglet", CreditWeight=w).nodes for w in ("one", "depth", "depth2", "pow2")}
    assert len(forms) == 5 and len(weights) == 4
    index = {search(QUIET[3], 5, Preset="winglet", IndexBy=by).nodes for by in ("fromto", "pieceto")}
    assert len(index) == 2
