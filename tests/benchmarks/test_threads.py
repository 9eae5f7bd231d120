"""benchmarks/threads.py: the positions that it takes, and what is said of others."""

from __future__ import annotations

from pathlib import Path

import benchmark_tool
import pytest
from engine_process import ROOT

threads = benchmark_tool.load("threads")
END = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -"


def test_middlegames_or_all_positions(tmp_path: Path) -> None:
    assert len(threads.middlegames(ROOT / "openings" / "screen.epd")) == threads.POSITIONS
    file = tmp_path / "some.epd"
    file.write_text(f'# some\n{END} id "one";\n{END} 3 20\n')
    assert threads.middlegames(file) == [END, f"{END} 3 20"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no positions"),
        (b"\xff", "text file"),
        (b"nonsense", ":1: "),
        (b"7k/5Q2/6K1/8/8/8/8/8 b - -\n", ":1: the game is over there"),
        (None, "No such file"),
    ],
)
def test_a_file_without_positions_is_named(tmp_path: Path, content: bytes | None, words: str) -> None:
    file = tmp_path / "bad.epd"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ValueError, match=rf"bad\.epd.*{words}"):
        threads.middlegames(file)
