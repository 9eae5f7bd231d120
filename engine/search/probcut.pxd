"""ProbCut on a Worker."""

from engine.search.worker cimport *
from engine.search.quiescence cimport qsearch

cdef int probcut(Worker* w, int ply, int beta, int depth, bint cut_node, Move hash_move, int raw) noexcept nogil
