"""The switches as rows: every technique of order and selectivity with its levels, what it does, and where it comes from."""

CHECK = ("off", "on")

# name, levels (or (minimum, maximum) of a number), what it does, source.  The place in the list is the field's place in
# the struct, the place in the levels is its value.
ORDERING = (
    (
        "PVMoves",
        ("off", "root", "line"),
        "try the last iteration's principal variation first: at the root only, or along the whole line",
        "Winglet: following the PV; Vicki, 2 May 2007: the whole line (C17)",
    ),
    (
        "HashMove",
        CHECK,
        "try the hash move first (the one from the transposition table)",
        "Mediocre's blog, 19 March 2007; Jazz's page (C9)",
    ),
    (
        "CaptureOrder",
        ("generation", "mvvlva", "see"),
        "order of captures: as generated, by most valuable victim (MVV-LVA), or by exchange value (SEE)",
        "Vicki's blog, 2 May 2007 (C18, C19)",
    ),
    (
        "SEEForm",
        ("linear", "early-exit", "swap"),
        "form of the exchange value (SEE) that orders captures and prunes them in quiescence; swap is exact",
        "Vicki's blog, 2 and 8 May 2007: early-exit and what it was compared with; a comment there: swap (C19, C20)",
    ),
    (
        "Killers",
        ("0", "1", "2"),
        "number of killers: quiet moves that cut off at this ply before, tried if the board allows them",
        "Jazz's page, Mediocre's blog (C8)",
    ),
    (
        "CounterMove",
        CHECK,
        "try the quiet move that refuted the opponent's last move before",
        "Uiterwijk 1992; Jazz's page (C8, C21)",
    ),
    ("ComboMove", CHECK, "try the quiet move that worked before after our own last move (our reading)", "Jazz's page (C8)"),
    (
        "History",
        ("off", "original", "quiet", "gated", "gravity"),
        "history heuristic: how a cutoff credits the move for its ordering in other positions",
        "original: Winglet; gated: Sjaak II; gravity: Ethereal, Weiss, Stockfish; the quarrel: Jazz's page (C7)",
    ),
    (
        "CreditWeight",
        ("one", "depth", "depth2", "pow2"),
        "history credit of a cutoff at depth d: 1, d, d*d or 2^d",
        "depth2: Winglet; pow2: Schaeffer 1983 (C3)",
    ),
    (
        "IndexBy",
        ("fromto", "pieceto", "threats"),
        "history index: from and to square; piece and to square; or both squares and whether the opponent attacks either",
        "fromto: Winglet; pieceto: Sjaak II; threats: the field since 2022",
    ),
    (
        "ThreatOrder",
        CHECK,
        "use the threat that refutes the null move: move the piece it hits, capture the piece that makes it",
        "Jazz's page; the bonus: Sjaak II (C12)",
    ),
    (
        "Generation",
        ("staged", "all"),
        "generate moves stage by stage, when they are needed, or all at once; same tree",
        "Mediocre's blog, 19 March 2007 (C13)",
    ),
    (
        "Legality",
        ("late", "early"),
        "test whether a move leaves the king in check when it is picked, or when it is generated; same tree",
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
        "losing captures come after the quiet moves, keep their place, or come last together with equal ones",
        "last: Mediocre's blog, 19 March 2007; equal: Sjaak II (C15)",
    ),
    (
        "RefutationsFirst",
        CHECK,
        "try killers, counter and combo moves before any capture, even a winning one",
        "what Mediocre's blog, 19 March 2007, argues against (C15)",
    ),
    (
        "Baseline",
        ("none", "random", "worst"),
        "orders to compare with, in quiescence too: random, or worst first; none switches this off",
        "Winglet: what a ply costs in bad and in good order (C2)",
    ),
    (
        "ContHist",
        ("off", "on", "deep"),
        "continuation history: a quiet move after the moves one and two plies back; deep: four and six as well",
        "the field since 2016; successor of counter and combo",
    ),
    (
        "CaptHist",
        CHECK,
        "capture history by piece, to square and victim; half of it is added to the victim's value (CaptureOrder mvvlva)",
        "the field since 2016",
    ),
    (
        "EscapeOrder",
        CHECK,
        "quiet moves that save a piece from attack by a lesser one come before the others",
        "the field since 2020; successor of the null move's threat",
    ),
    (
        "CheckOrder",
        CHECK,
        "quiet moves that give direct check come earlier among the quiet moves",
        "the field since 2022",
    ),
    (
        "PawnHist",
        CHECK,
        "pawn history: a quiet move's record with this pawn structure",
        "the field since 2023",
    ),
    (
        "FailLowCredit",
        CHECK,
        "if all our moves fail low, the opponent's quiet move before them gets history credit",
        "the field since 2016",
    ),
    (
        "TableCredit",
        CHECK,
        "a quiet hash move whose table entry alone gives a cutoff gets history credit",
        "the field since 2016",
    ),
    (
        "ReducedCredit",
        CHECK,
        "a quiet move searched again after a reduction gets history credit or debit by the result",
        "the field since 2018",
    ),
)
SELECTIVITY = (
    (
        "Algorithm",
        ("pvs", "alphabeta", "minimax"),
        "principal variation search, alpha-beta, or plain minimax",
        "Winglet's three searches",
    ),
    ("Deepening", ("off", "on"), "iterative deepening (depth 1, 2, 3 ...), or search the given depth at once", "Winglet (C1)"),
    ("TT", CHECK, "transposition table: cutoffs and the hash move", "Mediocre, Jazz"),
    (
        "Aspiration",
        ("off", "reset", "onesided", "gradual", "pulled"),
        "window around the last score; after a failure reopen both sides, one side, or widen step by step; pulled: also draw "
        "the other side in after a fail low, and search a ply less after a fail high",
        "reset, onesided: Moreland's 'Aspiration windows'; gradual, pulled: Weiss, Stockfish (C5, C6)",
    ),
    (
        "WindowWidth",
        (1, 1000),
        "half the width of the first aspiration window, in centipawns",
        "50: Moreland's 'Aspiration windows' (C5)",
    ),
    (
        "NullMove",
        ("off", "on", "verified"),
        "null move: let the opponent move twice; verified: a deep cutoff is confirmed by a search without it",
        "Jazz's page, Mediocre; verified: common practice (C12)",
    ),
    (
        "NullGuard",
        ("jazz", "sjaak", "pawns"),
        "no null move with few pieces and no sliders; with fewer than four piece types; with only pawns",
        "jazz, sjaak: Jazz's page; pawns: Mediocre (C12)",
    ),
    (
        "NullDepth",
        ("fixed", "scaled"),
        "null-move reduction: 2 plies, or 3 above depth 6; or growing with depth and margin",
        "fixed: Mediocre; scaled: Sjaak II and the field",
    ),
    (
        "CheckExtension",
        ("off", "always", "horizon"),
        "extend by a ply when in check: never, always, or only in the last plies",
        "Jazz's page (C11)",
    ),
    (
        "QSearch",
        ("winning", "nonlosing", "every", "checks"),
        "captures that quiescence tries: SEE > 0, SEE >= 0, all; checks: SEE >= 0, and quiet checks in its first ply",
        "Jazz's page (C10)",
    ),
    ("QEvasions", CHECK, "in check, quiescence searches every evasion instead of standing pat", "common practice"),
    ("DeltaPruning", CHECK, "quiescence skips captures that cannot reach alpha", "common practice"),
    (
        "LMR",
        ("off", "oneply", "plain", "table"),
        "late-move reductions: one ply; by depth and move number; or by these and history",
        "oneply: Mediocre; plain, table: common practice (C7)",
    ),
    (
        "FractionalDepth",
        CHECK,
        "captures cost no depth, checks a quarter of a ply, losing captures more than a ply",
        "a comment under Mediocre's post of 19 March 2007 (C16)",
    ),
    ("MateDistance", CHECK, "mate-distance pruning: no search for a mate longer than one already found", "common practice"),
    (
        "InternalSearch",
        ("off", "iid", "reduce"),
        "without a hash move: find one by a search at half depth (iid), or search a ply less (reduce)",
        "iid: Mediocre; reduce: the field since 2020",
    ),
    (
        "Improving",
        CHECK,
        "prune and reduce according to whether the static evaluation rose over the last two plies",
        "the field since 2013",
    ),
    (
        "CorrHist",
        ("off", "on", "full"),
        "correct the static evaluation by its past errors with this pawn structure; full: also with these pieces and after "
        "these moves",
        "the field since 2023",
    ),
    ("Razoring", CHECK, "near the leaves and far below alpha, drop into quiescence", "common practice"),
    ("StaticNull", CHECK, "near the leaves and far above beta, return at once (reverse futility pruning)", "common practice"),
    ("Futility", CHECK, "near the leaves and far below alpha, skip quiet moves", "common practice"),
    ("LateMoves", CHECK, "near the leaves, skip quiet moves after the first few (late-move pruning)", "common practice"),
    ("SEEPruning", CHECK, "near the leaves, skip moves that lose material", "common practice"),
    (
        "ProbCut",
        CHECK,
        "cut off when a capture beats beta by a margin in a shallower search",
        "Buro 1995; the field since 2011",
    ),
    (
        "Singular",
        ("off", "on", "double"),
        "a ply more for a hash move that is much better than all others; double: two for one that is better by far, less "
        "depth for one that is not",
        "Anantharaman et al. 1988; the field since 2008",
    ),
    ("Stability", CHECK, "take less time while the best move stays the same, more while the score falls", "common practice"),
    ("NodeShare", CHECK, "take less time when most nodes went into the best move", "the field since 2020"),
    (
        "BadRecord",
        CHECK,
        "near the leaves, skip quiet moves with a bad history (history pruning)",
        "the field since 2016",
    ),
    (
        "UpcomingDraws",
        CHECK,
        "score at least a draw, before the move is made, where a move can repeat a position of this line",
        "van Kervinck 2012; the field since 2018",
    ),
    (
        "FiftyDamping",
        CHECK,
        "the evaluation fades as the count towards the fifty-move rule rises",
        "the field since 2020",
    ),
    (
        "RenewMove",
        CHECK,
        "a result too shallow to replace a deeper table entry still updates its move",
        "common practice",
    ),
    (
        "RenewAge",
        CHECK,
        "a table entry of an earlier search counts as new when it is met again, unless a side is winning",
        "common practice",
    ),
    (
        "Hindsight",
        CHECK,
        "after a reduced move, search a ply more if it cost its side nothing, a ply less if it cost much",
        "the field since 2024",
    ),
    ("NullAtCuts", CHECK, "null move only where a cutoff is expected (at cut nodes)", "the field since 2024"),
    (
        "DeltaExchange",
        CHECK,
        "quiescence skips captures that win nothing where the static evaluation is too low",
        "the field since 2010",
    ),
    (
        "Optimism",
        CHECK,
        "the side ahead at the root evaluates positions higher, most with all men on the board",
        "the field since 2022",
    ),
    (
        "Evaluation",
        ("classical", "network"),
        "hand-written terms with fitted weights, or a network trained on Sortie's own games (NetworkFile)",
        "network: Nasu 2018; docs/network.md",
    ),
)
STATS = ("Stats", CHECK, "print counters as '# stats {json}' after each search", "what gauntlet reads")
PRESET_TEXT = (
    "the engine to play as: one of the old engines, bare, or modern; sets every other switch, later settings override it",
    "the five texts that docs/sources.md names",
)
