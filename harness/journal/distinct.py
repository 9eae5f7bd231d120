"""Whether the games of a run differ: repeated games add nothing, and make intervals too narrow."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass

from harness.journal.journal import Reader
from harness.journal.record import UNREADABLE

BEGINNING = 2048  # bytes of a packed game: enough for the moves of all but the longest games
_HEAD = b'{"m":"'  # how `record.pack` begins: the moves, before the times


@dataclass(frozen=True, slots=True)
class Distinct:
    """How many games have moves, and how many of them repeat a game with a smaller id: same start and same moves."""

    games: int
    repeated: int

    def sentence(self) -> str:
        """The counts in one line of words."""
        if not self.games:
            return "no game has moves yet"
        if not self.repeated:
            return f"all {self.games} games differ" if self.games > 1 else "one game has moves"
        repeat, they = ("repeats", "it tells") if self.repeated == 1 else ("repeat", "they tell")
        return f"{self.repeated} of {self.games} games {repeat} another move for move: {they} nothing new"


def distinct(reader: Reader) -> Distinct:
    """Compare all games of the journal by their whole line, opening moves included."""
    seen: set[int] = set()
    games = repeated = 0
    # The join does not read moves: only the beginning of each game is needed, and the rest may be a hundred times as long.
    query = "SELECT games.id, games.fen, games.line FROM games JOIN moves ON moves.id = games.id ORDER BY games.id"
    for number, fen, line in reader.query(query):
        try:
            made = _start(reader.packed_moves(number, BEGINNING)) or line_of(reader.packed_moves(number))
        except UNREADABLE:
            raise reader.damaged(number) from None
        if not made:
            continue
        games += 1
        key = hash((fen, f"{line} {made}".strip()))
        if key in seen:
            repeated += 1
        seen.add(key)
    return Distinct(games, repeated)


def _start(beginning: bytes) -> str | None:
    """The engine moves in the beginning of a packed game; None if they go on beyond it, or there are none."""
    text = zlib.decompressobj().decompress(beginning, 4 * BEGINNING)
    if not text.startswith(_HEAD) or (end := text.find(b'"', len(_HEAD))) < 0:
        return None
    return text[len(_HEAD) : end].decode()


def line_of(blob: bytes) -> str:
    """The engine moves of a packed game, separated by blanks, without unpacking their times."""
    text = zlib.decompress(blob)
    if text.startswith(_HEAD):
        return text[len(_HEAD) : text.index(b'"', len(_HEAD))].decode()
    return str(json.loads(text)["m"])
