"""The search: iterative deepening over fail-soft principal variation search; quiescence.py goes on below the horizon.

Steps are numbered alike in alphabeta and qsearch. A technique is an `if` at the top of its step; which level plays is
fixed for a whole search. Scores are centipawns from the side to move, depth is hundredths of a ply.

"Without: -74 +- 51" is what the engine without a step scored against the engine with it, in Elo with 95 % interval: at
4,000 nodes a move, until a sequential test between -20 and 0 Elo ended, unless it says more (docs/strength.md). Figures of
2,048 and 1,536 games are those of benchmarks/parts.py.
"""

import cython
from cython import address


def search_depth(w, depth):
    """Search the root to `depth` plies with aspiration windows; False when it was stopped before the end.

    The move to play is w.best_move at any moment: a move that raises alpha counts as soon as the best move of the
    iteration before has been searched too, a fail low takes nothing away.
    """
    s = address(w.selectivity)
    window = cython.declare(Window)
    before = w.nodes
    w.root_depth = depth
    w.seldepth = 0
    w.iteration_best = NO_MOVE
    start_iteration(address(w.memory), address(w.ordering))
    early: cython.bint = w.iterations == 0 or (s.aspiration == ASPIRATION_GRADUAL and depth < 5)
    open_window(address(window), s.aspiration, w.best_score, s.window, early)
    score: cython.int
    while True:
        w.following = w.ordering.pv_moves != OFF
        w.root_searched = 0
        # A re-search starts over: until the old best move has its score in this window no other takes its place.
        w.previous_seen = w.previous_best == NO_MOVE
        score = alphabeta(w, 0, window.alpha, window.beta, depth * PLY, False)
        if w.stopped:
            break
        if not widen(address(window), score):
            break
        w.counters.aspiration_fails += 1
        if w.report != cython.NULL:
            w.report(w, score, -1 if window.failed_low and not window.failed_high else 1)
    w.iteration_nodes[w.iterations if w.iterations < 131 else 131] = w.nodes - before
    if w.stopped:
        return False
    settle_root(w)
    w.best_score = score
    w.completed = depth
    w.iterations += 1
    w.previous_best = w.best_move
    w.last_pv_length = w.root_pv_length
    memcpy(address(w.last_pv[0]), address(w.root_pv[0]), cython.sizeof(w.last_pv))
    return True


def null_move_holds(w, ply, beta, depth, reduction):
    """Whether a null move that reached beta is believed. Level verified asks more:

    a side with hardly a move is not believed, for that is what zugzwang looks like (16 of 20 zugzwang positions instead
    of 13); from six plies on a search as shallow, in which the first plies try no null move, must agree.
    """
    if w.selectivity.null_move != NULL_VERIFIED:
        return True
    pos = address(w.frames[ply].pos)
    set_pinned(pos)
    if count_moves(pos) <= FEW_MOVES:
        return False
    if depth < 6 * PLY or w.null_floor:
        return True
    w.null_floor = ply + 3 * (depth // PLY - reduction) // 4
    score: cython.int = alphabeta(w, ply, beta - 1, beta, depth - reduction * PLY, False)
    w.null_floor = 0
    w.counters.null_verified += 1
    return not w.stopped and score >= beta


def alphabeta(w, ply, alpha, beta, depth, cut_node):
    """Fail-soft search of the position at `ply`.

    If the result is <= alpha it is an upper bound, if >= beta a lower bound, else exact. Minimax ignores the window.
    """
    s = address(w.selectivity)
    o = address(w.ordering)
    frame = address(w.frames[ply])
    pos = address(frame.pos)
    counters = address(w.counters)
    in_check: cython.bint = pos.checkers != 0
    pvs: cython.bint = s.algorithm == ALGORITHM_PVS
    minimax: cython.bint = s.algorithm == ALGORITHM_MINIMAX
    root: cython.bint = ply == 0
    # An open window marks the principal variation in PVS alone: plain alpha-beta has one at every node.
    pv_node: cython.bint = root or (pvs and beta - alpha > 1)

    # Step 1. Check extension (C11): a ply more for the side in check, always or only where the search would soon end.
    # Always instead of horizon: +7.4 +- 18.9 (800 games at 10,000 nodes), +4.2 +- 22.8 (500 games at 0.5 s + 5 ms); tactics are
    # seen with two thirds of the nodes. Without: +4.5 +- 13.6 (1,536 games at 0.5 s + 5 ms).
    if in_check and s.check_extension and ply and ply < 2 * w.root_depth:
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

    # Step 3. Draws, and mates that a shorter one makes pointless.
    if not root:
        if is_draw(w, ply):
            return w.draw_score[ply & 1]
        if s.mate_distance:
            if alpha < -MATE + ply:
                alpha = -MATE + ply
            if beta > MATE - ply - 1:
                beta = MATE - ply - 1
            if alpha >= beta:
                counters.mate_distance_cutoffs += 1
                return alpha

    # Step 4. Transposition table.
    entry = cython.declare(Entry)
    know_nothing(address(entry))
    key = view_key(pos)
    excluded = frame.excluded
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
            return entry.score
    hash_move = w.previous_best if root and w.root_line else entry.move
    was_pv: cython.bint = pv_node or (entry.found and entry.pv)

    # Step 5. Static evaluation, and whether it improves on two plies ago (our last turn).
    # Improving without: -51.6 +- 32.5 (346 games), -95.9 +- 61.6 (78 games at 0.5 s + 5 ms). Correction history without: -1.7 +-
    # 11.4 (2,048 games at 20,000 nodes), +3.2 +- 11.1 (2,048 at 0.5 s + 5 ms); so it is off in modern.
    raw: cython.int = NO_SCORE
    estimate: cython.int
    improving: cython.bint = False
    if in_check:
        frame.eval = estimate = NO_SCORE
    else:
        if excluded:
            estimate = frame.eval
        else:
            estimate = frame.eval = static_eval(w, pos, address(entry), address(raw))
            if entry.found and entry.bound & (BOUND_LOWER if entry.score > estimate else BOUND_UPPER):
                estimate = entry.score
        if s.improving and ply >= 2:
            before: cython.int = w.frames[ply - 2].eval
            if before == NO_SCORE and ply >= 4:
                before = w.frames[ply - 4].eval
            improving = before != NO_SCORE and frame.eval > before
            counters.improving_nodes += improving

    threat: Move = NO_MOVE
    score: cython.int
    if not in_check and not pv_node and not excluded and beta > -MATE_BOUND and beta < MATE_BOUND:
        # Step 6. Razoring: hopeless near the leaves unless a capture says otherwise.
        # Without: +11.1 +- 30.1 (251 games), and more mates found; so it is off in modern. With, today: -48 +- 34 (204 games).
        if s.razoring and plies <= 3 and estimate + 180 + 160 * plies < alpha:
            score = qsearch(w, ply, alpha, beta, True)
            if score <= alpha:
                counters.razored += 1
                return score
            if w.stopped:
                return 0

        # Step 7. Static null move (reverse futility): so far ahead that the opponent's move will not matter.
        # Margins of 160 a ply instead of 95: +2.8 +- 24.6 (500 games at 10,000 nodes), and six mates more of 435 are found.
        # Without: -25.1 +- 19.6 (748 games), -56.1 +- 13.3 (1,536 games at 0.5 s + 5 ms).
        if s.static_null and plies <= 8 and estimate - 160 * (plies - improving) >= beta and estimate < MATE_BOUND:
            counters.static_null_cutoffs += 1
            return (estimate + beta) // 2

        # Step 8. Null move (C12): if passing is good enough, a move is.
        # Without: -17 +- 45 (100 games at 5,000 nodes). Plain instead of verified: +0.6 +- 16.4 (556 games), +2.4 +- 11.4 (2,048
        # at 20,000 nodes), -7.2 +- 13.6 (1,536 at 0.5 s + 5 ms), so games do not ask for it, but positions of zugzwang do: 11 of 20
        # are solved instead of 15.
        if (
            s.null_move
            and frame.null_allowed
            and ply >= w.null_floor
            and plies >= 2
            and estimate >= beta
            and null_move_allowed(pos, s.null_guard)
        ):
            reduction: cython.int = null_move_reduction(s.null_depth, plies, estimate - beta)
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
                    threat = reply
                    counters.threats += 1
            frame.pv_length = 0

        # Step 9. ProbCut: a capture that beats beta by a margin at lower depth will beat it at full depth.
        # Without: -3.7 +- 11.4 (2,048 games at 20,000 nodes), +3.9 +- 11.1 (2,048 at 0.5 s + 5 ms), and sacrifices are then found
        # with half the nodes; so it is off in modern.
        if s.probcut and plies >= 5 and not (entry.found and entry.depth >= plies - 3 and entry.score < beta + 180):
            score = probcut(w, ply, beta + 180, depth, cut_node)
            if w.stopped:
                return 0
            if score != NO_SCORE:
                counters.probcut_cutoffs += 1
                return score
            frame.pv_length = 0

    # Step 10. No hash move where one is wanted: find one by a shallower search (Mediocre), or search this node less.
    # Without reduction: -5.1 +- 11.4 (2,048 games at 20,000 nodes), -9.7 +- 11.1 (2,048 at 0.5 s + 5 ms: its test ended),
    # -1.8 +- 13.6 without ProbCut (1,536): in doubt.
    if s.internal and not hash_move and not excluded and plies > 3:
        if s.internal == INTERNAL_IID and s.tt:
            counters.iid_searches += 1
            alphabeta(w, ply, alpha, beta, (plies // 2) * PLY, cut_node)
            if w.stopped:
                return 0
            hash_move = frame.best
            frame.pv_length = 0
            frame.best = NO_MOVE
        elif s.internal == INTERNAL_REDUCE and (pv_node or cut_node or not pvs):
            counters.iir_reductions += 1
            depth -= PLY
            plies -= 1

    # Step 11. The moves.
    picker = cython.declare(Picker)
    start_moves(w, address(picker), ply, w.main_program)
    set_specials(w, address(picker), ply, hash_move)
    if plies <= 1 and not root:
        picker.special[0] = NO_MOVE  # Winglet follows the PV while depth > 1 (W6)
    picker.threat = threat
    quiets = cython.declare(Move[64])
    captures = cython.declare(Move[32])
    n_quiets: cython.int = 0
    n_captures: cython.int = 0
    count: cython.int = 0
    best: cython.int = -INFINITE
    best_move: Move = NO_MOVE
    start_alpha: cython.int = alpha
    i: cython.int
    more_than_pawns: cython.bint = has_pieces(pos)
    while True:
        move = next_move(address(picker))
        if move == NO_MOVE:
            break
        if move == excluded:
            continue
        if root:
            allowed: cython.bint = False
            for i in range(w.root_count):
                if w.root_moves[i] == move:
                    allowed = True
            if not allowed:
                continue
            w.root_current = move
            w.root_searched += 1
        count += 1
        expect(w, pos, move)
        counters.pv_moves += picker.stage == STAGE_PV
        quiet: cython.bint = not is_noisy(pos, move)
        moved = piece_goal(pos, move)
        record: cython.int = 0
        if quiet:
            if o.history == HISTORY_GRAVITY:
                record = w.memory.quiet[pos.side][history_index(o, pos, move)]
            if picker.after_one != cython.NULL:
                record += picker.after_one[moved]
            if picker.after_two != cython.NULL:
                record += picker.after_two[moved]

        # Step 12. Shallow pruning: moves that are late, hopeless or lose material are not made at all.
        # Harder pruning lost: these gentler margins, with verified null moves, +128.6 +- 42.2 (240 games at 4,000 nodes). More
        # late moves and weightier history: +30.5 +- 27.0 (400 games). Without late moves -108 +- 50 (106 games), exchanges -84.9 +-
        # 41.4 (192 games), futility -22.4 +- 17.9 (992 games); on the clock too: -88.7 +- 58.3, -72.4 +- 51.8, -30.8 +- 13.5.
        reduction = 0
        if s.lmr >= LMR_PLAIN:
            reduction = w.reductions[plies if plies < 63 else 63][count if count < 63 else 63]
        if not root and best > -MATE_BOUND and more_than_pawns and not gives_check(pos, move):
            left: cython.int = plies - reduction if plies > reduction else 0
            if quiet:
                if (
                    s.late_moves
                    and plies <= 8
                    and count > (8 + 3 * plies * plies) // (1 if improving or not s.improving else 2)
                ):
                    counters.late_pruned += 1
                    if picker.stage == STAGE_QUIETS:
                        picker.begin = picker.end
                    continue
                if s.futility and not in_check and left <= 7 and frame.eval + 130 + 100 * left + record // 128 <= alpha:
                    counters.futility_pruned += 1
                    continue
                if s.see_pruning and left <= 8 and not see_ge(pos, move, -22 * left * left):
                    counters.see_pruned += 1
                    continue
            elif (
                s.see_pruning and plies <= 7 and picker.stage == STAGE_BAD_NOISY and not see_ge(pos, move, -95 * plies)
            ):
                counters.see_pruned += 1
                continue

        # Step 13. Singular extension: a hash move without an equal is searched deeper.
        # Its worth comes with depth. Without: +6.9 +- 21.0 (750 games), -16.0 +- 11.4 (2,048 games at 20,000 nodes), -16.8 +- 11.1
        # (2,048 at 0.5 s + 5 ms).
        extension: cython.int = 0
        if (
            s.singular
            and move == hash_move
            and not root
            and plies >= 7
            and not excluded
            and entry.found
            and entry.depth >= plies - 3
            and entry.bound & BOUND_LOWER
            and entry.score < MATE_BOUND
            and entry.score > -MATE_BOUND
            and ply < 2 * w.root_depth
        ):
            verdict: cython.int = 0
            score = singular(w, ply, address(entry), move, beta, depth, cut_node, address(verdict))
            if w.stopped:
                return 0
            if verdict == 2:
                return score
            extension = score
            set_pinned(pos)

        # Step 14. Make the move; what it costs in depth.
        make_on_path(w, ply, move)
        child = address(w.frames[ply + 1])
        checking: cython.bint = child.pos.checkers != 0
        remaining: cython.int = depth - PLY + extension * PLY
        if s.fractional:
            remaining += PLY - movement_cost(w, pos, move, checking)
            if ply + 1 >= 2 * w.root_depth:
                remaining = 0  # the ply cap: chains of free captures would have no end

        # Step 15. Late move reductions (C7): quiet moves far down the order are searched less deep first.
        # Without: -90 +- 45 (174 games), -216.6 +- 86.9 (56 games at 0.5 s + 5 ms). Without history: -15.5 +- 12.2 (1,950 games),
        # -3.2 +- 11.1 (2,048 at 0.5 s + 5 ms), -4.1 +- 13.6 (1,536 there): all together -7.5 +- 7.0.
        if s.lmr == LMR_ONEPLY:
            reduction = 0
            if not in_check and not checking and not extension:
                reduction = oneply_reduction(plies, count, quiet, picker.stage)
        elif s.lmr >= LMR_PLAIN:
            if plies < 2 or count <= 1 + root + pv_node:
                reduction = 0
            else:
                worsening: cython.bint = s.improving and not improving
                doubt: cython.int = worsening - was_pv - in_check - checking
                merit: cython.int = record if s.lmr == LMR_TABLE else 0
                reduction = table_reduction(reduction, quiet, picker.stage, merit, cut_node, doubt)
            if remaining - reduction * PLY < PLY:
                reduction = remaining // PLY - 1
            if reduction < 0:
                reduction = 0

        # Step 16. Search it: reduced first, then with a zero window, then in full as far as needed.
        if minimax:
            score = -alphabeta(w, ply + 1, -INFINITE, INFINITE, remaining, False)
        elif not pvs:
            score = alpha + 1
            if reduction > 0:
                counters.lmr_reduced += 1
                score = -alphabeta(w, ply + 1, -beta, -alpha, remaining - reduction * PLY, False)
                counters.lmr_researches += score > alpha
            if score > alpha:
                score = -alphabeta(w, ply + 1, -beta, -alpha, remaining, False)
        else:
            score = alpha + 1
            if reduction > 0:
                counters.lmr_reduced += 1
                score = -alphabeta(w, ply + 1, -alpha - 1, -alpha, remaining - reduction * PLY, True)
                if score > alpha:
                    counters.lmr_researches += 1
                    score = -alphabeta(w, ply + 1, -alpha - 1, -alpha, remaining, not cut_node)
            elif not pv_node or count > 1:
                score = -alphabeta(w, ply + 1, -alpha - 1, -alpha, remaining, not cut_node)
            if pv_node and (count == 1 or (score > alpha and (root or score < beta))):
                counters.pvs_researches += count > 1
                score = -alphabeta(w, ply + 1, -beta, -alpha, remaining, False)
        if w.stopped:
            return 0

        # Step 17. What it means.
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
                    note_root(w, move, score, alpha, beta)
                if minimax:
                    continue
                if score >= beta:
                    count_cutoff(w, count, picker.stage)
                    credit_cutoff(w, ply, move, plies, quiets, n_quiets, captures, n_captures)
                    break
                alpha = score

    # Step 18. No legal move: mate or stalemate.
    if count == 0:
        if excluded:
            return alpha
        return -MATE + ply if in_check else w.draw_score[ply & 1]
    if best_move and best < beta and not minimax:
        credit_raise(w, ply, best_move, plies)

    # Step 19. Remember.
    if not excluded:
        bound: cython.int = BOUND_EXACT if best > start_alpha else BOUND_UPPER
        if best >= beta:
            bound = BOUND_LOWER
        if s.tt and not (root and w.root_line):  # the table keeps the best move, not the second best
            store(w.table, key, ply, seen_move(best_move, pos.side), best, raw, plies, bound, was_pv)
        if (
            s.corr_hist
            and not in_check
            and (best_move == NO_MOVE or not is_noisy(pos, best_move))
            and not (bound == BOUND_LOWER and best <= frame.eval)
            and not (bound == BOUND_UPPER and best >= frame.eval)
            and best < MATE_BOUND
            and best > -MATE_BOUND
        ):
            correct(address(w.memory), pos, plies, best - frame.eval)
    return best


def singular(w, ply, entry, move, beta, depth, cut_node, verdict):
    """Search all moves but the hash move below its score: the plies to extend it by, or (verdict 2) a score to return."""
    frame = address(w.frames[ply])
    plies: cython.int = depth // PLY
    goal: cython.int = entry.score - 2 * plies
    frame.excluded = move
    score = alphabeta(w, ply, goal - 1, goal, (plies - 1) // 2 * PLY, cut_node)
    frame.excluded = NO_MOVE
    frame.pv_length = 0
    frame.best = NO_MOVE
    if w.stopped:
        return 0
    if score < goal:
        w.counters.singular_extensions += 1
        return 1
    if goal >= beta:
        # Another move beats beta as well: the node will fail high.
        verdict[0] = 2
        return goal
    if entry.score >= beta:
        return -1
    return 0


def probcut(w, ply, beta, depth, cut_node):
    """A capture whose quiescence and then shallower search reach `beta` (already raised): its score, else NO_SCORE."""
    frame = address(w.frames[ply])
    pos = address(frame.pos)
    picker = cython.declare(Picker)
    start_moves(w, address(picker), ply, w.q_program)
    picker.in_quiescence = True
    picker.threshold = beta - frame.eval if beta > frame.eval else 0
    score: cython.int
    tried: cython.int = 0
    while tried < 4:
        move = next_move(address(picker))
        if move == NO_MOVE:
            break
        tried += 1
        expect(w, pos, move)
        make_on_path(w, ply, move)
        score = -qsearch(w, ply + 1, -beta, -beta + 1, False)
        if score >= beta:
            score = -alphabeta(w, ply + 1, -beta, -beta + 1, depth - 4 * PLY, not cut_node)
        if w.stopped:
            return NO_SCORE
        if score >= beta:
            if w.selectivity.tt:
                store(
                    w.table,
                    view_key(pos),
                    ply,
                    seen_move(move, pos.side),
                    score,
                    frame.eval,
                    depth // PLY - 3,
                    BOUND_LOWER,
                    False,
                )
            return score
    return NO_SCORE
