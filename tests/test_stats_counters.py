"""Counters: a technique that is on leaves a trace in the statistics, one that is off leaves none."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from positions import KIWIPETE, QUIET, SHARP, search

FENS = (QUIET[1], QUIET[5], QUIET[8], QUIET[11], SHARP[6], KIWIPETE)
ENDINGS = ("8/8/8/8/4k3/8/4P3/4K2R w - - 0 1", "8/5k1p/p1p5/8/2P2p2/p1bPr2P/K7/4R1R1 w - - 0 41")
MATING = ("r5k1/5ppp/8/8/8/8/3R1PPP/3R2K1 w - - 0 1", "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1")

# (counter, switches that turn it on, switches that turn it off, depth); stage:X is the count of cutoffs in a stage.
MODERN: dict[str, object] = {"Preset": "modern"}
JAZZ: dict[str, object] = {"Preset": "jazz"}
TECHNIQUES = (
    ("table_probes", MODERN, {"TT": "off"}, 8),
    ("table_hits", MODERN, {"TT": "off"}, 8),
    ("table_cutoffs", MODERN, {"TT": "off"}, 8),
    ("stage:HASH", MODERN, {"HashMove": "off"}, 8),
    ("pv_moves", {"Preset": "vicki"}, {"PVMoves": "off"}, 4),
    ("victims_ordered", MODERN, {"CaptureOrder": "generation"}, 6),
    ("exchanges_ordered", JAZZ, {"CaptureOrder": "mvvlva"}, 5),
    ("lists_sorted", JAZZ, {"Choose": "selection"}, 5),
    ("lists_at_once", JAZZ, {"Generation": "staged"}, 5),
    ("stage:KILLERS", MODERN, {"Killers": "0"}, 8),
    ("killer_credits", MODERN, {"Killers": "0"}, 8),
    ("stage:COUNTER", MODERN, {"CounterMove": "off"}, 8),
    ("counter_credits", MODERN, {"CounterMove": "off"}, 8),
    ("stage:COMBO", JAZZ, {"ComboMove": "off"}, 6),
    ("combo_credits", JAZZ, {"ComboMove": "off"}, 6),
    ("history_credits", MODERN, {"History": "off"}, 8),
    ("cont_credits", MODERN, {"ContHist": "off"}, 8),
    ("capture_credits", MODERN, {"CaptHist": "off"}, 8),
    ("threat_orders", JAZZ, {"ThreatOrder": "off"}, 7),
    ("threats", JAZZ, {"ThreatOrder": "off"}, 7),
    ("stage:BAD_NOISY", {"Preset": "mediocre"}, {"BadCaptures": "inplace"}, 7),
    ("stage:MIXED", {"Preset": "winglet"}, {"History": "off"}, 3),
    ("stage:BASELINE", {"Preset": "moreland", "Baseline": "worst", "QSearch": "winning"}, {"Baseline": "none"}, 3),
    ("pvs_researches", MODERN, {"Algorithm": "alphabeta"}, 8),
    ("aspiration_fails", MODERN, {"Aspiration": "off"}, 10),
    ("null_tried", MODERN, {"NullMove": "off"}, 8),
    ("null_cutoffs", MODERN, {"NullMove": "off"}, 8),
    ("null_verified", {"NullMove": "verified"}, {"NullMove": "on"}, 13),
    ("lmr_reduced", MODERN, {"LMR": "off"}, 8),
    ("lmr_researches", MODERN, {"LMR": "off"}, 8),
    ("check_extensions", MODERN, {"CheckExtension": "off"}, 8),
    ("q_checks", {"QSearch": "checks"}, {"QSearch": "nonlosing"}, 7),
    ("q_evasions", MODERN, {"QEvasions": "off"}, 8),
    ("delta_pruned", MODERN, {"DeltaPruning": "off"}, 8),
    ("fractional_moves", {"Preset": "mediocre", "FractionalDepth": "on"}, {"FractionalDepth": "off"}, 3),
    ("mate_distance_cutoffs", MODERN, {"MateDistance": "off"}, 8),
    ("iid_searches", {"Preset": "mediocre"}, {"InternalSearch": "off"}, 6),
    ("iir_reductions", MODERN, {"InternalSearch": "off"}, 8),
    ("improving_nodes", MODERN, {"Improving": "off"}, 8),
    ("corrections", MODERN, {"CorrHist": "off"}, 8),
    ("razored", MODERN, {"Razoring": "off"}, 8),
    ("static_null_cutoffs", MODERN, {"StaticNull": "off"}, 8),
    ("futility_pruned", MODERN, {"Futility": "off"}, 8),
    ("late_pruned", MODERN, {"LateMoves": "off"}, 8),
    ("see_pruned", MODERN, {"SEEPruning": "off"}, 8),
    ("probcut_cutoffs", MODERN, {"ProbCut": "off"}, 9),
    ("singular_extensions", MODERN, {"Singular": "off"}, 11),
)


def count(name: str, depth: int, levels: Mapping[str, object]) -> int:
    """A counter summed over searches of middlegames, endings and mates."""
    total = 0
    for fen in (*FENS, *ENDINGS, *MATING):
        stats = search(fen, depth, nodes=60_000, **levels).stats
        total += stats["cut_stage"][name[6:]] if name.startswith("stage:") else stats[name]
    return total


@pytest.mark.parametrize(("name", "on", "off", "depth"), TECHNIQUES, ids=[row[0] for row in TECHNIQUES])
def test_on_leaves_a_trace_and_off_leaves_none(name: str, on: dict, off: dict, depth: int) -> None:
    assert count(name, depth, on) > 0
    assert count(name, depth, {**on, **off}) == 0


def test_bare_leaves_no_trace_of_any_technique() -> None:
    stats = search(QUIET[9], 5, Preset="bare").stats
    always = ("iterations", "cut_index", "cut_stage", "seldepth")
    used = {name for name, value in stats.items() if value and name not in always}
    work = {"main_nodes", "q_nodes", "generated", "legality_tested", "searched"}
    assert used == {*work, "cutoffs", "first_move_cutoffs"}
    assert {stage for stage, value in stats["cut_stage"].items() if value} <= {"NOISY", "QUIETS"}


@pytest.mark.parametrize("preset", ["modern", "winglet", "moreland", "jazz", "mediocre", "vicki", "bare"])
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
    planned = {"Preset": "mediocre", "Generation": "staged", "Legality": "late"}
    staged = search(QUIET[4], 7, **planned).stats
    at_once = search(QUIET[4], 7, **{**planned, "Generation": "all"}).stats
    early = search(QUIET[4], 7, **{**planned, "Legality": "early"}).stats
    assert staged["searched"] == at_once["searched"] == early["searched"]
    assert staged["generated"] < at_once["generated"]
    assert staged["legality_tested"] < staged["generated"]
    assert staged["legality_tested"] < early["legality_tested"]
    assert early["legality_tested"] >= early["generated"]
