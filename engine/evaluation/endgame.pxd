"""Endgame knowledge that weights cannot express."""

from engine.types cimport *
from engine.board.attacks cimport *
from engine.board.position cimport *

cdef enum:
    SCALE_NORMAL = 64
    SCALE_DRAWISH = 16         # below this the network's score, and the middlegame part of the terms, are scaled too
    KNOWN_WIN = 8000           # above any evaluation, far below a mate

cdef bint known_endgame(const Position* pos, int* score) noexcept nogil
cdef int scale_factor(const Position* pos, int strong) noexcept nogil
cdef int if_winnable(const Position* pos, int score) noexcept nogil
cdef bint kpk_wins(int side, int strong_king, int pawn, int weak_king) noexcept nogil
cdef bint lone_king_ending(const Position* pos, int strong, int* score) noexcept nogil
cdef int distance(int a, int b) noexcept nogil
cdef inline int points(const Position* pos, U64 men) noexcept nogil
cdef inline int kpk_row(int pawn, int side, int white_king) noexcept nogil
cdef inline U64 king_steps(U64 squares) noexcept nogil
cdef U64 kpk_white_wins(int pawn, int king) noexcept nogil
cdef U64 kpk_black_loses(int pawn, int king) noexcept nogil
cdef void build_kpk() noexcept nogil
