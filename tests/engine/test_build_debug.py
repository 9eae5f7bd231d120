"""The debug build: asserts, recomputed keys, address and undefined-behaviour sanitizers, under the kernel's own tests."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import native
import pytest

HERE = Path(__file__).resolve().parent
# What runs inside: rules, exchanges, evaluation, tables, picker, searches. Timing is left to the normal build.
INSIDE = {
    "rules": tuple(f"board/test_{name}" for name in ("attacks", "position", "movegen", "fen", "see", "game")),
    "tables": ("ordering/test_history", "ordering/test_picker", "search/test_table", "search/test_aspiration"),
    "endings": ("syzygy/test_tables",),
    "evaluation": ("evaluation/test_classical", "evaluation/test_endgame", "evaluation/test_network"),
}
# What takes long there and shows a sanitizer nothing more: processes of `sortie`, each of which would first load the
# sanitizers; a build of its own; walks and searches with networks wider than the narrowest; ten thousand pawn endings
# and whole games against a lone king; searches that are compared with one another.
LEFT_OUT = (
    "eval_shows or command_line or strict_aliasing "
    "or (incremental_sums or helpers_use) and (file1 or file2 or file3) "
    "or king_and_pawn_against_king or lone_king_is_mated or twins_cost_equal_nodes or does_not_depend_on "
    "or as_it_was_before_correction"
)
SEARCHES = native.ROOT / "tests" / "ordeals" / "debug_searches.py"
RUN_CPU = 600.0  # seconds of CPU time; no part takes more than 30


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """The environment of the debug build, which is compiled when a source has changed."""
    if native.sanitizer_library() is None:
        pytest.skip("the sanitizer library is not installed")
    return native.debug_environment(native.build_debug())


def run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python inside the debug build's folder: its `engine` is found first."""
    return native.run_group([sys.executable, *arguments], native.ROOT / "build" / "debug", environment, RUN_CPU)


def test_it_is_the_debug_build(environment: dict[str, str]) -> None:
    done = run(environment, "-c", "import engine.search.alphabeta as s; print(s.__file__)")
    assert Path(done.stdout.strip()).parent == native.ROOT / "build" / "debug" / "engine" / "search", done.stderr


def test_it_plays_by_the_shipped_network(environment: dict[str, str]) -> None:
    done = run(environment, "-c", "from engine.evaluation.network import Network; print(Network().path)")
    assert Path(done.stdout.strip()).is_relative_to(native.ROOT / "build" / "debug"), done.stderr


@pytest.mark.parametrize("group", INSIDE)
def test_kernel_tests_inside(environment: dict[str, str], group: str) -> None:
    files = [str(HERE / f"{name}.py") for name in INSIDE[group]]
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", str(native.ROOT / "pyproject.toml")]
    options += ["-k", f"not ({LEFT_OUT})"]
    done = run(environment, "-m", "pytest", *options, "--rootdir", str(native.ROOT), *files)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_every_level_of_every_switch_survives_random_searches(environment: dict[str, str]) -> None:
    done = run(environment, str(SEARCHES))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert re.search(r"(\d+) searches, .*build/debug/engine/search\n", done.stdout), done.stdout


def test_a_seeded_fault_is_caught(environment: dict[str, str]) -> None:
    """The sanitizers are alive: reading outside the killers of the probe's tables aborts."""
    native.build_probe(debug=True)
    code = (
        f"import sys; sys.path.insert(0, {str(native.ROOT / 'build' / 'probe-debug')!r})\n"
        "import probe\nfrom engine.variant.features import Features\n"
        "print(probe.MemoryProbe(Features()).killers(5000))"
    )
    done = run(environment, "-c", code)
    assert done.returncode != 0
    assert "runtime error" in done.stderr or "AddressSanitizer" in done.stderr
