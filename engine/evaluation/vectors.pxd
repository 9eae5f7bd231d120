"""The loops over hidden neurons and a table of them. setup.py compiles this module twice, the second time for AVX2."""

from engine.types cimport *

cdef extern from *:
    """
    #if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
      #define sortie_has_avx2() (__builtin_cpu_init(), __builtin_cpu_supports("avx2"))
    #else
      #define sortie_has_avx2() 0
    #endif
    """
    bint has_avx2 "sortie_has_avx2"() noexcept nogil

cdef enum:
    QA = 255                   # a neuron of 1
    QB = 64                    # an output weight of 1
    CHUNK = 32                 # hidden layers are multiples of it

ctypedef struct Loops:
    # The entry points of one build. `n` is the number of hidden neurons.
    void (*add)(I16* sums, const I16* row, int n) noexcept nogil
    void (*subtract)(I16* sums, const I16* row, int n) noexcept nogil
    void (*shift)(I16* sums, const I16* before, const I16* added, const I16* removed, int n) noexcept nogil
    void (*capture)(I16* sums, const I16* before, const I16* added, const I16* removed, const I16* taken, int n) noexcept nogil
    I64 (*output)(const I16* own, const I16* other, const I16* weights, int n) noexcept nogil

cdef void add(I16* sums, const I16* row, int n) noexcept nogil
cdef void subtract(I16* sums, const I16* row, int n) noexcept nogil
cdef void shift(I16* sums, const I16* before, const I16* added, const I16* removed, int n) noexcept nogil
cdef void capture(I16* sums, const I16* before, const I16* added, const I16* removed, const I16* taken, int n) noexcept nogil
cdef I64 output(const I16* own, const I16* other, const I16* weights, int n) noexcept nogil
cdef int half(const I16* sums, const I16* weights) noexcept nogil
