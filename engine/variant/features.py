"""Features: every ordering and selectivity technique as a named level, and the stage program they compile to."""

import cython

from engine.variant.presets import PRESETS, resolve

CHECK = ("off", "on")

# name, levels (or (minimum, maximum) of a number), what it does, source.  The place in the list is the field's place in
# the struct, the place in the levels is its value.
ORDERING = (
    (
        "PVMoves",
        ("off", "root", "line"),
        "try the move of the last iteration's PV first: at the root, or along the whole line",
        "Winglet: following the PV; Vicki, 2 May 2007: the whole line (C17)",
    ),
    ("HashMove", CHECK, "try the transposition table's move first", "Mediocre's blog, 19 March 2007; Jazz's page (C9)"),
    (
        "CaptureOrder",
        ("generation", "mvvlva", "see"),
        "order of captures: as generated, most valuable victim first, by exchange value",
        "Vicki's blog, 2 May 2007 (C18, C19)",
    ),
    (
        "SEEForm",
        ("linear", "early-exit", "swap"),
        "form of the exchange value that orders captures and leaves some out of quiescence; swap is exact",
        "Vicki's blog, 2 and 8 May 2007: early-exit and what it was compared with; a comment there: swap (C19, C20)",
    ),
    (
        "Killers",
        ("0", "1", "2"),
        "quiet moves that cut off at this ply, verified on the board",
        "Jazz's page, Mediocre's blog (C8)",
    ),
    (
        "CounterMove",
        CHECK,
        "the quiet move that refuted the enemy's last move before",
        "Uiterwijk 1992; Jazz's page (C8, C21)",
    ),
    ("ComboMove", CHECK, "the quiet move that worked before after our own last move (our reading)", "Jazz's page (C8)"),
    (
        "History",
        ("off", "original", "quiet", "gated", "gravity"),
        "how cutoffs credit a move's origin and goal for ordering elsewhere",
        "original: Winglet; gated: Sjaak II; gravity: Ethereal, Weiss, Stockfish; the quarrel: Jazz's page (C7)",
    ),
    (
        "CreditWeight",
        ("one", "depth", "depth2", "pow2"),
        "history credit of a cutoff: 1, d, d*d or 2^d",
        "depth2: Winglet; pow2: Schaeffer 1983 (C3)",
    ),
    (
        "IndexBy",
        ("fromto", "pieceto"),
        "history index: origin and goal, or piece and goal",
        "fromto: Winglet; pieceto: Sjaak II",
    ),
    (
        "ThreatOrder",
        CHECK,
        "a refuted null move names a threat: move the piece it hits, take the piece that makes it",
        "Jazz's page; the bonus: Sjaak II (C12)",
    ),
    (
        "Generation",
        ("staged", "all"),
        "generate moves when their stage is reached, or all at once; same tree",
        "Mediocre's blog, 19 March 2007 (C13)",
    ),
    (
        "Legality",
        ("late", "early"),
        "test the king's safety when a move is picked, or when it is generated; same tree",
        "Mediocre's blog, 19 March 2007 (C14)",
    ),
    (
        "Choose",
        ("selection", "sort"),
        "pick the best remaining move each time, or sort the whole list; same tree",
        "selection: Winglet; sort: Jazz's page (C4)",
    ),
    (
        "BadCaptures",
        ("last", "inplace", "equal"),
        "losing captures after the quiet moves, in place, or equal ones too after the quiets",
        "last: Mediocre's blog, 19 March 2007; equal: Sjaak II (C15)",
    ),
    (
        "Baseline",
        ("none", "random", "worst"),
        "orders to compare with: none switches this off, random, worst first; quiescence included",
        "Winglet: what a ply costs in bad and in good order (C2)",
    ),
    (
        "ContHist",
        CHECK,
        "history of a quiet move given the move before it, one and two plies back",
        "the field since 2016; successor of counter and combo",
    ),
    (
        "CaptHist",
        CHECK,
        "history of captures by piece, goal and victim; half of it counts beside the victim (CaptureOrder mvvlva)",
        "the field since 2016",
    ),
    (
        "EscapeOrder",
        CHECK,
        "move a piece that a lesser one attacks before other quiet moves",
        "the field since 2020; successor of the null move's threat",
    ),
)
SELECTIVITY = (
    (
        "Algorithm",
        ("pvs", "alphabeta", "minimax"),
        "principal variation search, alpha-beta, or plain minimax",
        "Winglet's three searches",
    ),
    ("Deepening", ("off", "on"), "iterate depth 1, 2, 3 ..., or search the given depth at once", "Winglet (C1)"),
    ("TT", CHECK, "transposition table: cutoffs and the hash move", "Mediocre, Jazz"),
    (
        "Aspiration",
        ("off", "reset", "onesided", "gradual"),
        "window around the last score; on failure reopen both sides, one side, or widen step by step",
        "reset, onesided: Moreland's 'Aspiration windows'; gradual: Weiss, Stockfish (C5, C6)",
    ),
    ("WindowWidth", (1, 1000), "half width of the first aspiration window, centipawns", "50: Moreland's 'Aspiration windows' (C5)"),
    (
        "NullMove",
        ("off", "on", "verified"),
        "let the opponent move twice; verified searches again without it when deep",
        "Jazz's page, Mediocre; verified: common practice (C12)",
    ),
    (
        "NullGuard",
        ("jazz", "sjaak", "pawns"),
        "when null move is left out: few pieces and no sliders; fewer than four piece types; only pawns",
        "jazz, sjaak: Jazz's page; pawns: Mediocre (C12)",
    ),
    (
        "NullDepth",
        ("fixed", "scaled"),
        "null move reduction: 2, or 3 above 6 plies; or growing with depth and margin",
        "fixed: Mediocre; scaled: Sjaak II and the field",
    ),
    (
        "CheckExtension",
        ("off", "always", "horizon"),
        "one ply more for the side in check: never, always, or in the last plies only",
        "Jazz's page (C11)",
    ),
    (
        "QSearch",
        ("winning", "nonlosing", "every", "checks"),
        "captures that quiescence tries: SEE > 0, >= 0, all; checks: >= 0, in its first ply quiet checks too",
        "Jazz's page (C10)",
    ),
    ("QEvasions", CHECK, "in check, quiescence searches every way out instead of standing pat", "common practice"),
    ("DeltaPruning", CHECK, "quiescence leaves out captures that cannot reach alpha", "common practice"),
    (
        "LMR",
        ("off", "oneply", "plain", "table"),
        "late moves searched less deep: one ply, by depth and number, or by these and history",
        "oneply: Mediocre; plain, table: common practice (C7)",
    ),
    (
        "FractionalDepth",
        CHECK,
        "captures cost nothing, checks a quarter ply, losing captures more than one",
        "a comment under Mediocre's post of 19 March 2007 (C16)",
    ),
    ("MateDistance", CHECK, "no search for a mate longer than one already found", "common practice"),
    (
        "InternalSearch",
        ("off", "iid", "reduce"),
        "without a hash move: search at half depth for one, or search one ply less",
        "iid: Mediocre; reduce: the field since 2020",
    ),
    (
        "Improving",
        CHECK,
        "prune and reduce by whether the static evaluation rose over the last two plies",
        "the field since 2013",
    ),
    (
        "CorrHist",
        CHECK,
        "correct the static evaluation by how far search differed from it on this pawn structure",
        "the field since 2023",
    ),
    ("Razoring", CHECK, "near the leaves and far below alpha, drop into quiescence", "common practice"),
    ("StaticNull", CHECK, "near the leaves and far above beta, return at once (reverse futility)", "common practice"),
    ("Futility", CHECK, "near the leaves and far below alpha, leave out quiet moves", "common practice"),
    ("LateMoves", CHECK, "near the leaves, leave out quiet moves after the first few", "common practice"),
    ("SEEPruning", CHECK, "near the leaves, leave out moves that lose material", "common practice"),
    (
        "ProbCut",
        CHECK,
        "cut when a capture beats beta by a margin in a shallower search",
        "Buro 1995; the field since 2011",
    ),
    (
        "Singular",
        CHECK,
        "one ply more for a hash move that is much better than all others",
        "Anantharaman et al. 1988; the field since 2008",
    ),
    ("Stability", CHECK, "less time for a best move that stands, more while the score falls", "common practice"),
)
STATS = ("Stats", CHECK, "print counters as '# stats {json}' after each search", "what gauntlet reads")
PRESET_TEXT = (
    "the engine to play as: that of a founding text, bare or modern; sets every other switch, later settings override",
    "the five texts that docs/sources.md names",
)
PRESET_NAMES = ("modern", "winglet", "moreland", "jazz", "mediocre", "vicki", "bare")

# Name of each stage and the moves it tries, in the order of their codes.
STAGE_TEXTS = {
    "END": "no more moves",
    "PV": "the move that the line of the last iteration has here",
    "HASH": "the move that the transposition table remembers",
    "NOISY": "captures and promotions, in the order of CaptureOrder",
    "GOOD_NOISY": "captures and promotions, in the order of CaptureOrder, but for those that BadCaptures puts off",
    "KILLERS": "quiet moves that cut off at this ply before",
    "COUNTER": "the quiet move that refuted the enemy's last move before",
    "COMBO": "the quiet move that followed our own last move before",
    "QUIETS": "the other quiet moves, by history",
    "BAD_NOISY": "the captures and promotions that had to wait",
    "MIXED": "all other moves, captures and quiet ones together, by history alone",
    "BASELINE": "all moves in the order of Baseline",
    "CHECKS": "quiet moves that give check, next to the main search only",
}
STAGE_NAMES = tuple(STAGE_TEXTS)


class Switch(tuple):
    """(name, kind, levels, default, minimum, maximum, text, source); kind is combo, check or spin."""

    __slots__ = ()
    name = property(lambda self: self[0])
    kind = property(lambda self: self[1])
    levels = property(lambda self: self[2])
    default = property(lambda self: self[3])
    minimum = property(lambda self: self[4])
    maximum = property(lambda self: self[5])
    text = property(lambda self: self[6])
    source = property(lambda self: self[7])


def make_switches() -> tuple:
    """The switches as Python sees them, Preset first."""
    defaults = resolve("modern")
    defaults["Stats"] = "off"
    rows = [Switch(("Preset", "combo", PRESET_NAMES, "modern", 0, 0, *PRESET_TEXT))]
    for name, levels, text, source in (*ORDERING, *SELECTIVITY, STATS):
        if isinstance(levels[0], int):
            rows.append(Switch((name, "spin", (), defaults[name], levels[0], levels[1], text, source)))
        elif set(levels) == {"on", "off"}:
            rows.append(Switch((name, "check", ("on", "off"), defaults[name], 0, 0, text, source)))
        else:
            rows.append(Switch((name, "combo", levels, defaults[name], 0, 0, text, source)))
    return tuple(rows)


SWITCHES = make_switches()
BY_NAME = {switch.name: switch for switch in SWITCHES}
LEVELS = {name: levels for name, levels, _, _ in (*ORDERING, *SELECTIVITY, STATS)}
ORDERING_PLACE = {row[0]: i for i, row in enumerate(ORDERING)}
SELECTIVITY_PLACE = {row[0]: i for i, row in enumerate(SELECTIVITY)}
CHECK_WORDS = {"on": "on", "true": "on", "1": "on", "off": "off", "false": "off", "0": "off"}


def nearest(word, known):
    """`, did you mean X?` for the known word closest to `word`, or nothing when none is close."""
    import difflib  # only on the way to an error message

    folded = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), list(folded), n=1, cutoff=0.5)
    return f", did you mean {folded[close[0]]}?" if close else ""


@cython.cclass
class Features:
    """A full set of switches; starts as preset modern. Levels are strings, as XBoard options and experiments spell them."""

    def __init__(self):
        self.stats = False
        self.set("Preset", "modern")

    @cython.cfunc
    def slot(self, name: str) -> cython.p_int:
        if name in ORDERING_PLACE:
            place: cython.int = ORDERING_PLACE[name]
            return cython.cast(cython.p_int, cython.address(self.ordering)) + place
        place = SELECTIVITY_PLACE[name]
        return cython.cast(cython.p_int, cython.address(self.selectivity)) + place

    def set(self, name, value):
        """Set one switch; ValueError with one plain sentence for an unknown name, level or number."""
        switch = BY_NAME.get(name)
        if switch is None:
            raise ValueError(f"no switch is called {name!r}{nearest(name, BY_NAME)}")
        value = str(value)
        if name == "Preset":
            if value not in PRESETS:
                raise ValueError(f"Preset has no level {value!r}{nearest(value, PRESET_NAMES)}")
            self.preset = value
            for other, level in resolve(value).items():
                self.set(other, level)
            return
        number: cython.int
        if switch.kind == "spin":
            if not value.isdigit() or not switch.minimum <= int(value) <= switch.maximum:
                raise ValueError(f"{name} is a number from {switch.minimum} to {switch.maximum}, not {value!r}")
            number = int(value)
        else:
            if switch.kind == "check":
                value = CHECK_WORDS.get(value.lower(), value)
            levels = LEVELS[name]
            if value not in levels:
                raise ValueError(f"{name} has no level {value!r}{nearest(value, levels)} (levels: {', '.join(levels)})")
            number = levels.index(value)
        if name == "Stats":
            self.stats = number != 0
        else:
            self.slot(name)[0] = number

    def get(self, name):
        """The level of a switch; KeyError for an unknown name."""
        if name == "Preset":
            return self.preset
        if name == "Stats":
            return "on" if self.stats else "off"
        number: cython.int = self.slot(name)[0]
        return str(number) if BY_NAME[name].kind == "spin" else LEVELS[name][number]

    def copy(self):
        """An independent copy."""
        twin = Features()
        twin.ordering = self.ordering
        twin.selectivity = self.selectivity
        twin.stats = self.stats
        twin.preset = self.preset
        return twin

    def settings(self):
        """Every switch and its level."""
        return {switch.name: self.get(switch.name) for switch in SWITCHES}

    def program(self):
        """Names of the stages that a node runs through, first to last."""
        codes = cython.declare(cython.int[MAX_PROGRAM])
        compile_main(cython.address(self.ordering), cython.address(self.selectivity), codes)
        return stage_list(codes)

    def quiescence_program(self):
        """Names of the stages of a quiescence node outside check."""
        codes = cython.declare(cython.int[MAX_PROGRAM])
        compile_quiescence(cython.address(self.ordering), cython.address(self.selectivity), codes, True)
        return stage_list(codes)


@cython.cfunc
def stage_list(codes: cython.p_int) -> list:
    names = []
    i: cython.int = 0
    while codes[i] != STAGE_END:
        names.append(STAGE_NAMES[codes[i]])
        i += 1
    names.append("END")
    return names


def compile_main(o, s, program):
    """Write the stage program of a main-search node. A technique that is off has no stage and costs nothing.

    Baseline orders take the place of all but the PV and the hash move, where those are on (our reading).
    """
    n: cython.int = 0
    if o.pv_moves:
        program[n] = STAGE_PV
        n += 1
    if o.hash_move and s.tt:
        program[n] = STAGE_HASH
        n += 1
    if o.baseline:
        program[n] = STAGE_BASELINE
        program[n + 1] = STAGE_END
        return
    # Winglet: captures and quiet moves mixed, by history alone (W5).
    mixed: cython.bint = o.history == HISTORY_ORIGINAL and o.capture_order == CAPTURES_GENERATION
    if not mixed:
        program[n] = STAGE_NOISY if o.bad_captures == BAD_INPLACE else STAGE_GOOD_NOISY
        n += 1
    if o.killers:
        program[n] = STAGE_KILLERS
        n += 1
    if o.counter:
        program[n] = STAGE_COUNTER
        n += 1
    if o.combo:
        program[n] = STAGE_COMBO
        n += 1
    program[n] = STAGE_MIXED if mixed else STAGE_QUIETS
    n += 1
    if not mixed and o.bad_captures != BAD_INPLACE:
        program[n] = STAGE_BAD_NOISY
        n += 1
    program[n] = STAGE_END


def compile_quiescence(o, s, program, checks):
    """Write the stage program of a quiescence node outside check; `checks` is true in its first ply."""
    n: cython.int = 0
    if o.hash_move and s.tt:
        program[n] = STAGE_HASH
        n += 1
    program[n] = STAGE_BASELINE if o.baseline else STAGE_NOISY
    n += 1
    if s.qsearch == Q_CHECKS and checks:
        program[n] = STAGE_CHECKS
        n += 1
    program[n] = STAGE_END
