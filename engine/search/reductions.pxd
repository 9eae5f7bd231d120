"""Reductions: the depth that a move uses up."""

from libc.math cimport log

from engine.search.worker cimport *

cdef void fill_reductions(Worker* w) noexcept nogil
cdef int oneply_reduction(int plies, int count, bint quiet, int stage) noexcept nogil
cdef int table_reduction(int base, bint quiet, int stage, int record, bint cut_node, int doubt) noexcept nogil
cdef int movement_cost(Worker* w, const Position* pos, Move move, bint checking) noexcept nogil
