"""Aspiration windows in the safe form (Moreland A1, A2, with our rule for both sides failing; C5, C6).

off       (-inf, inf) always
reset     A1: (v - w, v + w) around the last value v; after a failure the full window
onesided  A2: the same; after a failure only the side that failed is opened
gradual   the side that failed moves to the new value -+ delta; delta starts at w and doubles with each failure
pulled    Weiss, Stockfish: the same with a smaller growth; after a fail low beta comes down to the middle of the window, and
          both sides open only when the window has become very wide

The loop `search, widen, search again` always ends, whatever the search returns. Except under `pulled` the window only grows,
and it is full once both sides have failed in one iteration; under `pulled` delta grows until the window is full. Moreland's wrong
form, (-inf, value+1) and (value-1, inf), can loop for ever under search instability; a test shows it.
"""

import cython


def open_window(w, level, score, width, growth, early):
    """The window an iteration starts with: full in early iterations and around mate scores, else score +- width."""
    w.level = level
    w.delta = width
    w.growth = growth
    w.failed_low = w.failed_high = False
    if level == OFF or early or score > MATE_BOUND or score < -MATE_BOUND:
        w.alpha = -INFINITE
        w.beta = INFINITE
        return
    w.alpha = score - width if score - width > -INFINITE else -INFINITE
    w.beta = score + width if score + width < INFINITE else INFINITE


def widen(w, score):
    """Open the window for a score outside it and return True; False if the score lies inside and stands."""
    low: cython.bint = score <= w.alpha and w.alpha > -INFINITE
    high: cython.bint = score >= w.beta and w.beta < INFINITE
    if not low and not high:
        return False
    if low:
        w.failed_low = True
    else:
        w.failed_high = True
    if w.level == ASPIRATION_PULLED:
        w.delta += w.delta * (w.growth - 100) // 100 + 2
        if w.delta > WIDEST or score > MATE_BOUND or score < -MATE_BOUND:
            w.alpha = -INFINITE
            w.beta = INFINITE
        elif low:
            w.beta = (w.alpha + w.beta) // 2
            w.alpha = score - w.delta if score - w.delta > -INFINITE else -INFINITE
            if w.beta <= score:
                w.beta = score + 1
        else:
            w.beta = score + w.delta if score + w.delta < INFINITE else INFINITE
        check(w.alpha < w.beta)
        return True
    w.delta *= 2
    if w.level == ASPIRATION_RESET or (w.failed_low and w.failed_high) or score > MATE_BOUND or score < -MATE_BOUND:
        w.alpha = -INFINITE
        w.beta = INFINITE
    elif w.level == ASPIRATION_ONESIDED:
        if low:
            w.alpha = -INFINITE
        else:
            w.beta = INFINITE
    elif low:
        w.alpha = score - w.delta if score - w.delta > -INFINITE else -INFINITE
    else:
        w.beta = score + w.delta if score + w.delta < INFINITE else INFINITE
    check(w.alpha < w.beta)
    return True


def windows(level, score, width, scores):
    """For tests: the windows [(alpha, beta), ...] that are searched when the search returns `scores` in turn.

    Level is reset, onesided, gradual or pulled; scores are centipawns.
    """
    w = cython.declare(Window)
    code: cython.int = ("off", "reset", "onesided", "gradual", "pulled").index(level)
    start: cython.int = score
    half: cython.int = width
    open_window(cython.address(w), code, start, half, 150, False)
    asked = [(w.alpha, w.beta)]
    for answer in scores:
        value: cython.int = answer
        if not widen(cython.address(w), value):
            break
        asked.append((w.alpha, w.beta))
    return asked
