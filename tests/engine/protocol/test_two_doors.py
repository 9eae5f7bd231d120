"""Both protocols lead to the same engine: equal positions and depths give equal searches."""

from __future__ import annotations

import random

import chess
from engine_process import EngineProcess, UciProcess

from engine.tools.bench import POSITIONS

DEPTH = 7


def positions(count: int) -> list[str]:
    """The positions of the bench, and others from games played by chance."""
    dice = random.Random(5)
    found = list(POSITIONS)
    while len(found) < count:
        board = chess.Board()
        for _ in range(dice.randrange(4, 90)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(dice.choice(moves))
        if any(board.legal_moves) and not board.is_insufficient_material() and not board.can_claim_draw():
            found.append(board.fen())
    return found


def through_uci(engine: UciProcess, fen: str) -> tuple[int, int, str]:
    """Nodes, score as XBoard writes it, move."""
    engine.send("ucinewgame", f"position fen {fen}")
    lines = engine.go(f"depth {DEPTH}", 60)
    last = [line for line in lines if " pv " in line][-1]
    words = last.split()
    kind, value = words[words.index("score") + 1 :][:2]
    score = int(value) if kind == "cp" else int(value) + (100_000 if int(value) > 0 else -100_000)
    return int(words[words.index("nodes") + 1]), score, lines[-1].split()[1]


def through_xboard(engine: EngineProcess, fen: str) -> tuple[int, int, str]:
    engine.send("new", "force", f"setboard {fen}", f"sd {DEPTH}", "go")
    lines = engine.until("move ", 60)
    last = [line for line in lines if "\t" in line][-1].split()
    return int(last[3]), int(last[1]), lines[-1].split()[1]


def test_equal_searches() -> None:
    with UciProcess() as uci, EngineProcess() as xboard:
        xboard.send("post", "easy")
        for fen in positions(100):
            assert through_uci(uci, fen) == through_xboard(xboard, fen), fen


def test_the_last_line_counts_all_nodes_of_an_iteration_that_was_cut_off() -> None:
    with UciProcess() as uci:
        for nodes in (3_000, 40_000):
            lines = [line.split() for line in uci.go(f"nodes {nodes}", 60) if " pv " in line]
            counts = [int(words[words.index("nodes") + 1]) for words in lines]
            assert nodes <= counts[-1] < nodes + 100 and counts[-2] < nodes
