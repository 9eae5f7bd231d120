"""PGN and EPD files to which a run adds each finished game, for broadcasts and other programs."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import chess

from harness.analysis.monitor import Monitor
from harness.errors import BadInput
from harness.files import named, same
from harness.journal.record import PackedGame, unpack
from harness.report import pgn
from harness.run.display import Display, Together
from harness.run.start import MakeDisplay
from harness.terminal.words import say


class GameFile(Display, ABC):
    """Appends an entry for each finished game to a file; a full disk ends the writing, not the run."""

    def __init__(self, monitor: Monitor, file: TextIO) -> None:
        super().__init__(monitor)
        self._file: TextIO | None = file

    def finished(self, game: PackedGame) -> None:
        if self._file is None:
            return
        try:
            self._file.write(self.entry(game))
            self._file.flush()
        except OSError as error:
            say(f"{self._file.name}: cannot be written any more: {error.strerror}; the journal has all games")
            self._file = None

    def stop(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def note(self, text: str) -> None:
        """Nothing to do: notes are not for the file."""

    @abstractmethod
    def entry(self, game: PackedGame) -> str:
        """The text to append for a game."""


class PgnFile(GameFile):
    """Every finished game as PGN; `details` as `report.pgn.game` takes them."""

    def __init__(self, monitor: Monitor, file: TextIO, details: Collection[str] = ()) -> None:
        super().__init__(monitor, file)
        self.details = details

    def entry(self, game: PackedGame) -> str:
        record = unpack(game.row, game.moves, game.evidence)
        return pgn.game(record, self.monitor.experiment, self.details)


class EpdFile(GameFile):
    """The last position of every finished game, with its result."""

    def entry(self, game: PackedGame) -> str:
        record = unpack(game.row, game.moves, game.evidence)
        board = chess.Board(record.job.opening.fen, chess960=self.monitor.experiment.chess960)
        for word in (*record.job.opening.moves, *(made.move for made in record.moves)):
            board.push_uci(word)
        return board.epd(id=f"game {record.job.id}", c0=record.result) + "\n"


def open_for_games(path: str, between: str = "") -> TextIO:
    """The file, opened for appending, `between` behind a last line without an end; raises BadInput if it is impossible."""
    if path == "-":
        raise BadInput('"-": games cannot go to standard output, which has the progress; expected the name of a file')
    try:
        file = open(named(path), "a", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from None
    with suppress(OSError):
        if Path(file.name).is_file() and not _ends_a_line(Path(file.name)):
            file.write(between)  # or the first game would belong to the last line of what is there
    return file


def _ends_a_line(path: Path) -> bool:
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        return file.read() in (b"", b"\n")


def refuse_unwritable(path: str) -> None:
    """Raises BadInput if a file cannot be appended to; does not create it."""
    file = Path(os.path.realpath(named(path)))  # a link to a file that is yet to be made stays
    if file.exists() and not file.is_file() and not file.is_dir():
        return  # to the reader of a pipe, opening and closing it would look like the end
    fresh = not file.exists()
    open_for_games(path).close()
    if fresh:
        file.unlink()


def with_files(
    display: MakeDisplay, pgn_path: str | None = None, details: Collection[str] = (), epd_path: str | None = None
) -> MakeDisplay:
    """A display that also writes the files asked for, from the first game on.

    Raises BadInput at once for a file that cannot be written; no file is made for a run that is refused.
    """
    if pgn_path is None and epd_path is None:
        return display
    for path in (pgn_path, epd_path):
        if path is not None:
            refuse_unwritable(path)
    if pgn_path is not None and epd_path is not None and same(pgn_path, epd_path):
        raise BadInput(f"{epd_path}: cannot be PGN and EPD at once")

    def together(monitor: Monitor) -> Display:
        displays = [display(monitor)]
        if pgn_path is not None:
            displays.append(PgnFile(monitor, open_for_games(pgn_path, "\n\n"), details))
        if epd_path is not None:
            displays.append(EpdFile(monitor, open_for_games(epd_path, "\n")))
        return Together(displays)

    return together
