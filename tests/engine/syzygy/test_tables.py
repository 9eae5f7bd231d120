"""Syzygy tables against python-chess: results, distances, the number of a position, and what is no table."""

from __future__ import annotations

import os
import random
import shutil
import struct
from pathlib import Path

import chess
import chess.syzygy
import pytest
from endgame_tables import FEW, SETS, need, placed, write_constant

from engine.board.game import Game
from engine.syzygy.tables import Tables

WANDERED = "8/8/8/8/8/3k4/8/R3K3 w - - 0 1"
POSITIONS = 40  # of each ending
LARGE = (
    "KQRBvKN KRRvKR KQQvKQ KRBNvKBN KNNNvKNN KPPvK KPPvKP KPPvKPP KPPPvKPP KRPvKRP KQPPvKRP KRPPvKQP KBBPvKNP "
    "KQQQQvKQ KRRBBvKR KBBNNvK KRRvKRR KQRBNPvK KRPPvKRP KRRRvKQQ KBBvKNN KPPPPPvK KPPPPvKP KRRRvKNP"
).split()


def accepted(board: chess.Board) -> bool:
    """Whether Sortie takes the position for one that a game can reach."""
    try:
        Game(board.fen())
    except ValueError:
        return False
    return True


def told(tables: Tables, board: chess.Board) -> tuple[int | None, int | None]:
    game = Game(board.fen())
    return tables.wdl(game), tables.dtz(game)


@pytest.mark.parametrize("folder", SETS, ids=["few", "all"])
def test_results_and_distances_are_those_of_python_chess(folder: Path) -> None:
    tables = Tables(str(need(folder)))
    assert tables.faults == []
    names = sorted(path.stem for path in folder.glob("*.rtbz"))
    rng = random.Random(20)
    seen = set()
    with chess.syzygy.open_tablebase(str(folder)) as oracle:
        for name in names:
            for _ in range(POSITIONS):
                board = placed(name, rng, accepted)
                expected = oracle.probe_wdl(board), oracle.probe_dtz(board)
                assert told(tables, board) == expected, board.fen()
                seen.add((expected[0], (expected[1] > 0) - (expected[1] < 0), board.ep_square is not None))
    assert {(2, 1, False), (0, 0, False), (-2, -1, False)} <= seen


@pytest.mark.parametrize(
    "fen, wdl, dtz",
    [
        ("8/8/8/8/8/1k1Q4/8/K7 b - - 0 1", -2, -10),
        ("8/8/8/8/8/2kQ4/8/K7 b - - 0 1", 0, 0),  # the king takes her
        ("7k/5K2/8/6Q1/8/8/8/8 w - - 0 1", 2, 1),  # mate
        ("7k/5Q2/5K2/8/8/8/8/8 b - - 0 1", 0, 0),  # stalemate
        ("7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", -2, -1),  # mated
        ("8/8/8/8/8/3k4/8/3K4 w - - 0 1", 0, 0),  # no file speaks of two kings
        ("8/8/8/8/1k6/4P3/8/4K3 w - - 0 1", 2, 15),
        ("8/8/8/8/8/1k1B4/8/K6n w - - 0 1", None, None),  # no such table here
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", None, None),  # a right to castle
        ("8/8/8/8/8/1k1Qpp2/8/K7 b - - 0 1", None, None),  # too many men
    ],
)
def test_single_positions(fen: str, wdl: int | None, dtz: int | None) -> None:
    tables = Tables(str(FEW))
    assert (tables.wdl(Game(fen)), tables.dtz(Game(fen))) == (wdl, dtz)


@pytest.mark.parametrize("name", LARGE)
def test_the_number_of_a_position_is_that_of_python_chess(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Endings of five to seven men, of which no table is at hand: files with one value show at which index it was sought."""
    rng = random.Random(name)
    path = write_constant(tmp_path, name, 2, rng)
    asked: list[int] = []
    plain = chess.syzygy.WdlTable.decompress_pairs

    def listen(self: chess.syzygy.WdlTable, d: chess.syzygy.PairsData, index: int) -> int:
        asked.append(index)
        return plain(self, d, index)

    monkeypatch.setattr(chess.syzygy.WdlTable, "decompress_pairs", listen)
    tables = Tables(str(tmp_path))
    assert tables.faults == []
    with chess.syzygy.WdlTable(str(path)) as oracle:
        for _ in range(100):
            board = placed(name, rng, accepted)
            board.ep_square = None
            assert oracle.probe_wdl_table(board) == 2
            assert tables.number(Game(board.fen())) == asked[-1], board.fen()


def test_several_folders_and_a_file_in_both(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, names in ((one, ("KQvK", "KRvK")), (other, ("KRvK", "KPvK"))):
        folder.mkdir()
        for name in names:
            shutil.copy(FEW / f"{name}.rtbw", folder)
    tables = Tables(f"{one}:{other}")
    assert tables.summary() == "3 Syzygy tables, used with up to 3 men"
    assert tables.wdl(Game("8/8/8/8/1k6/4P3/8/4K3 w - - 0 1")) == 2
    assert tables.dtz(Game("8/8/8/8/1k6/4P3/8/4K3 w - - 0 1")) is None


def test_a_folder_that_is_missing_is_named_and_the_others_serve(tmp_path: Path) -> None:
    none = tmp_path / "none"
    tables = Tables(f"{none}:{FEW}:{tmp_path}")
    assert tables.faults == [f"{none}: No such file or directory"]
    assert tables.wdl(Game("8/8/8/8/1k6/4R3/8/4K3 w - - 0 1")) == 2


def test_a_path_without_tables_is_refused(tmp_path: Path) -> None:
    (tmp_path / "KQvK.txt").touch()
    (tmp_path / "KXvK.rtbw").touch()
    for path, expected in (
        (str(tmp_path / "none"), f"{tmp_path / 'none'}: No such file or directory"),
        (str(tmp_path), f"{tmp_path}: no Syzygy tables (.rtbw, .rtbz) there"),
        (str(tmp_path / "KQvK.txt"), f"{tmp_path / 'KQvK.txt'}: Not a directory"),
        (f"{tmp_path}:{tmp_path / 'none'}", f"{tmp_path / 'none'}: No such file or directory"),
    ):
        with pytest.raises(ValueError) as caught:
            Tables(path)
        assert str(caught.value) == expected


def test_what_is_no_table_is_named_and_the_others_serve(tmp_path: Path) -> None:
    shutil.copy(FEW / "KRvK.rtbw", tmp_path)
    whole = (FEW / "KPvK.rtbw").read_bytes()
    for number, damaged in enumerate(
        (
            b"",
            whole[:10],
            whole[:-64],
            whole[:80],
            b"x" * 80,
            (FEW / "KRvK.rtbw").read_bytes(),
            (FEW / "KPvK.rtbz").read_bytes(),
        )
    ):
        path = tmp_path / "KPvK.rtbw"
        path.write_bytes(damaged)
        tables = Tables(str(tmp_path))
        assert tables.faults == [f"{path}: is no Syzygy table, or not the whole of one"], number
        assert tables.wdl(Game("8/8/8/8/1k6/4P3/8/4K3 w - - 0 1")) is None
        assert tables.wdl(Game("8/8/8/8/1k6/4R3/8/4K3 w - - 0 1")) == 2


def test_blocks_whose_sizes_pass_64_bits_together(tmp_path: Path) -> None:
    data = bytearray((FEW / "KPvK.rtbw").read_bytes())
    head = 22  # behind the orders of four files
    for number in range(8):
        assert not data[head] & 128  # no CONSTANT
        blocks = 2**31 - (32 if number == 7 else 0)  # the last makes up for the lists of lengths
        data[head + 1] = 30
        struct.pack_into("<I", data, head + 4, blocks)
        at = head + 10 + 2 * (data[head + 8] - data[head + 9] + 1)
        symbols = int.from_bytes(data[at : at + 2], "little")
        head = at + 2 + 3 * symbols + symbols % 2
    path = tmp_path / "KPvK.rtbw"
    path.write_bytes(data)
    assert Tables(str(tmp_path)).faults == [f"{path}: is no Syzygy table, or not the whole of one"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes among its files")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe, folder = tmp_path / "KQvK.rtbw", tmp_path / "KRvK.rtbw"
    os.mkfifo(pipe)
    folder.mkdir()
    handle = os.open(pipe, os.O_RDWR)  # without a writer, who opens it to read waits for ever
    tables = Tables(str(tmp_path))
    os.close(handle)
    assert tables.faults == [f"{pipe}: is no regular file", f"{folder}: is no regular file"]


@pytest.mark.parametrize("name", ["KPvK", "KRvKR", "KRvK", "KRPvK"])
def test_damage_inside_a_file_is_survived(name: str, tmp_path: Path) -> None:
    """Whatever stands in it, reading stays inside the file and comes to an end; the debug build would tell of anything else."""
    rng = random.Random(name)
    for path in FEW.glob("*.rtb?"):
        shutil.copy(path, tmp_path)
    wrong = 0
    for round_ in range(60):
        for kind in ("rtbw", "rtbz"):
            data = bytearray((FEW / f"{name}.{kind}").read_bytes())
            # The head is small and most of what can go wrong: half of the damage is done there.
            for _ in range(rng.randrange(1, 6)):
                data[rng.randrange(5, min(300, len(data)) if round_ % 2 else len(data))] = rng.randrange(256)
            (tmp_path / f"{name}.{kind}").write_bytes(data)
        tables = Tables(str(tmp_path))
        for _ in range(40):
            board = placed(name, rng, accepted)
            wdl, dtz = told(tables, board)
            assert wdl is None or -2 <= wdl <= 2
            wrong += wdl is None or dtz is None
    assert wrong  # some of it was noticed


def test_what_a_root_keeps() -> None:
    tables = Tables(str(FEW))

    def kept(fen: str) -> tuple[int, list[str]]:
        game = Game(fen)
        ruling = tables.rule(game, game.legal_moves())
        assert ruling is not None and ruling.exact
        return ruling.score, sorted(game.coordinates(move) for move in ruling.moves)

    assert kept("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1") == (20000, ["e6d6", "e6f6"])
    # A win that the fifty-move rule has almost taken: the shortest way alone is left.
    score, moves = kept(WANDERED.replace(" 0 1", " 60 90"))
    assert score == 20000 and len(moves) < 4
    # A position that has come back: no more wandering.
    game = Game(WANDERED)
    free = tables.rule(game, game.legal_moves())
    for word in ("a1a2", "d3c3", "a2a1", "c3d3"):
        game.push(game.parse(word))
    strict = tables.rule(game, game.legal_moves())
    assert free is not None and strict is not None and strict.moves < free.moves
    # Too late: nothing wins any more, and the draw is what it is.
    assert kept("8/8/8/3k4/8/8/8/R3K3 w - - 98 150")[0] == 0
    # The loser keeps what he has, too: all moves lose.
    assert kept("8/8/8/8/8/3k4/8/R3K3 b - - 0 1")[0] == -20000
