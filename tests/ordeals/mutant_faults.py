"""The faults that mutants.py puts into the engine, by what the tests promise, each with the test that must catch it."""

from __future__ import annotations

from dataclasses import dataclass

EQUALITIES = "tests/engine/search/test_equalities.py::"
TRACE = "tests/engine/search/test_stats_counters.py::test_what_is_on_leaves_a_trace_and_what_is_off_leaves_none"
SEE = "tests/engine/board/test_see.py::"
MOVEGEN = "tests/engine/board/test_movegen.py::"


@dataclass(frozen=True)
class Fault:
    """`old`, which stands in `file` exactly once, becomes `new`; pytest's `test` must then fail."""

    name: str
    file: str
    old: str
    new: str
    test: str
    why: str


FAULTS = (
    # Equal node totals.
    Fault(
        "sort-leaves-two-unsorted",
        "engine/ordering/picker.py",
        "    for i in range(p.begin + 1, p.end):\n        key = p.keys[i]",
        "    for i in range(p.begin + 2, p.end):\n        key = p.keys[i]",
        EQUALITIES + "test_same_tree[Choose-levels0-modern]",
        "selection = sort: a sort that forgets the first pair",
    ),
    Fault(
        "ties-lose-their-order",
        "engine/ordering/picker.pxd",
        "p.keys[i] = <I64>key * 256 + (255 - (i - p.begin))",
        "p.keys[i] = <I64>key * 256",
        EQUALITIES + "test_same_tree[Choose-levels0-winglet]",
        "selection = sort: without the generation index a swap changes the order of equals",
    ),
    Fault(
        "stages-overwrite-deferred-captures",
        "engine/ordering/picker.py",
        "    p.begin = p.bad_end\n    p.end = generate(",
        "    p.begin = 0\n    p.end = generate(",
        EQUALITIES + "test_same_tree[Generation-levels1-mediocre]",
        "staged = all: a later stage's list lands on the captures that wait",
    ),
    Fault(
        "pinned-pieces-stand-still",
        "engine/board/movegen.py",
        "return not pos.pinned & bit(origin) or (line_through(king, origin) & bit(target)) != 0",
        "return not pos.pinned & bit(origin)",
        EQUALITIES + "test_same_tree[Legality-levels2-modern]",
        "late = early legality: the late test refuses moves along the pin",
    ),
    Fault(
        "king-steps-seen-from-white",
        "engine/board/movegen.py",
        "    reach = view(king_attacks(king) & targets, side)\n    while reach:\n        target = lsb(reach) ^ flip",
        "    reach = king_attacks(king) & targets\n    while reach:\n        target = lsb(reach)",
        EQUALITIES + "test_twins_cost_the_same_nodes",
        "mirrored positions: one list is generated from White's side of the board",
    ),
    Fault(
        "random-order-knows-colours",
        "engine/ordering/picker.py",
        "flip: cython.int = (56 | 56 << 6) if p.pos.side else 0",
        "flip: cython.int = 0",
        EQUALITIES + "test_twins_cost_the_same_in_the_baseline_orders[random]",
        "mirrored positions: the random order mixes squares, not squares as the mover sees them",
    ),
    Fault(
        "table-outlives-clear",
        "engine/search/threads.py",
        "        wipe(address(self.table))\n",
        "",
        EQUALITIES + "test_twice_the_same_run",
        "twice the same run: clear() leaves the transposition table",
    ),
    Fault(
        "history-outlives-clear",
        "engine/ordering/history.py",
        "    memset(m, 0, cython.sizeof(Memory))",
        "    memset(m, 0, cython.sizeof(Memory) // 2)",
        EQUALITIES + "test_twice_the_same_run",
        "twice the same run: clear() empties half of the histories",
    ),
    Fault(
        "random-order-is-not-reseeded",
        "engine/search/worker.py",
        "    w.random = cast(U64, 0x9E3779B97F4A7C15)\n",
        "    w.random += cast(U64, 0x9E3779B97F4A7C15)\n",
        EQUALITIES + "test_random_order_is_the_same_order_in_each_search",
        "twice the same run: the generator goes on from search to search",
    ),
    Fault(
        "stats-switch-off-the-check-extension",
        "engine/variant/features.py",
        "            self.stats = number != 0\n",
        "            self.stats = number != 0\n            if self.stats:\n                self.selectivity.check_extension = 0\n",
        EQUALITIES + "test_same_tree[Stats-levels3-jazz]",
        "Stats on = off: measuring changes what is measured",
    ),
    # Equal root scores, bounds inside.
    Fault(
        "pvs-believes-its-null-window",
        "engine/search/alphabeta.py",
        "if pv_node and (count == 1 or (score > alpha and (root or score < beta))):",
        "if pv_node and count == 1:",
        EQUALITIES + "test_pvs_and_alphabeta_agree_deeper",
        "minimax = pvs: the score of a zero window is taken for exact",
    ),
    Fault(
        "alphabeta-asks-for-more-than-alpha",
        "engine/search/alphabeta.py",
        "            if score > alpha:\n                score = -alphabeta(w, ply + 1, -beta, -alpha, remaining, False)\n"
        "        else:",
        "            if score > alpha:\n                score = -alphabeta(w, ply + 1, -beta, -alpha - 20, remaining, False)\n"
        "        else:",
        EQUALITIES + "test_one_score_where_pieces_hang",
        "minimax = alphabeta: moves a little better than alpha are lost",
    ),
    Fault(
        "fail-hard",
        "engine/search/alphabeta.py",
        "    best: cython.int = -INFINITE\n    best_move: Move = NO_MOVE\n    start_alpha",
        "    best: cython.int = -INFINITE if minimax else alpha\n    best_move: Move = NO_MOVE\n    start_alpha",
        EQUALITIES + "test_bounds_inside_the_tree[full-alphabeta]",
        "fail-soft: no result below alpha any more",
    ),
    Fault(
        "stand-pat-raises-alpha-too-far",
        "engine/search/quiescence.py",
        "            if best > alpha:\n                alpha = best\n        base",
        "            if best > alpha:\n                alpha = best + 150\n        base",
        EQUALITIES + "test_bounds_inside_the_tree[generation-pvs]",
        "fail-soft: an upper bound that the capture of a pawn passes",
    ),
    # Exchange evaluation.
    Fault(
        "linear-counts-backwards",
        "engine/board/see.py",
        "        value += -gain[i] if i & 1 else gain[i]\n    return value",
        "        value += gain[i] if i & 1 else -gain[i]\n    return value",
        SEE + "test_worked_examples",
        "worked examples, linear form: the signs of the sum",
    ),
    Fault(
        "early-exit-never-at-the-end",
        "engine/board/see.py",
        "if (i & 1 or i == n - 1) and value > best:",
        "if (i & 1 or n == 1) and value > best:",
        SEE + "test_worked_examples",
        "worked examples, early-exit form: the end of the list is a place to stop too",
    ),
    Fault(
        "swap-cannot-stop",
        "engine/board/see.py",
        "value = gain[i] - (value if value > 0 else 0)",
        "value = gain[i] - value",
        SEE + "test_worked_examples",
        "worked examples, swap form: nobody may decline",
    ),
    Fault(
        "no-bishop-behind-a-pawn",
        "engine/board/see.py",
        "if piece == PAWN or piece == BISHOP or piece == QUEEN:",
        "if piece == BISHOP or piece == QUEEN:",
        SEE + "test_swap_is_the_minimax_over_captures",
        "exchange values: a slider behind the pawn that took joins in",
    ),
    Fault(
        "early-exit-keeps-the-last",
        "engine/board/see.py",
        "if (i & 1 or i == n - 1) and value > best:",
        "if i & 1 or i == n - 1:",
        SEE + "test_relations_between_the_forms",
        "early-exit >= swap: the last prefix instead of the best",
    ),
    Fault(
        "threshold-counts-a-tie-for-the-wrong-side",
        "engine/board/see.py",
        "        if balance < good:\n",
        "        if balance < 0:\n",
        SEE + "test_every_threshold",
        "see_ge consistent: exactly the threshold is enough",
    ),
    Fault(
        "threshold-lets-the-king-walk-into-check",
        "engine/board/see.py",
        "return good if attackers & pos.colour[side ^ 1] else not good",
        "return not good",
        SEE + "test_every_threshold",
        "see_ge consistent: a king takes only what nothing guards",
    ),
    # Codes of moves.
    Fault(
        "promotion-bits-are-ignored",
        "engine/board/movegen.py",
        "    if kind != PROMOTION and move & (3 << 12):\n        return False\n",
        "",
        MOVEGEN + "test_is_pseudo_legal_in_sharp_positions",
        "is_pseudo_legal for all codes: three more codes for each plain move",
    ),
    Fault(
        "pawns-jump",
        "engine/board/movegen.py",
        "        return target == origin + 2 * step and relative_rank(origin, side) == 1 and pos.board[origin + step] == NO_PIECE",
        "        return target == origin + 2 * step and relative_rank(origin, side) == 1",
        MOVEGEN + "test_is_pseudo_legal_in_sharp_positions",
        "is_pseudo_legal for all codes: a double step through a piece",
    ),
    # Counters: on leaves some, off leaves none.
    Fault(
        "killers-leave-no-trace",
        "engine/search/worker.py",
        "        remember_killer(m, o, ply, move)\n        w.counters.killer_credits += 1\n",
        "        remember_killer(m, o, ply, move)\n",
        TRACE + "[Killers-2]",
        "counters: a technique that is on is not counted",
    ),
    Fault(
        "see-form-is-not-heard",
        "engine/ordering/picker.py",
        "    form = o.see_form\n",
        "    form = SEE_SWAP\n",
        TRACE + "[SEEForm-linear]",
        "counters: a level that changes nothing",
    ),
    Fault(
        "aspiration-is-not-counted",
        "engine/search/alphabeta.py",
        "        w.counters.aspiration_fails += 1\n",
        "",
        TRACE + "[Aspiration-reset]",
        "counters: re-searches at the root",
    ),
    Fault(
        "counter-moves-although-off",
        "engine/search/worker.py",
        "    if o.counter and ply >= 1 and w.frames[ply - 1].move:",
        "    if ply >= 1 and w.frames[ply - 1].move:",
        TRACE + "[CounterMove-off]",
        "counters: a technique that is off still works",
    ),
    Fault(
        "null-move-although-off",
        "engine/search/alphabeta.py",
        "            s.null_move\n            and frame.null_allowed",
        "            frame.null_allowed",
        TRACE + "[NullMove-off]",
        "counters: a technique that is off still prunes",
    ),
    Fault(
        "table-although-off",
        "engine/search/alphabeta.py",
        "    if s.tt and not excluded:\n        look_up(",
        "    if not excluded:\n        look_up(",
        TRACE + "[TT-off]",
        "counters: the table is asked although it is off",
    ),
    Fault(
        "check-extension-although-off",
        "engine/search/alphabeta.py",
        "    if in_check and s.check_extension and ply and",
        "    if in_check and ply and",
        TRACE + "[CheckExtension-off]",
        "counters: depth is added although nobody asked",
    ),
    Fault(
        "reductions-although-off",
        "engine/search/alphabeta.py",
        "        if s.lmr >= LMR_PLAIN:\n            reduction = w.reductions",
        "        if s.lmr != LMR_ONEPLY:\n            reduction = w.reductions",
        TRACE + "[LMR-off]",
        "counters: depth is taken although nobody asked",
    ),
    # Baseline orders.
    Fault(
        "worst-order-takes-queens-first",
        "engine/ordering/picker.py",
        "key = -16 * see_value[captured_kind(pos, move)] - 16 + (pos.board",
        "key = 16 * see_value[captured_kind(pos, move)] - 16 + (pos.board",
        EQUALITIES + "test_better_orders_cost_less",
        "worst > random: the worst order is not bad",
    ),
    Fault(
        "captures-worst-first",
        "engine/ordering/picker.py",
        "set_key(p, i, see(pos, p.moves[i], form))",
        "set_key(p, i, -see(pos, p.moves[i], form))",
        EQUALITIES + "test_better_orders_cost_less",
        "generation > full: the exchange value orders the wrong way round",
    ),
    Fault(
        "random-order-takes-captures-first",
        "engine/ordering/picker.py",
        "set_key(p, i, cython.cast(cython.int, mixed >> 40))",
        "set_key(p, i, cython.cast(cython.int, mixed >> 40) + (1 << 25) * is_noisy(p.pos, p.moves[i]))",
        EQUALITIES + "test_better_orders_branch_less",
        "branching below 0.65 of random's: the random order is not random",
    ),
    # Recorded benches.
    Fault(
        "winglet-credits-no-raise",
        "engine/search/alphabeta.py",
        "        credit_raise(w, ply, best_move, plies)\n",
        "        pass\n",
        "tests/engine/search/test_bench_signatures.py::test_bench_of_each_preset[winglet]",
        "preset benches: half of Winglet's history rule is gone",
    ),
    Fault(
        "vicki-plays-the-swap-list",
        "engine/variant/presets.py",
        '        "SEEForm": "early-exit",\n',
        '        "SEEForm": "swap",\n',
        "tests/engine/search/test_bench_signatures.py::test_bench_of_each_preset[vicki]",
        "preset benches: one level of one preset",
    ),
    # The debug build.
    Fault(
        "index-of-late-cutoffs-runs-over",
        "engine/search/worker.pxd",
        "cut_index[count - 1 if count <= 15 else 15] += 1",
        "cut_index[count - 1] += 1",
        "tests/engine/test_build_debug.py::test_every_level_of_every_switch_survives_random_searches",
        "200 searches in the debug build: a write past the end of an array",
    ),
)
