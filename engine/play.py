"""What the engine does in a game: think, ponder, analyze, and the end of each. Runs in the protocol thread."""

from __future__ import annotations

from engine.clock import Clocks, Situation, budget, instant
from engine.game import STARTPOS, Game
from engine.library import Library
from engine.options import FULL_LEVEL, Settings
from engine.output import Output
from engine.posting import Poster, book_line
from engine.record import Record
from engine.searcher import Limits, Result
from engine.thinker import ANALYZE, PONDER, THINK, Job, Thinker
from engine.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WHITE, BLACK = 0, 1
CLAIMED = ("Draw by repetition", "50-move rule")  # draws that are announced by `offer draw` before the move
HINT_LIMITS = Limits(depth=10, soft_ms=30, hard_ms=60)


class Play:
    """The state of section 2 of the protocol reference and its transitions. Replies go to `out`."""

    def __init__(self, out: Output, settings: Settings, finished: Callable[[Job], None]) -> None:
        self.out = out
        self.settings = settings
        self.thinker = Thinker(finished)
        self.record = Record()
        self.library = Library(settings, out.note)
        self._verdict = Verdict()
        self.clocks = Clocks()
        self.engine_side: int | None = BLACK
        self.analyzing = False
        self.paused = False
        self.bad = False  # the last position sent was impossible
        self.hard = False
        self.post = False
        self.raw = True  # no protover yet: a person or a script is typing
        self.sd = 0
        self.nps: int | None = None
        self.excluded: set[int] = set()
        self._fresh = True  # nothing happened since `new`
        self._starved = False  # told to move, but every move is excluded
        self._guess = 0  # the move we expect next from the opponent
        self._pongs: list[str] = []
        self._clear_wanted = False

    # ---- what is going on

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

    # ---- positions

    def new_game(self) -> None:
        """The start position, engine Black; analysis goes on if it was on."""
        self.stop()
        self.engine_side = None if self.analyzing else BLACK
        self.sd, self.nps = 0, None
        self.clocks.new_game()
        self.thinker.clear()
        self._set_record(Record())
        self._fresh = True
        self._analyze()

    def set_variant(self, chess960: bool) -> None:
        """The rules and start position of this game."""
        self.stop()
        self._set_record(Record(STARTPOS, chess960))
        self._fresh = True
        self._analyze()

    def set_position(self, fen: str) -> None:
        """Load a position; ValueError, and every move is refused from then on, when it is impossible."""
        if self.thinking():
            self.engine_side = None
        self.stop()
        self.bad = True
        record = Record(fen, self.game.chess960)
        self._set_record(record)
        self.clocks.new_position()
        self._analyze()

    def refuse_moves(self) -> None:
        """An unsupported variant: no move is legal until a new position comes."""
        self.stop()
        self.bad = True

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
        """A legal move arrived: make it and answer it if it is our turn then."""
        job = self.thinker.job
        hit = job is not None and job.kind == PONDER and job.expected == move and self._same_caps(job)
        if not hit:
            self.stop()
        self._push(move)
        if hit and self.game.turn == self.engine_side:
            self._ponder_hit(job)
        elif self.analyzing:
            self._analyze()
        elif self.engine_side == self.game.turn:
            self.think()
        else:
            self.stop()
            self.ponder()

    def to_move(self, colour: int) -> bool:
        """Obsolete `white`, `black`: that colour is to move and we play the other one; False when in check."""
        self.stop()
        self.engine_side = None
        if self.game.turn != colour and not self.null_move():
            return False
        if not self.analyzing:
            self.engine_side = 1 - colour
        return True

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
        self._analyze()
        return passed

    def take_back(self, plies: int) -> bool:
        """Undo moves; False, and nothing changed, when there are not so many."""
        if self.bad or len(self.record.movers) < plies:
            return False
        if self.thinking():
            self.engine_side = None
        self.stop()
        for _ in range(plies):
            self.clocks.unmade(self.record.pop())
        self._moved()
        self._analyze()
        return True

    def _push(self, move: int, used_ms: int = 0) -> None:
        self.clocks.made(self.game.turn, used_ms)
        self.record.push(move)
        self._fresh = False
        self._moved()

    # ---- thinking

    def go(self) -> None:
        """Play the side to move from now on."""
        self.unpause()
        if self.thinking() and self.engine_side == self.game.turn:
            return
        self.stop()
        self.engine_side = self.game.turn
        self._fresh = False
        self.think()

    def think(self) -> None:
        """Find a move for the side to move, unless the game is over."""
        over = self.game.outcome()
        if over:
            self.out.line(f"{over[0]} {{{over[1]}}}")
            return
        self.clocks.settle(self.game.turn)
        if all(move in self.excluded for move in self.game.legal_moves()):
            self._starved = True
            return
        entries = self.library.playable(self.game, self.excluded)
        if entries:
            if self.post:
                self.out.line(book_line(self.library.lines(self.game)))
            self._play(self.library.pick(entries), 0, 0)
            return
        job = self._think_job(self._limits())
        if instant(job.limits):
            self.configure()
            self.thinker.run(job)
            self._complete(job)
        else:
            self._start(job)

    def _think_job(self, limits: Limits) -> Job:
        job = self._job(THINK, self.game.copy(), limits)
        job.excluded = frozenset(self.excluded)
        job.level = self.settings.number("Level")
        return job

    def _rethink(self) -> None:
        """The root moves changed while we think: search again in what is left of the time, or idle until one is left."""
        old = self.thinker.halt()
        if all(move in self.excluded for move in self.game.legal_moves()):
            self._starved = True
            self._release_pongs()
            return
        job = self._think_job(old.left())
        job.carried_ms = old.used_ms()
        self._start(job)

    def play_other(self) -> None:
        """Play the side that is not to move; wait for the other's move."""
        self.stop()
        self.engine_side = 1 - self.game.turn
        self._fresh = False
        self.ponder()

    def move_now(self) -> None:
        """End the thinking with the best move so far."""
        if self.thinking() and not self.paused:
            self.thinker.hurry()

    def stop(self) -> None:
        """Give up whatever search runs; it prints no move."""
        self.unpause()
        job = self.thinker.halt()
        if job is not None and job.kind == ANALYZE and job.result is not None:
            self._stats(job.result)
        self._release_pongs()

    def finished(self, job: Job) -> None:
        """A search has ended; called in the protocol thread. Only thinking leads to a move."""
        if job is not self.thinker.job or self.paused:
            return
        if job.failure:
            self.out.note(f"search failed: {job.failure}")
        if job.kind == THINK:
            self._complete(job)
        elif job.kind == ANALYZE and job.result is not None:
            job.poster.flush()

    def _complete(self, job: Job) -> None:
        self.thinker.job = None
        self.unpause()
        result = job.result
        legal = [move for move in self.game.legal_moves() if move not in self.excluded]
        if result is None or result.move not in legal:  # the search failed: any move is better than none
            self._play(legal[0], 0, job.used_ms())
            return
        job.poster.finish(result)
        self._stats(result)
        used = result.nodes * 1000 // self.nps if self.nps else result.ms if self.nps == 0 else max(1, job.used_ms())
        if job.limits.hard_ms:
            self.clocks.overrun(used - job.limits.hard_ms)
        if self._verdict.resigns(result.score, self.settings):
            self.engine_side = None
            self.out.line("resign")
            self._release_pongs()
            return
        accept = self._verdict.accepts(result.score, len(self.record.movers))
        self._play(result.move, result.ponder, used, accept)

    def _play(self, move: int, guess: int, used_ms: int, accept: bool = False) -> None:
        """Our move goes out, then the result it brings about, the pongs that waited, and pondering starts.

        `offer draw` stands before the move when we accept the opponent's offer and when the move completes a draw that
        has to be claimed.
        """
        text = self.game.coordinates(move)
        self._verdict.moved()
        self._push(move, used_ms)
        over = self.game.outcome()
        if accept or (over and over[1] in CLAIMED):
            self.out.line("offer draw")
        self.out.line(f"move {text}")
        if over:
            self.out.line(f"{over[0]} {{{over[1]}}}")
        self._guess = guess if guess in self.game.legal_moves() else 0
        if self.hard and self._guess and not over:
            self.out.line(f"Hint: {self.game.coordinates(self._guess)}")
        self._release_pongs()
        self.ponder()

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

    def _job(self, kind: str, game: Game, limits: Limits) -> Job:
        poster = Poster(self.out, game, every_depth=kind == ANALYZE)
        poster.enabled = self.post
        poster.quiet = kind == PONDER
        return Job(kind, game, limits, self.settings.features.copy(), poster)

    def _start(self, job: Job) -> None:
        self.configure()
        self.thinker.start(job)
        if self.paused:
            self.thinker.freeze()

    # ---- pondering

    def ponder(self) -> None:
        """Think on the opponent's time when that is wanted and there is something to think about."""
        waiting = self.engine_side is not None and self.game.turn != self.engine_side and self.thinker.job is None
        if not (waiting and self.hard) or self.analyzing or self.paused or self.bad or self._fresh:
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
        job = self._job(PONDER, game, Limits(depth=self.sd, cpu_clock=self.nps == 0))
        job.expected = expected
        self._start(job)

    def stop_pondering(self) -> None:
        """End the search on the opponent's time; a pause stays one."""
        paused = self.paused
        self.stop()
        self.paused = paused

    def _same_caps(self, job: Job) -> bool:
        """Whether a ponder search can go on as the search for our move: same depth cap and clock, no node count."""
        return job.limits.depth == self.sd and job.limits.cpu_clock == (self.nps == 0) and not self.nps

    def _ponder_hit(self, job: Job) -> None:
        self.clocks.settle(self.game.turn)
        if self.library.playable(self.game, self.excluded):
            self.stop()
            self.think()
            return
        job.kind = THINK
        job.restart_clock()
        job.poster.quiet = False
        job.poster.flush()
        job.limits = limits = self._limits()
        if not job.ended() and not instant(limits):
            self.thinker.set_times(limits)
            return
        self.thinker.hurry()
        self._complete(job)

    # ---- analysis

    def analyze(self) -> None:
        """ANALYZE: search the position on the board without end."""
        self.stop()
        self.engine_side = None
        self.analyzing = True
        self._analyze()

    def _analyze(self) -> None:
        """(Re)start the analysis of the position on the board, if analysis is on and there is something to search."""
        if not self.analyzing or self.bad:
            return
        self.stop()
        if self.game.outcome() and not self.game.legal_moves():
            return
        if all(move in self.excluded for move in self.game.legal_moves()):
            return
        job = self._job(ANALYZE, self.game.copy(), Limits())
        job.excluded = frozenset(self.excluded)
        self._start(job)

    def set_excluded(self, moves: set[int]) -> None:
        """The root moves not to be searched, from now on; a waiting search starts as soon as one is left."""
        changed = moves != self.excluded
        self.excluded = moves
        if self.analyzing:
            self.stop()
            self._analyze()
        elif self.thinking():
            if changed:
                self._rethink()
        elif self._starved and self.engine_side == self.game.turn and len(moves) < len(self.game.legal_moves()):
            self._starved = False
            self.think()

    def status(self) -> str:
        """The `stat01:` line of the running analysis."""
        job = self.thinker.job
        if job is None:
            return "stat01: 0 0 0 0 0"
        ms, nodes, depth, left, total, move = self.thinker.progress()
        line = f"stat01: {ms // 10} {nodes} {depth} {left} {total}"
        return f"{line} {self.game.san(move)}" if move in self.game.legal_moves() else line

    # ---- the rest

    def set_post(self, wanted: bool) -> None:
        """Thinking output on or off, at once."""
        self.post = wanted
        if self.thinker.job is not None:
            self.thinker.job.poster.enabled = wanted

    def pause(self) -> None:
        """Freeze search and clocks."""
        self.paused = True
        self.thinker.freeze()

    def unpause(self) -> None:
        """No longer paused; a frozen search runs on."""
        self.paused = False
        self.thinker.thaw()

    def resume(self) -> None:
        """Go on after a pause, with what became due in it."""
        self.unpause()
        job = self.thinker.job
        if job is not None and job.ended():
            self.finished(job)
        self.ponder()

    def pong(self, token: str) -> None:
        """Answer a ping: at once, or after our move when we think."""
        if self.thinking() and not self.paused:
            self._pongs.append(token)
        else:
            self.out.line(f"pong {token}")

    def _release_pongs(self) -> None:
        pongs, self._pongs = self._pongs, []
        for token in pongs:
            self.out.line(f"pong {token}")

    def offer(self) -> None:
        """The opponent offers a draw; answered with our next move."""
        self._verdict.offer()

    def over(self) -> None:
        """The game is over by the GUI's word."""
        self.stop()
        self.engine_side = None
        self.analyzing = False

    def configure(self) -> None:
        """Bring tables and threads to the wanted size, and empty the tables if that was asked for."""
        self.thinker.configure(self.settings, self.out.note)
        if self._clear_wanted:
            self._clear_wanted = False
            self.thinker.clear()

    def reconfigure(self) -> None:
        """Apply memory, cores or a wish for empty tables: now, or after our move when we think."""
        if self.thinking():
            return
        if self.thinker.job is not None:
            self.stop()
        self.configure()
        self._analyze()
        self.ponder()

    def clear_hash(self) -> None:
        """Empty the tables: now, or after our move when we think."""
        self._clear_wanted = True
        self.reconfigure()

    def book_lines(self) -> list[str]:
        """`e4 64%` for each book move, heaviest first."""
        return [] if self.bad else self.library.lines(self.game)

    def hint(self) -> str:
        """A move to suggest to whoever is to move, in coordinates; empty when there is none or we think ourselves."""
        if self.bad or self.thinking() or self.game.outcome():
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
        self._start(job)
        job.wait(0.2)
        self.thinker.halt()
        self.ponder()
        return job.result.move if job.result is not None else 0

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
