"""The opening book that the options name, opened when it is first needed."""

from __future__ import annotations

from engine.board.game import Game
from engine.play.options import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.play.book import BookMove, Shelf


class Library:
    """The book's moves in a position. A missing or damaged book gives one note, and no moves."""

    def __init__(self, settings: Settings, note: Callable[[str], None]) -> None:
        self._settings = settings
        self._note = note
        self._shelf: Shelf | None = None

    def open(self) -> Shelf:
        """Open the book that BookFile names."""
        if self._shelf is None:
            from engine.play.book import Shelf  # a game without a book never loads it

            self._shelf = Shelf(self._note)
        self._shelf.open(self._settings.get("BookFile"))
        return self._shelf

    def moves(self, game: Game) -> list[BookMove]:
        """The book's moves, heaviest first, whether or not OwnBook is on."""
        return self.open().moves(game)

    def playable(self, game: Game, excluded: set[int]) -> list[BookMove]:
        """The moves that may be played from the book: none unless OwnBook is on."""
        if not self._settings.on("OwnBook"):
            return []
        return [entry for entry in self.moves(game) if entry.move not in excluded]

    def lines(self, game: Game) -> list[str]:
        """`e4 64%` for each book move, heaviest first."""
        return self.open().shares(self.moves(game), game)

    def pick(self, entries: list[BookMove]) -> int:
        """A random one of the moves, in proportion to their weights."""
        return self.open().pick(entries)
