"""Static exchange evaluation: what a sequence of captures on one square wins or loses (seed text, 6.3 and 6.4).

Every form reads the same list of gains: g[0] is what the move itself takes, g[i] the value of the piece that made
capture i-1. The capturers after the first come least valuable first, and sliders behind a piece that leaves join in. A king
takes only when nothing can retake. Pins are not looked at. A promotion gains the new piece less the pawn and puts the
new piece at risk; pawns that recapture on the last rank do not promote; castling is an exchange of nothing.
"""

import cython

see_value[PAWN] = 100
see_value[KNIGHT] = 300
see_value[BISHOP] = 300
see_value[ROOK] = 500
see_value[QUEEN] = 900
see_value[KING] = 0
see_value[NO_PIECE] = 0


def gains(pos, move, gain):
    """Fill `gain` (32 slots) with the list of gains and return its length, at least 1."""
    origin = move_from(move)
    target = move_to(move)
    kind = move_kind(move)
    if kind == CASTLING:
        gain[0] = 0
        return 1
    everyone = occupied(pos) ^ bit(origin)
    risk: cython.int = see_value[kind_on(pos, origin)]
    if kind == EN_PASSANT:
        gain[0] = see_value[PAWN]
        everyone ^= bit(target ^ 8)
    else:
        gain[0] = see_value[kind_on(pos, target)]
        if kind == PROMOTION:
            risk = see_value[promotion_type(move)]
            gain[0] += risk - see_value[PAWN]
    everyone |= bit(target)
    diagonal = pos.kind[BISHOP] | pos.kind[QUEEN]
    straight = pos.kind[ROOK] | pos.kind[QUEEN]
    attackers = attackers_to(pos, target, everyone) & everyone
    side = pos.side
    n: cython.int = 1
    piece: cython.int
    while True:
        side ^= 1
        own = attackers & pos.colour[side]
        if not own:
            return n
        for piece in range(PAWN, KING):
            if own & pos.kind[piece]:
                break
        else:
            if attackers & pos.colour[side ^ 1]:
                return n
            gain[n] = risk
            return n + 1
        gain[n] = risk
        n += 1
        risk = see_value[piece]
        taker = own & pos.kind[piece]
        everyone ^= taker & -taker
        if piece == PAWN or piece == BISHOP or piece == QUEEN:
            attackers |= bishop_attacks(target, everyone) & diagonal
        if piece == ROOK or piece == QUEEN:
            attackers |= rook_attacks(target, everyone) & straight
        attackers &= everyone


def see_linear(gain, n):
    """Form A: the whole list is played out, nobody may stop."""
    value: cython.int = 0
    i: cython.int
    for i in range(n):
        value += -gain[i] if i & 1 else gain[i]
    return value


def see_early_exit(gain, n):
    """Form B, Vicki's (C19): we may stop after any enemy recapture, the enemy must always recapture."""
    value: cython.int = 0
    best: cython.int = -INFINITE
    i: cython.int
    for i in range(n):
        value += -gain[i] if i & 1 else gain[i]
        if (i & 1 or i == n - 1) and value > best:
            best = value
    return best


def see_swap(gain, n):
    """Form C, the swap list: either side may stop. This is the exact value."""
    value: cython.int = gain[n - 1]
    i: cython.int
    for i in range(n - 2, -1, -1):
        # What capture i wins, less what the other side then wins if it cares to go on.
        value = gain[i] - (value if value > 0 else 0)
    return value


def see(pos, move, form):
    """Exchange value of a pseudo-legal move in centipawns (P100 N300 B300 R500 Q900)."""
    gain = cython.declare(cython.int[32])
    n = gains(pos, move, gain)
    if form == SEE_LINEAR:
        return see_linear(gain, n)
    if form == SEE_EARLY_EXIT:
        return see_early_exit(gain, n)
    return see_swap(gain, n)


def see_reaches(pos, move, threshold, form):
    """Whether the exchange value in the given form is at least `threshold`."""
    if form == SEE_SWAP:
        return see_ge(pos, move, threshold)
    return see(pos, move, form) >= threshold


def see_ge(pos, move, threshold):
    """Form D: whether the swap value is at least `threshold`, decided as early as the exchange allows."""
    origin = move_from(move)
    target = move_to(move)
    kind = move_kind(move)
    if kind == CASTLING:
        return threshold <= 0
    risk: cython.int = see_value[kind_on(pos, origin)]
    balance: cython.int
    everyone = occupied(pos) ^ bit(origin)
    if kind == EN_PASSANT:
        balance = see_value[PAWN] - threshold
        everyone ^= bit(target ^ 8)
    else:
        balance = see_value[kind_on(pos, target)] - threshold
        if kind == PROMOTION:
            risk = see_value[promotion_type(move)]
            balance += risk - see_value[PAWN]
    if balance < 0:
        return False
    # From here on `balance` is what the side to capture is ahead by, if the piece it faces were lost for nothing.
    balance = risk - balance
    if balance <= 0:
        return True
    everyone |= bit(target)
    diagonal = pos.kind[BISHOP] | pos.kind[QUEEN]
    straight = pos.kind[ROOK] | pos.kind[QUEEN]
    attackers = attackers_to(pos, target, everyone) & everyone
    side = pos.side
    good: cython.bint = True
    piece: cython.int
    while True:
        side ^= 1
        own = attackers & pos.colour[side]
        if not own:
            return good
        for piece in range(PAWN, KING):
            if own & pos.kind[piece]:
                break
        else:
            # Only the king is left to take: it may when nothing can retake.
            return good if attackers & pos.colour[side ^ 1] else not good
        good = not good
        balance = see_value[piece] - balance
        # The side that just took wins even if its taker is lost: `good` counts a tie for the side that moved first.
        if balance < good:
            return good
        taker = own & pos.kind[piece]
        everyone ^= taker & -taker
        if piece == PAWN or piece == BISHOP or piece == QUEEN:
            attackers |= bishop_attacks(target, everyone) & diagonal
        if piece == ROOK or piece == QUEEN:
            attackers |= rook_attacks(target, everyone) & straight
        attackers &= everyone
