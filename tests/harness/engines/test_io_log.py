"""The file of every line to and from an engine: whatever keeps it from being written, the last lines are kept."""

from __future__ import annotations

from pathlib import Path

from harness.engines.io_log import FOLDER, IoLog


def test_a_long_name_makes_a_file_all_the_same(tmp_path: Path) -> None:
    for name in ("y" * 300, "ö" * 300):
        log = IoLog(tmp_path / FOLDER, name, 4194303, 2)
        log.append("uci\n")
        assert log.path.read_text(encoding="utf-8").endswith(" > uci\n")


def test_a_file_that_cannot_be_made_stops_no_game(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("no folder")
    log = IoLog(tmp_path / FOLDER, "engine", 1, 2)
    log.append("uci\n")
    assert list(log) == ["uci\n"]
