"""Games against itself: reproducible, decided as they say, and their positions packed as the board stands."""

from __future__ import annotations

import itertools
import json
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

import chess
import chess.polyglot
import pytest
from hypothesis import given
from positions import game_plans, play

from engine.board.game import Game
from engine.play import options
from engine.play.book import Book, shipped
from engine.tools.packed import RECORD, RESULT_AT, is_calm, pack
from engine.tools.selfplay import DRAW, LOSS, UNKNOWN, WIN, Played, Player, Settings, Verdict, ended
from engine.variant.features import Features

FIELDS = struct.Struct("<Q16shHBBBB")


def unpack(record: bytes) -> tuple[chess.Board, int, int, int]:
    """Board, score, result and game of a record, read by the words of docs/network.md."""
    occupancy, pieces, score, game, result, side, rule50, rights = FIELDS.unpack(record)
    board = chess.Board(None)
    for place, square in enumerate(chess.scan_forward(occupancy)):
        code = pieces[place // 2] >> 4 * (place % 2) & 15
        board.set_piece_at(square, chess.Piece(code % 8 + 1, code < 8))
    board.turn = side == 0
    board.halfmove_clock = rule50
    for bit, square in ((1, chess.H1), (2, chess.A1), (4, chess.H8), (8, chess.A8)):
        if rights & bit:
            board.castling_rights |= chess.BB_SQUARES[square]
    return board, score, result, game


@given(game_plans(40))
def test_a_record_is_the_position(plan: tuple[str, bool, list[int]]) -> None:
    if plan[1]:
        return
    for board, game in play(plan):
        found, score, _, number = unpack(bytes(pack(game, -37, 70_000)))
        assert (found.board_fen(), found.turn) == (board.board_fen(), board.turn)
        assert found.halfmove_clock == min(255, board.halfmove_clock)
        assert found.castling_rights == board.clean_castling_rights()
        assert (score, number) == (-37, 70_000 - 65_536)


@given(game_plans(30))
def test_calm_is_no_check_and_no_capture(plan: tuple[str, bool, list[int]]) -> None:
    for board, game in play(plan):
        for code in game.legal_moves():
            noisy = board.is_capture(move := board.parse_san(game.san(code))) or move.promotion
            assert is_calm(game, code) == (not board.is_check() and not noisy)


def as_shipped(seed: int) -> Player:
    return Player(Settings(150, (8, 10), seed), Features(), options.network_of(options.Settings()))


@pytest.fixture(scope="module")
def player() -> Player:
    return as_shipped(7)


@pytest.fixture(scope="module")
def games(player: Player) -> list[Played]:
    return [player.play(number) for number in range(1, 13)]


def test_a_game_is_a_function_of_seed_and_number(player: Player, games: list[Played]) -> None:
    again = player.play(5)
    assert again._replace(seconds=0) == games[4]._replace(seconds=0)
    other = as_shipped(8).play(5)
    assert other.records != again.records
    assert len({game.records for game in games}) == len(games)


def test_positions_of_games(player: Player, games: list[Played]) -> None:
    for game in games:
        assert len(game.records) % RECORD == 0 and game.plies >= 8 and game.nodes > 0
        for first in range(0, len(game.records), RECORD):
            board, score, result, number = unpack(game.records[first : first + RECORD])
            assert board.is_valid() and not board.is_check() and abs(score) < 2000 and number == game.game
            assert (result if board.turn else 2 - result) == game.result
    assert len({game.result for game in games}) > 1
    # With one network a dozen games in a row were all decided by score.
    more = (player.play(number).reason for number in range(13, 100))
    assert any(reason != games[0].reason for reason in itertools.chain((game.reason for game in games), more))
    # Who was ahead at the end has won: results are not turned round.
    for game in games:
        if game.reason == "score" and game.records:
            board, score, result, _ = unpack(game.records[-RECORD:])
            assert (score > 0) == (result == WIN)


def test_strays_stand_behind_their_game() -> None:
    """Positions beside the game: calm, undecided, without a result, the same whenever the game is played."""
    network = options.network_of(options.Settings())
    player = Player(Settings(150, (8, 10), 7, 60), Features(), network)
    played = [player.play(number) for number in (1, 2, 3)]
    assert played[1].records == Player(Settings(150, (8, 10), 7, 60), Features(), network).play(2).records
    for game in played:
        rows = [game.records[first : first + RECORD] for first in range(0, len(game.records), RECORD)]
        own = [row for row in rows if row[RESULT_AT] != UNKNOWN]
        strays = rows[len(own) :]
        assert strays and all(row[RESULT_AT] == UNKNOWN for row in strays)
        assert len({row[:24] for row in strays} - {row[:24] for row in own}) > len(strays) // 2
        for board, score, _, number in map(unpack, strays):
            assert board.is_valid() and not board.is_check() and any(board.legal_moves)
            assert abs(score) < 2000 and number == game.game


def test_games_follow_a_book_to_its_end() -> None:
    """Then random plies; and an opening that the first search scores beyond the balance is drawn again."""
    path = shipped()
    assert path is not None
    book, played = Book(path), Player(Settings(150, (1, 2), 7, 0, path, 60), Features())
    lines = set()
    for seed in range(20):
        game = played.opening(random.Random(seed))
        assert game is not None
        followed, moves = Game(), game.moves()
        while entries := book.moves(followed):
            code = followed.parse(moves[0])
            assert code in {entry.move for entry in entries}
            followed.push(code)
            moves = moves[1:]
        assert 1 <= len(moves) <= 2
        lines.add(game.fen())
    assert len(lines) == 20
    calm = [Player(Settings(150, (4, 4), 7, 0, path, 20), Features()).play(number).records for number in range(1, 5)]
    wild = [Player(Settings(150, (4, 4), 7, 0, path, 2000), Features()).play(number).records for number in range(1, 5)]
    assert calm != wild


def test_a_game_ends_when_both_sides_agree() -> None:
    verdict = Verdict()
    assert [verdict.after(score, 50) for score in (2100, 2500, -2100, -2100, -2500)] == [None] * 5
    assert verdict.after(-3000, 50) == (LOSS, "score")
    verdict = Verdict()
    assert [verdict.after(score, 50) for score in (2100, 2500, 1999, 2100, 2100, 2100)] == [None] * 6
    assert verdict.after(2100, 50) == (WIN, "score")
    verdict = Verdict()
    assert [verdict.after(0, ply) for ply in range(73, 80)] == [None] * 7
    assert verdict.after(-8, 80) == (DRAW, "level")
    assert ended(Game("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")) == (DRAW, "Stalemate")
    assert ended(Game("6k1/8/8/8/8/8/5PPP/r5K1 w - - 0 1")) == (LOSS, "Black mates")


def tool(numbers: str | bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "engine", "selfplay", "--nodes", "150", *words],
        input=numbers.encode() if isinstance(numbers, str) else numbers,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},  # as where the locale is a country's, not C
        capture_output=True,
        check=False,
    )


def test_the_tool_plays_what_it_is_told(games: list[Played]) -> None:
    done = tool("5\n2\n", "--seed", "7")
    assert done.returncode == 0 and not done.stderr
    rest = done.stdout
    for wanted in (games[4], games[1]):
        line, _, rest = rest.partition(b"\n")
        head = json.loads(line)
        assert (head["game"], head["plies"], head["result"]) == (wanted.game, wanted.plies, wanted.result)
        size = head["positions"] * RECORD
        assert rest[:size] == wanted.records
        rest = rest[size:]
    assert not rest


@pytest.mark.parametrize(
    ("numbers", "words", "message"),
    [
        ("x\n", (), "expected the number of a game on each line, not 'x'"),
        (b"\xff\n", (), "expected the number of a game on each line, not '\\xff'"),
        ("9" * 5000, (), "expected the number of a game on each line, not '99"),
        ("", ("--random-plies", "9" * 5000), "--random-plies: expected LEAST-MOST"),
        ("", ("--random-plies", "8-"), "--random-plies: expected LEAST-MOST"),
        ("", ("--random-plies", "9-8"), "--random-plies: expected LEAST-MOST"),
        ("", ("--nodes", "0"), "expected a whole number from 1"),
        ("", ("--strays", "101"), "'--strays': expected a whole number from 0 to 100, not '101'"),
        ("", ("--book", "none.bin"), "none.bin: No such file or directory, expected a Polyglot book"),
        ("", ("--book", __file__), "test_selfplay.py: "),
        ("", ("--balance", "0"), "'--balance': expected a whole number from 1 to 2000, not '0'"),
        ("", ("--option", "LMR=tabel"), "tabel"),
        ("", ("--option", "memory=64"), "--option memory means nothing here"),
        ("", ("--option", "cores=2"), "--option cores means nothing here"),
        ("1\n", ("--random-plies", "0-0", "--book", "MATE"), "no opening in 1000 that goes on"),
    ],
)
def test_bad_input_is_one_line(numbers: str | bytes, words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    board, entries = chess.Board(), []
    for san in ("f3", "e5", "g4", "Qh4#"):
        move = board.parse_san(san)
        raw = (move.from_square << 6) | move.to_square
        entries.append(struct.pack(">QHHI", chess.polyglot.zobrist_hash(board), raw, 1, 0))
        board.push(move)
    (tmp_path / "mate.bin").write_bytes(b"".join(sorted(entries)))
    done = tool(numbers, *[str(tmp_path / "mate.bin") if word == "MATE" else word for word in words])
    said = done.stderr.decode().strip()
    assert done.returncode == 2 and message in said and "\n" not in said
