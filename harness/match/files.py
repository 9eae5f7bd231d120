"""Files that grow with a run, game by game, for broadcast tools and other programs: PGN and EPD."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from pathlib import Path
from typing import TextIO

import chess

from harness.analysis.monitor import Monitor
from harness.errors import BadInput
from harness.journal.record import PackedGame, unpack
from harness.report import pgn
from harness.run.display import Display, Together, say
from harness.run.start import MakeDisplay


class GameFile(Display, ABC):
    """Appends something of every finished game to a file; a full disk ends the writing, not the run."""

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
        """Not for the file."""

    @abstractmethod
    def entry(self, game: PackedGame) -> str:
        """What the file gets for a game."""


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


def open_for_games(path: str) -> TextIO:
    """The file opened to be added to; raises BadInput when that is not possible."""
    try:
        return open(Path(path).expanduser(), "a", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from None


def with_files(
    display: MakeDisplay, pgn_path: str | None = None, details: Collection[str] = (), epd_path: str | None = None
) -> MakeDisplay:
    """A display that also writes the files that were asked for; raises BadInput at once for one that cannot be opened."""
    if pgn_path is None and epd_path is None:
        return display
    games = open_for_games(pgn_path) if pgn_path is not None else None
    positions = open_for_games(epd_path) if epd_path is not None else None

    def together(monitor: Monitor) -> Display:
        displays = [display(monitor)]
        if games is not None:
            displays.append(PgnFile(monitor, games, details))
        if positions is not None:
            displays.append(EpdFile(monitor, positions))
        return Together(displays)

    return together
