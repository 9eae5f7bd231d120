"""What a search may spend, what it says while it runs, what it ends with and what it counted."""

from collections import namedtuple

import cython
from cython import cast

from engine.variant.features import LEVELS, STAGE_NAMES

Limits = namedtuple("Limits", "depth nodes soft_ms hard_ms cpu_clock", defaults=(0, 0, 0, 0, False))
Limits.__doc__ = """What a search may spend: depth in plies, nodes, milliseconds; 0 is no such limit, all 0 is until stop().

With Stability soft_ms stretches and shrinks by how settled the search is; hard_ms is never overrun; equal, they are used
up in full.
"""
Info = namedtuple("Info", "depth seldepth score ms nodes bound pv line", defaults=(1,))
Info.__doc__ = """A line of thinking: score in centipawns (mates 100000 + moves), bound -1 fail low, 0 exact, 1 fail high.

line: 1 for the best root move, 2 for the next one, ...; those of one iteration are reported together, the best first.
"""
Result = namedtuple("Result", "move ponder score depth seldepth nodes qnodes ms pv stats")
Result.__doc__ = """What a search ended with; move is 0 only when no root move was allowed."""

# The one list of names, in the order of the fields of Counters and PickerCounters. A name, and for an array the labels of its
# places: how many there are, or their names, a place without one being left out.
COUNTERS = (
    ("generated", None),
    ("legality_tested", None),
    ("threat_orders", None),
    ("escapes", None),
    ("victims_ordered", None),
    ("exchanges_ordered", None),
    ("exchange_forms", LEVELS["SEEForm"]),
    ("left_out", None),
    ("lists_staged", None),
    ("lists_at_once", None),
    ("lists_tested", None),
    ("lists_selected", None),
    ("lists_sorted", None),
    ("main_nodes", None),
    ("q_nodes", None),
    ("searched", None),
    ("cutoffs", None),
    ("first_move_cutoffs", None),
    ("cut_index", 16),
    ("cut_stage", ("", *STAGE_NAMES[1:], "", "", "")),
    ("pv_moves", None),
    ("table_probes", None),
    ("table_hits", None),
    ("table_cutoffs", None),
    ("pvs_researches", None),
    ("aspiration_fails", None),
    ("null_tried", None),
    ("null_cutoffs", None),
    ("null_verified", None),
    ("threats", None),
    ("lmr_reduced", None),
    ("lmr_researches", None),
    ("check_extensions", None),
    ("q_checks", None),
    ("q_evasions", None),
    ("delta_pruned", None),
    ("fractional_moves", None),
    ("mate_distance_cutoffs", None),
    ("iid_searches", None),
    ("iir_reductions", None),
    ("improving_nodes", None),
    ("corrections", None),
    ("razored", None),
    ("static_null_cutoffs", None),
    ("futility_pruned", None),
    ("late_pruned", None),
    ("see_pruned", None),
    ("probcut_cutoffs", None),
    ("singular_extensions", None),
    ("history_credits", ("", *LEVELS["History"][1:])),
    ("alpha_raise_credits", None),
    ("cont_credits", None),
    ("capture_credits", None),
    ("killer_credits", None),
    ("counter_credits", None),
    ("combo_credits", None),
)


def ranked(fresh, before, count):
    """The best lines found in this iteration, then those of the one before that it has not come to."""
    moves = [line.pv[0] for line in fresh]
    best = sorted(fresh, key=lambda line: -line.score)
    return (best + [line for line in before if line.pv[0] not in moves])[:count]


def places(labels):
    """How many numbers a counter takes up."""
    return 1 if labels is None else labels if isinstance(labels, int) else len(labels)


if 8 * sum(places(labels) for _, labels in COUNTERS) != cython.sizeof(Counters):
    raise AssertionError("COUNTERS and the struct Counters differ")


def counted(total):
    """Every counter by its name: a number, a list, or a number by label."""
    numbers = cast(cython.pointer(U64), total)
    place: cython.int = 0
    i: cython.int
    found = {}
    for name, labels in COUNTERS:
        n: cython.int = places(labels)
        values = [numbers[place + i] for i in range(n)]
        place += n
        if labels is None:
            found[name] = values[0]
        elif isinstance(labels, int):
            found[name] = values
        else:
            found[name] = {label: value for label, value in zip(labels, values) if label}
    return found
