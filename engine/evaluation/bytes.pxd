"""Products of bytes in the vectors of the processor that a module is compiled for, for engine/evaluation/vectors.py.

Compilers vectorise loops over words by themselves, but find no use for the instructions that multiply bytes, so these have a name
here. A squared neuron is 0 to 127 and a weight -127 to 127, because some of them add two products in 16 bits. With bytes a node
takes 0.94 of the time that it takes with words (AVX-512; with AVX2 and SSE 0.97).
"""

from engine.types cimport *

cdef extern from *:
    """
    #if defined(__AVX512VNNI__) && defined(__AVX512BW__)
      #include <immintrin.h>
      #define SORTIE_BYTES 64
      #define SORTIE_NEURONS 32
      typedef __m512i sortie_vector;
      #define sortie_nothing() _mm512_setzero_si512()
      #define sortie_load(place) _mm512_loadu_si512((const void *)(place))
      #define sortie_add_products(sum, bytes, weights) _mm512_dpbusd_epi32(sum, bytes, weights)
      static inline __m128i sortie_folded(__m512i sum) {
        __m256i half = _mm256_add_epi32(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64(sum, 1));
        return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
      }
      static inline void sortie_square(uint8_t *squares, const int16_t *sums) {
        __m512i x = _mm512_loadu_si512((const void *)sums);
        x = _mm512_min_epi16(_mm512_max_epi16(x, _mm512_setzero_si512()), _mm512_set1_epi16(255));
        x = _mm512_mulhrs_epi16(_mm512_slli_epi16(x, 6), x);
        _mm256_storeu_si256((__m256i *)squares, _mm512_cvtepi16_epi8(x));
      }
    #elif defined(__AVX2__)
      #include <immintrin.h>
      #define SORTIE_BYTES 32
      #define SORTIE_NEURONS 32
      typedef __m256i sortie_vector;
      #define sortie_nothing() _mm256_setzero_si256()
      #define sortie_load(place) _mm256_loadu_si256((const __m256i *)(place))
      #define sortie_add_products(sum, bytes, weights) \
        _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, weights), _mm256_set1_epi16(1)))
      static inline __m128i sortie_folded(__m256i sum) {
        return _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
      }
      static inline __m256i sortie_squared(const int16_t *sums) {
        __m256i x = _mm256_loadu_si256((const __m256i *)sums);
        x = _mm256_min_epi16(_mm256_max_epi16(x, _mm256_setzero_si256()), _mm256_set1_epi16(255));
        return _mm256_mulhrs_epi16(_mm256_slli_epi16(x, 6), x);
      }
      static inline void sortie_square(uint8_t *squares, const int16_t *sums) {
        __m256i x = _mm256_packus_epi16(sortie_squared(sums), sortie_squared(sums + 16));
        _mm256_storeu_si256((__m256i *)squares, _mm256_permute4x64_epi64(x, 0xd8));
      }
    #elif defined(__SSSE3__) || defined(_M_X64)
      #include <tmmintrin.h>
      #define SORTIE_BYTES 16
      #define SORTIE_NEURONS 16
      typedef __m128i sortie_vector;
      #define sortie_nothing() _mm_setzero_si128()
      #define sortie_load(place) _mm_loadu_si128((const __m128i *)(place))
      #define sortie_add_products(sum, bytes, weights) \
        _mm_add_epi32(sum, _mm_madd_epi16(_mm_maddubs_epi16(bytes, weights), _mm_set1_epi16(1)))
      #define sortie_folded(sum) (sum)
      static inline __m128i sortie_squared(const int16_t *sums) {
        __m128i x = _mm_loadu_si128((const __m128i *)sums);
        x = _mm_min_epi16(_mm_max_epi16(x, _mm_setzero_si128()), _mm_set1_epi16(255));
        return _mm_mulhrs_epi16(_mm_slli_epi16(x, 6), x);
      }
      static inline void sortie_square(uint8_t *squares, const int16_t *sums) {
        _mm_storeu_si128((__m128i *)squares, _mm_packus_epi16(sortie_squared(sums), sortie_squared(sums + 8)));
      }
    #elif defined(__ARM_NEON) && defined(__aarch64__)
      #include <arm_neon.h>
      #define SORTIE_BYTES 16
      #define SORTIE_NEURONS 16
      typedef int32x4_t sortie_vector;
      #define sortie_nothing() vdupq_n_s32(0)
      #define sortie_load(place) vreinterpretq_s32_s8(vld1q_s8((const int8_t *)(place)))
      static inline int32x4_t sortie_add_products(int32x4_t sum, int32x4_t bytes, int32x4_t weights) {
        int8x16_t x = vreinterpretq_s8_s32(bytes), w = vreinterpretq_s8_s32(weights);
        sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(x), vget_low_s8(w)));
        return vpadalq_s16(sum, vmull_high_s8(x, w));
      }
      static inline uint8x8_t sortie_squared(const int16_t *sums) {
        int16x8_t x = vminq_s16(vmaxq_s16(vld1q_s16(sums), vdupq_n_s16(0)), vdupq_n_s16(255));
        return vqmovun_s16(vqrdmulhq_s16(vshlq_n_s16(x, 6), x));
      }
      static inline void sortie_square(uint8_t *squares, const int16_t *sums) {
        vst1q_u8(squares, vcombine_u8(sortie_squared(sums), sortie_squared(sums + 8)));
      }
      static inline void sortie_totals(int *found, const int32x4_t *sums) {
        vst1q_s32(found, vpaddq_s32(vpaddq_s32(sums[0], sums[1]), vpaddq_s32(sums[2], sums[3])));
      }
    #else
      #define SORTIE_BYTES 1
      #define SORTIE_NEURONS 1
      typedef int sortie_vector;
      #define sortie_nothing() 0
      #define sortie_load(place) (*(const int8_t *)(place))
      #define sortie_add_products(sum, bytes, weights) ((sum) + (bytes) * (weights))
      static inline void sortie_square(uint8_t *squares, const int16_t *sums) {
        int x = *sums < 0 ? 0 : *sums > 255 ? 255 : *sums;
        *squares = (uint8_t)((x * x + 256) >> 9);
      }
      static inline void sortie_totals(int *found, const int *sums) { memcpy(found, sums, 4 * sizeof(int)); }
    #endif
    #if SORTIE_BYTES > 1 && !defined(__aarch64__)
      static inline void sortie_totals(int *found, const sortie_vector *sums) {
        __m128i one = _mm_hadd_epi32(sortie_folded(sums[0]), sortie_folded(sums[1]));
        __m128i other = _mm_hadd_epi32(sortie_folded(sums[2]), sortie_folded(sums[3]));
        _mm_storeu_si128((__m128i *)found, _mm_hadd_epi32(one, other));
      }
    #endif
    """
    ctypedef struct Vector "sortie_vector":
        pass
    enum:
        BYTES "SORTIE_BYTES"       # in a vector
        NEURONS "SORTIE_NEURONS"   # squared at a time
    Vector nothing "sortie_nothing"() noexcept nogil
    Vector load "sortie_load"(const void* place) noexcept nogil
    # Each lane of `sum` gets the products of some bytes of the others.
    Vector add_products "sortie_add_products"(Vector sum, Vector bytes, Vector weights) noexcept nogil
    # The sums of the lanes of each of four vectors.
    void totals "sortie_totals"(int* found, const Vector* sums) noexcept nogil
    # NEURONS neurons, 255 being 1: clipped to 0..255, squared, rounded to multiples of 512.
    void square_some "sortie_square"(U8* squares, const I16* sums) noexcept nogil
