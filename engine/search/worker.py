"""Worker: all that one searching thread changes, and the small steps of its path: make, draw, remember, report."""

import cython
from cython import address, cast


def elapsed_ms(w):
    """Milliseconds since the search began, pauses taken out; CPU time if the limit says so."""
    now = cpu_ms() if w.limit.cpu_clock else wall_ms()
    return now - w.control.started - w.control.paused_ms


def poll(w):
    """Look at the stop flag, the clock, the node limit and the pause flag; set w.stopped when it is time."""
    control = w.control
    # Before the first root move has a score any move is as good as another: worth a moment's wait, not more, for in the
    # baseline orders the first move alone can take for ever.
    ready: cython.bint = w.completed > 0 or w.iteration_best != NO_MOVE
    if control.paused and w.main:
        began = elapsed_ms(w)  # in the time that the limits count, be it the wall's or the processor's
        while control.paused and not control.stop:
            sleep_ms(5)
        control.paused_ms += elapsed_ms(w) - began
    elif control.paused:
        while control.paused and not control.stop:
            sleep_ms(5)
    if w.main and not control.stop:
        if w.limit.nodes and w.nodes >= w.limit.nodes:
            control.stop = 1
        hard = control.hard_ms
        if hard > 0 and elapsed_ms(w) >= hard:
            control.stop = 1
    if control.stop:
        if w.grace_end == 0:
            w.grace_end = w.nodes + GRACE
        if ready or w.nodes >= w.grace_end:
            w.stopped = True
    w.next_check = w.nodes + CHECK_EVERY
    if w.limit.nodes and w.next_check > w.limit.nodes:
        w.next_check = w.limit.nodes if w.limit.nodes > w.nodes else w.nodes + 1


def start_worker(w):
    """Reset what belongs to one search; tables that live longer stay."""
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
    w.best_score = 0
    w.null_floor = 0
    w.root_line = 0
    w.completed = w.iterations = 0
    root = address(w.frames[0])
    root.move = NO_MOVE
    root.moved = 0
    root.excluded = NO_MOVE
    root.null_allowed = False


def is_draw(w, ply):
    """Fifty moves, dead material, or repetition: once within the search, twice when it reaches back into the game."""
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


def note_pv(w, ply, move):
    """The PV from here is `move` and what the child found."""
    frame = address(w.frames[ply])
    child = address(w.frames[ply + 1])
    frame.pv[0] = move
    n: cython.int = child.pv_length if child.pv_length < MAX_PLY else MAX_PLY
    memcpy(address(frame.pv[1]), address(child.pv[0]), n * cython.sizeof(Move))
    frame.pv_length = n + 1


def note_root(w, move, score, alpha, beta):
    """A root move raised alpha: remember it with its line, and report it."""
    w.iteration_best = move
    w.iteration_pv_length = w.frames[0].pv_length
    memcpy(address(w.iteration_pv[0]), address(w.frames[0].pv[0]), w.iteration_pv_length * cython.sizeof(Move))
    if w.previous_seen:
        settle_root(w)
        if w.report != cython.NULL and w.root_searched > 1 and score < beta:
            w.report(w, score, 0)


def settle_root(w):
    """Make the best move of this iteration the one to play."""
    if w.iteration_best != NO_MOVE:
        w.best_move = w.iteration_best
        w.root_pv_length = w.iteration_pv_length
        memcpy(address(w.root_pv[0]), address(w.iteration_pv[0]), w.iteration_pv_length * cython.sizeof(Move))


def static_eval(w, pos, entry, raw):
    """The static evaluation, from the table if it is there, corrected by what search learnt; `raw` gets the uncorrected."""
    value: cython.int = entry.eval
    if not entry.found or value == NO_SCORE:
        value = evaluate(pos, address(w.pawn_cache))
    raw[0] = value
    if w.selectivity.corr_hist:
        correction = correction_of(address(w.memory), pos)
        if correction:
            w.counters.corrections += 1
            value += correction
            if value > MATE_BOUND - 1:
                value = MATE_BOUND - 1
            if value < -MATE_BOUND + 1:
                value = -MATE_BOUND + 1
    return value


def credit_cutoff(w, ply, move, plies, quiets, n_quiets, captures, n_captures):
    """Give a move that cut off its due in every table that is on (C7, C8)."""
    o = address(w.ordering)
    m = address(w.memory)
    frame = address(w.frames[ply])
    pos = address(frame.pos)
    noisy = is_noisy(pos, move)
    i: cython.int
    if o.history:
        w.counters.history_credits[o.history] += credit_history(m, o, pos, move, plies, quiets, n_quiets)
    if o.capt_hist:
        bonus = gravity_bonus(plies)
        w.counters.capture_credits += 1
        for i in range(n_captures):
            tried = captures[i]
            cell = address(m.capture[pos.board[move_from(tried)]][move_to(tried)][captured_kind(pos, tried)])
            add_gravity(cell, bonus if tried == move else -bonus)
    if noisy:
        return
    if o.cont_hist:
        bonus = gravity_bonus(plies)
        w.counters.cont_credits += 1
        back: cython.int
        for back in range(1, 3):
            if ply >= back and w.frames[ply - back].moved:
                row = address(m.continuation[w.frames[ply - back].moved][0])
                for i in range(n_quiets):
                    add_gravity(row + piece_goal(pos, quiets[i]), bonus if quiets[i] == move else -bonus)
    if pos.checkers:
        return
    if o.killers:
        remember_killer(m, o, ply, move)
        w.counters.killer_credits += 1
    if o.counter and ply >= 1 and w.frames[ply - 1].move:
        m.counter[pos.side][w.frames[ply - 1].move & 4095] = move
        w.counters.counter_credits += 1
    if o.combo and ply >= 2 and w.frames[ply - 1].move and w.frames[ply - 2].move:
        m.combo[pos.side][w.frames[ply - 2].move & 4095] = move
        w.counters.combo_credits += 1


def credit_raise(w, ply, move, plies):
    """A node that ended with alpha raised but no cutoff credits its PV move (W3)."""
    o = address(w.ordering)
    w.counters.alpha_raise_credits += credit_alpha_raise(address(w.memory), o, address(w.frames[ply].pos), move, plies)


def start_moves(w, p, ply, program):
    """Prepare a picker that hands out the moves of the position at `ply` by a stage program."""
    pos = address(w.frames[ply].pos)
    set_pinned(pos)
    start_picker(p, pos, address(w.ordering), address(w.memory), program, address(w.counters.picker), address(w.random))


def set_specials(w, p, ply, hash_move):
    """Tell the picker which remembered moves to try before generating."""
    o = address(w.ordering)
    m = address(w.memory)
    p.special[1] = hash_move
    if w.following and ply < w.last_pv_length and (ply == 0 or o.pv_moves == PV_LINE):
        p.special[0] = w.last_pv[ply]
    if o.killers:
        p.special[2] = m.killers[ply][0]
        p.special[3] = m.killers[ply][1]
    if ply >= 1:
        if o.counter and w.frames[ply - 1].move:
            p.special[4] = m.counter[p.pos.side][w.frames[ply - 1].move & 4095]
        if o.cont_hist and w.frames[ply - 1].moved:
            p.after_one = address(m.continuation[w.frames[ply - 1].moved][0])
    if ply >= 2:
        if o.combo and w.frames[ply - 2].move:
            p.special[5] = m.combo[p.pos.side][w.frames[ply - 2].move & 4095]
        if o.cont_hist and w.frames[ply - 2].moved:
            p.after_two = address(m.continuation[w.frames[ply - 2].moved][0])
