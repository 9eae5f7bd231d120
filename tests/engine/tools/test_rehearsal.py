"""The rehearsal for GCC's profile searches every level of every switch, in few nodes."""

from __future__ import annotations

from typing import Any

import pytest

from engine.model import Limits
from engine.search.threads import Searcher
from engine.tools import rehearsal
from engine.variant.features import SWITCHES, Features


def test_every_level_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[tuple[str, str]] = set()
    nodes = 0

    class Watched:
        def __init__(self, memory: int) -> None:
            self.searcher = Searcher(memory)

        def clear(self) -> None:
            self.searcher.clear()

        def search(self, game: Any, features: Features, limits: Limits) -> None:
            nonlocal nodes
            found = self.searcher.search(game, features, limits)
            nodes += found.nodes
            seen.update(features.settings().items())

    monkeypatch.setattr(rehearsal, "Searcher", Watched)
    rehearsal.main()
    for switch in SWITCHES:
        levels = (str(switch.minimum), str(switch.maximum)) if switch.kind == "spin" else switch.levels
        missing = [level for level in levels if (switch.name, level) not in seen]
        assert not missing, (switch.name, missing)
    assert 300_000 < nodes < 2_000_000
