"""The XBoard `edit` mode: setting up a position for an engine that has no `setboard`."""

from __future__ import annotations

from functools import lru_cache

import chess


def edit_commands(board: chess.Board, prefix: str, san: bool) -> list[str]:
    """Returns the lines that set a position up. Castling rights follow from where kings and rooks stand.

    `edit` leaves the side to move alone, so that Black gets it by a move of White's before, a line that begins with `prefix`;
    en passant is lost.
    """
    lines = [] if board.turn == chess.WHITE else [prefix + ("a3" if san else "a2a3")]
    lines += ["edit", "#"]
    for colour in (chess.WHITE, chess.BLACK):
        for square in chess.SquareSet(board.occupied_co[colour]):
            piece = board.piece_type_at(square)
            assert piece is not None
            lines.append(f"{chess.piece_symbol(piece).upper()}{chess.square_name(square)}")
        lines.append("c" if colour == chess.WHITE else ".")
    return lines


@lru_cache(maxsize=64)
def normal_fen(fen: str, chess960: bool) -> str:
    """Returns a position in the form for engines: an en-passant square only if a capture is possible."""
    board = chess.Board(fen, chess960=chess960)
    return board.shredder_fen() if chess960 else board.fen()
