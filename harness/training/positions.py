"""Files of packed positions: read, written, shuffled and checked.

A file is a header of 32 bytes (`MAGIC`, filled up with zeros) and records of 32 bytes (`RECORD`), little-endian:

    occupancy  8 bytes: the occupied squares, bit 0 is a1, bit 63 h8
    pieces    16 bytes: four bits for each, in the order of the squares, the low half of a byte first;
              kind (0 pawn, knight, bishop, rook, queen, 5 king) + 8 for Black's
    score      2 bytes: centipawns from the side to move
    game       2 bytes: the number of its game modulo 65,536, so that whole games can be held out
    result     1 byte:  0 the side to move lost, 1 a draw, 2 it won, 3 unknown: a stray, a position beside its game
    side       1 byte:  0 White to move, 1 Black
    rule50     1 byte:  plies since a capture or a pawn's move
    rights     1 byte:  castling, 1 white short + 2 white long + 4 black short + 8 black long
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
import numpy as np
from numpy.typing import NDArray

from harness.errors import BadInput

SIZE = 32  # bytes of the header and of a record
MAGIC = b"Sortie positions 1\n"
HEADER = MAGIC.ljust(SIZE, b"\0")
RECORD = np.dtype(
    [
        ("occupancy", "<u8"),
        ("pieces", "u1", 16),
        ("score", "<i2"),
        ("game", "<u2"),
        ("result", "u1"),
        ("side", "u1"),
        ("rule50", "u1"),
        ("rights", "u1"),
    ]
)
Records = NDArray[np.void]

UNKNOWN = 3  # the result of a stray
MOST_SCORE = 2000  # centipawns; positions beyond it are decided and teach nothing
BUCKET = 1 << 21  # records that `shuffle` holds in memory at a time: 64 MiB
RIGHTS = ((chess.H1, 1), (chess.A1, 2), (chess.H8, 4), (chess.A8, 8))


def read(path: Path | str) -> Records:
    """The records of a file, mapped into memory. Raises BadInput for a missing, foreign or torn file."""
    name = Path(path)
    try:
        size = name.stat().st_size
        if not (name.is_file() or name.is_dir()):  # a folder is refused by open(), a pipe would be waited for
            raise BadInput(f"{path}: is no regular file, expected one written by gauntlet data")
        with name.open("rb") as file:
            head = file.read(SIZE)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from None
    if head != HEADER:
        raise BadInput(f"{path}: is no file of positions, expected one written by gauntlet data")
    if size % SIZE:
        raise BadInput(f"{path}: is cut short: {size} bytes are no whole number of records of {SIZE} bytes")
    if size == SIZE:
        return np.empty(0, dtype=RECORD)
    return np.memmap(name, dtype=RECORD, mode="r", offset=SIZE)


def write(path: Path | str, parts: Sequence[Records] | Iterator[Records]) -> int:
    """Write a file of these records; returns how many. The old file stays until the new one is whole; a link stays a link."""
    name = Path(path).resolve()
    if name.exists() and not name.is_file():
        raise BadInput(f"{path}: is no regular file")
    count = 0
    try:
        with tempfile.NamedTemporaryFile(dir=name.parent, prefix=f".{name.name}.", delete=False) as file:
            try:
                file.write(HEADER)
                for part in parts:
                    file.write(part.tobytes())
                    count += len(part)
                file.flush()
                os.chmod(file.name, 0o644)
                os.replace(file.name, name)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from None
    return count


def pack(board: chess.Board, score: int, result: int, game: int) -> bytes:
    """The record of a position; score and result (0, 1, 2) are those of the side to move."""
    record = np.zeros(1, dtype=RECORD)
    record["occupancy"] = board.occupied
    for place, square in enumerate(chess.scan_forward(board.occupied)):
        piece = board.piece_at(square)
        assert piece is not None
        code = piece.piece_type - 1 + (0 if piece.color else 8)
        record["pieces"][0, place >> 1] |= code << 4 * (place & 1)
    record["score"], record["game"], record["result"] = score, game & 0xFFFF, result
    record["side"] = 0 if board.turn else 1
    record["rule50"] = min(255, board.halfmove_clock)
    record["rights"] = sum(bit for square, bit in RIGHTS if board.clean_castling_rights() & chess.BB_SQUARES[square])
    return record.tobytes()


def board_of(record: np.void) -> chess.Board:
    """The position of a record; it keeps neither en passant nor the move number."""
    board = chess.Board(None)
    for place, square in enumerate(chess.scan_forward(int(record["occupancy"]))):
        code = int(record["pieces"][place >> 1]) >> 4 * (place & 1) & 15
        board.set_piece_at(square, chess.Piece((code & 7) + 1, code < 8))
    board.turn = not record["side"]
    board.halfmove_clock = int(record["rule50"])
    for square, bit in RIGHTS:
        if int(record["rights"]) & bit:
            board.castling_rights |= chess.BB_SQUARES[square]
    return board


def codes(records: Records) -> NDArray[np.uint8]:
    """The pieces of each record: a row of 32 codes in the order of the squares, filled up with 15."""
    pieces = np.asarray(records["pieces"])
    found = np.empty((len(records), 32), dtype=np.uint8)
    found[:, 0::2] = pieces & 15
    found[:, 1::2] = pieces >> 4
    count = np.bitwise_count(np.asarray(records["occupancy"]))
    found[np.arange(32) >= count[:, None]] = 15
    return found


@dataclass(frozen=True, slots=True)
class Summary:
    """What a file holds. Results are White's and shares of the games' positions, scores are centipawns for the side to move."""

    positions: int
    games: int  # runs of records of one game: the number of games unless the file is shuffled
    won: float
    drawn: float
    lost: float
    score_mean: float
    score_deviation: float
    pieces: tuple[float, ...]  # by bucket of the network: 4 pieces each
    repeated: float  # share of records with the pieces and side to move of an earlier one
    strays: int


def check(path: Path | str, sample: int = 20_000) -> Summary:
    """Check every record, and `sample` of them with python-chess. Raises BadInput that names the first bad one."""
    records = read(path)
    if not len(records):
        raise BadInput(f"{path}: holds no positions")
    refuse_damaged(path, records)
    buckets = np.zeros(8)
    hashes = []
    for first in range(0, len(records), BUCKET):
        part = np.asarray(records[first : first + BUCKET])
        buckets += np.bincount((np.bitwise_count(part["occupancy"]) - 1) // 4, minlength=8)
        mixed = part["occupancy"] * np.uint64(0x9E3779B97F4A7C15)
        for half in part["pieces"].copy().view("<u8").T:
            mixed = (mixed ^ half) * np.uint64(0xD6E8FEB86659FD93)
            mixed ^= mixed >> np.uint64(32)
        hashes.append(mixed ^ part["side"])
    for index in np.unique(np.linspace(0, len(records) - 1, min(sample, len(records))).astype(np.int64)):
        board = board_of(records[index])
        if not board.is_valid() or board.is_check():
            raise BadInput(f"{path}: position {index + 1} is impossible or in check: {board.fen()}")
    side, result = np.asarray(records["side"]), np.asarray(records["result"])
    played = result != UNKNOWN
    white = np.where(side == 1, 2 - result, result)[played]
    known = max(1, len(white))
    scores = np.asarray(records["score"]).astype(np.float64)
    different = len(np.unique(np.concatenate(hashes)))
    return Summary(
        positions=len(records),
        games=1 + int(np.count_nonzero(np.diff(np.asarray(records["game"]).astype(np.int32)))),
        won=np.count_nonzero(white == 2) / known,
        drawn=np.count_nonzero(white == 1) / known,
        lost=np.count_nonzero(white == 0) / known,
        score_mean=float(scores.mean()),
        score_deviation=float(scores.std()),
        pieces=tuple(float(share) for share in buckets / len(records)),
        repeated=1 - different / len(records),
        strays=len(records) - int(np.count_nonzero(played)),
    )


def refuse_damaged(path: Path | str, records: Records) -> None:
    """Raises BadInput for the first impossible record: a field out of range, a missing king, a pawn on an end rank.

    The trainer's kernel relies on it: such fields would be places outside its arrays. A million records take 0.6 s.
    """
    for first in range(0, len(records), BUCKET):
        _refuse(path, first, np.asarray(records[first : first + BUCKET]))


def sample(files: Sequence[Path | str], most: int) -> Records:
    """`most` records at most, as many of each file if it has so many, evenly spread over it.

    Raises BadInput for a file that cannot be used or holds none.
    """
    parts = []
    for file in files:
        found = read(file)
        refuse_damaged(file, found)
        if not len(found):
            raise BadInput(f"{file}: holds no positions")
        parts.append(np.asarray(found[:: -(-len(found) * len(files) // most)]))
    return np.concatenate(parts)


def _refuse(path: Path | str, first: int, part: Records) -> None:
    occupancy = part["occupancy"]
    count = np.bitwise_count(occupancy)
    found = codes(part)
    place = np.arange(32)
    real = place < count[:, None]  # not by their codes: a damaged one may be 15
    kinds = found & 7
    faults = {
        "2 to 32 pieces": (count < 2) | (count > 32),
        f"a result of 0 to {UNKNOWN}": part["result"] > UNKNOWN,
        "side 0 or 1": part["side"] > 1,
        "castling rights of 0 to 15": part["rights"] > 15,
        f"a score below {MOST_SCORE} either way": np.abs(part["score"].astype(np.int32)) >= MOST_SCORE,
        "pieces from pawn to king": np.any(real & (kinds > 5), axis=1),
        "one king each": (np.count_nonzero(found == 5, axis=1) != 1) | (np.count_nonzero(found == 13, axis=1) != 1),
    }
    # The pieces on the first rank come first and those on the last rank last: no pawn may be among them.
    low = np.bitwise_count(occupancy & np.uint64(0xFF))
    high = np.bitwise_count(occupancy & ~np.uint64(0xFF << 56))
    ends = (place < low[:, None]) | ((place >= high[:, None]) & real)
    faults["no pawn on the first or last rank"] = np.any(ends & real & (kinds == 0), axis=1)
    # A castling right goes with a king and a rook on their squares.
    rows = np.arange(len(part))
    for bit, king, rook, code in ((1, 4, 7, 0), (2, 4, 0, 0), (4, 60, 63, 8), (8, 60, 56, 8)):
        lacking = np.zeros(len(part), dtype=np.bool_)
        for square, kind in ((king, 5), (rook, 3)):
            rank = np.bitwise_count(occupancy & np.uint64((1 << square) - 1)).clip(0, 31)
            stands = (occupancy >> np.uint64(square)) & np.uint64(1) == 1
            lacking |= ~stands | (found[rows, rank] != kind + code)
        words = "castling rights only with king and rook at home"
        faults[words] = faults.get(words, False) | ((part["rights"] & bit != 0) & lacking)
    bad = np.any(list(faults.values()), axis=0)
    if bad.any():
        index = int(np.argmax(bad))
        wanted = next(words for words, wrong in faults.items() if wrong[index])
        raise BadInput(f"{path}: position {first + index + 1} is damaged: expected {wanted}")


def shuffle(paths: Sequence[Path | str], out: Path | str, seed: int) -> int:
    """Write the positions of all files to `out` in random order; returns how many. Memory stays below 200 MiB.

    Each record goes to a random bucket and each bucket is shuffled, so that every order is equally likely.
    """
    sources = [read(path) for path in paths]
    total = sum(len(source) for source in sources)
    if not total:
        raise BadInput(f"{', '.join(map(str, paths))}: no positions to shuffle")
    chance = np.random.default_rng(seed)
    number = -(-total // (BUCKET // 2))
    try:
        with tempfile.TemporaryDirectory(dir=Path(out).resolve().parent) as scratch:
            files = [open(Path(scratch) / str(index), "w+b") for index in range(number)]  # noqa: SIM115
            try:
                for source in sources:
                    for first in range(0, len(source), BUCKET):
                        part = np.asarray(source[first : first + BUCKET])
                        place = chance.integers(number, size=len(part))
                        for index, file in enumerate(files):
                            file.write(part[place == index].tobytes())

                def shuffled() -> Iterator[Records]:
                    for file in files:
                        file.seek(0)
                        records = np.frombuffer(file.read(), dtype=RECORD)
                        yield records[chance.permutation(len(records))]

                return write(out, shuffled())
            finally:
                for file in files:
                    file.close()
    except OSError as error:
        raise BadInput(f"{out}: cannot be written: {error.strerror}") from None
