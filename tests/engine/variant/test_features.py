"""The switches: names, levels, texts, refusals, and the stage program they compile to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import features

from engine.variant.features import BY_NAME, SWITCHES, Features

# Names and levels that other tools rely on; more may exist, none of these may go.
FIXED = {
    "Preset": ("modern", "winglet", "moreland", "jazz", "mediocre", "vicki", "bare"),
    "Algorithm": ("pvs", "alphabeta", "minimax"),
    "Deepening": ("on", "off"),
    "PVMoves": ("off", "root", "line"),
    "HashMove": ("on", "off"),
    "TT": ("on", "off"),
    "CaptureOrder": ("generation", "mvvlva", "see"),
    "SEEForm": ("linear", "early-exit", "swap"),
    "Killers": ("0", "1", "2"),
    "CounterMove": ("on", "off"),
    "ComboMove": ("on", "off"),
    "History": ("off", "original", "quiet", "gated", "gravity"),
    "CreditWeight": ("one", "depth", "depth2", "pow2"),
    "IndexBy": ("fromto", "pieceto"),
    "ThreatOrder": ("on", "off"),
    "Generation": ("staged", "all"),
    "Legality": ("late", "early"),
    "Choose": ("selection", "sort"),
    "BadCaptures": ("last", "inplace"),
    "Baseline": ("none", "random", "worst"),
    "Aspiration": ("off", "reset", "onesided", "gradual"),
    "NullMove": ("off", "on"),
    "NullGuard": ("jazz", "sjaak", "pawns"),
    "CheckExtension": ("off", "always", "horizon"),
    "QSearch": ("winning", "nonlosing", "every", "checks"),
    "LMR": ("off", "oneply", "table"),
    "FractionalDepth": ("off", "on"),
    "Stats": ("on", "off"),
}


@pytest.mark.parametrize("name", FIXED)
def test_fixed_names_and_levels(name: str) -> None:
    assert set(FIXED[name]) <= set(BY_NAME[name].levels)
    chosen = Features()
    for level in FIXED[name]:
        chosen.set(name, level)
        assert chosen.get(name) == level


def test_every_switch_can_be_set_to_every_level_and_says_what_it_does() -> None:
    for switch in SWITCHES:
        assert switch.text and switch.source and switch.kind in ("combo", "check", "spin")
        levels = switch.levels or (switch.minimum, switch.maximum)
        for level in levels:
            chosen = features(**{switch.name: level})
            assert chosen.get(switch.name) == str(level)
            changed = {name for name, value in chosen.settings().items() if value != features().get(name)}
            assert changed <= {switch.name} or switch.name == "Preset"


def test_option_names_hold_no_blanks_and_none_contains_another() -> None:
    names = [switch.name for switch in SWITCHES]
    assert len(set(names)) == len(names)
    for name in names:
        assert " " not in name and not any(name in other for other in names if other != name), name


def test_defaults_are_modern() -> None:
    assert Features().settings() == features(Preset="modern").settings()
    assert {s.name: s.default for s in SWITCHES} == Features().settings()


@pytest.mark.parametrize(("word", "level"), [("on", "on"), ("true", "on"), ("1", "on"), ("0", "off"), ("FALSE", "off")])
def test_words_for_check_options(word: str, level: str) -> None:
    assert features(TT=word).get("TT") == level


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("Histroy", "off", ["'Histroy'", "did you mean History?"]),
        ("history", "off", ["'history'", "did you mean History?"]),
        ("History", "gatd", ["History", "'gatd'", "did you mean gated?"]),
        ("Preset", "jaz", ["Preset", "'jaz'", "did you mean jazz?"]),
        ("TT", "perhaps", ["TT", "'perhaps'", "on"]),
        ("WindowWidth", "0", ["WindowWidth", "1", "1000", "'0'"]),
        ("WindowWidth", "-5", ["WindowWidth", "'-5'"]),
        ("WindowWidth", "wide", ["WindowWidth", "'wide'"]),
        ("WindowWidth", "²", ["WindowWidth", "1", "1000", "'²'"]),
        ("WindowWidth", "9" * 5000, ["WindowWidth", "1 to 1000"]),
        ("Killers", "3", ["Killers", "'3'", "0, 1, 2"]),
    ],
)
def test_refusals_name_the_thing_and_the_nearest_known_one(name: str, value: str, words: list[str]) -> None:
    with pytest.raises(ValueError) as refusal:
        Features().set(name, value)
    message = str(refusal.value)
    assert "\n" not in message
    for word in words:
        assert word in message


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_name_and_value_is_set_or_refused(name: str, value: str) -> None:
    for chosen_name in (name, "History", "WindowWidth", "TT"):
        chosen = Features()
        try:
            chosen.set(chosen_name, value)
        except ValueError as refusal:
            assert str(refusal)
            assert chosen.settings() == Features().settings()
        else:
            assert chosen_name in BY_NAME


def test_a_preset_sets_all_and_later_settings_override() -> None:
    chosen = features(Preset="jazz", History="gated")
    assert chosen.get("Preset") == "jazz" and chosen.get("History") == "gated"
    chosen.set("Preset", "vicki")
    assert chosen.settings() == features(Preset="vicki").settings()


def test_a_copy_is_independent() -> None:
    one = features(Preset="jazz")
    two = one.copy()
    two.set("TT", "off")
    assert one.get("TT") == "on" and two.get("TT") == "off" and two.get("Preset") == "jazz"


def test_a_technique_that_is_off_has_no_stage() -> None:
    """And one that is on has its own, in the order of the founding texts."""
    assert features(Preset="bare").program() == ["NOISY", "QUIETS", "END"]
    stages: dict[str, dict[str, Any]] = {
        "HASH": {"TT": "on", "HashMove": "on"},
        "PV": {"PVMoves": "line"},
        "KILLERS": {"Killers": 2},
        "COUNTER": {"CounterMove": "on"},
        "COMBO": {"ComboMove": "on"},
        "BAD_NOISY": {"BadCaptures": "last"},
        "BASELINE": {"Baseline": "random"},
    }
    for stage, levels in stages.items():
        assert stage in features(Preset="bare", **levels).program()
        others = {
            name: level
            for other, more in stages.items()
            if other not in (stage, "BASELINE")
            for name, level in more.items()
        }
        assert stage not in features(Preset="bare", **others).program()
    full = features(Preset="jazz", PVMoves="line").program()
    order = ["PV", "HASH", "GOOD_NOISY", "KILLERS", "COUNTER", "COMBO", "QUIETS", "BAD_NOISY", "END"]
    assert full == order
    early = features(Preset="jazz", RefutationsFirst="on").program()
    assert early == ["HASH", "KILLERS", "COUNTER", "COMBO", "GOOD_NOISY", "QUIETS", "BAD_NOISY", "END"]


def test_the_hash_stage_needs_a_table() -> None:
    assert "HASH" not in features(Preset="jazz", TT="off").program()
    assert "HASH" not in features(Preset="jazz", HashMove="off").program()
    assert "HASH" in features(Preset="jazz").quiescence_program()


def test_quiescence_program() -> None:
    assert features(Preset="bare").quiescence_program() == ["NOISY", "END"]
    assert features(Preset="bare", QSearch="checks").quiescence_program() == ["NOISY", "CHECKS", "END"]
    assert features(Preset="bare", Baseline="worst").quiescence_program() == ["BASELINE", "END"]
