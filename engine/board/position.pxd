"""Position: the board as plain data. Making a move writes a new one, so to take a move back is to return to the old one."""

from engine.types cimport *
from engine.board.attacks cimport *

ctypedef struct Castling:
    # What castling means in one game: fixed by the start position, shared by all copies of the position.
    U8 kept[64]           # rights that survive a piece leaving or entering the square
    int rook_from[4]      # by right: white short, white long, black short, black long
    int king_to[4]
    int rook_to[4]
    U64 empty[4]          # squares that must be free (king and rook themselves apart)
    U64 safe[4]           # squares the king crosses or lands on
    bint chess960

ctypedef struct Position:
    U64 key               # Zobrist: pieces, side, castling rights, en passant only when it can legally be taken
    U64 pawn_key          # pawns and kings alone
    U64 men_key[2]        # all but the pawns, by colour
    U64 minor_key         # knights and bishops of both colours
    U64 colour[2]
    U64 kind[6]
    U64 checkers          # enemy pieces giving check to the side to move
    U64 pinned            # own pieces that shield the own king; valid after set_pinned
    U64 threats           # squares the enemy attacks; valid after set_threats
    U64 material          # number of each piece, four bits each: see material_unit
    const Castling* castling
    int psq               # middlegame and endgame placement, White's view (make_score)
    int phase             # 24 with all pieces, 0 with none
    int rule50
    int since_null        # plies since a null move or the start: how far back a repetition may lie
    int side
    int rights
    int en_passant        # square behind a pawn that just made a double step and could pseudo-legally be taken; else NO_SQUARE
    int king[2]
    U8 board[64]

ctypedef struct CheckSquares:
    # Computed once a node, so that asking whether a move gives check costs next to nothing.
    U64 from_kind[6]      # squares from which a piece of that kind attacks the enemy king
    U64 screens           # own pieces that stand between an own slider and the enemy king

cdef U64 zobrist_piece[16][64]
cdef U64 zobrist_rights[16]
cdef U64 zobrist_en_passant[65]
cdef U64 zobrist_side
cdef int psqt[16][64]
cdef int phase_weight[8]
cdef U64 material_unit[16]

cdef inline U64 occupied(const Position* pos) noexcept nogil:
    return pos.colour[0] | pos.colour[1]

cdef inline U64 pieces(const Position* pos, int side, int kind) noexcept nogil:
    return pos.colour[side] & pos.kind[kind]

cdef inline int kind_on(const Position* pos, int square) noexcept nogil:
    return pos.board[square] & 7

cdef inline bint has_pieces(const Position* pos) noexcept nogil:
    """Whether the side to move has more than king and pawns."""
    return (pos.colour[pos.side] & ~(pos.kind[PAWN] | pos.kind[KING])) != 0

cdef inline U64 attackers_to(const Position* pos, int square, U64 occupancy) noexcept nogil:
    """Pieces of both sides that attack `square` when the board is filled as `occupancy` says."""
    return (
        (pawn_attacks(BLACK, square) & pos.colour[WHITE] & pos.kind[PAWN])
        | (pawn_attacks(WHITE, square) & pos.colour[BLACK] & pos.kind[PAWN])
        | (knight_attacks(square) & pos.kind[KNIGHT])
        | (king_attacks(square) & pos.kind[KING])
        | (rook_attacks(square, occupancy) & (pos.kind[ROOK] | pos.kind[QUEEN]))
        | (bishop_attacks(square, occupancy) & (pos.kind[BISHOP] | pos.kind[QUEEN]))
    )

cdef inline bint is_noisy(const Position* pos, Move move) noexcept nogil:
    """Captures, en passant and promotions; everything else is quiet."""
    cdef int kind = move_kind(move)
    if kind == NORMAL:
        return pos.board[move_to(move)] != NO_PIECE
    return kind != CASTLING

cdef inline int captured_kind(const Position* pos, Move move) noexcept nogil:
    """Kind of the piece a move takes; NO_PIECE when it takes none."""
    cdef int kind = move_kind(move)
    if kind == EN_PASSANT:
        return PAWN
    if kind == CASTLING:
        return NO_PIECE
    return pos.board[move_to(move)] & 7

cdef inline int castling_right(const Position* pos, Move move) noexcept nogil:
    """Index 0..3 of the right that a castling move uses."""
    return (2 if pos.side else 0) + (0 if move_to(move) > move_from(move) else 1)

cdef inline int landing_square(const Position* pos, Move move) noexcept nogil:
    """Where the moving piece stands afterwards: castling is coded as king takes rook."""
    if move_kind(move) == CASTLING:
        return pos.castling.king_to[castling_right(pos, move)]
    return move_to(move)

cdef inline bint checks_by(const Position* pos, const CheckSquares* checks, Move move) noexcept nogil:
    """As gives_check, but by the squares of set_check_squares."""
    if move_kind(move) == NORMAL:
        if checks.from_kind[pos.board[move_from(move)] & 7] & bit(move_to(move)):
            return True
        if not checks.screens & bit(move_from(move)):
            return False
    return gives_check(pos, move)

cdef inline U64 view_key(const Position* pos) noexcept nogil:
    """The key as the side to move sees it: colour-flipped twins share it, so tables treat them alike.

    Zobrist numbers of Black are the byte-swapped numbers of White's on the mirrored square, which makes the twin's key
    the byte-swapped key.
    """
    return bswap(pos.key) if pos.side else pos.key

cdef inline U64 likely_view_key(const Position* pos, Move move) noexcept nogil:
    """view_key after the move, wrong after castling, promotion, en passant or a loss of rights: good enough to prefetch by."""
    cdef int piece = pos.board[move_from(move)]
    cdef U64 key = (
        pos.key ^ zobrist_side ^ zobrist_piece[piece][move_from(move)] ^ zobrist_piece[piece][move_to(move)]
        ^ zobrist_piece[pos.board[move_to(move)]][move_to(move)]
    )
    return key if pos.side else bswap(key)

cdef void clear_board(Position* pos) noexcept nogil
cdef void put(Position* pos, int piece, int square) noexcept nogil
cdef void take(Position* pos, int square) noexcept nogil
cdef void make(const Position* pos, Position* next, Move move) noexcept nogil
cdef void make_null(const Position* pos, Position* next) noexcept nogil
cdef void set_checkers(Position* pos) noexcept nogil
cdef void set_pinned(Position* pos) noexcept nogil
cdef void set_threats(Position* pos) noexcept nogil
cdef U64 shields(const Position* pos, int side, int king_side) noexcept nogil
cdef bint en_passant_possible(const Position* pos, int target) noexcept nogil
cdef bint en_passant_legal(const Position* pos, int origin, int target) noexcept nogil
cdef bint any_en_passant_legal(const Position* pos) noexcept nogil
cdef bint gives_check(const Position* pos, Move move) noexcept nogil
cdef void set_check_squares(const Position* pos, CheckSquares* checks) noexcept nogil
cdef U64 compute_key(const Position* pos) noexcept nogil
cdef U64 compute_pawn_key(const Position* pos) noexcept nogil
cdef bint insufficient_material(const Position* pos) noexcept nogil
cdef void verify(const Position* pos) noexcept nogil
cdef void add_piece(Position* pos, int piece, int square) noexcept nogil
cdef void remove_piece(Position* pos, int piece, int square) noexcept nogil
cdef inline void note_part_keys(Position* pos, int piece, U64 number) noexcept nogil
cdef U64 men_number(const Position* pos, bint minors) noexcept nogil
