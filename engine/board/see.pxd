"""Static exchange evaluation and its forms."""

from engine.types cimport *
from engine.board.attacks cimport *
from engine.board.position cimport *

cdef enum:
    SEE_LINEAR = 0
    SEE_EARLY_EXIT = 1
    SEE_SWAP = 2

cdef int see_value[8]

cdef int gains(const Position* pos, Move move, int* gain) noexcept nogil
cdef int see_linear(const int* gain, int n) noexcept nogil
cdef int see_early_exit(const int* gain, int n) noexcept nogil
cdef int see_swap(const int* gain, int n) noexcept nogil
cdef int see(const Position* pos, Move move, int form) noexcept nogil
cdef bint see_ge(const Position* pos, Move move, int threshold) noexcept nogil
cdef bint see_reaches(const Position* pos, Move move, int threshold, int form) noexcept nogil
cdef inline int first_gain(const Position* pos, Move move, int* risk) noexcept nogil
cdef inline U64 men_after(const Position* pos, Move move) noexcept nogil
cdef inline int least_kind(const Position* pos, U64 own) noexcept nogil
cdef inline U64 uncover(const Position* pos, int target, int piece, U64 own, U64* everyone, U64 attackers) noexcept nogil
