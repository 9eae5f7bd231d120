"""Cores as /sys tells them, on machines that are not here, and slots that are bound to them."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from fake_engines.runs import begin, experiment
from here import refusal

from harness.model import Limit
from harness.slots import cores
from harness.slots.cores import Core
from harness.spec import reader
from harness.spec.settings import Experiment


def machine(
    root: Path,
    siblings: list[str],
    nodes: dict[int, str] | None = None,
    atoms: str = "",
    capacities: list[int] | None = None,
) -> Path:
    """A /sys tree with these sibling lists by processor."""
    for cpu, text in enumerate(siblings):
        place = root / "devices" / "system" / "cpu" / f"cpu{cpu}"
        (place / "topology").mkdir(parents=True)
        (place / "topology" / "thread_siblings_list").write_text(f"{text}\n")
        if capacities:
            (place / "cpu_capacity").write_text(f"{capacities[cpu]}\n")
    for node, text in (nodes or {}).items():
        place = root / "devices" / "system" / "node" / f"node{node}"
        place.mkdir(parents=True)
        (place / "cpulist").write_text(f"{text}\n")
    if atoms:
        (root / "devices" / "cpu_atom").mkdir(parents=True)
        (root / "devices" / "cpu_atom" / "cpus").write_text(f"{atoms}\n")
    return root


def test_a_list_of_processors() -> None:
    assert cores.numbers("0-2,5,8-9\n") == [0, 1, 2, 5, 8, 9]
    assert cores.numbers("") == cores.numbers("x-y") == []


def test_siblings_are_one_core(tmp_path: Path) -> None:
    root = machine(tmp_path, ["0,4", "1,5", "2,6", "3,7"] * 2)
    assert cores.cores(range(8), root) == [Core((n, n + 4)) for n in range(4)]
    # What this process may not use is nobody's.
    assert cores.cores([0, 1, 5], root) == [Core((0,)), Core((1, 5))]


def test_performance_cores_come_first(tmp_path: Path) -> None:
    root = machine(tmp_path / "intel", ["0", "1", "2-3", "2-3"], atoms="0-1")
    assert cores.cores(range(4), root) == [Core((2, 3), rank=0), Core((0,), rank=1), Core((1,), rank=1)]
    root = machine(tmp_path / "arm", ["0", "1", "2"], capacities=[400, 1024, 1024])
    assert [core.cpus for core in cores.cores(range(3), root)] == [(1,), (2,), (0,)]


def test_the_cores_of_a_node_lie_beside_each_other(tmp_path: Path) -> None:
    root = machine(tmp_path, ["0", "1", "2", "3"], nodes={0: "0,2", 1: "1,3"})
    found = cores.cores(range(4), root)
    assert [(core.cpus, core.node) for core in found] == [((0,), 0), ((2,), 0), ((1,), 1), ((3,), 1)]
    assert [cores.share(found, slot, 2) for slot in range(2)] == [(0, 2), (1, 3)]


def test_where_sys_says_nothing_every_processor_is_a_core(tmp_path: Path) -> None:
    assert cores.cores([0, 3], tmp_path) == [Core((0,)), Core((3,))]


def test_slots_get_whole_cores_of_their_own_while_there_are_enough() -> None:
    found = [Core((n, n + 4)) for n in range(4)]
    shares = [cores.share(found, slot, 1) for slot in range(5)]
    assert shares == [(0, 4), (1, 5), (2, 6), (3, 7), (0, 4)]


@pytest.fixture
def clocked(tmp_path: Path) -> Experiment:
    text = "[engines.a]\ncommand = 'cat'\noptions = { Threads = 2 }\n[engines.b]\ncommand = 'cat'\n"
    found = reader.parse("[experiment]\ntime = '1+0.01'\n" + text, "x.toml", tmp_path, check=False)
    return found


@pytest.mark.parametrize(
    "games, found, ponder, affinity, expected",
    [
        (2, [Core((n,)) for n in range(4)], False, False, []),
        (2, [Core((n,)) for n in range(4)], True, False, ["2 games at a time of 4 threads on 4 processors"]),
        (
            2,
            [Core((0, 1)), Core((2, 3))],
            False,
            False,
            ["2 games at a time of 2 threads on 2 physical cores: slots share"],
        ),
        (3, [Core((0, 1)), Core((2, 3))], False, True, ["3 games at a time of 2 threads on 4 processors"]),
        (1, [Core((0,)), Core((1,), rank=1)], False, True, ["1 cores are fast, 1 are efficiency cores"]),
        (1, [Core((0,)), Core((1,), node=1)], False, True, ["slot 1 has cores of two NUMA nodes"]),
    ],
)
def test_what_is_unfair_is_said(
    clocked: Experiment, games: int, found: list[Core], ponder: bool, affinity: bool, expected: list[str]
) -> None:
    said = cores.warnings(replace(clocked, concurrency=games, ponder=ponder, affinity=affinity), found)
    assert len(said) == len(expected) and all(part in line for part, line in zip(expected, said, strict=True)), said


def test_without_a_clock_nothing_is_unfair(clocked: Experiment) -> None:
    players = tuple(replace(player, limit=Limit(nodes=5)) for player in clocked.players)
    assert cores.warnings(replace(clocked, players=players, concurrency=99), [Core((0,))]) == []


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processes cannot be bound here")
def test_engines_are_bound_from_their_first_moment(tmp_path: Path) -> None:
    head = "[experiment]\ngames = 200\nmax_moves = 6\npatience = 60.0\ndepth = 3\nconcurrency = 2\naffinity = true\n"
    pids = tmp_path / "pids"
    words = f"pids={pids} pace=0.02"
    run = begin("run", experiment(tmp_path, head, a=words, b=f"uci {words}"), "--out", tmp_path / "out")
    found = cores.cores(cores.allowed())
    wanted = {cores.share(found, slot, 1) for slot in range(2)}
    seen: set[tuple[int, ...]] = set()
    try:
        deadline = time.monotonic() + 60
        while seen != wanted and time.monotonic() < deadline:
            for word in pids.read_text().split() if pids.exists() else []:
                try:
                    seen.add(tuple(sorted(psutil.Process(int(word)).cpu_affinity() or ())))
                except psutil.Error:
                    pass
            assert seen <= wanted
            time.sleep(0.05)
        assert seen == wanted
    finally:
        run.terminate()
        run.wait(timeout=60)


def test_affinity_does_not_go_with_a_cluster(tmp_path: Path) -> None:
    spec = experiment(tmp_path, "[experiment]\ndepth = 3\naffinity = true\n", a="seed=1", b="uci seed=2")
    told = refusal("run", spec, "--cluster", "local:1", "--out", tmp_path / "out")
    assert told.startswith("affinity = true does not go with --cluster")
    assert not (tmp_path / "out").exists()
