"""Files of positions: what is written comes back, damage is found and named, a shuffle loses nothing."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import chess
import numpy as np
import pytest
from packed_positions import boards, records

from engine.board.game import Game
from engine.tools.packed import pack as pack_in_engine
from harness.errors import BadInput
from harness.training import positions

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.pos"
    assert positions.write(path, [records(300)]) == 300
    return path


def test_record_and_back() -> None:
    for board in boards(200):
        record = np.frombuffer(positions.pack(board, -250, 2, 66_000), dtype=positions.RECORD)[0]
        found = positions.board_of(record)
        assert (found.board_fen(), found.turn, found.halfmove_clock) == (
            board.board_fen(),
            board.turn,
            board.halfmove_clock,
        )
        assert found.castling_rights == board.clean_castling_rights()
        assert (record["score"], record["result"], record["game"]) == (-250, 2, 66_000 - 65_536)


def test_the_engine_packs_the_same_bytes() -> None:
    for board in boards(200, 2):
        ours = positions.pack(board, 99, 0, 12)
        assert ours == bytes(pack_in_engine(Game(board.fen()), 99, 12))


def test_codes_are_the_pieces_in_order() -> None:
    found = positions.codes(records(100, 3))
    for row, board in zip(found, boards(100, 3), strict=True):
        codes = [board.piece_at(square) for square in chess.scan_forward(board.occupied)]
        wanted = [piece.piece_type - 1 + (0 if piece.color else 8) for piece in codes if piece]
        assert row.tolist() == wanted + [15] * (32 - len(wanted))


def test_summary(file: Path) -> None:
    found = positions.check(file)
    assert (found.positions, found.games) == (300, 8)
    assert found.won + found.drawn + found.lost == pytest.approx(1) and found.repeated < 0.1
    twice = file.with_name("twice.pos")
    positions.write(twice, [np.asarray(positions.read(file))] * 2)
    assert positions.check(twice).repeated >= 0.5


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("occupancy", 0), ("occupancy", 2**64 - 1), ("score", 2000), ("score", -32768)),
        *(("result", 4), ("side", 2), ("rights", 16)),
    ],
)
def test_a_damaged_record_is_named(file: Path, field: str, value: int) -> None:
    bad = np.array(positions.read(file))
    bad[122][field] = value
    positions.write(file, [bad])
    with pytest.raises(BadInput, match="some.pos: position 123 is damaged"):
        positions.check(file)


def test_pieces_that_cannot_stand_so_are_named(file: Path) -> None:
    good = np.array(positions.read(file))
    for change in ("kings", "pawn", "kind", "check"):
        bad = good.copy()
        board = positions.board_of(bad[40])
        if change == "kings":
            board.set_piece_at(board.king(True) or 0, chess.Piece(chess.QUEEN, True))
        elif change == "pawn":
            board.set_piece_at(next(s for s in range(56, 64) if board.piece_at(s) is None), chess.Piece(1, True))
        if change == "check":
            board = chess.Board("4k3/8/8/8/4Q3/8/8/4K3 b - - 0 1")
        raw = positions.pack(board, 0, 1, 0)
        bad[40] = np.frombuffer(raw, dtype=positions.RECORD)[0]
        if change == "kind":
            bad["pieces"][40, 0] = 6
        positions.write(file, [bad])
        with pytest.raises(BadInput, match="position 41"):
            positions.check(file)


def test_a_piece_may_not_have_the_code_of_none() -> None:
    """The places behind the last piece are filled with it where records are unpacked; the trainer's kernel takes it for a piece."""
    bad = np.frombuffer(
        positions.pack(chess.Board("4k3/8/8/3p4/8/8/8/4K3 w - - 0 1"), 0, 1, 0), positions.RECORD
    ).copy()
    bad["pieces"][0, 0] |= 0xF0
    with pytest.raises(BadInput, match="some.pos: position 1 is damaged: expected pieces from pawn to king"):
        positions.refuse_damaged("some.pos", bad)


@pytest.mark.parametrize(
    ("fen", "rights"),
    [("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", 3), ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", 12)],
)
def test_castling_rights_need_king_and_rook(file: Path, fen: str, rights: int) -> None:
    board = chess.Board(fen)
    good = np.frombuffer(positions.pack(board, 0, 1, 0), dtype=positions.RECORD)
    assert good["rights"] == rights
    positions.refuse_damaged(file, good)
    for bit in (1, 2, 4, 8):
        if not rights & bit:
            bad = good.copy()
            bad["rights"] = rights | bit
            with pytest.raises(BadInput, match="castling rights only with king and rook at home"):
                positions.refuse_damaged(file, bad)


def test_foreign_and_torn_files(tmp_path: Path, file: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_bytes(b"x" * 64)
    torn = tmp_path / "torn"
    torn.write_bytes(file.read_bytes()[:-5])
    empty = tmp_path / "empty"
    positions.write(empty, [])
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # nobody writes into it
    for path, words in (
        (foreign, "no file of positions"),
        (torn, "cut short"),
        (tmp_path / "none", "cannot be read"),
        (pipe, "no regular file"),
    ):
        with pytest.raises(BadInput, match=words):
            positions.read(path)
    with pytest.raises(BadInput, match="no positions"):
        positions.check(empty)


def test_a_shuffle_loses_nothing(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "BUCKET", 64)  # many buckets and many readings
    other = tmp_path / "other.pos"
    positions.write(other, [records(200, 9)])
    out = tmp_path / "out.pos"
    assert positions.shuffle([file, other], out, 5) == 500
    before = sorted(r.tobytes() for source in (file, other) for r in positions.read(source))
    mixed = [r.tobytes() for r in positions.read(out)]
    assert sorted(mixed) == before and mixed != before
    first = out.read_bytes()
    positions.shuffle([file, other], out, 5)
    assert out.read_bytes() == first
    positions.shuffle([file, other], out, 6)
    assert out.read_bytes() != first
    # Neighbours come from everywhere: the games of neighbours differ as often as chance has it.
    games = np.asarray(positions.read(out))["game"].astype(int)
    assert np.mean(np.diff(games) == 0) < 0.3


def test_a_link_to_another_disk_stays_one(tmp_path: Path, file: Path) -> None:
    (tmp_path / "large").mkdir()
    link, target = tmp_path / "link.pos", tmp_path / "large" / "x.pos"
    link.symlink_to(target)
    for seed in (1, 2):
        positions.shuffle([file], link, seed)
        assert link.is_symlink() and len(positions.read(target)) == 300
    assert list(target.parent.iterdir()) == [target]


def test_a_disk_without_room_is_said_with_the_name_of_the_file(tmp_path: Path) -> None:
    """Both while the buckets are filled and while the file is written."""
    source, out = tmp_path / "a.pos", tmp_path / "b.pos"
    positions.write(source, [np.zeros(4_000, dtype=positions.RECORD)])
    words = [sys.executable, "-m", "harness.cli", "data", "--shuffle", str(source), "--out", str(out)]
    done = subprocess.run(
        words,
        cwd=ROOT,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)),
    )
    assert done.returncode == 2 and done.stderr == f"{out}: cannot be written: File too large\n", done.stderr
    assert sorted(tmp_path.iterdir()) == [source]
