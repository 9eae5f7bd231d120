"""How far evaluations are from a strong judge's: `python benchmarks/static_error.py --positions FILE [NETWORK...]`.

The hand-written terms, each network and, with --search, searches of so many nodes by the default network score every position; the
judge searches it. Positions where the judge would capture or promote are left out: an evaluation need not see exchanges.
A logistic curve turns scores into expected scores, for each evaluation at the scale that suits it best.

error   mean squared difference of expected scores, thousandths
scale   this best scale in centipawns: the larger, the more the scores exaggerate
change  error less that of the first line, with its 95 % interval over positions

This tells networks apart in a minute; games take an hour. FILE is as for regret.py.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import chess.engine
import numpy as np
import regret
from numpy.typing import NDArray
from regret import SCALE, SILENT, Engine, Judge, engine, mean_and_error, positions, whole

from engine.board.game import Game
from engine.evaluation.network import Network
from engine.evaluation.terms import evaluate_terms
from engine.model import Limits
from engine.search.threads import Searcher
from engine.variant.features import Features

SCALES = range(60, 500, 5)
MOST = 3000  # centipawns: beyond it the game is decided

Numbers = NDArray[np.float64]


def expected(scores: Numbers, scale: float) -> Numbers:
    """Expected scores, 0 to 1, of centipawns."""
    found: Numbers = 1 / (1 + np.exp(-np.clip(scores, -MOST, MOST) / scale))
    return found


def errors(scores: Sequence[float], wanted: Numbers) -> tuple[Numbers, int]:
    """The squared error of each position in thousandths, at the scale with the least mean, and that scale."""
    own = np.array(scores, dtype=float)
    scale = min(SCALES, key=lambda scale: float(np.mean((expected(own, scale) - wanted) ** 2)))
    found: Numbers = 1000 * (expected(own, scale) - wanted) ** 2
    return found, scale


def judged(judge: Engine, boards: Sequence[chess.Board], nodes: int) -> tuple[list[str], Numbers]:
    """The calm positions as FENs, and the judge's expected score of each for the side to move."""
    told = Judge(judge, nodes)
    fens, scores = [], []
    try:
        for board in boards:
            score, best = told.score(board)
            move = chess.Move.from_uci(best)
            if not board.is_capture(move) and not move.promotion:
                fens.append(board.fen())
                scores.append(score)
    finally:
        told.close()
    return fens, expected(np.array(scores, dtype=float), SCALE)


def searched(games: Sequence[Game], nodes: int) -> list[float]:
    """Scores of searches by the default network, each from empty tables."""
    searcher = Searcher(16)
    searcher.set_network(Network(""))
    features, limits, found = Features(), Limits(nodes=nodes), []
    for game in games:
        searcher.clear()
        found.append(float(searcher.search(game, features, limits).score))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="how far evaluations lie from a strong judge")
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help="files of networks; default: the shipped one")
    parser.add_argument("--positions", type=Path, required=True, help="FENs, EPD lines or a PGN")
    parser.add_argument("--every", type=whole, default=20, help="of a PGN: every so many plies (default 20)")
    parser.add_argument("--count", type=whole, default=1500, help="positions at most (default 1500)")
    parser.add_argument("--search", type=whole, nargs="+", default=[], metavar="NODES", help="searches as well")
    parser.add_argument(
        "--judge", type=engine, default=engine("judge=uci:stockfish"), help="default judge=uci:stockfish"
    )
    parser.add_argument("--judge-nodes", type=whole, default=20_000, help="default 20000")
    told = parser.parse_args()
    if not told.positions.is_file():
        parser.error(f"no such file: {told.positions}")
    boards = [board for board in positions(told.positions, told.every) if not board.is_check()]
    boards = regret.spread(boards, told.count)
    try:
        networks = [(Path(name).name if name else "shipped", Network(name)) for name in told.networks or [""]]
        fens, wanted = judged(told.judge, boards, told.judge_nodes)
    except (chess.engine.EngineError, OSError, ValueError) as problem:
        print(f"static_error: {str(problem) or SILENT}", file=sys.stderr)
        return 2
    if not fens:
        parser.error(f"{told.positions} holds no calm position")
    games = [Game(fen) for fen in fens]
    rows: list[tuple[str, list[float]]] = [(name, [float(one.score(game)) for game in games]) for name, one in networks]
    rows.append(("terms", [float(evaluate_terms(game)["score"]) for game in games]))
    rows += [(f"{nodes} nodes", searched(games, nodes)) for nodes in told.search]
    print(f"{'evaluation':<20}{'error ‰':>9}{'scale':>7}  {'change':>16}  over {len(fens)} positions")
    first = None
    for name, scores in rows:
        found, scale = errors(scores, wanted)
        first = found if first is None else first
        change, spread = mean_and_error((found - first).tolist())
        told_change = "" if found is first else f"{change:+.2f} ± {spread:.2f}"
        print(f"{name:<20}{found.mean():>9.2f}{scale:>7}  {told_change:>16}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
