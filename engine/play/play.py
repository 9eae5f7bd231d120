"""The engine in a game that it keeps track of itself: thinking, pondering, analysis. Runs in the protocol thread."""

from __future__ import annotations

from engine.board.game import STARTPOS, Game
from engine.model import Limits
from engine.play.options import FULL_LEVEL, Settings
from engine.play.record import Record
from engine.play.session import Session
from engine.play.thinking import ANALYZE, PONDER, THINK, Job
from engine.play.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.play.door import GameDoor

WHITE, BLACK = 0, 1
CLAIMED = ("Draw by repetition", "50-move rule")  # draws that `offer draw` announces before the move
HINT_LIMITS = Limits(depth=10, soft_ms=30, hard_ms=60)


class Play(Session):
    """A game as XBoard knows it: who plays which side, pondering, analysis and pauses, and how commands change these."""

    door: GameDoor

    def __init__(self, door: GameDoor, settings: Settings, finished: Callable[[Job], None]) -> None:
        super().__init__(door, settings, finished)
        self.engine_side: int | None = BLACK
        self.paused = False
        self.editing = False  # a board is being set up piece by piece
        self.analyzing = False
        self.bad = False  # the last position sent was impossible
        self.hard = False
        self.excluded: set[int] = set()
        self._verdict = Verdict()
        self._fresh = True  # nothing has happened since `new`
        self._starved = False  # told to move, but every move is excluded
        self._guess = 0  # the opponent's move that we expect next

    # ---- positions

    def new_game(self) -> None:
        """The start position, engine Black; analysis goes on if it was on."""
        self.stop()
        self.editing = False
        self.engine_side = None if self.analyzing else BLACK
        self.depth, self.nps = 0, None
        self.clocks.new_game()
        self.configure()  # allocate memory now, not on the clock
        self.thinker.clear()
        self._set_record(Record())
        self._fresh = True
        self.refresh_analysis()

    def set_variant(self, chess960: bool) -> None:
        """The rules and start position of this game."""
        self._abandon()
        self._set_record(Record(STARTPOS, chess960))
        self._fresh = True
        self.refresh_analysis()

    def set_position(self, fen: str) -> None:
        """Load a position; if it is impossible, ValueError, and every move is refused from then on."""
        self._abandon()
        self.editing = False
        self.bad = True
        self._set_record(Record(fen, self.game.chess960))
        self.clocks.new_position()
        self.refresh_analysis()

    def refuse_moves(self) -> None:
        """An unsupported variant: no move is legal until a new position comes."""
        self.stop()
        self.bad = True

    def edit(self) -> None:
        """A board is being set up: nothing is searched until it comes by `set_position`."""
        self._abandon()
        self.editing = True

    def _abandon(self) -> None:
        """Stop any search; if we were thinking about the position now abandoned, we no longer play a side."""
        if self.thinking():
            self.engine_side = None
        self.stop()

    def _set_record(self, record: Record) -> None:
        self.record = record
        self.bad = False
        self._fresh = False
        self._verdict = Verdict()
        self._moved()

    def _moved(self) -> None:
        """Forget what belonged to the position before."""
        self.excluded.clear()
        self._starved = False
        self._guess = 0

    # ---- moves

    def opponent_moves(self, move: int) -> None:
        """Make the opponent's legal move, and reply if it is then our turn."""
        job = self.thinker.job
        hit = job is not None and job.kind == PONDER and job.expected == move and self._serves(job)
        if not hit:
            self.stop()
        self._push(move)
        if hit and self.game.turn == self.engine_side:
            self._ponder_hit(job)
        elif self.analyzing:
            self.refresh_analysis()
        elif self.engine_side == self.game.turn:
            self.think()
        else:
            self.stop()
            self.ponder()

    def to_move(self, colour: int) -> bool:
        """Obsolete `white`, `black`: that colour is to move and we play the other; False if that is impossible (in check)."""
        self.stop()
        self.engine_side = None
        done = self.game.turn == colour or self.null_move()
        if self.analyzing:
            self.refresh_analysis()
        elif done:
            self.engine_side = 1 - colour
        return done

    def null_move(self) -> bool:
        """Pass in FORCE or ANALYZE; False when that is impossible."""
        if self.engine_side is not None or self.bad:
            return False
        self.stop()
        mover = self.game.turn
        passed = self.record.push_null()
        if passed:
            self.clocks.made(mover)
            self._moved()
        self.refresh_analysis()
        return passed

    def take_back(self, plies: int) -> bool:
        """Undo moves and wait; False, and nothing changed, if there are fewer."""
        if self.bad or len(self.record.movers) < plies:
            return False
        self.stop()
        for _ in range(plies):
            self.clocks.unmade(self.record.pop())
        self._moved()
        self.refresh_analysis()
        return True

    def _push(self, move: int, used_ms: int = 0) -> None:
        self.clocks.made(self.game.turn, used_ms)
        self.record.push(move)
        self._fresh = False
        self._moved()

    # ---- thinking

    def stop(self) -> None:
        """Abandon any running search without a move, and end a pause."""
        self.halt()
        self.unpause()

    def start(self, job: Job) -> bool:
        """As in every session; during a pause the search begins frozen."""
        over = super().start(job)
        if self.paused and not over:
            self.thinker.freeze()
        return over

    def _job(self, kind: str, game: Game, limits: Limits) -> Job:
        job = self.new_job(kind, game, limits, every_depth=kind == ANALYZE)
        job.poster.quiet = kind == PONDER
        if kind != ANALYZE and self.engine_side is not None:
            contempt = self.settings.number("Contempt")
            job.contempt = contempt if game.turn == self.engine_side else -contempt
        return job

    def go(self) -> None:
        """Play the side to move from now on."""
        going = self.thinking() and self.engine_side == self.game.turn
        if self.paused:
            self.resume()
        if going:
            return
        self.stop()
        self.engine_side = self.game.turn
        self._fresh = False
        self.think()

    def think(self) -> None:
        """Find a move for the side to move, unless the game is over."""
        over = self.game.outcome()
        if over:
            self.door.game_over(*over)
            return
        self.clocks.settle(self.game.turn)
        if not self._free():
            self._starved = True
            return
        entries = self.library.playable(self.game, self.excluded)
        if entries:
            if self.post:
                self.door.book(self.library.lines(self.game))
            self._play(self.library.pick(entries), 0, 0)
            return
        job = self._think_job(self.limits())
        if self.start(job):
            self._complete(job)

    def _free(self) -> list[int]:
        """The legal moves that are not excluded."""
        return [move for move in self.game.legal_moves() if move not in self.excluded]

    def _think_job(self, limits: Limits) -> Job:
        job = self._job(THINK, self.game.copy(), limits)
        job.excluded = frozenset(self.excluded)
        job.level = self.settings.number("Level")
        return job

    def _rethink(self) -> None:
        """The root moves changed while we think: search again in the time left, or wait until one is allowed."""
        old = self.thinker.halt()
        if not self._free():
            self._starved = True
            self.settle()
            return
        job = self._think_job(old.left())
        job.carried_ms = self.used_ms(old)
        if self.start(job):
            self._complete(job)

    def play_other(self) -> None:
        """Play the side that is not to move, and wait for the other's move."""
        self.stop()
        self.engine_side = 1 - self.game.turn
        self._fresh = False
        self.ponder()

    def move_now(self) -> None:
        """End the thinking with the best move so far."""
        if self.thinking() and not self.paused and (job := self.thinker.job) is not None:
            self.thinker.hurry()
            self.finished(job)  # before the next command, which may be there already

    def finished(self, job: Job) -> None:
        """A search has ended; called in the protocol thread. Only thinking leads to a move."""
        if job is not self.thinker.job or self.paused:
            return
        if job.failure:
            self.door.warn(f"search failed: {job.failure}")
        if job.kind == THINK:
            self._complete(job)
        elif job.kind == ANALYZE and job.result is not None:
            job.poster.flush()

    def _complete(self, job: Job) -> None:
        self.thinker.job = None
        self.unpause()
        result = job.result
        free = self._free()
        if result is None or result.move not in free:  # the search failed: any move is better than none
            self._play(free[0], 0, job.used_ms())
            return
        used = self.conclude(job, result)
        accept = self._verdict.accepts(result.score, len(self.record.movers), self.settings)
        if self._verdict.resigns(result.score, len(self.record.movers), self.settings) and not accept:
            self.engine_side = None
            self.door.resign()
            self.settle()
            return
        self._play(result.move, result.ponder, used, accept)

    def _play(self, move: int, guess: int, used_ms: int, accept: bool = False) -> None:
        """Send our move, the result if it ends the game, and the pongs that waited; then start pondering.

        `offer draw` stands before the move when we accept the opponent's offer and when the move completes a draw that
        has to be claimed.
        """
        text = self.game.coordinates(move)
        self._verdict.moved()
        self._push(move, used_ms)
        over = self.game.outcome()
        if accept or (over and over[1] in CLAIMED):
            self.door.offer_draw()
        self.door.move(text)
        if over:
            self.door.game_over(*over)
        self._guess = guess if guess in self.game.legal_moves() else 0
        if self.hard and self._guess and not over:
            self.door.hint(self.game.coordinates(self._guess))
        self.settle()
        self.ponder()

    # ---- pondering

    def ponder(self) -> None:
        """Think on the opponent's time, if that is wanted and there is something to think about."""
        waiting = self.engine_side is not None and self.game.turn != self.engine_side and self.thinker.job is None
        if not (waiting and self.hard) or self.analyzing or self.paused or self.bad or self.editing or self._fresh:
            return
        if self.settings.number("Level") < FULL_LEVEL or self.game.outcome():
            return
        game = self.game.copy()
        expected = 0
        if self._guess:
            game.push(self._guess)
            expected = self._guess
            if game.outcome():
                game.pop()
                expected = 0
        job = self._job(PONDER, game, Limits(depth=self.depth, cpu_clock=self.nps == 0))
        job.expected = expected
        self.start(job)

    def _serves(self, job: Job) -> bool:
        """Whether a ponder search can become the search for our move: level, depth cap and clock as now, no node limit."""
        if job.failure or self.settings.number("Level") < FULL_LEVEL:
            return False
        return job.limits.depth == self.depth and job.limits.cpu_clock == (self.nps == 0) and not self.nps

    def _ponder_hit(self, job: Job) -> None:
        self.clocks.settle(self.game.turn)
        if self.library.playable(self.game, self.excluded):
            self.stop()
            self.think()
            return
        if not self.hit(job):
            self._complete(job)

    # ---- analysis

    def analyze(self) -> None:
        """ANALYZE: search the position on the board without end."""
        self.stop()
        self.engine_side = None
        self.analyzing = True
        self.refresh_analysis()

    def refresh_analysis(self) -> None:
        """(Re)start the analysis of the position on the board, if analysis is on and there is something to search."""
        if not self.analyzing or self.bad or self.editing:
            return
        self.halt()
        if not self._free():
            return
        job = self._job(ANALYZE, self.game.copy(), Limits())
        job.excluded = frozenset(self.excluded)
        job.lines = self.settings.number("MultiPV")
        self.start(job)

    def set_excluded(self, moves: set[int]) -> None:
        """Set the root moves not to be searched; a search that waits for an allowed move starts if there now is one."""
        changed = moves != self.excluded
        self.excluded = moves
        if self.analyzing:
            self.refresh_analysis()
        elif not self.thinking():
            self._feed()
        elif changed:
            self._rethink()

    def _feed(self) -> None:
        """Start the search that had to wait because every move was excluded."""
        if self._starved and not self.paused and self.engine_side == self.game.turn and self._free():
            self._starved = False
            self.think()

    # ---- pauses

    def pause(self) -> None:
        """Freeze search and clocks."""
        self.paused = True
        self.thinker.freeze()

    def unpause(self) -> None:
        """End the pause; a frozen search goes on."""
        self.paused = False
        self.thinker.thaw()

    def resume(self) -> None:
        """Go on after a pause, with whatever became due during it."""
        self.unpause()
        job = self.thinker.job
        if job is not None and job.ended():
            self.finished(job)
        self._feed()
        self.ponder()

    # ---- the rest

    def easy(self) -> None:
        """Stop pondering; a pause goes on."""
        self.hard = False
        if self.pondering():
            self.halt()

    def offer(self) -> None:
        """Note the opponent's draw offer; it is answered with our next move."""
        self._verdict.offer()

    def over(self) -> None:
        """The GUI says that the game is over."""
        self.stop()
        self.engine_side = None
        self.analyzing = False

    def reconfigure(self) -> None:
        """Apply memory, cores or a request to empty the tables: now, or after our move if we are thinking."""
        if self.thinking():
            super().reconfigure()
            return
        self.halt()
        super().reconfigure()
        self.refresh_analysis()
        self.ponder()

    def book_lines(self) -> list[str]:
        """`e4 64%` for each book move, heaviest first."""
        return [] if self.bad else self.library.lines(self.game)

    def hint(self) -> str:
        """A move to suggest to the side to move, in coordinates; empty if there is none or we are thinking."""
        if self.bad or self.editing or self.thinking() or self.game.outcome():
            return ""
        job = self.thinker.job
        if job is not None and job.kind == ANALYZE:
            latest = job.poster.latest
            move = latest.pv[0] if latest and latest.pv else 0
        elif self._guess:
            move = self._guess
        else:
            entries = self.library.moves(self.game)
            move = entries[0].move if entries else 0 if self.paused else self._quick_move()
        return self.game.coordinates(move) if move in self.game.legal_moves() else ""

    def _quick_move(self) -> int:
        self.stop()
        job = self._job(PONDER, self.game.copy(), HINT_LIMITS)
        self.start(job)
        job.wait(0.2)
        self.thinker.halt()
        self.ponder()
        return job.result.move if job.result is not None else 0
