"""Worker: the tables, counters and path of one searching thread."""

from engine.types cimport *
from engine.board.position cimport *
from engine.board.movegen cimport *
from engine.board.see cimport *
from engine.evaluation.accumulator cimport *
from engine.evaluation.classical cimport *
from engine.search.table cimport *
from engine.variant.features cimport *
from engine.ordering.history cimport *
from engine.ordering.picker cimport *
from engine.ordering.correction cimport *
from engine.variant.parameters cimport Tuning
from engine.search.aspiration cimport *
from engine.search.counters cimport Counters
from engine.board.cycles cimport reversible
from engine.syzygy.oracle cimport *

cdef enum:
    CHECK_EVERY = 1024         # nodes between two looks at clock and stop flag: less than a millisecond
    RETIMED = 1
    RETIMED_SEEN = 2
    FADES_FROM = 8             # half-moves without pawn move or capture, from which on FiftyDamping fades the evaluation
    GRACE = 20000              # nodes that a stopped search may still spend on its first root move: some ten milliseconds

ctypedef struct Frame:
    # One ply of the search path.
    Position pos
    Move move                  # made from this position
    int moved                  # piece and target square of that move (continuation history), 0 after a null move
    Move excluded              # left out in a singular search
    int eval
    bint null_allowed
    int count                  # moves tried here so far
    int cutoffs                # fail highs at this ply since the node two plies nearer the root was entered
    int reduction              # plies by which the move that led here was reduced, until the node is entered
    int doubles                # double singular extensions on the way here
    Move best                  # the move that raised alpha here, if any
    int pv_length
    Move pv[PLY_SLOTS]
    Accumulator sums           # of the network, brought up to date when an evaluation is wanted

ctypedef struct Worker
ctypedef struct Control:
    # Shared between the searching threads and the one that steers them.
    Worker** workers
    int cores                  # how many of them
    volatile_int stop
    volatile_int paused
    volatile_int retimed       # RETIMED: set_times was called (a ponder hit); RETIMED_SEEN: the search has taken note
    volatile_long soft_ms      # no new iteration after this; 0: none
    volatile_long hard_ms      # stop at once; 0: none
    U64 nodes                  # the most that all threads together may search; 0: no limit
    bint cpu_clock
    I64 started
    I64 paused_ms

ctypedef int (*Search)(Worker* w, int ply, int alpha, int beta, int depth, bint cut_node) noexcept nogil

ctypedef struct Worker:
    Frame frames[PLY_SLOTS]
    Memory memory
    PawnCache pawn_cache
    const Weights* network     # NULL: the classical evaluation
    const Oracle* oracle       # endgame tables, NULL: none
    Refresh refreshed
    Counters counters
    Ordering ordering
    Selectivity selectivity
    Tuning tuning
    Search search              # alphabeta, for modules that it imports
    int main_program[MAX_PROGRAM]
    int q_program[MAX_PROGRAM]
    int q_first_program[MAX_PROGRAM]
    U64 keys[MAX_GAME + PLY_SLOTS]  # of the game so far and of the path
    int key_base               # index of the root's key
    Table* table
    Control* control
    int draw_score[2]          # what a draw is worth to the side to move at even and at odd plies
    U64 nodes
    U64 next_check
    U64 grace_end              # nodes at which a search that was stopped without a move gives up; 0 before a stop
    U64 random
    bint stopped
    bint main
    int root_depth             # plies of the iteration
    int seldepth
    bint following             # the path so far is the PV of the last iteration
    int last_pv_length
    Move last_pv[PLY_SLOTS]
    Move root_moves[MAX_MOVES]     # allowed at the root
    U64 root_effort[MAX_MOVES]     # nodes below each of them, all iterations together
    int root_count
    int root_searched
    int root_legal             # all legal moves there; more than root_count if searchmoves, exclude or MultiPV leave some out
    Move root_current
    Move previous_best         # best move of the last finished iteration
    bint previous_seen         # ... which has been searched in this iteration
    Move iteration_best        # the last move that raised alpha at the root in this iteration
    int iteration_pv_length
    Move iteration_pv[PLY_SLOTS]
    Move best_move             # what would be played now
    int best_score
    int optimism               # of the side to move at the root, per cent of its greatest value: -100 to 100; 0 if it is off
    int root_pv_length
    Move root_pv[PLY_SLOTS]
    void* owner                # the Python object that reports go to
    void (*report)(Worker* w, int score, int bound) noexcept nogil
    int null_floor             # null moves only from this ply on (verification search)
    int completed              # depth of the last finished iteration
    int iterations
    int ease                   # hundredths of the planned time to use, by the last iteration; ENOUGH: stop
    U64 iteration_nodes[PLY_SLOTS]
    int reductions[64][64]     # of quiet moves by depth and move number, hundredths of a ply
    int noisy_reductions[64][64]
    int index

cdef inline Move seen_move(Move move, int side) noexcept nogil:
    """A move as the side to move sees it: the form in which the table keeps moves, as it keeps keys."""
    return move ^ (56 | 56 << 6) if side and move else move

cdef inline void expect(Worker* w, const Position* pos, Move move) noexcept nogil:
    """Prefetch the table's bucket for the position after `move`, while the move is still being judged and made.

    After the move is made it would be too late: 8 % fewer nodes a second.
    """
    prefetch_bucket(w.table, likely_view_key(pos, move))

cdef void start_worker(Worker* w) noexcept nogil
cdef void poll(Worker* w) noexcept nogil
cdef I64 elapsed_ms(const Control* control) noexcept nogil
cdef U64 searched_nodes(const Control* control) noexcept nogil
cdef bint is_draw(Worker* w, int ply) noexcept nogil
cdef int static_eval(Worker* w, int ply, const Entry* entry, int* raw) noexcept nogil
cdef int ask_tables(Worker* w, int ply, U64 key, int plies, int alpha, int beta, bint pv) noexcept nogil
cdef int last_moves(const Worker* w, int ply) noexcept nogil
cdef bint upcoming_draw(Worker* w, int ply) noexcept nogil
cdef void use_network(Worker* w, const Weights* weights) noexcept nogil
cdef int evaluate_at(Worker* w, int ply) noexcept nogil
cdef int evaluate_by_network(Worker* w, int ply) noexcept nogil
cdef void bring_up(Worker* w, int ply, int view) noexcept nogil
cdef void make_on_path(Worker* w, int ply, Move move) noexcept nogil
cdef void make_null_on_path(Worker* w, int ply) noexcept nogil
cdef void note_pv(Worker* w, int ply, Move move) noexcept nogil
cdef void note_root(Worker* w, Move move, int score, int beta) noexcept nogil
cdef void settle_root(Worker* w) noexcept nogil
cdef void start_moves(Worker* w, Picker* p, int ply, int* program) noexcept nogil
cdef void set_specials(Worker* w, Picker* p, int ply, Move hash_move) noexcept nogil

cdef inline bint enter_node(Worker* w, int ply) noexcept nogil:
    """Begin a node of either search: count it and clear its PV. False, without counting, if the search has to stop."""
    w.frames[ply].pv_length = 0
    w.frames[ply].best = NO_MOVE
    if w.nodes >= w.next_check:
        poll(w)
    if w.stopped:
        return False
    w.nodes += 1
    if ply > w.seldepth:
        w.seldepth = ply
    return True

cdef inline void look_up(Worker* w, const Position* pos, int ply, U64 key, Entry* entry) noexcept nogil:
    """Probe the table; the move in `entry` is a move on the board again, not as the side to move sees it.

    Its keys know nothing of the fifty-move rule: a mate that would come too late here bounds nothing.
    """
    cdef int mate
    w.counters.table_probes += 1
    probe(w.table, key, ply, entry)
    if entry.found:
        w.counters.table_hits += 1
        entry.move = seen_move(entry.move, pos.side)
        mate = entry.score if entry.score > 0 else -entry.score
        if mate > MATE_BOUND and pos.rule50 + MATE - mate - ply > 100:
            entry.bound = BOUND_NONE

cdef inline int root_place(const Worker* w, Move move) noexcept nogil:
    """The index of a move among those allowed at the root, -1 if it is none of them."""
    cdef int i
    for i in range(w.root_count):
        if w.root_moves[i] == move:
            return i
    return -1

cdef inline void count_cutoff(Worker* w, int count, int stage) noexcept nogil:
    """Count a cutoff by move number `count`, which came from `stage`."""
    w.counters.cutoffs += 1
    w.counters.first_move_cutoffs += count == 1
    w.counters.cut_index[count - 1 if count <= 15 else 15] += 1
    w.counters.cut_stage[stage] += 1
