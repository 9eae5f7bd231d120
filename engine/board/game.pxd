"""Game: the Python face of the rules; a position with the history that led to it."""

from engine.types cimport *
from engine.board.position cimport (
    Castling, CheckSquares, Position, captured_kind, compute_key, gives_check as move_gives_check, insufficient_material, kind_on,
    landing_square, make, set_check_squares, set_pinned,
)
from engine.board.movegen cimport (
    NOISY, QUIET, generate, generate_checks, has_legal_move, is_legal, is_pseudo_legal as generator_lists, perft as count_leaves,
)
from engine.board.see cimport (
    SEE_EARLY_EXIT, SEE_LINEAR, SEE_SWAP, gains as exchange_gains, see as exchange_value, see_ge as exchange_reaches,
)
from engine.board.fen cimport parse_fen, write_fen
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

cpdef str square_name(int square)

cdef class Game:
    cdef Castling castling
    cdef Position position
    cdef Position* past          # positions before each move made, oldest first
    cdef int made
    cdef int capacity
    cdef int start_fullmove
    cdef int start_side
    cdef readonly bint chess960
    cdef str start
    cdef list played

    cdef int fullmove(self)
    cdef int repetitions(self) noexcept
    cdef int fill_keys(self, U64* keys, int most) noexcept
