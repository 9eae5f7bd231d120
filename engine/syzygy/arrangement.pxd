"""Arrangement: the index of a position among all that its men can form, in the order of Syzygy files."""

from engine.types cimport *
from engine.board.position cimport Position
from engine.syzygy.format cimport *

cdef U64 choices[8][64]        # [k][n]: ways to choose k of n
cdef int pawn_place[64]        # of a pawn, among 48 squares: the rim files and low ranks come last
cdef U64 lead_number[6][64]    # [pawns][square of the first]: arrangements of leading pawns that come before it
cdef U64 lead_count[6][4]      # [pawns][file]: arrangements of leading pawns with the first on that file
cdef int triangle_place[64]    # a1-d1-d4, the diagonal last
cdef int below_place[64]       # index of the 28 squares below the long diagonal
cdef int king_pair[10][64]     # [triangle_place of the first king][square of the other]
cdef enum:
    KING_PAIRS = 462
    TRIPLES = 31332            # arrangements of three unlike men, if there are no pawns

cdef void count_groups(const Ending* e, Sequence* s, int lead_at, int pawns_at, int file) noexcept nogil
cdef U64 number_of(const Ending* e, const Position* pos, bint turned, int side, const Sequence** where) noexcept nogil
cdef U64 lead_pawns_number(const Ending* e, int* squares) noexcept nogil
cdef U64 lead_men_number(const Ending* e, int* squares, int men) noexcept nogil
cdef U64 triple_number(const int* squares) noexcept nogil
cdef void sort(int* squares, int n) noexcept nogil
cdef int place_men(const Position* pos, const Sequence* s, bint turned, int* squares, int place) noexcept nogil

cdef inline int above_diagonal(int square) noexcept nogil:
    """How far a square lies above the long diagonal a1-h8; negative below it."""
    return (square >> 3) - (square & 7)
cdef bint touch(int a, int b) noexcept nogil
