"""The loops over hidden neurons and a table of them. setup.py compiles this module also for AVX2 and for AVX-512."""

from engine.types cimport *
from engine.evaluation.bytes cimport BYTES, NEURONS, Vector, add_products, load, nothing, square_some, totals

cdef extern from *:
    """
    #if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
      #define sortie_has_avx2() (__builtin_cpu_init(), __builtin_cpu_supports("avx2"))
      #define sortie_has_avx512() (__builtin_cpu_init(), __builtin_cpu_supports("avx512vnni") && \
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") && \
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    #else
      #define sortie_has_avx2() 0
      #define sortie_has_avx512() 0
    #endif
    """
    bint has_avx2 "sortie_has_avx2"() noexcept nogil
    bint has_avx512 "sortie_has_avx512"() noexcept nogil

cdef enum:
    QA = 255                   # a neuron of 1
    QB = 64                    # an output weight of 1
    CHUNK = 32                 # hidden layers are multiples of it
    SQUARE_BITS = 9            # dropped from a squared neuron, so that it is 127 at most
    ROWS = 8                   # second layers are multiples of it: so many rows of weights at a time

ctypedef struct Loops:
    # The entry points of one build. `n` is the number of hidden neurons, `width` twice as many.
    void (*add)(I16* sums, const I16* row, int n) noexcept nogil
    void (*subtract)(I16* sums, const I16* row, int n) noexcept nogil
    void (*shift)(I16* sums, const I16* before, const I16* added, const I16* removed, int n) noexcept nogil
    void (*capture)(I16* sums, const I16* before, const I16* added, const I16* removed, const I16* taken, int n) noexcept nogil
    void (*square)(U8* squares, const I16* sums, int n) noexcept nogil
    void (*pair)(int* found, const U8* squares, const I8* rows, int width) noexcept nogil
    void (*products)(int* found, const U8* squares, const I8* rows, int width, int count) noexcept nogil

cdef void add(I16* sums, const I16* row, int n) noexcept nogil
cdef void subtract(I16* sums, const I16* row, int n) noexcept nogil
cdef void shift(I16* sums, const I16* before, const I16* added, const I16* removed, int n) noexcept nogil
cdef void capture(I16* sums, const I16* before, const I16* added, const I16* removed, const I16* taken, int n) noexcept nogil
cdef void square(U8* squares, const I16* sums, int n) noexcept nogil
cdef void pair(int* found, const U8* squares, const I8* rows, int width) noexcept nogil
cdef void products(int* found, const U8* squares, const I8* rows, int width, int count) noexcept nogil
