"""The static scores of packed positions: those of the networks and the terms, mixed as they are told."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from positions import game_plans, play

from engine.board.game import Game
from engine.evaluation.network import Network
from engine.evaluation.terms import evaluate_terms
from engine.tools.packed import pack
from engine.tools.teacher import Teacher, fen_of

FULL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 3 1"
FEW = "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 w - - 12 1"
SOME = "r1bq1rk1/pp3ppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R2Q1RK1 b - - 0 1"  # 28 men: three sevenths of the terms' share


@given(game_plans(40))
def test_a_record_is_read_as_it_was_written(plan: tuple[str, bool, list[int]]) -> None:
    if plan[1]:
        return
    for board, game in play(plan):
        fields = fen_of(bytes(pack(game, 12, 3))).split()
        wanted = board.fen(en_passant="legal").split()
        assert fields[:2] == wanted[:2] and fields[4] == wanted[4]
        assert set(fields[2]) == set(wanted[2])


@pytest.mark.parametrize(("fen", "share"), [(FULL, 0.0), (SOME, 0.4 * 3 / 7), (FEW, 0.4)])
def test_networks_and_terms_share_the_score(fen: str, share: float) -> None:
    game, network = Game(fen), Network()
    terms, learnt = int(evaluate_terms(game)["score"]), network.score(game)
    record = bytes(pack(game, 0, 1))
    assert Teacher([network, network], 0.4).score(record) == pytest.approx(share * terms + (1 - share) * learnt)
    assert Teacher([network], 0).score(record) == learnt


def tool(records: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "engine", "score", *words], input=records, capture_output=True, check=False
    )


def test_the_tool_scores_what_it_reads() -> None:
    records = [bytes(pack(Game(fen), 0, 1)) for fen in (FULL, SOME, FEW)]
    done = tool(b"".join(records) * 500, "--terms", "0.3")
    assert done.returncode == 0 and not done.stderr
    teacher = Teacher([Network()], 0.3)
    assert struct.unpack("<1500d", done.stdout) == tuple(map(teacher.score, records)) * 500


@pytest.mark.parametrize(
    ("records", "words", "message"),
    [
        (b"x", (), "expected positions of 32 bytes, not 1 more at the end"),
        (bytes(32), (), "position 1: "),
        (b"\1" + bytes(7) + b"\x0f" + bytes(23), (), "position 1: '?' is not a piece"),
        (b"\xff" * 32, (), "position 1: expected 32 pieces at most, side 0 or 1"),
        (b"", ("--terms", "1.5"), "--terms: expected a number from 0 to 1, not '1.5'"),
        (b"", ("--terms", "nan"), "--terms: expected a number from 0 to 1, not 'nan'"),
        (b"", ("--network", "none.net"), "none.net: No such file or directory"),
        (b"", ("--network", __file__), "test_teacher.py"),
    ],
)
def test_bad_input_is_one_line(records: bytes, words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = tool(records, *words)
    said = done.stderr.decode().strip()
    assert done.returncode == 2 and message in said and "\n" not in said
