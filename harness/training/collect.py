"""Collects positions into a file: from games played for it, which may be resumed, or from the journals of finished runs.

Beside FILE stands its record FILE.json: what was asked for, which build plays, how much is there. The file is written before
the record, so after any stop the record says how much of the file counts; the rest is cut off.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import IO, Any, Protocol

import chess
import numpy as np

from harness.errors import BadInput
from harness.files import store
from harness.journal.journal import Reader
from harness.model import POINTS
from harness.training import positions
from harness.training.plan import DataPlan
from harness.training.selfplay import Game

SAVE_EVERY = 10.0  # seconds between two records
SKIP_FIRST = 8  # engine moves at the start of a journal's game, still in or near the book


class Source(Protocol):
    """Plays games by number."""

    def games(self, first: int) -> Iterator[Game]: ...


# Settings that a record leaves out if they have their defaults: it then equals those of files that are older than the settings.
OPTIONAL = ("strays", "book", "balance")


@dataclass(frozen=True, slots=True)
class Progress:
    """How much has been collected. `seconds` is the processor time of the games alone."""

    games: int = 0
    positions: int = 0
    plies: int = 0
    nodes: int = 0
    seconds: float = 0.0
    won: int = 0
    drawn: int = 0
    lost: int = 0

    def after(self, game: Game) -> Progress:
        """The same and a game. A new value, as a stop may come in the midst of changing an old one."""
        return Progress(
            self.games + 1,
            self.positions + len(game.records) // positions.SIZE,
            self.plies + game.plies,
            self.nodes + game.nodes,
            self.seconds + game.seconds,
            self.won + (game.result == 2),
            self.drawn + (game.result == 1),
            self.lost + (game.result == 0),
        )


def record_path(path: Path) -> Path:
    """Where the record of a file of positions stands."""
    return path.with_name(path.name + ".json")


def digest(path: str | Path) -> str:
    """Sixteen hexadecimal digits that tell this file from another of its name (SHA-256). Raises BadInput."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from None


def read_record(path: Path) -> dict[str, Any]:
    """What the record beside a file of positions says; empty if there is none. Raises BadInput."""
    beside = record_path(path)
    if not beside.exists():
        return {}
    try:
        found = json.loads(beside.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("plan", {}), dict):
        raise BadInput(f"{beside}: is no record of gauntlet data, expected a JSON object")
    return found


def refuse_played(out: Path) -> None:
    """Raises BadInput if positions made of other files would replace those of games, or what is no file of positions."""
    if not out.exists():
        return
    if not out.is_file():
        raise BadInput(f"{out}: is no regular file")
    if out.stat().st_size:
        positions.read(out)
    if "plan" in read_record(out):
        raise BadInput(f"{out}: holds positions that were played for: give another --out, or remove it")


def record_origin(out: Path, origin: dict[str, Any]) -> None:
    """Write the record of a file whose positions were not played for it. Raises BadInput."""
    store(record_path(out), (json.dumps(origin, indent=1) + "\n").encode())


def collect(path: Path, plan: DataPlan, signature: str, source: Source, show: Callable[[Progress], None]) -> Progress:
    """Add games to the file until it holds the positions of the plan. Raises BadInput if it belongs to another plan.

    The file depends on plan and build alone: not on how many processes played, nor on how often they were stopped.
    """
    asked = {**asdict(plan), "engine": signature}
    del asked["positions"], asked["command"]
    if plan.book:  # wherever it lies, but not another of this name
        asked["book"] = f"{Path(plan.book).name} {digest(plan.book)}"
    for field in fields(plan):
        if field.name in OPTIONAL and asked[field.name] == field.default:
            del asked[field.name]
    asked["options"] = [
        [name, f"{Path(value).name} {digest(value)}" if name.endswith("File") and Path(value).is_file() else value]
        for name, value in plan.options
    ]
    asked = json.loads(json.dumps(asked))
    progress, began = resume(path, asked)
    size = positions.SIZE * (1 + progress.positions)
    enough = progress.positions >= plan.positions
    if enough and path.stat().st_size == size:
        return progress
    try:
        with open(path, "r+b" if path.exists() else "w+b") as file:
            _lock(path, file)
            file.write(positions.HEADER)
            file.truncate(size)
            file.seek(0, os.SEEK_END)
            saved = time.monotonic()
            save(path, asked, progress, began)
            try:
                for game in source.games(progress.games + 1) if not enough else ():
                    file.write(game.records)
                    progress = progress.after(game)
                    show(progress)
                    if progress.positions >= plan.positions:
                        break
                    if time.monotonic() >= saved + SAVE_EVERY:
                        _to_disk(file)
                        save(path, asked, progress, began)
                        saved = time.monotonic()
            finally:
                _to_disk(file)
                save(path, asked, progress, began)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from None
    return progress


def _to_disk(file: IO[bytes]) -> None:
    """Past the system's memory too: after a power cut the record must not know of positions that the file lacks."""
    file.flush()
    os.fsync(file.fileno())


def _lock(path: Path, file: IO[bytes]) -> None:
    """Keep the file from other runs until it is closed. Raises BadInput if one has it."""
    import fcntl  # here: reading positions works on systems that lack it

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadInput(f"{path}: another gauntlet data is writing it") from None


def resume(path: Path, asked: dict[str, Any]) -> tuple[Progress, str]:
    """How much of the file is there already, and when it was begun. Raises BadInput if it belongs to another plan."""
    beside = record_path(path)
    if not path.exists() or (path.is_file() and not path.stat().st_size and not beside.exists()):
        return Progress(), now()  # an empty file is what a full disk leaves
    if not beside.exists():
        raise BadInput(f"{path}: is there, but not its record {beside.name}: give another --out")
    if not path.is_file():
        raise BadInput(f"{path}: is no regular file")
    try:
        record = read_record(path)
        if record and "plan" not in record:
            raise BadInput(f"{path}: holds positions that were not played for it: give another --out")
        before, progress, began = dict(record["plan"]), Progress(**record["progress"]), str(record["began"])
        name, *_, bench = str(before["engine"]).split(", ")  # older records name the compiler between them
        before["engine"] = f"{name}, {bench}"
        counts = asdict(progress)
        seconds = float(counts.pop("seconds"))
        if any(type(count) is not int or count < 0 for count in counts.values()):
            raise ValueError
        progress = replace(progress, seconds=seconds)
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{beside}: is no record of gauntlet data") from None
    if not progress.games:  # begun in vain: nothing is lost
        return Progress(), now()
    defaults = {field.name: field.default for field in fields(DataPlan) if field.name in OPTIONAL}
    for key in {**asked, **defaults}:
        was, wanted = (known.get(key, defaults.get(key)) for known in (before, asked))
        if was != wanted:
            raise BadInput(f"{path}: holds positions with {key} {was}, expected {wanted}: give another --out")
    if path.stat().st_size < positions.SIZE * (1 + progress.positions):
        raise BadInput(f"{path}: is shorter than its record says ({progress.positions} positions)")
    return progress, began


def now() -> str:
    """The time in the form of a record."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def save(path: Path, asked: dict[str, Any], progress: Progress, began: str) -> None:
    """Write the record beside the file, whole or not at all. Raises BadInput."""
    text = json.dumps({"plan": asked, "progress": asdict(progress), "began": began, "saved": now()}, indent=1)
    store(record_path(path), (text + "\n").encode())


def from_journals(folders: Sequence[Path]) -> Iterator[positions.Records]:
    """The calm positions of all finished games in these results folders, with the engines' scores.

    Raises BadInput in the end if there was none.
    """
    number = kept = 0
    for folder in folders:
        with Reader(folder) as reader:
            for game in reader.games():
                points = POINTS.get(game.result)
                if game.fault is not None or points is None:
                    continue
                number += 1
                white = int(2 * points)
                board = chess.Board(game.job.opening.fen)
                if board.castling_rights & ~(chess.BB_CORNERS) or board.has_chess960_castling_rights():
                    continue
                found = []
                for text in game.job.opening.moves:
                    board.push_uci(text)
                for place, made in enumerate(game.moves):
                    move = board.parse_uci(made.move)
                    calm = not (board.is_check() or board.is_capture(move) or move.promotion)
                    if (
                        place >= SKIP_FIRST
                        and calm
                        and made.score is not None
                        and abs(made.score) < positions.MOST_SCORE
                    ):
                        result = white if board.turn else 2 - white
                        found.append(positions.pack(board, made.score, result, number))
                    board.push(move)
                kept += len(found)
                yield np.frombuffer(b"".join(found), dtype=positions.RECORD)
    if not kept:
        names = ", ".join(map(str, folders))
        raise BadInput(f"gauntlet data: no calm position with a score in the finished games of {names}")
