"""What all tests share: where the peers and the shared data are, and a last line that names what was missing."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from engine_process import EngineProcess, UciProcess
from hypothesis import HealthCheck, settings
from native import build_probe
from peers import PEERS, find_peer, need_peer

from engine.built import complaint

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"

# The machine may be busy: no deadline on one example, and the same examples every time.
settings.register_profile(
    "sortie", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "sortie"))


def pytest_configure(config: pytest.Config) -> None:
    """A kernel of older source would fail every test that uses it, each with a traceback of its own."""
    if (stale := complaint()) is not None:
        pytest.exit(stale, returncode=2)


@pytest.hookimpl(optionalhook=True)  # the debug build runs its tests without xdist
def pytest_xdist_auto_num_workers() -> int:
    """Five workers for two cores: a part of a test's time goes by in waiting for clocks and silences.

    With six nearly no time is left idle, but a test that looks for a moment of a run may come too late.
    """
    return (os.cpu_count() or 1) * 5 // 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What a test asks for marks it: -m "not peers and not shared" runs what needs nothing but this repository."""
    for item in items:
        wanted = getattr(item, "fixturenames", ())
        for fixture, mark in (("peer", pytest.mark.peers), ("shared", pytest.mark.shared)):
            if fixture in wanted:
                item.add_marker(mark)


@pytest.fixture
def engine() -> Iterator[EngineProcess]:
    """Sortie after the handshake of a GUI, in a new game with a tenth of a second per move."""
    with EngineProcess() as process:
        process.send("new", "st 0.1", "easy", "nopost")
        yield process


@pytest.fixture
def uci() -> Iterator[UciProcess]:
    """Sortie under UCI after its handshake."""
    with UciProcess() as process:
        yield process


@pytest.fixture(scope="session")
def peer() -> Callable[[str], str]:
    """peer(name): the path of a program of other people; without it the test is skipped and named in the summary."""
    return need_peer


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """shared(name): a file of the shared test data; without it the test is skipped and named in the summary."""

    def need(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"shared data {name} is not beside the repository")
        return path

    return need


@pytest.fixture(scope="session")
def probe() -> ModuleType:
    """The module that opens C functions of the kernel; built when the kernel's headers have changed."""
    folder = str(build_probe(debug="SORTIE_DEBUG_TESTS" in os.environ))
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module("probe")


@pytest.fixture(scope="session")
def probe_class(probe: ModuleType) -> SimpleNamespace:
    """One table for all examples of a property test, made when first asked for, and the kernel's constants."""
    tables: list[object] = []

    def table() -> object:
        if not tables:
            tables.append(probe.TableProbe(1))
        return tables[0]

    return SimpleNamespace(table=table, limits=probe.limits())


def missing_things(reasons: Counter[str], peers: list[str], shared_is_there: bool) -> list[str]:
    """Lines that tell what was missing and what that left out."""
    lines = []
    if peers:
        lines.append("missing peers: " + ", ".join(peers))
    if not shared_is_there:
        lines.append("missing: the shared test data (../shared/data)")
    for reason, count in sorted(reasons.items()):
        lines.append(f"not run: {count} {'test' if count == 1 else 'tests'}: {reason}")
    return lines


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name every missing peer and every reason for a skip, so that nothing is left out silently."""
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons[re.sub(r"^Skipped: ", "", text)] += 1
    lines = missing_things(reasons, [name for name in PEERS if find_peer(name) is None], SHARED.is_dir())
    if lines:
        terminalreporter.section("missing")
        for line in lines:
            terminalreporter.write_line(line)
