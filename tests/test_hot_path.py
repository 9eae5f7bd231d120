"""The generated C of the hot functions holds no Python: no objects, no reference counts, no error checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine import search as built_search

GENERATED = Path(__file__).resolve().parent.parent / "build" / "cython" / "engine"
HOT = (
    "attacks",
    "position",
    "movegen",
    "see",
    "endgame",
    "evaluate",
    "table",
    "history",
    "picker",
    "aspiration",
    "nullmove",
    "worker",
    "reductions",
    "quiescence",
    "search",
)
# What each module must at least define, so that an empty match cannot pass.
KNOWN = {
    "movegen": ("generate", "is_legal", "is_pseudo_legal", "perft"),
    "position": ("make", "make_null", "gives_check"),
    "see": ("see", "see_ge", "gains"),
    "evaluate": ("evaluate", "full_score", "king_of"),
    "table": ("probe", "store"),
    "history": ("credit_gravity", "credit_gated"),
    "picker": ("next_move", "pick_best", "score_quiets"),
    "worker": ("credit_cutoff", "make_on_path", "is_draw", "poll"),
    "quiescence": ("qsearch",),
    "search": ("alphabeta", "search_depth"),
}
# Runs once, at import, and reads Python tuples.
AT_IMPORT = {"fill_rays"}
DEFINITION = re.compile(r"^(?!.*;$).*\b(__pyx_f_6engine_\w+)\([^;{}]*\) \{\n", re.MULTILINE)
PYTHON = re.compile(r"\b(?:__Pyx_\w+|_?Py[A-Z_]\w*)")


def functions(source: str) -> dict[str, str]:
    """Bodies of the C functions that a generated module defines, by name, without comments and strings."""
    found = {}
    for match in DEFINITION.finditer(source):
        end = source.index("\n}\n", match.end())
        body = re.sub(r"/\*.*?\*/", "", source[match.end() : end], flags=re.DOTALL)
        body = re.sub(r'"(?:\\.|[^"\\])*"', '""', body)
        name = re.sub(r"^__pyx_f_6engine_\d+", "", match.group(1))
        found[name] = body
    return found


def offenders(source: str) -> dict[str, set[str]]:
    """Names of Python's C interface in each function's body."""
    return {name: words for name, body in functions(source).items() if (words := set(PYTHON.findall(body)))}


def generated(module: str) -> str:
    path = GENERATED / f"{module}.c"
    assert path.exists(), "no generated C: `make build` leaves it there"
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("module", HOT)
def test_no_python_in_hot_functions(module: str) -> None:
    source = generated(module)
    names = {name.removeprefix(module + "_") for name in functions(source)}
    assert len(names) >= 3 and set(KNOWN.get(module, ())) <= names
    faults = offenders(source)
    for name in AT_IMPORT:
        faults.pop(f"{module}_{name}", None)
    assert not faults


def test_the_stage_program_is_compiled_without_python() -> None:
    faults = offenders(generated("features"))
    assert not {"features_compile_main", "features_compile_quiescence"} & set(faults)


@pytest.mark.parametrize(
    "line",
    [
        "  __pyx_t_1 = __Pyx_PyInt_From_int(__pyx_v_x); if (unlikely(!__pyx_t_1)) __PYX_ERR(0, 3, __pyx_L1_error)",
        "  Py_INCREF(__pyx_v_move);",
        "  PyObject *__pyx_r = NULL;",
        "  __Pyx_RaiseBufferIndexError(0);",
        "  if (unlikely(PyErr_Occurred())) goto __pyx_L1_error;",
    ],
)
def test_a_seeded_offender_is_caught(line: str) -> None:
    source = generated("movegen")
    head = re.search(r"^.*__pyx_f_6engine_7movegen_is_legal\([^;{}]*\) \{\n", source, re.MULTILINE)
    assert head and "movegen_is_legal" not in offenders(source)
    seeded = source[: head.end()] + line + "\n" + source[head.end() :]
    assert "movegen_is_legal" in offenders(seeded)


def test_comments_and_strings_are_no_offence() -> None:
    source = 'static int __pyx_f_6engine_3see_x(int a) {\n  /* PyObject */\n  f("Py_INCREF");\n  return a;\n}\n'
    assert functions(source) and not offenders(source)


def test_the_kernel_is_compiled() -> None:
    assert built_search.__file__.endswith((".so", ".pyd"))
