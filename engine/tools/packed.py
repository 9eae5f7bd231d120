"""Writes positions of games in 32 bytes each (`Packed` in the header; docs/network.md)."""

import cython
from cython import address, cast

RECORD = 32  # bytes
RESULT_AT = 28  # index of the byte that holds the result, known only when the game is over


def is_calm(game, move):
    """Whether a position is of use to train the static evaluation: not in check, and its best move is quiet."""
    pos = address(cast(Game, game).position)
    code: cython.int = move
    return not pos.checkers and not is_noisy(pos, code)


def pack(game, score, number):
    """The record of a Game's position, its result still 0. `score`: centipawns from the side to move; `number`: of the game."""
    record = cython.declare(Packed)
    pos = address(cast(Game, game).position)
    square: cython.int
    place: cython.int = 0
    memset(address(record), 0, cython.sizeof(Packed))
    record.occupancy = pos.colour[WHITE] | pos.colour[BLACK]
    for square in range(64):
        if pos.board[square] != NO_PIECE:
            record.pieces[place >> 1] |= pos.board[square] << (4 * (place & 1))
            place += 1
    record.score = score
    record.game = number & 0xFFFF
    record.side = pos.side
    record.rule50 = pos.rule50 if pos.rule50 < 255 else 255
    record.rights = pos.rights
    return bytearray(cast(cython.p_uchar, address(record))[: cython.sizeof(Packed)])
