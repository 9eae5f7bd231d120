"""Opening book in the Polyglot format, read by binary search in the file.

A book is a sorted array of 16-byte big-endian records: position key (8), move (2), weight (2), learning data (4).
The key is the exclusive-or of fixed random numbers (engine/play/polyglot_keys.py) for every piece on its square, the castling
rights, the en-passant file if a pawn stands beside the one that has just moved two squares, and White to move.
"""

from __future__ import annotations

import os
import stat
import struct
import sys

from engine.model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.board.game import Game

RECORD = 16
KINDS = "pPnNbBrRqQkK"  # a man's index times 64: where the numbers of its kind begin
PROMOTIONS = " nbrq"


class BookMove(Value):
    """A legal book move: its kernel code and its weight."""

    __slots__ = ()
    move: int
    weight: int


def _board(field: str) -> dict[int, str]:
    """Square (a1 = 0, h8 = 63) to man, from the first field of a FEN."""
    men = {}
    for row, rank in enumerate(field.split("/")):
        file = 0
        for letter in rank:
            if letter.isdigit():
                file += int(letter)
            else:
                men[(7 - row) * 8 + file] = letter
                file += 1
    return men


def castling_letters(field: str, men: dict[int, str]) -> str:
    """The rights as the letters KQkq; file letters are read by the side of the king they lie on."""
    rights = ""
    for letter in field:
        if letter in "KQkq":
            rights += letter
        elif letter != "-":
            king = next((square for square, man in men.items() if man == ("K" if letter.isupper() else "k")), 0)
            side = "k" if ord(letter.lower()) - ord("a") > king % 8 else "q"
            rights += side.upper() if letter.isupper() else side
    return rights


def key(fen: str) -> int:
    """The Polyglot key of a position."""
    from engine.play.polyglot_keys import (  # 781 numbers that a game without a book never needs
        CASTLE,
        EN_PASSANT,
        KEYS,
        TURN,
    )

    fields = fen.split()
    men = _board(fields[0])
    value = 0
    for square, man in men.items():
        value ^= KEYS[KINDS.index(man) * 64 + square]
    for letter in castling_letters(fields[2], men):
        value ^= KEYS[CASTLE + "KQkq".index(letter)]
    if fields[3] != "-":
        file, white = ord(fields[3][0]) - ord("a"), fields[1] == "w"
        rank, pawn = (4, "P") if white else (3, "p")
        if any(0 <= beside < 8 and men.get(rank * 8 + beside) == pawn for beside in (file - 1, file + 1)):
            value ^= KEYS[EN_PASSANT + file]
    return value ^ KEYS[TURN] if fields[1] == "w" else value


def _coordinates(code: int) -> str:
    """The text of a book move; castling is left as king takes own rook."""
    to_file, to_rank, from_file, from_rank = code & 7, code >> 3 & 7, code >> 6 & 7, code >> 9 & 7
    promotion = code >> 12 & 7
    text = f"{'abcdefgh'[from_file]}{from_rank + 1}{'abcdefgh'[to_file]}{to_rank + 1}"
    return text + PROMOTIONS[promotion].strip() if promotion < len(PROMOTIONS) else ""


def _king_takes_rook(text: str, men: dict[int, str]) -> str:
    """`O-O` or `O-O-O` if `text` is king takes own rook, else `text`."""
    if len(text) < 4:
        return text
    origin, target = (ord(text[i]) - ord("a") + 8 * (ord(text[i + 1]) - ord("1")) for i in (0, 2))
    if (men.get(origin), men.get(target)) in (("K", "R"), ("k", "r")):
        return "O-O" if target > origin else "O-O-O"
    return text


class Book:
    """An open book file. OSError if it cannot be read, ValueError if it is not a Polyglot book."""

    def __init__(self, path: str) -> None:
        self.path = path
        # A pipe might keep the engine waiting for ever; for a directory the system's own error is clear.
        if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
            raise ValueError("is no regular file")
        self._file = open(path, "rb", buffering=0)  # noqa: SIM115  (kept open for the life of the book)
        try:
            self._check()
        except (OSError, ValueError):
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _check(self) -> None:
        size = os.fstat(self._file.fileno()).st_size
        if size == 0 or size % RECORD:
            raise ValueError(f"{size} bytes are no whole number of 16-byte records")
        self._count = size // RECORD
        previous = -1
        step = max(1, self._count // 64)
        for index in range(0, self._count, step):  # a sample: damage that matters puts keys out of order
            current = self._record(index)[0]
            if current < previous:
                raise ValueError(f"record {index} is out of order")
            previous = current

    def _record(self, index: int) -> tuple[int, int, int]:
        """Key, move and weight of the record; ValueError when the file ends before it."""
        self._file.seek(index * RECORD)
        data = self._file.read(RECORD)
        if len(data) != RECORD:
            raise ValueError(f"record {index} is cut off")
        return struct.unpack(">QHH4x", data)

    def _first(self, wanted: int) -> int:
        """The index of the first record whose key is not below `wanted`."""
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            if self._record(middle)[0] < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def moves(self, game: Game) -> list[BookMove]:
        """The book's legal moves in this position, heaviest first; moves of weight 0 are left out."""
        fen = game.fen()
        wanted = key(fen)
        men = _board(fen.split()[0])
        found: dict[int, int] = {}
        index = self._first(wanted)
        while index < self._count:
            position, code, weight = self._record(index)
            if position != wanted:
                break
            index += 1
            move = game.parse(_king_takes_rook(_coordinates(code), men))
            if move and weight:
                found[move] = found.get(move, 0) + weight
        return [BookMove(move, weight) for move, weight in sorted(found.items(), key=lambda item: -item[1])]


class Shelf:
    """The book in use: opened when first needed; a missing or damaged book costs a note and is not used."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._path: str | None = None
        self._book: Book | None = None

    def open(self, path: str) -> None:
        """Use the book at `path`, the shipped one if that is empty. The same path is not tried twice."""
        path = path or shipped()
        if path == self._path:
            return
        self._close()
        self._path = path
        if not path:
            return
        try:
            self._book = Book(path)
        except (OSError, ValueError) as error:
            self._note(f"no book: {path}: {getattr(error, 'strerror', None) or error}")

    def moves(self, game: Game) -> list[BookMove]:
        """The open book's moves in this position, heaviest first; none without a book."""
        if self._book is None:
            return []
        try:
            return self._book.moves(game)
        except (OSError, ValueError) as error:
            self._note(f"no book: {self._path}: {getattr(error, 'strerror', None) or error}")
            self._close()
            return []

    @staticmethod
    def shares(moves: list[BookMove], game: Game) -> list[str]:
        """`e4 64%` for each move: SAN and its share of the weights."""
        total = sum(entry.weight for entry in moves)
        return [f"{game.san(entry.move)} {round(100 * entry.weight / total)}%" for entry in moves]

    @staticmethod
    def pick(moves: list[BookMove]) -> int:
        """A random move, in proportion to the weights; `moves` must not be empty."""
        point = int.from_bytes(os.urandom(8), "big") % sum(entry.weight for entry in moves)
        for entry in moves:
            point -= entry.weight
            if point < 0:
                return entry.move
        raise AssertionError("the weights add up")

    def _close(self) -> None:
        if self._book is not None:
            self._book.close()
        self._book = None


def shipped() -> str:
    """The path of the book that comes with Sortie, empty when there is none."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # The standalone program keeps its packages in a folder of their own; the files meant for people are beside the program.
    home = os.path.dirname(sys.executable if hasattr(sys, "frozen") else package)
    path = os.path.join(home, "openings", "sortie.bin")
    return path if os.path.isfile(path) else ""
