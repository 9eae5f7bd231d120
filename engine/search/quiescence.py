"""Quiescence (C10): captures, and quiet checks if QSearch says so, until the position is quiet; steps as in alphabeta.py."""

import cython
from cython import address


def qsearch(w, ply, alpha, beta, first):
    """Fail-soft search of the noisy moves at `ply`; `first`: this is the first ply below the main search."""
    s = address(w.selectivity)
    frame = address(w.frames[ply])
    pos = address(frame.pos)
    counters = address(w.counters)
    minimax: cython.bint = s.algorithm == ALGORITHM_MINIMAX
    wide: cython.bint = beta - alpha > 1
    pv_node: cython.bint = wide and s.algorithm == ALGORITHM_PVS
    w.following = False
    if not enter_node(w, ply):
        return 0
    counters.q_nodes += 1

    # Step 3. Draws.
    if is_draw(w, ply):
        return w.draw_score[ply & 1]
    if ply >= MAX_PLY:
        return evaluate_at(w, ply)

    # Step 4. Transposition table.
    entry = cython.declare(Entry)
    know_nothing(address(entry))
    key = view_key(pos)
    if s.tt:
        look_up(w, pos, ply, key, address(entry))
        if entry.found and not pv_node and answers(address(entry), alpha, beta):
            counters.table_cutoffs += 1
            return entry.score

    # Step 5. Stand pat: no capture is forced. In check, with QEvasions on, every way out is searched instead.
    # Without evasions: -13.9 +- 22.5 Elo (600 games at 5,000 nodes).
    evading: cython.bint = pos.checkers != 0 and s.q_evasions
    best: cython.int = -INFINITE
    raw: cython.int = NO_SCORE
    base: cython.int = -INFINITE
    start_alpha: cython.int = alpha
    frame.eval = NO_SCORE
    if evading:
        counters.q_evasions += 1
    else:
        best = frame.eval = static_eval(w, ply, address(entry), address(raw))
        if entry.found and entry.bound & (BOUND_LOWER if entry.score > best else BOUND_UPPER):
            best = entry.score
        if not minimax:
            if best >= beta:
                if s.tt and not entry.found:
                    store(w.table, key, ply, NO_MOVE, best, raw, 0, BOUND_LOWER, False)
                return best
            if best > alpha:
                alpha = best
        base = frame.eval + w.tuning.delta_margin

    # Step 11. The moves.
    picker = cython.declare(Picker)
    start_noisy(w, address(picker), ply, entry.move, evading, first)
    best_move: Move = NO_MOVE
    count: cython.int = 0
    score: cython.int
    while True:
        move = next_move(address(picker))
        if move == NO_MOVE:
            break
        count += 1
        expect(w, pos, move)

        # Step 12. Pruning: captures that cannot reach alpha, late quiet evasions.
        if brings_nothing(w, address(picker), move, evading, count, base, alpha, address(best)):
            continue
        counters.q_checks += picker.stage == STAGE_CHECKS

        # Steps 14 to 17. Make the move, search it, judge its score.
        make_on_path(w, ply, move)
        score = -qsearch(w, ply + 1, -INFINITE if minimax else -beta, INFINITE if minimax else -alpha, False)
        if w.stopped:
            return 0
        if score > best:
            best = score
            if minimax or score > alpha:
                best_move = move
                frame.best = move
                if wide:
                    note_pv(w, ply, move)
                if minimax:
                    continue
                if score >= beta:
                    count_cutoff(w, count, picker.stage)
                    break
                alpha = score

    # Step 18. No way out of check: mate.
    if evading and count == 0:
        return -MATE + ply

    # Step 19. Store the result.
    if s.tt:
        bound: cython.int = BOUND_EXACT if wide and best > start_alpha else BOUND_UPPER
        bound = BOUND_LOWER if best >= beta else bound
        store(w.table, key, ply, seen_move(best_move, pos.side), best, raw, 0, bound, pv_node)
    return best


def start_noisy(w, p, ply, hash_move, evading, first):
    """Prepare the picker: in check all evasions, else the captures of QSearch's level and, in the first ply, quiet checks."""
    program = cython.declare(cython.p_int, address(w.q_program[0]))
    if evading:
        program = address(w.main_program[0])
    elif first:
        program = address(w.q_first_program[0])
    start_moves(w, p, ply, program)
    if evading:
        set_specials(w, p, ply, hash_move)
        return
    p.in_quiescence = True
    p.special[SPECIAL_HASH] = hash_move
    if w.selectivity.qsearch == Q_WINNING:
        p.threshold = 1
    elif w.selectivity.qsearch != Q_EVERY:
        p.threshold = 0


def brings_nothing(w, p, move, evading, count, base, alpha, best):
    """Whether to skip a late quiet evasion, or a capture whose highest possible score is not above alpha; that may raise `best`."""
    s = address(w.selectivity)
    if evading:
        if s.see_pruning and best[0] > -MATE_BOUND and count > w.tuning.evasions and not is_noisy(p.pos, move):
            w.counters.see_pruned += 1
            return True
        return False
    if not s.delta or move_kind(move) == PROMOTION or p.stage == STAGE_CHECKS:
        return False
    reach: cython.int = base + see_value[captured_kind(p.pos, move)]
    if alpha >= MATE_BOUND:
        return False
    if reach > alpha:
        if not s.delta_exchange or base > alpha or see_ge(p.pos, move, 1):
            return False
        reach = base
        w.counters.exchange_deltas += 1
    if reach > best[0]:
        best[0] = reach
    w.counters.delta_pruned += 1
    return True
