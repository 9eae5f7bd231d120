"""The bench: a fixed set of positions searched under a fixed limit; its node total is the engine's signature."""

from __future__ import annotations

import time
from typing import NamedTuple

from engine.board.game import Game
from engine.model import Limits, Result
from engine.play.options import Settings, network_of, tables_of
from engine.search.threads import Searcher
from engine.tools.suites import open_position

DEFAULT_DEPTH = 12
MEMORY = 16  # MiB
SIGNATURE = 329926  # nodes of the default bench; tests/support/record_bench.py writes it here

# From games that drew among the best moves of a shallow search at random, and two endings set up by hand.
POSITIONS = (
    "r2qk2r/pp1bbppp/2np1n2/1B2p3/4P3/1NN1B3/PPP2PPP/R2QK2R w KQkq - 2 9",
    "r1b1k2r/pp1nnppp/1q2p3/8/3p4/2N1PN2/PPQ1BPPP/R3K2R w KQkq - 0 11",
    "r2q1rk1/1pp1bppp/2p1b3/p3Nn2/P7/3P3P/1PPN1PP1/R1BQR1K1 w - - 1 13",
    "r1b2rk1/1pp1qpp1/2np4/p2n3p/2P5/2P3P1/P1Q1PPBP/R1B2RK1 w - - 0 15",
    "2r3k1/2qn1ppp/rp2p3/p1bpP3/3N1P2/P3P3/1PQ3PP/R1B1K2R w KQ - 0 17",
    "r4r2/1pkbn3/p1nNp1p1/3pP1Np/3p3P/P5R1/1PPKB1P1/4R3 w - - 3 20",
    "2kr3r/1p5p/pqn1pn1b/3p4/Q2P1P2/2Pp4/PP5P/RNB1NRK1 w - - 2 23",
    "6k1/5pb1/1nrpbpp1/p3r3/1p1BPQP1/1B3P2/PP6/1K5R w - - 0 27",
    "r2q1bk1/5p2/6p1/1p1Pp1Np/p7/2B3PP/P4P2/1Q3BK1 w - - 2 31",
    "4k3/8/3n1p2/1p1r4/1BpP2P1/5P2/R7/6K1 w - - 1 43",
    "8/5k2/4pp2/1p4p1/1P1P2P1/4KP2/8/8 w - - 0 1",
    "8/6k1/4q1p1/4p2p/7P/3QP1P1/5PK1/8 b - - 0 1",
)


class Line(NamedTuple):
    """One position's result, moves in coordinates; bestmove is None if there is no legal move."""

    fen: str
    depth: int
    score: int
    bestmove: str | None
    pv: list[str]
    nodes: int
    qnodes: int
    seconds: float
    stats: dict


class Report(NamedTuple):
    """The whole bench."""

    nodes: int
    seconds: float
    nps: int
    positions: list[Line]


def run(fens: list[str], limits: Limits, settings: Settings) -> Report:
    """Search each position from empty tables; with depth or node limits and one core the result is always the same.

    ValueError when the settings name a network or endgame tables that cannot be used.
    """
    searcher = Searcher(settings.memory if settings.chosen("memory") else MEMORY, settings.cores)
    searcher.set_network(network_of(settings))
    tables = tables_of(settings)
    if tables is not None and tables.faults:
        raise ValueError(tables.faults[0])
    searcher.set_tables(tables)
    lines = []
    for fen in fens:
        game = open_position(fen)
        searcher.clear()
        began = time.perf_counter()
        result = searcher.search(game, settings.features, limits)
        seconds = time.perf_counter() - began
        lines.append(_line(fen, game, result, seconds))
    nodes = sum(line.nodes for line in lines)
    seconds = sum(line.seconds for line in lines)
    return Report(nodes, seconds, per_second(nodes, seconds), lines)


def summary(report: Report) -> str:
    """The whole bench in one line; its first number is the signature."""
    return f"{report.nodes} nodes  {report.seconds:.3f} s  {report.nps} nodes/s"


def per_second(nodes: int, seconds: float) -> int:
    """Nodes a second as a whole number; 0 when no time passed."""
    return round(nodes / seconds) if seconds > 0 else 0


def _line(fen: str, game: Game, result: Result, seconds: float) -> Line:
    best = game.coordinates(result.move) if result.move else None
    pv = []
    for move in result.pv:
        if move not in game.legal_moves():
            break
        pv.append(game.coordinates(move))
        game.push(move)
    return Line(fen, result.depth, result.score, best, pv, result.nodes, result.qnodes, seconds, result.stats)
