"""Static exchange evaluation: what a sequence of captures on one square wins or loses (Vicki's blog, May 2007; C18 to C20).

Every form reads the same list of gains: g[0] is what the move itself takes, g[i] the value of the piece that made
capture i-1. After the first capture the least valuable piece captures, and sliders behind a piece that leaves join in. A king
takes only when nothing can retake. Pins are ignored. A promotion gains the new piece less the pawn and puts the
new piece at risk; pawns that recapture on the last rank do not promote; castling exchanges nothing.
"""

import cython

see_value[PAWN] = 100
see_value[KNIGHT] = 300
see_value[BISHOP] = 300
see_value[ROOK] = 500
see_value[QUEEN] = 900
see_value[KING] = 0
see_value[NO_PIECE] = 0


def first_gain(pos, move, risk):
    """What the move itself takes; `risk` gets the value of the piece it puts on the square."""
    kind = move_kind(move)
    risk[0] = see_value[kind_on(pos, move_from(move))]
    if kind == CASTLING:
        return 0
    if kind == EN_PASSANT:
        return see_value[PAWN]
    gain: cython.int = see_value[kind_on(pos, move_to(move))]
    if kind == PROMOTION:
        risk[0] = see_value[promotion_type(move)]
        gain += risk[0] - see_value[PAWN]
    return gain


def men_after(pos, move):
    """The occupied squares after the move."""
    everyone = (occupied(pos) ^ bit(move_from(move))) | bit(move_to(move))
    return everyone ^ bit(move_to(move) ^ 8) if move_kind(move) == EN_PASSANT else everyone


def least_kind(pos, own):
    """Kind of the least valuable of these pieces; KING when nothing else is among them."""
    piece: cython.int
    for piece in range(PAWN, KING):
        if own & pos.kind[piece]:
            return piece
    return KING


def uncover(pos, target, piece, own, everyone, attackers):
    """The attackers of the square after one of `own` of kind `piece` has taken there: sliders behind it join in."""
    taker = own & pos.kind[piece]
    everyone[0] ^= taker & -taker
    if piece == PAWN or piece == BISHOP or piece == QUEEN:
        attackers |= bishop_attacks(target, everyone[0]) & (pos.kind[BISHOP] | pos.kind[QUEEN])
    if piece == ROOK or piece == QUEEN:
        attackers |= rook_attacks(target, everyone[0]) & (pos.kind[ROOK] | pos.kind[QUEEN])
    return attackers & everyone[0]


def gains(pos, move, gain):
    """Fill `gain` (32 slots) with the list of gains and return its length, at least 1."""
    target = move_to(move)
    risk: cython.int = 0
    gain[0] = first_gain(pos, move, cython.address(risk))
    if move_kind(move) == CASTLING:
        return 1
    everyone = men_after(pos, move)
    attackers = attackers_to(pos, target, everyone) & everyone
    side = pos.side
    n: cython.int = 1
    while True:
        side ^= 1
        own = attackers & pos.colour[side]
        if not own:
            return n
        piece = least_kind(pos, own)
        if piece == KING:
            if attackers & pos.colour[side ^ 1]:
                return n
            gain[n] = risk
            return n + 1
        gain[n] = risk
        n += 1
        risk = see_value[piece]
        attackers = uncover(pos, target, piece, own, cython.address(everyone), attackers)


def see_linear(gain, n):
    """Form A: the sum of (-1)^i g[i]: the list is played out, nobody may stop. What Vicki's author took SEE to be (C19)."""
    value: cython.int = 0
    i: cython.int
    for i in range(n):
        value += -gain[i] if i & 1 else gain[i]
    return value


def see_early_exit(gain, n):
    """Form B, Vicki's (V2; C18, C19): we may stop after any enemy recapture, the enemy must always recapture.

    The best of the sums of (-1)^i g[i] over the prefixes that end after an enemy capture or at the end of the list; never
    less than the swap value, for the enemy has lost an option.
    """
    value: cython.int = 0
    best: cython.int = -INFINITE
    i: cython.int
    for i in range(n):
        value += -gain[i] if i & 1 else gain[i]
        if (i & 1 or i == n - 1) and value > best:
            best = value
    return best


def see_swap(gain, n):
    """Form C, the swap list (the comment under Vicki's text; C19, C20): either side may stop. This is the exact value.

    d[i] = g[i] - d[i-1] wound back by d[i-1] = -max(-d[i-1], d[i]), written here from the end as v = g[i] - max(v, 0).
    """
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
    """Form D: whether the swap value is at least `threshold`, decided as early as the exchange allows (usual in the field)."""
    if move_kind(move) == CASTLING:
        return threshold <= 0
    target = move_to(move)
    risk: cython.int = 0
    balance: cython.int = first_gain(pos, move, cython.address(risk)) - threshold
    if balance < 0:
        return False
    # From here on `balance` is what the side to capture is ahead by, if the piece it faces were lost for nothing.
    balance = risk - balance
    if balance <= 0:
        return True
    everyone = men_after(pos, move)
    attackers = attackers_to(pos, target, everyone) & everyone
    side = pos.side
    good: cython.bint = True
    while True:
        side ^= 1
        own = attackers & pos.colour[side]
        if not own:
            return good
        piece = least_kind(pos, own)
        if piece == KING:
            # Only the king is left to take: it may when nothing can retake.
            return good if attackers & pos.colour[side ^ 1] else not good
        good = not good
        balance = see_value[piece] - balance
        # The side that just took wins even if its taker is lost: `good` counts a tie for the side that moved first.
        if balance < good:
            return good
        attackers = uncover(pos, target, piece, own, cython.address(everyone), attackers)
