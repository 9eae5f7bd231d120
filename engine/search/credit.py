"""Credit: what the histories, killers and other remembered moves learn from a move's result."""

import cython
from cython import address


def credit_cutoff(w, ply, move, plies, quiets, n_quiets, captures, n_captures):
    """Credit a cutoff move in every table that is on (C7, C8), and debit the moves tried before it.

    The from-to history learns faster than the others (`quiet_rate`): +14.1 +- 13.0 Elo, 1,600 games at 15,000 nodes.
    """
    o = address(w.ordering)
    m = address(w.memory)
    frame = address(w.frames[ply])
    pos = address(frame.pos)
    i: cython.int
    t = address(w.tuning)
    bonus = gravity_bonus(t, plies)
    malus = gravity_malus(t, plies)
    if o.history:
        w.counters.history_credits[o.history] += credit_history(
            m, o, pos, move, plies, bonus * t.quiet_rate // 100, malus * t.quiet_rate // 100, quiets, n_quiets
        )
    if o.capt_hist:
        w.counters.capture_credits += 1
        for i in range(n_captures):
            tried = captures[i]
            cell = address(m.capture[pos.board[move_from(tried)]][move_to(tried)][captured_kind(pos, tried)])
            add_gravity(cell, bonus if tried == move else -malus)
    if is_noisy(pos, move):
        return
    if o.cont_hist:
        w.counters.cont_credits += 1
        for i in range(n_quiets):
            credit_continuations(w, ply, piece_goal(pos, quiets[i]), bonus if quiets[i] == move else -malus)
    if o.pawn_hist:
        w.counters.pawn_credits += 1
        row = pawn_row(m, pos)
        for i in range(n_quiets):
            add_gravity(row + piece_goal(pos, quiets[i]), bonus if quiets[i] == move else -malus)
    if pos.checkers:
        return
    if o.killers:
        remember_killer(m, ply, move)
        w.counters.killer_credits += 1
    if o.counter and ply >= 1 and w.frames[ply - 1].move:
        m.counter[pos.side][w.frames[ply - 1].move & 4095] = move
        w.counters.counter_credits += 1
    if o.combo and ply >= 2 and w.frames[ply - 1].move and w.frames[ply - 2].move:
        m.combo[pos.side][w.frames[ply - 2].move & 4095] = move
        w.counters.combo_credits += 1


def credit_raise(w, ply, move, plies):
    """Credit the PV move of a node that raised alpha without a cutoff (W3)."""
    o = address(w.ordering)
    w.counters.alpha_raise_credits += credit_alpha_raise(address(w.memory), o, address(w.frames[ply].pos), move, plies)


def credit_continuations(w, ply, moved, bonus):
    """Credit or debit `moved` (piece and target square), made at `ply`, as a continuation of the moves that led there."""
    i: cython.int
    distances: cython.int = CONTINUATIONS if w.ordering.cont_hist == CONTINUE_DEEP else 2
    for i in range(distances):
        back = continuation_distance(i)
        if ply >= back and w.frames[ply - back].moved:
            add_gravity(address(w.memory.continuation[w.frames[ply - back].moved][moved]), bonus)


def credit_quiet_move(w, ply, move, bonus):
    """Credit or debit one quiet move at `ply` in the gravity table and the continuation histories."""
    pos = address(w.frames[ply].pos)
    o = address(w.ordering)
    if o.history == HISTORY_GRAVITY:
        faster = bonus * w.tuning.quiet_rate // 100
        add_gravity_to(address(w.memory.quiet[pos.side][history_index(o, pos, move)]), faster)
    if o.cont_hist:
        credit_continuations(w, ply, piece_goal(pos, move), bonus)


def credit_table(w, ply, move, plies):
    """TableCredit: credit the table's quiet move for a cutoff by the table alone; debit an early quiet move that allowed it."""
    pos = address(w.frames[ply].pos)
    if not move or is_noisy(pos, move) or not is_pseudo_legal(pos, move):
        return
    w.counters.table_credits += 1
    if w.ordering.index_by == INDEX_THREATS:
        set_threats(pos)
    credit_quiet_move(w, ply, move, gravity_bonus(address(w.tuning), plies))
    before = address(w.frames[ply - 1])
    if ply >= 1 and before.move and before.count <= w.tuning.early_moves and not is_noisy(address(before.pos), before.move):
        credit_continuations(w, ply - 1, before.moved, -gravity_malus(address(w.tuning), plies))


def credit_fail_low(w, ply, plies):
    """FailLowCredit: no move at `ply` was good enough, so credit the enemy's quiet move that led here."""
    if ply < 1:
        return
    before = address(w.frames[ply - 1])
    if not before.move or is_noisy(address(before.pos), before.move):
        return
    w.counters.fail_low_credits += 1
    credit_quiet_move(w, ply - 1, before.move, gravity_bonus(address(w.tuning), plies) // 2)


def learn_error(w, ply, plies, best, bound):
    """Teach the correction history a node's result, unless it is a mate score or a bound that says nothing of the error."""
    error = best - w.frames[ply].eval
    if best >= MATE_BOUND or best <= -MATE_BOUND:
        return
    if (bound == BOUND_LOWER and error <= 0) or (bound == BOUND_UPPER and error >= 0):
        return
    pos = address(w.frames[ply].pos)
    correct(address(w.memory), address(w.tuning), w.selectivity.corr_hist, pos, last_moves(w, ply), plies, error)
