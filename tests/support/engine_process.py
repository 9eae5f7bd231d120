"""Drives the engine as a process: lines in, lines out, a deadline on every wait, and a grammar for all that it prints.

SORTIE_COMMAND in the environment names another build to test (the debug build with sanitizers).
"""

from __future__ import annotations

import os
import queue
import re
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Self

import psutil

ROOT = Path(__file__).resolve().parents[2]
COMMAND = shlex.split(os.environ.get("SORTIE_COMMAND", "")) or [sys.executable, "-m", "engine"]
PATIENCE = 60.0  # seconds; long, because a slow machine is no fault: only what never comes is

MATE_IN_TWO = "k7/8/8/2K5/8/8/8/7R w - - 0 1"  # Kb6 and Rh8
FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")
ILLEGAL_FEN = "8/8/8/8/8/8/8/8 w - - 0 1"

SQUARE = "[a-h][1-8]"
MOVE = f"(?:{SQUARE}{SQUARE}[qrbn]?|O-O(?:-O)?)"
GRAMMAR = re.compile(
    "|".join(
        [
            r"feature \S.*",
            f"move {MOVE}",
            r"pong .*",
            f"Hint: {MOVE}",
            r"Illegal move: .*",
            r"Error \([a-z ]+\): .*",
            r"tellusererror Illegal position",
            r"telluser .*; the classical evaluation is used",
            r"1-0 \{White mates\}",
            r"0-1 \{Black mates\}",
            r"1/2-1/2 \{(?:Stalemate|Draw by repetition|50-move rule|Insufficient material)\}",
            r"resign",
            r"offer draw",
            r"# .*",
            r"stat01: \d+ \d+ \d+ \d+ \d+(?: \S+)?",
            r"\d+ -?\d+ \d+ \d+ \d+ \d+ \d+\t\S[^\t(]*",
            r"0 0 0 0 \(.+\)",
            r" \S+ \d+%",  # bk
            r"",  # the end of bk
        ]
    )
)

UCI_MOVE = f"{SQUARE}{SQUARE}[qrbn]?"
SCORE = r"score (?:cp|mate) -?\d+(?: (?:lower|upper)bound)?"
EFFORT = r"nodes \d+ nps \d+ hashfull \d+ tbhits \d+ time \d+"
UCI_GRAMMAR = re.compile(
    "|".join(
        [
            r"id (?:name|author) \S.*",
            r"option name \S.* type (?:check|spin|combo|string|button).*",
            r"uciok",
            r"readyok",
            rf"bestmove (?:{UCI_MOVE}(?: ponder {UCI_MOVE})?|\(none\))",
            rf"info depth \d+ seldepth \d+ multipv \d+ {SCORE} {EFFORT} pv(?: {UCI_MOVE})+",
            r"info depth 0 score (?:cp|mate) 0",
            rf"info (?:depth \d+ currmove {UCI_MOVE} currmovenumber \d+ )?{EFFORT}",
            r"info string \S.*",
        ]
    )
)


def environment() -> dict[str, str]:
    """The environment in which `python -m engine` finds the package from any directory."""
    path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH", ""), str(ROOT)]))
    return {**os.environ, "PYTHONPATH": path}


FAULTS = tuple(
    f"< {head} {fault}" for head in ("#", "info string", "telluser") for fault in ("internal error", "search failed")
)  # the engine's own report that something went wrong


class EngineProcess:
    """One engine under test. A context manager; leaving it checks grammar, silence on stderr and a clean exit."""

    grammar = GRAMMAR
    longest = 500  # characters of a line, except for counters

    def __init__(self, *arguments: str, handshake: bool = True, cwd: str | os.PathLike[str] | None = None) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=environment(),
        )
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.input, self.output, self.errors = self.process.stdin, self.process.stdout, self.process.stderr
        self.transcript: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._pings = 0
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()
        self.features: list[str] = []
        if handshake:
            self.shake_hands()

    def shake_hands(self) -> None:
        """Do as a GUI does at the start."""
        self.send("xboard", "protover 2")
        self.features = self.until("feature done=1")
        self.send("accepted debug")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        if kind is not None:
            self.process.kill()
            self.process.wait()
            self._close()
            print("\n".join(self.transcript))
            return
        if self.process.poll() is None:
            try:
                self.send("quit")
            except OSError:
                pass
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        errors = self.errors.read().decode(errors="replace")
        self.rest()
        self._close()
        assert status == 0, f"exit status {status}"
        assert errors == "", errors
        self.check_grammar()

    def _close(self) -> None:
        for pipe in (self.input, self.output, self.errors):
            try:
                pipe.close()
            except OSError:
                pass

    def check_grammar(self) -> None:
        """Asserts that the protocol knows every line that came out."""
        for line in self.transcript:
            if line.startswith("< "):
                assert self.grammar.fullmatch(line[2:]), f"not in the grammar: {line!r}"
                assert not line.startswith(FAULTS), line
                assert len(line) < self.longest or line.startswith("< # stats ")

    def _read(self) -> None:
        try:
            for raw in self.output:
                self._lines.put(raw.decode("utf-8", "replace").rstrip("\n"))
        except ValueError:  # the test closed the pipe under us
            pass
        self._lines.put(None)

    def cpu_seconds(self) -> float:
        """Processor time so far, in seconds. The engine keeps to the wall clock, so this is never more than its budget,
        however busy the machine is."""
        used = psutil.Process(self.process.pid).cpu_times()
        return used.user + used.system

    def send(self, *lines: str) -> None:
        """Send whole lines."""
        for line in lines:
            self.transcript.append("> " + line[:200])
        self.raw("".join(line + "\n" for line in lines).encode())

    def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.input.write(data)
        self.input.flush()

    def line(self, timeout: float = PATIENCE) -> str | None:
        """The next line, None if none comes in time or the output has ended."""
        if self._ended:
            return None
        try:
            line = self._lines.get(timeout=max(0.0, timeout))
        except queue.Empty:
            return None
        if line is None:
            self._ended = True
        else:
            self.transcript.append("< " + line)
        return line

    def until(self, pattern: str, timeout: float = PATIENCE) -> list[str]:
        """All lines up to and including the first that matches the pattern from its start; fails if none comes."""
        end = time.monotonic() + timeout
        lines: list[str] = []
        while True:
            line = self.line(end - time.monotonic())
            if line is None:
                raise AssertionError(f"no line like {pattern!r} in {timeout} s, but {lines}")
            lines.append(line)
            if re.match(pattern, line):
                return lines

    def sync(self, timeout: float = PATIENCE) -> list[str]:
        """Send a ping and return the lines before the pong."""
        self._pings += 1
        self.send(f"ping {self._pings}")
        return self.until(f"pong {self._pings}$", timeout)[:-1]

    def move(self, timeout: float = PATIENCE) -> str:
        """Wait for the engine's move and return it."""
        return self.until("move ", timeout)[-1].split()[1]

    def quiet(self, seconds: float) -> list[str]:
        """The output in this time."""
        end = time.monotonic() + seconds
        lines = []
        while (line := self.line(end - time.monotonic())) is not None:
            lines.append(line)
        return lines

    def rest(self) -> list[str]:
        """The output until its end."""
        lines = []
        while (line := self.line()) is not None:
            lines.append(line)
        return lines

    def gone(self, seconds: float) -> bool:
        """Whether the process has ended within this time."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True


class UciProcess(EngineProcess):
    """The same engine under UCI; `declared` holds the lines before `uciok`."""

    grammar = UCI_GRAMMAR
    longest = 4000

    def shake_hands(self) -> None:
        self.send("uci")
        self.declared = self.until("uciok")[:-1]

    def ready(self, timeout: float = PATIENCE) -> list[str]:
        """Send `isready` and return the lines before `readyok`."""
        self.send("isready")
        return self.until("readyok", timeout)[:-1]

    def go(self, words: str, timeout: float = PATIENCE) -> list[str]:
        """Search to the end and return the info lines, with `bestmove` last."""
        self.send(f"go {words}")
        return self.until("bestmove", timeout)


def forced(engine: EngineProcess, *moves: str) -> None:
    """Enter force mode and make these moves."""
    engine.send("force", *(f"usermove {move}" for move in moves))


def side_to_move(engine: EngineProcess) -> str | None:
    """The side to move, found by trying a pawn step: 'white', 'black' or None (no position)."""
    for move, colour in (("a2a3", "white"), ("a7a6", "black")):
        engine.send(f"usermove {move}")
        if not engine.sync():
            engine.send("undo")
            return colour
    return None


def run_cli(
    *arguments: str, cwd: str | os.PathLike[str] | None = None, feed: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command line of the engine to its end."""
    return subprocess.run(
        [*COMMAND, *arguments],
        input=feed,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        env=environment(),
    )
