"""Thinking output: the lines of section 5 of the protocol reference, and how often they may come."""

from __future__ import annotations

import time
from _thread import allocate_lock

from engine.board.game import Game
from engine.play.output import Output
from engine.search.threads import Info, Result

LONGEST = 440  # characters of a line; GUIs read into buffers of 500
PACE = 0.05  # seconds between two lines about the same search
MARKS = {-1: " ?", 0: "", 1: " !"}


def line_of_play(fen: str, chess960: bool, moves: list[int], room: int) -> str:
    """The moves in SAN with blanks between, as many as fit into `room` characters; ends at an illegal move."""
    board, words, length = Game(fen, chess960), [], 0
    for move in moves:
        if move not in board.legal_moves():
            break
        word = board.san(move)
        length += len(word) + 1
        if length > room:
            break
        words.append(word)
        board.push(move)
    return " ".join(words)


def thinking_line(info: Info, fen: str, chess960: bool) -> str:
    """`PLY SCORE TIME NODES SELDEPTH NPS TBHITS<tab>PV`; a failed bound is a word of its own behind the PV.

    Centiseconds; score from the engine's side; nodes a second are numbers of nodes, not thousands.
    """
    speed = info.nodes * 1000 // max(1, info.ms)
    head = f"{info.depth} {info.score} {info.ms // 10} {info.nodes} {info.seldepth} {speed} 0\t"
    return head + line_of_play(fen, chess960, info.pv, LONGEST - len(head)) + MARKS[info.bound]


def book_line(shares: list[str]) -> str:
    """`0 0 0 0 (e4 64%, d4 36%)`: the book's moves as a thinking line, as many as fit."""
    text = ""
    for share in shares:
        if len(text) + len(share) > LONGEST:
            break
        text += f", {share}" if text else share
    return f"0 0 0 0 ({text})"


class Poster:
    """Prints what one search reports, from the search's thread.

    Every completed depth is printed when `every_depth` (analysis: clients count depths), else lines keep a distance of
    PACE; what was held back last is printed by `finish`, so there is always a line before the move.
    """

    def __init__(self, output: Output, game: Game, every_depth: bool) -> None:
        self.enabled = True  # the GUI said `post`
        self.quiet = False  # pondering
        self.latest: Info | None = None
        self._output = output
        self._root = (game.fen(), game.chess960)
        self._every_depth = every_depth
        self._lock = allocate_lock()
        self._completed = 0
        self._printed: Info | None = None
        self._printed_at = 0.0

    def __call__(self, info: Info) -> None:
        with self._lock:
            self.latest = info
            now = time.monotonic()
            new_depth = not info.bound and info.depth > self._completed
            if new_depth:
                self._completed = info.depth
            if (new_depth and self._every_depth) or now - self._printed_at >= PACE:
                self._print(info, now)

    def flush(self) -> None:
        """Print the newest report when it has not been."""
        with self._lock:
            if self.latest is not None and self.latest is not self._printed:
                self._print(self.latest, time.monotonic())

    def finish(self, result: Result) -> None:
        """The search is over: print its last report, or one made of the result when that says something else."""
        pv = result.pv or [result.move]
        if self.latest is None or self.latest.pv[:1] != pv[:1] or self.latest.bound:
            depth, seldepth = max(1, result.depth), max(1, result.seldepth)
            self.latest = Info(depth, seldepth, result.score, result.ms, result.nodes, 0, pv)
        self.flush()

    def _print(self, info: Info, now: float) -> None:
        if self.enabled and not self.quiet:
            self._printed, self._printed_at = info, now
            self._output.line(thinking_line(info, *self._root))
