"""Positions of games in 32 bytes, as a network is trained on them."""

from engine.types cimport *
from engine.board.position cimport is_noisy
from engine.board.game cimport Game

ctypedef struct Packed:
    # Little-endian, like every processor that this is built for. docs/network.md describes the file.
    U64 occupancy         # bit 0 is a1
    U8 pieces[16]         # four bits each, in the order of the occupied squares, the low half first: kind | colour << 3
    I16 score             # centipawns from the side to move
    U16 game              # low 16 bits of the game's number, which its positions share
    U8 result             # for the side to move: 0 lost, 1 drawn, 2 won, 3 unknown (a stray)
    U8 side               # 0 White is to move, 1 Black
    U8 rule50             # plies since a capture or pawn move, 255 at most
    U8 rights             # castling: 1 white short, 2 white long, 4 black short, 8 black long
