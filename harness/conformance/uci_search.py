"""The rules of the UCI protocol for what is searched and what is told of it: limits that combine, mates, lines, pondering."""

from __future__ import annotations

import re

from harness.conformance.probe import Fails, NotSupported, Probe, best_words, is_best
from harness.conformance.rule import RuleList
from harness.conformance.uci import declared, infos, number, started, think, timed

RULES = RuleList()
rule = RULES.rule

MATE_IN_TWO = "k7/8/8/2K5/8/8/8/7R w - - 0 1"
MATED_IN_ONE = "k7/7R/1K6/8/8/8/8/8 b - - 0 1"  # Kb8 is the only move, Rh8 mates


def no_answer(probe: Probe, seconds: float, why: str) -> None:
    if any(map(is_best, probe.collect(seconds))):
        raise Fails(f"moved {why}")


def first_move(line: str) -> str:
    return line.split(" pv ")[1].split()[0]


@rule("ponder-move", "names a legal reply behind `ponder` in `bestmove`")
def ponder_move(probe: Probe) -> None:
    started(probe)
    for go in ("go depth 1", "go depth 6", "go movetime 100"):
        think(probe, go)
        line = probe.wait("bestmove", is_best, 10)
        probe.best_of(line)
        _, mark, guess = line.partition(" ponder")
        if mark:
            if len(guess.split()) != 1:
                raise Fails(f'"{line}"')
            probe.best_of(f"bestmove {guess}")


@rule("searchmoves", "plays one of the moves behind `searchmoves`")
def searchmoves(probe: Probe) -> None:
    started(probe)
    think(probe, "go depth 4 searchmoves a1a2 b1c3")
    move = probe.best(10)
    if move.uci() not in ("a1a2", "b1c3"):
        raise Fails(f"played {move.uci()}")


@rule("castling", "writes castling as the king's two steps without UCI_Chess960")
def castling(probe: Probe) -> None:
    started(probe)
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    probe.position(fen)
    probe.say("go depth 3 searchmoves e1g1")
    text = best_words(probe.wait("bestmove", is_best, 10))[1]
    if text in ("e1h1", "O-O"):
        raise Fails(f"castled by {text}")
    if text != "e1g1":
        raise NotSupported("searchmoves")


@rule("mate-in-moves", "counts mates in moves, not plies: `score mate 2` for a mate in two")
def mate_in_moves(probe: Probe) -> None:
    started(probe)
    probe.position(MATE_IN_TWO)
    probe.say("go depth 6")
    mates = [number(line, "mate") for line in infos(probe, 10) if " score mate " in line]
    if not mates:
        raise NotSupported("no mate scores")
    if mates[-1] != 2:
        raise Fails(f"score mate {mates[-1]} for a mate in two")


@rule("mated-sign", "gives a negative mate to the side that is mated")
def mated_sign(probe: Probe) -> None:
    started(probe)
    probe.position(MATED_IN_ONE)
    probe.say("go depth 6")
    mates = [number(line, "mate") for line in infos(probe, 10) if " score mate " in line]
    if not mates:
        raise NotSupported("no mate scores")
    if (mates[-1] or 0) >= 0:
        raise Fails(f"score mate {mates[-1]} for the side that is mated")


@rule("go-mate", "ends `go mate 1` by the mate, without `stop`")
def go_mate(probe: Probe) -> None:
    started(probe)
    probe.position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    probe.say("go mate 1")
    probe.best(10)
    if not probe.board.is_checkmate():
        raise Fails("did not play the mate in one")


@rule("infinite-to-the-end", "waits for `stop` under `go infinite` where there is nothing left to find")
def infinite_to_the_end(probe: Probe) -> None:
    started(probe)
    for fen in (MATED_IN_ONE, MATE_IN_TWO):
        probe.position(fen)
        probe.say("go infinite")
        no_answer(probe, 0.7, "without `stop`")
        probe.say("stop")
        timed(probe, 0.3)


@rule("stop-at-once", "answers a `stop` that comes with its `go`, by one move")
def stop_at_once(probe: Probe) -> None:
    started(probe)
    for _ in range(5):
        probe.position()
        probe.say("go infinite", "stop")
        probe.best()
        no_answer(probe, 0.05, "twice")


@rule("ponder-to-the-end", "holds its move under `go ponder depth 2` until `ponderhit`")
def ponder_to_the_end(probe: Probe) -> None:
    if "Ponder" not in declared(started(probe)):
        raise NotSupported("no option Ponder")
    probe.say("setoption name Ponder value true")
    think(probe, "go ponder depth 2")
    no_answer(probe, 0.4, "before `ponderhit`")
    probe.say("ponderhit")
    probe.best(5)


@rule("multipv", "under MultiPV 3 ranks three different moves by score, and plays the first")
def multipv(probe: Probe) -> None:
    if "MultiPV" not in declared(started(probe)):
        raise NotSupported("no option MultiPV")
    probe.say("setoption name MultiPV value 3")
    _three_lines(probe)


@rule("option-case", "understands the name of an option in small letters")
def option_case(probe: Probe) -> None:
    if "MultiPV" not in declared(started(probe)):
        raise NotSupported("no option MultiPV to see it by")
    probe.say("setoption name multipv value 3")
    _three_lines(probe)


def _three_lines(probe: Probe) -> None:
    think(probe, "go depth 5")
    lines = [line for line in infos(probe, 10) if " pv " in line and not re.search(r" (upper|lower)bound\b", line)]
    deepest = max((number(line, "depth") or 0 for line in lines), default=0)
    last = {number(line, "multipv"): line for line in lines if number(line, "depth") == deepest}
    if sorted(rank or 0 for rank in last) != [1, 2, 3]:
        raise Fails(f"ranks {sorted(rank or 0 for rank in last)} at depth {deepest}")
    if len({first_move(line) for line in last.values()}) != 3:
        raise Fails("two lines begin with the same move")
    scores = [number(last[rank], "cp") for rank in (1, 2, 3)]
    known = [score for score in scores if score is not None]
    if known != sorted(known, reverse=True):
        raise Fails(f"scores {known} by rank")
    if first_move(last[1]) != probe.board.peek().uci():
        raise Fails(f"played {probe.board.peek().uci()}, not its first line")


@rule("counts-grow", "tells nodes and time that never fall within a search")
def counts_grow(probe: Probe) -> None:
    started(probe)
    think(probe, "go movetime 400")
    lines = infos(probe, 5)
    for word in ("nodes", "time"):
        counts = [count for line in lines if (count := number(line, word)) is not None]
        if counts != sorted(counts):
            raise Fails(f"{word} {counts}")
