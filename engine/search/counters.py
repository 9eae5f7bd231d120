"""Counters of a search: summed over threads, and turned into the dict that `# stats` and bench print."""

import cython
from cython import address, cast

from engine.variant.features import LEVELS, STAGE_NAMES

# fmt: off
NAMES = (
    "main_nodes", "q_nodes", "searched", "cutoffs", "first_move_cutoffs", "pv_moves", "table_probes", "table_hits",
    "table_cutoffs", "pvs_researches", "aspiration_fails", "null_tried", "null_cutoffs", "null_verified", "threats",
    "lmr_reduced", "lmr_researches", "check_extensions", "q_checks", "q_evasions", "delta_pruned", "fractional_moves",
    "mate_distance_cutoffs", "iid_searches", "iir_reductions", "improving_nodes", "corrections", "razored",
    "static_null_cutoffs", "futility_pruned", "late_pruned", "see_pruned", "probcut_cutoffs", "singular_extensions",
    "alpha_raise_credits", "cont_credits", "capture_credits", "killer_credits", "counter_credits", "combo_credits",
    "pawn_credits", "fail_low_credits", "table_credits", "reduced_credits", "record_pruned", "double_extensions",
    "multicuts", "searched_deeper", "searched_shallower", "upcoming_draws", "fifty_damped", "optimistic",
    "older_continuations", "tablebase_hits", "hindsights", "exchange_deltas",
)
# fmt: on
SEE_LEVELS = LEVELS["SEEForm"]
HISTORY_LEVELS = LEVELS["History"]
PLACES = cython.sizeof(Counters) // cython.sizeof(U64)

assert PLACES == cython.sizeof(PickerCounters) // cython.sizeof(U64) + 16 + 16 + 5 + len(NAMES), "a name for each number"


def add_counters(total, more):
    """Add one worker's numbers to the sum."""
    sums = cast(cython.pointer(U64), total)
    values = cast(cython.pointer(cython.const[U64]), more)
    i: cython.int
    for i in range(cython.sizeof(Counters) // cython.sizeof(U64)):
        sums[i] += values[i]


def counted(counters):
    """Every counter by name; counters with several parts are lists or dicts."""
    i: cython.int
    picker = address(counters.picker)
    plain = address(counters.main_nodes)
    return {
        **{NAMES[i]: plain[i] for i in range(len(NAMES))},
        "cut_index": [counters.cut_index[i] for i in range(16)],
        "cut_stage": {STAGE_NAMES[i]: counters.cut_stage[i] for i in range(1, STAGES)},
        "history_credits": {HISTORY_LEVELS[i]: counters.history_credits[i] for i in range(1, len(HISTORY_LEVELS))},
        "generated": picker.generated,
        "legality_tested": picker.tested,
        "left_out": picker.left_out,
        "lists_staged": picker.lists_staged,
        "lists_at_once": picker.lists_at_once,
        "lists_tested": picker.lists_tested,
        "lists_selected": picker.lists_selected,
        "lists_sorted": picker.lists_sorted,
        "escapes": picker.escapes,
        "checks_raised": picker.checks_raised,
        "threat_orders": picker.threat_orders,
        "victims_ordered": picker.victims_ordered,
        "exchanges_ordered": picker.exchanges_ordered,
        "exchange_forms": {SEE_LEVELS[i]: picker.exchange_forms[i] for i in range(len(SEE_LEVELS))},
    }
