"""Position: pieces, rights and keys, and how a move changes them.

Squares are 0 for a1 to 63 for h8, pieces 0 to 5 for White's pawn to king and 8 to 13 for Black's. Keys are Zobrist's (1970):
64-bit numbers, equal for positions that repetition takes for equal.
"""

import cython

from engine.evaluation.weights import WEIGHTS


def splitmix(state):
    """Next state and output of the splitmix64 generator (Steele, Lea, Flood 2014): the Zobrist numbers come from it."""
    mask = (1 << 64) - 1
    state = (state + 0x9E3779B97F4A7C15) & mask
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return state, z ^ (z >> 31)


def initialise():
    """Fill the Zobrist, piece-square, phase and material tables; runs once, at import."""
    state = 0x50F7E
    piece: cython.int
    square: cython.int
    number: U64
    for piece in range(6):
        for square in range(64):
            state, value = splitmix(state)
            number = value
            zobrist_piece[piece][square] = number
            zobrist_piece[piece | 8][square ^ 56] = bswap(number)
    rights: cython.int
    state, value = splitmix(state)
    short: U64 = value
    state, value = splitmix(state)
    long: U64 = value
    for rights in range(16):
        zobrist_rights[rights] = (
            (short if rights & WHITE_SHORT else 0)
            ^ (long if rights & WHITE_LONG else 0)
            ^ (bswap(short) if rights & BLACK_SHORT else 0)
            ^ (bswap(long) if rights & BLACK_LONG else 0)
        )
    for square in range(32):
        state, value = splitmix(state)
        number = value
        zobrist_en_passant[square] = number
        zobrist_en_passant[square ^ 56] = bswap(number)
    zobrist_en_passant[NO_SQUARE] = 0
    state, value = splitmix(state)
    number = value
    global zobrist_side
    zobrist_side = number ^ bswap(number)  # a palindrome: the same number seen from either side

    middle: cython.int
    end: cython.int
    for piece in range(6):
        for square in range(64):
            middle, end = WEIGHTS["material"][piece]
            # Rows of the table are ranks from the eighth down, as a reader sees a board.
            placement = WEIGHTS["placement"][piece][square ^ 56]
            middle += placement[0]
            end += placement[1]
            psqt[piece][square] = make_score(middle, end)
            psqt[piece | 8][square ^ 56] = -make_score(middle, end)
        material_unit[piece] = cython.cast(U64, 1) << (4 * piece)
        material_unit[piece | 8] = cython.cast(U64, 1) << (4 * piece + 20)
    material_unit[KING] = material_unit[KING | 8] = 0
    for piece, value in enumerate((0, 1, 1, 2, 4, 0, 0, 0)):
        phase_weight[piece] = value


def clear_board(pos):
    """Make it an empty board, White to move, no rights."""
    memset(pos, 0, cython.sizeof(Position))
    square: cython.int
    for square in range(64):
        pos.board[square] = NO_PIECE
    pos.en_passant = NO_SQUARE
    pos.king[0] = pos.king[1] = NO_SQUARE


def note_part_keys(pos, piece, number):
    """Update the keys of parts of the board for a piece that comes or goes."""
    kind = piece & 7
    if kind == PAWN:
        pos.pawn_key ^= number
        return
    pos.men_key[piece >> 3] ^= number
    if kind == KING:
        pos.pawn_key ^= number
    elif kind <= BISHOP:
        pos.minor_key ^= number


def add_piece(pos, piece, square):
    """Put a piece on an empty square and keep every derived field in step."""
    kind = piece & 7
    pos.board[square] = piece
    pos.colour[piece >> 3] |= bit(square)
    pos.kind[kind] |= bit(square)
    pos.key ^= zobrist_piece[piece][square]
    pos.psq += psqt[piece][square]
    if kind == KING:
        pos.king[piece >> 3] = square
    note_part_keys(pos, piece, zobrist_piece[piece][square])


def remove_piece(pos, piece, square):
    """Take `piece` off its square and keep every derived field in step."""
    kind = piece & 7
    pos.board[square] = NO_PIECE
    pos.colour[piece >> 3] &= ~bit(square)
    pos.kind[kind] &= ~bit(square)
    pos.key ^= zobrist_piece[piece][square]
    pos.psq -= psqt[piece][square]
    note_part_keys(pos, piece, zobrist_piece[piece][square])


def put(pos, piece, square):
    """Set up a piece: add_piece and the material counts."""
    add_piece(pos, piece, square)
    pos.material += material_unit[piece]
    pos.phase += phase_weight[piece & 7]


def take(pos, square):
    """Remove whatever stands on a square: remove_piece and the material counts."""
    piece: cython.int = pos.board[square]
    remove_piece(pos, piece, square)
    pos.material -= material_unit[piece]
    pos.phase -= phase_weight[piece & 7]


def set_checkers(pos):
    """Find the enemy pieces that attack the king of the side to move."""
    pos.checkers = attackers_to(pos, pos.king[pos.side], occupied(pos)) & pos.colour[pos.side ^ 1]


def shields(pos, side, king_side):
    """Pieces of `side` that alone stand between a slider and the king of `king_side` that it would attack.

    With side == king_side these are the pinned pieces; with the other side's king, the pieces whose move may discover
    a check by a slider of their own.
    """
    king = pos.king[king_side]
    enemy = pos.colour[king_side ^ 1]
    snipers = (
        (rook_attacks(king, 0) & (pos.kind[ROOK] | pos.kind[QUEEN]))
        | (bishop_attacks(king, 0) & (pos.kind[BISHOP] | pos.kind[QUEEN]))
    ) & enemy
    everyone = occupied(pos)
    found = cython.cast(U64, 0)
    while snipers:
        blockers = between(king, lsb(snipers)) & everyone
        if not blockers & (blockers - 1):
            found |= blockers
        snipers &= snipers - 1
    return found & pos.colour[side]


def set_pinned(pos):
    """Fill `pinned`; called where moves are about to be tried, not by make, because many nodes never try one."""
    pos.pinned = shields(pos, pos.side, pos.side)


def set_threats(pos):
    """Fill `threats`; called where histories ask for it."""
    them = pos.side ^ 1
    men = pos.colour[them]
    everyone = occupied(pos)
    pawns = view(men & pos.kind[PAWN], them)
    # In the enemy's view the enemy's pawns go up the board.
    hit = view(up_left(pawns) | up_right(pawns), them) | king_attacks(pos.king[them])
    rest = men & pos.kind[KNIGHT]
    while rest:
        hit |= knight_attacks(lsb(rest))
        rest &= rest - 1
    rest = men & (pos.kind[BISHOP] | pos.kind[QUEEN])
    while rest:
        hit |= bishop_attacks(lsb(rest), everyone)
        rest &= rest - 1
    rest = men & (pos.kind[ROOK] | pos.kind[QUEEN])
    while rest:
        hit |= rook_attacks(lsb(rest), everyone)
        rest &= rest - 1
    pos.threats = hit


def en_passant_legal(pos, origin, target):
    """Whether the side to move may take en passant from `origin` without leaving its king attacked."""
    side = pos.side
    victim: cython.int = target - 8 if side == WHITE else target + 8
    king = pos.king[side]
    after = (occupied(pos) ^ bit(origin) ^ bit(victim)) | bit(target)
    return not attackers_to(pos, king, after) & pos.colour[side ^ 1] & ~bit(victim)


def en_passant_possible(pos, target):
    """Whether the side to move has a pawn that attacks the en-passant square."""
    return (pawn_attacks(pos.side ^ 1, target) & pieces(pos, pos.side, PAWN)) != 0


def any_en_passant_legal(pos):
    """Whether an en-passant capture is legal: only then does the right tell positions apart."""
    if pos.en_passant == NO_SQUARE:
        return False
    takers = pawn_attacks(pos.side ^ 1, pos.en_passant) & pieces(pos, pos.side, PAWN)
    while takers:
        if en_passant_legal(pos, lsb(takers), pos.en_passant):
            return True
        takers &= takers - 1
    return False


def make(pos, next, move):
    """Write to `next` the position after a pseudo-legal `move`; `pos` stays as it was."""
    next[0] = pos[0]
    side = pos.side
    origin = move_from(move)
    target = move_to(move)
    piece: cython.int = pos.board[origin]
    kind = move_kind(move)
    next.rule50 = pos.rule50 + 1
    next.since_null = pos.since_null + 1
    if pos.en_passant != NO_SQUARE:
        if any_en_passant_legal(pos):
            next.key ^= zobrist_en_passant[pos.en_passant]
        next.en_passant = NO_SQUARE
    double_step: cython.bint = False

    if kind == CASTLING:
        right = castling_right(pos, move)
        rook: cython.int = pos.board[target]
        remove_piece(next, piece, origin)
        remove_piece(next, rook, target)
        add_piece(next, piece, pos.castling.king_to[right])
        add_piece(next, rook, pos.castling.rook_to[right])
    else:
        victim: cython.int = pos.board[target]
        if victim != NO_PIECE:
            remove_piece(next, victim, target)
            next.material -= material_unit[victim]
            next.phase -= phase_weight[victim & 7]
            next.rule50 = 0
        elif kind == EN_PASSANT:
            square: cython.int = target - 8 if side == WHITE else target + 8
            victim = PAWN | ((side ^ 1) << 3)
            remove_piece(next, victim, square)
            next.material -= material_unit[victim]
        remove_piece(next, piece, origin)
        if kind == PROMOTION:
            promoted = promotion_type(move) | (side << 3)
            add_piece(next, promoted, target)
            next.material += material_unit[promoted] - material_unit[piece]
            next.phase += phase_weight[promoted & 7]
        else:
            add_piece(next, piece, target)
        if piece & 7 == PAWN:
            next.rule50 = 0
            double_step = (origin ^ target) == 16

    if pos.rights:
        rights: cython.int = pos.rights & pos.castling.kept[origin] & pos.castling.kept[target]
        if rights != pos.rights:
            next.key ^= zobrist_rights[pos.rights] ^ zobrist_rights[rights]
            next.rights = rights

    next.side = side ^ 1
    next.key ^= zobrist_side
    if double_step:
        behind = (origin + target) >> 1
        if en_passant_possible(next, behind):
            next.en_passant = behind
            if any_en_passant_legal(next):
                next.key ^= zobrist_en_passant[behind]
    set_checkers(next)
    if DEBUG_BUILD:
        verify(next)


def make_null(pos, next):
    """Write to `next` the position with the other side to move; the side to move must not be in check."""
    next[0] = pos[0]
    next.rule50 = pos.rule50 + 1
    next.since_null = 0
    if pos.en_passant != NO_SQUARE:
        if any_en_passant_legal(pos):
            next.key ^= zobrist_en_passant[pos.en_passant]
        next.en_passant = NO_SQUARE
    next.side = pos.side ^ 1
    next.key ^= zobrist_side
    next.checkers = 0


def gives_check(pos, move):
    """Whether a pseudo-legal move attacks the enemy king, directly or by discovery."""
    side = pos.side
    enemy_king = pos.king[side ^ 1]
    origin = move_from(move)
    target = move_to(move)
    kind = move_kind(move)
    everyone = occupied(pos)
    own = pos.colour[side]
    piece: cython.int = pos.board[origin] & 7
    if kind == CASTLING:
        right = castling_right(pos, move)
        rook_to = pos.castling.rook_to[right]
        after = (everyone & ~bit(origin) & ~bit(target)) | bit(rook_to) | bit(pos.castling.king_to[right])
        return (rook_attacks(rook_to, after) & bit(enemy_king)) != 0
    if kind == PROMOTION:
        piece = promotion_type(move)
    after = (everyone & ~bit(origin)) | bit(target)
    if kind == EN_PASSANT:
        after &= ~bit(target - 8 if side == WHITE else target + 8)
    if piece == PAWN:
        direct = pawn_attacks(side, target)
    elif piece == KNIGHT:
        direct = knight_attacks(target)
    elif piece == BISHOP:
        direct = bishop_attacks(target, after)
    elif piece == ROOK:
        direct = rook_attacks(target, after)
    elif piece == QUEEN:
        direct = queen_attacks(target, after)
    else:
        direct = 0
    if direct & bit(enemy_king):
        return True
    if kind != EN_PASSANT and not line_through(origin, enemy_king):
        return False
    own &= ~bit(origin)
    return (
        (rook_attacks(enemy_king, after) & (pos.kind[ROOK] | pos.kind[QUEEN]) & own)
        | (bishop_attacks(enemy_king, after) & (pos.kind[BISHOP] | pos.kind[QUEEN]) & own)
    ) != 0


def set_check_squares(pos, checks):
    """Fill in from where each kind of piece would check, and which own pieces uncover a check by moving away."""
    king = pos.king[pos.side ^ 1]
    everyone = occupied(pos)
    checks.from_kind[PAWN] = pawn_attacks(pos.side ^ 1, king)
    checks.from_kind[KNIGHT] = knight_attacks(king)
    checks.from_kind[BISHOP] = bishop_attacks(king, everyone)
    checks.from_kind[ROOK] = rook_attacks(king, everyone)
    checks.from_kind[QUEEN] = checks.from_kind[BISHOP] | checks.from_kind[ROOK]
    checks.from_kind[KING] = 0
    checks.screens = shields(pos, pos.side, pos.side ^ 1)


def insufficient_material(pos):
    """Whether neither side can mate by any sequence of moves: K, KN, KB against K; bishops of one colour only."""
    if pos.kind[PAWN] | pos.kind[ROOK] | pos.kind[QUEEN]:
        return False
    minors = popcount(occupied(pos)) - 2
    if minors <= 1:
        return True
    if pos.kind[KNIGHT]:
        return False
    return not pos.kind[BISHOP] & DARK or not pos.kind[BISHOP] & ~DARK


def compute_key(pos):
    """The Zobrist key from scratch; make keeps it incrementally and the debug build compares the two."""
    key = cython.cast(U64, 0)
    square: cython.int
    for square in range(64):
        if pos.board[square] != NO_PIECE:
            key ^= zobrist_piece[pos.board[square]][square]
    key ^= zobrist_rights[pos.rights]
    if any_en_passant_legal(pos):
        key ^= zobrist_en_passant[pos.en_passant]
    if pos.side:
        key ^= zobrist_side
    return key


def compute_pawn_key(pos):
    """The key of pawns and kings from scratch."""
    key = cython.cast(U64, 0)
    men = pos.kind[PAWN] | pos.kind[KING]
    while men:
        square = lsb(men)
        key ^= zobrist_piece[pos.board[square]][square]
        men &= men - 1
    return key


def men_number(pos, minors):
    """The key of all men but pawns, or of knights and bishops alone, from scratch."""
    key = cython.cast(U64, 0)
    men = pos.kind[KNIGHT] | pos.kind[BISHOP] if minors else occupied(pos) & ~pos.kind[PAWN]
    while men:
        square = lsb(men)
        key ^= zobrist_piece[pos.board[square]][square]
        men &= men - 1
    return key


def verify(pos):
    """Abort when a derived field disagrees with the board; the debug build calls it after every move."""
    square: cython.int
    psq: cython.int = 0
    phase: cython.int = 0
    material = cython.cast(U64, 0)
    for square in range(64):
        piece: cython.int = pos.board[square]
        if piece == NO_PIECE:
            check(not occupied(pos) & bit(square))
            continue
        check((pieces(pos, piece >> 3, piece & 7) & bit(square)) != 0)
        psq += psqt[piece][square]
        phase += phase_weight[piece & 7]
        material += material_unit[piece]
    check(psq == pos.psq)
    check(phase == pos.phase)
    check(material == pos.material)
    check(popcount(pieces(pos, WHITE, KING)) == 1 and popcount(pieces(pos, BLACK, KING)) == 1)
    check(pos.key == compute_key(pos))
    check(pos.pawn_key == compute_pawn_key(pos))
    check((pos.men_key[0] ^ pos.men_key[1]) == (men_number(pos, False)))
    check(pos.minor_key == men_number(pos, True))
    check(pos.rule50 >= 0 and pos.since_null >= 0)


initialise()
