"""The main search: fail-soft principal variation search. deepening.py calls it once or more for each iteration.

Alphabeta and qsearch number their steps alike. Each technique is an `if` at the top of its step, decided by a switch; its
numbers are in parameters.py. Scores are centipawns for the side to move, depths are hundredths of a ply.
"""

import cython
from cython import address


def alphabeta(w, ply, alpha, beta, depth, cut_node):
    """Search the position at `ply`; the score is an upper bound if <= alpha, a lower bound if >= beta, else exact.

    Minimax ignores the window. After a stop the score means nothing.
    """
    s = address(w.selectivity)
    o = address(w.ordering)
    t = address(w.tuning)
    frame = address(w.frames[ply])
    pos = address(frame.pos)
    counters = address(w.counters)
    in_check: cython.bint = pos.checkers != 0
    pvs: cython.bint = s.algorithm == ALGORITHM_PVS
    minimax: cython.bint = s.algorithm == ALGORITHM_MINIMAX
    root: cython.bint = ply == 0
    partial: cython.bint = root and w.root_count < w.root_legal  # what it finds is not the truth about the position
    excluded = frame.excluded
    reduced: cython.int = frame.reduction
    frame.reduction = 0
    # Only in PVS does an open window mark a PV node: plain alpha-beta has one at every node.
    pv_node: cython.bint = root or (pvs and beta - alpha > 1)

    # Step 1. Check extension (C11): one ply more in check, always or only near the horizon.
    if in_check and s.check_extension and ply and ply < 2 * w.root_depth and not excluded:
        if s.check_extension == EXTEND_ALWAYS or depth < 2 * PLY:
            depth += PLY
            counters.check_extensions += 1

    # Step 2. The horizon.
    if depth < PLY or ply >= MAX_PLY:
        return qsearch(w, ply, alpha, beta, True)
    plies: cython.int = depth // PLY
    if not enter_node(w, ply):
        return 0
    counters.main_nodes += 1
    w.frames[ply + 2].cutoffs = 0

    # Step 3. Draws, also those one move away, and mate distance: no mate from here can beat a shorter one already found.
    if not root:
        if is_draw(w, ply):
            return w.draw_score[ply & 1]
        if s.upcoming and alpha < w.draw_score[ply & 1] and not excluded and upcoming_draw(w, ply):
            alpha = w.draw_score[ply & 1]
            if alpha >= beta:
                return alpha
        if s.mate_distance:
            if alpha < -MATE + ply:
                alpha = -MATE + ply
            if beta > MATE - ply - 1:
                beta = MATE - ply - 1
            if alpha >= beta:
                counters.mate_distance_cutoffs += 1
                return alpha

    # Step 4. Transposition table, then the tables of endings.
    entry = cython.declare(Entry)
    know_nothing(address(entry))
    key = view_key(pos)
    if s.tt and not excluded:
        look_up(w, pos, ply, key, address(entry))
        if (
            entry.found
            and not pv_node
            and entry.depth >= plies
            and pos.rule50 < 90
            and answers(address(entry), alpha, beta)
        ):
            counters.table_cutoffs += 1
            if o.table_credit and entry.score >= beta:
                credit_table(w, ply, entry.move, plies)
            return entry.score
    score: cython.int
    if w.oracle != cython.NULL and not root and not excluded:
        score = ask_tables(w, ply, key, plies, alpha, beta, pv_node)
        if score != NO_SCORE:
            return score
    hash_move = w.previous_best if partial else entry.move
    hash_noisy: cython.bint = hash_move != NO_MOVE and is_noisy(pos, hash_move)
    was_pv: cython.bint = pv_node or (entry.found and entry.pv)

    # Step 5. Static evaluation, and whether it has improved since our last turn, two plies ago.
    raw: cython.int = NO_SCORE
    estimate: cython.int
    improving: cython.bint = False
    if in_check:
        frame.eval = estimate = NO_SCORE
    else:
        if excluded:
            estimate = frame.eval
        else:
            estimate = frame.eval = static_eval(w, ply, address(entry), address(raw))
            if entry.found and entry.bound & (BOUND_LOWER if entry.score > estimate else BOUND_UPPER):
                estimate = entry.score
        improving = s.improving and has_improved(w, ply)
    steady: cython.bint = improving or not s.improving

    # The evaluation now shows whether the reduction that led here was right.
    if s.hindsight and reduced and not in_check and not excluded:
        depth += hindsight(w, ply, reduced, plies) * PLY
        plies = depth // PLY

    threat: Move = NO_MOVE
    reduction: cython.int
    # Steps 6 to 9. Razoring, static null move, null move, ProbCut.
    if not in_check and not pv_node and not excluded and beta > -MATE_BOUND and beta < MATE_BOUND:
        score = settled_early(
            w, ply, alpha, beta, depth, cut_node, address(entry), estimate, raw, improving, address(threat)
        )
        if w.stopped:
            return 0
        if score != NO_SCORE:
            return score

    # Step 10. No hash move: look for one by a shallower search (Mediocre), or search this node a ply less.
    if s.internal and not hash_move and not excluded and plies >= t.internal_depth:
        if s.internal == INTERNAL_IID and s.tt:
            counters.iid_searches += 1
            report = w.report
            w.report = cython.NULL  # at the root it would tell its own results as those of the whole depth
            alphabeta(w, ply, alpha, beta, (plies // 2) * PLY, cut_node)
            w.report = report
            if w.stopped:
                return 0
            hash_move = frame.best
            frame.pv_length, frame.best = 0, NO_MOVE
        elif s.internal == INTERNAL_REDUCE and (pv_node or cut_node or not pvs):
            counters.iir_reductions += 1
            depth -= PLY
            plies -= 1

    # Step 11. The moves.
    picker = cython.declare(Picker)
    start_moves(w, address(picker), ply, w.main_program)
    set_specials(w, address(picker), ply, hash_move)
    if plies <= 1 and not root:
        picker.special[SPECIAL_PV] = NO_MOVE  # Winglet follows the PV while depth > 1 (W6)
    picker.threat = threat
    checks = cython.declare(CheckSquares)
    set_check_squares(pos, address(checks))
    picker.checks = address(checks)
    doubt = cython.declare(Doubt)
    quiets = cython.declare(Move[64])
    captures = cython.declare(Move[32])
    n_quiets: cython.int = 0
    n_captures: cython.int = 0
    count: cython.int = 0
    best: cython.int = -INFINITE
    best_move: Move = NO_MOVE
    start_alpha: cython.int = alpha
    place: cython.int = 0
    prunable: cython.bint = not root and prunes_moves(s) and has_pieces(pos)
    while True:
        move = next_move(address(picker))
        if move == NO_MOVE:
            break
        if move == excluded:
            continue
        if root:
            place = root_place(w, move)
            if place < 0:
                continue
            w.root_current = move
            w.root_searched += 1
        count += 1
        expect(w, pos, move)
        counters.pv_moves += picker.stage == STAGE_PV
        quiet: cython.bint = not is_noisy(pos, move)
        checking: cython.bint = checks_by(pos, address(checks), move)
        record: cython.int = 0
        if quiet:
            record = record_of(address(picker.records), o, pos, move)
        elif o.capt_hist:
            record = capture_record(address(w.memory), pos, move)

        # Step 12. Shallow pruning: moves that are late, hopeless or lose material are skipped.
        base: cython.int = 0
        if s.lmr >= LMR_PLAIN:
            base = base_reduction(w, plies, count, quiet)
        if prunable and best > -MATE_BOUND:
            if is_hopeless(w, ply, address(picker), move, quiet, checking, record, base, plies, count, steady, alpha):
                continue

        # Step 13. Singular extension: the hash move is searched deeper if no other move comes near it, less deep if others do.
        extension: cython.int = 0
        if s.singular and move == hash_move and not root and not excluded and may_be_singular(w, ply, address(entry), plies):
            extension = singular(w, ply, address(entry), move, beta, depth, cut_node, pv_node, address(score))
            if w.stopped:
                return 0
            if extension == CUTS:
                return score

        # Step 14. Make the move and take its cost off the depth.
        effort = w.nodes
        frame.count = count
        make_on_path(w, ply, move)
        child = address(w.frames[ply + 1])
        remaining: cython.int = depth - PLY + extension * PLY
        if extension == 2:
            child.doubles += 1
        if s.fractional:
            remaining += PLY - movement_cost(w, pos, move, checking)
            if ply + 1 >= 2 * w.root_depth:
                remaining = 0  # ply cap: otherwise chains of free captures would never end

        # Step 15. Late move reductions (C7): moves far down the order are first searched less deep.
        reduction = 0
        if s.lmr == LMR_ONEPLY:
            if not in_check and not checking and not extension:
                reduction = oneply_reduction(plies, count, quiet, picker.stage)
        elif s.lmr >= LMR_PLAIN and plies >= 2 and count > 1 + 2 * root:
            doubt.quiet = quiet
            doubt.stage = picker.stage
            doubt.record = record if s.lmr == LMR_TABLE else 0
            doubt.cut_node = cut_node
            doubt.no_table_move = not hash_move
            doubt.worsening = not steady
            doubt.was_pv = was_pv
            far: cython.bint = plies > t.lmr_threatened_depth
            doubt.threatened = far and o.index_by == INDEX_THREATS and (pos.threats >> move_from(move)) & 1
            doubt.in_check = in_check
            doubt.checking = checking
            doubt.table_noisy = hash_noisy
            doubt.refuted = child.cutoffs > t.lmr_many_cutoffs
            reduction = reduction_of(t, base, address(doubt)) // PLY
            if remaining - reduction * PLY < PLY:
                reduction = remaining // PLY - 1
            if reduction < 0:
                reduction = 0

        # Step 16. Search the move: reduced, then at full depth with a zero window, then with an open window, as far as needed.
        if not pvs:
            score = child_score(w, ply, alpha, beta, remaining, reduction)
        else:
            score = alpha + 1
            if not pv_node or count > 1:
                score = scout(w, ply, alpha, best, remaining, reduction, cut_node, move if quiet else NO_MOVE)
            if pv_node and (count == 1 or (score > alpha and (root or score < beta))):
                counters.pvs_researches += count > 1
                score = -alphabeta(w, ply + 1, -beta, -alpha, remaining, False)
        if root:
            w.root_effort[place] += w.nodes - effort
        if w.stopped:
            return 0

        # Step 17. Judge the score: new best move, PV, cutoff.
        if root and move == w.previous_best and not w.previous_seen:
            w.previous_seen = True
            settle_root(w)
        if quiet:
            if n_quiets < 64:
                quiets[n_quiets] = move
                n_quiets += 1
        elif n_captures < 32:
            captures[n_captures] = move
            n_captures += 1
        if score > best:
            best = score
            if minimax or score > alpha:
                best_move = move
                frame.best = move
                note_pv(w, ply, move)
                if root:
                    note_root(w, move, score, beta)
                if minimax:
                    continue
                if score >= beta:
                    frame.cutoffs += 1
                    count_cutoff(w, count, picker.stage)
                    credit_cutoff(w, ply, move, plies, quiets, n_quiets, captures, n_captures)
                    break
                alpha = score
                if s.lmr >= LMR_PLAIN and t.raise_least <= plies <= t.raise_most:
                    depth -= t.raise_plies * PLY
                    plies -= t.raise_plies

    # Step 18. No legal move: mate or stalemate.
    if count == 0:
        if excluded:
            return alpha
        return -MATE + ply if in_check else w.draw_score[ply & 1]
    if best_move and best < beta and not minimax:
        credit_raise(w, ply, best_move, plies)
    if not best_move and o.fail_low_credit and not excluded:
        credit_fail_low(w, ply, plies)

    # Step 19. Store the result.
    if not excluded and not partial:
        bound: cython.int = BOUND_LOWER if best >= beta else BOUND_EXACT if best > start_alpha else BOUND_UPPER
        if s.tt:
            store(w.table, key, ply, seen_move(best_move, pos.side), best, raw, plies, bound, was_pv)
        if s.corr_hist and not in_check and (best_move == NO_MOVE or not is_noisy(pos, best_move)):
            learn_error(w, ply, plies, best, bound)
    return best


def is_hopeless(w, ply, picker, move, quiet, checking, record, base, plies, count, steady, alpha):
    """Step 12: whether a move, not the first of its node, is too late, too hopeless or too costly to be searched."""
    s = address(w.selectivity)
    t = address(w.tuning)
    pos = address(w.frames[ply].pos)
    counters = address(w.counters)
    left: cython.int = plies - (base - record * 100 // t.lmr_history) // PLY
    if left < 0:
        left = 0
    if quiet and not checking:
        if s.late_moves and plies <= t.late_depth and count >= late_count(t, plies, steady):
            counters.late_pruned += 1
            if picker.stage == STAGE_QUIETS:
                picker.begin = picker.end
            return True
        if s.bad_record and left <= t.record_depth and record < -t.record_slope * plies:
            counters.record_pruned += 1
            return True
        if s.futility and not pos.checkers and left <= t.futility_depth:
            if w.frames[ply].eval + t.futility_base + t.futility_slope * left + record // t.futility_history <= alpha:
                counters.futility_pruned += 1
                return True
        if s.see_pruning and left <= t.see_depth and not see_ge(pos, move, -t.see_quiet * left * left):
            counters.see_pruned += 1
            return True
    elif s.see_pruning and plies <= t.see_depth and (quiet or picker.stage == STAGE_BAD_NOISY):
        # A check may give up a pawn even a ply before the leaves. With the margin of captures it could not, and WAC.041 was never
        # solved. 140 against 100: +13.6 +- 16.5 Elo, 817 games at 20,000 nodes; against 88: -12.3 +- 14.5, 1,073 games.
        margin: cython.int = (t.see_check if checking else t.see_noisy) * plies
        if not see_ge(pos, move, -margin - (0 if quiet else record // t.see_history)):
            counters.see_pruned += 1
            return True
    return False


def settled_early(w, ply, alpha, beta, depth, cut_node, entry, estimate, raw, improving, threat):
    """Steps 6 to 9, for nodes out of check and off the PV: a score found without trying the moves, else NO_SCORE.

    0 when the search was stopped. `threat` receives the reply that refuted the null move.
    """
    s = address(w.selectivity)
    o = address(w.ordering)
    t = address(w.tuning)
    frame = address(w.frames[ply])
    pos = address(frame.pos)
    counters = address(w.counters)
    plies: cython.int = depth // PLY
    score: cython.int
    reduction: cython.int

    # Step 6. Razoring: near the leaves and far below alpha, only captures could help.
    if s.razoring and plies <= t.razor_depth and estimate + t.razor_base + t.razor_slope * plies * plies < alpha:
        score = qsearch(w, ply, alpha, alpha + 1, True)
        if score <= alpha or w.stopped:
            counters.razored += 1
            return score

    # Step 7. Static null move (reverse futility): so far ahead that the enemy's next move hardly matters.
    if (
        s.static_null
        and plies <= t.static_depth
        and estimate - static_margin(t, plies, improving, enemy_has_erred(w, ply)) >= beta
        and estimate < MATE_BOUND
    ):
        counters.static_null_cutoffs += 1
        return (estimate + beta) // 2

    # Step 8. Null move (C12): if even passing fails high, some move will.
    if (
        s.null_move
        and frame.null_allowed
        and ply >= w.null_floor
        and plies >= 2
        and (cut_node or not s.null_at_cuts)
        and estimate >= beta
        and (not s.null_depth or frame.eval + t.null_static >= beta + t.null_static_slope * (0 if plies > 8 else 8 - plies))
        and null_move_allowed(pos, s.null_guard)
    ):
        reduction = null_move_reduction(t, s.null_depth, plies, estimate - beta)
        counters.null_tried += 1
        make_null_on_path(w, ply)
        score = -alphabeta(w, ply + 1, -beta, -beta + 1, depth - (reduction + 1) * PLY, not cut_node)
        if w.stopped:
            return 0
        if score >= beta:
            if score > MATE_BOUND:
                score = beta
            if null_move_holds(w, ply, beta, depth, reduction):
                counters.null_cutoffs += 1
                return score
            if w.stopped:
                return 0
        elif o.threat_order:
            reply = w.frames[ply + 1].best
            if reply and (is_noisy(address(w.frames[ply + 1].pos), reply) or score < -MATE_BOUND):
                threat[0] = reply
                counters.threats += 1
        frame.pv_length = 0

    # Step 9. ProbCut: a capture that beats beta by a margin in a shallower search will beat beta here.
    if s.probcut and plies >= t.probcut_depth:
        raised: cython.int = beta + t.probcut_margin - t.probcut_improving * improving
        if not (entry.found and entry.depth > plies - t.probcut_plies and entry.score < raised):
            score = probcut(w, ply, raised, depth, cut_node, entry.move, raw)
            if w.stopped:
                return 0
            if score != NO_SCORE:
                counters.probcut_cutoffs += 1
                return score
            frame.pv_length = 0
    return NO_SCORE


def scout(w, ply, alpha, best, remaining, reduction, cut_node, quiet):
    """The zero-window score of the move just made at `ply`.

    A reduced move that beats alpha is searched again: at full depth, or a ply deeper or shallower, by how its score compares
    with the best so far. `quiet` is the move if its histories may learn from the second search, else NO_MOVE.
    """
    t = address(w.tuning)
    if reduction <= 0:
        return -alphabeta(w, ply + 1, -alpha - 1, -alpha, remaining, not cut_node)
    w.counters.lmr_reduced += 1
    w.frames[ply + 1].reduction = reduction
    score: cython.int = -alphabeta(w, ply + 1, -alpha - 1, -alpha, remaining - reduction * PLY, True)
    if score <= alpha or w.stopped:
        return score
    plies: cython.int = remaining // PLY
    if best > -MATE_BOUND and w.selectivity.lmr == LMR_TABLE:
        if score > best + t.deeper_base + t.deeper_slope * plies:
            remaining += PLY
            w.counters.searched_deeper += 1
        elif score < best + t.shallower_margin:
            remaining -= PLY
            w.counters.searched_shallower += 1
        if remaining // PLY <= plies - reduction:
            return score
    w.counters.lmr_researches += 1
    score = -alphabeta(w, ply + 1, -alpha - 1, -alpha, remaining, not cut_node)
    if quiet and w.ordering.reduced_credit and w.ordering.cont_hist and not w.stopped:
        w.counters.reduced_credits += 1
        bonus = gravity_bonus(t, plies) if score > alpha else -gravity_malus(t, plies)
        credit_continuations(w, ply, piece_goal(address(w.frames[ply].pos), quiet), bonus)
    return score
