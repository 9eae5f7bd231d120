"""The table of parameters: names, bounds, refusals, and that the search reads what is set."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from positions import QUIET, features, search

from engine.play.options import Settings, offered
from engine.tools.commands import group
from engine.variant.parameters import PARAMETERS, Parameter, tunable

HEADER = Path(__file__).resolve().parents[3] / "engine" / "variant" / "parameters.pxd"


def test_rows_and_struct_name_the_same_numbers_in_the_same_order() -> None:
    fields = re.findall(r"^    int (\w+)$", HEADER.read_text(), re.MULTILINE)
    assert fields == [row.name for row in PARAMETERS]


@pytest.mark.parametrize("row", PARAMETERS, ids=lambda row: row.name)
def test_a_row_is_sound(row: Parameter) -> None:
    assert row.least <= row.default <= row.most and 0 < row.step <= (row.most - row.least) / 2
    assert row.meaning and not row.meaning.endswith(".")
    chosen = features(**{f"tune.{row.name}": row.most})
    assert chosen.get(f"tune.{row.name}") == str(row.most)
    assert chosen.copy().get(f"tune.{row.name}") == str(row.most)
    assert features().get(f"tune.{row.name}") == str(row.default)


@pytest.mark.parametrize("row", PARAMETERS, ids=lambda row: row.name)
def test_bounds_can_be_searched_with(row: Parameter) -> None:
    """No bound makes the search divide by nought or run for ever."""
    for value in (row.least, row.most):
        assert search(QUIET[1], 30, nodes=3_000, **{f"tune.{row.name}": value}).move


def test_old_engines_keep_their_own_numbers() -> None:
    plain = search(QUIET[0], 5, Preset="jazz").nodes
    changed = {f"tune.{row.name}": row.most for row in PARAMETERS}
    assert search(QUIET[0], 5, Preset="jazz", **changed).nodes == plain
    assert search(QUIET[0], 9, **changed).nodes != search(QUIET[0], 9).nodes


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("tune.lmr_bse", "1", ["tune.lmr_bse", "tune.lmr_base"]),
        ("tune.lmr_base", "9999", ["tune.lmr_base", "-100", "250", "9999"]),
        ("tune.lmr_base", "x", ["tune.lmr_base", "'x'"]),
        ("tune.zzzzzzzzzz", "1", ["options --tunable"]),
    ],
)
def test_refusals(name: str, value: str, words: list[str]) -> None:
    with pytest.raises(ValueError) as refusal:
        Settings().set(name, value)
    assert all(word in str(refusal.value) for word in words) and "\n" not in str(refusal.value)


def test_understood_but_not_offered() -> None:
    settings = Settings()
    settings.set("tune.lmr_base", "33")
    assert settings.features.get("tune.lmr_base") == "33"
    assert not any("tune" in option.name for option in offered())


def test_the_listing() -> None:
    plain = CliRunner().invoke(group, ["options", "--tunable"]).output
    listed = json.loads(CliRunner().invoke(group, ["options", "--tunable", "--json"]).output.splitlines()[-1])
    assert listed == {"tunable": tunable()}
    assert set(listed["tunable"][0]) == {"name", "default", "least", "most", "step", "meaning"}
    assert all(row.name in plain and row.meaning in plain for row in PARAMETERS)
