"""Worker: all that one searching thread changes, and its work along the path: make moves, find draws, note the PV."""

import cython
from cython import address, cast


def elapsed_ms(control):
    """Milliseconds since the search began, pauses taken out; CPU time if the limit says so."""
    now = cpu_ms() if control.cpu_clock else wall_ms()
    return now - control.started - control.paused_ms


def searched_nodes(control):
    """Nodes of all threads together."""
    nodes: U64 = 0
    i: cython.int
    for i in range(control.cores):
        nodes += control.workers[i].nodes
    return nodes


def poll(w):
    """Look at the stop flag, the clock, the node limit and the pause flag; set w.stopped when it is time.

    Each thread searches an equal share of the nodes left before it looks again. The first to find none left makes all others look
    at once, so together they pass the limit by a few nodes only.
    """
    control = w.control
    # Until the first root move has a score any move is as good as another. That score is worth a moment's wait, but no more,
    # because with a Baseline order the first move alone may take for ever. Nobody waits for a helper's answer.
    ready: cython.bint = w.completed > 0 or w.iteration_best != NO_MOVE or not w.main
    step: U64 = CHECK_EVERY
    i: cython.int
    if control.paused and w.main:
        began = elapsed_ms(control)
        while control.paused and not control.stop:
            sleep_ms(5)
        control.paused_ms += elapsed_ms(control) - began
    elif control.paused:
        while control.paused and not control.stop:
            sleep_ms(5)
    if control.nodes:
        nodes = searched_nodes(control)
        share: U64 = (control.nodes - nodes) // control.cores if nodes < control.nodes else 0
        if nodes >= control.nodes:
            control.stop = 1
            for i in range(control.cores):
                control.workers[i].next_check = 0
        if share < step:
            step = share if share else 1
    if w.main and not control.stop:
        hard = control.hard_ms
        if control.retimed == RETIMED:
            control.retimed = RETIMED_SEEN
            # After a ponder hit the planned time may already be spent.
            soft = control.soft_ms
            if w.completed and 0 < soft < hard and elapsed_ms(control) * 100 >= soft * w.ease:
                control.stop = 1
        if hard > 0 and elapsed_ms(control) >= hard:
            control.stop = 1
    if control.stop:
        if w.grace_end == 0:
            w.grace_end = w.nodes + GRACE
        if ready or w.nodes >= w.grace_end:
            w.stopped = True
    w.next_check = w.nodes + step


def start_worker(w):
    """Reset what belongs to one search; hash table and histories stay."""
    ply: cython.int
    memset(address(w.counters), 0, cython.sizeof(Counters))
    start_think(address(w.memory), address(w.ordering))
    compile_main(address(w.ordering), address(w.selectivity), w.main_program)
    compile_quiescence(address(w.ordering), address(w.selectivity), w.q_program, False)
    compile_quiescence(address(w.ordering), address(w.selectivity), w.q_first_program, True)
    w.nodes = 0
    w.next_check = 1
    w.grace_end = 0
    w.random = cast(U64, 0x9E3779B97F4A7C15)
    w.stopped = False
    w.seldepth = 0
    w.last_pv_length = w.root_pv_length = 0
    w.previous_best = w.best_move = w.iteration_best = w.root_current = NO_MOVE
    w.best_score = w.optimism = 0
    w.null_floor = 0
    w.root_legal = 0
    memset(address(w.root_effort[0]), 0, cython.sizeof(w.root_effort))
    w.completed = w.iterations = w.root_depth = 0
    w.ease = 100
    # A node may ask these of the ply below before a node there has set them.
    for ply in range(PLY_SLOTS):
        w.frames[ply].cutoffs = 0
        w.frames[ply].best = NO_MOVE
    root = address(w.frames[0])
    root.move = NO_MOVE
    root.moved = 0
    root.excluded = NO_MOVE
    root.null_allowed = False
    root.doubles = root.reduction = 0
    root.sums.ready[WHITE] = root.sums.ready[BLACK] = False


def is_draw(w, ply):
    """A draw by fifty moves, dead material, one repetition of a position below the root, or two of an earlier position."""
    pos = address(w.frames[ply].pos)
    if pos.rule50 >= 100 and (not pos.checkers or has_legal_move(address(w.frames[ply].pos))):
        return True
    if insufficient_material(pos):
        return True
    reach: cython.int = pos.rule50 if pos.rule50 < pos.since_null else pos.since_null
    here = w.key_base + ply
    if reach > here:
        reach = here
    back: cython.int = 4
    seen: cython.bint = False
    while back <= reach:
        if w.keys[here - back] == pos.key:
            if back < ply or seen:
                return True
            seen = True
        back += 2
    return False


def make_on_path(w, ply, move):
    """Make a move from `ply` to `ply + 1` on the search path."""
    frame = address(w.frames[ply])
    child = address(w.frames[ply + 1])
    frame.move = move
    frame.moved = frame.pos.board[move_from(move)] << 6 | move_to(move)
    make(address(frame.pos), address(child.pos), move)
    w.keys[w.key_base + ply + 1] = child.pos.key
    child.excluded = NO_MOVE
    child.null_allowed = True
    child.doubles = frame.doubles
    child.reduction = 0
    child.sums.ready[WHITE] = child.sums.ready[BLACK] = False
    w.counters.searched += 1


def make_null_on_path(w, ply):
    """Pass the move from `ply` to `ply + 1`."""
    frame = address(w.frames[ply])
    child = address(w.frames[ply + 1])
    frame.move = NO_MOVE
    frame.moved = 0
    make_null(address(frame.pos), address(child.pos))
    prefetch_bucket(w.table, view_key(address(child.pos)))
    w.keys[w.key_base + ply + 1] = child.pos.key
    child.excluded = NO_MOVE
    child.null_allowed = False
    child.doubles = frame.doubles
    child.reduction = 0
    child.sums.ready[WHITE] = child.sums.ready[BLACK] = False


def note_pv(w, ply, move):
    """Make the PV from here `move` and the child's PV."""
    frame = address(w.frames[ply])
    child = address(w.frames[ply + 1])
    frame.pv[0] = move
    n: cython.int = child.pv_length if child.pv_length < MAX_PLY else MAX_PLY
    memcpy(address(frame.pv[1]), address(child.pv[0]), n * cython.sizeof(Move))
    frame.pv_length = n + 1


def note_root(w, move, score, beta):
    """A root move raised alpha: note it with its line, and report it."""
    w.iteration_best = move
    w.iteration_pv_length = w.frames[0].pv_length
    memcpy(address(w.iteration_pv[0]), address(w.frames[0].pv[0]), w.iteration_pv_length * cython.sizeof(Move))
    if w.previous_seen:
        settle_root(w)
        w.best_score = score  # what is known of this move if the search ends here: at least as much, after a fail high
        if w.report != cython.NULL and w.root_searched > 1 and score < beta:
            w.report(w, score, 0)


def settle_root(w):
    """Make the best move of this iteration the one to play."""
    if w.iteration_best != NO_MOVE:
        w.best_move = w.iteration_best
        w.root_pv_length = w.iteration_pv_length
        memcpy(address(w.root_pv[0]), address(w.iteration_pv[0]), w.iteration_pv_length * cython.sizeof(Move))


def last_moves(w, ply):
    """A hash of the two moves that led to `ply`, as the side to move there sees them."""
    flip: cython.int = (8 << 6 | 56) if w.frames[ply].pos.side else 0
    one: U32 = w.frames[ply - 1].moved if ply >= 1 else 0
    two: U32 = w.frames[ply - 2].moved if ply >= 2 else 0
    if one:
        one ^= flip
    if two:
        two ^= flip
    return cast(cython.int, (one * cast(U32, 0x9E3779B1) + two * cast(U32, 0x85EBCA6B)) >> 17)


def use_network(w, weights):
    """Evaluate with these weights from the next search on; NULL: with the classical terms."""
    if weights != w.network and weights != cython.NULL:
        clear_refresh(weights, address(w.refreshed))
    w.network = weights


def bring_up(w, ply, view):
    """Make one view's sums ready at `ply`, move by move from the nearest ply above that has them, or has just been refreshed.

    Where the king crossed the middle the sums are refreshed at that ply, for all plies below it to build on: refreshing them at
    `ply` instead took 6 % of all instructions.
    """
    here: cython.int = ply
    while not w.frames[here].sums.ready[view]:
        crossed: cython.bint = here > 0 and king_half(address(w.frames[here].pos), view) != king_half(
            address(w.frames[here - 1].pos), view
        )
        if here == 0 or crossed:
            refresh(w.network, address(w.frames[here].pos), address(w.frames[here].sums), address(w.refreshed), view)
            break
        here -= 1
    while here < ply:
        frame = address(w.frames[here])
        child = address(w.frames[here + 1])
        advance(w.network, address(frame.pos), address(frame.sums), frame.move, address(child.sums), view)
        here += 1


def evaluate_at(w, ply):
    """Evaluate the position at `ply` by network or terms; both leave endings that material decides to endgame.py."""
    if w.network == cython.NULL:
        return evaluate(address(w.frames[ply].pos), address(w.pawn_cache))
    return evaluate_by_network(w, ply)


def evaluate_by_network(w, ply):
    """What the network says of the position at `ply`, whose sums it brings up to date first."""
    pos = address(w.frames[ply].pos)
    score: cython.int = 0
    if known_endgame(pos, address(score)):
        return score
    bring_up(w, ply, WHITE)
    bring_up(w, ply, BLACK)
    return if_winnable(pos, network_score(w.network, pos, address(w.frames[ply].sums)))


def static_eval(w, ply, entry, raw):
    """The static evaluation, from the table if it holds it, then corrected; `raw` receives the uncorrected value.

    Optimism (deepening.py sets it for each iteration) is worth +8.7 +- 8.6 Elo, 3,263 games at 20,000 and 40,000 nodes.
    """
    pos = address(w.frames[ply].pos)
    s = address(w.selectivity)
    value: cython.int = entry.eval
    if not entry.found or value == NO_SCORE:
        value = evaluate_at(w, ply)
    raw[0] = value
    if s.fifty and pos.rule50 >= FADES_FROM:
        w.counters.fifty_damped += 1
        value = value * (208 - pos.rule50) // 200
    if w.optimism:
        w.counters.optimistic += 1
        more = w.optimism * w.tuning.optimism * popcount(occupied(pos)) // 3200
        value += -more if ply & 1 else more
    if s.corr_hist:
        correction = correction_of(address(w.memory), address(w.tuning), s.corr_hist, pos, last_moves(w, ply))
        if correction:
            w.counters.corrections += 1
            value += correction
            if value > MATE_BOUND - 1:
                value = MATE_BOUND - 1
            if value < -MATE_BOUND + 1:
                value = -MATE_BOUND + 1
    return value


def ask_tables(w, ply, key, plies, alpha, beta, pv):
    """The node's score by the endgame tables, also stored in the transposition table; NO_SCORE if they do not settle it."""
    pos = address(w.frames[ply].pos)
    score: cython.int = oracle_score(w.oracle, pos, ply, plies, alpha, beta, w.draw_score[ply & 1])
    if score != NO_SCORE:
        if score < -TABLE_BOUND and pos.checkers and not has_legal_move(pos):
            return NO_SCORE  # a mate counts more, and the search will see it
        w.counters.tablebase_hits += 1
        if w.selectivity.tt:
            bound: cython.int = BOUND_EXACT  # of a draw; a won position may hold a mate, which scores more
            if score > TABLE_BOUND:
                bound = BOUND_LOWER
            elif score < -TABLE_BOUND:
                bound = BOUND_UPPER
            store(w.table, key, ply, NO_MOVE, score, NO_SCORE, plies + CERTAIN, bound, pv)
    return score


def upcoming_draw(w, ply):
    """Whether one move of the side to move repeats a position of this search's path: it then has at least a draw.

    Such a position lies an odd number of plies back and its key differs by one reversible move, which a table of all such
    differences finds (van Kervinck 2012; engine/board/cycles.py).
    """
    pos = address(w.frames[ply].pos)
    reach: cython.int = pos.rule50 if pos.rule50 < pos.since_null else pos.since_null
    if reach > ply:
        reach = ply
    here = w.key_base + ply
    back: cython.int = 3
    while back <= reach:
        if reversible(pos, pos.key ^ w.keys[here - back]) and back < ply:
            w.counters.upcoming_draws += 1
            return True
        back += 2
    return False


def start_moves(w, p, ply, program):
    """Prepare a picker that hands out the moves at `ply` by a stage program."""
    pos = address(w.frames[ply].pos)
    o = address(w.ordering)
    set_pinned(pos)
    if o.index_by == INDEX_THREATS:
        set_threats(pos)
    start_picker(
        p, pos, o, address(w.tuning), address(w.memory), program, address(w.counters.picker), address(w.random)
    )


def set_specials(w, p, ply, hash_move):
    """Tell the picker which remembered moves to try before generating."""
    o = address(w.ordering)
    m = address(w.memory)
    i: cython.int
    p.special[SPECIAL_HASH] = hash_move
    if w.following and ply < w.last_pv_length and (ply == 0 or o.pv_moves == PV_LINE):
        p.special[SPECIAL_PV] = w.last_pv[ply]
    if o.killers:
        p.special[SPECIAL_KILLER] = m.killers[ply][0]
        p.special[SPECIAL_KILLER + 1] = m.killers[ply][1]
    if o.counter and ply >= 1 and w.frames[ply - 1].move:
        p.special[SPECIAL_COUNTER] = m.counter[p.pos.side][w.frames[ply - 1].move & 4095]
    if o.combo and ply >= 2 and w.frames[ply - 2].move:
        p.special[SPECIAL_COMBO] = m.combo[p.pos.side][w.frames[ply - 2].move & 4095]
    if o.cont_hist:
        distances: cython.int = CONTINUATIONS if o.cont_hist == CONTINUE_DEEP else 2
        for i in range(distances):
            if ply >= continuation_distance(i):
                p.records.after[i] = address(m.continuation[w.frames[ply - continuation_distance(i)].moved][0])
                w.counters.older_continuations += i >= 2
