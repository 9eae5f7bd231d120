"""Finds and drops what is damaged in a journal, so that a run can go on with all that is whole."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from harness.errors import BadInput
from harness.journal.database import LOCKED, code_of, full_length
from harness.journal.record import GameRow, moves_checksum, row_checksum

_TABLES = ("meta", "players", "games", "moves", "failed", "verdict", "unplayed", "runs")
ENDS = 5  # columns of `runs` before those that are empty while a run goes on
_PAIRED = (
    f"SELECT {', '.join('games.' + name for name in GameRow._fields)}, games.crc, "
    "moves.moves, moves.evidence, moves.crc "
    "FROM games LEFT JOIN moves ON moves.id = games.id"
)


def _whole(row: tuple[Any, ...]) -> bool:
    """Says whether a joined row carries the checksums it was stored with."""
    *fields, row_crc, moves, evidence, moves_crc = row
    if not isinstance(moves, bytes) or not isinstance(evidence, str):
        return False
    return bool(row_checksum(fields) == row_crc and moves_checksum(moves, evidence) == moves_crc)


def _drop_damaged_rows(db: sqlite3.Connection) -> int:
    bad = [row[0] for row in db.execute(_PAIRED) if not _whole(row)]
    strays = [row[0] for row in db.execute("SELECT id FROM moves WHERE id NOT IN (SELECT id FROM games)")]
    with db:
        for game in bad:
            db.execute("DELETE FROM games WHERE id = ?", (game,))
        for game in bad + strays:
            db.execute("DELETE FROM moves WHERE id = ?", (game,))
    return len(bad)


def _readable(db: sqlite3.Connection, scheduled: int) -> Iterator[tuple[Any, ...]]:
    for game in range(1, scheduled + 1):
        try:
            row = db.execute(_PAIRED + " WHERE games.id = ?", (game,)).fetchone()
        except (sqlite3.DatabaseError, OverflowError, UnicodeDecodeError):
            continue
        if row is not None and _whole(row):
            yield row


def _restore_length(path: Path) -> None:
    """Fills a file that was cut short with empty pages: without them SQLite refuses to read what is still there."""
    wanted = full_length(path)
    if path.stat().st_size < wanted <= 1 << 36:
        os.truncate(path, wanted)


def _salvage(path: Path) -> int:
    """Builds the journal anew from all rows that can still be read; the damaged file is kept beside it."""
    _restore_length(path)
    fresh = path.with_suffix(".salvaged")
    fresh.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(fresh)) as new:
        try:
            meta = dict(old.execute("SELECT key, value FROM meta"))
            scheduled = int(meta["scheduled"])
            schema = [row[0] for row in old.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
        except (sqlite3.DatabaseError, KeyError, ValueError) as error:
            raise BadInput(f"{path}: damaged beyond repair ({error}): expected a journal of gauntlet run") from error
        for statement in schema:
            new.execute(statement)
        for table in _TABLES:
            if table in ("games", "moves"):
                continue
            try:
                rows = old.execute(f"SELECT * FROM {table}").fetchall()
            except sqlite3.DatabaseError:
                continue
            for row in rows:
                # A page that is gone reads as rows of nothing; only the end of a run may be unknown.
                if None in (row[:ENDS] if table == "runs" else row):
                    continue
                new.execute(f"INSERT OR IGNORE INTO {table} VALUES ({','.join('?' * len(row))})", row)
        kept = 0
        width = len(GameRow._fields)
        for row in _readable(old, scheduled):
            new.execute(f"INSERT INTO games VALUES ({','.join('?' * (width + 1))})", row[: width + 1])
            new.execute("INSERT INTO moves VALUES (?, ?, ?, ?)", (row[0], *row[width + 1 :]))
            kept += 1
        try:
            before = int(old.execute("SELECT count(*) FROM games").fetchone()[0])
        except sqlite3.DatabaseError:
            before = kept + 1  # more than one may be gone: nobody can tell any longer
        new.commit()
    damaged = path.with_name("games.damaged.db")
    number = 1
    while damaged.exists():
        number += 1
        damaged = path.with_name(f"games.damaged-{number}.db")
    path.rename(damaged)
    for tail in ("-wal", "-shm"):
        side = path.with_name(path.name + tail)
        if side.exists():
            side.rename(damaged.with_name(damaged.name + tail))
    fresh.rename(path)
    return max(1, before - kept)


def repair(path: Path) -> int:
    """Returns how many games were dropped because they were damaged (0: the journal is whole)."""
    try:
        with closing(sqlite3.connect(path, timeout=10)) as db:
            if db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok":
                return _drop_damaged_rows(db)
    except (sqlite3.DatabaseError, OverflowError, UnicodeDecodeError) as error:
        if isinstance(error, sqlite3.Error) and code_of(error) in LOCKED:
            raise BadInput(f"{path}: another process is writing to it") from error
    return _salvage(path)
