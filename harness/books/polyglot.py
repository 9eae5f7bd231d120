"""Makes a Polyglot opening book from opening lines: every move is weighted by the number of lines that play it."""

from __future__ import annotations

from collections.abc import Sequence

import chess
import chess.polyglot

from harness.books.openings import ENTRY
from harness.model import Opening
from harness.terminal.progress import SILENT, Progress

HEAVIEST = 65_535
_PROMOTION = {None: 0, chess.KNIGHT: 1, chess.BISHOP: 2, chess.ROOK: 3, chess.QUEEN: 4}


def build(lines: Sequence[Opening], plies: int | None = None, progress: Progress = SILENT) -> bytes:
    """The book as bytes, with entries ordered by key and weight. Lines without moves are ignored."""
    counts: dict[int, dict[int, int]] = {}
    progress.begin("book", len(lines), "lines")
    for line in lines:
        progress.advance()
        board = chess.Board(line.fen)
        for word in line.moves[:plies]:
            move = board.parse_uci(word)
            moves = counts.setdefault(chess.polyglot.zobrist_hash(board), {})
            raw = encode(board, move)
            moves[raw] = moves.get(raw, 0) + 1
            board.push(move)
    entries = []
    for key in sorted(counts):
        moves = counts[key]
        # If a weight does not fit 16 bits all weights of the position shrink in proportion, but none to 0.
        scale = min(1.0, HEAVIEST / max(moves.values()))
        for raw, count in sorted(moves.items(), key=lambda item: (-item[1], item[0])):
            entries.append(ENTRY.pack(key, raw, max(1, int(count * scale)), 0))
    return b"".join(entries)


def encode(board: chess.Board, move: chess.Move) -> int:
    """A move in Polyglot's code: castling is king takes own rook."""
    target = move.to_square
    if board.is_castling(move):
        rank = chess.square_rank(move.from_square)
        target = chess.square(7 if chess.square_file(target) > chess.square_file(move.from_square) else 0, rank)
    return target | move.from_square << 6 | _PROMOTION[move.promotion] << 12
