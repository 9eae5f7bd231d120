"""Positions and random games for the kernel's tests; python-chess is the oracle."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
from hypothesis import strategies as st

from engine.board.game import Game
from engine.model import Limits, Result
from engine.search.threads import Searcher
from engine.variant.features import Features

START = chess.STARTING_FEN
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

# Positions that every author of a move generator knows, with their published perft counts from depth 1 on.
PERFT = (
    (START, (20, 400, 8902, 197281, 4865609)),
    (KIWIPETE, (48, 2039, 97862, 4085603)),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", (14, 191, 2812, 43238, 674624)),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", (6, 264, 9467, 422333)),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", (44, 1486, 62379, 2103487)),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", (46, 2079, 89890, 3894594)),
)

# From games of this engine against itself after random openings, plies 12 to 80; none is won.
QUIET = (
    "r1bqkb1r/2p2ppp/p1n1pn2/1p1p4/3P4/P1N1P1P1/1PP1NP1P/R1BQKB1R w KQkq - 0 7",
    "r1bqk1nr/ppp3bp/2n2pp1/3p4/3Pp3/2N1PN2/PPPBBPPP/R2QK2R w KQkq - 0 9",
    "rnbq1rk1/pp2bpp1/4p2p/2ppP3/3P4/2PB1N2/PPQB1PPP/R4RK1 w - - 0 11",
    "r1b2rk1/2pq1ppp/ppn2n2/4p3/4P3/P1BP4/P3NPPP/2RQKB1R w K - 1 13",
    "r1b1r2k/1ppq2pp/p1nb4/3BppB1/3P4/2P3P1/P1P1NP1P/1R1Q1RK1 w - - 3 15",
    "r4rk1/p2qn1pp/1pn5/3ppp2/6B1/P2P2PP/1B1NPP2/R2Q1RK1 w - - 0 17",
    "1r4k1/4n1pp/1Np1b3/p1P1pp2/1p1rP3/P4P2/2P1B1PP/R3K2R w KQ - 0 19",
    "r1b3k1/p2p2b1/n2Ppr1p/qpp1N1pB/3B1PP1/P1P5/2PQ3P/R4RK1 w - - 0 21",
    "r4rk1/p1bb1p1p/1pn2qp1/2p1pP2/3pP2P/1PPQ1BP1/PN3B2/1K1R3R w - - 0 24",
    "1rb1r3/5pkp/1p3b2/pP3Pp1/P1P1B1P1/7P/8/2R1R1K1 w - - 0 28",
    "2r5/p4kpp/2P1ppn1/1PR5/P2p1P2/6P1/3B3P/6K1 w - - 1 32",
    "3r2k1/5n1p/p5p1/1p2PpP1/r2N1P1P/P7/5K2/3R1R2 w - - 1 36",
    "8/5k1p/p1p5/8/2P2p2/p1bPr2P/K7/4R1R1 w - - 0 41",
)

# Set up by hand: checks, pins, promotions, en passant, castling on both wings.
SHARP = (
    KIWIPETE,
    "8/P1k5/8/8/5pp1/8/5K1P/8 w - - 0 1",
    "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
    "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1",
    "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "2r3k1/1q3ppp/p3p3/1p1nP3/3N4/P2Q4/1P3PPP/2R3K1 b - - 0 1",
    "4r1k1/5ppp/8/8/8/2n5/1PP2PPP/1K1RR3 w - - 0 1",
)


def mirror(fen: str) -> str:
    """The colour-flipped twin of a position in standard castling notation."""
    board, side, rights, en_passant, *counters = fen.split()
    rows = "/".join(row.swapcase() for row in reversed(board.split("/")))
    if en_passant != "-":
        en_passant = en_passant[0] + str(9 - int(en_passant[1]))
    ordered = "".join(sorted(rights.swapcase(), key="KQkq-".index))
    return " ".join([rows, "b" if side == "w" else "w", ordered, en_passant, *counters])


def move_code(board: chess.Board, move: chess.Move) -> int:
    """The engine's 16-bit code of a legal python-chess move."""
    target = move.to_square
    if board.is_castling(move):
        wing = chess.BB_FILE_H if board.is_kingside_castling(move) else chess.BB_FILE_A
        if board.chess960:
            return move.from_square | move.to_square << 6 | 3 << 14
        return move.from_square | chess.lsb(wing & chess.BB_RANKS[chess.square_rank(target)]) << 6 | 3 << 14
    code = move.from_square | target << 6
    if move.promotion:
        code |= (move.promotion - chess.KNIGHT) << 12 | 1 << 14
    elif board.is_en_passant(move):
        code |= 2 << 14
    return code


def move_codes(board: chess.Board) -> dict[int, chess.Move]:
    """Every legal move of the position by the engine's code."""
    return {move_code(board, move): move for move in board.legal_moves}


# Start position, whether it is Chess960, and choices: a game takes the choice modulo the number of moves.
Plan = tuple[str, bool, list[int]]


@st.composite
def game_plans(draw: st.DrawFn, longest: int = 60) -> Plan:
    """Random games of at least five moves."""
    chess960 = draw(st.booleans())
    if chess960:
        start = chess.Board.from_chess960_pos(draw(st.integers(0, 959))).fen()
    else:
        start = draw(st.sampled_from((START, START, *QUIET, *SHARP)))
    return start, chess960, draw(st.lists(st.integers(0, 255), min_size=5, max_size=longest))


def play(plan: Plan) -> Iterator[tuple[chess.Board, Game]]:
    """The positions of a planned game for the oracle and for the engine; both objects change as the game goes on."""
    start, chess960, choices = plan
    board, game = chess.Board(start, chess960=chess960), Game(start, chess960)
    yield board, game
    for choice in choices:
        moves = move_codes(board)
        if not moves:
            return
        code = sorted(moves)[choice % len(moves)]
        board.push(moves[code])
        game.push(code)
        yield board, game


def play_out(plan: Plan) -> tuple[chess.Board, Game]:
    """The last position of a planned game."""
    *_, last = play(plan)
    return last


def random_positions(seed: int, count: int, plies: int = 60) -> Iterator[Game]:
    """`count` positions from random games, each some plies after the one before."""
    chance = random.Random(seed)
    while True:
        game = Game()
        for ply in range(plies):
            moves = game.legal_moves()
            if not moves:
                break
            game.push(chance.choice(moves))
            if ply % 7 == 6:
                yield Game(game.fen())
                count -= 1
                if not count:
                    return


def features(**levels: object) -> Features:
    """Switches by name. Preset is always set first, because it would override those set before it."""
    chosen = Features()
    for name, level in sorted(levels.items(), key=lambda pair: pair[0] != "Preset"):
        chosen.set(name, str(level))
    return chosen


def search(fen: str, depth: int, *, searcher: Searcher | None = None, nodes: int = 0, **levels: object) -> Result:
    """Search a position from empty tables."""
    own = searcher or Searcher(4)
    own.clear()
    result: Result = own.search(Game(fen), features(**levels), Limits(depth=depth, nodes=nodes))
    return result
