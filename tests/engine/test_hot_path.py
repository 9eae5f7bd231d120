"""The generated C of the hot functions holds no Python: no objects, no reference counts, no error checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.search import alphabeta as built_search

GENERATED = Path(__file__).resolve().parents[2] / "build" / "cython" / "engine"
HOT = (
    "board/attacks",
    "board/position",
    "board/movegen",
    "board/see",
    "board/cycles",
    "syzygy/arrangement",
    "syzygy/ending",
    "syzygy/probe",
    "evaluation/endgame",
    "evaluation/classical",
    "evaluation/vectors",
    "evaluation/accumulator",
    "ordering/history",
    "ordering/correction",
    "ordering/picker",
    "search/table",
    "search/aspiration",
    "search/nullmove",
    "search/worker",
    "search/reductions",
    "search/quiescence",
    "search/alphabeta",
    "search/credit",
    "search/deepening",
    "search/probcut",
    "search/singular",
    "search/textbook",
)
# What each module must at least define, so that an empty match cannot pass.
KNOWN = {
    "board/movegen": ("generate", "is_legal", "is_pseudo_legal", "perft"),
    "board/position": ("make", "make_null", "gives_check"),
    "board/see": ("see", "see_ge", "gains"),
    "syzygy/arrangement": ("number_of", "triple_number"),
    "syzygy/ending": ("value_at",),
    "syzygy/probe": ("answer", "result_of", "stored_result"),
    "evaluation/vectors": ("shift", "capture", "square", "pair", "products"),
    "evaluation/accumulator": ("refresh", "advance", "network_score"),
    "evaluation/classical": ("evaluate", "full_score", "king_of"),
    "search/table": ("probe", "store"),
    "ordering/history": ("credit_gravity", "credit_gated"),
    "ordering/picker": ("next_move", "pick_best", "score_quiets"),
    "search/worker": ("evaluate_at", "bring_up", "make_on_path", "is_draw", "poll"),
    "search/quiescence": ("qsearch",),
    "search/alphabeta": ("alphabeta", "scout"),
    "search/credit": ("credit_cutoff", "credit_fail_low"),
    "search/deepening": ("search_depth",),
    "search/textbook": ("child_score", "movement_cost"),
    "ordering/correction": ("correct", "correction_of"),
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
        name = re.sub(r"^__pyx_f_6engine_\d+[a-z]+_\d+", "", match.group(1))
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
    leaf = module.rpartition("/")[2]
    names = {name.removeprefix(leaf + "_") for name in functions(source)}
    assert len(names) >= 3 and set(KNOWN.get(module, ())) <= names
    faults = offenders(source)
    for name in AT_IMPORT:
        faults.pop(f"{leaf}_{name}", None)
    assert not faults


def test_the_stage_program_is_compiled_without_python() -> None:
    faults = offenders(generated("variant/features"))
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
    source = generated("board/movegen")
    head = re.search(r"^.*__pyx_f_6engine_5board_7movegen_is_legal\([^;{}]*\) \{\n", source, re.MULTILINE)
    assert head and "movegen_is_legal" not in offenders(source)
    seeded = source[: head.end()] + line + "\n" + source[head.end() :]
    assert "movegen_is_legal" in offenders(seeded)


def test_comments_and_strings_are_no_offence() -> None:
    source = 'static int __pyx_f_6engine_5board_3see_x(int a) {\n  /* PyObject */\n  f("Py_INCREF");\n  return a;\n}\n'
    assert functions(source) and not offenders(source)


def test_the_kernel_is_compiled() -> None:
    assert built_search.__file__.endswith((".so", ".pyd"))
