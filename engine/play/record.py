"""The game so far as the protocol sees it: moves, null moves, take-backs, and who made each move."""

from __future__ import annotations

from engine.board.game import STARTPOS, Game


class Record:
    """A game that may contain null moves: each starts a new Game, because no repetition reaches across it."""

    def __init__(self, fen: str = STARTPOS, chess960: bool = False) -> None:
        """ValueError with the reason when the position is impossible."""
        self.game = Game(fen, chess960)
        self.movers: list[int] = []  # colour of each move made since the start position, null moves included
        self._earlier: list[Game] = []

    def push(self, move: int) -> None:
        """Make a legal move."""
        self.movers.append(self.game.turn)
        self.game.push(move)

    def push_null(self) -> bool:
        """Pass the move to the other side; False, and nothing changed, if that is impossible (in check)."""
        if self.game.in_check():
            return False
        board, turn, castling, _, _, number = self.game.fen().split()
        passed = Game(f"{board} {'b' if turn == 'w' else 'w'} {castling} - 0 {number}", self.game.chess960)
        self.movers.append(self.game.turn)
        self._earlier.append(self.game)
        self.game = passed
        return True

    def pop(self) -> int:
        """Take back the last move and return the colour that made it. IndexError if there is none."""
        mover = self.movers.pop()
        if self.game.ply:
            self.game.pop()
        else:
            self.game = self._earlier.pop()
        return mover

    def men(self) -> int:
        """Number of pieces on the board."""
        return sum(letter.isalpha() for letter in self.game.fen().split()[0])
