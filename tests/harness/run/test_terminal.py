"""Commands that draw, in a real terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from terminal import Terminal

GAUNTLET = str(Path(sys.executable).with_name("gauntlet"))


@pytest.mark.parametrize("columns", [50, 80, 100, 200])
def test_a_run_is_drawn_and_ends_with_its_folder(tmp_path: Path, columns: int) -> None:
    out = tmp_path / "run"
    with Terminal([GAUNTLET, "run", "smoke", "--games", "2", "--out", str(out)], columns) as terminal:
        status = terminal.wait()
        shown = terminal.shown()
    assert "Traceback" not in shown
    assert status == 0, shown
    assert "results: " in shown
    assert shown.rfind("\x1b[?25h") > shown.rfind("\x1b[?25l"), "the cursor was not shown again"
