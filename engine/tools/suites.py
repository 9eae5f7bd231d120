"""Files of positions: EPD lines or FENs, followed by move counts for perft."""

from __future__ import annotations

from typing import NamedTuple

from engine.board.game import Game
from engine.play.clock import parse_whole

MOST_DEPTH = 30  # plies of a perft


class Entry(NamedTuple):
    """One line of a suite: its place in the file, its position, and the expected move counts by depth."""

    line: int
    fen: str
    counts: tuple[tuple[int, int], ...] = ()


def read_lines(path: str) -> list[tuple[int, str]]:
    """(number, text) of each line that is neither blank nor a `#` comment; ValueError if there is none."""
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8-sig")
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: expected a text file of positions") from None
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if not lines:
        raise ValueError(f"{path}: no positions in this file, expected EPD lines or FENs")
    return lines


def fen_of(text: str) -> str:
    """The FEN that an EPD line or a FEN starts with: four fields, and the two counters when both are there."""
    fields = text.split(";")[0].split()
    counters = fields[4:6]
    if len(counters) == 2 and all(counter.isdecimal() for counter in counters):
        return " ".join(fields[:6])
    return " ".join(fields[:4])


def needs_chess960(fen: str) -> bool:
    """Whether the castling field names rooks by file letters."""
    fields = fen.split()
    return len(fields) > 2 and any(letter in "ABCDEFGHabcdefgh" for letter in fields[2])


def open_position(fen: str, chess960: bool | None = None) -> Game:
    """A game at this position; ValueError with the reason. If chess960 is None the castling field decides."""
    return Game(fen, needs_chess960(fen) if chess960 is None else chess960)


def read_positions(path: str) -> list[Entry]:
    """The positions of a suite for bench; ValueError with FILE:LINE for an impossible one."""
    entries = []
    for number, line in read_lines(path):
        fen = fen_of(line)
        try:
            open_position(fen)
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from None
        entries.append(Entry(number, fen))
    return entries


def read_counts(path: str, chess960: bool) -> list[Entry]:
    """The lines of a perft suite, `FEN ;D1 20 ;D2 400`; ValueError with FILE:LINE for a bad one."""
    entries = []
    for number, line in read_lines(path):
        counts = []
        for part in line.split(";")[1:]:
            words = part.split()
            if not words or words[0][:1] != "D" or not words[0][1:].isdecimal():
                continue
            try:
                depth, count = parse_whole(words[0][1:]), parse_whole(words[1] if len(words) == 2 else "")
            except ValueError:
                raise ValueError(f"{path}:{number}: expected ;D1 N ;D2 N, not ';{part.strip()}'") from None
            if depth > MOST_DEPTH:
                raise ValueError(f"{path}:{number}: expected a depth up to {MOST_DEPTH}, not {words[0]}")
            counts.append((depth, count))
        if not counts:
            raise ValueError(f"{path}:{number}: no move counts, expected FEN ;D1 N ;D2 N")
        fen = fen_of(line)
        try:
            Game(fen, chess960)
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from None
        entries.append(Entry(number, fen, tuple(counts)))
    return entries
