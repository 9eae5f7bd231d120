"""The evaluation taken apart: its terms for people, its coefficients for the tuner."""

import cython
from cython import address, cast

TERMS = ("material", "pawns", "knights", "bishops", "rooks", "queens", "passed", "king", "threats", "space")


def evaluate_terms(game):
    """The evaluation of a Game as a dict: score (side to move), the terms (White's view, [middlegame, endgame]), phase, scale."""
    places = cython.declare(cython.int[10])
    pos = address(cast(Game, game).position)
    i: cython.int
    score = full_score(pos, cython.NULL, places)
    end = eg_of(score)
    report = {"score": evaluate(pos, cython.NULL)}
    for i in range(10):
        report[TERMS[i]] = [mg_of(places[i]), eg_of(places[i])]
    report["tempo"] = mg_of(weight[W_TEMPO])
    report["phase"] = pos.phase
    report["scale"] = scale_factor(pos, WHITE if end > 0 else BLACK)
    return report


def coefficients(game):
    """What the tuner needs of a position: how often each weight counts (White's view) and what does not depend on them.

    Returns {"phase", "scale", "rest": [mg, eg], "counts": {index: count}, "known": bool}; rest is king danger. Counts are
    found by moving one weight at a time, so there is no second copy of the evaluation to fall out of step.
    """
    pos = address(cast(Game, game).position)
    places = cython.declare(cython.int[10])
    score: cython.int = 0
    if known_endgame(pos, address(score)):
        return {"known": True}
    base = full_score(pos, cython.NULL, places)
    counts = {}
    i: cython.int
    for i in range(W_DANGER_ATTACKER):
        if i == W_TEMPO:
            continue
        weight[i] += 1
        step: cython.int = mg_of(full_score(pos, cython.NULL, cython.NULL)) - mg_of(base)
        weight[i] -= 1
        if step:
            counts[i] = step
    return {
        "known": False,
        "phase": pos.phase if pos.phase < 24 else 24,
        "scale": scale_factor(pos, WHITE if eg_of(base) > 0 else BLACK),
        "rest": [mg_of(places[7]), eg_of(places[7])],
        "counts": counts,
    }
