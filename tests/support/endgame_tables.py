"""Syzygy tables for tests: the few stored here, the whole set of three and four men, and made-up files with a single value.

python tests/support/endgame_tables.py FOLDER      fetches the whole set (4 MB) from python-chess's source package on PyPI
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

import chess
import pytest

ROOT = Path(__file__).resolve().parents[2]
FEW = ROOT / "tests" / "support" / "syzygy"
ALL = Path(os.environ.get("SORTIE_SYZYGY", ROOT / "build" / "syzygy"))
SETS = (FEW, ALL)
SOURCE = "chess==1.11.2"


def fetch(folder: Path) -> int:
    """Fetches the tables into the folder; returns how many there are."""
    with tempfile.TemporaryDirectory() as work:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--no-binary", ":all:", "--dest", work, SOURCE], check=True)
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(next(Path(work).glob("chess-*.tar.gz"))) as archive:
            for member in archive.getmembers():
                found = archive.extractfile(member) if "/syzygy/regular/" in member.name else None
                if found is not None and member.name.endswith((".rtbw", ".rtbz")):
                    (folder / Path(member.name).name).write_bytes(found.read())
    return len(list(folder.glob("*.rtb?")))


def need(folder: Path) -> Path:
    """The folder, if there are tables in it; else the test is skipped."""
    if not any(folder.glob("*.rtbw")):
        pytest.skip("the Syzygy tables of three and four men are not there: make tables")
    return folder


def men_of(name: str) -> list[chess.Piece]:
    """The men in a table's name."""
    sides = zip(name.split("v"), (chess.WHITE, chess.BLACK), strict=True)
    return [chess.Piece(chess.PIECE_SYMBOLS.index(letter.lower()), colour) for men, colour in sides for letter in men]


def placed(name: str, rng: random.Random, fits: Callable[[chess.Board], bool]) -> chess.Board:
    """A legal position of these men, of either colour, that `fits`; sometimes en passant is possible."""
    while True:
        board = chess.Board(None)
        swap = rng.random() < 0.5
        men = men_of(name)
        for square, man in zip(rng.sample(range(64), len(men)), men, strict=True):
            board.set_piece_at(square, chess.Piece(man.piece_type, man.color ^ swap))
        board.turn = rng.random() < 0.5
        behind = -8 if board.turn == chess.BLACK else 8
        rank = 3 if board.turn == chess.BLACK else 4
        stepped = [s for s in board.pieces(chess.PAWN, not board.turn) if chess.square_rank(s) == rank]
        if stepped:
            board.ep_square = rng.choice(stepped) + behind
            if not board.has_legal_en_passant() or rng.random() < 0.3:
                board.ep_square = None
        if board.is_valid() and fits(board):
            return board


def write_constant(folder: Path, name: str, wdl: int, rng: random.Random) -> Path:
    """A WDL file of these men in which every position has the same value; the order of its men is a random valid one."""
    men = [man.piece_type | (8 if man.color == chess.BLACK else 0) for man in men_of(name)]
    counts = {man: men.count(man) for man in men}
    white, black = (counts.get(chess.PAWN | colour, 0) for colour in (0, 8))
    pawns = white + black > 0
    sides = 1 if name.split("v")[0] == name.split("v")[1] else 2
    data = bytearray(bytes.fromhex("71e8235d"))
    data.append((2 if pawns else 0) | (sides == 2))
    for _ in range(4 if pawns else 1):
        orders = [_order(counts, white, black, rng) for _ in range(sides)]
        for places in zip(*(places for places, _ in orders), strict=True):
            data.append(places[0] | places[-1] << 4)
        for both in zip(*(order for _, order in orders), strict=True):
            data.append(both[0] | both[-1] << 4)
    data += bytes(len(data) % 2)
    data += bytes([0x80, wdl + 2] * (sides * (4 if pawns else 1)))
    data += bytes(-len(data) % 64) + bytes(16)
    path = folder / f"{name}.rtbw"
    path.write_bytes(data)
    return path


def _order(counts: dict[int, int], white: int, black: int, rng: random.Random) -> tuple[list[int], list[int]]:
    """The places of the leading groups in the index, and the men in a file's order: groups of equal men, the leading one first."""
    rest = list(counts)
    rng.shuffle(rest)
    lead: list[int] = []
    if white + black:
        first = chess.PAWN if black == 0 or 0 < white <= black else chess.PAWN | 8
        lead = [first] + [man for man in (chess.PAWN ^ 8 ^ first ^ chess.PAWN,) if counts.get(man)]
    elif any(man & 7 != chess.KING and count == 1 for man, count in counts.items()):
        lead = [man for man in rest if counts[man] == 1][:3]
    else:
        lead = [chess.KING, chess.KING | 8]
    rest = lead + [man for man in rest if man not in lead]
    grouped = 1 if white + black else len(lead)
    groups = len(rest) - grouped + 1
    places = [rng.randrange(groups)]
    if white and black:
        places.append(rng.choice([place for place in range(groups) if place != places[0]]))
    return places, [man for man in rest for _ in range(counts[man])]


if __name__ == "__main__":
    print(f"{fetch(Path(sys.argv[1]))} tables in {sys.argv[1]}")
