"""Searcher: runs searches on one or more threads, reports what they find, and stops, pauses or re-times them."""

import _thread  # `threading` would cost a tenth of the start-up
from collections import namedtuple
from time import sleep

import cython
from cython import address, cast

from engine.variant.features import LEVELS, STAGE_NAMES

Limits = namedtuple("Limits", "depth nodes soft_ms hard_ms cpu_clock", defaults=(0, 0, 0, 0, False))
Limits.__doc__ = """What a search may spend: depth in plies, nodes, milliseconds; 0 is no such limit, all 0 is until stop().

With Stability soft_ms stretches and shrinks by how settled the search is; hard_ms is never overrun; equal, they are used
up in full.
"""
Info = namedtuple("Info", "depth seldepth score ms nodes bound pv")
Info.__doc__ = (
    """A line of thinking: score in centipawns (mates 100000 + moves), bound -1 fail low, 0 exact, 1 fail high."""
)
Result = namedtuple("Result", "move ponder score depth seldepth nodes qnodes ms pv stats")
Result.__doc__ = """What a search ended with; move is 0 only when no root move was allowed."""

SEE_LEVELS = LEVELS["SEEForm"]
HISTORY_LEVELS = LEVELS["History"]
DEEPEST = MAX_PLY - 2
# Of the soft limit, by for how many iterations the best move has stood. Without: -30.5 +- 23.2 Elo (366 games at 0.5 s + 5 ms).
STABILITY = (1.6, 1.3, 1.1, 0.95, 0.85, 0.75)


def outside_score(score: int) -> int:
    """Centipawns as everyone else writes them: mate in N moves is 100000 + N, mated -100000 - N."""
    if score > MATE_BOUND:
        return 100000 + (MATE - score + 1) // 2
    if score < -MATE_BOUND:
        return -100000 - (MATE + score) // 2
    return score


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def relay(w: cython.pointer(Worker), score: cython.int, bound: cython.int) -> cython.void:
    """Carry a report from the search, which holds no lock, to the Python callback."""
    with cython.gil:
        cast(Searcher, w.owner).report_line(w, score, bound)


@cython.cclass
class Searcher:
    """Hash table, workers and flags of one engine. One search at a time; stop, pause, resume, set_times, progress from any thread.

    memory: MiB of the hash table; cores: number of searching threads. MemoryError when there is none.
    """

    def __cinit__(self):
        self.table.buckets = cython.NULL
        self.workers = cython.NULL
        self.cores = 0

    def __init__(self, memory=16, cores=1):
        mebibytes: cython.int = memory
        if not allocate(address(self.table), mebibytes):
            raise MemoryError(f"no memory for a hash table of {memory} MiB")
        self.prepared = False
        self.report = None
        self.set_cores(cores)

    def __dealloc__(self):
        i: cython.int
        for i in range(self.cores):
            free_zeroed(self.workers[i])
        free(self.workers)
        if self.table.buckets != cython.NULL:
            release(address(self.table))

    def set_memory(self, mebibytes):
        """Resize the hash table, forgetting it; nothing happens when the size is the same. MemoryError keeps the old one."""
        size: cython.int = mebibytes
        if size != self.table.mebibytes and not allocate(address(self.table), size):
            raise MemoryError(f"no memory for a hash table of {mebibytes} MiB")

    def set_cores(self, cores):
        """Search on this many threads from the next search on. MemoryError when there is no memory for them."""
        wanted: cython.int = cores
        i: cython.int
        if wanted == self.cores:
            return
        for i in range(wanted, self.cores):
            free_zeroed(self.workers[i])
        if wanted < self.cores:
            self.cores = wanted
            return
        grown = cast(
            cython.pointer(cython.pointer(Worker)), realloc(self.workers, wanted * cython.sizeof(self.workers[0]))
        )
        if grown == cython.NULL:
            raise MemoryError("no memory for more threads")
        self.workers = grown
        while self.cores < wanted:
            w = cast(cython.pointer(Worker), allocate_zeroed(cython.sizeof(Worker)))
            if w == cython.NULL:
                raise MemoryError("no memory for more threads")
            w.index = self.cores
            w.main = w.index == 0
            w.table = address(self.table)
            w.control = address(self.control)
            w.owner = cast(cython.p_void, self)
            fill_reductions(w)
            self.workers[self.cores] = w
            self.cores += 1

    def clear(self):
        """Forget all games: hash table and histories."""
        i: cython.int
        wipe(address(self.table))
        for i in range(self.cores):
            forget(address(self.workers[i].memory))

    def prepare(self, limits):
        """Set flags, times and clock for a search about to start in another thread, which then calls search().

        stop(), pause() and set_times() count from here on, also before that thread runs. search() without it does it itself.
        """
        w = self.workers[0]
        self.control.stop = 0
        self.control.paused = 0
        self.control.paused_ms = 0
        self.control.retimed = 0
        self.control.soft_ms = limits.soft_ms
        self.control.hard_ms = limits.hard_ms
        w.limit.cpu_clock = limits.cpu_clock
        self.control.started = cpu_ms() if w.limit.cpu_clock else wall_ms()
        self.prepared = True

    def stop(self):
        """End the running search; it returns the best move so far."""
        self.control.stop = 1

    def pause(self):
        """Freeze the running search and its clock."""
        self.control.paused = 1

    def resume(self):
        """Let a paused search go on."""
        self.control.paused = 0

    def set_times(self, soft_ms, hard_ms):
        """Give the running search new limits, milliseconds from now: a ponder hit."""
        now = elapsed_ms(self.workers[0])
        self.control.hard_ms = now + hard_ms if hard_ms else 0
        self.control.soft_ms = now + soft_ms if soft_ms else 0
        self.control.retimed = 1

    def progress(self):
        """(ms, nodes, depth, root moves left, root moves in all, current root move) of the running search."""
        w = self.workers[0]
        total = w.root_count
        done = w.root_searched if w.root_searched < total else total
        return elapsed_ms(w), self.nodes(), w.root_depth, total - done, total, w.root_current

    def nodes(self):
        """Nodes of all threads in the last or running search."""
        total = cast(U64, 0)
        i: cython.int
        for i in range(self.cores):
            total += self.workers[i].nodes
        return total

    def hash_full(self):
        """Thousandths of the hash table that the last search filled, from a sample."""
        return permille_full(address(self.table))

    def search(self, game, features, limits, report=None, excluded=(), contempt=0):
        """Search `game`'s position with these switches and limits; calls report(Info) from this thread. Returns Result.

        A draw counts as `contempt` centipawns lost for the side to move at the root, as much won for the other.
        After prepare() the times are those that it and set_times() were given; depth and nodes are always of `limits`.
        """
        w = self.workers[0]
        i: cython.int
        if not self.prepared:
            self.prepare(limits)
        self.prepared = False
        allowed = [move for move in game.legal_moves() if move not in excluded]
        self.report = report
        for i in range(self.cores):
            self.set_up(self.workers[i], game, features, allowed, contempt)
        w.limit.nodes = limits.nodes
        w.report = relay
        endless = not (limits.depth or limits.nodes or limits.soft_ms or limits.hard_ms)
        if not allowed:
            if endless:
                self.wait_for_stop()
            return Result(0, 0, 0, 0, 0, 0, 0, 0, [], self.stats())
        start_search(address(self.table))
        helpers = []
        try:
            for index in range(1, self.cores):
                helpers.append(self.start_helper(index))
        except RuntimeError:  # the system gives no more threads: search with those that there are
            pass
        try:
            self.iterate(limits.depth)
            if endless and not self.control.retimed:
                self.wait_for_stop()
        finally:
            self.control.stop = 1
            for running in helpers:
                running.acquire()
        w = self.leader()
        if w.index and self.report is not None:
            self.report_line(w, w.best_score, 0)
        self.report = None
        pv = self.line(w.root_pv, w.root_pv_length) or [w.best_move or allowed[0]]
        ponder = pv[1] if len(pv) > 1 else self.reply_from_table(game, pv[0])
        return Result(
            pv[0],
            ponder,
            outside_score(w.best_score),
            w.completed,
            w.seldepth,
            self.nodes(),
            self.stats()["q_nodes"],
            elapsed_ms(self.workers[0]),
            pv,
            self.stats(),
        )

    @cython.cfunc
    def leader(self) -> cython.pointer(Worker):
        """The worker whose answer counts: the first, unless a helper has finished a deeper iteration with a better score."""
        w = self.workers[0]
        i: cython.int
        for i in range(1, self.cores):
            helper = self.workers[i]
            if helper.completed > w.completed and helper.best_score > w.best_score:
                w = helper
        return w

    def wait_for_stop(self):
        """Nothing left to search, but the answer is not wanted yet: wait for stop() or new limits."""
        while not self.control.stop and not self.control.retimed:
            sleep(0.002)

    @cython.cfunc
    def set_up(self, w: cython.pointer(Worker), game: Game, features: Features, allowed: list, contempt: cython.int):
        """Hand a worker its position, history, switches, root moves and what a draw is worth."""
        i: cython.int = 0
        w.draw_score[0] = -contempt
        w.draw_score[1] = contempt
        w.ordering = features.ordering
        w.selectivity = features.selectivity
        w.report = cython.NULL
        w.limit.nodes = 0
        w.frames[0].pos = game.position
        w.key_base = game.fill_keys(w.keys, 4096)
        w.keys[w.key_base] = game.position.key
        start_worker(w)
        w.root_count = len(allowed)
        for move in allowed:
            w.root_moves[i] = move
            i += 1

    def iterate(self, depth):
        """Search depth 1, 2, 3 ... on the first worker until a limit ends it. Without Deepening `depth` at once (W1)."""
        w = self.workers[0]
        last: cython.int = depth if 0 < depth < DEEPEST else DEEPEST
        plies: cython.int = last if depth and not w.selectivity.deepening else 1
        stable: cython.int = 0
        before: cython.int = 0
        finished: cython.bint
        while plies <= last:
            best = w.best_move
            with cython.nogil:
                finished = search_depth(w, plies)
            if not finished:
                return
            self.report_line(w, w.best_score, 0)
            stable = stable + 1 if w.best_move == best else 0
            if self.time_is_up(w, plies, stable, before - w.best_score if plies > 1 else 0):
                return
            before = w.best_score
            plies += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def time_is_up(
        self, w: cython.pointer(Worker), depth: cython.int, stable: cython.int, drop: cython.int
    ) -> cython.bint:
        """Whether to stop after a finished iteration: less time for a move that stands, more for a falling score."""
        if self.control.stop:
            return True
        soft = self.control.soft_ms
        hard = self.control.hard_ms
        if soft <= 0:
            return False
        spent = elapsed_ms(w)
        if soft >= hard:
            return spent >= hard
        if w.root_count == 1 and depth >= 4:
            return True
        if w.best_score > MATE_BOUND and MATE - w.best_score <= depth:
            return True
        factor: cython.double = 1.0
        if w.selectivity.stability:
            factor = STABILITY[stable if stable < 5 else 5]
            factor *= 1.0 + 0.01 * (drop if 0 < drop < 60 else (60 if drop >= 60 else 0))
        return spent >= soft * factor

    @cython.cfunc
    def reply_from_table(self, game: Game, move: Move) -> Move:
        """The answer to `move` that the table holds, 0 when it holds none that is legal."""
        after = cython.declare(Position)
        entry = cython.declare(Entry)
        if not self.workers[0].selectivity.tt:
            return NO_MOVE
        make(address(game.position), address(after), move)
        probe(address(self.table), view_key(address(after)), 1, address(entry))
        reply = seen_move(entry.move, after.side) if entry.found else NO_MOVE
        if not reply or not is_pseudo_legal(address(after), reply):
            return NO_MOVE
        set_pinned(address(after))
        return reply if is_legal(address(after), reply) else NO_MOVE

    def start_helper(self, index):
        """Start a helper thread; it holds the returned lock while it runs."""
        running = _thread.allocate_lock()
        running.acquire()
        _thread.start_new_thread(self.help, (index, running))
        return running

    def help(self, index, running):
        """A helper thread: deepen on its own worker, sharing the table, until the search is stopped (lazy SMP)."""
        try:
            self.deepen(index)
        finally:
            running.release()

    def deepen(self, index):
        """What a helper does: iterations without reports, limits or an end of their own."""
        place: cython.int = index
        w = self.workers[place]
        plies: cython.int = 1 + (place & 1)
        finished: cython.bint
        while plies <= DEEPEST and not self.control.stop:
            with cython.nogil:
                finished = search_depth(w, plies)
            if not finished:
                return
            plies += 1

    @cython.cfunc
    def report_line(self, w: cython.pointer(Worker), score: cython.int, bound: cython.int):
        if self.report is not None:
            pv = self.line(w.root_pv, w.root_pv_length)
            self.report(
                Info(
                    w.root_depth, w.seldepth, outside_score(score), elapsed_ms(self.workers[0]), self.nodes(), bound, pv
                )
            )

    @cython.cfunc
    def line(self, moves: cython.pointer(Move), n: cython.int) -> list:
        i: cython.int
        return [moves[i] for i in range(n)]

    @cython.cfunc
    def stats(self) -> dict:
        """The counters of the last search, all threads together."""
        i: cython.int
        j: cython.int
        total = cython.declare(Counters)
        memset(address(total), 0, cython.sizeof(Counters))
        sums = cast(cython.pointer(U64), address(total))
        for i in range(self.cores):
            values = cast(cython.pointer(U64), address(self.workers[i].counters))
            for j in range(cython.sizeof(Counters) // cython.sizeof(U64)):
                sums[j] += values[j]
        w = self.workers[0]
        return {
            "main_nodes": total.main_nodes,
            "q_nodes": total.q_nodes,
            "cutoffs": total.cutoffs,
            "first_move_cutoffs": total.first_move_cutoffs,
            "cut_index": [total.cut_index[i] for i in range(16)],
            "cut_stage": {STAGE_NAMES[i]: total.cut_stage[i] for i in range(1, STAGES)},
            "left_out": total.picker.left_out,
            "generated": total.picker.generated,
            "legality_tested": total.picker.tested,
            "searched": total.searched,
            "lists_staged": total.picker.lists_staged,
            "lists_at_once": total.picker.lists_at_once,
            "lists_tested": total.picker.lists_tested,
            "lists_selected": total.picker.lists_selected,
            "lists_sorted": total.picker.lists_sorted,
            "escapes": total.picker.escapes,
            "victims_ordered": total.picker.victims_ordered,
            "exchanges_ordered": total.picker.exchanges_ordered,
            "exchange_forms": {SEE_LEVELS[i]: total.picker.exchange_forms[i] for i in range(len(SEE_LEVELS))},
            "pv_moves": total.pv_moves,
            "table_probes": total.table_probes,
            "table_hits": total.table_hits,
            "table_cutoffs": total.table_cutoffs,
            "pvs_researches": total.pvs_researches,
            "aspiration_fails": total.aspiration_fails,
            "null_tried": total.null_tried,
            "null_cutoffs": total.null_cutoffs,
            "null_verified": total.null_verified,
            "threats": total.threats,
            "threat_orders": total.picker.threat_orders,
            "lmr_reduced": total.lmr_reduced,
            "lmr_researches": total.lmr_researches,
            "check_extensions": total.check_extensions,
            "q_checks": total.q_checks,
            "q_evasions": total.q_evasions,
            "delta_pruned": total.delta_pruned,
            "fractional_moves": total.fractional_moves,
            "mate_distance_cutoffs": total.mate_distance_cutoffs,
            "iid_searches": total.iid_searches,
            "iir_reductions": total.iir_reductions,
            "improving_nodes": total.improving_nodes,
            "corrections": total.corrections,
            "razored": total.razored,
            "static_null_cutoffs": total.static_null_cutoffs,
            "futility_pruned": total.futility_pruned,
            "late_pruned": total.late_pruned,
            "see_pruned": total.see_pruned,
            "probcut_cutoffs": total.probcut_cutoffs,
            "singular_extensions": total.singular_extensions,
            "history_credits": {HISTORY_LEVELS[i]: total.history_credits[i] for i in range(1, len(HISTORY_LEVELS))},
            "alpha_raise_credits": total.alpha_raise_credits,
            "cont_credits": total.cont_credits,
            "capture_credits": total.capture_credits,
            "killer_credits": total.killer_credits,
            "counter_credits": total.counter_credits,
            "combo_credits": total.combo_credits,
            "seldepth": w.seldepth,
            "iterations": [w.iteration_nodes[i] for i in range(w.iterations)],
        }
