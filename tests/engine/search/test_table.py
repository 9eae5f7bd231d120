"""The transposition table: what is stored comes back, old and shallow entries give way, sizes stay in the budget."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from native import ROOT
from positions import KIWIPETE, QUIET, START, features

from engine.board.game import Game
from engine.evaluation.terms import evaluate_terms
from engine.model import Limits
from engine.search.threads import Searcher

UPPER, LOWER, EXACT = 1, 2, 3

KEYS = st.integers(0, 2**64 - 1)


@given(KEYS, st.integers(0, 65535), st.integers(-30000, 30000), st.integers(-30000, 30000), st.integers(0, 127))
def test_what_is_stored_comes_back(
    probe_class: SimpleNamespace, key: int, move: int, score: int, value: int, depth: int
) -> None:
    table = probe_class.table()
    for bound in (UPPER, LOWER, EXACT):
        for pv in (False, True):
            table.wipe()
            table.store(key, 5, move, score, value, depth, bound, pv)
            assert table.probe(key, 9) == (move, score, value, depth, bound, pv)
            assert table.probe(key ^ 1 << 40, 5) is None


@given(KEYS, st.integers(1, 100), st.integers(0, 60), st.integers(0, 60))
def test_mate_scores_are_kept_from_their_own_position(
    probe_class: SimpleNamespace, key: int, plies: int, here: int, there: int
) -> None:
    """A mate n plies below the entry is n plies below it wherever the position is met."""
    table, mate = probe_class.table(), probe_class.limits["MATE"]
    table.wipe()
    table.store(key, here, 1, mate - here - plies, 0, 3, EXACT, False)
    assert table.probe(key, there)[1] == mate - there - plies
    table.store(key, here, 1, -(mate - here - plies), 0, 3, EXACT, False)
    assert table.probe(key, there)[1] == -(mate - there - plies)


def test_a_known_move_survives_a_result_without_one(probe_class: SimpleNamespace) -> None:
    table = probe_class.table()
    table.wipe()
    table.store(99, 0, 1234, 10, 5, 4, EXACT, False)
    table.store(99, 0, 0, -20, 5, 6, UPPER, False)
    assert table.probe(99, 0)[:2] == (1234, -20)


def test_much_deeper_knowledge_is_kept_within_a_search(probe_class: SimpleNamespace) -> None:
    table = probe_class.table()
    table.wipe()
    table.store(99, 0, 7, 10, 5, 20, LOWER, False)
    table.store(99, 0, 8, 30, 5, 2, LOWER, False)
    assert table.probe(99, 0)[3] == 20
    table.next_search()
    table.store(99, 0, 8, 30, 5, 2, LOWER, False)
    assert table.probe(99, 0)[3] == 2


def test_with_renewed_moves_deeper_knowledge_keeps_all_but_its_move(probe_class: SimpleNamespace) -> None:
    table = probe_class.table()
    table.wipe()
    for on, move in ((False, 7), (True, 8)):
        table.renew_moves(on)
        table.store(99, 0, 7, 10, 5, 20, LOWER, False)
        table.store(99, 0, 8, 30, 5, 2, LOWER, False)
        assert table.probe(99, 0) == (move, 10, 5, 20, LOWER, False)


def test_with_renewed_age_an_entry_met_again_is_kept_like_one_of_this_search(probe_class: SimpleNamespace) -> None:
    """Unless a side is winning: the scores of such entries fade as the fifty moves pass."""
    table = probe_class.table()
    for on, score, depth in ((False, 10, 2), (True, 10, 20), (True, -399, 20), (True, 400, 2), (True, -2000, 2)):
        table.wipe()
        table.renew_age(on)
        table.store(99, 0, 7, score, 5, 20, LOWER, True)
        table.next_search()
        assert table.probe(99, 0) == (7, score, 5, 20, LOWER, True)
        table.store(99, 0, 8, 30, 5, 2, LOWER, False)
        assert table.probe(99, 0)[3] == depth


def bucket_mates(table: Any, count: int) -> list[int]:
    """Keys of one bucket."""
    return [(i + 1) << 40 | 17 for i in range(count)]


def test_the_shallowest_gives_way(probe_class: SimpleNamespace) -> None:
    table, ways = probe_class.table(), probe_class.limits["WAYS"]
    table.wipe()
    keys = bucket_mates(table, ways + 1)
    for depth, key in enumerate(keys[:ways], 3):
        table.store(key, 0, 1, 0, 0, depth, EXACT, False)
    table.store(keys[ways], 0, 1, 0, 0, 1, EXACT, False)
    assert [table.probe(key, 0) is None for key in keys] == [True] + [False] * ways


def test_old_entries_give_way_before_shallow_ones(probe_class: SimpleNamespace) -> None:
    table, ways = probe_class.table(), probe_class.limits["WAYS"]
    table.wipe()
    keys = bucket_mates(table, ways + 1)
    table.store(keys[0], 0, 1, 0, 0, 9, EXACT, False)
    table.next_search()
    table.next_search()
    for key in keys[1:ways]:
        table.store(key, 0, 1, 0, 0, 2, EXACT, False)
    table.store(keys[ways], 0, 1, 0, 0, 2, EXACT, False)
    assert table.probe(keys[0], 0) is None and all(table.probe(key, 0) for key in keys[1:])


def test_a_torn_entry_is_not_believed(probe_class: SimpleNamespace) -> None:
    """Keys that share a bucket but differ in the upper half never answer for each other."""
    table = probe_class.table()
    table.wipe()
    chance = random.Random(2)
    for _ in range(5000):
        table.store(chance.getrandbits(64), 0, 1, 0, 0, 5, EXACT, False)
    assert not any(table.probe(chance.getrandbits(64), 0) for _ in range(5000))


@pytest.mark.parametrize("mebibytes", [1, 2, 3, 16, 33])
def test_size_is_within_the_budget_and_more_than_half_of_it(probe: ModuleType, mebibytes: int) -> None:
    table = probe.TableProbe(mebibytes)
    assert mebibytes * 2**19 < table.size() <= mebibytes * 2**20
    assert table.bucket_size() == 64 and table.bucket_mask() & (table.bucket_mask() + 1) == 0


def test_permille(probe: ModuleType) -> None:
    table = probe.TableProbe(1)
    assert table.permille() == 0
    chance = random.Random(1)
    for _ in range(200_000):
        table.store(chance.getrandbits(64), 0, 1, 0, 0, 5, EXACT, False)
    assert table.permille() > 900
    table.next_search()
    assert table.permille() == 0


def test_a_search_fills_and_clear_empties_it() -> None:
    searcher = Searcher(1)
    assert searcher.hash_full() == 0
    searcher.search(Game(START), features(), Limits(depth=9))
    assert searcher.hash_full() > 0
    searcher.clear()
    assert searcher.hash_full() == 0


def test_a_table_that_is_too_large_is_refused_and_the_old_one_kept() -> None:
    searcher = Searcher(1)
    with pytest.raises(MemoryError):
        searcher.set_memory(2**30)
    assert searcher.search(Game(START), features(), Limits(depth=5)).depth == 5
    searcher.set_memory(4)
    assert searcher.search(Game(START), features(), Limits(depth=5)).depth == 5


def test_the_table_keeps_the_evaluation_as_it_was_before_correction(probe: ModuleType) -> None:
    """Whoever stores, ProbCut too: a corrected evaluation would be corrected once more when it is met again."""
    chosen = features(CorrHist="full", ProbCut="on", FiftyDamping="off")
    compared = probcuts = corrections = 0
    for fen in (KIWIPETE, *QUIET[:6]):
        searcher = Searcher(8)
        stats = searcher.search(Game(fen), chosen, Limits(nodes=60_000)).stats
        probcuts += stats["probcut_cutoffs"]
        corrections += stats["corrections"]
        for first in Game(fen).legal_moves():
            for second in after(fen, first).legal_moves():
                game = after(fen, first, second)
                known = probe.remembered(searcher, game)
                if known is not None and known[1] != probe.limits()["NO_SCORE"]:
                    compared += 1
                    assert known[1] == evaluate_terms(game)["score"], game.fen()
    assert compared > 500 and probcuts > 100 and corrections > 1000


def after(fen: str, *moves: int) -> Game:
    game = Game(fen)
    for move in moves:
        game.push(move)
    return game


@pytest.mark.skipif(sys.platform == "win32", reason="needs a compiler that knows -fstrict-aliasing")
def test_it_is_the_same_under_strict_aliasing(tmp_path: Path) -> None:
    """A packager's flags (SORTIE_CFLAGS) may leave out -fno-strict-aliasing: a search must not depend on it."""
    copy = tmp_path / "engine"
    shutil.copytree(ROOT / "engine", copy, ignore=shutil.ignore_patterns("__pycache__", "*.c", "*.pxd"))
    target = copy / "search" / f"table{sysconfig.get_config_var('EXT_SUFFIX')}"
    source = ROOT / "build" / "cython" / "engine" / "search" / "table.c"
    compiler = sysconfig.get_config_var("LDSHARED").split()
    flags = ["-fPIC", "-O3", "-fstrict-aliasing", "-DCYTHON_WITHOUT_ASSERTIONS=1", "-D_GNU_SOURCE"]
    include = ["-I", sysconfig.get_path("include")]
    subprocess.run([*compiler, *flags, *include, str(source), "-o", str(target)], check=True, capture_output=True)
    nodes = set()
    for folder in (ROOT, tmp_path):
        command = [sys.executable, "-m", "engine", "bench", "--depth", "9"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        nodes.add(done.stdout.splitlines()[-1].split()[0])
    assert len(nodes) == 1
