"""Search: iterative deepening and alpha-beta on a Worker."""

from engine.search.worker cimport *
from engine.search.nullmove cimport *
from engine.search.reductions cimport *
from engine.search.quiescence cimport *

cdef enum:
    FEW_MOVES = 7              # with no more legal moves than these zugzwang is likely

cdef bint search_depth(Worker* w, int depth) noexcept nogil
cdef int alphabeta(Worker* w, int ply, int alpha, int beta, int depth, bint cut_node) noexcept nogil
cdef bint null_move_holds(Worker* w, int ply, int beta, int depth, int reduction) noexcept nogil
cdef int probcut(Worker* w, int ply, int beta, int depth, bint cut_node) noexcept nogil
cdef int singular(Worker* w, int ply, const Entry* entry, Move move, int beta, int depth, bint cut_node, int* verdict) noexcept nogil
