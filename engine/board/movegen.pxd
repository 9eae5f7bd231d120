"""Move generation: noisy, quiet or all moves, pseudo-legal or legal, in an order seen from the side to move."""

from engine.types cimport *
from engine.board.attacks cimport *
from engine.board.position cimport *

cdef enum:
    NOISY = 1      # captures, en passant, promotions
    QUIET = 2      # the rest, castling included
    EVERY = 3

cdef Move* generate(const Position* pos, Move* out, int what, bint legal) noexcept nogil
cdef Move* generate_checks(const Position* pos, Move* out, const CheckSquares* checks, bint legal) noexcept nogil
cdef Move* keep_checks(const Position* pos, Move* move, const Move* end, const CheckSquares* checks) noexcept nogil
cdef bint is_pseudo_legal(const Position* pos, Move move) noexcept nogil
cdef bint is_legal(const Position* pos, Move move) noexcept nogil
cdef bint has_legal_move(Position* pos) noexcept nogil
cdef int count_moves(const Position* pos) noexcept nogil
cdef U64 perft(Position* pos, int depth) noexcept nogil


cdef bint castling_safe(const Position* pos, int right) noexcept nogil
cdef bint castling_open(const Position* pos, int right) noexcept nogil
cdef U64 evasion_mask(const Position* pos) noexcept nogil

cdef inline Move* spread(Move* out, int origin, U64 targets, int flip) noexcept nogil:
    """Append a plain move from `origin` to each of `targets` (as seen with `flip`); return the new end."""
    while targets:
        out[0] = origin | (lsb(targets) ^ flip) << 6
        out += 1
        targets &= targets - 1
    return out

cdef Move* add_knights(const Position* pos, Move* out, U64 targets, U64 pinned) noexcept nogil
cdef Move* add_sliders(const Position* pos, Move* out, U64 targets, U64 pinned) noexcept nogil
cdef Move* add_pawns(const Position* pos, Move* out, int what, U64 mask, U64 pinned) noexcept nogil
cdef Move* add_pawn_moves(const Position* pos, Move* out, U64 targets, int step, U64 pinned) noexcept nogil
cdef Move* add_promotions(const Position* pos, Move* out, U64 targets, int step, U64 pinned) noexcept nogil
cdef Move* add_en_passant(const Position* pos, Move* out, U64 mask, bint legal) noexcept nogil
cdef Move* add_king(const Position* pos, Move* out, U64 targets, bint legal) noexcept nogil
cdef Move* add_castling(const Position* pos, Move* out, bint legal) noexcept nogil
cdef int count_pawns(const Position* pos, U64 pawns, U64 mask) noexcept nogil
cdef inline int count_slides(const Position* pos, int kind, U64 mask) noexcept nogil
cdef inline Move* add_slides(const Position* pos, Move* out, int kind, U64 targets, U64 pinned) noexcept nogil
