"""Door: the interface through which play speaks to a protocol. Only type checkers import this module."""

from __future__ import annotations

from typing import Protocol

from engine.model import Info


class Door(Protocol):
    """What a search reports. All methods but `thinking` are called from the protocol's thread."""

    def note(self, text: str) -> None:
        """Pass on a remark for whoever reads the log."""

    def warn(self, text: str) -> None:
        """Pass on what a person must know: something that was asked for cannot be used."""

    def thinking(self, info: Info, fen: str, chess960: bool) -> None:
        """Pass on a line of the search of this position; called from the search's thread."""

    def stats(self, counters: dict[str, object]) -> None:
        """Pass on the counters of the search that has ended (option Stats)."""

    def settled(self) -> None:
        """No search that must end in a move is running any more: what waited for this may go on."""


class GameDoor(Door, Protocol):
    """What a game reports when the engine itself keeps track of its side, pondering and draw offers."""

    def book(self, shares: list[str]) -> None:
        """Pass on the moves of the book, `e4 64%` each, instead of a line of thinking."""

    def move(self, text: str) -> None:
        """Make our move, in coordinates."""

    def hint(self, text: str) -> None:
        """Name the reply that we ponder on, in coordinates."""

    def game_over(self, result: str, reason: str) -> None:
        """Announce that the rules have ended the game: `1-0`, `White mates`."""

    def offer_draw(self) -> None:
        """Offer a draw, or accept the opponent's offer."""

    def resign(self) -> None:
        """Resign."""
