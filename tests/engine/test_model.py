"""The value types: tuples with named fields."""

from __future__ import annotations

import copy
import pickle

import pytest

from engine.model import Info, Limits, Result, Value
from engine.play.options import Option
from engine.variant.features import Switch
from engine.variant.parameters import Parameter


class Pair(Value):
    __slots__ = ()
    first: int
    second: str = "two"


def test_fields_come_by_place_by_name_and_by_default() -> None:
    assert Pair(1) == Pair(first=1) == Pair(1, second="two") == (1, "two")
    assert Pair(1, "b").second == "b"
    assert Limits(depth=3) == (3, 0, 0, 0, False, 0)
    assert Info(1, 2, 3, 4, 5, 0, [6], hits=7)[-2:] == (1, 7)


@pytest.mark.parametrize("values", [(), (1, "b", 3)])
def test_a_missing_or_superfluous_field_is_refused(values: tuple[object, ...]) -> None:
    with pytest.raises(TypeError, match="Pair has the fields first, second"):
        Pair(*values)


@pytest.mark.parametrize("named", [{"third": 3}, {"first": 2}])
def test_an_unknown_field_and_one_given_twice_are_refused(named: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="Pair has the fields"):
        Pair(1, **named)


def test_replace_gives_another_and_nothing_changes_one() -> None:
    pair = Pair(1)
    assert pair.replace(first=2) == Pair(2) != pair
    with pytest.raises(AttributeError):
        pair.first = 3
    with pytest.raises(AttributeError):
        pair.third = 3  # type: ignore[attr-defined]


def test_it_is_shown_with_its_fields_and_can_be_copied() -> None:
    assert repr(Pair(1)) == "Pair(first=1, second='two')"
    assert Pair(1).as_dict() == {"first": 1, "second": "two"}
    for twin in (copy.deepcopy(Pair(1)), pickle.loads(pickle.dumps(Pair(1)))):
        assert type(twin) is Pair and twin == Pair(1)


@pytest.mark.parametrize(("kind", "width"), [(Result, 10), (Option, 8), (Switch, 8), (Parameter, 6)])
def test_compiled_or_not_the_fields_are_those_annotated(kind: type[Value], width: int) -> None:
    assert len(kind.FIELDS) == width
