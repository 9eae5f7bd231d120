"""Random searches over every level of every switch and parameters at random; run inside the debug build, where any fault aborts."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SUPPORT = Path(__file__).resolve().parents[1] / "support"
sys.path.insert(0, str(SUPPORT))

from positions import random_positions  # noqa: E402

from engine.board.game import Game  # noqa: E402
from engine.model import Limits  # noqa: E402
from engine.search import alphabeta as searching  # noqa: E402
from engine.search.threads import Searcher  # noqa: E402
from engine.syzygy.tables import Tables  # noqa: E402
from engine.variant.features import SWITCHES, Features, Switch  # noqa: E402
from engine.variant.parameters import PARAMETERS, PREFIX  # noqa: E402

SEARCHES = 60  # of each level
TUNED = 16  # parameters of each mixture that stand anywhere within their bounds
DEEP = 12  # every so many searches one is deep enough for what only deep nodes try (Singular from seven plies on)


def levels_of(switch: Switch, chance: random.Random) -> list[str]:
    """Every level; of a number the ends and one between."""
    if switch.kind == "spin":
        between = chance.randint(switch.minimum + 1, switch.maximum - 1)
        return [str(number) for number in (switch.minimum, between, switch.maximum)]
    return list(switch.levels)


def dealt(levels: list[str], searches: int, length: int, chance: random.Random) -> list[str]:
    """`length` levels in random order, each at least `searches` times."""
    hand = levels * searches
    hand += [chance.choice(levels) for _ in range(length - len(hand))]
    chance.shuffle(hand)
    return hand


def plans(searches: int, chance: random.Random) -> Iterator[Features]:
    """Each preset as it is, then mixtures at random with some parameters at random: each level in at least `searches` of them."""
    preset, *others = SWITCHES
    assert preset.name == "Preset"
    for level in dealt(list(preset.levels), searches, searches * len(preset.levels), chance):
        chosen = Features()
        chosen.set("Preset", level)
        yield chosen
    levels = {switch.name: levels_of(switch, chance) for switch in others}
    length = searches * max(map(len, levels.values()))
    for row in zip(*(dealt(found, searches, length, chance) for found in levels.values()), strict=True):
        chosen = Features()
        for name, level in zip(levels, row, strict=True):
            chosen.set(name, level)
        for parameter in chance.sample(PARAMETERS, TUNED):
            chosen.set(PREFIX + parameter.name, str(chance.randint(parameter.least, parameter.most)))
        yield chosen


def add(totals: Counter[str], stats: dict[str, Any]) -> None:
    """Add the counters of a search, parts as key:part."""
    for key, value in stats.items():
        if isinstance(value, dict):
            totals.update({f"{key}:{part}": count for part, count in value.items()})
        elif isinstance(value, list):
            totals.update({f"{key}:{i}": count for i, count in enumerate(value)})
        else:
            totals[key] += value


def main(searches: int) -> None:
    """Search, check each answer, and fail if a counter of the statistics never moved: its technique was not tried.

    With fewer searches than usual some counters may rest.
    """
    chance = random.Random(20)
    games = [Game(fen) for fen in ("8/8/8/8/4k3/8/4P3/4K3 w - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")]
    games += list(random_positions(seed=5, count=60))
    searcher = Searcher(1)
    searcher.set_tables(Tables(str(SUPPORT / "syzygy")))
    seen: Counter[tuple[str, str]] = Counter()
    totals: Counter[str] = Counter()
    began = time.process_time()
    done = 0
    for chosen in plans(searches, chance):
        seen.update(chosen.settings().items())
        game = chance.choice(games)
        deep = done % DEEP == 0
        limits = Limits(depth=16, nodes=20_000) if deep else Limits(chance.randint(1, 6), chance.randint(50, 400))
        if done % 7 == 0:
            searcher.clear()
        result = searcher.search(game, chosen, limits)
        legal = game.legal_moves()
        assert result.move in legal if legal else result.move == 0
        line = game.copy()
        for move in result.pv:
            assert move in line.legal_moves(), (game.fen(), chosen.settings(), result.pv)
            line.push(move)
        add(totals, result.stats)
        done += 1
    for switch in SWITCHES:
        for level in switch.levels:
            assert seen[switch.name, level] >= searches, (switch.name, level)
    idle = [name for name, count in totals.items() if not count]
    assert not idle or searches < SEARCHES, f"never counted: {', '.join(idle)}"
    nodes = totals["main_nodes"] + totals["q_nodes"]
    print(
        f"{done} searches, {nodes} nodes, {time.process_time() - began:.0f} s CPU, in {Path(searching.__file__).parent}"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SEARCHES)
