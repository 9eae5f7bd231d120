"""What gauntlet hears of Sortie before a run: its options, or its own line why it does not start."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.engines import sortie
from harness.errors import BadInput


def program(folder: Path, code: str) -> tuple[str, ...]:
    path = folder / "sortie"
    path.write_text(f"#!{sys.executable}\nimport sys\n{code}\n")
    path.chmod(0o755)
    return (str(path),)


def test_a_sortie_that_does_not_start_says_why(tmp_path: Path) -> None:
    words = program(tmp_path, "sys.exit('sortie: engine/x.py is newer than its compiled module: run make build')")
    with pytest.raises(BadInput) as caught:
        sortie.ask(words)
    assert str(caught.value) == f"{words[0]}: engine/x.py is newer than its compiled module: run make build"
    assert sortie.tunables(words) == {}


@pytest.mark.parametrize(
    "code",
    [
        "sys.exit('no such option')",
        "print('{}')",
        "print('[1]')",
        "print('[' * 100_000)",
        "print('hello')",
        "sys.exit(0)",
    ],
)
def test_what_is_no_sortie_is_called_so(tmp_path: Path, code: str) -> None:
    with pytest.raises(BadInput, match="is not Sortie"):
        sortie.ask(program(tmp_path, code))
