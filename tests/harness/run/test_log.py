"""The log of a run takes every line, whatever stands in it."""

from __future__ import annotations

from pathlib import Path

from harness.run.log import Log


def test_the_name_of_a_folder_that_is_not_text_is_no_reason_to_end_a_run(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    Log(path)("paused: no game is begun until gauntlet continue 'caf\udce9'")
    assert path.read_text(encoding="utf-8").endswith(" paused: no game is begun until gauntlet continue 'caf?'\n")
