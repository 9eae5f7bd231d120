"""Imports point one way, from package to package and within each; the engine knows no chess library, the harness no engine."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

DOCUMENT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def floors(title: str) -> tuple[tuple[str, ...], ...]:
    """The rooms of each floor, the lowest first, as docs/architecture.md draws them under a title."""
    picture = DOCUMENT.split(f"## {title}\n```\n")[1].split("```")[0]
    shown = [re.split(r" {3,}", line)[0] for line in reversed(picture.splitlines())]
    return tuple(tuple(re.split(r" \| |, ", line.replace(".pxd", ""))) for line in shown)


# A module may import from its own room and from floors below. A name with a dot is a module that lies lower than its room.
FLOORS = {"engine": floors("Sortie"), "harness": floors("gauntlet")}
# Rooms on two floors that must not know each other; rooms on one floor never do.
STRANGERS = {("harness", "run", "report")}
MODULES = 14  # in a folder
LINES = 450  # in a module
LENGTH = 100  # lines of a function
LONG = {"engine/search/alphabeta.py:alphabeta": 300}

IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+c?import[ \t]+(\([^)]*\)|[^\n#]+)|c?import[ \t]+([\w., \t]+))", re.MULTILINE
)


def imports(text: str) -> set[str]:
    """The dotted names that a source or a header imports, in functions as well: `from a.b import c` gives a.b.c and a.b."""
    found: set[str] = set()
    for origin, names, plain in IMPORT.findall(text):
        if origin:
            found.add(origin)
            listed = re.sub(r"#[^\n]*", "", names).strip("() \t").replace("\n", " ").split(",")
            found |= {f"{origin}.{name.split(' as ')[0].strip()}" for name in listed if name.strip()}
        else:
            found |= {name.split(" as ")[0].strip() for name in plain.split(",")}
    return found


def modules(package: str) -> dict[str, list[Path]]:
    """Dotted name of each module, source and header together."""
    found: dict[str, list[Path]] = {}
    for path in sorted((ROOT / package).rglob("*.p*")):
        if path.suffix in (".py", ".pxd"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found.setdefault(name.removesuffix(".__init__"), []).append(path)
    return found


def edges(package: str) -> dict[str, set[str]]:
    """Which modules of a package import which."""
    names = modules(package)
    found = {}
    for name, paths in names.items():
        reached = set().union(*(imports(path.read_text(encoding="utf-8")) for path in paths))
        found[name] = {other for other in reached if other in names and other not in (name, package)}
    # `from package.room import module` also names the room, whose __init__ is empty of imports.
    return {
        name: {other for other in others if other.count(".") > 1 or not is_room(other)}
        for name, others in found.items()
    }


def is_room(name: str) -> bool:
    return (ROOT / Path(*name.split("."))).is_dir()


def room(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def floor(name: str) -> int:
    package = name.split(".")[0]
    if name.endswith(".__main__"):
        return len(FLOORS[package]) - 1
    for wanted in (name.partition(".")[2], room(name)):
        for height, rooms in enumerate(FLOORS[package]):
            if wanted in rooms:
                return height
    raise AssertionError(f"{name} has no floor: give its room one in docs/architecture.md")


def upward(package: str, found: dict[str, set[str]]) -> list[str]:
    """The arrows that run to a higher floor, or between strangers."""
    faults = []
    for name, others in sorted(found.items()):
        if name == package:
            continue
        for other in sorted(others):
            strangers = any(known == package and {room(name), room(other)} == set(pair) for known, *pair in STRANGERS)
            beside = room(name) != room(other) and floor(name) == floor(other) and room(name) not in LOOSE
            if floor(other) > floor(name) or strangers or beside:
                faults.append(f"{name} imports {other}")
    return faults


# Modules of the root stand beside each other, not in rooms.
LOOSE = {"cli", "__main__", *FLOORS["engine"][0], *FLOORS["harness"][0]}


def circle(found: dict[str, set[str]]) -> list[str]:
    """The modules of one circle of imports, empty where there is none."""
    state: dict[str, int] = {}
    path: list[str] = []

    def visit(name: str) -> list[str]:
        state[name] = 1
        path.append(name)
        for other in sorted(found.get(name, ())):
            if state.get(other) == 1:
                return [*path[path.index(other) :], other]
            if other not in state:
                if ring := visit(other):
                    return ring
        state[name] = 2
        path.pop()
        return []

    for name in sorted(found):
        if name not in state and (ring := visit(name)):
            return ring
    return []


@pytest.mark.parametrize("package", FLOORS)
def test_no_arrow_runs_up(package: str) -> None:
    assert not upward(package, edges(package))


@pytest.mark.parametrize("package", FLOORS)
def test_no_circle(package: str) -> None:
    assert not circle(edges(package))


@pytest.mark.parametrize("package", FLOORS)
def test_an_arrow_that_runs_up_is_seen(package: str) -> None:
    found = edges(package)
    lowest = next(name for name in sorted(found) if name != package and floor(name) <= 1)
    found[lowest] = found[lowest] | {f"{package}.cli"}
    assert upward(package, found) == [f"{lowest} imports {package}.cli"]


def test_a_circle_is_seen() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == ["a", "b", "c", "a"]


@pytest.mark.parametrize("package", FLOORS)
def test_rooms_and_modules_stay_small(package: str) -> None:
    for folder in {path.parent for paths in modules(package).values() for path in paths}:
        inside = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(inside) <= MODULES, f"{folder.relative_to(ROOT)} holds {len(inside)} modules"
    for paths in modules(package).values():
        for path in paths:
            where = path.relative_to(ROOT).as_posix()
            lines = path.read_text(encoding="utf-8").count("\n")
            assert lines <= LINES, f"{where} has {lines} lines"


def test_the_engine_uses_no_chess_library_and_no_harness() -> None:
    for name, paths in modules("engine").items():
        for path in paths:
            roots = {other.split(".")[0] for other in imports(path.read_text(encoding="utf-8"))}
            assert not roots & {"chess", "harness", "tests"}, name


def test_the_harness_does_not_import_the_engine() -> None:
    for name, paths in modules("harness").items():
        for path in paths:
            roots = {other.split(".")[0] for other in imports(path.read_text(encoding="utf-8"))}
            assert "engine" not in roots, name


@pytest.mark.parametrize("pure", ["stats", "schedule", "books"])
def test_pure_rooms_start_no_process(pure: str) -> None:
    for name, paths in modules("harness").items():
        if room(name) == pure:
            roots = {other.split(".")[0] for path in paths for other in imports(path.read_text(encoding="utf-8"))}
            assert not roots & {"subprocess", "psutil", "multiprocessing", "threading"}, name


def long_functions(path: Path) -> list[str]:
    where = path.relative_to(ROOT).as_posix()
    return [
        f"{where}:{node.name} has {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= LONG.get(f"{where}:{node.name}", LENGTH)
    ]


@pytest.mark.parametrize("package", FLOORS)
def test_functions_stay_short(package: str) -> None:
    sources = [path for paths in modules(package).values() for path in paths if path.suffix == ".py"]
    assert not [line for path in sources for line in long_functions(path)]


def test_the_document_draws_rooms_that_exist() -> None:
    for package, heights in FLOORS.items():
        known = {name.partition(".")[2] for name in modules(package)} | {room(name) for name in modules(package)}
        assert {name for height in heights for name in height} <= known


DEFINITION = re.compile(
    r"^cdef (?:inline )?[\w ]+[* ]+(\w+)(?:\[.*)?$"  # a variable
    r"|^cdef (?:inline )?[\w* ]*?(\w+)\("  # a function
    r"|^ctypedef \w+ \(\*(\w+)\)"  # a pointer to functions
    r"|^ctypedef [\w ]*?(\w+):?$"
    r"|^    ([A-Z][A-Z0-9_]*) =",  # a member of an enum
    re.MULTILINE,
)


def test_each_name_of_the_kernel_is_defined_in_one_header() -> None:
    """Headers cimport each other with *, so a name must mean one thing everywhere, and a search must find where it comes from."""
    places: dict[str, set[str]] = {}
    for path in sorted((ROOT / "engine").rglob("*.pxd")):
        text = re.sub(r"[ \t]*(?:#.*)?$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for match in DEFINITION.finditer(text):
            places.setdefault(next(filter(None, match.groups())), set()).add(path.name)
    assert len(places) > 400
    assert not {name: headers for name, headers in places.items() if len(headers) > 1}


def test_what_a_c_function_takes_stands_in_its_header() -> None:
    decorated = re.compile(r"^\s*@cython\.", re.MULTILINE)
    assert [str(path) for path in (ROOT / "engine").rglob("*.py") if decorated.search(path.read_text("utf-8"))] == []


def test_what_counts_as_an_import() -> None:
    text = (
        "import os, sys as s\nfrom engine.types cimport *\nfrom engine import bench, cli as c\n"
        "  from harness.run.x import (\n    X,  # why\n    Y,\n)\n"
    )
    assert imports(text) == {
        *("os", "sys", "engine.types", "engine.types.*", "engine", "engine.bench", "engine.cli"),
        *("harness.run.x", "harness.run.x.X", "harness.run.x.Y"),
    }
