"""The one search that runs for a game: starting, stopping, pausing it, and what waits for its end."""

from __future__ import annotations

from engine.board.game import Game
from engine.play.clock import Clocks, Situation, budget
from engine.play.options import Settings
from engine.play.output import Output
from engine.play.posting import Poster
from engine.play.record import Record
from engine.play.thinking import ANALYZE, PONDER, THINK, Job, Thinker
from engine.search.threads import Limits, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WHITE, BLACK = 0, 1


class Searching:
    """The game, the clocks and the thinker, and what holds for every search whatever it is for.

    Replies go to `out`; `finished` is called from the search's thread with each job that has ended.
    """

    def __init__(self, out: Output, settings: Settings, finished: Callable[[Job], None]) -> None:
        self.out = out
        self.settings = settings
        self.thinker = Thinker(finished)
        self.record = Record()
        self.clocks = Clocks()
        self.engine_side: int | None = BLACK
        self.paused = False
        self.post = False
        self.raw = True  # no protover yet: a person or a script is typing
        self.sd = 0
        self.nps: int | None = None
        self._pongs: list[str] = []
        self._unsettled = False  # memory, cores or ClearHash came while we think
        self._clear_wanted = False

    @property
    def game(self) -> Game:
        """The game on the board."""
        return self.record.game

    def thinking(self) -> bool:
        """THINK: a search runs that must end in a move."""
        job = self.thinker.job
        return job is not None and job.kind == THINK

    def pondering(self) -> bool:
        """PONDER: a search runs on the opponent's time."""
        job = self.thinker.job
        return job is not None and job.kind == PONDER

    # ---- start and stop

    def stop(self) -> None:
        """Give up whatever search runs; it prints no move. A pause is over."""
        self.halt()
        self.unpause()

    def halt(self) -> None:
        """As `stop`, but a pause goes on: the next search begins frozen."""
        job = self.thinker.halt()
        if job is not None and job.kind == ANALYZE and job.result is not None:
            self._stats(job.result)
        self._settle()

    def _job(self, kind: str, game: Game, limits: Limits) -> Job:
        poster = Poster(self.out, game, every_depth=kind == ANALYZE)
        poster.enabled = self.post
        poster.quiet = kind == PONDER
        job = Job(kind, game, limits, self.settings.features.copy(), poster)
        if kind != ANALYZE and self.engine_side is not None:
            contempt = self.settings.number("Contempt")
            job.contempt = contempt if game.turn == self.engine_side else -contempt
        return job

    def _start(self, job: Job) -> None:
        self.configure()
        self.thinker.start(job)
        if self.paused:
            self.thinker.freeze()

    def _limits(self) -> Limits:
        side = self.game.turn
        return budget(
            Situation(
                clock_ms=self.clocks.left_ms(side),
                session=self.clocks.session,
                own_moves=self.clocks.moves(side),
                men=self.record.men(),
                st_ms=self.clocks.st_ms,
                depth=self.sd,
                nps=self.nps,
                overhead_ms=self.settings.number("MoveOverhead"),
                lag=self.clocks.lag(),
            )
        )

    # ---- pauses

    def pause(self) -> None:
        """Freeze search and clocks."""
        self.paused = True
        self.thinker.freeze()

    def unpause(self) -> None:
        """No longer paused; a frozen search runs on."""
        self.paused = False
        self.thinker.thaw()

    # ---- what waits for the end of our thinking

    def pong(self, token: str) -> None:
        """Answer a ping: at once, or after our move when we think."""
        if self.thinking() and not self.paused:
            self._pongs.append(token)
        else:
            self.out.line(f"pong {token}")

    def _settle(self) -> None:
        """Nothing runs that must end in a move: settings that waited apply, then the pings that waited are answered."""
        if self._unsettled:
            self.configure()
        pongs, self._pongs = self._pongs, []
        for token in pongs:
            self.out.line(f"pong {token}")

    def configure(self) -> None:
        """Bring tables and threads to the wanted size, and empty the tables if that was asked for. No search may run."""
        self._unsettled = False
        self.thinker.configure(self.settings, self.out.note)
        if self._clear_wanted:
            self._clear_wanted = False
            self.thinker.clear()

    # ---- what it prints

    def set_post(self, wanted: bool) -> None:
        """Thinking output on or off, at once."""
        self.post = wanted
        if self.thinker.job is not None:
            self.thinker.job.poster.enabled = wanted

    def status(self) -> str:
        """The `stat01:` line of the running analysis."""
        job = self.thinker.job
        if job is None:
            return "stat01: 0 0 0 0 0"
        ms, nodes, depth, left, total, move = self.thinker.progress()
        line = f"stat01: {ms // 10} {nodes} {depth} {left} {total}"
        return f"{line} {self.game.san(move)}" if move in self.game.legal_moves() else line

    def _stats(self, result: Result) -> None:
        """`# stats {json}`, for GUIs that agreed to `#` lines and for sessions without a GUI."""
        if not self.settings.on("Stats"):
            return
        import json  # only measuring runs pay for it

        text = "stats " + json.dumps(result.stats, separators=(",", ":"))
        if self.raw:
            self.out.line("# " + text)
        else:
            self.out.note(text)
