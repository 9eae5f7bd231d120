"""A network as a Python object: read from a file, shared by all that search with it."""

from engine.types cimport *
from engine.board.position cimport *
from engine.board.game cimport Game, square_name
from engine.evaluation.accumulator cimport *
from engine.evaluation.endgame cimport known_endgame, if_winnable
from cpython.buffer cimport PyBUF_WRITE
from cpython.memoryview cimport PyMemoryView_FromMemory

ctypedef struct Head:
    # The first 64 bytes of a file. It is little-endian, like every processor that Sortie is built for.
    char magic[16]
    U32 inputs
    U32 hidden
    U32 outputs
    U32 qa
    U32 qb
    U32 unit
    U32 crc                    # of all that follows the header: weights, then the biases of the second layer and the outputs
    U32 second                 # 0 in networks of one layer
    U32 spare[4]

cdef enum:
    # The file has the second layer's weights and biases finer by so many bits, from before they were bytes.
    FINER_BITS = 2
    FINER_BIAS_BITS = 7

cdef int rounded(int value, int bits) noexcept nogil
cdef I8* as_bytes(I16* words, int count, int bits) noexcept nogil

cdef class Network:
    cdef Weights weights
    cdef I16* memory
    cdef readonly str path

    cdef read(self, str name, file)
    cdef int raw(self, const Position* pos)
