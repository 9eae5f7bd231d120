"""Attack sets: look-up tables behind inline functions, so that a slider costs a multiplication and two loads."""

from engine.types cimport FILE_A, U64, bit, lsb, msb, popcount

ctypedef struct Magic:
    U64 mask
    U64 factor
    U64* attacks
    int shift

cdef U64 slider_storage[107648]
cdef Magic rook_magic[64]
cdef Magic bishop_magic[64]
cdef U64 knight_table[64]
cdef U64 king_table[64]
cdef U64 pawn_table[2][64]
cdef U64 between_table[64][64]
cdef U64 line_table[64][64]

cdef inline U64 rook_attacks(int square, U64 occupied) noexcept nogil:
    cdef Magic* m = &rook_magic[square]
    return m.attacks[((occupied & m.mask) * m.factor) >> m.shift]

cdef inline U64 bishop_attacks(int square, U64 occupied) noexcept nogil:
    cdef Magic* m = &bishop_magic[square]
    return m.attacks[((occupied & m.mask) * m.factor) >> m.shift]

cdef inline U64 queen_attacks(int square, U64 occupied) noexcept nogil:
    return rook_attacks(square, occupied) | bishop_attacks(square, occupied)

cdef inline U64 knight_attacks(int square) noexcept nogil:
    return knight_table[square]

cdef inline U64 king_attacks(int square) noexcept nogil:
    return king_table[square]

cdef inline U64 pawn_attacks(int side, int square) noexcept nogil:
    """Squares that a pawn of `side` on `square` attacks."""
    return pawn_table[side][square]

cdef inline U64 between(int a, int b) noexcept nogil:
    """Squares strictly between two squares on one line; empty when they share none."""
    return between_table[a][b]

cdef inline U64 line_through(int a, int b) noexcept nogil:
    """The whole line, rim to rim, through two squares; empty when they share none."""
    return line_table[a][b]

cdef U64 rays[8][64]
cdef void fill_rays()
cdef U64 slide(int square, U64 occupied, bint diagonal) noexcept nogil
cdef int fill_magic(Magic* magic, int square, U64 factor, bint diagonal, U64* storage) noexcept nogil
cdef void fill_steps() noexcept nogil
cdef void fill_lines() noexcept nogil
