"""Probing: what the tables of a shelf say of a position; without the GIL, from any number of threads."""

from engine.types cimport *
from engine.board.position cimport *
from engine.board.movegen cimport *
from engine.syzygy.arrangement cimport *
from engine.syzygy.format cimport *
from engine.syzygy.ending cimport *
from engine.syzygy.oracle cimport *

cdef enum:
    NO_DISTANCE = 10000        # a dtz of this: not known

ctypedef struct Place:
    U64 material               # as in Position; 0: an empty place
    bint turned                # the file's White has Black's men in this material
    Ending* wdl
    Ending* dtz                # NULL: no file

ctypedef struct Shelf:
    Oracle oracle              # first, so that its address is the shelf's
    Place* places              # a hash table, open addressing
    U64 mask

cdef inline Place* place_of(const Shelf* shelf, U64 material) noexcept nogil:
    """The place that endings of this material have or would have."""
    cdef U64 i = (material * <U64>0x9E3779B97F4A7C15) >> 32 & shelf.mask
    while shelf.places[i].material and shelf.places[i].material != material:
        i = (i + 1) & shelf.mask
    return &shelf.places[i]

cdef int answer(const Oracle* oracle, const Position* pos) noexcept nogil
cdef int result_of(const Shelf* shelf, const Position* pos, bint zeroing, bint* by_zeroing) noexcept nogil
cdef int stored_result(const Shelf* shelf, const Position* pos) noexcept nogil
cdef int distance_of(const Shelf* shelf, const Position* pos) noexcept nogil
cdef int stored_distance(const Place* place, const Position* pos, int known) noexcept nogil
cdef int distance_by_moves(const Shelf* shelf, const Position* pos, int known) noexcept nogil
cdef bint only_moves(const Position* pos, int tried) noexcept nogil
cdef bint is_zeroing(const Position* pos, Move move) noexcept nogil
cdef int legal_moves_of(const Position* pos, Position* here, Move* moves) noexcept nogil

cdef inline int at_once(int known) noexcept nogil:
    """The distance if the next move zeroes the fifty-move count."""
    if known == WIN:
        return 1
    if known == CURSED_WIN:
        return 101
    if known == LOSS:
        return -1
    return -101 if known == BLESSED_LOSS else 0
