"""The classical evaluation in parts: its terms for people, its coefficients for the tuner."""

import cython
from cython import address, cast

from engine.evaluation.layout import LAYOUT

FIRST_TERM = cython.declare(cython.int, 6 + 384)  # index of LAYOUT's first weight, after material and placement

TERMS = ("material", "pawns", "knights", "bishops", "rooks", "queens", "passed", "king", "threats", "space")


def evaluate_terms(game):
    """The classical evaluation of a Game: score (side to move), terms (White's view, [middlegame, endgame]), phase, scale."""
    places = cython.declare(cython.int[TERM_COUNT])
    pos = address(cast(Game, game).position)
    i: cython.int
    score = full_score(pos, cython.NULL, places)
    report = {"score": evaluate(pos, cython.NULL)}
    for i in range(TERM_DANGER):
        report[TERMS[i]] = [mg_of(places[i]), eg_of(places[i])]
    report["tempo"] = mg_of(weight[W_TEMPO])
    report["phase"] = pos.phase
    report["scale"] = scale_factor(pos, favoured(score))
    return report


def is_quiet(pos):
    """Whether a position is quiet: not in check, and no capture or promotion wins material."""
    moves = cython.declare(Move[MAX_MOVES])
    i: cython.int
    if pos.checkers:
        return False
    set_pinned(pos)
    end = generate(pos, moves, NOISY, True)
    for i in range(end - moves):
        if see_ge(pos, moves[i], 1):
            return False
    return True


def layout():
    """(name, length) of every weight table, in the order of the indexes that coefficients() uses."""
    return [("material", 6), ("placement", 384), *LAYOUT]


def coefficients(game):
    """How often each weight counts in a position (White's view), for the tuner.

    Returns {"quiet": bool}, and for a quiet position outside the known endgames also "phase" (0..24), "scale" (64ths),
    "counts": [[index, count], ...] of the linear terms, and "danger": the same for the raw danger to the white and to the
    black king, which king_of() limits to 0..1000 and squares. Counts are found by changing one weight at a time, so that no
    second copy of the evaluation can get out of step.
    """
    pos = address(cast(Game, game).position)
    score: cython.int = 0
    if not is_quiet(pos) or known_endgame(pos, address(score)):
        return {"quiet": False}
    places = cython.declare(cython.int[TERM_COUNT])
    moved = cython.declare(cython.int[TERM_COUNT])
    base = full_score(pos, cython.NULL, places)
    counts = []
    danger = [[], []]
    i: cython.int
    square: cython.int
    kind: cython.int
    us: cython.int
    for kind in range(6):
        step: cython.int = popcount(pieces(pos, WHITE, kind)) - popcount(pieces(pos, BLACK, kind))
        if step:
            counts.append([kind, step])
    for square in range(64):
        kind = kind_on(pos, square)
        if kind != NO_PIECE:
            black: cython.bint = (pos.colour[BLACK] & bit(square)) != 0
            counts.append([FIRST_TERM - 384 + 64 * kind + (square if black else square ^ 56), -1 if black else 1])
    for i in range(WEIGHT_COUNT):
        if i == W_TEMPO:
            continue
        weight[i] += 1
        full = full_score(pos, cython.NULL, moved)
        weight[i] -= 1
        if i < W_DANGER_ATTACKER:
            step = mg_of(full) - mg_of(base)
            if step:
                counts.append([FIRST_TERM + i, step])
        else:
            for us in range(2):
                step = moved[TERM_DANGER + us] - places[TERM_DANGER + us]
                if step:
                    danger[us].append([FIRST_TERM + i, step])
    return {
        "quiet": True,
        "phase": pos.phase if pos.phase < 24 else 24,
        "scale": scale_factor(pos, favoured(base)),
        "counts": counts,
        "danger": danger,
    }
