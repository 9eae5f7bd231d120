"""Searcher: runs a search on one or more threads, reports what it finds, and stops, pauses or re-times it."""

import _thread  # `threading` would cost a tenth of the start-up
from time import sleep

import cython
from cython import address, cast

from engine.model import MATE_SCORE, Info, Result

DEEPEST = MAX_PLY - 2
PATIENCE_MS = 1000  # MultiPV: in a search older than this each line is reported as soon as it is found


def outside_score(score: int) -> int:
    """Kernel score to centipawns with XBoard's mates: mate in N moves is MATE_SCORE + N, being mated in N is -MATE_SCORE - N."""
    if score > MATE_BOUND:
        return MATE_SCORE + (MATE - score + 1) // 2
    if score < -MATE_BOUND:
        return -MATE_SCORE - (MATE + score) // 2
    return score


def ranked(fresh, before, count):
    """The `count` best lines: this iteration's by score, then the previous one's that this has not reached yet."""
    moves = [line.pv[0] for line in fresh]
    best = sorted(fresh, key=lambda line: -line.score)
    return (best + [line for line in before if line.pv[0] not in moves])[:count]


def relay(w, score, bound):
    """Carry a report from the search, which runs without the GIL, to the Python callback."""
    with cython.gil:
        cast(Searcher, w.owner).report_line(w, score, bound)


class Searcher:
    """Hash table, workers and flags of one engine. It runs one search at a time.

    stop, pause, resume, set_times and progress may be called from any thread. memory: MiB of the hash table; cores: number
    of searching threads. MemoryError if there is not enough memory.
    """

    def __cinit__(self):
        self.table.buckets = cython.NULL
        self.control.workers = cython.NULL
        self.control.cores = 0

    def __init__(self, memory=16, cores=1):
        mebibytes: cython.int = memory
        if not allocate(address(self.table), mebibytes):
            raise MemoryError(f"no memory for a hash table of {memory} MiB")
        self.prepared = False
        self.report = None
        self.set_cores(cores)

    def __dealloc__(self):
        i: cython.int
        for i in range(self.control.cores):
            free_zeroed(self.control.workers[i])
        free(self.control.workers)
        if self.table.buckets != cython.NULL:
            release(address(self.table))

    def set_memory(self, mebibytes):
        """Resize the hash table, which empties it, unless the size is the same. On MemoryError the old table stays."""
        size: cython.int = mebibytes
        done: cython.bint = True
        if size != self.table.mebibytes:
            with cython.nogil:  # a gibibyte takes a second, and meanwhile the user may want to quit
                done = allocate(address(self.table), size)
        if not done:
            raise MemoryError(f"no memory for a hash table of {mebibytes} MiB")

    def set_cores(self, cores):
        """Use this many threads from the next search on. MemoryError if there is no memory for them."""
        wanted: cython.int = cores
        i: cython.int
        if wanted == self.control.cores:
            return
        for i in range(wanted, self.control.cores):
            free_zeroed(self.control.workers[i])
        if wanted < self.control.cores:
            self.control.cores = wanted
            return
        grown = cast(
            cython.pointer(cython.pointer(Worker)), realloc(self.control.workers, wanted * cython.sizeof(self.control.workers[0]))
        )
        if grown == cython.NULL:
            raise MemoryError("no memory for more threads")
        self.control.workers = grown
        while self.control.cores < wanted:
            with cython.nogil:
                w = cast(cython.pointer(Worker), allocate_zeroed(cython.sizeof(Worker)))
            if w == cython.NULL:
                raise MemoryError("no memory for more threads")
            w.index = self.control.cores
            w.main = w.index == 0
            w.table = address(self.table)
            w.control = address(self.control)
            w.owner = cast(cython.p_void, self)
            w.search = alphabeta
            self.control.workers[self.control.cores] = w
            self.control.cores += 1

    def set_network(self, network):
        """The Network to evaluate with, from the next search on, when Evaluation is network; None: the classical terms."""
        self.network = network

    def set_tables(self, tables):
        """The Tables (engine.syzygy) that searches ask from the next one on; None: none."""
        self.tables = tables

    def choose_evaluation(self, features):
        """Set the workers' evaluation; when it changes, forget what the tables learnt under the other one."""
        chosen: Network = self.network if features.selectivity.evaluation == EVALUATION_NETWORK else None
        i: cython.int
        if chosen is not self.searched_with:
            self.clear()
        self.searched_with = chosen
        for i in range(self.control.cores):
            use_network(self.control.workers[i], cython.NULL if chosen is None else address(chosen.weights))

    def clear(self):
        """Forget all games: hash table and histories."""
        i: cython.int
        with cython.nogil:
            wipe(address(self.table))
            for i in range(self.control.cores):
                forget(address(self.control.workers[i].memory))

    def prepare(self, limits):
        """Set flags, times and clock for a search that another thread is about to start by search().

        stop(), pause() and set_times() take effect from here on, even before that thread runs. search() calls it if nobody
        has.
        """
        self.control.stop = 0
        self.control.paused = 0
        self.control.paused_ms = 0
        self.control.retimed = 0
        self.control.soft_ms = limits.soft_ms
        self.control.hard_ms = limits.hard_ms
        self.control.cpu_clock = limits.cpu_clock
        self.control.started = cpu_ms() if self.control.cpu_clock else wall_ms()
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

    def set_times(self, soft_ms, hard_ms, exact=False):
        """Give the running search new limits: a ponder hit.

        hard_ms counts from now. soft_ms, the time planned for this move, counts from the start of the search: the time spent
        pondering counts, and if it is enough the search ends at once. If a move is to take an exact time both count from now.
        """
        now = elapsed_ms(address(self.control))
        self.control.hard_ms = now + hard_ms if hard_ms else 0
        self.control.soft_ms = now + soft_ms if soft_ms and exact else soft_ms
        self.control.retimed = RETIMED

    def progress(self):
        """(ms, nodes, depth, root moves left, root moves in all, current root move) of the running search."""
        w = self.control.workers[0]
        total = w.root_count
        done = w.root_searched if w.root_searched < total else total
        return elapsed_ms(address(self.control)), self.nodes(), w.root_depth, total - done, total, w.root_current

    def nodes(self):
        """Nodes of all threads in the last or running search."""
        return searched_nodes(address(self.control))

    def tablebase_hits(self):
        """Positions of the last or running search that the tables settled."""
        i: cython.int
        return sum([self.control.workers[i].counters.tablebase_hits for i in range(self.control.cores)])

    def hash_full(self):
        """Thousandths of the hash table that the last search filled, from a sample."""
        return permille_full(address(self.table))

    def search(self, game, features, limits, report=None, excluded=(), contempt=0, lines=1):
        """Search `game`'s position with these switches and limits and return a Result; report(Info) is called from this thread.

        `lines` root moves get a score and a line each (MultiPV). For the side to move at the root a draw is worth minus
        `contempt` centipawns. After prepare() the times are those given to it and to set_times(); depth and nodes always
        come from `limits`.
        """
        w = self.control.workers[0]
        i: cython.int
        if not self.prepared:
            self.prepare(limits)
        self.prepared = False
        legal = game.legal_moves()
        allowed = [move for move in legal if move not in excluded]
        self.report = report
        self.choose_evaluation(features)
        for i in range(self.control.cores):
            self.set_up(self.control.workers[i], game, features, allowed, contempt)
            self.control.workers[i].root_legal = len(legal)
        self.control.nodes = limits.nodes
        w.report = relay
        endless = not (limits.depth or limits.nodes or limits.soft_ms or limits.hard_ms)
        if not allowed:
            if endless:
                self.wait_for_stop()
            mated = game.in_check() and not legal
            return Result(0, 0, outside_score(-MATE) if mated else 0, 0, 0, 0, 0, 0, [], self.stats())
        start_search(address(self.table))
        self.table.renew = w.selectivity.renew
        self.table.renew_age = w.selectivity.renew_age and w.frames[0].pos.rule50 < FADES_FROM
        helpers = []
        try:
            for index in range(1, self.control.cores):
                helpers.append(self.start_helper(index))
        except RuntimeError:  # the system gives no more threads: search with those already started
            pass
        try:
            if lines > 1 and len(allowed) > 1:
                w.report = cython.NULL  # iterate_lines reports all lines together
                self.iterate_lines(limits.depth, min(lines, len(allowed)), allowed)
            else:
                self.iterate(limits.depth, limits.soft_nodes)
            if endless and not self.control.retimed:
                self.wait_for_stop()
        finally:
            self.control.stop = 1
            for running in helpers:
                running.acquire()
        w = elected(address(self.control)) if lines == 1 and not limits.depth else self.control.workers[0]
        if w.index and self.report is not None:
            w.root_depth = w.completed  # it was stopped on its way to a greater one
            self.report_line(w, w.best_score, 0)
        self.report = None
        pv = self.line(w.root_pv, w.root_pv_length) or [w.best_move or allowed[0]]
        ponder = pv[1] if len(pv) > 1 else self.reply_from_table(game, pv[0])
        stats = self.stats()
        return Result(
            pv[0],
            ponder,
            outside_score(w.best_score),
            w.completed,
            w.seldepth,
            self.nodes(),
            stats["q_nodes"],
            elapsed_ms(address(self.control)),
            pv,
            stats,
        )

    def wait_for_stop(self):
        """Nothing is left to search, but the answer must wait for stop() or for new limits."""
        while not self.control.stop and not self.control.retimed:
            sleep(0.002)

    def set_up(self, w, game, features, allowed, contempt):
        """Give a worker its position, history, switches, root moves and the value of a draw."""
        i: cython.int = 0
        w.draw_score[0] = -contempt
        w.draw_score[1] = contempt
        w.ordering = features.ordering
        w.selectivity = features.selectivity
        if memcmp(address(w.tuning), address(features.tuning), cython.sizeof(Tuning)):
            w.tuning = features.tuning
            fill_reductions(w)  # takes as long as a search of fifty nodes
        w.report = cython.NULL
        w.oracle = oracle_of(self.tables)
        w.frames[0].pos = game.position
        w.key_base = game.fill_keys(w.keys, MAX_GAME)
        w.keys[w.key_base] = game.position.key
        start_worker(w)
        w.root_count = len(allowed)
        for move in allowed:
            w.root_moves[i] = move
            i += 1

    def iterate(self, depth, soft_nodes):
        """Search depth 1, 2, 3 ... on the first worker until a limit is reached; without Deepening, `depth` at once (W1)."""
        w = self.control.workers[0]
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
            w.ease = ease_of(w, plies, stable, before - w.best_score if plies > 1 else 0)
            if self.control.stop or time_is_up(w):
                return
            if soft_nodes and self.nodes() >= soft_nodes:
                return
            before = w.best_score
            plies += 1

    def iterate_lines(self, depth, count, allowed):
        """As `iterate`, but for the best `count` root moves: each search leaves out the moves already found at its depth.

        Lines that a stopped iteration has found are used.
        """
        w = self.control.workers[0]
        last: cython.int = depth if 0 < depth < DEEPEST else DEEPEST
        plies: cython.int = last if depth and not w.selectivity.deepening else 1
        stable: cython.int = 0
        drop: cython.int
        finished: cython.bint = True
        before = []
        while plies <= last:
            fresh = []
            lines = before
            while finished and len(fresh) < count:
                self.open_line(w, allowed, fresh, before)
                with cython.nogil:
                    finished = search_depth(w, plies)
                if finished or (not fresh and w.best_move):
                    pv = self.line(w.root_pv, w.root_pv_length)
                    fresh.append(Info(w.completed, w.seldepth, w.best_score, 0, 0, 0, pv))
                if finished and len(fresh) > 1:  # all lines together are one iteration
                    w.iterations -= 1
                    w.iteration_nodes[w.iterations - 1] += w.iteration_nodes[w.iterations]
                lines = ranked(fresh, before, count)
                if len(fresh) == count or not finished or elapsed_ms(address(self.control)) > PATIENCE_MS:
                    self.report_found(lines)
            if not lines:
                return
            self.open_line(w, allowed, [], lines)  # put the best line back: its move is the one to play
            stable = stable + 1 if before and lines[0].pv[0] == before[0].pv[0] else 0
            drop = before[0].score - lines[0].score if before else 0
            w.ease = ease_of(w, plies, stable, drop)
            if not finished or self.control.stop or time_is_up(w):
                return
            before = lines
            plies += 1

    def report_found(self, lines):
        """Report the lines of the best root moves, the best first; they hold kernel scores."""
        ms, nodes = elapsed_ms(address(self.control)), self.nodes()
        for i, line in enumerate(lines if self.report is not None else ()):
            self.report(line.replace(score=outside_score(line.score), ms=ms, nodes=nodes, line=i + 1))

    def open_line(self, w, allowed, found, before):
        """Leave out the root moves of `found`, and start from the line that had the next rank in the iteration before."""
        i: cython.int = 0
        taken = [line.pv[0] for line in found]
        for move in allowed:
            if move not in taken:
                w.root_moves[i] = move
                i += 1
        w.root_count = i
        w.best_move = w.previous_best = NO_MOVE
        w.root_pv_length = w.last_pv_length = 0
        line = before[len(found)] if len(found) < len(before) else None
        if line is None or line.pv[0] in taken:
            return
        w.best_score = line.score
        w.best_move = w.previous_best = line.pv[0]
        for i in range(len(line.pv)):
            w.root_pv[i] = w.last_pv[i] = line.pv[i]
        w.root_pv_length = w.last_pv_length = len(line.pv)

    def reply_from_table(self, game, move):
        """The reply to `move` that the table holds; 0 if it holds none that is legal."""
        after = cython.declare(Position)
        entry = cython.declare(Entry)
        if not self.control.workers[0].selectivity.tt:
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
        """The body of a helper thread (lazy SMP): deepen on its own worker, sharing the table, until the search stops."""
        try:
            self.deepen(index)
        finally:
            running.release()

    def deepen(self, index):
        """A helper's iterations: without reports or limits."""
        place: cython.int = index
        w = self.control.workers[place]
        plies: cython.int = 1 + (place & 1)
        finished: cython.bint
        while plies <= DEEPEST and not self.control.stop:
            if plies < DEEPEST and is_crowded(address(self.control), place, plies):
                plies += 1
            with cython.nogil:
                finished = search_depth(w, plies)
            if not finished:
                return
            plies += 1

    def report_line(self, w, score, bound):
        if self.report is not None:
            pv = self.line(w.root_pv, w.root_pv_length)
            self.report(
                Info(
                    w.root_depth, w.seldepth, outside_score(score), elapsed_ms(address(self.control)), self.nodes(), bound, pv
                )
            )

    def line(self, moves, n):
        i: cython.int
        return [moves[i] for i in range(n)]

    def stats(self):
        """The counters of the last search, all threads together."""
        i: cython.int
        total = cython.declare(Counters)
        memset(address(total), 0, cython.sizeof(Counters))
        for i in range(self.control.cores):
            add_counters(address(total), address(self.control.workers[i].counters))
        w = self.control.workers[0]
        told = counted(address(total))
        told["seldepth"] = w.seldepth
        told["iterations"] = [w.iteration_nodes[i] for i in range(w.iterations)]
        return told
