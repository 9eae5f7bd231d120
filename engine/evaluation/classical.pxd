"""Static evaluation of a position: terms over bitboards, weights from one generated file."""

from engine.types cimport *
from engine.board.attacks cimport *
from engine.board.position cimport *
from engine.evaluation.endgame cimport *

cdef enum:
    # Offsets of the weight tables in one flat array; layout.py gives names and lengths.
    W_KNIGHT_MOBILITY = 0        # 9
    W_BISHOP_MOBILITY = 9        # 14
    W_ROOK_MOBILITY = 23         # 15
    W_QUEEN_MOBILITY = 38        # 28
    W_BISHOP_PAIR = 66
    W_BISHOP_PAWNS = 67          # own pawns on the bishop's colour
    W_OUTPOST_KNIGHT = 68
    W_OUTPOST_BISHOP = 69
    W_BEHIND_PAWN = 70
    W_ROOK_OPEN = 71
    W_ROOK_HALF_OPEN = 72
    W_ROOK_SEVENTH = 73
    W_LONG_DIAGONAL = 74
    W_DOUBLED = 75
    W_ISOLATED = 76              # enemy pawn ahead on the file, none
    W_BACKWARD = 78
    W_PHALANX = 80               # by rank, 8
    W_SUPPORTED = 88             # by rank, 8
    W_CANDIDATE = 96             # by rank, 8
    W_PASSED = 104               # by rank, 8
    W_PASSED_FREE = 112          # no enemy in the way or controlling the next square, by rank, 8
    W_PASSED_BLOCKED = 120       # enemy piece on the next square, by rank, 8
    W_PASSED_OWN_KING = 128      # per step of distance to the next square, by rank, 8
    W_PASSED_ENEMY_KING = 136    # the same of the enemy king, 8
    W_SHELTER = 144              # [file kind 4][rank of own pawn 8]; rank 0: none
    W_STORM = 176                # [file kind 4][rank of enemy pawn 8]
    W_PAWN_THREAT = 208          # enemy piece attacked by a pawn, by kind: N B R Q
    W_MINOR_THREAT = 212         # by a knight or bishop, by kind: P N B R Q
    W_ROOK_THREAT = 217          # by a rook, by kind: P N B R Q
    W_KING_THREAT = 222
    W_HANGING = 223
    W_PUSH_THREAT = 224
    W_SPACE = 225
    W_TEMPO = 226
    W_RESTRICTED = 227
    W_WEAK_QUEEN = 228
    # King danger: plain numbers (middlegame part of the weight), not scores.
    W_DANGER_ATTACKER = 229      # by kind N B R Q
    W_DANGER_RING = 233          # attack on a square next to the king
    W_DANGER_WEAK = 234          # such a square that only king or queen defends
    W_DANGER_CHECK = 235         # safe check by kind N B R Q
    W_DANGER_NO_QUEEN = 239
    W_DANGER_BASE = 240
    W_DANGER_PINNED = 241
    WEIGHT_COUNT = 242

    # The terms that full_score writes; TERMS in terms.py names the first ten, in this order.
    TERM_MATERIAL = 0
    TERM_PAWNS = 1
    TERM_KNIGHTS = 2
    TERM_BISHOPS = 3
    TERM_ROOKS = 4
    TERM_QUEENS = 5
    TERM_PASSED = 6
    TERM_KING = 7
    TERM_THREATS = 8
    TERM_SPACE = 9
    TERM_DANGER = 10           # to the white and the black king, before it is squared
    TERM_COUNT = 12
    NO_DANGER = -100000        # too few attackers to count

    PAWN_SLOTS = 4096

ctypedef struct PawnEntry:
    U64 key
    U64 passed[2]
    U64 spans[2]               # squares the side's pawns attack now or after advancing
    int score                  # White's view
    int filler

ctypedef struct PawnCache:
    PawnEntry entries[PAWN_SLOTS]

ctypedef struct Scan:
    # What the terms of one evaluation share.
    const Position* pos
    U64 mobility_area[2]
    U64 attacked[2][6]
    U64 attacked_all[2]
    U64 attacked_twice[2]
    U64 king_ring[2]
    int danger[2]              # units against the king of that side
    int attackers[2]
    PawnEntry pawns

cdef int weight[WEIGHT_COUNT]
cdef U64 ahead_span[2][64]     # squares in front of a pawn on its file and the two beside it
cdef U64 ahead_file[2][64]
cdef U64 beside[8]             # the files beside a file
cdef U64 king_zone[2][64]

cdef inline int favoured(int score) noexcept nogil:
    """The side that a packed score favours, by its endgame part or, if that is 0, by its middlegame part; twins agree."""
    return WHITE if (eg_of(score) if eg_of(score) else mg_of(score)) > 0 else BLACK

cdef int evaluate(const Position* pos, PawnCache* cache) noexcept nogil
cdef int full_score(const Position* pos, PawnCache* cache, int* terms) noexcept nogil
cdef int taper(const Position* pos, int score) noexcept nogil
cdef void score_pawns(const Position* pos, PawnEntry* entry) noexcept nogil
cdef int pawn_side(const Position* pos, PawnEntry* entry, int us) noexcept nogil
cdef int knights_of(Scan* scan, int us) noexcept nogil
cdef int bishops_of(Scan* scan, int us) noexcept nogil
cdef int rooks_of(Scan* scan, int us) noexcept nogil
cdef int queens_of(Scan* scan, int us) noexcept nogil
cdef int passed_of(Scan* scan, int us) noexcept nogil
cdef int king_of(Scan* scan, int us) noexcept nogil
cdef int threats_of(Scan* scan, int us) noexcept nogil
cdef int space_of(Scan* scan, int us) noexcept nogil
cdef void prepare_scan(Scan* scan, const Position* pos) noexcept nogil
cdef void note_attacks(Scan* scan, int us, int kind, U64 attacks) noexcept nogil
cdef inline int note(int* terms, int term, int score) noexcept nogil
cdef inline void press_king(Scan* scan, int us, int kind, U64 attacks) noexcept nogil
cdef inline int minor_place(Scan* scan, int us, int square, int outpost) noexcept nogil
