"""Transposition table: what is known about positions already searched, shared by all threads."""

from engine.types cimport *

cdef enum:
    BOUND_NONE = 0
    BOUND_UPPER = 1
    BOUND_LOWER = 2
    BOUND_EXACT = 3
    WAYS = 5
    DECIDED = 400              # centipawns: RenewAge leaves entries with such a score alone

ctypedef struct Slot:
    # 12 bytes. `check` is the upper half of the key xored with the two data words, so that an entry torn by two
    # threads writing at once does not match and is not believed.
    U32 check
    U16 move
    I16 score
    I16 eval
    U8 depth           # plies, at least 0 (quiescence)
    U8 age_bound       # age << 3 | pv << 2 | bound

ctypedef struct Bucket:
    Slot slots[WAYS]
    U32 spare          # fills the cache line

ctypedef struct Table:
    Bucket* buckets
    U64 mask
    int age
    int mebibytes
    bint used                  # a search has written to it
    bint renew                 # a result too shallow to replace an entry still renews its move
    bint renew_age             # an entry that is met again belongs to this search

ctypedef struct Entry:
    # A slot taken apart; `found` is 0 when the position is not in the table.
    bint found
    Move move
    int score
    int eval
    int depth
    int bound
    bint pv

cdef bint allocate(Table* table, int mebibytes) noexcept nogil
cdef void release(Table* table) noexcept nogil
cdef void wipe(Table* table) noexcept nogil
cdef void probe(Table* table, U64 key, int ply, Entry* entry) noexcept nogil
cdef void store(Table* table, U64 key, int ply, Move move, int score, int eval, int depth, int bound, bint pv) noexcept nogil
cdef int permille_full(Table* table) noexcept nogil

cdef inline void know_nothing(Entry* entry) noexcept nogil:
    """What is known of a position that is not in the table."""
    entry.found = False
    entry.move = 0
    entry.bound = BOUND_NONE
    entry.eval = NO_SCORE
    entry.score = 0
    entry.depth = 0
    entry.pv = False

cdef inline bint answers(const Entry* entry, int alpha, int beta) noexcept nogil:
    """Whether the stored score settles a search of this window: a bound outside it, or an exact score."""
    if entry.score >= beta:
        return (entry.bound & BOUND_LOWER) != 0
    if entry.score <= alpha:
        return (entry.bound & BOUND_UPPER) != 0
    return entry.bound == BOUND_EXACT

cdef inline void prefetch_bucket(Table* table, U64 key) noexcept nogil:
    prefetch(&table.buckets[key & table.mask])

cdef inline void start_search(Table* table) noexcept nogil:
    """Age the table: entries of earlier searches give way first."""
    table.age = (table.age + 1) & 31
    table.used = True
cdef inline U32 data_check(Slot* slot) noexcept nogil
