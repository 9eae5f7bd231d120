"""Quiescence search on a Worker."""

from engine.search.worker cimport *

cdef int qsearch(Worker* w, int ply, int alpha, int beta, bint first) noexcept nogil
cdef void start_noisy(Worker* w, Picker* p, int ply, Move hash_move, bint evading, bint first) noexcept nogil
cdef bint brings_nothing(Worker* w, Picker* p, Move move, bint evading, int count, int base, int alpha, int* best) noexcept nogil
