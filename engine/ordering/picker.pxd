"""Picker: runs the stage program of a node and hands out one move at a time."""

from engine.types cimport *
from engine.board.position cimport *
from engine.board.movegen cimport *
from engine.board.see cimport *
from engine.variant.features cimport *
from engine.ordering.history cimport *
from engine.variant.parameters cimport Tuning

cdef enum:
    THREAT_BONUS = 500        # Sjaak II's, on its history scale of +-500
    SPECIAL_PV = 0
    SPECIAL_HASH = 1
    SPECIAL_KILLER = 2         # 2 and 3
    SPECIAL_COUNTER = 4
    SPECIAL_COMBO = 5
    EVERY_CAPTURE = -100000   # quiescence threshold that lets everything through

ctypedef struct PickerCounters:
    U64 generated
    U64 tested                 # king-safety tests
    U64 threat_orders
    U64 escapes                # quiet moves of a piece from where a lesser one attacks it to where none does
    U64 checks_raised          # quiet moves tried earlier because they check
    U64 victims_ordered        # captures keyed by victim and attacker
    U64 exchanges_ordered      # the same by exchange value
    U64 exchange_forms[3]      # exchanges judged, for order or in quiescence, by form of SEE
    U64 left_out               # captures and checks that quiescence did not try
    U64 lists_staged           # one kind of moves generated when its stage was reached
    U64 lists_at_once          # noisy and quiet moves generated together
    U64 lists_tested           # the king's safety tested for the whole list
    U64 lists_selected
    U64 lists_sorted

ctypedef struct Records:
    # Where a node reads the histories of quiet moves, and the weight of each, in hundredths.
    const int* quiet           # of the side to move by history_index; NULL unless in the gravity form
    const I16* after[4]        # continuation history after the moves 1, 2, 4 and 6 plies back; an empty row for no move
    const I16* pawn            # of this pawn structure; NULL: none
    int quiet_weight
    int older_weight           # of the continuations four and six plies back
    int pawn_weight

ctypedef struct Picker:
    const Position* pos
    const Ordering* ordering
    Memory* memory
    const int* program
    PickerCounters* counters
    U64* random
    const Tuning* tuning
    Records records
    const CheckSquares* checks  # squares from which the enemy king is attacked; NULL in quiescence
    int place                  # index in the program
    bint entered
    int stage                  # of the move last handed out
    int threshold              # quiescence: exchange value a capture must reach
    Move special[6]            # by SPECIAL_: pv, hash, killer, killer, counter, combo
    Move threat                # the reply that refuted the null move, or NO_MOVE
    Move done[6]               # specials already handed out
    int n_done
    int next_special
    int last_special
    int begin                  # the list of the stage
    int end
    int bad_end                # deferred captures fill moves[0:bad_end]
    int noisy_end              # with generate_all: noisy moves are [0:noisy_end], quiets [noisy_end:all_end]
    int all_end
    bint in_quiescence
    Move moves[MAX_MOVES]
    I64 keys[MAX_MOVES]        # key << 8 | 255 - generation index: a total order

cdef inline void set_key(Picker* p, int i, int key) noexcept nogil:
    """Set the key of a listed move; of equal keys the move generated first comes first."""
    p.keys[i] = <I64>key * 256 + (255 - (i - p.begin))

cdef inline void raise_key(Picker* p, int i, int more) noexcept nogil:
    p.keys[i] += <I64>more * 256

cdef inline int record_of(const Records* r, const Ordering* o, const Position* pos, Move move) noexcept nogil:
    """The sum of a quiet move's histories: from and to (gravity form), continuations, pawn structure."""
    cdef int moved = piece_goal(pos, move)
    cdef int sum = r.after[0][moved] + r.after[1][moved] + (r.after[2][moved] + r.after[3][moved]) * r.older_weight // 100
    if r.quiet != NULL:
        sum += r.quiet[history_index(o, pos, move)] * r.quiet_weight // 100
    if r.pawn != NULL:
        sum += r.pawn[moved] * r.pawn_weight // 100
    return sum

cdef inline int capture_record(const Memory* m, const Position* pos, Move move) noexcept nogil:
    """The capture history of a noisy move."""
    return m.capture[pos.board[move_from(move)]][move_to(move)][captured_kind(pos, move)]

cdef void start_picker(
    Picker* p, const Position* pos, const Ordering* o, const Tuning* t, Memory* m, const int* program, PickerCounters* counters,
    U64* random,
) noexcept nogil
cdef Move next_move(Picker* p) noexcept nogil
cdef void enter_stage(Picker* p, int stage) noexcept nogil
cdef void list_moves(Picker* p, int what) noexcept nogil
cdef void score_noisy(Picker* p) noexcept nogil
cdef U64 find_lesser_attacks(const Position* pos, U64* reach) noexcept nogil
cdef void score_quiets(Picker* p) noexcept nogil
cdef void score_mixed(Picker* p) noexcept nogil
cdef void score_random(Picker* p) noexcept nogil
cdef void score_worst(Picker* p) noexcept nogil
cdef void list_checks(Picker* p) noexcept nogil
cdef void sort_list(Picker* p) noexcept nogil
cdef int pick_best(Picker* p) noexcept nogil
cdef bint is_done(const Picker* p, Move move) noexcept nogil
cdef bint is_usable(Picker* p, Move move, int stage) noexcept nogil
cdef bint is_deferred(Picker* p, int i) noexcept nogil
cdef bint is_left_out(Picker* p, int i, int stage) noexcept nogil
cdef bint is_worth(Picker* p, int i, int threshold, bint keyed) noexcept nogil
