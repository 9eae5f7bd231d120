"""Opens C functions of the kernel to the tests: history tables, the transposition table, the move picker."""

from libc.stdlib cimport calloc, free

from engine.types cimport *
from engine.board.position cimport *
from engine.board.movegen cimport *
from engine.variant.features cimport *
from engine.ordering.history cimport *
from engine.ordering.correction cimport *
from engine.board.cycles cimport reversible
from engine.search.table cimport *
from engine.ordering.picker cimport *
from engine.evaluation.accumulator cimport Accumulator, Refresh, clear_refresh, king_half, refresh
from engine.evaluation.network cimport Network
from engine.search.worker cimport Control, Worker, bring_up, make_null_on_path, make_on_path, start_worker
from engine.search.alphabeta cimport alphabeta
from engine.search.threads cimport Searcher
from engine.board.game cimport Game

from engine.variant.features import STAGE_NAMES


def limits():
    """Constants of the kernel that tests compare with."""
    return {
        "HALVE_AT": HALVE_AT, "SATURATE_AT": SATURATE_AT, "HISTORY_LIMIT": HISTORY_LIMIT, "MATE": MATE,
        "MATE_BOUND": MATE_BOUND, "WAYS": WAYS, "NO_SCORE": NO_SCORE, "EVERY_CAPTURE": EVERY_CAPTURE,
    }


cdef class MemoryProbe:
    """The history tables of one worker under the switches of `features`."""

    cdef Memory* memory
    cdef Features features

    def __cinit__(self, Features features):
        self.features = features
        self.memory = <Memory*>calloc(1, sizeof(Memory))

    def __dealloc__(self):
        free(self.memory)

    def use(self, Features features):
        """The same tables under other switches."""
        self.features = features

    def forget(self):
        forget(self.memory)

    def start_think(self):
        start_think(self.memory, &self.features.ordering)

    def start_iteration(self):
        start_iteration(self.memory, &self.features.ordering)

    def weight(self, int depth):
        return credit_weight(&self.features.ordering, depth)

    def credit(self, str form, Game game, int move, int depth, list tried=[]):
        cdef Move[64] list_
        cdef int i
        for i in range(len(tried)):
            list_[i] = tried[i]
        if form == "original":
            return bool(credit_original(self.memory, &self.features.ordering, &game.position, move, depth))
        if form == "quiet":
            return bool(credit_quiet(self.memory, &self.features.ordering, &game.position, move, depth))
        if form == "gated":
            return bool(
                credit_gated(self.memory, &self.features.ordering, &game.position, move, depth, list_, len(tried))
            )
        return bool(
            credit_gravity(
                self.memory, &self.features.ordering, &game.position, move, gravity_bonus(&self.features.tuning, depth),
                gravity_malus(&self.features.tuning, depth), list_, len(tried),
            )
        )

    def credit_cutoff(self, Game game, int move, int depth, list tried):
        """Credit in the form that is on; whether anything was earned."""
        cdef Move[64] list_
        cdef int i
        for i in range(len(tried)):
            list_[i] = tried[i]
        return bool(
            credit_history(
                self.memory, &self.features.ordering, &game.position, move, depth,
                gravity_bonus(&self.features.tuning, depth), gravity_malus(&self.features.tuning, depth), list_, len(tried),
            )
        )

    def credit_alpha_raise(self, Game game, int move, int depth):
        return bool(credit_alpha_raise(self.memory, &self.features.ordering, &game.position, move, depth))

    def entry(self, Game game, int move):
        return self.memory.quiet[game.position.side][history_index(&self.features.ordering, &game.position, move)]

    def total(self):
        cdef int side, i
        total = 0
        for side in range(2):
            for i in range(BUTTERFLIES):
                total += abs(self.memory.quiet[side][i])
        return total

    def set_entry(self, Game game, int move, int value):
        self.memory.quiet[game.position.side][history_index(&self.features.ordering, &game.position, move)] = value
        if value > self.memory.quiet_max[game.position.side]:
            self.memory.quiet_max[game.position.side] = value

    def killer(self, int ply, int move):
        remember_killer(self.memory, ply, move)

    def killers(self, int ply):
        return self.memory.killers[ply][0], self.memory.killers[ply][1]

    def gravity_bonus(self, int depth):
        return gravity_bonus(&self.features.tuning, depth)

    def gravity_malus(self, int depth):
        return gravity_malus(&self.features.tuning, depth)

    def add_gravity(self, int value, int bonus):
        cdef I16 cell = value
        add_gravity(&cell, bonus)
        return cell

    def correct(self, Game game, int depth, int difference, int moves=0):
        """Teach that the search lay `difference` above the corrected evaluation; the correction afterwards."""
        cdef int level = self.features.selectivity.corr_hist
        correct(self.memory, &self.features.tuning, level, &game.position, moves, depth, difference)
        return correction_of(self.memory, &self.features.tuning, level, &game.position, moves)

    def correction(self, Game game, int moves=0):
        return correction_of(
            self.memory, &self.features.tuning, self.features.selectivity.corr_hist, &game.position, moves
        )

    def picked(self, Game game, list specials, int threat=0, quiescence_threshold=None, bint checks=False):
        """[(move, stage name)] that a picker hands out; specials are PV, hash, two killers, counter, combo."""
        cdef Picker* p = <Picker*>calloc(1, sizeof(Picker))
        cdef int[12] program
        cdef PickerCounters counters
        memset(&counters, 0, sizeof(PickerCounters))
        cdef U64 random = 88172645463325252
        cdef int i
        set_pinned(&game.position)
        if quiescence_threshold is None:
            compile_main(&self.features.ordering, &self.features.selectivity, program)
        else:
            compile_quiescence(&self.features.ordering, &self.features.selectivity, program, checks)
        set_threats(&game.position)
        start_picker(
            p, &game.position, &self.features.ordering, &self.features.tuning, self.memory, program, &counters, &random
        )
        for i in range(6):
            p.special[i] = specials[i]
        p.threat = threat
        cdef CheckSquares squares
        set_check_squares(&game.position, &squares)
        p.checks = &squares
        if quiescence_threshold is not None:
            p.in_quiescence = True
            p.threshold = quiescence_threshold
        found = []
        while True:
            move = next_move(p)
            if move == NO_MOVE:
                break
            found.append((move, STAGE_NAMES[p.stage]))
        free(p)
        return found, {"generated": counters.generated, "tested": counters.tested}


cdef class TableProbe:
    """A transposition table of its own."""

    cdef Table table

    def __cinit__(self, int mebibytes):
        self.table.buckets = NULL
        if not allocate(&self.table, mebibytes):
            raise MemoryError

    def __dealloc__(self):
        release(&self.table)

    def wipe(self):
        wipe(&self.table)

    def next_search(self):
        start_search(&self.table)

    def renew_moves(self, bint on):
        self.table.renew = on

    def renew_age(self, bint on):
        self.table.renew_age = on

    def size(self):
        return (self.table.mask + 1) * sizeof(Bucket)

    def bucket_size(self):
        return sizeof(Bucket)

    def bucket_mask(self):
        return self.table.mask

    def permille(self):
        return permille_full(&self.table)

    def store(self, U64 key, int ply, int move, int score, int eval, int depth, int bound, bint pv):
        self.table.used = True
        store(&self.table, key, ply, move, score, eval, depth, bound, pv)

    def probe(self, U64 key, int ply):
        cdef Entry entry
        probe(&self.table, key, ply, &entry)
        if not entry.found:
            return None
        return entry.move, entry.score, entry.eval, entry.depth, entry.bound, bool(entry.pv)


def remembered(Searcher searcher, Game game):
    """What a searcher's table knows of a position: (depth, static evaluation) of its entry, None without one."""
    cdef Entry entry
    probe(&searcher.table, view_key(&game.position), 0, &entry)
    return (entry.depth, entry.eval) if entry.found else None


def check_squares(Game game):
    """{move: (gives_check, the same by check squares)} of the legal moves."""
    cdef CheckSquares checks
    set_check_squares(&game.position, &checks)
    return {
        move: (bool(gives_check(&game.position, move)), bool(checks_by(&game.position, &checks, move)))
        for move in game.legal_moves()
    }


def threats(Game game):
    """The squares that the enemy attacks, as a bitboard."""
    set_threats(&game.position)
    return game.position.threats


def one_move_apart(Game game, U64 key):
    """Whether one reversible move of the side to move leads to the position of this key."""
    return bool(reversible(&game.position, game.position.key ^ key))


def inner_search(Game game, Features features, int depth, int alpha, int beta):
    """What alphabeta returns for the position one ply from the root and this window; the features must have TT off."""
    return _inner(game, features, depth, alpha, beta, 0)[0]


def inner_nodes(Game game, Features features, int depth, int excluded):
    """How many nodes alphabeta enters, quiescence apart, one ply from the root when one move is left out there."""
    return _inner(game, features, depth, -MATE, MATE, excluded)[1]


def _inner(Game game, Features features, int depth, int alpha, int beta, int excluded):
    assert features.get("TT") == "off"
    cdef Worker* w = <Worker*>allocate_zeroed(sizeof(Worker))
    cdef Control control
    cdef Table table
    memset(&control, 0, sizeof(Control))
    w.control = &control
    table.buckets = NULL
    if not allocate(&table, 1):
        raise MemoryError
    w.table = &table  # not asked, but its lines are prefetched whatever TT says
    w.ordering = features.ordering
    w.selectivity = features.selectivity
    w.tuning = features.tuning
    w.search = alphabeta
    w.main = True
    start_worker(w)
    w.root_depth = depth + 1
    w.frames[0].pos = game.position
    w.frames[1].pos = game.position
    w.frames[1].null_allowed = True
    w.frames[1].excluded = excluded
    w.keys[1] = game.position.key
    cdef int score
    with nogil:
        score = alphabeta(w, 1, alpha, beta, depth * PLY, False)
    found = score, w.counters.main_nodes
    release(&table)
    free_zeroed(w)
    return found


def walk(Network network, Game game, int steps, U64 seed, bint spoil=False):
    """Make and take back moves by lot along a search's path, and now and then have the network's sums brought up to date.

    Each time they are compared with sums worked out from nothing. Returns what was met: {"castling", "promotion",
    "en_passant", "null", "crossed" (a king changed its half), "compared"}; AssertionError names the first difference.
    With `spoil` one of the sums is made wrong on the way.
    """
    cdef Worker* w = <Worker*>allocate_zeroed(sizeof(Worker))
    cdef Control control
    cdef Move[256] moves
    cdef Accumulator fresh
    cdef Refresh empty
    cdef int ply = 0, n, view, i, move, kind, step
    cdef bint wrong = False
    met = {"castling": 0, "promotion": 0, "en_passant": 0, "null": 0, "crossed": 0, "compared": 0}
    memset(&control, 0, sizeof(Control))
    cdef Table table
    table.buckets = NULL
    if not allocate(&table, 1):
        raise MemoryError
    w.control = &control
    w.table = &table
    w.network = &network.weights
    clear_refresh(w.network, &w.refreshed)
    w.frames[0].pos = game.position
    start_worker(w)
    for step in range(steps):
        seed ^= seed << 13
        seed ^= seed >> 7
        seed ^= seed << 17
        if ply > 0 and (ply >= 60 or seed % 16 < 6):
            ply -= 1
        elif seed % 16 == 15 and not w.frames[ply].pos.checkers:
            make_null_on_path(w, ply)
            ply += 1
            met["null"] += 1
        else:
            set_pinned(&w.frames[ply].pos)
            n = generate(&w.frames[ply].pos, generate(&w.frames[ply].pos, moves, NOISY, True), QUIET, True) - moves
            if n == 0:
                ply = 0
                continue
            move = moves[(seed >> 20) % n]
            # Rare moves are taken as soon as they are there, now and then.
            for i in range(n):
                if move_kind(moves[i]) != NORMAL and (seed >> 40) % 3 == 0:
                    move = moves[i]
            kind = move_kind(move)
            met["castling"] += kind == CASTLING
            met["promotion"] += kind == PROMOTION
            met["en_passant"] += kind == EN_PASSANT
            make_on_path(w, ply, move)
            for view in range(2):
                met["crossed"] += king_half(&w.frames[ply].pos, view) != king_half(&w.frames[ply + 1].pos, view)
            ply += 1
        if (seed >> 50) % 3:
            continue
        for view in range(2):
            if (seed >> (52 + view)) % 4 == 0:
                continue  # one view may be behind the other
            bring_up(w, ply, view)
            if spoil and step > 1000:
                w.frames[ply].sums.values[view][step % w.network.hidden] += 1
            clear_refresh(w.network, &empty)
            refresh(w.network, &w.frames[ply].pos, &fresh, &empty, view)
            met["compared"] += 1
            for i in range(w.network.hidden):
                if w.frames[ply].sums.values[view][i] != fresh.values[view][i]:
                    wrong = True
        if wrong:
            break
    release(&table)
    free_zeroed(w)
    assert not wrong, f"step {step}, ply {ply}: {met}"
    return met
