"""Recorded node counts: a change of the tree, in any preset, is seen at once."""

from __future__ import annotations

import json

import pytest
import record_bench

from engine.tools.bench import SIGNATURE

RECORDED = json.loads(record_bench.FILE.read_text())
REMEDY = "the tree has changed: if that is wanted, run `python tests/support/record_bench.py` and state the bench in the commit"


def test_bench_of_the_default_engine() -> None:
    assert record_bench.bench_signature() == SIGNATURE, REMEDY


@pytest.mark.parametrize("preset", record_bench.DEPTHS)
def test_bench_of_each_preset(preset: str) -> None:
    assert record_bench.preset_signature(preset) == RECORDED["presets"][preset], REMEDY


def test_presets_have_benches_of_their_own() -> None:
    assert len(set(RECORDED["presets"].values())) == len(record_bench.DEPTHS)
