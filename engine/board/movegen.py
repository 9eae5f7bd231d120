"""Move generation.

Squares are walked as the side to move sees them (Black's board is turned round), so a position and its colour-flipped
twin list the same moves in the same order. In check only king moves, captures of the one checker and interpositions
are generated: that mask is part of what pseudo-legal means here.
"""

import cython


def evasion_mask(pos):
    """Targets that pieces other than the king may move to: everything, or what answers a single check."""
    if not pos.checkers:
        return ~cython.cast(U64, 0)
    if pos.checkers & (pos.checkers - 1):
        return 0
    checker = lsb(pos.checkers)
    return between(pos.king[pos.side], checker) | pos.checkers


def add_knights(pos, out, targets, pinned):
    """Append knight moves to `targets`; a pinned knight has none."""
    side = pos.side
    flip = 56 if side else 0
    movers = view(pieces(pos, side, KNIGHT) & ~pinned, side)
    while movers:
        origin = lsb(movers) ^ flip
        movers &= movers - 1
        out = spread(out, origin, view(knight_attacks(origin) & targets, side), flip)
    return out


def add_slides(pos, out, kind, targets, pinned):
    """Append the moves of one kind of slider; `kind` is a constant at each call, so that inlining decides the branches."""
    side = pos.side
    flip = 56 if side else 0
    king = pos.king[side]
    everyone = occupied(pos)
    reach = cython.declare(U64)
    movers = view(pieces(pos, side, kind), side)
    while movers:
        origin = lsb(movers) ^ flip
        movers &= movers - 1
        if kind == BISHOP:
            reach = bishop_attacks(origin, everyone) & targets
        elif kind == ROOK:
            reach = rook_attacks(origin, everyone) & targets
        else:
            reach = queen_attacks(origin, everyone) & targets
        if pinned & bit(origin):
            reach &= line_through(king, origin)
        out = spread(out, origin, view(reach, side), flip)
    return out


def add_sliders(pos, out, targets, pinned):
    """Append the moves of bishops, rooks and queens to `targets`, a pinned piece along its line only."""
    out = add_slides(pos, out, BISHOP, targets, pinned)
    out = add_slides(pos, out, ROOK, targets, pinned)
    return add_slides(pos, out, QUEEN, targets, pinned)


def add_pawn_moves(pos, out, targets, step, pinned):
    """Append plain pawn moves; `targets` and `step` are seen from the side to move."""
    side = pos.side
    flip = 56 if side else 0
    king = pos.king[side]
    while targets:
        target = lsb(targets)
        targets &= targets - 1
        origin = (target - step) ^ flip
        target ^= flip
        if pinned & bit(origin) and not line_through(king, origin) & bit(target):
            continue
        out[0] = origin | target << 6
        out += 1
    return out


def add_promotions(pos, out, targets, step, pinned):
    """Append the four promotions on each target, queen first."""
    side = pos.side
    flip = 56 if side else 0
    king = pos.king[side]
    kind: cython.int
    while targets:
        target = lsb(targets)
        targets &= targets - 1
        origin = (target - step) ^ flip
        target ^= flip
        if pinned & bit(origin) and not line_through(king, origin) & bit(target):
            continue
        for kind in range(3, -1, -1):
            out[0] = origin | target << 6 | kind << 12 | PROMOTION
            out += 1
    return out


def add_en_passant(pos, out, mask, legal):
    """Append en-passant captures; in check only when the pawn taken gives it or the target square shields the king."""
    side = pos.side
    target: cython.int = pos.en_passant
    victim = target ^ 8
    if pos.checkers and not mask & (bit(victim) | bit(target)):
        return out
    flip = 56 if side else 0
    takers = view(pawn_attacks(side ^ 1, target) & pieces(pos, side, PAWN), side)
    while takers:
        origin = lsb(takers) ^ flip
        takers &= takers - 1
        if legal and not en_passant_legal(pos, origin, target):
            continue
        out[0] = origin | target << 6 | EN_PASSANT
        out += 1
    return out


def add_pawns(pos, out, what, mask, pinned):
    """Append pawn moves whose targets lie in `mask`; the board is turned so that pawns go up."""
    side = pos.side
    pawns = view(pieces(pos, side, PAWN), side)
    enemies = view(pos.colour[side ^ 1] & mask, side)
    free = ~view(occupied(pos), side)
    mask = view(mask, side)
    last = cython.cast(U64, 0xFF00000000000000)
    single = (pawns << 8) & free
    if what & NOISY:
        left = up_left(pawns) & enemies
        right = up_right(pawns) & enemies
        promoting = single & last & mask
        if (left | right | promoting) & last:
            out = add_promotions(pos, out, promoting, 8, pinned)
            out = add_promotions(pos, out, left & last, 7, pinned)
            out = add_promotions(pos, out, right & last, 9, pinned)
        out = add_pawn_moves(pos, out, left & ~last, 7, pinned)
        out = add_pawn_moves(pos, out, right & ~last, 9, pinned)
    if what & QUIET:
        double = ((single & cython.cast(U64, 0x0000000000FF0000)) << 8) & free & mask
        out = add_pawn_moves(pos, out, single & ~last & mask, 8, pinned)
        out = add_pawn_moves(pos, out, double, 16, pinned)
    return out


def add_king(pos, out, targets, legal):
    """Append king steps."""
    side = pos.side
    flip = 56 if side else 0
    king = pos.king[side]
    enemies = pos.colour[side ^ 1]
    without = occupied(pos) ^ bit(king)
    reach = view(king_attacks(king) & targets, side)
    while reach:
        target = lsb(reach) ^ flip
        reach &= reach - 1
        if legal and attackers_to(pos, target, without) & enemies:
            continue
        out[0] = king | target << 6
        out += 1
    return out


def castling_open(pos, right):
    """Whether the right stands and nothing is in the way of king and rook."""
    return (pos.rights >> right) & 1 and not occupied(pos) & pos.castling.empty[right]


def castling_safe(pos, right):
    """Whether no square the king crosses is attacked, and the king is not attacked after the rook has moved."""
    side = pos.side
    enemies = pos.colour[side ^ 1]
    crossed = pos.castling.safe[right]
    everyone = occupied(pos)
    king = pos.king[side]
    without = everyone ^ bit(king)
    while crossed:
        if attackers_to(pos, lsb(crossed), without) & enemies:
            return False
        crossed &= crossed - 1
    if pos.castling.chess960:
        goal = pos.castling.king_to[right]
        after = (without & ~bit(pos.castling.rook_from[right])) | bit(goal) | bit(pos.castling.rook_to[right])
        return not attackers_to(pos, goal, after) & enemies
    return True


def add_castling(pos, out, legal):
    """Append castling, short side first."""
    first = 2 if pos.side else 0
    right: cython.int
    for right in range(first, first + 2):
        if castling_open(pos, right) and (not legal or castling_safe(pos, right)):
            out[0] = pos.king[pos.side] | pos.castling.rook_from[right] << 6 | CASTLING
            out += 1
    return out


def generate(pos, out, what, legal):
    """Append noisy, quiet or every move and return the new end; `legal` needs pos.pinned to be set."""
    side = pos.side
    enemies = pos.colour[side ^ 1]
    targets = cython.cast(U64, 0)
    if what & NOISY:
        targets |= enemies
    if what & QUIET:
        targets |= ~occupied(pos)
    if pos.checkers & (pos.checkers - 1):
        return add_king(pos, out, targets, legal)
    mask = evasion_mask(pos)
    pinned = pos.pinned if legal else 0
    out = add_pawns(pos, out, what, mask, pinned)
    if what & NOISY and pos.en_passant != NO_SQUARE:
        out = add_en_passant(pos, out, mask, legal)
    mask &= targets
    out = add_knights(pos, out, mask, pinned)
    out = add_sliders(pos, out, mask, pinned)
    out = add_king(pos, out, targets, legal)
    if what & QUIET and pos.rights and not pos.checkers:
        out = add_castling(pos, out, legal)
    return out


def generate_checks(pos, out, checks, legal):
    """Append the quiet moves that give check, in the order of `generate`, by the squares of set_check_squares.

    In check, or where a move may uncover a check, all quiet moves are generated and tested; both are rare.
    """
    if checks.screens or pos.checkers:
        return keep_checks(pos, out, generate(pos, out, QUIET, legal), checks)
    free = ~occupied(pos)
    pinned = pos.pinned if legal else 0
    out = add_pawns(pos, out, QUIET, checks.from_kind[PAWN], pinned)
    out = add_knights(pos, out, free & checks.from_kind[KNIGHT], pinned)
    out = add_slides(pos, out, BISHOP, free & checks.from_kind[BISHOP], pinned)
    out = add_slides(pos, out, ROOK, free & checks.from_kind[ROOK], pinned)
    out = add_slides(pos, out, QUEEN, free & checks.from_kind[QUEEN], pinned)
    return keep_checks(pos, out, add_castling(pos, out, legal), checks) if pos.rights else out


def keep_checks(pos, move, end, checks):
    """Of the moves from `move` to `end` keep those that give check, and return the new end."""
    kept = move
    while move < end:
        if checks_by(pos, checks, move[0]):
            kept[0] = move[0]
            kept += 1
        move += 1
    return kept


def is_pseudo_legal(pos, move):
    """Whether `generate` would list this 16-bit code here: killers and hash moves come from other positions."""
    side = pos.side
    origin = move_from(move)
    target = move_to(move)
    kind = move_kind(move)
    own = pos.colour[side]
    if not own & bit(origin):
        return False
    if kind != PROMOTION and move & (3 << 12):
        return False
    piece: cython.int = pos.board[origin] & 7
    if kind == CASTLING:
        if piece != KING or pos.checkers:
            return False
        right = castling_right(pos, move)
        return castling_open(pos, right) and pos.castling.rook_from[right] == target
    if own & bit(target):
        return False
    if piece == KING:
        return kind == NORMAL and (king_attacks(origin) & bit(target)) != 0
    if pos.checkers & (pos.checkers - 1):
        return False
    mask = evasion_mask(pos)
    if piece == PAWN:
        if kind == EN_PASSANT:
            if target != pos.en_passant or not pawn_attacks(side, origin) & bit(target):
                return False
            return not pos.checkers or (mask & (bit(target) | bit(target ^ 8))) != 0
        if (relative_rank(target, side) == 7) != (kind == PROMOTION):
            return False
        if not mask & bit(target):
            return False
        if pawn_attacks(side, origin) & bit(target):
            return pos.board[target] != NO_PIECE
        if pos.board[target] != NO_PIECE:
            return False
        step: cython.int = -8 if side else 8
        if target == origin + step:
            return True
        return target == origin + 2 * step and relative_rank(origin, side) == 1 and pos.board[origin + step] == NO_PIECE
    if kind != NORMAL or not mask & bit(target):
        return False
    everyone = occupied(pos)
    if piece == KNIGHT:
        reach = knight_attacks(origin)
    elif piece == BISHOP:
        reach = bishop_attacks(origin, everyone)
    elif piece == ROOK:
        reach = rook_attacks(origin, everyone)
    else:
        reach = queen_attacks(origin, everyone)
    return (reach & bit(target)) != 0


def is_legal(pos, move):
    """Whether a pseudo-legal move leaves the own king safe; needs pos.pinned."""
    side = pos.side
    origin = move_from(move)
    target = move_to(move)
    kind = move_kind(move)
    if kind == EN_PASSANT:
        return en_passant_legal(pos, origin, target)
    if kind == CASTLING:
        return castling_safe(pos, castling_right(pos, move))
    king = pos.king[side]
    if origin == king:
        return not attackers_to(pos, target, occupied(pos) ^ bit(king)) & pos.colour[side ^ 1]
    return not pos.pinned & bit(origin) or (line_through(king, origin) & bit(target)) != 0


def has_legal_move(pos):
    """Whether the side to move can move at all."""
    moves = cython.declare(Move[MAX_MOVES])
    set_pinned(pos)
    return generate(pos, moves, EVERY, True) != moves


def count_pawns(pos, pawns, mask):
    """Number of moves to `mask` that a set of own pawns has, en passant apart."""
    side = pos.side
    pawns = view(pawns, side)
    enemies = view(pos.colour[side ^ 1] & mask, side)
    free = ~view(occupied(pos), side)
    mask = view(mask, side)
    last = cython.cast(U64, 0xFF00000000000000)
    single = (pawns << 8) & free
    double = ((single & cython.cast(U64, 0x0000000000FF0000)) << 8) & free & mask
    single &= mask
    left = up_left(pawns) & enemies
    right = up_right(pawns) & enemies
    total = popcount(single) + popcount(double) + popcount(left) + popcount(right)
    if (single | left | right) & last:
        total += 3 * (popcount(single & last) + popcount(left & last) + popcount(right & last))
    return total


def count_slides(pos, kind, mask):
    """How many legal moves into `mask` slide as a bishop or as a rook does, queens included; `kind` is a constant at each call."""
    everyone = occupied(pos)
    total: cython.int = 0
    reach = cython.declare(U64)
    movers = pos.colour[pos.side] & (pos.kind[kind] | pos.kind[QUEEN])
    while movers:
        origin = lsb(movers)
        movers &= movers - 1
        reach = (bishop_attacks(origin, everyone) if kind == BISHOP else rook_attacks(origin, everyone)) & mask
        if pos.pinned & bit(origin):
            reach &= line_through(pos.king[pos.side], origin)
        total += popcount(reach)
    return total


def count_moves(pos):
    """Number of legal moves, counted from target sets without listing them (bulk counting in perft); needs pos.pinned."""
    rest = cython.declare(Move[8])
    side = pos.side
    king = pos.king[side]
    everyone = occupied(pos)
    targets = ~pos.colour[side]
    enemies = pos.colour[side ^ 1]
    total: cython.int = 0
    steps = king_attacks(king) & targets
    without = everyone ^ bit(king)
    while steps:
        if not attackers_to(pos, lsb(steps), without) & enemies:
            total += 1
        steps &= steps - 1
    if pos.checkers & (pos.checkers - 1):
        return total
    mask = evasion_mask(pos)
    if pos.en_passant != NO_SQUARE:
        total += add_en_passant(pos, rest, mask, True) - rest
    if pos.rights and not pos.checkers:
        total += add_castling(pos, rest, True) - rest
    mask &= targets
    pinned = pos.pinned
    pawns = pieces(pos, side, PAWN)
    total += count_pawns(pos, pawns & ~pinned, mask)
    movers = pawns & pinned
    while movers:
        total += count_pawns(pos, movers & -movers, mask & line_through(king, lsb(movers)))
        movers &= movers - 1
    movers = pieces(pos, side, KNIGHT) & ~pinned
    while movers:
        total += popcount(knight_attacks(lsb(movers)) & mask)
        movers &= movers - 1
    return total + count_slides(pos, BISHOP, mask) + count_slides(pos, ROOK, mask)


def perft(pos, depth):
    """Number of legal move sequences of `depth` plies; the last ply is counted, not made."""
    if depth <= 0:
        return 1
    set_pinned(pos)
    if depth == 1:
        return count_moves(pos)
    moves = cython.declare(Move[MAX_MOVES])
    next = cython.declare(Position)
    end = generate(pos, moves, EVERY, True)
    total = cython.cast(U64, 0)
    move = cython.declare(cython.pointer(Move), moves)
    while move != end:
        make(pos, cython.address(next), move[0])
        total += perft(cython.address(next), depth - 1)
        move += 1
    return total
