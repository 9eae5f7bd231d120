"""Counters: a technique that is on leaves a trace in the statistics, one that is off leaves none, for every switch."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from positions import KIWIPETE, QUIET, SHARP, search

from engine.variant.features import SWITCHES

FENS = (QUIET[1], QUIET[5], QUIET[8], QUIET[11], SHARP[6], KIWIPETE)
ENDINGS = ("8/8/8/8/4k3/8/4P3/4K2R w - - 0 1", "8/5k1p/p1p5/8/2P2p2/p1bPr2P/K7/4R1R1 w - - 0 41")
MATING = ("r5k1/5ppp/8/8/8/8/3R1PPP/3R2K1 w - - 0 1", "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1")

MODERN, JAZZ, MEDIOCRE, VICKI = ({"Preset": name} for name in ("modern", "jazz", "mediocre", "vicki"))
BARE = {"Preset": "bare", "QSearch": "winning"}
SORTED = {**BARE, "CaptureOrder": "see", "BadCaptures": "last"}
# switch -> (engine to try it in, depth, level -> counters that this level moves and no other level listed does).  A counter
# is a key of the statistics, or key:part of one that has parts.  A level with no counter is the absence of the technique.
TRACES: dict[str, tuple[dict[str, str], int, dict[str, tuple[str, ...]]]] = {
    "PVMoves": (VICKI, 4, {"off": (), "root": ("pv_moves",), "line": ("pv_moves",)}),
    "HashMove": (MODERN, 8, {"off": (), "on": ("cut_stage:HASH",)}),
    "CaptureOrder": (
        {**JAZZ, "QSearch": "every", "BadCaptures": "inplace"},
        4,
        {"generation": (), "mvvlva": ("victims_ordered",), "see": ("exchanges_ordered",)},
    ),
    "SEEForm": (
        JAZZ,
        5,
        {
            "linear": ("exchange_forms:linear",),
            "early-exit": ("exchange_forms:early-exit",),
            "swap": ("exchange_forms:swap",),
        },
    ),
    "Killers": (
        JAZZ,
        6,
        {
            "0": (),
            "1": ("cut_stage:KILLERS", "killer_credits"),
            "2": ("cut_stage:KILLERS", "killer_credits"),
        },
    ),
    "CounterMove": (JAZZ, 6, {"off": (), "on": ("cut_stage:COUNTER", "counter_credits")}),
    "ComboMove": (JAZZ, 6, {"off": (), "on": ("cut_stage:COMBO", "combo_credits")}),
    "History": (
        JAZZ,
        6,
        {
            "off": (),
            "original": ("history_credits:original", "alpha_raise_credits"),
            "quiet": ("history_credits:quiet", "alpha_raise_credits"),
            "gated": ("history_credits:gated",),
            "gravity": ("history_credits:gravity",),
        },
    ),
    "ThreatOrder": (JAZZ, 7, {"off": (), "on": ("threats", "threat_orders")}),
    "Generation": (JAZZ, 5, {"staged": ("lists_staged",), "all": ("lists_at_once",)}),
    "Legality": (JAZZ, 5, {"late": (), "early": ("lists_tested",)}),
    "Choose": (JAZZ, 5, {"selection": ("lists_selected",), "sort": ("lists_sorted",)}),
    "BadCaptures": (
        MEDIOCRE,
        7,
        {"inplace": (), "last": ("cut_stage:BAD_NOISY",), "equal": ("cut_stage:BAD_NOISY",)},
    ),
    "Baseline": (BARE, 3, {"none": (), "random": ("cut_stage:BASELINE",), "worst": ("cut_stage:BASELINE",)}),
    "ContHist": (
        MODERN,
        8,
        {"off": (), "on": ("cont_credits",), "deep": ("cont_credits", "older_continuations")},
    ),
    "CaptHist": (MODERN, 8, {"off": (), "on": ("capture_credits",)}),
    "EscapeOrder": (MODERN, 8, {"off": (), "on": ("escapes",)}),
    "CheckOrder": (MODERN, 8, {"off": (), "on": ("checks_raised",)}),
    "PawnHist": (MODERN, 8, {"off": (), "on": ("pawn_credits",)}),
    "FailLowCredit": (MODERN, 8, {"off": (), "on": ("fail_low_credits",)}),
    "TableCredit": (MODERN, 8, {"off": (), "on": ("table_credits",)}),
    "ReducedCredit": (MODERN, 8, {"off": (), "on": ("reduced_credits",)}),
    "Algorithm": (
        BARE,
        3,
        {"minimax": (), "alphabeta": ("cutoffs",), "pvs": ("cutoffs", "pvs_researches")},
    ),
    "TT": (MODERN, 8, {"off": (), "on": ("table_probes", "table_hits", "table_cutoffs")}),
    "Aspiration": (
        MODERN,
        10,
        {
            "off": (),
            "reset": ("aspiration_fails",),
            "onesided": ("aspiration_fails",),
            "gradual": ("aspiration_fails",),
            "pulled": ("aspiration_fails",),
        },
    ),
    "NullMove": (
        MODERN,
        13,
        {
            "off": (),
            "on": ("null_tried", "null_cutoffs"),
            "verified": ("null_tried", "null_cutoffs", "null_verified"),
        },
    ),
    "CheckExtension": (
        MODERN,
        8,
        {"off": (), "always": ("check_extensions",), "horizon": ("check_extensions",)},
    ),
    "QSearch": (
        {**SORTED, "SEEForm": "swap"},
        4,
        {
            "every": (),
            "winning": ("left_out",),
            "nonlosing": ("left_out",),
            "checks": ("left_out", "q_checks", "cut_stage:CHECKS"),
        },
    ),
    "QEvasions": (MODERN, 8, {"off": (), "on": ("q_evasions",)}),
    "DeltaPruning": (MODERN, 8, {"off": (), "on": ("delta_pruned",)}),
    "DeltaExchange": (MODERN, 8, {"off": (), "on": ("exchange_deltas",)}),
    "Hindsight": (MODERN, 9, {"off": (), "on": ("hindsights",)}),
    "LMR": (
        MODERN,
        8,
        {
            "off": (),
            "oneply": ("lmr_reduced", "lmr_researches"),
            "plain": ("lmr_reduced", "lmr_researches"),
            "table": ("lmr_reduced", "lmr_researches"),
        },
    ),
    "FractionalDepth": (MEDIOCRE, 3, {"off": (), "on": ("fractional_moves",)}),
    "MateDistance": (MODERN, 8, {"off": (), "on": ("mate_distance_cutoffs",)}),
    "InternalSearch": (MEDIOCRE, 6, {"off": (), "iid": ("iid_searches",), "reduce": ("iir_reductions",)}),
    "Improving": (MODERN, 8, {"off": (), "on": ("improving_nodes",)}),
    "CorrHist": (MODERN, 8, {"off": (), "on": ("corrections",), "full": ("corrections",)}),
    "Razoring": (MODERN, 8, {"off": (), "on": ("razored",)}),
    "StaticNull": (MODERN, 8, {"off": (), "on": ("static_null_cutoffs",)}),
    "Futility": (MODERN, 8, {"off": (), "on": ("futility_pruned",)}),
    "LateMoves": (MODERN, 8, {"off": (), "on": ("late_pruned",)}),
    "SEEPruning": (MODERN, 8, {"off": (), "on": ("see_pruned",)}),
    "ProbCut": (MODERN, 9, {"off": (), "on": ("probcut_cutoffs",)}),
    "Singular": (
        MODERN,
        11,
        {"off": (), "on": ("singular_extensions",), "double": ("singular_extensions", "double_extensions")},
    ),
    "BadRecord": (MODERN, 10, {"off": (), "on": ("record_pruned",)}),
    "UpcomingDraws": (MODERN, 9, {"off": (), "on": ("upcoming_draws",)}),
    "FiftyDamping": (MODERN, 9, {"off": (), "on": ("fifty_damped",)}),
    "Optimism": (MODERN, 9, {"off": (), "on": ("optimistic",)}),
}
# Stats changes nothing, Preset is the sum of the others; the rest is seen by iterations, by the clock, by a second search
# (test_threads.py) or by the score (test_network.py).
BY_OTHER_TESTS = ("Preset", "Stats", "Deepening", "Stability", "NodeShare", "RenewAge", "Evaluation")
# Switches whose levels say how, not whether: each level gives another tree.
MANNERS: dict[str, tuple[dict[str, str], int, tuple[str, ...]]] = {
    "CreditWeight": ({"Preset": "winglet"}, 4, ()),
    "IndexBy": ({"Preset": "winglet"}, 4, ()),
    "ContHist": (MODERN, 9, ()),
    "RenewMove": (MODERN, 11, ()),
    "CorrHist": (MODERN, 9, ()),
    "Singular": (MODERN, 11, ()),
    "WindowWidth": (MODERN, 9, ("1", "12", "1000")),
    "NullAtCuts": (MODERN, 9, ()),
    "NullGuard": (JAZZ, 8, ()),
    "NullDepth": (JAZZ, 8, ()),
    "Killers": (JAZZ, 6, ()),
    "BadCaptures": (MEDIOCRE, 7, ()),
    "RefutationsFirst": (JAZZ, 6, ()),
    "PVMoves": (VICKI, 4, ()),
    "Baseline": (BARE, 3, ()),
    "Aspiration": ({**MODERN, "WindowWidth": "5"}, 10, ()),
    "CheckExtension": (MODERN, 8, ()),
    "LMR": (MODERN, 8, ()),
    "QSearch": (SORTED, 4, ()),
}
LEVELS = {switch.name: switch.levels for switch in SWITCHES}


@cache
def _counted(depth: int, levels: tuple[tuple[str, str], ...]) -> tuple[dict[str, int], tuple[int, ...]]:
    totals: dict[str, int] = {}
    nodes = []
    for fen in (*FENS, *ENDINGS, *MATING):
        result = search(fen, depth, nodes=60_000, **dict(levels))
        nodes.append(result.nodes)
        for name, value in result.stats.items():
            parts = (
                {f"{name}:{part}": count for part, count in value.items()} if isinstance(value, dict) else {name: value}
            )
            for key, count in parts.items():
                if isinstance(count, int):
                    totals[key] = totals.get(key, 0) + count
    return totals, tuple(nodes)


def counted(depth: int, levels: Mapping[str, str]) -> dict[str, int]:
    """Every counter summed over searches of middlegames, endings and mates; parts by key:part."""
    return _counted(depth, tuple(levels.items()))[0]


def trees(depth: int, levels: Mapping[str, str]) -> tuple[int, ...]:
    """Nodes of the same searches."""
    return _counted(depth, tuple(levels.items()))[1]


def test_every_switch_and_level_is_covered() -> None:
    """A new switch or level has no test until it stands in one of the tables."""
    for switch in SWITCHES:
        if switch.name in TRACES:
            missing = set(switch.levels) ^ set(TRACES[switch.name][2])
            assert not missing, (
                f"{switch.name}: TRACES and the switch differ in the levels {', '.join(sorted(missing))}"
            )
        else:
            assert switch.name in {*MANNERS, *BY_OTHER_TESTS}, (
                f"{switch.name} is a switch without a trace: add it to TRACES here, with an engine that uses it, a depth and "
                "for each level the counters of `sortie bench --json` that it moves; or to MANNERS when it counts nothing"
            )


@pytest.mark.parametrize(("name", "level"), [(name, level) for name, row in TRACES.items() for level in row[2]])
def test_what_is_on_leaves_a_trace_and_what_is_off_leaves_none(name: str, level: str) -> None:
    engine, depth, counters = TRACES[name]
    found = counted(depth, {**engine, name: level})
    for counter in {counter for group in counters.values() for counter in group}:
        assert (found[counter] > 0) == (counter in counters[level]), (counter, found[counter])


@pytest.mark.parametrize("name", MANNERS)
def test_each_level_has_a_tree_of_its_own(name: str) -> None:
    engine, depth, numbers = MANNERS[name]
    found = {level: trees(depth, {**engine, name: level}) for level in numbers or LEVELS[name]}
    assert len(set(found.values())) == len(found), found


@pytest.mark.parametrize("level", LEVELS["History"])
def test_history_before_captures_by_generation(level: str) -> None:
    """Winglet's mixed stage stands where history is original and captures have no order of their own; nowhere else."""
    found = counted(3, {"Preset": "winglet", "History": level})
    assert (found["cut_stage:MIXED"] > 0) == (level == "original")


@pytest.mark.parametrize("switch", [("Killers", "2"), ("CounterMove", "on"), ("ComboMove", "on")])
def test_remembered_moves_come_before_the_mixed_stage(switch: tuple[str, str]) -> None:
    """A technique added to Winglet's engine is played there, not dropped."""
    name, level = switch
    stage = {"Killers": "KILLERS", "CounterMove": "COUNTER", "ComboMove": "COMBO"}[name]
    assert counted(4, {"Preset": "winglet", name: level})[f"cut_stage:{stage}"] > 0


@pytest.mark.parametrize("algorithm", ["alphabeta", "pvs"])
@pytest.mark.parametrize(
    ("name", "level", "counter", "share"),
    [
        ("TT", "on", "table_cutoffs", 300),
        ("NullMove", "on", "null_cutoffs", 300),
        ("StaticNull", "on", "static_null_cutoffs", 300),
        ("Razoring", "on", "razored", 300),
        ("InternalSearch", "reduce", "iir_reductions", 1000),  # deep nodes are few
    ],
)
def test_selectivity_is_alive_in_both_searches(algorithm: str, name: str, level: str, counter: str, share: int) -> None:
    """Plain alpha-beta has open windows everywhere: none of its nodes is left out as if it were of the principal variation."""
    engine = {**SORTED, "Algorithm": algorithm, "HashMove": "on"}
    found = counted(5, {**engine, name: level})
    assert found[counter] > found["main_nodes"] // share
    assert counted(5, engine)[counter] == 0


def test_deepening() -> None:
    """One iteration for each depth, or one in all."""
    for level, iterations in (("on", 4), ("off", 1)):
        assert (
            len(search(QUIET[3], 4, Preset="bare", QSearch="winning", Deepening=level).stats["iterations"])
            == iterations
        )


def test_root_and_line_differ_in_how_often() -> None:
    """At the root the last line is tried once for each search of the root, along the line at every ply of it."""
    root, line = (search(QUIET[3], 5, Preset="vicki", PVMoves=level).stats for level in ("root", "line"))
    assert root["pv_moves"] == len(root["iterations"]) - 1
    assert line["pv_moves"] > root["pv_moves"]


def test_bare_leaves_no_trace_of_any_technique() -> None:
    stats = search(QUIET[9], 5, Preset="bare").stats
    always = ("iterations", "cut_index", "cut_stage", "seldepth")
    used = {
        name
        for name, value in stats.items()
        if name not in always and (any(value.values()) if isinstance(value, dict) else value)
    }
    work = {"main_nodes", "q_nodes", "generated", "legality_tested", "searched", "lists_staged", "lists_selected"}
    assert used == {*work, "cutoffs", "first_move_cutoffs"}
    assert {stage for stage, value in stats["cut_stage"].items() if value} <= {"NOISY", "QUIETS"}


@pytest.mark.parametrize("preset", LEVELS["Preset"])
def test_the_counters_add_up(preset: str) -> None:
    """Cutoffs by index and by stage are the cutoffs; the first index is the first moves; moves searched make nodes."""
    stats = search(QUIET[4], 4, Preset=preset).stats
    assert sum(stats["cut_index"]) == sum(stats["cut_stage"].values()) == stats["cutoffs"] > 0
    assert stats["cut_index"][0] == stats["first_move_cutoffs"] and len(stats["cut_index"]) == 16
    assert stats["generated"] >= stats["searched"] > 0
    assert stats["table_probes"] >= stats["table_hits"] >= stats["table_cutoffs"]
    assert stats["null_tried"] >= stats["null_cutoffs"]


def test_staging_and_late_legality_save_work() -> None:
    """C13, C14: the same tree, fewer moves generated, fewer tested than generated."""
    planned: dict[str, Any] = {"Preset": "mediocre", "Generation": "staged", "Legality": "late"}
    staged = search(QUIET[4], 7, **planned).stats
    at_once = search(QUIET[4], 7, **{**planned, "Generation": "all"}).stats
    early = search(QUIET[4], 7, **{**planned, "Legality": "early"}).stats
    assert staged["searched"] == at_once["searched"] == early["searched"]
    assert staged["generated"] < at_once["generated"]
    assert staged["legality_tested"] < staged["generated"]
    assert staged["legality_tested"] < early["legality_tested"]
    assert early["legality_tested"] >= early["generated"]
