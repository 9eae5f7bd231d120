"""Credit: what the histories, killers and other remembered moves learn from a move's result."""

from engine.search.worker cimport *

cdef void credit_cutoff(Worker* w, int ply, Move move, int plies, const Move* quiets, int n_quiets, const Move* captures, int n_captures) noexcept nogil
cdef void credit_raise(Worker* w, int ply, Move move, int plies) noexcept nogil
cdef void credit_continuations(Worker* w, int ply, int moved, int bonus) noexcept nogil
cdef void credit_quiet_move(Worker* w, int ply, Move move, int bonus) noexcept nogil
cdef void credit_table(Worker* w, int ply, Move move, int plies) noexcept nogil
cdef void credit_fail_low(Worker* w, int ply, int plies) noexcept nogil
cdef void learn_error(Worker* w, int ply, int plies, int best, int bound) noexcept nogil
