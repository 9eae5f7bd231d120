"""The switches as rows: every technique of order and selectivity with its levels, what it does, and where it comes from."""

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
        ("fromto", "pieceto", "threats"),
        "history index: origin and goal, piece and goal, or origin and goal and whether the enemy attacks either",
        "fromto: Winglet; pieceto: Sjaak II; threats: the field since 2022",
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
        "RefutationsFirst",
        CHECK,
        "killers, counter and combo moves before any capture, winning ones included",
        "what Mediocre's blog, 19 March 2007, argues against (C15)",
    ),
    (
        "Baseline",
        ("none", "random", "worst"),
        "orders to compare with: none switches this off, random, worst first; quiescence included",
        "Winglet: what a ply costs in bad and in good order (C2)",
    ),
    (
        "ContHist",
        ("off", "on", "deep"),
        "history of a quiet move given a move before it: one and two plies back; deep: four and six as well",
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
        "move a piece that a lesser one attacks, to where none does, before other quiet moves",
        "the field since 2020; successor of the null move's threat",
    ),
    (
        "CheckOrder",
        CHECK,
        "quiet moves that give check directly come earlier among the quiet ones",
        "the field since 2022",
    ),
    (
        "PawnHist",
        CHECK,
        "history of a quiet move given the pawn structure",
        "the field since 2023",
    ),
    (
        "FailLowCredit",
        CHECK,
        "the enemy's quiet move that left us nothing good is credited in the histories",
        "the field since 2016",
    ),
    (
        "TableCredit",
        CHECK,
        "a quiet move that cuts off by the table alone is credited in the histories",
        "the field since 2016",
    ),
    (
        "ReducedCredit",
        CHECK,
        "a quiet move that was reduced and searched again is credited or debited by what that showed",
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
    ("Deepening", ("off", "on"), "iterate depth 1, 2, 3 ..., or search the given depth at once", "Winglet (C1)"),
    ("TT", CHECK, "transposition table: cutoffs and the hash move", "Mediocre, Jazz"),
    (
        "Aspiration",
        ("off", "reset", "onesided", "gradual", "pulled"),
        "window around the last score; on failure reopen both sides, one side, or widen step by step; pulled: with the "
        "other side drawn near after a fail low, and a ply less after a fail high",
        "reset, onesided: Moreland's 'Aspiration windows'; gradual, pulled: Weiss, Stockfish (C5, C6)",
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
        ("off", "on", "full"),
        "correct the static evaluation by how far search differed from it on this pawn structure; full: and on these pieces "
        "and after these moves",
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
        ("off", "on", "double"),
        "one ply more for a hash move that is much better than all others; double: two for one that is better by far, less "
        "for one that is not",
        "Anantharaman et al. 1988; the field since 2008",
    ),
    ("Stability", CHECK, "less time for a best move that stands, more while the score falls", "common practice"),
    ("NodeShare", CHECK, "less time when most nodes went into the best move", "the field since 2020"),
    (
        "BadRecord",
        CHECK,
        "near the leaves, leave out quiet moves that the histories speak against",
        "the field since 2016",
    ),
    (
        "UpcomingDraws",
        CHECK,
        "a move that repeats a position of this line is as good as a draw before it is made",
        "van Kervinck 2012; the field since 2018",
    ),
    (
        "FiftyDamping",
        CHECK,
        "the evaluation fades as the fifty moves without pawn move or capture pass",
        "the field since 2020",
    ),
    (
        "RenewMove",
        CHECK,
        "a bound too shallow to replace a deeper one in the table still renews its move",
        "common practice",
    ),
    (
        "RenewAge",
        CHECK,
        "an entry of an earlier search that is met again counts as one of this search, unless a side is winning",
        "common practice",
    ),
    (
        "Hindsight",
        CHECK,
        "after a reduced move a ply more if it has cost its side nothing, a ply less if it has cost much",
        "the field since 2024",
    ),
    ("NullAtCuts", CHECK, "null move only where a cutoff is expected", "the field since 2024"),
    (
        "DeltaExchange",
        CHECK,
        "quiescence leaves out captures that win nothing where the evaluation itself is too low",
        "the field since 2010",
    ),
    (
        "Optimism",
        CHECK,
        "the side that is ahead at the root expects more, most while all men are on the board",
        "the field since 2022",
    ),
    (
        "Evaluation",
        ("classical", "network"),
        "terms with fitted weights, or a network learnt from Sortie's own games (NetworkFile)",
        "network: Nasu 2018; docs/network.md",
    ),
)
STATS = ("Stats", CHECK, "print counters as '# stats {json}' after each search", "what gauntlet reads")
PRESET_TEXT = (
    "the engine to play as: that of a founding text, bare or modern; sets every other switch, later settings override",
    "the five texts that docs/sources.md names",
)
