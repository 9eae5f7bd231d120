"""Imports go strictly downward; the engine knows no chess library, the harness does not know the engine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Kernel modules by height: each may import lower ones only.
HEIGHT = {
    "types": 0,
    "presets": 0,
    "weights": 0,
    "attacks": 1,
    "position": 2,
    "movegen": 3,
    "see": 3,
    "fen": 3,
    "endgame": 3,
    "evaluate": 4,
    "table": 4,
    "features": 4,
    "history": 5,
    "aspiration": 5,
    "picker": 6,
    "nullmove": 5,
    "worker": 7,
    "reductions": 8,
    "quiescence": 8,
    "search": 9,
    "game": 5,
    "terms": 6,
    "searcher": 10,
}
IMPORT = re.compile(
    r"^\s*from (\w+)\.(\w+) c?import|^\s*from (\w+) c?import (.+)|^\s*c?import (\w+)(?:\.(\w+))?", re.MULTILINE
)


def imports(text: str) -> set[tuple[str, str]]:
    """(package, module) of every import in a source or header; module is empty for `import package`."""
    found = set()
    for match in IMPORT.finditer(text):
        package, module, only_package, names, plain, plain_module = match.groups()
        if package:
            found.add((package, module))
        elif only_package:
            found |= {(only_package, name.split(" as ")[0].strip(" ()")) for name in names.split(",")}
        else:
            found.add((plain, plain_module or ""))
    return found


def at_load(text: str) -> str:
    """The lines that run when the module is loaded: imports inside functions come later."""
    return "\n".join(line for line in text.splitlines() if not line.startswith(" "))


def graph(package: str, lazy: bool = True) -> dict[str, set[str]]:
    """Which modules of a package import which, sources and headers together; `lazy`: in functions as well."""
    edges: dict[str, set[str]] = {}
    files = [*(ROOT / package).glob("*.py"), *(ROOT / package).glob("*.pxd")]
    names = {file.stem for file in files}
    for file in files:
        own = edges.setdefault(file.stem, set())
        text = file.read_text() if lazy else at_load(file.read_text())
        own |= {module for root, module in imports(text) if root == package and module in names}
        own.discard(file.stem)
    return edges


def reachable(edges: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for other in edges.get(waiting.pop(), ()):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen


def test_the_kernel_imports_downward() -> None:
    edges = graph("engine")
    assert set(HEIGHT) <= set(edges), "a kernel module was renamed: give it its height here"
    for module, height in HEIGHT.items():
        for other in edges[module]:
            assert other in HEIGHT and HEIGHT[other] < height, f"{module} imports {other}"


def test_every_compiled_module_has_its_height() -> None:
    assert {path.stem for path in (ROOT / "engine").glob("*.pxd")} <= set(HEIGHT)


@pytest.mark.parametrize("package", ["engine", "harness"])
def test_no_circles(package: str) -> None:
    edges = graph(package, lazy=False)
    for module in edges:
        assert module not in reachable(edges, module), module


def test_picker_does_not_reach_search() -> None:
    assert "search" not in reachable(graph("engine"), "picker")


@pytest.mark.parametrize("file", sorted((ROOT / "engine").glob("*.p*")), ids=lambda path: path.name)
def test_the_engine_uses_no_chess_library_and_no_harness(file: Path) -> None:
    if file.suffix in (".py", ".pxd"):
        assert not {package for package, _ in imports(file.read_text())} & {"chess", "harness", "tests"}


@pytest.mark.parametrize("file", sorted((ROOT / "harness").rglob("*.py")), ids=lambda path: path.name)
def test_the_harness_does_not_import_the_engine(file: Path) -> None:
    assert "engine" not in {package for package, _ in imports(file.read_text()) if package == "engine"}


@pytest.mark.parametrize("module", ["stats", "schedule", "openings", "experiment"])
def test_pure_modules_touch_no_process(module: str) -> None:
    reached = reachable(graph("harness"), module)
    assert not reached & {"process", "xboard", "uci", "pool", "game"}
    text = (ROOT / "harness" / f"{module}.py").read_text()
    assert not {package for package, _ in imports(text)} & {"subprocess", "psutil", "multiprocessing", "threading"}


def test_what_counts_as_an_import() -> None:
    text = "import os\nfrom engine.types cimport *\nfrom engine import bench, cli as c\n  from harness.run import X\n"
    engine = {("engine", "types"), ("engine", "bench"), ("engine", "cli")}
    assert imports(text) == {("os", ""), *engine, ("harness", "run")}
    assert imports(at_load(text)) == {("os", ""), *engine}
