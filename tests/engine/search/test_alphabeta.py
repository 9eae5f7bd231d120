"""The search itself: what its techniques promise, seen from outside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from positions import KIWIPETE, QUIET, SHARP, features, search

from engine.board.game import Game
from engine.model import Limits
from engine.search.threads import Searcher

UNSELECTIVE: dict[str, Any] = {"Preset": "bare", "QSearch": "winning"}


def only(fen: str, move: int, depth: int, **levels: object) -> int:
    """The score of one root move."""
    game = Game(fen)
    others = tuple(other for other in game.legal_moves() if other != move)
    return int(Searcher(1).search(game, features(**levels), Limits(depth=depth), excluded=others).score)


@pytest.mark.parametrize("fen", [QUIET[0], QUIET[9], QUIET[11], SHARP[7]])
def test_the_best_move_is_the_one_with_the_best_score(fen: str) -> None:
    """Without pruning each root move searched alone tells its score; the search's own is the maximum of them."""
    result = search(fen, 3, **UNSELECTIVE)
    scores = {move: only(fen, move, 3, **UNSELECTIVE) for move in Game(fen).legal_moves()}
    assert result.score == max(scores.values()) == scores[result.move]


@pytest.mark.parametrize("level", ["off", "reset", "onesided", "gradual"])
def test_a_stop_never_leaves_a_worse_move_than_the_last_iteration(level: str) -> None:
    """Wherever it is stopped, in a re-search too: the old best move, or one that is at least as good a ply deeper."""
    fen = QUIET[11]
    levels: dict[str, Any] = {**UNSELECTIVE, "Aspiration": level, "WindowWidth": 1}
    scores: dict[tuple[int, int], int] = {}
    last = search(fen, 4, **levels)
    for nodes in range(60, last.nodes, last.nodes // 60):
        result = search(fen, 4, nodes=nodes, **levels)
        before = search(fen, result.depth, **levels).move if result.depth else result.move
        for move in (result.move, before):
            if (move, result.depth) not in scores:
                scores[move, result.depth] = only(fen, move, result.depth + 1, **UNSELECTIVE)
        assert scores[result.move, result.depth] >= scores[before, result.depth], nodes


def test_history_of_the_original_form_lives_for_one_think() -> None:
    """W4: zeroed at the start of every think: a second search without clear() has the nodes of the first."""
    searcher, chosen = Searcher(1), features(Preset="winglet")
    nodes = [searcher.search(Game(QUIET[9]), chosen, Limits(depth=4)).nodes for _ in range(2)]
    assert nodes[0] == nodes[1]


def test_deepening_pays_through_what_it_remembers() -> None:
    """C1: with history and the PV line, iterating costs less than it adds; without any memory it only adds."""
    with_memory = [
        sum(search(fen, 4, Preset="winglet", QSearch="winning", Deepening=level).nodes for fen in QUIET[9:])
        for level in ("on", "off")
    ]
    without = [
        sum(search(fen, 4, **UNSELECTIVE, Deepening=level).nodes for fen in QUIET[9:]) for level in ("on", "off")
    ]
    assert without[0] > without[1]
    assert with_memory[0] / with_memory[1] < without[0] / without[1]


@pytest.mark.parametrize(
    ("fen", "guard", "tried"),
    [
        # White has king and pawns alone; a knight more; three kinds more.
        ("4k3/pp6/8/8/8/8/PPP5/4K3 w - - 0 1", "pawns", False),
        ("4k3/pp6/8/8/8/8/PPP5/1N2K3 w - - 0 1", "jazz", False),
        ("4k3/pp6/8/8/8/8/PPP5/2B1K3 w - - 0 1", "sjaak", False),
        ("4k3/pp6/8/8/8/8/PPP5/RNB1K3 w - - 0 1", "sjaak", True),
        ("4k3/pp6/8/8/8/8/PPP5/2B1K3 w - - 0 1", "jazz", True),
        ("4k3/pp6/8/8/8/8/PPP5/1N2K3 w - - 0 1", "pawns", True),
    ],
)
def test_null_move_guards(fen: str, guard: str, tried: bool) -> None:
    """C12: with too little material for the guard no null move is tried; Black has pawns only, so all are White's."""
    stats = search(fen, 6, Preset="jazz", NullGuard=guard).stats
    assert (stats["null_tried"] > 0) == tried


def test_quiescence_levels_search_more_and_more() -> None:
    """C10: winning < nonlosing < every in quiescence nodes of one main search; checks adds to nonlosing."""
    nodes = {level: 0 for level in ("winning", "nonlosing", "every", "checks")}
    for fen in QUIET[:5]:
        for level in nodes:
            nodes[level] += search(fen, 3, Preset="vicki", SEEForm="swap", QSearch=level).qnodes
    assert nodes["winning"] < nodes["nonlosing"] < nodes["every"]
    assert nodes["nonlosing"] < nodes["checks"]


def test_quiescence_sees_what_hangs() -> None:
    """At depth 1 every preset knows that the queen may not take the defended pawn, and takes the free rook."""
    for preset in ("modern", "winglet", "moreland", "jazz", "mediocre", "vicki", "bare"):
        defended = "4k3/2p5/3p4/8/8/3Q4/8/4K3 w - - 0 1"
        assert Game(defended).san(search(defended, 1, Preset=preset).move) != "Qxd6"
        free = "4k3/8/3r4/8/8/3Q4/8/4K3 w - - 0 1"
        assert Game(free).san(search(free, 2, Preset=preset).move) == "Qxd6"


def test_the_check_extension_looks_deeper() -> None:
    """C11: always extends more than only near the horizon; a line of checks is followed to the mate it hides."""
    always, horizon, off = (
        search(KIWIPETE, 4, Preset="jazz", CheckExtension=level).stats["check_extensions"]
        for level in ("always", "horizon", "off")
    )
    assert always >= horizon > off == 0
    checks = "6k1/5ppp/8/8/8/8/5PPP/3RR1K1 w - - 0 1"
    assert search(checks, 2, Preset="jazz").score == 100001


def test_a_singular_search_in_check_is_not_extended_once_more(probe: ModuleType) -> None:
    """The node was extended before its hash move was left out; at depth 0 only the extension makes it a node of its own."""
    game = Game("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1")
    chosen = features(TT="off", CheckExtension="always")
    assert probe.inner_nodes(game, chosen, 0, 0) > 0
    assert probe.inner_nodes(game, chosen, 0, game.parse("e1e2")) == 0


def test_fractional_depth_keeps_its_ply_cap() -> None:
    """C16: captures cost nothing, yet the main search goes no further than twice the root depth."""
    capped = search(SHARP[5], 3, Preset="mediocre", FractionalDepth="on", QSearch="winning", nodes=400_000)
    assert capped.depth == 3
    plain = search(SHARP[5], 3, Preset="mediocre", QSearch="winning")
    assert capped.nodes > plain.nodes


def test_random_order_is_random_and_reseeded() -> None:
    levels: dict[str, Any] = {**UNSELECTIVE, "Baseline": "random"}
    first, again = (search(QUIET[10], 3, **levels) for _ in range(2))
    assert first.nodes == again.nodes
    assert first.nodes != search(QUIET[10], 3, **UNSELECTIVE).nodes
    early = search(QUIET[10], 3, **levels, Legality="early", Generation="all", Choose="sort")
    assert early.nodes == first.nodes


@pytest.mark.parametrize(
    ("fen", "best"),
    [
        ("r5k1/5ppp/8/8/8/8/3R1PPP/3R2K1 w - - 0 1", "Rd8+"),
        ("6k1/5p1p/4p1p1/8/3q4/8/1Q3PPP/6K1 w - - 0 1", "Qxd4"),
        ("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 4", "Qxf7#"),
    ],
)
def test_plain_tactics_of_the_default_engine(fen: str, best: str) -> None:
    assert Game(fen).san(search(fen, 9).move) == best


def test_shared_mates(shared: Callable[[str], Path]) -> None:
    """A sample of the mates in two and three: the default engine finds nine of ten within a modest node count."""
    found = tried = 0
    for line in shared("mate/mate_in_n.epd").read_text().splitlines()[::9]:
        if " dm 2;" not in line and " dm 3;" not in line:
            continue
        moves = 2 if " dm 2;" in line else 3
        result = search(" ".join(line.split()[:4]), 30, nodes=150_000)
        tried += 1
        found += 100000 < result.score <= 100000 + moves
    assert tried >= 20 and found >= 0.9 * tried, (found, tried)
