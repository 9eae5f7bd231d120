"""What every protocol drives: the position on the board, the clocks, and at most one search."""

from __future__ import annotations

from engine.board.game import Game
from engine.model import Limits, Result
from engine.play.clock import Clocks, Situation, budget, instant
from engine.play.library import Library
from engine.play.options import Settings
from engine.play.posting import Poster
from engine.play.record import Record
from engine.play.thinking import ANALYZE, PONDER, THINK, Job, Thinker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.play.door import Door


class Session:
    """Position, clocks, book and thinker, and what is common to every search.

    Reports go to `door`; `finished` is called from the search's thread with each job that has ended.
    """

    def __init__(self, door: Door, settings: Settings, finished: Callable[[Job], None]) -> None:
        self.door = door
        self.settings = settings
        self.thinker = Thinker(finished)
        self.library = Library(settings, door.note)
        self.record = Record()
        self.clocks = Clocks()
        self.post = False  # lines of thinking are wanted
        self.depth = 0  # depth limit of every search, plies; 0: none
        self.nps: int | None = None  # nodes that count as a second; 0: the clock counts processor time
        self._unsettled = False  # memory, cores or ClearHash came while a search ran
        self._clear_wanted = False

    @property
    def game(self) -> Game:
        """The game on the board."""
        return self.record.game

    def thinking(self) -> bool:
        """Whether a search runs that must end in a move."""
        job = self.thinker.job
        return job is not None and job.kind == THINK

    def pondering(self) -> bool:
        """Whether a search runs on the opponent's time."""
        job = self.thinker.job
        return job is not None and job.kind == PONDER

    def set_post(self, wanted: bool) -> None:
        """Turn lines of thinking on or off, at once."""
        self.post = wanted
        if self.thinker.job is not None:
            self.thinker.job.poster.enabled = wanted

    # ---- start and end of a search

    def new_job(self, kind: str, game: Game, limits: Limits, every_depth: bool) -> Job:
        """A search to be started, with the switches as they are now."""
        poster = Poster(self.door, game, every_depth)
        poster.enabled = self.post
        return Job(kind, game, limits, self.settings.features.copy(), poster)

    def start(self, job: Job) -> bool:
        """Begin a search while no other runs; True if it is already over: the clock has run down, or there is no memory."""
        try:
            self.configure()
        except MemoryError as error:  # not even for a small table: a move has to come all the same
            job.failure = str(error)
            job.end()
            return True
        if instant(job.limits):
            self.thinker.run(job)
            return True
        self.thinker.start(job)
        return False

    def hit(self, job: Job) -> bool:
        """The opponent made the move we ponder on: the search becomes the search for our move; False if it is over."""
        job.kind = THINK
        job.restart_clock()
        job.pondered_ms = self.thinker.progress()[0] if self.nps == 0 else 0
        job.poster.quiet = False
        job.poster.flush()
        job.limits = self.limits()
        if job.ended() or instant(job.limits):
            self.thinker.hurry()
            return False
        self.thinker.set_times(job.limits, self.clocks.st_ms is not None)
        return True

    def halt(self) -> None:
        """Abandon any running search without a move."""
        job = self.thinker.halt()
        if job is not None and job.kind == ANALYZE and job.result is not None:
            self._stats(job.result)
        self.settle()

    def conclude(self, job: Job, result: Result) -> int:
        """Send the last report of a search that ends in a move; return the milliseconds it took, by the clock in use."""
        job.poster.finish(result)
        self._stats(result)
        used = self.used_ms(job)
        if job.limits.hard_ms:
            self.clocks.overrun(used - job.carried_ms - job.limits.hard_ms)
        return used

    def used_ms(self, job: Job) -> int:
        """Milliseconds that a search and those before it took for a move, by the clock in use: nodes, processor or wall."""
        result = job.result
        if self.nps is None or result is None:
            return max(1, job.used_ms())
        own = result.nodes * 1000 // self.nps if self.nps else result.ms - job.pondered_ms
        return job.carried_ms + max(0, own)

    def limits(self) -> Limits:
        """What the clocks allow for the next move."""
        side = self.game.turn
        return budget(
            Situation(
                clock_ms=self.clocks.left_ms(side),
                control=self.clocks.control,
                own_moves=self.clocks.moves(side),
                men=self.record.men(),
                st_ms=self.clocks.st_ms,
                depth=self.depth,
                nps=self.nps,
                overhead_ms=self.settings.number("MoveOverhead"),
                lag=self.clocks.lag(),
                most_ms=self.clocks.most_ms,
            )
        )

    def _stats(self, result: Result) -> None:
        if self.settings.on("Stats"):
            self.door.stats(result.stats)

    # ---- settings that reach into the search

    def settle(self) -> None:
        """No search that must end in a move is running: apply the settings that waited, and let the door go on."""
        if self._unsettled:
            self.configure()
        self.door.settled()

    def configure(self) -> None:
        """Set the sizes of tables and threads, and empty the tables if that was asked for. No search may run."""
        self._unsettled = False
        self.thinker.configure(self.settings, self.door.note, self.door.warn)
        if self._clear_wanted:
            self._clear_wanted = False
            self.thinker.clear()

    def reconfigure(self) -> None:
        """Apply memory, cores or a request to empty the tables: now, or when the running search has ended."""
        if self.thinker.job is not None:
            self._unsettled = True
        else:
            self.configure()

    def clear_hash(self) -> None:
        """Empty the tables: now, or when the running search has ended."""
        self._clear_wanted = True
        self.reconfigure()
