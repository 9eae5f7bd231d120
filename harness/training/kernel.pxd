"""The arithmetic of training: the packed record, the network's shape, the loops over hidden neurons."""

cdef extern from *:
    """
    #include <stdint.h>
    #include <math.h>
    #include <string.h>
    #if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
      #define gauntlet_has_avx2() (__builtin_cpu_init(), __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    #else
      #define gauntlet_has_avx2() 0
    #endif
    #ifdef _MSC_VER
      #include <intrin.h>
      #define gauntlet_popcount(b) ((int)__popcnt64(b))
      static __inline int gauntlet_lsb(uint64_t b) { unsigned long i; _BitScanForward64(&i, b); return (int)i; }
    #else
      #define gauntlet_popcount(b) __builtin_popcountll(b)
      #define gauntlet_lsb(b) __builtin_ctzll(b)
    #endif
    """
    ctypedef unsigned long long U64 "uint64_t"
    ctypedef unsigned short U16 "uint16_t"
    ctypedef short I16 "int16_t"
    ctypedef unsigned char U8 "uint8_t"
    bint has_avx2 "gauntlet_has_avx2"() nogil
    int popcount "gauntlet_popcount"(U64 b) nogil
    int lsb "gauntlet_lsb"(U64 b) nogil
    float expf(float x) nogil
    float sqrtf(float x) nogil
    void* memcpy(void* target, const void* source, size_t size) nogil
    void* memset(void* target, int byte, size_t size) nogil

ctypedef struct Record:
    # harness/training/positions.py describes it.
    U64 occupancy
    U8 pieces[16]
    I16 score
    U16 game
    U8 result
    U8 side
    U8 rule50
    U8 rights

cdef enum:
    INPUTS = 768
    BUCKETS = 8
    LANES = 16               # neurons that are summed side by side: hidden layers are multiples of it
    MOST_HIDDEN = 1024
    BOTH_HIDDEN = 2048       # of both sides
    MOST_SECOND = 64

ctypedef struct Shape:
    # The parameters or their gradients, as pointers into arrays of numpy.
    float* inputs            # [768][hidden]
    float* bias              # [hidden]
    float* output            # [8][2 * hidden]
    float* output_bias       # [8]
    float* second            # [neurons][2 * hidden]
    float* second_bias       # [neurons]
    float* head              # [8][neurons]
    int hidden
    int neurons              # of the second layer

ctypedef struct Active:
    # The inputs that are 1, from the view of the side to move and of the other one.
    int index[2][32]
    int count
    int low                  # the outputs low and low + 1 count
    float high               # the share of the second of them

ctypedef struct Layers:
    # What the layers hold for a position; both views' neurons, the side to move first.
    float sums[2048]         # of the hidden neurons
    float squares[2048]      # clipped and squared
    float slope[2048]        # derivatives of the loss by the sums
    float second[64]         # sums of the second layer

cdef void find_active(const Record* record, Active* active) noexcept nogil
cdef void add_row(float* sum, const float* row, int n) noexcept nogil
cdef float dot(const float* one, const float* other, int n) noexcept nogil
cdef void add_times(float* sum, const float* row, float factor, int n) noexcept nogil
cdef float clipped(float x) noexcept nogil
cdef float forward(const Shape* net, const Active* active, Layers* layers) noexcept nogil
cdef void backward(const Shape* net, const Shape* grad, const Active* active, Layers* layers, float error, bint all_layers) noexcept nogil
