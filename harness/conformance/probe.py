"""An engine under examination: lines in and out by hand, with the board that the conversation implies."""

from __future__ import annotations

import re
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess

from harness.engines.client import exit_note
from harness.engines.features import Features
from harness.engines.process import EngineProcess, Gone, monotonic, run_delay
from harness.model import Limit, Player

HANDSHAKE = 10.0  # seconds for an engine that says `done=0`, or for `uciok`
FEATURES = 2.0  # seconds after which an engine that sent no feature is one of version 1 ...
LOADING = 2.0  # ... or, while it still loads, its own processor seconds: the machine may be busy
SILENCE = 0.3  # seconds without a line that end a handshake known to have no end, or a look at an engine that loads
REPLY = 3.0  # seconds for what should come at once
KEPT = 1000  # lines of the conversation, both ways together
QUIET = 0.12  # seconds of silence that stand for a pong
QUIET_START = ("a2a3", "a7a6", "h2h3", "h7h6")  # out of every book, with all to think about
GRACE = 0.3  # seconds forgiven on every limit
FAREWELLS = (signal.SIGTERM, signal.SIGINT)  # by which an engine may end itself; any other is a crash
# White castles by f1g1 and gives check. There is one legal answer, which only an engine that castled correctly finds.
CASTLING_960 = "4rkr1/3np1p1/8/8/8/8/PPPP2PP/5KR1 w G - 0 1"
# The least speed of the probe's clock: an engine that goes by wall time is too late however busy the machine is.
SLOWEST = 1.0 / 3.0


class Fails(Exception):
    """The engine breaks a rule; the message says how."""


class NotSupported(Exception):
    """The engine does not claim to do what the rule is about."""


@dataclass(slots=True)
class Known:
    """What the processes of one engine have shown so far."""

    version_1: bool = False  # no features came in time
    endless: bool = False  # they came, and no done=1
    restless: bool = False  # it never waits for input, so that nobody sees when it has loaded
    answers: bool = False  # it has done what it was asked, be it a pong, once its handshake was over


class Probe:
    """One process of the engine. `known` remembers between processes what the first of them showed.

    Its clock, `now`, runs slower while the engine or we wait for a processor: a busy machine breaks no rule.
    """

    def __init__(self, command: Sequence[str], known: Known, directory: str | None = None) -> None:
        self.known = known
        self.board = chess.Board()
        self.process = EngineProcess(command, directory)
        self.transcript: deque[str] = deque(maxlen=KEPT)
        self.declared: list[str] = []  # its feature lines, whole
        self.features = Features()
        self._pings = 0
        self._old = ("", "")
        self._wall = monotonic()
        self._waited = self._waits()
        self._lost = 0.0

    def close(self) -> None:
        self.process.kill()

    # Time

    def now(self) -> float:
        """Seconds of the probe's clock."""
        wall, waited = monotonic(), self._waits()
        most = (1.0 - SLOWEST) * (wall - self._wall)
        self._lost += min(most, max(0.0, waited - self._waited))
        self._wall, self._waited = wall, waited
        return wall - self._lost

    def _waits(self) -> float:
        """Seconds that the engine's threads, and we, have waited for a processor; 0 where the kernel does not tell."""
        return (run_delay() + waiting_time(self.process.pid)) / 1e9

    # Lines

    def say(self, *lines: str) -> None:
        for line in lines:
            self._note("> " + line)
        self.process.send("".join(line + "\n" for line in lines))

    def _note(self, line: str) -> None:
        self.transcript.append("".join(letter if letter.isprintable() else "?" for letter in line[:300]))

    def line(self, deadline: float) -> str | None:
        """Returns the next line or None at the deadline of `now`; a death of the engine is a failure."""
        try:
            line = self.process.line(deadline + self._lost)
            while line is None and (left := deadline - self.now()) > 0:
                line = self.process.line(monotonic() + left)
        except Gone:
            how = exit_note(self.process)
            raise Fails(f"the engine ended{how}" if how else "it closed its output") from None
        if line is None:
            return None
        self._note("< " + line)
        if line.startswith("feature "):
            self.known.version_1 = False  # also when it comes too late for this conversation
        if line.startswith("My move is") or _OLD.match(line):
            # GNU Chess sends a move in both forms of version 1: once is enough.
            form, move = line[:2], move_text(line)
            last, self._old = self._old, (form, move)
            if last[1] == move and last[0] != form:
                self._old = ("", "")
                return self.line(deadline)
        return line

    def wait(self, what: str, wanted: Callable[[str], bool], seconds: float = REPLY) -> str:
        """Returns the first line that is wanted; fails when none comes in time."""
        return self.until(what, wanted, seconds)[-1]

    def until(self, what: str, wanted: Callable[[str], bool], seconds: float = REPLY) -> list[str]:
        """Returns the lines up to the first that is wanted; fails when none comes in time."""
        deadline = self.now() + seconds
        lines = []
        while (line := self.line(deadline)) is not None:
            lines.append(line.strip())
            if wanted(lines[-1]):
                self.known.answers = True
                return lines
        raise Fails(f"no {what} within {seconds:g} s")

    def collect(self, seconds: float) -> list[str]:
        """Returns all lines that come within a time."""
        deadline = self.now() + seconds
        lines = []
        while (line := self.line(deadline)) is not None:
            lines.append(line.strip())
        return lines

    def gone(self, seconds: float) -> float:
        """Returns the seconds until the process has ended; fails when it does not, or crashes."""
        began = self.now()
        while self.now() < began + seconds:
            try:
                self.process.line(monotonic() + 0.02)
            except Gone:
                time.sleep(0.005)
            if (code := self.process.exit_code) is not None:
                if code < 0 and -code not in FAREWELLS:
                    raise Fails(f"it crashes{exit_note(self.process)}")
                return self.now() - began
        raise Fails(f"the process is still there after {seconds:g} s")

    def move_of(self, text: str) -> chess.Move:
        """Returns the move, in coordinates or SAN, played on the board; fails when it is not legal."""
        try:
            move = self.board.parse_uci(text) if _COORDINATES.fullmatch(text) else self.board.parse_san(text)
        except ValueError:
            move = chess.Move.null()
        return self._played(move, text)

    def _played(self, move: chess.Move, text: str) -> chess.Move:
        if not move:  # what python-chess makes of words such as 0000 and --, and we of those that are no legal move
            raise Fails(f"illegal move {text[:80]} in {self.board.fen()}")
        self.board.push(move)
        return move

    # XBoard

    def xboard(self) -> Features:
        """Opens the conversation as a GUI does; an engine that stays silent knows version 1 only."""
        self.say("xboard", "protover 2")
        known = self.known.version_1
        used = 0.0
        began = self.now()
        deadline = began + (SILENCE if known else FEATURES)
        while True:
            line = self.line(deadline)
            if line is None:
                before, used = used, self.process.cpu() or LOADING
                loads = self.process.is_working() or (used > before and not known)
                if self.features.any or not loads or self.known.restless:
                    break
                if used >= LOADING or self.now() > began + HANDSHAKE:
                    self.known.restless = True
                    break
                deadline = self.now() + SILENCE
            elif line.startswith("feature "):
                self.declared.append(line)
                was = self.features.done
                replies = self.features.take(line)
                # Sent one by one, noted as one line: a failure's transcript should show what matters.
                self.process.send("".join(reply + "\n" for reply in replies))
                self._note(f"> accepted ... ({len(replies)} lines)")
                if self.features.done:
                    break
                if self.known.endless:
                    deadline = self.now() + SILENCE
                elif was is None and self.features.done is False:
                    deadline = self.now() + HANDSHAKE
        self.known.version_1 = not self.features.any
        self.known.endless = self.features.any and not self.features.done
        return self.features

    def sync(self, seconds: float = REPLY) -> list[str]:
        """Waits until the engine has obeyed all that was sent; returns what it wrote meanwhile."""
        if not self.features.ping:
            return self._until_quiet()
        self._pings += 1
        self.say(f"ping {self._pings}")
        lines: list[str] = []
        deadline = self.now() + seconds
        while (line := self.line(deadline)) is not None:
            if line.strip() == f"pong {self._pings}":
                self.known.answers = True
                return lines
            lines.append(line.strip())
        raise Fails(f"no pong {self._pings} within {seconds:g} s")

    def _until_quiet(self) -> list[str]:
        """Returns what comes before a silence: the best substitute for ping."""
        lines = []
        end = self.now() + 1.0
        while self.now() < end and (line := self.line(self.now() + QUIET)) is not None:
            lines.append(line.strip())
        return lines

    def usermove(self, *texts: str) -> None:
        """Sends legal moves of ours, in the notation that the engine wants."""
        for text in texts:
            move = self.board.parse_uci(text)
            spelled = self.board.san(move) if self.features.san else text
            self.say(f"usermove {spelled}" if self.features.usermove else spelled)
            self.board.push(move)

    def new(self, *setup: str, fen: str | None = None) -> None:
        """Begins a game; with a position the engine stays in force mode."""
        self.board = chess.Board()
        self._old = ("", "")
        self.say("new", *setup)
        if fen is not None:
            if not self.features.setboard:
                raise NotSupported("no setboard")
            self.board = chess.Board(fen)
            self.say("force", f"setboard {fen}")

    def engine_move(self, seconds: float = REPLY) -> chess.Move:
        """Waits for the engine's move, in its old or new form, and plays it on the board."""
        line = self.wait("move", is_move, seconds)
        return self.move_of(move_text(line))

    # UCI

    def uci(self) -> list[str]:
        """Opens the conversation; returns what came before `uciok`."""
        self.say("uci")
        lines: list[str] = []
        deadline = self.now() + HANDSHAKE
        while (line := self.line(deadline)) is not None:
            if line.strip() == "uciok":
                return lines
            lines.append(line.strip())
        raise Fails(f"no uciok within {HANDSHAKE:g} s")

    def ready(self, seconds: float = REPLY) -> None:
        self.say("isready")
        self.wait("readyok", lambda line: line == "readyok", seconds)

    def position(self, fen: str | None = None, *moves: str) -> None:
        """Sends a position and moves, and puts them on the board."""
        self.board = chess.Board() if fen is None else chess.Board(fen)
        for move in moves:
            self.board.push_uci(move)
        tail = " moves " + " ".join(moves) if moves else ""
        self.say(("position startpos" if fen is None else f"position fen {fen}") + tail)

    def best(self, seconds: float = REPLY) -> chess.Move:
        """Waits for `bestmove` and plays it on the board."""
        return self.best_of(self.wait("bestmove", is_best, seconds))

    def best_of(self, line: str) -> chess.Move:
        """Plays the move of a `bestmove` on the board; fails when it is not legal or not written in coordinates."""
        text = best_words(line)[1]
        try:
            move = self.board.parse_uci(text)
        except ValueError:
            move = chess.Move.null()
        return self._played(move, text)


def no_stderr(probe: Probe) -> None:
    """Fails if the engine has written to standard error."""
    if text := probe.process.stderr_tail():
        last = text.strip().rpartition("\n")[2]
        raise Fails(f'"{last[:80]}"')


def waiting_time(pid: int) -> int:
    """Returns the nanoseconds that the threads of a process and of its children have waited for a processor."""
    total = 0
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            total += int((task / "schedstat").read_text().split()[1])
            children = (task / "children").read_text().split()
        except (OSError, ValueError, IndexError):  # it has just ended, or this kernel does not tell
            continue
        total += sum(waiting_time(int(child)) for child in children)
    return total


_COORDINATES = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
_OLD = re.compile(r"\d+\s*\.\s*\.\.\.\s*\S+$")


def is_move(line: str) -> bool:
    """Says whether an XBoard line is a move of the engine."""
    return line.startswith(("move ", "My move is")) or bool(_OLD.match(line))


def move_text(line: str) -> str:
    return line.replace(":", " ").split()[-1]


def is_best(line: str) -> bool:
    """Says whether a UCI line is the answer to `go`."""
    return line.startswith("bestmove")


def best_words(line: str) -> list[str]:
    """Returns the words of a `bestmove`; fails when it names no move."""
    words = line.split()
    if len(words) < 2:
        raise Fails("bestmove without a move")
    return words


def player_of(command: Sequence[str], protocol: str) -> Player:
    """Returns the engine under examination as a player, for protocol detection."""
    return Player(0, command[0], tuple(command), protocol, Limit())
