"""The cores of this machine and how slots share them: SMT siblings, NUMA nodes, performance and efficiency cores.

Read from /sys (Linux); without it every processor counts as a core of its own, all on one node and of the same kind.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import BadInput
from harness.spec.settings import Experiment

SYS = Path("/sys")


@dataclass(frozen=True, slots=True)
class Core:
    """A physical core: its processors (more than one with SMT), its NUMA node, and the rank of its kind.

    `rank` is 0 for the fastest kind, 1 for the next: efficiency cores come after performance cores.
    """

    cpus: tuple[int, ...]
    node: int = 0
    rank: int = 0


def numbers(text: str) -> list[int]:
    """The processors in a list in the kernel's form, such as `0-3,8`; none for other text."""
    found: list[int] = []
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last.isdecimal() or not last):
            found += range(int(first), int(last or first) + 1)
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def allowed() -> list[int]:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def cores(cpus: Collection[int], root: Path = SYS) -> list[Core]:
    """The physical cores of these processors, fast ones first, those of a NUMA node together."""
    devices = root / "devices"
    nodes = {
        cpu: int(path.name.removeprefix("node"))
        for path in sorted((devices / "system" / "node").glob("node[0-9]*"))
        for cpu in numbers(_text(path / "cpulist"))
    }
    slow = set(numbers(_text(devices / "cpu_atom" / "cpus")))  # Intel's efficiency cores
    groups: dict[tuple[int, ...], list[int]] = {}
    speeds: dict[int, int] = {}
    for cpu in sorted(cpus):
        place = devices / "system" / "cpu" / f"cpu{cpu}"
        siblings = numbers(_text(place / "topology" / "thread_siblings_list")) or [cpu]
        groups.setdefault(tuple(siblings), []).append(cpu)
        capacity = _text(place / "cpu_capacity")  # ARM's big and little cores
        speeds[cpu] = -1 if cpu in slow else int(capacity) if capacity.isdecimal() else 0
    kinds = sorted({speeds[group[0]] for group in groups.values()}, reverse=True)
    found = [Core(tuple(own), nodes.get(own[0], 0), kinds.index(speeds[own[0]])) for own in groups.values()]
    return sorted(found, key=lambda core: (core.rank, core.node, core.cpus))


def need(experiment: Experiment) -> int:
    """How many cores a game keeps busy: one for each thread of the side to move, or of both sides if they ponder."""
    return max(player.threads for player in experiment.players) * (2 if experiment.ponder else 1)


def share(found: Sequence[Core], number: int, each: int) -> tuple[int, ...]:
    """The processors of a slot: `each` whole cores, shared with no other slot while there are enough."""
    count = len(found)
    return tuple(sorted({cpu for n in range(each) for cpu in found[(number * each + n) % count].cpus}))


def warnings(experiment: Experiment, found: Sequence[Core]) -> list[str]:
    """A line for each way in which so many games at a time are unfair on these cores; none if the games have no clock."""
    clocked = any(player.limit.timed for player in experiment.players)
    if not clocked and not experiment.affinity:
        return []
    games, each = experiment.concurrency, need(experiment)
    busy, cpus = games * each, sum(len(core.cpus) for core in found)
    what = f"{games} games at a time" + (f" of {each} threads" if each > 1 else "")
    said = []
    if busy > cpus:
        said.append(f"{what} on {cpus} processors: engines wait for each other, and their clocks run meanwhile")
    elif busy > len(found):
        said.append(f"{what} on {len(found)} physical cores: slots share a core, and moves take longer at random")
    if experiment.affinity and busy <= len(found):
        used = found[:busy]
        if len({core.rank for core in used}) > 1:
            fast = sum(core.rank == 0 for core in used)
            said.append(f"{what}: {fast} cores are fast, {busy - fast} are efficiency cores, whose games are slower")
        for slot in range(games):
            if len({core.node for core in used[slot * each : (slot + 1) * each]}) > 1:
                said.append(f"slot {slot + 1} has cores of two NUMA nodes")
                break
    return said


def refuse_without_binding() -> None:
    """Raises BadInput if a process cannot be bound to cores on this system."""
    if not hasattr(os, "sched_setaffinity"):
        raise BadInput("affinity = true: this system has no way to bind a process to cores")
