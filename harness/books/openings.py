"""Opening files: EPD, PGN, TSV and Polyglot, plain or gzipped, checked line by line before the first game."""

from __future__ import annotations

import functools
import gzip
import random
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import chess.polyglot

from harness.books.pgn_reader import Unclosed, games
from harness.errors import BadInput
from harness.model import Opening

SUFFIXES = (".epd", ".pgn", ".tsv", ".bin")
BOOK_PLIES = 16  # how far a Polyglot book is followed if `plies` is not given
MOST_LINES = 200_000
MOST_BYTES = 1 << 28  # unpacked
ENTRY = struct.Struct(">QHHI")  # key, move, weight, learn
_COORDINATES = re.compile(r"[a-h][1-8][a-h][1-8][qrbnQRBN]?")
_NUMBER = re.compile(r"\d+\.+")
_FIRST = re.compile(r"[a-h](?:x[a-h])?[1-8]|N[a-h1-8x]{1,3}\d?|[a-h][1-8][a-h][1-8]")
_ECO = re.compile(r"[A-E]\d\d")
_ENDINGS = ("1-0", "0-1", "1/2-1/2", "*")


class _Mistake(Exception):
    """What is wrong with one line; the reader adds the file and the number of the line."""


@functools.cache
def read(file: Path, plies: int | None = None, chess960: bool = False) -> tuple[Opening, ...]:
    """Every distinct opening of the file, in its order, each cut to `plies`.

    Raises BadInput naming FILE:LINE for the first line that is not a legal opening.
    """
    suffixes = [suffix.lower() for suffix in file.suffixes]
    zipped = bool(suffixes) and suffixes[-1] == ".gz"
    kind = (suffixes[-2] if len(suffixes) > 1 else "") if zipped else (suffixes[-1] if suffixes else "")
    if kind not in SUFFIXES:
        raise BadInput(f"{file}: openings must be {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}, perhaps with .gz")
    try:
        with gzip.open(file) if zipped else open(file, "rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise BadInput(f"{file}: is not a whole gzip file") from None
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise BadInput(f"{file}: holds more than {MOST_BYTES >> 20} MB: no opening file does")
    if kind == ".bin":
        return _distinct(file, _polyglot(file, data, plies, chess960))
    readers = {".epd": _epd, ".pgn": _pgn, ".tsv": _tsv}
    try:
        return _distinct(file, readers[kind](decode(data), plies, chess960))
    except (_LineMistake, Unclosed) as mistake:
        raise BadInput(f"{file}:{mistake.line}: {mistake}") from None


class _LineMistake(Exception):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def decode(data: bytes) -> str:
    """The text as UTF-8, with or without a byte-order mark, else as old PGN files have it: as Windows-1252, or as Latin-1 where a
    byte has no meaning there. Lines end in a newline only.
    """
    for encoding in ("utf-8-sig", "cp1252", "latin-1"):
        try:
            text = data.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _distinct(file: Path, found: Iterator[Opening]) -> tuple[Opening, ...]:
    """The openings without duplicates, which would be played twice before others were played once."""
    seen: dict[tuple[str, tuple[str, ...]], Opening] = {}
    for opening in found:
        seen.setdefault((opening.fen, opening.moves), opening)
        if len(seen) > MOST_LINES:
            raise BadInput(f"{file}: more than {MOST_LINES} openings")
    if not seen:
        raise BadInput(f"{file}: holds no opening")
    return tuple(seen.values())


def board_of(fen: str, chess960: bool) -> chess.Board:
    """The position; refused with a reason unless a game can be played from it."""
    try:
        board = chess.Board(fen, chess960=chess960)
    except ValueError as error:
        raise _Mistake(f"not a position: {error}") from None
    status = board.status()
    if status != chess.STATUS_VALID:
        if status == chess.STATUS_BAD_CASTLING_RIGHTS and not chess960:
            raise _Mistake("not a legal position: castling rights without king and rook at home (chess960 = true?)")
        words = ", ".join(
            flag.name.lower().replace("_", " ") for flag in chess.Status if flag and flag & status and flag.name
        )
        raise _Mistake(f"not a legal position: {words}")
    return board


def _move(board: chess.Board, word: str, made: int) -> chess.Move:
    """The legal move that a word names; `made` is the number of moves before it."""
    try:
        move = board.parse_uci(word.lower()) if _COORDINATES.fullmatch(word) else board.parse_san(word)
    except ValueError:
        raise _Mistake(f'"{word}" is not a legal move after {made} {"ply" if made == 1 else "plies"}') from None
    if not move:
        raise _Mistake(f'"{word}" is no move')
    return move


class _Path:
    """The boards along the last line read: most lines begin like the one before, which saves two moves in three."""

    def __init__(self) -> None:
        self._start = ("", False)
        self._fen = ""  # of the start, as in an opening
        self._words: list[str] = []
        self._moves: list[str] = []
        self._boards: list[chess.Board] = []  # before each move and after the last

    def follow(self, fen: str, chess960: bool, words: list[str], name: str) -> tuple[Opening, chess.Board]:
        """The opening with the moves that these words name, and the board at its end."""
        if self._start != (fen, chess960):
            self._boards = [board_of(fen, chess960)]
            self._fen = self._boards[0].fen(en_passant="fen")
            self._start, self._words, self._moves = (fen, chess960), [], []
        pairs = enumerate(zip(words, self._words, strict=False))
        same = next((place for place, (one, other) in pairs if one != other), min(len(words), len(self._words)))
        del self._words[same:], self._moves[same:], self._boards[same + 1 :]
        for word in words[same:]:
            board = self._boards[-1].copy(stack=False)
            move = _move(board, word, len(self._moves))
            self._words.append(word)
            self._moves.append(board.uci(move))
            board.push(move)
            self._boards.append(board)
        return Opening(self._fen, tuple(self._moves), name), self._boards[-1]


def _over(board: chess.Board) -> bool:
    return not any(board.legal_moves) or board.is_insufficient_material() or board.halfmove_clock >= 100


def _epd(text: str, plies: int | None, chess960: bool) -> Iterator[Opening]:
    """EPD lines and bare FENs; blank lines and lines that begin with # are skipped."""
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            fen, operations = split_epd(line)
            board = board_of(fen, chess960)
            if _over(board):
                raise _Mistake("the game is over before it begins")
            yield Opening(board.fen(en_passant="fen"), (), operations.get("id", ""))
        except _Mistake as mistake:
            raise _LineMistake(number, str(mistake)) from None


def split_epd(line: str) -> tuple[str, dict[str, str]]:
    """The six FEN fields of an EPD line or FEN, and its operations as text without quotes."""
    fields = line.split(None, 4)
    if len(fields) < 4:
        raise _Mistake(f"not a position: {len(fields)} of the four fields board, side, castling, en passant")
    rest = fields[4] if len(fields) == 5 else ""
    clocks = re.match(r"(\d+)\s+(\d+)(?=\s|;|$)", rest)
    halfmoves, moves = (clocks[1], clocks[2]) if clocks else ("0", "1")
    operations: dict[str, str] = {}
    for match in re.finditer(
        r"""([A-Za-z]\w*)\s*((?:"[^"]*"|[^;"])*)(?:;|$)""", rest[clocks.end() :] if clocks else rest
    ):
        operations.setdefault(match[1], match[2].strip().strip('"'))
    if not clocks:
        halfmoves = operations.get("hmvc", "0") if operations.get("hmvc", "0").isdigit() else "0"
        moves = operations.get("fmvn", "1") if operations.get("fmvn", "1").isdigit() else "1"
    return " ".join([*fields[:4], halfmoves, moves]), operations


def _pgn(text: str, plies: int | None, chess960: bool) -> Iterator[Opening]:
    """The main line of every game, from its FEN tag or the start position; lines in which the game ends are left out."""
    for game in games(text):
        line = game.line
        try:
            board = board_of(game.tags.get("FEN", chess.STARTING_FEN), chess960)
            start = board.fen(en_passant="fen")
            name = game.tags.get("Opening") or game.tags.get("ECO") or ""
            moves: list[str] = []
            for move_line, word in game.moves[:plies]:
                line = move_line
                move = _move(board, word, len(moves))
                moves.append(board.uci(move))
                board.push(move)
            if not _over(board):
                yield Opening(start, tuple(moves), name)
        except _Mistake as mistake:
            raise _LineMistake(line, str(mistake)) from None


def _tsv(text: str, plies: int | None, chess960: bool) -> Iterator[Opening]:
    """Tab-separated lines. A header names the columns moves (or pgn), fen, name, eco; without one the moves or the
    FEN are recognised. Moves are played from the start position; a FEN counts only if there are no moves.
    Lines in which the game ends are left out: some in opening collections end in mate."""
    header: list[str] | None = None
    first = True
    path = _Path()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        names = [cell.lower() for cell in cells]
        if first and {"moves", "pgn", "fen"} & set(names):
            header, first = names, False
            continue
        first = False
        try:
            row = dict(zip(header, cells, strict=False)) if header else _guess(cells)
            words = _NUMBER.sub(" ", row.get("moves") or row.get("pgn") or "").split()
            words = [word for word in words if word not in _ENDINGS]
            fen = chess.STARTING_FEN
            if not words:
                if not row.get("fen"):
                    raise _Mistake("neither moves nor a FEN")
                fen = split_epd(row["fen"])[0]
            opening, board = path.follow(fen, chess960, words[:plies], row.get("name") or row.get("eco") or "")
            if not _over(board):
                yield opening
        except _Mistake as mistake:
            raise _LineMistake(number, str(mistake)) from None


def _guess(cells: list[str]) -> dict[str, str]:
    """The cells of a row without a header by name: a FEN has a board of eight ranks, moves begin with a first move."""
    row: dict[str, str] = {}
    for cell in cells:
        words = _NUMBER.sub(" ", cell).split()
        if cell.split(" ")[0].count("/") == 7:
            row.setdefault("fen", cell)
        elif words and _FIRST.fullmatch(words[0]):
            row.setdefault("moves", cell)
        elif _ECO.fullmatch(cell):
            row.setdefault("eco", cell)
        elif cell:
            row.setdefault("name", cell)
    return row


def _polyglot(file: Path, data: bytes, plies: int | None, chess960: bool) -> Iterator[Opening]:
    """All lines of the book from the start position, heaviest moves first, to the end of the book or `plies`.

    Lines in which the game ends are left out.
    """
    if chess960:
        raise BadInput(f"{file}: a Polyglot book knows no Fischer random positions")
    if not data or len(data) % 16:
        raise BadInput(f"{file}: is not a Polyglot book: {len(data)} bytes are no whole number of 16-byte entries")
    entries: dict[int, list[tuple[int, int]]] = {}
    previous = -1
    for number, (key, raw, weight, _) in enumerate(ENTRY.iter_unpack(data), 1):
        if key < previous:
            raise BadInput(f"{file}: is not a Polyglot book: entry {number} is out of order")
        previous = key
        if weight:
            entries.setdefault(key, []).append((weight, raw))
    limit = BOOK_PLIES if plies is None else plies
    yield from _walk(chess.Board(), entries, [], set(), limit)


def _walk(
    board: chess.Board, entries: dict[int, list[tuple[int, int]]], line: list[str], seen: set[int], limit: int
) -> Iterator[Opening]:
    key = chess.polyglot.zobrist_hash(board)
    moves = []
    if len(line) < limit and key not in seen:
        for _, raw in sorted(entries.get(key, ()), key=lambda entry: -entry[0]):
            move = book_move(board, raw)
            if move is not None:
                moves.append(move)
    if not moves:
        if line and not _over(board):
            yield Opening(chess.STARTING_FEN, tuple(line))
        return
    for move in moves:
        word = board.uci(move)
        board.push(move)
        yield from _walk(board, entries, [*line, word], seen | {key}, limit)
        board.pop()


def book_move(board: chess.Board, raw: int) -> chess.Move | None:
    """The legal move in a Polyglot entry (castling is king takes rook there), or None."""
    promotion = raw >> 12 & 7
    move = chess.Move(raw >> 6 & 63, raw & 63, promotion + 1 if promotion else None)
    king_at_home = board.piece_type_at(move.from_square) == chess.KING
    castling = {"e1h1": "e1g1", "e1a1": "e1c1", "e8h8": "e8g8", "e8a8": "e8c8"}
    if king_at_home and move.uci() in castling and board.is_castling(move):
        move = chess.Move.from_uci(castling[move.uci()])
    return move if board.is_legal(move) else None


def pick_by_pair(count: int, order: str, seed: int, start: int = 1) -> Callable[[int], int]:
    """A function from pair n (from 1) to one of `count` openings; none is repeated before all have been used.

    The seed fixes a random order; a sequential one begins with opening `start`.
    """
    cycles: dict[int, list[int]] = {}

    def index(pair: int) -> int:
        cycle, place = divmod(pair - 1, count)
        if order == "sequential":
            return (place + start - 1) % count
        if cycle not in cycles:
            cycles.clear()
            cycles[cycle] = list(range(count))
            random.Random(f"{seed}:{cycle}").shuffle(cycles[cycle])
        return cycles[cycle][place]

    return index
