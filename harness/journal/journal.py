"""The journal of a run: an SQLite file that holds every finished game once, and is the only record that counts.

A game that is not in it did not happen; one that is in it cannot be counted twice (its id is the primary key). Tables:

    meta    key, value: `format`, `created`, `host`, `version` (of the harness), `seed`, `scheduled`,
            `experiment` (the text of experiment.toml, every default written out), `command` (the line that started it),
            `bench` (of the base, if that is a Sortie: the node count that tells its builds apart)
    players id (its index), name, command, protocol, engine (the name it gave itself, '' until it started)
    games   a row per finished game: the fields of `record.GameRow` in their order, and `crc`
    moves   id, moves (compressed, see `record.pack`), evidence (JSON of a fault or ''), crc
    failed  a row per failed start: id, player, game, at (epoch), detail, evidence (JSON like that of a fault)
    verdict a row per pairing that has ended early: pairing, verdict (by SPRT "H0" or "H1"), llr, pairs (at that moment), at
    unplayed a row per game that stays unplayed because a later round was dealt without it: id, at (epoch)
    runs    a row per process that worked on it: id, pid, pid_start, host, began, ended (NULL while it works or if it was
            killed), status (exit status), complete (1 when nothing was left to play)

A game enters `games` and `moves` in one transaction. The file is in WAL mode: readers never wait for the writer, and SQLite
itself drops a write torn by a crash when the file is next opened. Damage elsewhere is found by
the checksums; `repair` sets the damaged file aside, keeps every intact game and says how many were lost: they are
played again.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from harness.engines.children import alive, process_start
from harness.errors import BadInput
from harness.files import claim, for_shell
from harness.journal.database import LOCKED, Damaged, code_of, full_length, plain_errors, typed
from harness.journal.record import UNREADABLE, GameRow, PackedGame, moves_checksum, row_checksum, unpack
from harness.model import GameRecord, Player

FILE = "games.db"
OWN = (FILE, f"{FILE}-wal", f"{FILE}-shm", "experiment.toml")  # names in a results folder that no other file may take
LIVE_FILE = "live.json"
FORMAT = "1"
SILENCE = 60.0  # seconds: a run on another host that has not written its live file for this long counts as dead
FAILED_STARTS = 2  # after so many in a row a player is given up

_COLUMNS = GameRow._fields
_UNPLAYED = "CREATE TABLE IF NOT EXISTS unplayed (id INTEGER PRIMARY KEY, at REAL)"
_SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT, command TEXT, protocol TEXT, engine TEXT);
CREATE TABLE games (id INTEGER PRIMARY KEY, {", ".join(_COLUMNS[1:])}, crc INTEGER NOT NULL);
CREATE TABLE moves (id INTEGER PRIMARY KEY, moves BLOB NOT NULL, evidence TEXT NOT NULL, crc INTEGER NOT NULL);
CREATE TABLE failed (id INTEGER PRIMARY KEY, player INTEGER, game INTEGER, at REAL, detail TEXT, evidence TEXT);
CREATE TABLE verdict (pairing INTEGER PRIMARY KEY, verdict TEXT, llr REAL, pairs INTEGER, at REAL);
{_UNPLAYED};
CREATE TABLE runs (id INTEGER PRIMARY KEY, pid INTEGER, pid_start INTEGER, host TEXT, began REAL, ended REAL,
                   status INTEGER, complete INTEGER);
"""
_INSERT_ROW = f"INSERT INTO games VALUES ({','.join('?' * (len(_COLUMNS) + 1))})"
_SELECT_ROW = f"SELECT {', '.join(_COLUMNS)}, crc FROM games"


@dataclass(frozen=True, slots=True)
class FailedStart:
    """A game that was not played because of a player: a failed start, or one that killed its slots ("crash")."""

    player: int
    game: int
    at: float
    detail: str
    evidence: str

    @property
    def reason(self) -> str:
        """The word it is counted under: "start" or "crash"."""
        try:
            word = json.loads(self.evidence)["reason"]
        except (ValueError, KeyError, TypeError):
            return "start"
        return str(word)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a pairing ended: the verdict stays, whatever the result of the pairs still in play."""

    pairing: int
    verdict: str
    llr: float
    pairs: int
    at: float


@dataclass(frozen=True, slots=True)
class Run:
    """One process that worked on the journal; `complete` is 1 if it left nothing to play."""

    pid: int
    pid_start: int
    host: str
    began: float
    ended: float | None
    status: int | None
    complete: int

    @property
    def here(self) -> bool:
        """Whether it is a process of this host, where it is certain whether it lives."""
        return self.host == socket.gethostname()

    def at_work(self, heard: float) -> bool:
        """Says whether the process is still running; on another host, whether it was last `heard` of (epoch) lately."""
        if self.ended is not None:
            return False
        return alive(self.pid, self.pid_start) if self.here else time.time() - max(self.began, heard) < SILENCE


def _file(folder: Path) -> Path:
    path = folder / FILE
    if not path.is_file():
        what = "is not a results folder (no games.db in it)" if folder.exists() else "no such folder"
        raise BadInput(f"{folder}: {what}")
    return path


class Reader:
    """Reads a journal, also while a run writes it. Use as a context manager."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.path = _file(self.folder)
        self._refuse_torn()
        with plain_errors(self.path):
            self._db = self._connect()
            self.meta: dict[str, str] = dict(self._db.execute("SELECT key, value FROM meta"))
        if self.meta.get("format") != FORMAT:
            self._db.close()
            raise BadInput(f"{self.path}: journal format {self.meta.get('format')}, expected {FORMAT}")
        if not str(self.meta.get("scheduled")).isdecimal() or not isinstance(self.meta.get("experiment", ""), str):
            self._db.close()
            raise Damaged(f"{self.path}: is damaged: it does not say which run this is")

    def _connect(self) -> sqlite3.Connection:
        uri = self.path.resolve().as_uri()
        try:
            db = sqlite3.connect(uri + "?mode=ro", uri=True, timeout=10)
            db.execute("SELECT count(*) FROM meta")
        except sqlite3.OperationalError as error:
            if code_of(error) in LOCKED or self.path.with_name(FILE + "-wal").exists():
                raise  # games in the log beside the file must not be missed
            # In a read-only folder WAL mode cannot make its shared-memory file; but nobody can write there either.
            return sqlite3.connect(uri + "?immutable=1", uri=True)
        return db

    def _refuse_torn(self) -> None:
        """Refuses a file that was cut short: SQLite would read the missing part as if it were empty."""
        try:
            # With a log beside it, the file may be about to grow.
            logged = self.path.with_name(FILE + "-wal").exists()
            torn = not logged and self.path.stat().st_size < full_length(self.path)
        except OSError as error:
            raise BadInput(f"{self.path}: cannot be read: {error.strerror}") from None
        if torn:
            raise Damaged(
                f"{self.path}: is cut short; gauntlet resume {for_shell(self.folder)} saves what is whole of it"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def query(self, text: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yields the rows of a query. Every reader uses it, so that damage raises Damaged."""
        with plain_errors(self.path):
            # `yield from` would close the cursor with the generator, and fail if the journal is closed by then.
            for row in self._db.execute(text, values):  # noqa: UP028
                yield row

    def packed_moves(self, game: int, most: int | None = None) -> bytes:
        """Returns the packed moves of a game, or their first `most` bytes; raises Damaged."""
        try:
            with self._db.blobopen("moves", "moves", game, readonly=True) as blob:
                return blob.read() if most is None else blob.read(most)
        except (sqlite3.Error, ValueError):
            raise self.damaged(game) from None

    @property
    def scheduled(self) -> int:
        return int(self.meta["scheduled"])

    def count(self) -> int:
        """Returns how many games are in the journal."""
        with plain_errors(self.path):
            return int(self._db.execute("SELECT count(*) FROM games").fetchone()[0])

    def ids(self) -> set[int]:
        """Returns the ids of the finished games."""
        with plain_errors(self.path):
            return {row[0] for row in self._db.execute("SELECT id FROM games")}

    def rows(self) -> Iterator[GameRow]:
        """Yields the finished games without their moves, ordered by id; raises Damaged. About 0.5 s for 20,000."""
        with plain_errors(self.path):
            for row in self._db.execute(_SELECT_ROW + " ORDER BY id"):
                if row_checksum(row[:-1]) != row[-1]:
                    raise self.damaged(row[0])
                yield GameRow._make(row[:-1])

    def games(self, ids: Iterable[int] | None = None) -> Iterator[GameRecord]:
        """Yields finished games with their moves, ordered by id, one at a time in memory."""
        columns = ", ".join("games." + name for name in _COLUMNS)
        kept = "moves.moves, moves.evidence, moves.crc, games.crc"
        query = f"SELECT {columns}, {kept} FROM games JOIN moves ON moves.id = games.id"
        with plain_errors(self.path):
            if ids is None:
                for row in self._db.execute(query + " ORDER BY games.id"):
                    yield self._unpacked(row)
                return
            for wanted in sorted(ids):
                for row in self._db.execute(query + " WHERE games.id = ?", (wanted,)):
                    yield self._unpacked(row)

    def _unpacked(self, row: tuple[Any, ...]) -> GameRecord:
        *values, moves, evidence, moves_crc, row_crc = row
        try:
            if row_checksum(values) == row_crc and moves_checksum(moves, evidence) == moves_crc:
                return unpack(GameRow._make(values), moves, evidence)
        except UNREADABLE:
            pass
        raise self.damaged(row[0])

    def damaged(self, game: int) -> Damaged:
        """The error for a game that cannot be read (UNREADABLE), with what to do about it."""
        return Damaged(
            f"{self.path}: game {game} is damaged; gauntlet resume {for_shell(self.folder)} drops it and plays it again"
        )

    def failed_starts(self) -> list[FailedStart]:
        with plain_errors(self.path):
            rows = self._db.execute("SELECT player, game, at, detail, evidence FROM failed ORDER BY id").fetchall()
        return [typed(self.path, FailedStart, row) for row in rows]

    def no_shows(self) -> list[tuple[int, int]]:
        """Returns the failed starts as (game, player)."""
        return [(failed.game, failed.player) for failed in self.failed_starts() if failed.reason == "start"]

    def given_up(self) -> set[int]:
        """Returns the ids of games that will never be played: later rounds were dealt without them, or they kill slots."""
        with plain_errors(self.path):
            rows = self._db.execute("SELECT id FROM unplayed").fetchall() if self._tells_unplayed() else []
        return {row[0] for row in rows} | {failed.game for failed in self.failed_starts() if failed.reason != "start"}

    def given_up_players(self) -> set[int]:
        """Returns the players that a run gave up, if the journal does not say which of their games stay unplayed.

        Versions before 0.2 kept that in memory.
        """
        with plain_errors(self.path):
            if self._tells_unplayed():
                return set()
        failures = Counter(failed.player for failed in self.failed_starts() if failed.reason == "start")
        return {player for player, times in failures.items() if times >= FAILED_STARTS}

    def _tells_unplayed(self) -> bool:
        return self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'unplayed'").fetchone() is not None

    def verdicts(self) -> dict[int, Verdict]:
        """Returns the SPRT verdicts by pairing."""
        with plain_errors(self.path):
            rows = self._db.execute("SELECT pairing, verdict, llr, pairs, at FROM verdict").fetchall()
        return {row[0]: typed(self.path, Verdict, row) for row in rows}

    def engine_names(self) -> dict[int, str]:
        """Returns what each engine called itself, by player."""
        with plain_errors(self.path):
            return dict(self._db.execute("SELECT id, engine FROM players").fetchall())

    def runs(self) -> list[Run]:
        with plain_errors(self.path):
            query = "SELECT pid, pid_start, host, began, ended, status, complete FROM runs ORDER BY id"
            rows = self._db.execute(query).fetchall()
        return [typed(self.path, Run, row) for row in rows]

    def at_work(self) -> Run | None:
        """Returns the run that is at work on the journal, if any."""
        runs = self.runs()
        return runs[-1] if runs and runs[-1].at_work(self._heard()) else None

    def _heard(self) -> float:
        """When a run last wrote its live file, in seconds since the epoch; it does so about once a second."""
        try:
            return (self.folder / LIVE_FILE).stat().st_mtime
        except OSError:
            return 0.0

    def refuse_at_work(self, force: bool = False) -> None:
        """Raises BadInput if a run is at work; `force` takes over from one on another host, which may be dead."""
        run = self.at_work()
        if run is None or (force and not run.here):
            return
        if run.here:
            raise BadInput(f"{self.folder}: a run is at work there (process {run.pid})")
        ago = max(0.0, time.time() - max(run.began, self._heard()))
        raise BadInput(
            f"{self.folder}: a run is at work there (process {run.pid} on {run.host}, last active {ago:.0f} s ago); "
            f"if it has ended: gauntlet resume {for_shell(self.folder)} --force"
        )

    def state(self) -> str:
        """Returns "running", "stopped" or "done"."""
        if self.at_work():
            return "running"
        runs = self.runs()
        return "done" if runs and runs[-1].complete else "stopped"


class Journal(Reader):
    """The one writer of a journal."""

    _run: int | None = None

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=10, isolation_level=None)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")  # see `add`
        return db

    @classmethod
    def create(cls, folder: Path | str, meta: Mapping[str, str], players: Iterable[Player]) -> Journal:
        """Makes a new journal in an existing folder; `meta` must have `experiment`, `seed`, `scheduled` and `version`."""
        path = Path(folder) / FILE
        facts = {"format": FORMAT, "created": repr(time.time()), "host": socket.gethostname(), **meta}
        fresh = path.with_suffix(f".{os.getpid()}-{time.time_ns()}")
        try:
            with plain_errors(path):
                db = sqlite3.connect(fresh)
                db.executescript(_SCHEMA)
                db.executemany("INSERT INTO meta VALUES (?, ?)", facts.items())
                rows = ((p.index, p.name, json.dumps(p.command), p.protocol, "") for p in players)
                db.executemany("INSERT INTO players VALUES (?, ?, ?, ?, ?)", rows)
                db.commit()
                db.close()
            claim(fresh, path, f"{folder}: there are results already; gauntlet resume goes on with them")
        finally:
            fresh.unlink(missing_ok=True)
        return cls(folder)

    def begin(self, force: bool = False) -> None:
        """Enters this process as the one at work; refuses if another is: see `refuse_at_work`."""
        with plain_errors(self.path), self._transaction():
            self.refuse_at_work(force)
            # Killed runs could not say when they ended; their last game does.
            self._db.execute(
                "UPDATE runs SET ended = max(began, coalesce((SELECT max(started + seconds) FROM games), began)) "
                "WHERE ended IS NULL"
            )
            pid = os.getpid()
            row = (pid, process_start(pid), socket.gethostname(), time.time())
            cursor = self._db.execute("INSERT INTO runs VALUES (NULL, ?, ?, ?, ?, NULL, NULL, 0)", row)
            self._run = cursor.lastrowid

    def end(self, status: int | None, complete: bool) -> None:
        """Enters that this process has ended; `complete`: nothing was left to play; no status: it was broken off."""
        if self._run is not None:
            with plain_errors(self.path):
                query = "UPDATE runs SET ended = ?, status = ?, complete = ? WHERE id = ?"
                self._db.execute(query, (time.time(), status, int(complete), self._run))
            self._run = None

    def add(self, game: PackedGame) -> bool:
        """Keeps a finished game. False: its id is already there and nothing has changed.

        Once this returns, the game survives the death of this process. A power cut may lose the last games, each as a whole
        and in order; they are played again. Waiting for the disk at every game (synchronous=FULL) would cost 4 ms instead
        of 0.02, and a fifth of the games a minute between instant engines.
        """
        with plain_errors(self.path):
            try:
                with self._transaction():
                    self._db.execute(_INSERT_ROW, (*game.row, game.row_crc))
                    entry = (game.row.id, game.moves, game.evidence, game.moves_crc)
                    self._db.execute("INSERT OR REPLACE INTO moves VALUES (?, ?, ?, ?)", entry)
            except sqlite3.IntegrityError:
                return False
        return True

    def add_failed_start(self, player: int, game: int, detail: str, evidence: Mapping[str, Any]) -> None:
        row = (player, game, time.time(), detail, json.dumps(evidence))
        with plain_errors(self.path):
            self._db.execute("INSERT INTO failed VALUES (NULL, ?, ?, ?, ?, ?)", row)

    def give_up(self, games: Iterable[int]) -> None:
        """Records, for all of these games or none, that they stay unplayed, whatever happens to their players later."""
        rows = [(game, time.time()) for game in games]
        with plain_errors(self.path), self._transaction():
            self._db.execute(_UNPLAYED)  # a journal of an earlier version lacks the table
            self._db.executemany("INSERT OR IGNORE INTO unplayed VALUES (?, ?)", rows)

    def drop(self, games: Iterable[int]) -> None:
        """Removes games that no longer belong to the run."""
        ids = [(game,) for game in games]
        with plain_errors(self.path), self._transaction():
            self._db.executemany("DELETE FROM games WHERE id = ?", ids)
            self._db.executemany("DELETE FROM moves WHERE id = ?", ids)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def add_verdict(self, pairing: int, verdict: str, llr: float, pairs: int) -> None:
        """Keeps the verdict of a pairing; the first one stays."""
        row = (pairing, verdict, llr, pairs, time.time())
        with plain_errors(self.path):
            self._db.execute("INSERT OR IGNORE INTO verdict VALUES (?, ?, ?, ?, ?)", row)

    def set_meta(self, key: str, value: str) -> None:
        """Keeps a fact about the whole run, replacing an earlier one of that name."""
        with plain_errors(self.path):
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
        self.meta[key] = value

    def set_engine_name(self, player: int, name: str) -> None:
        with plain_errors(self.path):
            self._db.execute("UPDATE players SET engine = ? WHERE id = ?", (name, player))

    def close(self) -> None:
        """Folds the write-ahead log into the file, so that games.db alone is the whole journal."""
        try:
            self._db.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.DatabaseError:
            pass  # the disk is full or someone is reading: the log holds the games and is read at the next opening
        self._db.close()
