"""What play tells a protocol: the interface that each door implements. Only type checkers read this module."""

from __future__ import annotations

from typing import Protocol

from engine.model import Info


class Door(Protocol):
    """The way out of one search. All but `thinking` are called from the protocol's thread."""

    def note(self, text: str) -> None:
        """Pass on a remark for a person."""

    def thinking(self, info: Info, fen: str, chess960: bool) -> None:
        """Pass on a line about the search of this position; called from the search's thread."""

    def stats(self, counters: dict[str, object]) -> None:
        """Pass on what the search that has ended counted (option Stats)."""

    def settled(self) -> None:
        """No search runs any more that must end in a move: what waited for that may go on."""


class GameDoor(Door, Protocol):
    """The way out of a game in which the engine knows its side, pondering and draw offers for itself."""

    def book(self, shares: list[str]) -> None:
        """Pass on the moves of the book, `e4 64%` each, instead of a line of thinking."""

    def move(self, text: str) -> None:
        """Make our move, in coordinates."""

    def hint(self, text: str) -> None:
        """Name the reply that we ponder on, in coordinates."""

    def game_over(self, result: str, reason: str) -> None:
        """Claim the end of the game by its rules: `1-0`, `White mates`."""

    def offer_draw(self) -> None:
        """Offer a draw, or accept the opponent's offer."""

    def resign(self) -> None:
        """Give the game up."""
