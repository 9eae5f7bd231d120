"""Limits how often a search reports, so that a GUI can keep up."""

from __future__ import annotations

import time
from _thread import allocate_lock

from engine.board.game import Game
from engine.model import Info, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engine.play.door import Door

PACE = 0.05  # seconds between two lines about the same search


class Poster:
    """Passes the reports of one search to the door, from the search's thread.

    With `every_depth` every completed depth is passed on (some clients count depths), else lines are at least PACE apart.
    `finish` ends with a line that counts all nodes and the whole time, including an iteration that was cut off: clients
    read the cost of a move from the line before it.
    """

    def __init__(self, door: Door, game: Game, every_depth: bool) -> None:
        self.enabled = True  # the GUI wants lines
        self.quiet = False  # pondering, of which the GUI wants no lines
        self.latest: Info | None = None
        self._door = door
        self._root = (game.fen(), game.chess960)
        self._every_depth = every_depth
        self._lock = allocate_lock()
        self._completed = 0
        self._others: list[Info] = []  # MultiPV: the latest report's second line, third line, ...
        self._told = True  # the latest report has been passed on
        self._told_at = 0.0

    def __call__(self, info: Info) -> None:
        with self._lock:
            if info.line > 1:  # passed on if the best line was
                self._others.append(info)
                if self._told:
                    self._door.thinking(info, *self._root)
                return
            self.latest, self._others, self._told = info, [], False
            new_depth = not info.bound and info.depth > self._completed
            if new_depth:
                self._completed = info.depth
            if (new_depth and self._every_depth) or time.monotonic() - self._told_at >= PACE:
                self._tell()

    def flush(self) -> None:
        """Pass on the latest report if that has not been done."""
        with self._lock:
            if not self._told:
                self._tell()

    def finish(self, result: Result) -> None:
        """The search is over: pass on its last report, or one made from the result if that differs."""
        pv = result.pv or [result.move]
        if self.latest is None or self.latest.pv[:2] != pv[:2] or self.latest.bound:
            depth, seldepth = max(1, result.depth), max(1, result.seldepth)
            self.latest = Info(depth, seldepth, result.score, result.ms, result.nodes, 0, pv)
            self._others, self._told = [], False
        elif result.nodes > self.latest.nodes:
            spent = {"ms": result.ms, "nodes": result.nodes}
            self.latest = self.latest.replace(**spent)
            self._others, self._told = [other.replace(**spent) for other in self._others], False
        self.flush()

    def _tell(self) -> None:
        if self.latest is not None and self.enabled and not self.quiet:
            self._told, self._told_at = True, time.monotonic()
            for info in (self.latest, *self._others):
                self._door.thinking(info, *self._root)
