"""Presets: what each engine of the founding texts had when its claim was made, and what it had not."""

from __future__ import annotations

import pytest
from positions import features

from engine.variant.features import BY_NAME
from engine.variant.presets import BARE, PRESETS, resolve

# What the texts say (docs/sources.md): switch -> the levels that fit the description.
HAD: dict[str, dict[str, tuple[str, ...]]] = {
    "winglet": {
        "Algorithm": ("pvs",),
        "Deepening": ("on",),
        "PVMoves": ("line",),
        "History": ("original",),
        "CreditWeight": ("depth2",),
        "IndexBy": ("fromto",),
        "Choose": ("selection",),
        "TT": ("off",),
        "HashMove": ("off",),
        "Killers": ("0",),
        "CounterMove": ("off",),
        "ComboMove": ("off",),
        "CaptureOrder": ("generation",),
        "Aspiration": ("off",),
        "LMR": ("off",),
    },
    "moreland": {
        "Algorithm": ("alphabeta",),
        "Deepening": ("on",),
        "TT": ("on",),
        "Aspiration": ("reset",),
        "WindowWidth": ("50",),
        "History": ("off",),
        "NullMove": ("off",),
        "LMR": ("off",),
    },
    "jazz": {
        "Algorithm": ("alphabeta",),
        "TT": ("on",),
        "HashMove": ("on",),
        "Killers": ("2",),
        "CounterMove": ("on",),
        "ComboMove": ("on",),
        "NullMove": ("on",),
        "NullGuard": ("jazz",),
        "ThreatOrder": ("on",),
        "CheckExtension": ("always",),
        "LMR": ("oneply", "table"),
        "QSearch": ("winning",),
        "Choose": ("sort",),
        "History": ("off",),
    },
    "mediocre": {
        "TT": ("on",),
        "InternalSearch": ("iid",),
        "CaptureOrder": ("see",),
        "SEEForm": ("swap",),
        "LMR": ("oneply",),
        "Killers": ("2",),
        "History": ("original", "quiet"),
        "CreditWeight": ("one",),
        "Aspiration": ("reset", "onesided"),
        "WindowWidth": ("10",),
        "NullMove": ("on",),
        "NullGuard": ("pawns",),
        "QSearch": ("nonlosing",),
    },
    "vicki": {
        "PVMoves": ("line",),
        "CaptureOrder": ("see",),
        "SEEForm": ("early-exit",),
        "TT": ("off",),
        "HashMove": ("off",),
        "Killers": ("0",),
        "History": ("off",),
        "NullMove": ("off",),
        "LMR": ("off",),
    },
    "bare": {
        "Algorithm": ("alphabeta",),
        "TT": ("off",),
        "Killers": ("0",),
        "History": ("off",),
        "NullMove": ("off",),
        "LMR": ("off",),
        "Aspiration": ("off",),
        "CheckExtension": ("off",),
        "PVMoves": ("off",),
        "CaptureOrder": ("generation",),
    },
}
# What came after the founding texts: none of their engines has it.
LATER = (
    "ContHist", "CaptHist", "EscapeOrder", "CorrHist", "ProbCut", "Singular", "Improving", "Futility", "LateMoves", "SEEPruning",
    "PawnHist", "FailLowCredit", "TableCredit", "ReducedCredit", "BadRecord", "UpcomingDraws", "FiftyDamping", "NodeShare",
    "RenewMove", "RenewAge", "Hindsight", "NullAtCuts", "DeltaExchange", "Optimism",
)  # fmt: skip


@pytest.mark.parametrize(("preset", "switch"), [(p, s) for p, had in HAD.items() for s in had])
def test_had_and_had_not(preset: str, switch: str) -> None:
    assert features(Preset=preset).get(switch) in HAD[preset][switch]


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "modern"])
def test_founding_engines_have_nothing_later(preset: str) -> None:
    chosen = features(Preset=preset)
    assert {switch: chosen.get(switch) for switch in LATER} == dict.fromkeys(LATER, "off")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_resolves_every_switch_to_a_known_level(preset: str) -> None:
    resolved = resolve(preset)
    assert set(resolved) == set(BARE) == set(BY_NAME) - {"Preset", "Stats"}
    assert set(PRESETS[preset]) <= set(BARE)
    for name, level in resolved.items():
        switch = BY_NAME[name]
        assert level in switch.levels if switch.levels else switch.minimum <= int(level) <= switch.maximum


def test_presets_differ() -> None:
    assert len({tuple(sorted(resolve(name).items())) for name in PRESETS}) == len(PRESETS) == 7
