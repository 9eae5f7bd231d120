"""What the founding texts have and engines of today do not."""

from engine.search.worker cimport *

cdef int child_score(Worker* w, int ply, int alpha, int beta, int remaining, int reduction) noexcept nogil
cdef int oneply_reduction(int plies, int count, bint quiet, int stage) noexcept nogil
cdef int movement_cost(Worker* w, const Position* pos, Move move, bint checking) noexcept nogil
