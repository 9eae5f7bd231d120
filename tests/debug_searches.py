"""Random short searches over every level of every switch; run inside the debug build, where any fault aborts."""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from positions import random_positions  # noqa: E402

from engine.features import SWITCHES, Features  # noqa: E402
from engine.game import Game  # noqa: E402
from engine.searcher import Limits, Searcher  # noqa: E402

SEARCHES = 200  # of each level


def levels(chance: random.Random) -> list[tuple[str, str]]:
    """Every switch with every level; of numbers the ends and one between."""
    found = []
    for switch in SWITCHES:
        if switch.kind == "spin":
            numbers = (switch.minimum, switch.maximum, chance.randint(switch.minimum, switch.maximum))
            found += [(switch.name, str(number)) for number in numbers]
        else:
            found += [(switch.name, level) for level in switch.levels]
    return found


def main(searches: int) -> None:
    """Each level stands in `searches` searches, each among random levels of all other switches.

    One search tries one level of every switch, so that they meet each other too.
    """
    chance = random.Random(20)
    presets = next(switch for switch in SWITCHES if switch.name == "Preset").levels
    games = [Game(fen) for fen in ("8/8/8/8/4k3/8/4P3/4K3 w - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")]
    games += list(random_positions(seed=5, count=60))
    searcher = Searcher(1)
    pending = [pair for pair in levels(chance) for _ in range(searches)]
    chance.shuffle(pending)
    done = 0
    while pending:
        chosen = Features()
        chosen.set("Preset", chance.choice(presets))
        taken: set[str] = set()
        rest = []
        for name, level in pending:
            if name in taken or (name == "Preset" and taken):
                rest.append((name, level))
            else:
                chosen.set(name, level)
                taken.add(name)
        pending = rest
        game = chance.choice(games)
        limits = Limits(depth=chance.randint(1, 6), nodes=chance.randint(50, 400))
        if not done % 7:
            searcher.clear()
        result = searcher.search(game, chosen, limits)
        legal = game.legal_moves()
        assert result.move in legal if legal else result.move == 0
        line = game.copy()
        for move in result.pv:
            line.push(move)
        done += 1
    print(f"{done} searches")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SEARCHES)
