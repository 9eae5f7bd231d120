"""Alpha-beta on a Worker."""

from engine.search.worker cimport *
from engine.search.credit cimport *
from engine.search.nullmove cimport *
from engine.search.probcut cimport *
from engine.search.quiescence cimport *
from engine.search.reductions cimport *
from engine.search.singular cimport *
from engine.search.textbook cimport *

cdef inline bint prunes_moves(const Selectivity* s) noexcept nogil:
    """Whether any switch of is_hopeless is on; no preset of an old engine has one."""
    return s.late_moves or s.bad_record or s.futility or s.see_pruning

cdef inline bint has_improved(Worker* w, int ply) noexcept nogil:
    """Whether the static evaluation has risen since this side's last turn, or the one before if it was in check then."""
    cdef int before = w.frames[ply - 2].eval if ply >= 2 else NO_SCORE
    if before == NO_SCORE and ply >= 4:
        before = w.frames[ply - 4].eval
    cdef bint risen = before != NO_SCORE and w.frames[ply].eval > before
    w.counters.improving_nodes += risen
    return risen

cdef inline int static_margin(const Tuning* t, int plies, bint improving, bint erred) noexcept nogil:
    """Centipawns above beta from which static null move cuts off."""
    return t.static_base + t.static_margin * plies - t.static_improving * improving - t.static_worsening * erred

cdef inline bint enemy_has_erred(const Worker* w, int ply) noexcept nogil:
    """Whether the enemy's last move lost something, judged by the static evaluations before and after it."""
    if ply < 1 or w.frames[ply - 1].eval == NO_SCORE:
        return False
    return w.frames[ply].eval + w.frames[ply - 1].eval > w.tuning.static_erred

cdef int alphabeta(Worker* w, int ply, int alpha, int beta, int depth, bint cut_node) noexcept nogil
cdef int scout(Worker* w, int ply, int alpha, int best, int remaining, int reduction, bint cut_node, Move quiet) noexcept nogil
cdef int settled_early(
    Worker* w, int ply, int alpha, int beta, int depth, bint cut_node, const Entry* entry, int estimate, int raw, bint improving,
    Move* threat,
) noexcept nogil
cdef bint is_hopeless(
    Worker* w, int ply, Picker* picker, Move move, bint quiet, bint checking, int record, int base, int plies, int count, bint steady,
    int alpha,
) noexcept nogil
