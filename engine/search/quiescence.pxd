"""Quiescence search on a Worker."""

from engine.search.worker cimport *

cdef int qsearch(Worker* w, int ply, int alpha, int beta, bint first) noexcept nogil
