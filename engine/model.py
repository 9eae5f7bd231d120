"""The value types that rooms of the engine hand to each other: what a search may spend, what it says and what it ends with."""

from collections import namedtuple

Limits = namedtuple("Limits", "depth nodes soft_ms hard_ms cpu_clock soft_nodes", defaults=(0, 0, 0, 0, False, 0))
Limits.__doc__ = """What a search may spend: depth in plies, nodes, milliseconds; 0 is no such limit, all 0 is until stop().

With Stability soft_ms stretches and shrinks by how settled the search is; hard_ms is never overrun; equal, they are used
up in full. After soft_nodes no new iteration begins: beside one of the other limits, which ends an iteration that is too long.
"""
Info = namedtuple("Info", "depth seldepth score ms nodes bound pv line hits", defaults=(1, 0))
Info.__doc__ = """A line of thinking: score in centipawns (mates 100000 + moves), bound -1 fail low, 0 exact, 1 fail high.

line: 1 for the best root move, 2 for the next one, ...; those of one iteration are reported together, the best first.
hits: positions that the endgame tables settled.
"""
Result = namedtuple("Result", "move ponder score depth seldepth nodes qnodes ms pv stats")
Result.__doc__ = """What a search ended with; move is 0 only when no root move was allowed."""
Ruling = namedtuple("Ruling", "score exact moves")
Ruling.__doc__ = """What endgame tables say of a root: its score, and the moves that keep it, for the search to choose among.

exact: distances were known, so whichever of the moves is played the game makes progress.
"""
