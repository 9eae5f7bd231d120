"""Presets: each engine of the founding texts (docs/sources.md) as a set of switches, with what it had and what it lacked.

A preset names only what differs from `BARE`: alpha-beta, quiescence and nothing else.
"""

from engine.variant.switches import ORDERING, SELECTIVITY

# Every switch that can be off is off, except iterative deepening; the others have no such level.
BARE = {name: "off" for name, levels, _, _ in (*ORDERING, *SELECTIVITY) if "off" in levels} | {
    "Algorithm": "alphabeta",
    "Deepening": "on",
    "CaptureOrder": "generation",
    "SEEForm": "swap",
    "Killers": "0",
    "CreditWeight": "depth2",
    "IndexBy": "fromto",
    "Generation": "staged",
    "Legality": "late",
    "Choose": "selection",
    "BadCaptures": "inplace",
    "Baseline": "none",
    "WindowWidth": "50",
    "NullGuard": "pawns",
    "NullDepth": "fixed",
    "QSearch": "every",
    "Evaluation": "classical",
}

PRESETS: dict[str, dict[str, str]] = {
    # The defaults: whatever plays best. See docs/strength-tests.md for what each part is worth.
    "modern": {
        "Algorithm": "pvs",
        "PVMoves": "off",
        "HashMove": "on",
        "TT": "on",
        "CaptureOrder": "mvvlva",
        "Killers": "2",
        "CounterMove": "on",
        "History": "gravity",
        "BadCaptures": "last",
        "Legality": "early",
        "IndexBy": "threats",
        "ContHist": "deep",
        "CaptHist": "on",
        "EscapeOrder": "on",
        "CheckOrder": "on",
        "PawnHist": "on",
        "TableCredit": "on",
        "ReducedCredit": "on",
        "Aspiration": "pulled",
        "WindowWidth": "8",
        "NullMove": "verified",
        "NullDepth": "scaled",
        "CheckExtension": "horizon",
        "QSearch": "checks",
        "QEvasions": "on",
        "DeltaPruning": "on",
        "LMR": "table",
        "MateDistance": "on",
        "InternalSearch": "reduce",
        "Improving": "on",
        "CorrHist": "full",
        "StaticNull": "on",
        "Futility": "on",
        "LateMoves": "on",
        "SEEPruning": "on",
        "ProbCut": "on",
        "Singular": "double",
        "Stability": "on",
        "NodeShare": "on",
        "BadRecord": "on",
        "UpcomingDraws": "on",
        "FiftyDamping": "on",
        "RenewMove": "on",
        "RenewAge": "on",
        "Hindsight": "on",
        "NullAtCuts": "on",
        "DeltaExchange": "on",
        "Optimism": "on",
        "Evaluation": "network",
    },
    # Luijten 2011: iterative deepening, PVS, PV following, butterfly history over all moves; no table, killers or SEE.
    "winglet": {
        "Algorithm": "pvs",
        "PVMoves": "line",
        "History": "original",
    },
    # The aspiration page, about 2000: iterative deepening, alpha-beta, a hash table; window of 50 around the last value.
    # It is silent on captures; most valuable victim first is our reading.
    "moreland": {
        "HashMove": "on",
        "TT": "on",
        "CaptureOrder": "mvvlva",
        "Aspiration": "reset",
    },
    # Glebbeek, about 2011: fail-soft alpha-beta, table, killers, counter and combo moves, null move, check extension,
    # reductions, a sort after the hash move; no history. Our reading: he reduces as Mediocre does, equal captures late as
    # in Sjaak II.
    "jazz": {
        "HashMove": "on",
        "TT": "on",
        "CaptureOrder": "see",
        "Killers": "2",
        "CounterMove": "on",
        "ComboMove": "on",
        "ThreatOrder": "on",
        "Generation": "all",
        "Choose": "sort",
        "BadCaptures": "equal",
        "NullMove": "on",
        "NullGuard": "jazz",
        "CheckExtension": "always",
        "QSearch": "winning",
        "LMR": "oneply",
    },
    # Pettersson, 19 March 2007: table, IID, SEE, LMR, killers, history counts; staged generation with late legality was being
    # written, so C13 and C14 are tried on this base. Our reading: PVS, history by side to move, killers by ply.
    "mediocre": {
        "Algorithm": "pvs",
        "HashMove": "on",
        "TT": "on",
        "CaptureOrder": "see",
        "Killers": "2",
        "History": "original",
        "CreditWeight": "one",
        "Generation": "all",
        "Legality": "early",
        "BadCaptures": "last",
        "Aspiration": "reset",
        "WindowWidth": "10",
        "NullMove": "on",
        "QSearch": "nonlosing",
        "LMR": "oneply",
        "InternalSearch": "iid",
    },
    # Van Niekerk, 2 May 2007: the whole PV fed back, early-exit SEE in quiescence and alpha-beta; no table, killers, history
    # or null move. Our reading: captures that lose by it come last, and not at all in quiescence.
    "vicki": {
        "PVMoves": "line",
        "CaptureOrder": "see",
        "SEEForm": "early-exit",
        "BadCaptures": "last",
        "QSearch": "nonlosing",
    },
    "bare": {},
}


def resolve(name: str) -> dict[str, str]:
    """Every switch of a preset; KeyError for an unknown name."""
    return {**BARE, **PRESETS[name]}
