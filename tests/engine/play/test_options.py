"""The table of options: what they refuse, and that the operators' page knows them."""

from __future__ import annotations

import pytest
from engine_process import ROOT

from engine.play.options import OWN, Settings


def test_settings_refuse_without_changing() -> None:
    settings = Settings()
    for name, value in (("Level", "0"), ("Level", "x"), ("OwnBook", "perhaps"), ("memory", "0"), ("cores", "999")):
        with pytest.raises(ValueError, match=name):
            settings.set(name, value)
    assert settings.number("Level") == 20 and not settings.on("OwnBook") and settings.cores == 1
    settings.set("ResignThreshold", "500")
    assert settings.number("LossScore") == 500 and settings.chosen("LossScore")


def test_the_operators_page_knows_every_own_option() -> None:
    page = (ROOT / "docs" / "operators.md").read_text()
    for option in OWN:
        row = next(line for line in page.splitlines() if line.startswith(f"| `{option.name}` "))
        assert option.kind in ("button", "check") or (option.default or "empty") in row
    for option in OWN:
        if option.kind == "spin":
            assert f"| {option.minimum} to {option.maximum} |" in page
