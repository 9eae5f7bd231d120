"""The move picker: hands out a node's moves by its stage program; enter_stage shows what each stage does.

The order is total: by key, then by generation index. So selecting or sorting, and generating in stages or all at once, give
the same moves in the same order (C4, C13). Keys are computed when their stage is reached.
"""

import cython


def start_picker(p, pos, o, t, m, program, counters, random):
    """Prepare a picker; pos.pinned must be set. The caller then fills `special` and `threat`."""
    p.pos = pos
    p.ordering = o
    p.memory = m
    p.program = program
    p.counters = counters
    p.random = random
    p.tuning = t
    p.records.quiet = cython.address(m.quiet[pos.side][0]) if o.history == HISTORY_GRAVITY else cython.NULL
    p.records.pawn = pawn_row(m, pos) if o.pawn_hist else cython.NULL
    p.records.quiet_weight = t.quiet_weight
    p.records.older_weight = t.older_weight
    p.records.pawn_weight = t.pawn_weight
    p.checks = cython.NULL
    p.place = 0
    p.entered = False
    p.stage = STAGE_END
    p.threshold = EVERY_CAPTURE
    p.threat = NO_MOVE
    p.n_done = 0
    p.bad_end = 0
    p.noisy_end = -1
    p.in_quiescence = False
    i: cython.int
    for i in range(6):
        p.special[i] = NO_MOVE
    for i in range(CONTINUATIONS):
        # Row 0 stands for no move: a white pawn on a1 never moves, so it stays empty.
        p.records.after[i] = cython.address(m.continuation[0][0])


def next_move(p):
    """The next legal move of the program, or NO_MOVE; p.stage tells which stage it came from."""
    o = p.ordering
    while True:
        stage = p.program[p.place]
        if stage == STAGE_END:
            return NO_MOVE
        if not p.entered:
            enter_stage(p, stage)
            p.entered = True
        if stage == STAGE_PV or stage == STAGE_HASH or STAGE_KILLERS <= stage <= STAGE_COMBO:
            while p.next_special < p.last_special:
                move = p.special[p.next_special]
                p.next_special += 1
                if is_usable(p, move, stage):
                    p.done[p.n_done] = move
                    p.n_done += 1
                    p.stage = stage
                    return move
        else:
            # Deferred captures keep the order in which they were deferred.
            in_order: cython.bint = o.full_sort or stage == STAGE_BAD_NOISY
            while p.begin < p.end:
                i: cython.int = p.begin if in_order else pick_best(p)
                p.begin += 1
                move = p.moves[i]
                if p.n_done and is_done(p, move):
                    continue
                if stage == STAGE_GOOD_NOISY and is_deferred(p, i):
                    p.moves[p.bad_end] = move
                    p.bad_end += 1
                    continue
                if p.in_quiescence and is_left_out(p, i, stage):
                    continue
                if not o.early_legality:
                    p.counters.tested += 1
                    if not is_legal(p.pos, move):
                        continue
                p.stage = stage
                return move
        p.place += 1
        p.entered = False


def enter_stage(p, stage):
    """Set up a stage: which specials it offers, or its list of moves with their keys."""
    if stage == STAGE_PV:
        p.next_special = SPECIAL_PV
        p.last_special = SPECIAL_PV + 1
        return
    if stage == STAGE_HASH:
        p.next_special = SPECIAL_HASH
        p.last_special = SPECIAL_HASH + 1
        return
    if stage == STAGE_KILLERS:
        p.next_special = SPECIAL_KILLER
        p.last_special = SPECIAL_KILLER + p.ordering.killers
        return
    if stage == STAGE_COUNTER:
        p.next_special = SPECIAL_COUNTER
        p.last_special = SPECIAL_COUNTER + 1
        return
    if stage == STAGE_COMBO:
        p.next_special = SPECIAL_COMBO
        p.last_special = SPECIAL_COMBO + 1
        return
    if stage == STAGE_BAD_NOISY:
        p.begin = 0
        p.end = p.bad_end
        return
    if stage == STAGE_NOISY or stage == STAGE_GOOD_NOISY:
        list_moves(p, NOISY)
        score_noisy(p)
    elif stage == STAGE_QUIETS:
        list_moves(p, QUIET)
        score_quiets(p)
    elif stage == STAGE_MIXED:
        list_moves(p, EVERY)
        score_mixed(p)
    elif stage == STAGE_BASELINE:
        list_moves(p, NOISY if p.in_quiescence else EVERY)
        if p.ordering.baseline == BASELINE_RANDOM:
            score_random(p)
        else:
            score_worst(p)
    elif stage == STAGE_CHECKS:
        list_checks(p)
        score_quiets(p)
    if p.ordering.full_sort:
        sort_list(p)
    else:
        p.counters.lists_selected += 1


def list_moves(p, what):
    """Fill [begin:end] with noisy, quiet or all moves: noisy first, in generation order."""
    legal: cython.bint = p.ordering.early_legality
    if what == EVERY or (p.ordering.generate_all and not p.in_quiescence):
        if p.noisy_end < 0:
            middle = generate(p.pos, p.moves, NOISY, legal)
            last = generate(p.pos, middle, QUIET, legal)
            p.noisy_end = middle - p.moves
            p.all_end = last - p.moves
            p.counters.generated += p.all_end
            p.counters.lists_at_once += p.ordering.generate_all
            if legal:
                p.counters.tested += p.all_end
                p.counters.lists_tested += 1
        p.begin = 0 if what != QUIET else p.noisy_end
        p.end = p.noisy_end if what == NOISY else p.all_end
        return
    # Deferred captures stay at the front of the list.
    p.begin = p.bad_end
    p.end = generate(p.pos, p.moves + p.begin, what, legal) - p.moves
    p.counters.generated += p.end - p.begin
    p.counters.lists_staged += not p.in_quiescence
    if legal:
        p.counters.tested += p.end - p.begin
        p.counters.lists_tested += 1


def score_noisy(p):
    """Keys of captures and promotions by the chosen CaptureOrder (Vicki V2; C18, C19).

    generation  0: as generated
    mvvlva      16 * (victim - pawn + promoted piece) less the kind of the attacker, or with CaptHist plus half its history;
                promotions to less than a queen last
    see         the exchange value in the form of SEEForm

    With capture history +24.3 +- 32.8 Elo, 200 games at 40,000 nodes.
    """
    o = p.ordering
    pos = p.pos
    form = o.see_form
    capture_history: cython.bint = o.capt_hist
    i: cython.int
    key: cython.int
    taken: cython.int
    if o.capture_order == CAPTURES_SEE:
        p.counters.exchanges_ordered += p.end - p.begin
        p.counters.exchange_forms[form] += p.end - p.begin
        for i in range(p.begin, p.end):
            set_key(p, i, see(pos, p.moves[i], form))
    elif o.capture_order == CAPTURES_MVVLVA:
        p.counters.victims_ordered += p.end - p.begin
        for i in range(p.begin, p.end):
            move = p.moves[i]
            taken = captured_kind(pos, move)
            key = 16 * see_value[taken]
            if move_kind(move) == PROMOTION:
                key += 16 * (see_value[promotion_type(move)] - see_value[PAWN])
                if promotion_type(move) != QUEEN:
                    key -= 32000
            if capture_history:
                key += p.memory.capture[pos.board[move_from(move)]][move_to(move)][taken] // 2
            else:
                key -= pos.board[move_from(move)] & 7
            set_key(p, i, key)
    else:
        for i in range(p.begin, p.end):
            set_key(p, i, 0)


def score_quiets(p):
    """Keys of quiet moves: the histories that are on (C7), and the bonus for a move that answers the threat (C12).

    Switches are tested once a list, not once a move. The bonus is the limit of a history entry: Sjaak II's 500 on a scale of +-500.
    Without continuation history: -22.8 +- 17.9 Elo, 1,022 games at 4,000 nodes. CheckOrder: +10.6 +- 13.0, 1,600 at 15,000.
    """
    o = p.ordering
    pos = p.pos
    side = pos.side
    m = p.memory
    i: cython.int
    recorded: cython.bint = o.cont_hist or o.pawn_hist
    records = p.records  # a local copy stays in registers
    if o.history == HISTORY_GRAVITY or (o.history == OFF and recorded):
        for i in range(p.begin, p.end):
            set_key(p, i, record_of(cython.address(records), o, pos, p.moves[i]))
    elif o.history == OFF:
        for i in range(p.begin, p.end):
            set_key(p, i, 0)
    else:
        if o.history == HISTORY_GATED:
            # Sjaak II's scale: 500*h/max, which is within +-500.
            largest: I64 = m.quiet_max[side] if m.quiet_max[side] else 1
            for i in range(p.begin, p.end):
                scaled: I64 = 500 * cython.cast(I64, m.quiet[side][history_index(o, pos, p.moves[i])]) // largest
                set_key(p, i, cython.cast(cython.int, scaled))
        else:
            for i in range(p.begin, p.end):
                set_key(p, i, m.quiet[side][history_index(o, pos, p.moves[i])])
        if recorded:
            for i in range(p.begin, p.end):
                raise_key(p, i, record_of(cython.address(records), o, pos, p.moves[i]))
    if o.escape_order:
        lesser = cython.declare(U64[6])
        hunted = find_lesser_attacks(pos, lesser)
        if hunted:
            for i in range(p.begin, p.end):
                start = bit(move_from(p.moves[i]))
                if hunted & start and not lesser[pos.board[move_from(p.moves[i])] & 7] & bit(move_to(p.moves[i])):
                    raise_key(p, i, HISTORY_LIMIT)
                    p.counters.escapes += 1
    if o.check_order and p.checks != cython.NULL:
        near = p.checks.from_kind[QUEEN] | p.checks.from_kind[KNIGHT] | p.checks.from_kind[PAWN]
        for i in range(p.begin, p.end):
            goal = bit(move_to(p.moves[i]))
            if near & goal and p.checks.from_kind[pos.board[move_from(p.moves[i])] & 7] & goal:
                raise_key(p, i, p.tuning.check_bonus)
                p.counters.checks_raised += 1
    if p.threat and o.threat_order:
        bonus: cython.int = THREAT_BONUS
        if o.history == HISTORY_GRAVITY:
            bonus = HISTORY_LIMIT
        elif o.history == HISTORY_ORIGINAL or o.history == HISTORY_QUIET:
            bonus = m.quiet_max[side] + 1
        hit = move_to(p.threat)
        for i in range(p.begin, p.end):
            if move_from(p.moves[i]) == hit:
                raise_key(p, i, bonus)
                p.counters.threat_orders += 1


def find_lesser_attacks(pos, reach):
    """Find the squares where a lesser enemy piece attacks each kind of piece; return the own pieces that stand on them.

    Pawns are lesser than any piece, minor pieces than rook and queen, rooks than the queen.
    EscapeOrder prefers moves from such a square to a safe one; without it -13.9 +- 11.4 Elo, 2,048 games at 20,000 nodes.
    """
    them = pos.side ^ 1
    enemies = pos.colour[them]
    everyone = occupied(pos)
    attacked = cython.cast(U64, 0)
    rest = enemies & pos.kind[PAWN]
    while rest:
        attacked |= pawn_attacks(them, lsb(rest))
        rest &= rest - 1
    reach[PAWN] = reach[KING] = 0
    reach[KNIGHT] = reach[BISHOP] = attacked
    rest = enemies & pos.kind[KNIGHT]
    while rest:
        attacked |= knight_attacks(lsb(rest))
        rest &= rest - 1
    rest = enemies & pos.kind[BISHOP]
    while rest:
        attacked |= bishop_attacks(lsb(rest), everyone)
        rest &= rest - 1
    reach[ROOK] = attacked
    rest = enemies & pos.kind[ROOK]
    while rest:
        attacked |= rook_attacks(lsb(rest), everyone)
        rest &= rest - 1
    reach[QUEEN] = attacked
    hunted = pos.kind[QUEEN] & reach[QUEEN] | pos.kind[ROOK] & reach[ROOK]
    hunted |= (pos.kind[BISHOP] | pos.kind[KNIGHT]) & reach[KNIGHT]
    return hunted & pos.colour[pos.side]


def score_mixed(p):
    """Winglet: every move by butterfly history alone (W5)."""
    o = p.ordering
    pos = p.pos
    i: cython.int
    for i in range(p.begin, p.end):
        set_key(p, i, p.memory.quiet[pos.side][history_index(o, pos, p.moves[i])])


def score_random(p):
    """Random order (W2, C2): one number of the search's xorshift generator for each list, mixed with each move.

    It is mixed with the move as its side sees it, so that colour-flipped twins, and lists with and without illegal moves,
    have the same order.
    """
    i: cython.int
    x: U64 = p.random[0]
    x ^= x << 13
    x ^= x >> 7
    x ^= x << 17
    p.random[0] = x
    flip: cython.int = (56 | 56 << 6) if p.pos.side else 0
    for i in range(p.begin, p.end):
        mixed: U64 = (x ^ cython.cast(U64, p.moves[i] ^ flip)) * cython.cast(U64, 0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> 29)) * cython.cast(U64, 0xBF58476D1CE4E5B9)
        set_key(p, i, cython.cast(cython.int, mixed >> 40))


def score_worst(p):
    """Worst first: quiet moves, then captures from the least promising up, promotions last (W2, C2)."""
    pos = p.pos
    i: cython.int
    for i in range(p.begin, p.end):
        move = p.moves[i]
        key: cython.int = 0
        if is_noisy(pos, move):
            key = -16 * see_value[captured_kind(pos, move)] - 16 + (pos.board[move_from(move)] & 7)
            if move_kind(move) == PROMOTION:
                key -= 16 * see_value[promotion_type(move)]
        set_key(p, i, key)


def list_checks(p):
    """Fill [begin:end] with the quiet moves that give check."""
    checks = cython.declare(CheckSquares)
    legal: cython.bint = p.ordering.early_legality
    set_check_squares(p.pos, cython.address(checks))
    p.begin = p.bad_end
    p.end = generate_checks(p.pos, p.moves + p.begin, cython.address(checks), legal) - p.moves
    p.counters.generated += p.end - p.begin
    if legal:
        p.counters.tested += p.end - p.begin
        p.counters.lists_tested += 1


def sort_list(p):
    """Sort the whole list by insertion, best first: the order that selection would give, paid for at once (C4)."""
    p.counters.lists_sorted += 1
    i: cython.int
    for i in range(p.begin + 1, p.end):
        key = p.keys[i]
        move = p.moves[i]
        j: cython.int = i - 1
        while j >= p.begin and p.keys[j] < key:
            p.keys[j + 1] = p.keys[j]
            p.moves[j + 1] = p.moves[j]
            j -= 1
        p.keys[j + 1] = key
        p.moves[j + 1] = move


def pick_best(p):
    """Swap the best remaining move to the front of the list and return its place (W7, C4)."""
    first = p.begin
    best = first
    top = p.keys[first]
    i: cython.int
    for i in range(first + 1, p.end):  # the place is found afterwards, which spares this loop a branch: 2 % fewer instructions
        top = p.keys[i] if p.keys[i] > top else top
    while p.keys[best] != top:
        best += 1
    if best != first:
        p.keys[best] = p.keys[first]
        p.keys[first] = top
        move = p.moves[best]
        p.moves[best] = p.moves[first]
        p.moves[first] = move
    return first


def is_done(p, move):
    """Whether a special stage has already handed the move out."""
    i: cython.int
    for i in range(p.n_done):
        if p.done[i] == move:
            return True
    return False


def is_usable(p, move, stage):
    """Whether a remembered move can be played here: the generator would list it, and it is legal (Mediocre's blog)."""
    if move == NO_MOVE or is_done(p, move) or not is_pseudo_legal(p.pos, move):
        return False
    if STAGE_KILLERS <= stage <= STAGE_COMBO and is_noisy(p.pos, move):
        return False
    if p.in_quiescence and not p.pos.checkers and not is_noisy(p.pos, move):
        return False
    p.counters.tested += 1
    return is_legal(p.pos, move)


def is_deferred(p, i):
    """Whether a noisy move waits until after the quiet ones: it loses material, or promotes to less than a queen (C15)."""
    move = p.moves[i]
    o = p.ordering
    if move_kind(move) == PROMOTION and promotion_type(move) != QUEEN:
        return True
    if p.threat and o.threat_order and move_to(move) == move_from(p.threat):
        p.counters.threat_orders += 1
        return False
    least: cython.int = 1 if o.bad_captures == BAD_EQUAL else 0
    if o.capt_hist:
        least -= capture_record(p.memory, p.pos, move) // p.tuning.good_capture
    return not is_worth(p, i, least, o.capture_order == CAPTURES_SEE)


def is_left_out(p, i, stage):
    """Whether quiescence skips a capture by its exchange value (C10), or a quiet check that loses material."""
    if p.threshold == EVERY_CAPTURE:
        return False
    move = p.moves[i]
    if move_kind(move) == PROMOTION:
        if promotion_type(move) != QUEEN:
            return True
        if p.threshold > 0:
            return False
    o = p.ordering
    keyed: cython.bint = o.capture_order == CAPTURES_SEE and not o.baseline and stage != STAGE_CHECKS
    if is_worth(p, i, p.threshold, keyed):
        return False
    p.counters.left_out += 1
    return True


def is_worth(p, i, threshold, keyed):
    """Whether a listed move's exchange value, in the form of SEEForm, reaches `threshold`; `keyed`: the key holds it."""
    if keyed:
        return (p.keys[i] >> 8) >= threshold
    p.counters.exchange_forms[p.ordering.see_form] += 1
    return see_reaches(p.pos, p.moves[i], threshold, p.ordering.see_form)
