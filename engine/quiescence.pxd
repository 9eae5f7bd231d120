"""Quiescence search on a Worker."""

from engine.types cimport *
from engine.position cimport *
from engine.movegen cimport *
from engine.see cimport *
from engine.evaluate cimport *
from engine.table cimport *
from engine.features cimport *
from engine.picker cimport *
from engine.worker cimport *

cdef int qsearch(Worker* w, int ply, int alpha, int beta, bint first) noexcept nogil
