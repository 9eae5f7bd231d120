"""Iterative deepening: one iteration at the root, with its aspiration windows, and when to stop iterating."""

import cython
from cython import address


def search_depth(w, depth):
    """Search the root to `depth` plies with aspiration windows; False if it was stopped before the end.

    w.best_move is the move to play at any moment: a new move takes its place once the previous iteration's best move has
    been searched too, and a fail low does not remove it.
    """
    s = address(w.selectivity)
    window = cython.declare(Window)
    before = w.nodes
    w.root_depth = depth
    w.seldepth = 0
    w.iteration_best = NO_MOVE
    start_iteration(address(w.memory), address(w.ordering))
    if s.optimism and w.iterations:
        ahead: cython.int = w.best_score
        w.optimism = 100 * ahead // (100 + (ahead if ahead > 0 else -ahead))
    early: cython.bint = w.iterations == 0 or (s.aspiration >= ASPIRATION_GRADUAL and depth < 5)
    open_window(address(window), s.aspiration, w.best_score, s.window, w.tuning.window_growth, early)
    less: cython.int = 0
    score: cython.int
    while True:
        w.following = w.ordering.pv_moves != OFF
        w.root_searched = 0
        # A re-search starts over: no move replaces the old best before that has its score in this window.
        w.previous_seen = w.previous_best == NO_MOVE
        score = w.search(w, 0, window.alpha, window.beta, (depth - less) * PLY, False)
        if w.stopped:
            break
        if s.aspiration == ASPIRATION_PULLED:
            # The move that failed high will be played: a quick score for it is worth more than a deep one.
            less = less + 1 if score >= window.beta and less < 3 and less < depth - 1 else 0
        if not widen(address(window), score):
            break
        w.counters.aspiration_fails += 1
        if w.report != cython.NULL:
            w.report(w, score, -1 if window.failed_low and not window.failed_high else 1)
    w.iteration_nodes[w.iterations if w.iterations < PLY_SLOTS else PLY_SLOTS - 1] = w.nodes - before
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


def ease_of(w, depth, stable, drop):
    """How much of the planned time to use, in hundredths; ENOUGH when further search could change nothing.

    Less if the best move has stood for `stable` iterations, more if the score has dropped by `drop` centipawns in this one
    (Stability); less if most nodes went into the best move (NodeShare).
    """
    t = address(w.tuning)
    if w.root_count == 1 and depth >= 4:
        return ENOUGH
    if w.best_score > MATE_BOUND and MATE - w.best_score <= depth:
        return ENOUGH
    factor: cython.int = 100
    if w.selectivity.stability:
        factor = t.stable_most - t.stable_step * stable
        if factor < t.stable_least:
            factor = t.stable_least
        fall: cython.int = drop if drop > 0 else 0
        if fall > t.falling_most:
            fall = t.falling_most
        factor = factor * (10000 + t.falling_slope * fall) // 10000
    if w.selectivity.node_share and depth >= 6 and w.nodes:
        place = root_place(w, w.best_move)
        share: cython.double = cython.cast(cython.double, w.root_effort[place if place >= 0 else 0]) / w.nodes
        factor = cython.cast(cython.int, factor * (t.effort_base - t.effort_slope * share) / 100)
    return factor if factor > 1 else 1


def time_is_up(w):
    """Whether the time that the last iteration asks for is spent. If both limits are equal they are used up in full."""
    soft = w.control.soft_ms
    hard = w.control.hard_ms
    if soft <= 0:
        return False
    spent = elapsed_ms(w.control)
    if soft >= hard:
        return spent >= hard
    return spent * 100 >= soft * w.ease


def is_crowded(control, index, depth):
    """Whether threads other than this one, at least half of all, already search this depth or a greater one.

    A helper then skips this depth: threads help each other, through the table, only by searching different things.
    """
    workers = control.workers
    busy: cython.int = 0
    i: cython.int
    for i in range(control.cores):
        busy += i != index and workers[i].root_depth >= depth
    return 2 * busy >= control.cores


def elected(control):
    """The thread whose result is used. Each votes for its move, with more weight the deeper it got and the better its score.

    Of the threads that chose the winning move the deepest is taken, or the first of these. A proved mate wins without a vote.
    """
    workers = control.workers
    best = workers[0]
    worst: cython.int = best.best_score
    support: cython.longlong
    most: cython.longlong = -1
    i: cython.int
    j: cython.int
    for i in range(control.cores):
        w = workers[i]
        if w.completed and w.best_score > MATE_BOUND and w.best_score > best.best_score:
            best = w
        if w.completed and w.best_score < worst:
            worst = w.best_score
    if best.best_score > MATE_BOUND:
        return best
    for i in range(control.cores):
        w = workers[i]
        support = 0
        for j in range(control.cores):
            if workers[j].completed and workers[j].best_move == w.best_move:
                support += cython.cast(cython.longlong, workers[j].best_score - worst + VOTE) * workers[j].completed
        if w.completed and (support > most or support == most and w.completed > best.completed):
            most = support
            best = w
    return best
