"""A static evaluation to learn from, beside the scores of searches: the mean of some networks and the hand-written terms.

Their errors differ. Over 2,447 calm positions of games on the clock the squared error of the network of bench
345186 was 14.3, that of the terms 15.0, that of both together 13.2, and networks of its size can learn most of the
difference (docs/network-trials.md). The method is distillation: Hinton, Vinyals, Dean, "Distilling the Knowledge in a Neural
Network", 2015.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from engine.board.game import Game
from engine.evaluation.network import Network
from engine.evaluation.terms import evaluate_terms
from engine.tools.packed import RECORD

FIELDS = struct.Struct("<Q16shHBBBB")  # of a record, as engine/tools/packed.pxd names them
SCORE = struct.Struct("<d")  # centipawns from the side to move
NO_TERMS, ALL_TERMS = 31, 24  # men: with 31 or more the terms have no weight, with 24 or fewer their whole share
MEN = "PNBRQK??pnbrqk??"


class Teacher:
    """`terms`: the share of the terms in the score, 0 to 1, of positions with 24 men or fewer; the networks share the rest."""

    def __init__(self, networks: Sequence[Network], terms: float) -> None:
        self._networks = networks
        self._terms = terms

    def score(self, record: bytes) -> float:
        """Centipawns for the side to move. ValueError if the record is not a position."""
        game = Game(fen_of(record))
        men = int.from_bytes(record[:8], "little").bit_count()
        share = self._terms * min(1, max(0, (NO_TERMS - men) / (NO_TERMS - ALL_TERMS)))
        mean = sum([network.score(game) for network in self._networks]) / len(self._networks)
        return (1 - share) * mean + share * int(evaluate_terms(game)["score"])

    def scores(self, records: bytes) -> bytes:
        """The scores of consecutive records, eight bytes each. ValueError names the place of a bad one."""
        found = []
        for at in range(0, len(records), RECORD):
            try:
                found.append(SCORE.pack(self.score(records[at : at + RECORD])))
            except ValueError as error:
                raise ValueError(f"position {at // RECORD + 1}: {error}") from None
        return b"".join(found)


def fen_of(record: bytes) -> str:
    """The position of a record; it keeps neither en passant nor the move number. ValueError if a field is out of range."""
    occupied, pieces, _, _, _, side, rule50, rights = FIELDS.unpack(record)
    if occupied.bit_count() > 32 or side > 1 or rights > 15:
        raise ValueError("expected 32 pieces at most, side 0 or 1 and castling rights of 0 to 15")
    board: list[str] = [""] * 64
    for place in range(occupied.bit_count()):
        lowest = occupied & -occupied
        board[lowest.bit_length() - 1] = MEN[pieces[place // 2] >> 4 * (place % 2) & 15]
        occupied ^= lowest
    rows = []
    for row in range(56, -8, -8):
        text, empty = "", 0
        for man in board[row : row + 8]:
            if man:
                text += f"{empty or ''}{man}"
                empty = 0
            else:
                empty += 1
        rows.append(f"{text}{empty or ''}")
    castling = "".join([letter for bit, letter in enumerate("KQkq") if rights >> bit & 1]) or "-"
    return f"{'/'.join(rows)} {'b' if side else 'w'} {castling} - {rule50} 1"
