"""Searcher: the Python face of the search; owns the table, the workers and the flags that steer them."""

from engine.search.deepening cimport *
from engine.search.counters cimport *
from engine.board.game cimport Game
from engine.evaluation.network cimport Network
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdlib cimport free, realloc

cdef inline const Oracle* oracle_of(object tables) except? NULL:
    """The oracle of a Tables, NULL for None."""
    if tables is None:
        return NULL
    return <const Oracle*>PyCapsule_GetPointer(tables.capsule(), "engine.syzygy.Oracle")

cdef class Searcher:
    cdef Table table
    cdef Control control
    cdef bint prepared
    cdef object report
    cdef Network network         # None: none was given
    cdef object tables           # of endings; None: none
    cdef object searched_with    # what filled the tables: a Network, or None for the classical evaluation

    cdef set_up(self, Worker* w, Game game, Features features, list allowed, int contempt)
    cdef open_line(self, Worker* w, list allowed, list found, list before)
    cdef choose_evaluation(self, Features features)
    cdef report_line(self, Worker* w, int score, int bound)
    cdef Move reply_from_table(self, Game game, Move move)
    cdef list line(self, Move* moves, int n)
    cdef dict stats(self)
cdef void relay(Worker* w, int score, int bound) noexcept nogil
