"""The faults that `make mutants` plants still have a place in the code, and a test that is to catch them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from engine_faults import ENGINE_FAULTS
from fault import Fault
from harness_faults import HARNESS_FAULTS

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("fault", [*ENGINE_FAULTS, *HARNESS_FAULTS], ids=lambda fault: fault.name)
def test_a_planted_fault_has_its_place_and_its_test(fault: Fault) -> None:
    assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.old) == 1
    path, *names = fault.test.split("::")
    text = (ROOT / path).read_text(encoding="utf-8")
    for name in names:
        assert re.search(rf"^ *(def|class) {re.escape(name.partition('[')[0])}\b", text, re.MULTILINE)
