"""Tables: a set of Syzygy files as a Python object, open as long as someone searches with it."""

from engine.types cimport *
from engine.board.position cimport *
from engine.board.game cimport Game
from engine.syzygy.format cimport *
from engine.syzygy.ending cimport *
from engine.syzygy.probe cimport *
from cpython.pycapsule cimport PyCapsule_New

cdef class Tables:
    cdef Shelf shelf
    cdef Ending** endings
    cdef int count
    cdef readonly str path
    cdef readonly int largest       # men of the largest ending, 0 without any
    cdef readonly list faults       # a line for each file or folder that cannot be used

    cdef str add(self, str path, bytes counts, bint dtz)
    cdef put_in(self, U64 material, bint turned, Ending* e)
