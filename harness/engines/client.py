"""What the clients of both protocols share: how a game asks an engine, and how an engine can answer or fail."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

import chess

from harness.engines.io_log import FOLDER, IoLog
from harness.engines.process import TRANSCRIPT, EngineProcess, Gone, monotonic
from harness.model import Limit, Options, Player


class Reply(Enum):
    """How a wait for a move can end."""

    MOVE = auto()
    LATE = auto()
    RESIGN = auto()
    CLAIM = auto()  # of a result
    AGREED = auto()  # to a draw that was offered
    REFUSED = auto()  # a legal move or position


Answer = tuple[Reply, str]

COMPLAINTS = ("error", "illegal", "unknown", "invalid", "no such")  # of an option, in either protocol
XBOARD_COMPLAINTS = ("error", "illegal", "unknown")  # how an engine begins to say that it knows no such command


class StartFailed(Exception):
    """The engine cannot take part: no handshake, or it cannot do what is asked. No game is scored."""

    transcript: tuple[str, ...] = ()
    stderr: str = ""
    exit_code: int | None = None
    option = False  # it would start, but it does not take the options it was given


class OptionRefused(StartFailed):
    """It has no such option, or does not take that value."""

    option = True


class Stalled(Exception):
    """The engine gave no answer within the patience."""


class Refused(Exception):
    """The engine rejects a position or a legal move."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What an engine must be told before a game. `moves` are the opening's, `fen` is the position before them."""

    fen: str
    standard: bool  # the usual start position of chess
    moves: tuple[chess.Move, ...]
    white: bool
    limit: Limit
    other: Limit  # the opponent's
    chess960: bool = False
    ponder: bool = False
    patience: float = 10.0
    options: Options = ()  # set before this game, on top of those of the start


class Thought(NamedTuple):
    """What an engine said about its last search, None for what it did not say. Score: see `model.MoveRecord`."""

    depth: int | None = None
    nodes: int | None = None
    score: int | None = None
    stats: dict[str, object] | None = None


NO_THOUGHT = Thought()

# A larger number is a mistake of the engine and counts as not given.
MOST_DEPTH, MOST_NODES, MOST_SCORE = 1_000, 10**14, 10**7


def reported(text: str, most: int, least: int = 0) -> int | None:
    """The whole number that an engine reported; None for other text and for numbers beyond `least` and `most`."""
    try:
        value = int(text)
    except ValueError:
        return None
    return value if least <= value <= most else None


class Running:
    """An engine's process, whatever protocol it speaks, and warnings about it."""

    farewell = "quit\n"

    def __init__(self, player: Player, patience: float, record: Path | None = None) -> None:
        """Starts the process; raises StartFailed when that is impossible."""
        self.player = player
        self.patience = patience
        self.name = ""
        self.warnings: dict[str, int] = {}
        self.started = monotonic()
        try:
            self.process = EngineProcess(player.command, player.directory, dict(player.env), record)
        except OSError as error:
            raise StartFailed(f"{player.command[0]}: {error.strerror or error}") from error
        if player.io_log and record is not None:
            self.process.said = IoLog(record.parent / FOLDER, player.name, self.process.pid, TRANSCRIPT)

    def warn(self, kind: str, count: int = 1) -> None:
        self.warnings[kind] = self.warnings.get(kind, 0) + count

    def take_warnings(self) -> dict[str, int]:
        """Returns how many warnings of each kind there were since the last call."""
        if self.process.long_lines:
            self.warn("long-line", self.process.long_lines)
            self.process.long_lines = 0
        taken, self.warnings = self.warnings, {}
        return taken

    def quit(self) -> None:
        self.process.quit(self.farewell)


class Client(Running, ABC):
    """An engine behind either protocol. A game drives it: new_game, then go and answer by turns, then over."""

    in_step = True  # whether it can be synchronised again after a search that was given up
    reusable = True  # whether the process may play another game
    takes_fractions = True  # whether its time for a move may be a fraction of a second
    sent_fraction = False
    strict_lines = False  # whether its lines of thinking hold moves in coordinates and nothing else
    spells = False  # whether it wants moves in another notation than coordinates, see `spell`

    def __init__(self, player: Player, patience: float, record: Path | None = None) -> None:
        """Starts the process; raises StartFailed when that is impossible."""
        super().__init__(player, patience, record)
        self.offered = False  # it offered a draw since its last `go`
        self.fresh = True  # nothing has been heard from it since the handshake

    @abstractmethod
    def handshake(self) -> None:
        """Makes the engine ready and sets its options; raises StartFailed."""

    @abstractmethod
    def option_lines(self, options: Options) -> list[str]:
        """Returns the lines that set options; raises StartFailed for an option or a value that the engine lacks."""

    def refuse_limit(self, limit: Limit) -> None:
        """Raises StartFailed for a limit that the engine has no command for."""

    def refuse_chess960(self) -> None:
        """Raises StartFailed if the engine cannot play Fischer random."""

    def refuse_hidden(self, line: str) -> None:
        """Raises StartFailed if a line complains of a hidden option, one that the engine does not announce."""
        if self.player.hidden and line.lstrip().lower().startswith(COMPLAINTS):
            for name in self.player.hidden:
                if name in line:
                    raise StartFailed(f'does not take option {name}: "{printable(line.strip(), 200)}"')

    @abstractmethod
    def new_game(self, setup: Setup) -> None:
        """Sets up a game and waits until the engine is ready; raises StartFailed, Stalled, Refused, Gone."""

    def spell(self, board: chess.Board, move: chess.Move) -> str:
        """Returns a legal move (not yet made on the board) in the notation that this engine wants."""
        return move.uci()

    @abstractmethod
    def go(self, move: str, own: float, other: float, session: int, draw: bool) -> None:
        """Tells the opponent's move ('' for none) and has the engine think.

        `own` and `other` are the clocks in seconds, `session` the moves to the next time control (0: none), `draw` says
        that the opponent offers a draw.
        """

    @abstractmethod
    def answer(self, deadline: float) -> Answer:
        """Waits for the move; returns a pair of how it ended and the text. Raises Gone."""

    @abstractmethod
    def made(self, move: str, board: chess.Board, own: float, other: float, session: int) -> None:
        """Tells the engine that its move stands (it is on the board now) and that the opponent thinks.

        `session` are the moves that the engine has to the next time control.
        """

    @abstractmethod
    def hurry(self) -> None:
        """Tells the engine to move at once."""

    @abstractmethod
    def over(self, result: str, comment: str) -> None:
        """Tells the engine that the game has ended."""

    def variation(self) -> Sequence[str]:
        """Returns the words of the line of thinking behind its last move, as it wrote them."""
        return ()

    def thought(self) -> Thought:
        """Returns what it said about the search for its last move."""
        return NO_THOUGHT

    def line(self) -> str:
        """Returns the moves that it expected when it made its last one, as it wrote them; '' if it wrote none."""
        return ""


def printable(text: str, length: int = 500) -> str:
    """What an engine wrote, safe for a log or a terminal: no control characters, at most `length` characters."""
    text = text if len(text) <= length else text[: length - 1] + "…"
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def read_handshake(process: EngineProcess, deadline: float, take: Callable[[str], bool]) -> bool:
    """Feeds lines to `take` until it returns True; False at the deadline. Raises StartFailed if the engine dies."""
    try:
        while (line := process.line(deadline)) is not None:
            if take(line):
                return True
    except Gone as gone:
        raise StartFailed(f"ended before the handshake was over{exit_note(process)}") from gone
    return False


def exit_note(process: EngineProcess) -> str:
    """Returns ' (exit status N)' if the process has ended or ends within 0.2 s, else ''."""
    deadline = monotonic() + 0.2
    while (code := process.exit_code) is None and monotonic() < deadline:
        time.sleep(0.001)  # the core may be one that a game is measured on
    if code is None:
        return ""
    return f" (exit status {code})" if code >= 0 else f" (signal {-code})"
