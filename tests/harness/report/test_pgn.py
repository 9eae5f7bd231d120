"""PGN of finished games: tags, comments, escapes, read back by python-chess."""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path

import chess
import chess.pgn
import pytest
import synthetic
from click.testing import CliRunner
from synthetic import record

from harness.commands.results.pgn import command
from harness.errors import BadInput
from harness.journal.journal import Reader
from harness.model import Job, MoveRecord, Opening
from harness.report import pgn
from harness.schedule import jobs as schedule


def read(folder: Path) -> tuple[str, list[chess.pgn.Game]]:
    with Reader(folder) as reader:
        text = "".join(pgn.games(reader))
    stream, found = io.StringIO(text), []
    while (game := chess.pgn.read_game(stream)) is not None:
        assert not game.errors
        found.append(game)
    return text, found


def test_a_run(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path, synthetic.TEXT.replace("lmr-off", r'"q\"b\\ \u00fc"'))
    jobs = list(schedule.jobs(found))
    opening = jobs[0].opening
    board = chess.Board()
    for move in opening.moves:
        board.push_uci(move)
    played = [MoveRecord(board.uci(list(board.legal_moves)[0]), 50.4, 40.0, 0.1, 12, 900, 31)]
    synthetic.journal(tmp_path, found, [record(jobs[1], "1/2-1/2"), record(jobs[0], "1-0", "resign", tuple(played))])
    text, games = read(tmp_path)
    assert [game.headers["GameId"] for game in games] == ["1", "2"]
    first, second = games
    # As the PGN standard has it: a quote and a backslash inside a value stand behind a backslash.
    assert '[White "q\\"b\\\\ ü"]' in text and '[Black "q\\"b\\\\ ü"]' in text
    assert first.headers["Black"] == "base"
    wanted = {
        "Event": "made-up",
        "Date": "2027.01.15",
        "Round": "1.1",
        "Result": "1-0",
        "Termination": "normal",
        "Reason": "resign",
        "TimeControl": "-",
        "Limit": "nodes=2000",
        "PlyCount": str(len(opening.moves) + 1),
    }
    assert {key: first.headers[key] for key in wanted} == wanted
    assert second.headers["Round"] == "1.2" and second.headers["Reason"] == "repetition"
    assert "FEN" not in first.headers and "Variant" not in first.headers
    comments = [node.comment for node in first.mainline()]
    assert comments == ["book"] * len(opening.moves) + ["+0.31/12 0.050s"]
    assert text.count("{book}") == 2 * len(opening.moves) and "{+0.31/12 0.050s}" in text
    assert max(len(line) for line in text.splitlines()) <= 80
    done = CliRunner().invoke(command, [str(tmp_path), "--out", str(tmp_path / "x.pgn")], catch_exceptions=False)
    assert done.exit_code == 0 and (tmp_path / "x.pgn").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("limit", "control", "extra"),
    [
        ('time = "2+0.02"', "2+0.02", None),
        ('time = "40/60+0.5"', "40/60+0.5", None),
        ('time = "40/60"', "40/60", None),
        ("movetime = 0.1", "0.1/move", None),
        ("depth = 5", "-", "depth=5"),
    ],
)
def test_time_controls(tmp_path: Path, limit: str, control: str, extra: str | None) -> None:
    found = synthetic.plan(tmp_path, synthetic.TEXT.replace("nodes = 2000", limit))
    synthetic.journal(tmp_path, found, [record(next(iter(schedule.jobs(found))), "0-1")])
    game = read(tmp_path)[1][0]
    assert game.headers["TimeControl"] == control and game.headers.get("Limit") == extra


def test_players_with_limits_of_their_own(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path, synthetic.TEXT.replace('LMR = "off"', 'LMR = "off"\nmovetime = 1.5'))
    synthetic.journal(tmp_path, found, [record(next(iter(schedule.jobs(found))), "0-1")])
    headers = read(tmp_path)[1][0].headers
    assert headers["WhiteTimeControl"] == "1.5/move" and headers["BlackLimit"] == "nodes=2000"


def test_a_file_of_games_is_replaced_only_by_a_whole_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, [record(job, "1-0") for job in schedule.jobs(found)])
    again = [str(tmp_path), "--out", "~/games.pgn"]
    CliRunner().invoke(command, again, catch_exceptions=False)
    whole = (tmp_path / "games.pgn").read_text(encoding="utf-8")
    assert whole == read(tmp_path)[0]
    with sqlite3.connect(tmp_path / "games.db") as db:
        db.execute("UPDATE moves SET crc = 1 WHERE id = 3")
    db.close()
    with pytest.raises(BadInput, match="game 3 is damaged"):
        CliRunner().invoke(command, again, catch_exceptions=False)
    assert (tmp_path / "games.pgn").read_text(encoding="utf-8") == whole
    assert not list(tmp_path.glob(".games.pgn.*"))


def test_fischer_random_from_a_position_with_black_to_move(tmp_path: Path) -> None:
    text = synthetic.TEXT.replace("games = 8", "games = 8\nchess960 = true")
    found = synthetic.plan(tmp_path, text)
    fen = "1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 b GBgb - 0 7"
    job = Job(1, 0, 1, 1, 0, 2, Opening(fen, (), "rooks"))
    synthetic.journal(
        tmp_path, found, [record(job, "1/2-1/2", moves=(MoveRecord("e8g8", 1.0), MoveRecord("e1b1", 2.0)))]
    )
    content, (game,) = read(tmp_path)
    assert game.headers["Variant"] == "fischerandom" and game.headers["SetUp"] == "1" and game.headers["FEN"] == fen
    assert "7... O-O {0.001s}" in content and "8. O-O-O {0.002s}" in content


@pytest.mark.parametrize(
    ("score", "depth", "comment"),
    [
        (-5, 3, "{-0.05/3 0.007s}"),
        (100_003, 9, "{+M3/9 0.007s}"),
        (-100_002, 9, "{-M2/9 0.007s}"),
        (0, None, "{+0.00 0.007s}"),
    ],
)
def test_remarks(score: int, depth: int | None, comment: str) -> None:
    assert pgn.remark(MoveRecord("e2e4", 7.0, depth=depth, score=score)) == comment


def test_every_fault_has_a_termination() -> None:
    assert {pgn.TERMINATION[word] for word in ("time", "stall", "crash", "illegal", "claim", "protocol")} == {
        "time forfeit",
        "stalled connection",
        "abandoned",
        "illegal move",
        "rules infraction",
    }
    assert pgn.TERMINATION["move-limit"] == pgn.TERMINATION["adjudicated-draw"] == "adjudication"


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("e2e4 e7e5 g1f3", "e4 e5 Nf3"),
        ("e4 e5 Nf3", "e4 e5 Nf3"),
        ("1. e4 e5 2. Nf3 Nc6 <HT>", "e4 e5 Nf3 Nc6"),
        ("1.e4 e5 2.Ke3", "e4 e5"),
        ("e2e4 e7e5 e7e5", "e4 e5"),
        ("e2e4 0000 e7e5", "e4"),
        ("1. e4 -- 2. Nf3", "e4"),
        ("e4 e5 2.Z0 Nc6", "e4 e5"),
        ("d2d4 d7d5", ""),  # not of the move made
        ("{} (x) 1-0 0000", ""),
        ("", ""),
    ],
)
def test_a_line_of_play_is_told_as_far_as_it_is_legal(written: str, line: str) -> None:
    board = chess.Board()
    assert pgn.line_of_play(board, MoveRecord("e2e4", 1.0, line=written)) == line
    assert board == chess.Board()
