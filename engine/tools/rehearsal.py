"""Searches that show GCC which code runs often, before it compiles the kernel for good (setup.py).

Every level of every switch is searched, because a profile favours what it has seen, and Sortie's techniques are timed against
one another; what none of these searches reaches is compiled as it would be without a profile.
"""

from __future__ import annotations

from engine.board.game import Game
from engine.model import Limits
from engine.search.threads import Searcher
from engine.tools.bench import DEFAULT_DEPTH, MEMORY, POSITIONS
from engine.variant.features import SWITCHES, Features

NODES = 3_000  # for each level; all levels together get half as many again as the engine of today, which is searched first


def main() -> None:
    searcher = Searcher(MEMORY)
    for fen in POSITIONS:
        searcher.clear()
        searcher.search(Game(fen), Features(), Limits(DEFAULT_DEPTH))
    turn = 0
    for switch in SWITCHES:
        numbers = (str(switch.minimum), str(switch.maximum)) if switch.kind == "spin" else ()
        for level in numbers or switch.levels:
            chosen = Features()
            chosen.set(switch.name, level)
            searcher.search(Game(POSITIONS[turn % len(POSITIONS)]), chosen, Limits(nodes=NODES))
            turn += 1


if __name__ == "__main__":
    main()
