"""Plays games between scripted engines in this process and returns what the journal would keep of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import chess

from fake_engines import command
from harness.game.game import Rules
from harness.journal.record import unpack
from harness.model import GameRecord, Job, Limit, Opening, Player
from harness.slots.interface import Failed
from harness.slots.worker import SlotSpec, Worker

FAST = Limit(base=20.0, increment=0.1)
SHORT = Rules(patience=60.0, max_moves=6)  # for engines that may start slowly but then keep nobody waiting


def player(index: int, *words: str, uci: bool = False, limit: Limit = FAST, **more: object) -> Player:
    """Returns a scripted engine as a player."""
    protocol = "uci" if uci else "xboard"
    return Player(index, f"p{index}", command(*words, uci=uci), protocol, limit, **more)  # type: ignore[arg-type]


def play(
    players: Sequence[Player],
    rules: Rules = SHORT,
    games: int = 1,
    opening: Opening | None = None,
    record: Path | None = None,
) -> list[GameRecord | Failed]:
    """Plays games with alternating colours; the first player is White in the first."""
    start = opening or Opening(chess.STARTING_FEN, ("e2e4", "e7e5"))
    worker = Worker(SlotSpec(tuple(players), rules, record), lambda news: None)
    found: list[GameRecord | Failed] = []
    try:
        for number in range(games):
            outcome = worker.play(
                Job(number + 1, 0, number // 2 + 1, number % 2 + 1, number % 2, 1 - number % 2, start)
            )
            if isinstance(outcome, Failed):
                found.append(outcome)
            else:
                found.append(unpack(outcome.row, outcome.moves, outcome.evidence))
    finally:
        worker.close()
    return found


def play_patiently(
    players: Sequence[Player], good: Callable[[GameRecord | Failed], bool], games: int = 1, max_moves: int = 6
) -> list[GameRecord | Failed]:
    """Plays until every outcome is good, with more patience each time, and returns the last outcomes.

    With little patience, a sound engine on a busy machine seems not to start; with much, tests of what an engine
    fails to say are slow on every machine.
    """
    found: list[GameRecord | Failed] = []
    for patience in (1.0, 4.0, 16.0):
        found = play(players, Rules(patience=patience, max_moves=max_moves), games)
        if all(map(good, found)):
            break
    return found


def one(players: Sequence[Player], rules: Rules = SHORT, opening: Opening | None = None) -> GameRecord:
    """Plays one game that must be scored."""
    (game,) = play(players, rules, 1, opening)
    assert isinstance(game, GameRecord), game
    return game
