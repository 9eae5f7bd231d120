"""Adjudication by Syzygy tables: real files of the format, made here, read by python-chess."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest
from fake_engines.runs import experiment, gauntlet, show

from harness.books.tablebase import Tablebase, fault_of
from harness.errors import BadInput
from harness.spec.reader import parse

ENGINES = '[engines.a]\ncommand = "cat"\n[engines.b]\ncommand = "cat"\n'


def make_table(folder: Path, name: str, pieces: tuple[int, ...], strong: int, weak: int) -> Path:
    """Writes a table with one value for each side to move (0 loss to 4 win), which the format stores in two bytes.

    For a queen or rook against a bare king that is the truth: the strong side wins, the weak one loses, and what the
    weak one can take the prober sees by itself; stalemates the referee has seen before anybody asks.
    """
    data = bytearray(bytes.fromhex("71e8235d"))
    data += bytes([1])  # both sides to move are stored
    data += bytes([0, *(piece | piece << 4 for piece in pieces)])
    data += bytes(len(data) % 2)
    data += bytes([0x80, strong, 0x80, weak])
    data += bytes(64 - len(data)) + bytes(16)
    path = folder / f"{name}.rtbw"
    path.write_bytes(data)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tables = tmp_path / "tables"
    tables.mkdir()
    make_table(tables, "KQvK", (6, 5, 14), 4, 0)
    make_table(tables, "KRvK", (6, 4, 14), 4, 0)
    make_table(tables, "KNvK", (6, 2, 14), 2, 2)
    return tables


@pytest.mark.parametrize(
    "fen, verdict",
    [
        ("8/8/8/8/8/1k1Q4/8/K7 b - - 0 1", ("1-0", "adjudicated-win")),
        ("8/8/8/8/1k6/3Q4/8/K7 w - - 0 1", ("1-0", "adjudicated-win")),
        ("8/8/8/8/8/1K1q4/8/k7 w - - 0 1", ("0-1", "adjudicated-win")),
        ("k7/8/8/8/8/8/r7/2K5 b - - 0 1", ("0-1", "adjudicated-win")),
        # The king takes the queen, and two kings are a draw.
        ("8/8/8/8/8/2kQ4/8/K7 b - - 0 1", ("1/2-1/2", "adjudicated-draw")),
        ("8/8/8/8/8/1k1N4/8/K7 b - - 0 1", ("1/2-1/2", "adjudicated-draw")),
        # Not asked: the draw counter has begun to run, more men than the tables have, a table that is missing.
        ("8/8/8/8/8/1k1Q4/8/K7 b - - 3 9", None),
        ("8/8/8/8/8/1k1Qp3/8/K7 b - - 0 1", None),
        ("8/8/8/8/8/1k1B4/8/K7 b - - 0 1", None),
        # A right to castle is not in the tables.
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", None),
    ],
)
def test_verdicts(folder: Path, fen: str, verdict: tuple[str, str] | None) -> None:
    assert Tablebase(str(folder)).verdict(chess.Board(fen)) == verdict


@pytest.mark.parametrize("value, verdict", [(3, "adjudicated-draw"), (1, "adjudicated-draw"), (4, "adjudicated-win")])
def test_a_win_that_the_fifty_move_rule_spoils_is_a_draw(tmp_path: Path, value: int, verdict: str) -> None:
    make_table(tmp_path, "KQvK", (6, 5, 14), value, 4 - value)
    found = Tablebase(str(tmp_path)).verdict(chess.Board("8/8/8/8/1k6/3Q4/8/K7 w - - 0 1"))
    assert found is not None and found[1] == verdict


def test_a_game_ends_when_a_capture_reaches_the_tables(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "queen.epd").write_text("7k/8/8/8/8/3p4/8/K2Q4 w - -\n")
    text = '[experiment]\ngames = 2\ndepth = 3\n[adjudication]\nsyzygy = "tables"\n'
    spec = experiment(tmp_path, text, a="instead=move_d1d3@1", b="instead=move_d1d3@1")
    spec.write_text(spec.read_text().replace(str(tmp_path / "book.pgn"), str(tmp_path / "queen.epd")))
    done = gauntlet("run", spec, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    found = show(tmp_path / "out")
    assert found["reasons"] == {"adjudicated-win": 2} and found["plies"] == 2
    pgn = gauntlet("pgn", tmp_path / "out").stdout
    assert pgn.count('[Termination "adjudication"]') == 2 and pgn.count('[Result "1-0"]') == 2


def test_a_folder_without_tables_is_refused_in_one_line(tmp_path: Path, folder: Path) -> None:
    def refusal(name: str) -> str:
        text = ENGINES + f'[adjudication]\nsyzygy = "{name}"\n'
        with pytest.raises(BadInput) as caught:
            parse(text, "fast.toml", tmp_path)
        return str(caught.value)

    parse(ENGINES + '[adjudication]\nsyzygy = "tables"\n', "fast.toml", tmp_path)
    place = "fast.toml: [adjudication] syzygy"
    assert refusal("none") == f'{place} "none": no such folder'
    (tmp_path / "empty").mkdir()
    assert refusal("empty") == f'{place} "empty": no tables in it (files like KQvK.rtbw)'
    whole = (folder / "KQvK.rtbw").read_bytes()
    for damaged in (b"", whole[:40], b"MZ" + whole[2:]):
        (folder / "KQvK.rtbw").write_bytes(damaged)
        assert refusal("tables") == f'{place} "tables": KQvK.rtbw is no Syzygy table, or not the whole of one'
    assert fault_of(tmp_path / "empty") is not None
