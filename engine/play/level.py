"""Weaker play for people: option Level, 1 (beginner) to 20 (full strength).

Two things weaken together. The search sees less: each level has half as many nodes again as the one below. And the
choice is loose: one of the root moves within a margin of the best score is drawn at random, better moves more often. So the
error, as far as the weak search can see, is bounded by the margin: it gives away pawns and plans, not queens. It plays a mate
that it sees.
"""

from __future__ import annotations

import os

from engine.board.game import Game
from engine.model import MATE_SCORE, Info, Limits, Result
from engine.play.options import FULL_LEVEL
from engine.search.threads import Searcher
from engine.variant.features import Features

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

# Elo of a level on the scale of Stockfish 15.1's UCI_Elo, a straight line through levels 1 to 15 (docs/strength-tests.md).
LEVEL_ELO, BASE_ELO = 99, 885
MEASURED = 15
WEAKEST, STRONGEST = BASE_ELO + LEVEL_ELO, BASE_ELO + LEVEL_ELO * MEASURED


def level_of(elo: int) -> int:
    """The level whose play is nearest to this rating, from WEAKEST to STRONGEST."""
    return max(1, min(round((elo - BASE_ELO) / LEVEL_ELO), MEASURED))


def node_cap(level: int) -> int:
    """Nodes that a search at this level may spend: 150 at level 1, about 220,000 at level 19."""
    return round(150 * 1.5 ** (level - 1))


def margin(level: int) -> int:
    """Centipawns by which the chosen move may be worse than the best one: 228 at level 1, 12 at level 19, 0 at 20."""
    return 12 * (FULL_LEVEL - level)


def candidates(level: int) -> int:
    """How many root moves are considered: 6 at level 1, 2 at level 19."""
    return 2 + (FULL_LEVEL - 1 - level) * 4 // (FULL_LEVEL - 2)


def draw(scores: list[int], bound: int, chance: float) -> int:
    """Index of the score that `chance` in [0, 1) picks: within `bound` of the first, with weights that fall off towards it."""
    best = scores[0]
    if bound <= 0 or abs(best) >= MATE_SCORE:
        return 0
    weights = [max(0.0, 1 - (best - score) / bound) if score > -MATE_SCORE else 0.0 for score in scores]
    point = chance * sum(weights)
    for index, weight in enumerate(weights):
        point -= weight
        if point < 0:
            return index
    return 0


def weak_limits(limits: Limits, level: int) -> Limits:
    """The limits with this level's node cap added."""
    cap = node_cap(level)
    return limits.replace(nodes=min(limits.nodes, cap) if limits.nodes else cap)


def choose(
    searcher: Searcher,
    game: Game,
    features: Features,
    limits: Limits,
    level: int,
    report: Callable[[Info], None],
    excluded: Collection[int],
    stopped: Callable[[], bool],
    contempt: int = 0,
    renewed: Callable[[], Limits | None] = lambda: None,
) -> Result:
    """A move at a level below FULL_LEVEL, with the nodes and the time of all the searches that it took.

    Each alternative to the best move gets at most a tenth of the limits, and all searches together keep within them: of the
    nodes the alternatives have their share from the start, of the time what the searches before leave them. `renewed` gives
    what is left of new limits once a ponder hit has set some.
    """
    others = candidates(level) - 1
    each = limits.nodes // (10 + others)
    weak = weak_limits(limits.replace(nodes=limits.nodes - others * each), level)
    first = last = searcher.search(game, features, weak, report, tuple(excluded), contempt)
    found = [first]
    nodes, qnodes, ms = first.nodes, first.qnodes, first.ms
    shut = [*excluded, first.move]
    cap = min(node_cap(level), max(1, each)) if limits.nodes else node_cap(level)
    legal = len(game.legal_moves())
    while last.move and len(found) <= others and len(shut) < legal and not stopped():
        left = renewed()
        hard, spent = (limits.hard_ms, ms) if left is None else (left.hard_ms, 0)
        short = min(hard // 10, (hard - spent) // (others + 1 - len(found)))
        if hard and short <= 0:
            break
        times = {"soft_ms": max(0, short), "hard_ms": max(0, short), "cpu_clock": limits.cpu_clock}
        side_limits = Limits(depth=max(1, first.depth), nodes=cap, **times)
        last = searcher.search(game, features, side_limits, None, tuple(shut), contempt)
        nodes, qnodes, ms = nodes + last.nodes, qnodes + last.qnodes, ms + last.ms
        if last.move and not stopped():
            found.append(last)
            shut.append(last.move)
    ranked = sorted(found, key=lambda result: -result.score)
    chance = int.from_bytes(os.urandom(6), "big") / 2**48
    chosen = ranked[draw([result.score for result in ranked], margin(level), chance)]
    return chosen.replace(nodes=nodes, qnodes=qnodes, ms=ms)
