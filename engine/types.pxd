"""The C types, bounds and constants that every kernel module shares.

Square 0..63 is a1, b1 .. h8. A piece is type | colour << 3; NO_PIECE (6) marks an empty square. A Move is 16 bits:
from | to << 6 | (promotion - KNIGHT) << 12 | kind << 14; castling is written king takes own rook, which serves
Fischer random too. Scores are centipawns from the side to move; depth is in hundredths of a ply.
"""

cdef extern from *:
    """
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    #include <time.h>
    typedef uint64_t U64;
    typedef uint32_t U32;
    typedef uint16_t U16;
    typedef int16_t I16;
    typedef uint8_t U8;
    typedef int8_t I8;
    typedef volatile int volatile_int;
    typedef volatile int64_t volatile_long;
    enum { LARGE_PAGE = 2 << 20, TOUCHED_MIB = 1024 };
    #ifdef __linux__
      #include <sys/mman.h>
    #endif
    #ifdef _MSC_VER
      #include <intrin.h>
      #include <windows.h>
      static __inline int sortie_lsb(U64 b) { unsigned long i; _BitScanForward64(&i, b); return (int)i; }
      static __inline int sortie_msb(U64 b) { unsigned long i; _BitScanReverse64(&i, b); return (int)i; }
      #define sortie_popcount(b) ((int)__popcnt64(b))
      #define sortie_bswap(b) _byteswap_uint64(b)
      #define sortie_prefetch(p) _mm_prefetch((const char *)(p), _MM_HINT_T0)
      #define sortie_sleep_ms(n) Sleep(n)
      static __inline int64_t sortie_wall_ms(void) { return (int64_t)GetTickCount64(); }
    #else
      #define sortie_lsb(b) __builtin_ctzll(b)
      #define sortie_msb(b) (63 - __builtin_clzll(b))
      #define sortie_popcount(b) __builtin_popcountll(b)
      #define sortie_bswap(b) __builtin_bswap64(b)
      #define sortie_prefetch(p) __builtin_prefetch(p)
      static inline void sortie_sleep_ms(int n) { struct timespec t = {n / 1000, (n % 1000) * 1000000L}; nanosleep(&t, NULL); }
      static inline int64_t sortie_wall_ms(void) {
          struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000; }
    #endif
    /* Random access to a table of small pages misses the address cache at nearly every probe, so large blocks ask for large
       pages. The system zeroes a page when it is first touched. Blocks of up to TOUCHED_MIB are touched here, because on a busy
       machine this took half a second off the clock of a blitz game; larger ones may exceed the memory, so they are not. */
    static void *sortie_zeroed(size_t n) {
        size_t line = n >= LARGE_PAGE ? LARGE_PAGE : 64;
        char *raw = (char *)calloc(1, n + line + sizeof(void *)); char *p;
        if (!raw) return NULL;
        p = (char *)(((uintptr_t)raw + sizeof(void *) + line - 1) & ~(uintptr_t)(line - 1));
        ((void **)p)[-1] = raw;
    #ifdef MADV_HUGEPAGE
        if (n >= LARGE_PAGE) (void)madvise(p, n & ~(size_t)(LARGE_PAGE - 1), MADV_HUGEPAGE);
    #endif
        if (n <= (size_t)TOUCHED_MIB << 20)
            for (size_t i = 0; i < n; i += 4096) ((volatile char *)p)[i] = 0;
        return p; }
    static void sortie_free_zeroed(void *p) { if (p) free(((void **)p)[-1]); }
    static inline int64_t sortie_cpu_ms(void) { return (int64_t)((double)clock() * 1000.0 / CLOCKS_PER_SEC); }
    #ifdef SORTIE_DEBUG
      #include <stdio.h>
      #define sortie_assert(c) do { if (!(c)) { fprintf(stderr, "%s:%d: assertion failed: %s\\n", __FILE__, __LINE__, #c); abort(); } } while (0)
      enum { DEBUG_BUILD = 1 };
    #else
      #define sortie_assert(c) ((void)0)
      enum { DEBUG_BUILD = 0 };
    #endif
    #define SORTIE_DARK 0xAA55AA55AA55AA55ULL
    #define SORTIE_FILE_A 0x0101010101010101ULL
    #define MAKE_SCORE(mg, eg) ((int)((unsigned)(eg) << 16) + (mg))
    #define MG(s) ((int16_t)(uint16_t)(unsigned)(s))
    #define EG(s) ((int16_t)(uint16_t)((unsigned)((s) + 0x8000) >> 16))
    """
    ctypedef unsigned long long U64
    ctypedef unsigned int U32
    ctypedef unsigned short U16
    ctypedef signed short I16
    ctypedef unsigned char U8
    ctypedef signed char I8
    ctypedef int volatile_int        # written by one thread, read by another
    ctypedef long long volatile_long
    ctypedef long long I64 "int64_t"
    int lsb "sortie_lsb"(U64 b) noexcept nogil
    int msb "sortie_msb"(U64 b) noexcept nogil
    int popcount "sortie_popcount"(U64 b) noexcept nogil
    U64 bswap "sortie_bswap"(U64 b) noexcept nogil
    void prefetch "sortie_prefetch"(const void* p) noexcept nogil
    void sleep_ms "sortie_sleep_ms"(int n) noexcept nogil
    I64 wall_ms "sortie_wall_ms"() noexcept nogil
    I64 cpu_ms "sortie_cpu_ms"() noexcept nogil
    void* allocate_zeroed "sortie_zeroed"(size_t n) noexcept nogil
    void free_zeroed "sortie_free_zeroed"(void* p) noexcept nogil
    void check "sortie_assert"(bint c) noexcept nogil
    U64 DARK "SORTIE_DARK"             # the dark squares
    U64 FILE_A "SORTIE_FILE_A"
    bint DEBUG_BUILD
    int TOUCHED_MIB                  # blocks of up to so many MiB are touched when they are allocated
    int make_score "MAKE_SCORE"(int mg, int eg) noexcept nogil
    int mg_of "MG"(int s) noexcept nogil
    int eg_of "EG"(int s) noexcept nogil

cdef extern from "string.h" nogil:
    void* memset(void* target, int value, size_t size)
    void* memcpy(void* target, const void* source, size_t size)
    int memcmp(const void* one, const void* other, size_t size)

ctypedef int Move

cdef enum:
    WHITE = 0
    BLACK = 1

    PAWN = 0
    KNIGHT = 1
    BISHOP = 2
    ROOK = 3
    QUEEN = 4
    KING = 5
    NO_PIECE = 6

    NO_SQUARE = 64
    NO_MOVE = 0

    # Move kinds, already in place in the code of the move.
    NORMAL = 0 << 14
    PROMOTION = 1 << 14
    EN_PASSANT = 2 << 14
    CASTLING = 3 << 14

    # Castling rights.
    WHITE_SHORT = 1
    WHITE_LONG = 2
    BLACK_SHORT = 4
    BLACK_LONG = 8

    MAX_MOVES = 256
    MAX_PLY = 128
    PLY_SLOTS = MAX_PLY + 4    # length of an array by ply: MAX_PLY is reached, and a node writes up to two plies beyond its own
    MAX_GAME = 4096            # earlier positions of the game that a search checks for repetitions

    PLY = 100            # one ply of depth, in hundredths, so that fractional depth (C16) needs no second unit
    INFINITE = 32000
    MATE = 31000         # MATE - n: mate n plies away
    MATE_BOUND = 30800   # beyond it a score is a mate score
    NO_SCORE = 32001


cdef inline U64 bit(int square) noexcept nogil:
    return (<U64>1) << square

cdef inline int move_from(Move move) noexcept nogil:
    return move & 63

cdef inline int move_to(Move move) noexcept nogil:
    return (move >> 6) & 63

cdef inline int move_kind(Move move) noexcept nogil:
    return move & CASTLING

cdef inline int promotion_type(Move move) noexcept nogil:
    return KNIGHT + ((move >> 12) & 3)

cdef inline U64 view(U64 bitboard, int side) noexcept nogil:
    """The board as `side` sees it: for Black the ranks are reversed."""
    return bswap(bitboard) if side else bitboard

# The squares a step further, as White sees the board; none wraps round the edge.
cdef inline U64 up_left(U64 squares) noexcept nogil:
    return (squares & ~FILE_A) << 7

cdef inline U64 up_right(U64 squares) noexcept nogil:
    return (squares & ~(FILE_A << 7)) << 9

cdef inline int relative_rank(int square, int side) noexcept nogil:
    return (square >> 3) ^ (7 if side else 0)
