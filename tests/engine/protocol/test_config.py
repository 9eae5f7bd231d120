"""Where the settings file is looked for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.protocol import config


def test_the_file_beside_the_program_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "sortie"
    program.parent.mkdir()
    program.write_text("")
    link = tmp_path / "link" / "sortie"
    link.parent.mkdir()
    link.symlink_to(program)
    monkeypatch.setattr(sys, "argv", [str(link)])
    assert config.beside_program() is None
    beside = program.parent / "sortie.ini"
    beside.write_text("Level=5\n")
    assert config.beside_program() == str(beside)
    own = link.parent / "sortie.ini"
    own.write_text("Level=6\n")
    assert config.beside_program() == str(own)
    package = tmp_path / "checkout" / "engine" / "__main__.py"
    monkeypatch.setattr(sys, "argv", [str(package)])
    package.parent.mkdir(parents=True)
    (tmp_path / "checkout" / "sortie.ini").write_text("")
    assert config.beside_program() == str(tmp_path / "checkout" / "sortie.ini")
