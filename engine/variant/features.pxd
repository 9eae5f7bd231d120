"""The switches as two C structs, and the stage program that the move picker runs."""

from engine.types cimport *
from engine.board.see cimport SEE_LINEAR, SEE_EARLY_EXIT, SEE_SWAP
from engine.variant.parameters cimport Tuning, fill

cdef enum:
    OFF = 0
    ON = 1

    # PVMoves
    PV_ROOT = 1
    PV_LINE = 2

    # CaptureOrder
    CAPTURES_GENERATION = 0
    CAPTURES_MVVLVA = 1
    CAPTURES_SEE = 2

    # History
    HISTORY_ORIGINAL = 1
    HISTORY_QUIET = 2
    HISTORY_GATED = 3
    HISTORY_GRAVITY = 4

    # CreditWeight
    CREDIT_ONE = 0
    CREDIT_DEPTH = 1
    CREDIT_DEPTH2 = 2
    CREDIT_POW2 = 3

    # IndexBy
    INDEX_FROMTO = 0
    INDEX_PIECETO = 1
    INDEX_THREATS = 2

    # ContHist
    CONTINUE_DEEP = 2

    # BadCaptures
    BAD_LAST = 0
    BAD_INPLACE = 1
    BAD_EQUAL = 2

    # Baseline
    BASELINE_RANDOM = 1
    BASELINE_WORST = 2

    # Algorithm
    ALGORITHM_PVS = 0
    ALGORITHM_ALPHABETA = 1
    ALGORITHM_MINIMAX = 2

    # Aspiration
    ASPIRATION_RESET = 1
    ASPIRATION_ONESIDED = 2
    ASPIRATION_GRADUAL = 3
    ASPIRATION_PULLED = 4

    # NullMove
    NULL_VERIFIED = 2

    # NullGuard
    GUARD_JAZZ = 0
    GUARD_SJAAK = 1
    GUARD_PAWNS = 2

    # CheckExtension
    EXTEND_ALWAYS = 1
    EXTEND_HORIZON = 2

    # QSearch
    Q_WINNING = 0
    Q_NONLOSING = 1
    Q_EVERY = 2
    Q_CHECKS = 3

    # LMR
    LMR_ONEPLY = 1
    LMR_PLAIN = 2
    LMR_TABLE = 3

    # InternalSearch
    INTERNAL_IID = 1
    INTERNAL_REDUCE = 2

    # CorrHist
    CORRECT_FULLY = 2

    # Singular
    SINGULAR_DOUBLE = 2

    # Evaluation
    EVALUATION_NETWORK = 1

    # Stage codes.
    STAGE_END = 0
    STAGE_PV = 1
    STAGE_HASH = 2
    STAGE_NOISY = 3        # all noisy moves, in the chosen order
    STAGE_GOOD_NOISY = 4   # the same, but captures that lose material wait for STAGE_BAD_NOISY
    STAGE_KILLERS = 5
    STAGE_COUNTER = 6
    STAGE_COMBO = 7
    STAGE_QUIETS = 8
    STAGE_BAD_NOISY = 9
    STAGE_MIXED = 10       # noisy and quiet moves together by history alone (Winglet)
    STAGE_BASELINE = 11    # random or worst-first order
    STAGE_CHECKS = 12      # quiescence: quiet moves that give check
    STAGES = 13
    MAX_PROGRAM = 12

ctypedef struct Ordering:
    # What is tried first. Field order is the order of ORDERING in switches.py.
    int pv_moves
    int hash_move
    int capture_order
    int see_form
    int killers
    int counter
    int combo
    int history
    int credit_weight
    int index_by
    int threat_order
    int generate_all
    int early_legality
    int full_sort
    int bad_captures
    int refutations_first
    int baseline
    int cont_hist
    int capt_hist
    int escape_order
    int check_order
    int pawn_hist
    int fail_low_credit
    int table_credit
    int reduced_credit

ctypedef struct Selectivity:
    # What is searched less or more. Field order is the order of SELECTIVITY in switches.py.
    int algorithm
    int deepening
    int tt
    int aspiration
    int window
    int null_move
    int null_guard
    int null_depth
    int check_extension
    int qsearch
    int q_evasions
    int delta
    int lmr
    int fractional
    int mate_distance
    int internal
    int improving
    int corr_hist
    int razoring
    int static_null
    int futility
    int late_moves
    int see_pruning
    int probcut
    int singular
    int stability
    int node_share
    int bad_record
    int upcoming
    int fifty
    int renew
    int renew_age
    int hindsight
    int null_at_cuts
    int delta_exchange
    int optimism
    int evaluation

cdef void compile_main(const Ordering* o, const Selectivity* s, int* program) noexcept nogil
cdef void compile_quiescence(const Ordering* o, const Selectivity* s, int* program, bint checks) noexcept nogil
cdef list stage_list(int* codes)

cdef class Features:
    cdef Ordering ordering
    cdef Selectivity selectivity
    cdef Tuning tuning
    cdef bint stats
    cdef str preset
    cdef int* slot(self, str name)
    cdef int* parameter(self, int place)
