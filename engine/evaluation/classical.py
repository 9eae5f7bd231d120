"""Static evaluation: centipawns for the side to move, symmetric under colour flip.

Each `*_of` function scores one theme for one side, as a packed pair of middlegame and endgame centipawns. The weights are
tables in weights.py; layout.py gives their order in the flat array that the functions read. The tuner relies on this: every
term is linear in the weights except king danger, which is linear before it is squared.
"""

import cython
from cython import address, cast

from engine.evaluation.layout import LAYOUT
from engine.evaluation.weights import WEIGHTS


def initialise():
    """Load the weights into the flat array and fill the masks; runs once, at import."""
    place: cython.int = 0
    middle: cython.int
    end: cython.int
    for name, length in LAYOUT:
        values = WEIGHTS[name]
        if len(values) != length:
            raise ValueError(f"weights.py: {name} has {len(values)} entries, not {length}")
        for middle, end in values:
            weight[place] = make_score(middle, end)
            place += 1
    if place != WEIGHT_COUNT:
        raise ValueError(f"classical.pxd counts {WEIGHT_COUNT} weights, LAYOUT has {place}")
    square: cython.int
    file: cython.int
    for file in range(8):
        beside[file] = (FILE_A << (file - 1) if file else 0) | (FILE_A << (file + 1) if file < 7 else 0)
    for square in range(64):
        file = square & 7
        north = ~cast(U64, 0) << (8 * (square >> 3)) << 8 if square < 56 else 0
        south = bit(8 * (square >> 3)) - 1
        ahead_file[0][square] = north & (FILE_A << file)
        ahead_file[1][square] = south & (FILE_A << file)
        ahead_span[0][square] = north & (FILE_A << file | beside[file])
        ahead_span[1][square] = south & (FILE_A << file | beside[file])
        zone = king_attacks(square) | bit(square)
        king_zone[0][square] = zone | zone << 8
        king_zone[1][square] = zone | zone >> 8


def taper(pos, score):
    """A packed score interpolated by phase, its endgame part scaled down where material does not win; White's view."""
    middle = mg_of(score)
    end = eg_of(score)
    scale = scale_factor(pos, favoured(score))
    if scale < SCALE_DRAWISH:
        # Material that can hardly win: placement must not suggest otherwise.
        middle = middle * scale // 64
    phase = pos.phase if pos.phase < 24 else 24
    return (middle * phase + end * scale // 64 * (24 - phase)) // 24


def evaluate(pos, cache):
    """Centipawns for the side to move; `cache` holds pawn structures already scored."""
    score: cython.int = 0
    if known_endgame(pos, address(score)):
        return score
    score = taper(pos, full_score(pos, cache, cython.NULL))
    return (-score if pos.side else score) + mg_of(weight[W_TEMPO])


def note(terms, term, score):
    """Return a term's score, and write it to `terms` unless that is NULL."""
    if terms != cython.NULL:
        terms[term] = score
    return score


def full_score(pos, cache, terms):
    """The sum of all terms before tapering, packed, White's view; `terms`, unless NULL, receives TERM_COUNT of them."""
    scan = cython.declare(Scan)
    prepare_scan(address(scan), pos)
    if cache == cython.NULL:
        score_pawns(pos, address(scan.pawns))
    else:
        entry = address(cache.entries[pos.pawn_key & (PAWN_SLOTS - 1)])
        if entry.key != pos.pawn_key or entry.key == 0:
            score_pawns(pos, entry)
        scan.pawns = entry[0]
    s = address(scan)
    score = note(terms, TERM_MATERIAL, pos.psq) + note(terms, TERM_PAWNS, scan.pawns.score)
    score += note(terms, TERM_KNIGHTS, knights_of(s, WHITE) - knights_of(s, BLACK))
    score += note(terms, TERM_BISHOPS, bishops_of(s, WHITE) - bishops_of(s, BLACK))
    score += note(terms, TERM_ROOKS, rooks_of(s, WHITE) - rooks_of(s, BLACK))
    score += note(terms, TERM_QUEENS, queens_of(s, WHITE) - queens_of(s, BLACK))
    score += note(terms, TERM_PASSED, passed_of(s, WHITE) - passed_of(s, BLACK))
    score += note(terms, TERM_KING, king_of(s, WHITE) - king_of(s, BLACK))
    score += note(terms, TERM_THREATS, threats_of(s, WHITE) - threats_of(s, BLACK))
    score += note(terms, TERM_SPACE, space_of(s, WHITE) - space_of(s, BLACK))
    note(terms, TERM_DANGER, s.danger[WHITE])
    note(terms, TERM_DANGER + 1, s.danger[BLACK])
    return score


def note_attacks(scan, us, kind, attacks):
    """Add a piece's attacks to the maps."""
    scan.attacked[us][kind] |= attacks
    scan.attacked_twice[us] |= scan.attacked_all[us] & attacks
    scan.attacked_all[us] |= attacks


def prepare_scan(scan, pos):
    """Fill the maps that the terms of the pieces need: attacks of kings and pawns, mobility areas, king rings."""
    us: cython.int
    kind: cython.int
    scan.pos = pos
    everyone = occupied(pos)
    for us in range(2):
        for kind in range(6):
            scan.attacked[us][kind] = 0
        scan.danger[us] = scan.attackers[us] = 0
        pawns = view(pieces(pos, us, PAWN), us)
        left = view(up_left(pawns), us)
        right = view(up_right(pawns), us)
        scan.attacked[us][PAWN] = left | right
        king = pos.king[us]
        scan.attacked[us][KING] = king_attacks(king)
        scan.attacked_all[us] = left | right | king_attacks(king)
        scan.attacked_twice[us] = (left & right) | ((left | right) & king_attacks(king))
        scan.king_ring[us] = king_zone[us][king] & ~(left & right)
    for us in range(2):
        pawns = pieces(pos, us, PAWN)
        # Squares of own pawns that are blocked or on their first square do not count as mobility.
        if us == WHITE:
            stuck = pawns & ((everyone >> 8) | cast(U64, 0x000000000000FF00))
        else:
            stuck = pawns & ((everyone << 8) | cast(U64, 0x00FF000000000000))
        scan.mobility_area[us] = ~(stuck | bit(pos.king[us]) | scan.attacked[us ^ 1][PAWN])


def press_king(scan, us, kind, attacks):
    """Count a piece that attacks the ring of the enemy king."""
    ring = attacks & scan.king_ring[us ^ 1]
    if ring:
        scan.attackers[us ^ 1] += 1
        scan.danger[us ^ 1] += mg_of(weight[W_DANGER_ATTACKER + kind - KNIGHT])
        near = ring & king_attacks(scan.pos.king[us ^ 1])
        scan.danger[us ^ 1] += popcount(near) * mg_of(weight[W_DANGER_RING])


def minor_place(scan, us, square, outpost):
    """A knight or bishop on an outpost (pawn-defended, never attacked by an enemy pawn), or behind a pawn."""
    score: cython.int = 0
    rank = relative_rank(square, us)
    if 3 <= rank <= 5 and scan.attacked[us][PAWN] & bit(square) and not scan.pawns.spans[us ^ 1] & bit(square):
        score += weight[outpost]
    ahead = bit(square) << 8 if us == WHITE else bit(square) >> 8
    if ahead & scan.pos.kind[PAWN]:
        score += weight[W_BEHIND_PAWN]
    return score


def knights_of(scan, us):
    """Mobility and place of knights."""
    pos = scan.pos
    score: cython.int = 0
    movers = pieces(pos, us, KNIGHT)
    bound = shields(pos, us, us)
    scan.danger[us] += popcount(bound) * mg_of(weight[W_DANGER_PINNED])
    while movers:
        square = lsb(movers)
        movers &= movers - 1
        attacks = knight_attacks(square) if not bound & bit(square) else 0
        note_attacks(scan, us, KNIGHT, attacks)
        score += weight[W_KNIGHT_MOBILITY + popcount(attacks & scan.mobility_area[us])]
        score += minor_place(scan, us, square, W_OUTPOST_KNIGHT)
        press_king(scan, us, KNIGHT, attacks)
    return score


def bishops_of(scan, us):
    """Mobility of bishops through queens, and their place; own pawns on their colour; the pair."""
    pos = scan.pos
    score: cython.int = 0
    movers = pieces(pos, us, BISHOP)
    if movers & DARK and movers & ~DARK:
        score += weight[W_BISHOP_PAIR]
    through = occupied(pos) ^ pos.kind[QUEEN]
    pawns = pieces(pos, us, PAWN)
    while movers:
        square = lsb(movers)
        movers &= movers - 1
        attacks = bishop_attacks(square, through)
        note_attacks(scan, us, BISHOP, attacks)
        score += weight[W_BISHOP_MOBILITY + popcount(attacks & scan.mobility_area[us])]
        score += minor_place(scan, us, square, W_OUTPOST_BISHOP)
        score += weight[W_BISHOP_PAWNS] * popcount(pawns & (DARK if bit(square) & DARK else ~DARK))
        if attacks & cast(U64, 0x0000001818000000) and bishop_attacks(square, pos.kind[PAWN]) & bit(square ^ 63):
            score += weight[W_LONG_DIAGONAL]
        press_king(scan, us, BISHOP, attacks)
    return score


def rooks_of(scan, us):
    """Mobility of rooks through queens and own rooks; open files; the seventh rank."""
    pos = scan.pos
    score: cython.int = 0
    movers = pieces(pos, us, ROOK)
    through = occupied(pos) ^ pos.kind[QUEEN] ^ movers
    own_pawns = pieces(pos, us, PAWN)
    while movers:
        square = lsb(movers)
        movers &= movers - 1
        attacks = rook_attacks(square, through)
        note_attacks(scan, us, ROOK, attacks)
        score += weight[W_ROOK_MOBILITY + popcount(attacks & scan.mobility_area[us])]
        file = FILE_A << (square & 7)
        if not file & own_pawns:
            score += weight[W_ROOK_OPEN] if not file & pos.kind[PAWN] else weight[W_ROOK_HALF_OPEN]
        if relative_rank(square, us) == 6 and relative_rank(pos.king[us ^ 1], us) >= 6:
            score += weight[W_ROOK_SEVENTH]
        press_king(scan, us, ROOK, attacks)
    return score


def queens_of(scan, us):
    """Mobility of queens; a queen that an enemy slider would attack if one piece moved away."""
    pos = scan.pos
    score: cython.int = 0
    movers = pieces(pos, us, QUEEN)
    everyone = occupied(pos)
    while movers:
        square = lsb(movers)
        movers &= movers - 1
        attacks = queen_attacks(square, everyone)
        note_attacks(scan, us, QUEEN, attacks)
        score += weight[W_QUEEN_MOBILITY + popcount(attacks & scan.mobility_area[us])]
        press_king(scan, us, QUEEN, attacks)
        rays = (rook_attacks(square, 0) & pieces(pos, us ^ 1, ROOK)) | (
            bishop_attacks(square, 0) & pieces(pos, us ^ 1, BISHOP)
        )
        while rays:
            barrier = between(square, lsb(rays)) & everyone
            if barrier and not barrier & (barrier - 1):
                score += weight[W_WEAK_QUEEN]
                break
            rays &= rays - 1
    return score


def score_pawns(pos, entry):
    """Fill a pawn entry: score of the structure, passed pawns, spans. It depends on pawns and kings alone."""
    entry.key = pos.pawn_key
    entry.score = pawn_side(pos, entry, WHITE) - pawn_side(pos, entry, BLACK)


def pawn_side(pos, entry, us):
    """Pawn structure, shelter and storm of one side."""
    them = us ^ 1
    own = pieces(pos, us, PAWN)
    enemy = pieces(pos, them, PAWN)
    score: cython.int = 0
    spans = cast(U64, 0)
    passed = cast(U64, 0)
    rest = own
    while rest:
        square = lsb(rest)
        rest &= rest - 1
        file = square & 7
        rank = relative_rank(square, us)
        neighbours = own & beside[file]
        stop: cython.int = square + 8 if us == WHITE else square - 8
        closed: cython.bint = (enemy & ahead_file[us][square]) != 0
        spans |= ahead_span[us][square] & beside[file]
        support = pawn_attacks(them, square) & own
        row = cast(U64, 0xFF) << (square & 56)
        if ahead_file[us][square] & own:
            score += weight[W_DOUBLED]
        if not neighbours:
            score += weight[W_ISOLATED + (0 if closed else 1)]
        elif (
            not neighbours & ~ahead_span[us][square] & ~row and pawn_attacks(us, stop) & enemy and not neighbours & row
        ):
            score += weight[W_BACKWARD + (0 if closed else 1)]
        if neighbours & row & (king_attacks(square)):
            score += weight[W_PHALANX + rank]
        if support:
            score += weight[W_SUPPORTED + rank] * popcount(support)
        sentries = enemy & ahead_span[us][square]
        if not sentries and not own & ahead_file[us][square]:
            passed |= bit(square)
            score += weight[W_PASSED + rank]
        elif not closed and popcount(support | (neighbours & row)) >= popcount(sentries):
            score += weight[W_CANDIDATE + rank]
    entry.passed[us] = passed
    entry.spans[us] = spans
    # Shelter and storm on the king's file and the files beside it.
    king = pos.king[us]
    centre: cython.int = king & 7
    centre = 1 if centre < 1 else (6 if centre > 6 else centre)
    f: cython.int
    forward = ahead_span[us][king] | (cast(U64, 0xFF) << (king & 56))
    for f in range(centre - 1, centre + 2):
        line = FILE_A << f
        kind = f if f < 4 else 7 - f
        shield = own & line & forward
        rank = 0
        if shield:
            rank = relative_rank(lsb(shield) if us == WHITE else msb(shield), us)
        score += weight[W_SHELTER + 8 * kind + rank]
        storm = enemy & line & forward
        rank = 0
        if storm:
            rank = relative_rank(lsb(storm) if us == WHITE else msb(storm), us)
        score += weight[W_STORM + 8 * kind + rank]
    return score


def passed_of(scan, us):
    """Passed pawns: blockers, a free way, the distance of the kings."""
    pos = scan.pos
    score: cython.int = 0
    rest = scan.pawns.passed[us]
    enemies = pos.colour[us ^ 1]
    while rest:
        square = lsb(rest)
        rest &= rest - 1
        rank = relative_rank(square, us)
        stop: cython.int = square + 8 if us == WHITE else square - 8
        if enemies & bit(stop):
            score += weight[W_PASSED_BLOCKED + rank]
        elif not (enemies & ahead_file[us][square]) and not scan.attacked_all[us ^ 1] & bit(stop):
            score += weight[W_PASSED_FREE + rank]
        score += weight[W_PASSED_OWN_KING + rank] * distance(pos.king[us], stop)
        score += weight[W_PASSED_ENEMY_KING + rank] * distance(pos.king[us ^ 1], stop)
    return score


def king_of(scan, us):
    """The penalty for danger to the king of `us`, quadratic in the danger; scan.danger receives the danger itself."""
    pos = scan.pos
    them = us ^ 1
    king = pos.king[us]
    danger: cython.int = scan.danger[us]
    if scan.attackers[us] + popcount(pieces(pos, them, QUEEN)) < 2:
        scan.danger[us] = NO_DANGER
        return 0
    everyone = occupied(pos)
    weak = (
        scan.attacked_all[them]
        & ~scan.attacked_twice[us]
        & (~scan.attacked_all[us] | scan.attacked[us][KING] | scan.attacked[us][QUEEN])
    )
    danger += popcount(weak & scan.king_ring[us]) * mg_of(weight[W_DANGER_WEAK])
    safe = ~pos.colour[them] & (~scan.attacked_all[us] | (weak & scan.attacked_twice[them]))
    straight = rook_attacks(king, everyone)
    diagonal = bishop_attacks(king, everyone)
    if knight_attacks(king) & scan.attacked[them][KNIGHT] & safe:
        danger += mg_of(weight[W_DANGER_CHECK])
    if diagonal & scan.attacked[them][BISHOP] & safe:
        danger += mg_of(weight[W_DANGER_CHECK + 1])
    if straight & scan.attacked[them][ROOK] & safe:
        danger += mg_of(weight[W_DANGER_CHECK + 2])
    if (straight | diagonal) & scan.attacked[them][QUEEN] & safe & ~scan.attacked[us][QUEEN]:
        danger += mg_of(weight[W_DANGER_CHECK + 3])
    if not pieces(pos, them, QUEEN):
        danger += mg_of(weight[W_DANGER_NO_QUEEN])
    danger += mg_of(weight[W_DANGER_BASE])
    scan.danger[us] = danger
    if danger <= 0:
        return 0
    if danger > 1000:
        danger = 1000
    return -make_score(danger * danger // 1024, danger // 16)


def threats_of(scan, us):
    """Enemy men that are hanging or attacked by a lesser piece; pawn pushes that would attack; squares denied to the enemy."""
    pos = scan.pos
    them = us ^ 1
    score: cython.int = 0
    enemies = pos.colour[them]
    big = enemies & ~pos.kind[PAWN] & ~pos.kind[KING]
    hit = scan.attacked[us][PAWN] & big
    while hit:
        score += weight[W_PAWN_THREAT + kind_on(pos, lsb(hit)) - KNIGHT]
        hit &= hit - 1
    strong = scan.attacked[them][PAWN] | (scan.attacked_twice[them] & ~scan.attacked_twice[us])
    defended = big & strong
    weak = enemies & ~pos.kind[KING] & ~strong & scan.attacked_all[us]
    hit = (defended | weak) & (scan.attacked[us][KNIGHT] | scan.attacked[us][BISHOP])
    while hit:
        score += weight[W_MINOR_THREAT + kind_on(pos, lsb(hit))]
        hit &= hit - 1
    hit = weak & scan.attacked[us][ROOK]
    while hit:
        score += weight[W_ROOK_THREAT + kind_on(pos, lsb(hit))]
        hit &= hit - 1
    if weak & scan.attacked[us][KING]:
        score += weight[W_KING_THREAT]
    score += weight[W_HANGING] * popcount(weak & (~scan.attacked_all[them] | (big & scan.attacked_twice[us])))
    score += weight[W_RESTRICTED] * popcount(scan.attacked_all[them] & ~strong & scan.attacked_all[us])
    # Safe single and double pawn steps that attack a piece.
    free = ~occupied(pos)
    free = view(free, us)
    step = (view(pieces(pos, us, PAWN), us) << 8) & free
    step |= ((step & cast(U64, 0x0000000000FF0000)) << 8) & free
    safe = view(~scan.attacked[them][PAWN] & (scan.attacked_all[us] | ~scan.attacked_all[them]), us)
    step &= safe
    score += weight[W_PUSH_THREAT] * popcount(view(up_left(step) | up_right(step), us) & big)
    return score


def space_of(scan, us):
    """Central squares on our side that hold no own pawn and that no enemy pawn attacks, while enough pieces can use them."""
    pos = scan.pos
    if pos.phase < 12:
        return 0
    centre = cast(U64, 0x000000003C3C3C00) if us == WHITE else cast(U64, 0x003C3C3C00000000)
    safe = centre & ~pieces(pos, us, PAWN) & ~scan.attacked[us ^ 1][PAWN]
    return weight[W_SPACE] * popcount(safe)


initialise()
