"""Reversible moves, found by the difference that they make to a key."""

from engine.types cimport *
from engine.board.attacks cimport *
from engine.board.position cimport *

cdef enum:
    CYCLE_SLOTS = 8192

ctypedef struct Reversal:
    # A move there and back: what it changes in the key, and its squares.
    U64 difference
    U8 one
    U8 other

cdef Reversal reversals[CYCLE_SLOTS]

cdef inline int first_place(U64 difference) noexcept nogil:
    return <int>(difference & (CYCLE_SLOTS - 1))

cdef inline int second_place(U64 difference) noexcept nogil:
    return <int>((difference >> 16) & (CYCLE_SLOTS - 1))

cdef bint reversible(const Position* pos, U64 difference) noexcept nogil
cdef int fill_reversals() noexcept nogil
