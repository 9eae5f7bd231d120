"""Syzygy endgame tables: checks a folder of them before a run and probes them for verdicts in its games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import chess

DRAW = "1/2-1/2"
SUFFIX = ".rtbw"  # tables of win, draw and loss; those of distance (.rtbz) are not needed
_MAGIC = bytes.fromhex("71e8235d")
_BLOCK, _TAIL = 64, 16  # bytes: a table is whole blocks and a checksum


def fault_of(folder: Path) -> str | None:
    """Says what is wrong with a folder of tables; None if nothing is."""
    tables = sorted(folder.glob(f"*{SUFFIX}"))
    if not tables:
        return f"no tables in it (files like KQvK{SUFFIX})"
    for table in tables:
        with open(table, "rb") as file:
            head = file.read(len(_MAGIC))
        if head != _MAGIC or table.stat().st_size % _BLOCK != _TAIL:
            return f"{table.name} is no Syzygy table, or not the whole of one"
    return None


class Tablebase:
    """Syzygy tables, probed just after a capture or pawn move on a board with few enough men."""

    def __init__(self, folder: str, men: int | None = None, fifty: bool = True) -> None:
        """`men` is the largest table to ask (None: any); `fifty`: the fifty-move rule counts."""
        import chess.syzygy

        self._tables = chess.syzygy.open_tablebase(folder)
        largest = max((len(name) - 1 for name in self._tables.wdl), default=0)
        self.men = largest if men is None else min(men, largest)
        self._drawn = 1 if fifty else 0  # cursed wins and blessed losses are 1 and -1

    def verdict(self, board: chess.Board) -> tuple[str, str] | None:
        """Returns (result, reason) for a position in the tables, else None; with `fifty`, cursed wins are draws."""
        if board.halfmove_clock or board.castling_rights or board.occupied.bit_count() > self.men:
            return None
        value = self._tables.get_wdl(board)
        if value is None:
            return None
        if abs(value) <= self._drawn:
            return DRAW, "adjudicated-draw"
        return ("1-0" if (value > 0) == board.turn else "0-1"), "adjudicated-win"
