"""What the search remembers about moves: killers, counter and combo moves, history tables and their update rules."""

from engine.types cimport *
from engine.board.position cimport *
from engine.variant.features cimport *
from engine.variant.parameters cimport Tuning

cdef enum:
    HISTORY_LIMIT = 16384          # gravity tables stay within +-HISTORY_LIMIT
    HALVE_AT = 0x4000              # quiet and gated forms halve the table beyond this
    SATURATE_AT = 1 << 30          # the original form
    BUTTERFLIES = 4 * 4096         # entries of the butterfly table for a side: see history_index
    PAWN_ROWS = 512                # rows of the pawn history
    CONTINUATIONS = 4              # looked up: 1, 2, 4 and 6 plies back

ctypedef struct Memory:
    Move killers[PLY_SLOTS][2]
    Move counter[2][4096]          # [side to move][enemy's last move, from | to << 6]
    Move combo[2][4096]            # [side to move][our last move]
    int quiet[2][BUTTERFLIES]      # [side][history_index]
    int quiet_max[2]               # largest size an entry reached, halved with the table
    int form                       # of history, that filled quiet
    I16 continuation[1024][1024]   # [piece and target square of an earlier move][the same of this one]
    I16 capture[16][64][8]         # [piece][target square][kind of victim]
    I16 pawn[PAWN_ROWS][1024]      # [pawn structure][piece and target square]
    I16 correction[2][6][8192]     # [side][part of the position][slot of its key]: see correction.py

cdef inline int history_index(const Ordering* o, const Position* pos, Move move) noexcept nogil:
    """A move's index in the butterfly table: from and to, with threats also whether each is attacked; or piece and to."""
    if o.index_by == INDEX_PIECETO:
        return (pos.board[move_from(move)] & 7) << 6 | move_to(move)
    if o.index_by == INDEX_THREATS:
        return (
            move & 4095
            | <int>((pos.threats >> move_from(move)) & 1) << 12
            | <int>((pos.threats >> move_to(move)) & 1) << 13
        )
    return move & 4095

cdef inline int piece_goal(const Position* pos, Move move) noexcept nogil:
    return pos.board[move_from(move)] << 6 | move_to(move)

cdef inline I16* pawn_row(Memory* m, const Position* pos) noexcept nogil:
    """The pawn history of this structure, as the side to move sees it, so that colour-flipped twins share it."""
    return &m.pawn[view(pos.pawn_key, pos.side) & (PAWN_ROWS - 1)][0]

cdef inline int continuation_distance(int i) noexcept nogil:
    """Plies back of the continuation number i: 1, 2, 4, 6."""
    return i + 1 if i < 2 else 2 * i

cdef void forget(Memory* m) noexcept nogil
cdef void start_think(Memory* m, const Ordering* o) noexcept nogil
cdef void start_iteration(Memory* m, const Ordering* o) noexcept nogil
cdef int credit_weight(const Ordering* o, int depth) noexcept nogil
cdef bint credit_original(Memory* m, const Ordering* o, const Position* pos, Move move, int depth) noexcept nogil
cdef bint credit_quiet(Memory* m, const Ordering* o, const Position* pos, Move move, int depth) noexcept nogil
cdef bint credit_gated(Memory* m, const Ordering* o, const Position* pos, Move move, int depth, const Move* tried, int n) noexcept nogil
cdef bint credit_gravity(Memory* m, const Ordering* o, const Position* pos, Move move, int bonus, int malus, const Move* tried, int n) noexcept nogil
cdef bint credit_history(
    Memory* m, const Ordering* o, const Position* pos, Move move, int depth, int bonus, int malus, const Move* tried, int n,
) noexcept nogil
cdef bint credit_alpha_raise(Memory* m, const Ordering* o, const Position* pos, Move move, int depth) noexcept nogil
cdef void halve(Memory* m) noexcept nogil
cdef void remember_killer(Memory* m, int ply, Move move) noexcept nogil
cdef void add_gravity(I16* cell, int bonus) noexcept nogil
cdef void add_gravity_to(int* cell, int bonus) noexcept nogil
cdef int gravity_bonus(const Tuning* t, int depth) noexcept nogil
cdef int gravity_malus(const Tuning* t, int depth) noexcept nogil
cdef void add_to_entry(Memory* m, int side, int index, int credit) noexcept nogil
