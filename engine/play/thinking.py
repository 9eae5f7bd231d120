"""The searching thread: starts, stops and freezes one search at a time, and reports its end to the protocol."""

from __future__ import annotations

import _thread
import time

from engine.board.game import Game
from engine.model import MATE_SCORE, Info, Limits, Result, Ruling
from engine.play.options import FULL_LEVEL, SMALL_MEMORY, Settings, network_of, tables_of
from engine.play.posting import Poster
from engine.variant.features import Features

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.search.threads import Searcher
    from engine.syzygy.tables import Tables

THINK, PONDER, ANALYZE = "think", "ponder", "analyze"
STACK_BYTES = 16 << 20  # of the searching thread, the same on every platform
TABLE_LIMITS = ("SyzygyProbeLimit", "SyzygyProbeDepth", "Syzygy50MoveRule")
MOST_FAULTS = 3  # damaged tables that are named one by one, at most


class Job:
    """One search: its purpose, its limits and its result, which is None while it runs or if it failed."""

    def __init__(self, kind: str, game: Game, limits: Limits, features: Features, poster: Poster) -> None:
        self.kind = kind
        self.game = game
        self.limits = limits
        self.features = features
        self.poster = poster
        self.excluded: frozenset[int] = frozenset()
        self.expected = 0  # pondering: the opponent's move that `game` already contains
        self.level = FULL_LEVEL
        self.lines = 1  # how many root moves to report, each with its line (MultiPV)
        self.mate = 0  # stop at a mate in so many moves; 0: never
        self.contempt = 0  # centipawns: a draw scores minus this for the side to move
        self.result: Result | None = None
        self.failure = ""
        self.stopped = False
        self.began = time.monotonic()
        self.paused_s = 0.0
        self.carried_ms = 0  # time already spent on this move, by the search that this one replaces
        self.pondered_ms = 0  # processor time before the ponder hit
        self._running = _thread.allocate_lock()
        self._running.acquire()

    def end(self) -> None:
        """The search has returned; called once, by its thread."""
        self._running.release()

    def ended(self) -> bool:
        """Whether the search has returned."""
        return not self._running.locked()

    def wait(self, seconds: float) -> bool:
        """Wait at most this long for the end; return whether it came."""
        came = self._running.acquire(timeout=seconds)
        if came:
            self._running.release()
        return came

    def restart_clock(self) -> None:
        """Time counts from now (ponder hit)."""
        self.began, self.paused_s = time.monotonic(), 0.0

    def used_ms(self) -> int:
        """Milliseconds since the move was asked for, not counting pauses."""
        return self.carried_ms + int((time.monotonic() - self.began - self.paused_s) * 1000)

    def left(self) -> Limits:
        """What is left of an ended search's limits for the one that replaces it: at least a millisecond and a node."""
        if self.limits.cpu_clock and self.result is not None:
            spent = self.result.ms - self.pondered_ms
        else:
            spent = self.used_ms() - self.carried_ms
        nodes = self.result.nodes if self.result is not None else 0
        return self.limits.replace(
            soft_ms=max(1, self.limits.soft_ms - spent) if self.limits.soft_ms else 0,
            hard_ms=max(1, self.limits.hard_ms - spent) if self.limits.hard_ms else 0,
            nodes=max(1, self.limits.nodes - nodes) if self.limits.nodes else 0,
        )


class Thinker:
    """Owns the kernel's Searcher. `finished` is called from the search thread with each job that has ended."""

    def __init__(self, finished: Callable[[Job], None]) -> None:
        self.job: Job | None = None
        self.memory = 0  # MiB in use, 0 before the first configure
        self._finished = finished
        self._cores = 1
        self._searcher: Searcher | None = None
        self._used = False  # the tables hold something
        self._evaluation = ("classical", "")  # the options by which the searcher's network was chosen
        self._tables: Tables | None = None
        self._tables_asked: tuple[str, ...] = ("",)  # the options by which they were chosen
        self._frozen_at = 0.0
        _thread.stack_size(STACK_BYTES)

    def configure(self, settings: Settings, note: Callable[[str], None], warn: Callable[[str], None]) -> None:
        """Set up hash table, threads, network and endgame tables by the settings; unchanged ones cost nothing. No search may run.

        If there is not enough memory the old table (a small one if there was none) and the old number of threads stay; a
        note says so, and the settings are corrected. `warn` is told of a network that cannot be used.
        """
        try:
            self._set_memory(settings.memory)
        except (MemoryError, OverflowError):
            kept = self.memory or SMALL_MEMORY
            note(f"no memory for a table of {settings.memory} MiB, {kept} MiB used")
            settings.memory = kept
            self._set_memory(kept)
        self._set_network(settings, warn)
        self._set_tables(settings, note)
        if settings.cores != self._cores:
            try:
                self._searcher.set_cores(settings.cores)
            except MemoryError:
                note(f"no memory for {settings.cores} threads, {self._cores} used")
                settings.cores = self._cores
                self._searcher.set_cores(self._cores)  # frees those that were made before memory ran out
            self._cores = settings.cores

    def _set_network(self, settings: Settings, warn: Callable[[str], None]) -> None:
        wanted = settings.get("Evaluation"), settings.get("NetworkFile")
        if wanted == self._evaluation:
            return
        self._evaluation = wanted
        try:
            network = network_of(settings)
        except (ValueError, MemoryError) as error:
            warn(f"{error}; the classical evaluation is used")
            network = None
        self._searcher.set_network(network)

    def _set_tables(self, settings: Settings, note: Callable[[str], None]) -> None:
        path = settings.get("SyzygyPath")
        wanted = (path, *map(settings.get, TABLE_LIMITS)) if path else ("",)
        if wanted == self._tables_asked:
            return
        self._tables_asked = wanted
        self._tables = None
        try:
            self._tables = tables_of(settings)
        except (ValueError, MemoryError) as error:
            note(f"{error}; no tables are used")
        if self._tables is not None:
            for fault in self._tables.faults[:MOST_FAULTS]:
                note(fault)
            more = len(self._tables.faults) - MOST_FAULTS
            note(self._tables.summary() + (f", {more} more cannot be used" if more > 0 else ""))

    def _set_memory(self, memory: int) -> None:
        if self._searcher is None:
            # Half of the kernel, imported here so that the handshake need not wait for it; no clock runs yet.
            from engine.search.threads import Searcher

            self._searcher = Searcher(memory, self._cores)
        elif memory != self.memory:
            self._searcher.set_memory(memory)
            self._used = False
        self.memory = memory

    def clear(self) -> None:
        """Forget everything that searches have learnt. No search may run."""
        if self._used and self._searcher is not None:
            self._searcher.clear()
        self._used = False

    def start(self, job: Job) -> None:
        """Begin the job's search in a thread of its own. `configure` must have been called, and no search may run."""
        assert self.job is None and self._searcher is not None
        self.job = job
        self._used = True
        self._searcher.prepare(job.limits)
        try:
            _thread.start_new_thread(self._run, (job,))
        except RuntimeError:  # the system gives no more threads: a move has to come all the same
            if job.kind == THINK:
                self._search(job)
            else:
                job.failure = "no thread to search in"
            job.end()
            self._finished(job)

    def run(self, job: Job) -> None:
        """Search in this thread: for searches that are over before another thread would have started."""
        assert self.job is None and self._searcher is not None
        self._used = True
        self._searcher.prepare(job.limits)
        self._search(job)
        job.end()

    def halt(self) -> Job | None:
        """Stop the running search at once and wait for its end; return its job, None if there was none."""
        job = self.job
        if job is not None:
            self.thaw()
            self._interrupt(job)
            self.job = None
        return job

    def hurry(self) -> None:
        """Stop the running search; its result then arrives through `finished`."""
        if self.job is not None:
            self._interrupt(self.job)

    def freeze(self) -> None:
        """Freeze the running search, clock included."""
        if self.job is not None and not self._frozen_at:
            self._frozen_at = time.monotonic()
            self._searcher.pause()

    def thaw(self) -> None:
        """Let a frozen search go on."""
        if self._frozen_at:
            if self.job is not None:
                self.job.paused_s += time.monotonic() - self._frozen_at
            self._frozen_at = 0.0
            self._searcher.resume()

    def set_times(self, limits: Limits, exact: bool) -> None:
        """Give the running search these times (ponder hit); `exact`: the time spent pondering does not count."""
        self._searcher.set_times(limits.soft_ms, limits.hard_ms, exact)

    def hash_full(self) -> int:
        """Thousandths of the table that the running or last search filled, from a sample; 0 before the first."""
        return self._searcher.hash_full() if self._searcher is not None else 0

    def tablebase_hits(self) -> int:
        """Positions that the endgame tables settled in the running or last search; 0 before the first."""
        return self._searcher.tablebase_hits() if self._searcher is not None else 0

    def progress(self) -> tuple[int, int, int, int, int, int]:
        """Milliseconds, nodes, depth, root moves left, root moves, current root move of the running or last search."""
        return self._searcher.progress()

    def _interrupt(self, job: Job) -> None:
        """Stop the search, again and again until it has ended: a stop made while it is starting could be lost."""
        job.stopped = True
        self._searcher.stop()
        while not job.wait(0.01):
            self._searcher.stop()

    def _run(self, job: Job) -> None:
        try:
            self._search(job)
        finally:
            job.end()
            self._finished(job)

    def _search(self, job: Job) -> None:
        # Weak levels play endings as weakly as everything else; with several lines, losing moves are wanted too.
        tables = self._tables if job.level == FULL_LEVEL else None
        ruling: Ruling | None = None
        free: list[int] = []

        def shown(score: int) -> int:
            """A mate that the search found keeps its score; otherwise the tables' score counts."""
            return score if ruling is None or abs(score) >= MATE_SCORE else ruling.score

        def report(info: Info) -> None:
            if tables is not None:
                hits = self._searcher.tablebase_hits() + (len(free) if ruling is not None else 0)
                info = info.replace(score=shown(info.score), hits=hits)
            job.poster(info)
            if job.mate and not info.bound and MATE_SCORE < info.score <= MATE_SCORE + job.mate:
                self._searcher.stop()

        try:
            if job.level < FULL_LEVEL:
                from engine.play.level import choose  # games at full strength never load it

                self._searcher.set_tables(None)
                first = job.limits
                job.result = choose(
                    self._searcher,
                    job.game,
                    job.features,
                    first,
                    job.level,
                    report,
                    job.excluded,
                    lambda: job.stopped,
                    job.contempt,
                    lambda: None if job.limits is first else job.left(),
                )
            else:
                excluded = tuple(job.excluded)
                if tables is not None and job.lines == 1:
                    free = [move for move in job.game.legal_moves() if move not in excluded]
                    ruling = tables.rule(job.game, free)
                if ruling is not None:
                    excluded += tuple(move for move in free if move not in ruling.moves)
                settled = ruling is not None and (ruling.exact or ruling.score <= 0)
                self._searcher.set_tables(None if settled else tables)
                result = self._searcher.search(
                    job.game, job.features, job.limits, report, excluded, job.contempt, job.lines
                )
                job.result = result.replace(score=shown(result.score))
        except Exception as error:  # a fault of the kernel must not cost the game: play goes on without a result
            job.failure = f"{type(error).__name__}: {error}"
