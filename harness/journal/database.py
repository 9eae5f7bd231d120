"""The errors of SQLite in words for a user."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from harness.errors import BadInput

LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class DiskFull(BadInput):
    """The journal cannot grow. All games in it are safe and the run can be resumed."""


class Vanished(BadInput):
    """The file was removed or renamed while it was open: what is written to it is lost, or damages it."""


class Damaged(BadInput):
    """The file cannot be read as it is; `repair` may save what is intact in it."""


def code_of(error: sqlite3.Error) -> int:
    """Returns SQLite's primary result code; 0 for an error raised by the module itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Turns errors of the database into one plain line."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = code_of(error)
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise DiskFull(f"{path}: {error}: no more games can be kept; those in it are safe") from error
        if code in LOCKED:
            raise BadInput(f"{path}: another process keeps it locked") from error
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):  # of the file, or of its folder
            raise BadInput(f"{path}: {error}: expected a journal and a folder that may be written") from error
        raise Damaged(f"{path}: {error}: expected a journal written by gauntlet run") from error


Row = TypeVar("Row")


@cache
def _fields(kind: Any) -> tuple[Any, ...]:
    return tuple(get_type_hints(kind).values())


def typed(path: Path, kind: type[Row], row: Sequence[object]) -> Row:
    """A row as a dataclass; raises Damaged if a value does not have the type of its field, which SQLite does not check."""
    hashable: Any = kind
    for value, field in zip(row, _fields(hashable), strict=True):
        if not isinstance(value, field) and not (isinstance(value, int) and isinstance(0.0, field)):
            raise Damaged(f"{path}: is damaged: {value!r:.80} in a row of {kind.__name__.lower()}")
    return kind(*row)


def full_length(path: Path) -> int:
    """The length in bytes that a database file's header claims; 0 if it does not say."""
    with open(path, "rb") as file:
        header = file.read(100)
    if not header.startswith(b"SQLite format 3") or header[24:28] != header[92:96]:
        return 0
    size = int.from_bytes(header[16:18], "big")
    return (65536 if size == 1 else size) * int.from_bytes(header[28:32], "big")
