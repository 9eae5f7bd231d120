"""Finds and drops what is damaged in a journal, so that a run can go on with the rest."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

from harness.errors import BadInput
from harness.journal.database import LOCKED, Damaged, code_of, full_length, typed
from harness.journal.journal import FailedStart, Run, Verdict
from harness.journal.record import GameRow, moves_checksum, row_checksum

_TABLES = ("meta", "players", "games", "moves", "failed", "verdict", "unplayed", "runs")
_UNREADABLE = (sqlite3.DatabaseError, OverflowError, UnicodeDecodeError)
MOST_TRIES = 100_000  # spans of ids to try in a damaged table; each costs some ten microseconds
_NOTES = {"failed": FailedStart, "verdict": Verdict, "runs": Run}
ENDS = 5  # columns of `runs` before those that are NULL while a run is at work
_PAIRED = (
    f"SELECT {', '.join('games.' + name for name in GameRow._fields)}, games.crc, "
    "moves.moves, moves.evidence, moves.crc "
    "FROM games LEFT JOIN moves ON moves.id = games.id"
)


def _whole(row: tuple[Any, ...]) -> bool:
    """Says whether a joined row still has the checksums it was stored with."""
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


def _drop_damaged_notes(db: sqlite3.Connection, path: Path) -> None:
    """Deletes unreadable rows on runs and verdicts: without them a run is taken up again, or a pairing tested again."""
    for table, kind in _NOTES.items():
        names = ", ".join(field.name for field in fields(kind))
        for row_id, *row in db.execute(f"SELECT rowid, {names} FROM {table}").fetchall():
            try:
                typed(path, kind, row)
            except Damaged:
                with db:
                    db.execute(f"DELETE FROM {table} WHERE rowid = ?", (row_id,))


def _ids(db: sqlite3.Connection) -> Iterator[int]:
    """Yields the ids of `games` on all pages that can be read, in no particular order.

    A walk along the table stops at a damaged page; one from the other end stops at its far side. The span left between
    them is halved, and so on: a walk skips any gap, so only the ids on a damaged page are tried one by one.
    """
    tries = MOST_TRIES
    spans = [(1, _greatest_id(db))]
    while spans and tries:
        low, high = spans.pop()
        if low > high:
            continue
        tries -= 1
        for order in ("ASC", "DESC"):
            try:
                query = f"SELECT id FROM games WHERE id BETWEEN ? AND ? ORDER BY id {order}"
                for (game,) in db.execute(query, (low, high)):
                    yield game
                    low, high = (game + 1, high) if order == "ASC" else (low, game - 1)
                low = high + 1  # nothing is left between them
                break
            except _UNREADABLE:
                pass
        if low < high:
            middle = (low + high) // 2
            spans += [(low, middle), (middle + 1, high)]


def _greatest_id(db: sqlite3.Connection) -> int:
    """Returns an upper bound on the ids. A game has its id in two tables, and must be intact in both to be kept."""
    found = [0]
    for table in ("games", "moves"):
        try:
            found.append(db.execute(f"SELECT max(id) FROM {table}").fetchone()[0] or 0)
        except _UNREADABLE:
            try:
                for (game,) in db.execute(f"SELECT id FROM {table} ORDER BY id"):
                    found.append(game)
            except _UNREADABLE:
                pass
    return max(found)


def _readable(db: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    for game in _ids(db):
        try:
            row = db.execute(_PAIRED + " WHERE games.id = ?", (game,)).fetchone()
        except _UNREADABLE:
            continue
        if row is not None and _whole(row):
            yield row


def _restore_length(path: Path) -> None:
    """Fills up a truncated file with empty pages; otherwise SQLite refuses to read what is still there."""
    wanted = full_length(path)
    if path.stat().st_size < wanted <= 1 << 36:
        os.truncate(path, wanted)


def _schema(path: Path) -> list[str]:
    """The statements that make a damaged journal's tables; raises BadInput, leaving the file, if it names no run."""
    size = path.stat().st_size
    restorable = not path.with_name(path.name + "-wal").exists()  # else the file may have pages from its log
    _restore_length(path)
    with closing(sqlite3.connect(path)) as old:
        try:
            int(dict(old.execute("SELECT key, value FROM meta"))["scheduled"])
            return [row[0] for row in old.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
        except (sqlite3.DatabaseError, KeyError, ValueError) as error:
            why = error if isinstance(error, sqlite3.Error) else "it does not say which run this is"
    if restorable:
        os.truncate(path, size)
    raise BadInput(f"{path}: damaged beyond repair ({why}): expected a journal of gauntlet run")


def _salvage(path: Path) -> int:
    """Rebuilds the journal from all readable rows; the damaged file is kept beside it."""
    schema = _schema(path)
    fresh = path.with_suffix(".salvaged")  # not yet complete
    fresh.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(fresh)) as new:
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
                # A lost page reads as rows of NULL; only the end of a run may be NULL.
                if None in (row[:ENDS] if table == "runs" else row):
                    continue
                new.execute(f"INSERT OR IGNORE INTO {table} VALUES ({','.join('?' * len(row))})", row)
        kept = 0
        width = len(GameRow._fields)
        for row in _readable(old):
            new.execute(f"INSERT INTO games VALUES ({','.join('?' * (width + 1))})", row[: width + 1])
            new.execute("INSERT INTO moves VALUES (?, ?, ?, ?)", (row[0], *row[width + 1 :]))
            kept += 1
        try:
            before = int(old.execute("SELECT count(*) FROM games").fetchone()[0])
        except sqlite3.DatabaseError:
            before = kept + 1  # more may be gone, but nobody can tell how many
        new.commit()
    os.replace(fresh, _repaired(path))
    _exchange(path)
    return max(1, before - kept)


def _repaired(path: Path) -> Path:
    """The path of the repaired journal before it replaces the damaged one; once it exists, the repair can be finished."""
    return path.with_suffix(".repaired")


def _exchange(path: Path) -> None:
    """Replaces the damaged journal, which is kept, with the repaired one; can be repeated after a crash."""
    damaged = path.with_name("games.damaged.db")
    number = 1
    while damaged.exists() and not damaged.samefile(path):
        number += 1
        damaged = path.with_name(f"games.damaged-{number}.db")
    if not damaged.exists():
        try:
            os.link(path, damaged)
        except OSError:  # a file system without links
            shutil.copyfile(path, damaged)
    # The write-ahead log belongs to the damaged file: SQLite would apply it to the new one.
    for tail in ("-wal", "-shm"):
        side = path.with_name(path.name + tail)
        if side.exists():
            os.replace(side, damaged.with_name(damaged.name + tail))
    os.replace(_repaired(path), path)


def finish_repair(path: Path) -> bool:
    """Finishes the repair of a process that was killed during it; returns whether there was one."""
    if _repaired(path).exists():
        _exchange(path)
        return True
    salvaged = path.with_suffix(".salvaged")
    if salvaged.exists() and not path.exists():
        # Version 0.1 put the damaged file away first; what it had built by then was complete.
        os.replace(salvaged, path)
        return True
    return False


def repair(path: Path) -> int:
    """Drops damaged games and returns how many (0: the journal is intact).

    A repair that was killed is finished first; how many games it dropped is not known, and 1 stands for them.
    """
    unfinished = int(finish_repair(path))
    try:
        with closing(sqlite3.connect(path, timeout=10)) as db:
            if db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok":
                _drop_damaged_notes(db, path)
                return max(unfinished, _drop_damaged_rows(db))
    except _UNREADABLE as error:
        if isinstance(error, sqlite3.Error) and code_of(error) in LOCKED:
            raise BadInput(f"{path}: another process is writing to it") from error
    try:
        return _salvage(path)
    except sqlite3.Error as error:  # no room for what is whole, or no leave to write it
        raise BadInput(f"{path}: cannot be repaired: {error}") from error
