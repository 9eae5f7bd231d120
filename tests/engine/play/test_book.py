"""The Polyglot reader against python-chess's and against damaged files."""

import os
import random
import struct
from collections.abc import Iterable
from pathlib import Path

import chess
import chess.polyglot
import pytest
from engine_process import EngineProcess
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.game import STARTPOS, Game
from engine.play.book import Book, BookMove, Shelf, key, shipped
from engine.play.polyglot_keys import KEYS
from engine.protocol.xboard_replies import book_line


def record(board: chess.Board, move: chess.Move, weight: int) -> bytes:
    """One book record; castling is written as king takes rook, as the format says."""
    target = move.to_square
    if board.is_castling(move):
        rook_file = 7 if chess.square_file(target) == 6 else 0
        target = chess.square(rook_file, chess.square_rank(target))
    promotion = {None: 0, 2: 1, 3: 2, 4: 3, 5: 4}[move.promotion]
    code = target | move.from_square << 6 | promotion << 12
    return struct.pack(">QHHI", chess.polyglot.zobrist_hash(board), code, weight, 0)


def write_book(path: Path, lines: Iterable[tuple[str, dict[str, int]]]) -> str:
    """A book of (FEN, {uci: weight})."""
    records = []
    for fen, moves in lines:
        board = chess.Board(fen)
        records += [record(board, chess.Move.from_uci(uci), weight) for uci, weight in moves.items()]
    path.write_bytes(b"".join(sorted(records)))
    return str(path)


CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PROMOTION = "7k/P7/8/8/8/8/8/K7 w - - 0 1"
LINES = [
    (STARTPOS, {"e2e4": 64, "d2d4": 36, "a2a3": 0}),
    (CASTLING, {"e1g1": 10, "e1c1": 30}),
    (PROMOTION, {"a7a8n": 5, "a7a8q": 7}),
]


@pytest.fixture
def book_path(tmp_path: Path) -> str:
    return write_book(tmp_path / "test.bin", LINES)


def test_the_random_numbers_are_those_of_the_format() -> None:
    assert list(KEYS) == chess.polyglot.POLYGLOT_RANDOM_ARRAY


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_keys_agree_with_python_chess_along_random_games(seed: int) -> None:
    chance = random.Random(seed)
    board, game = chess.Board(), Game()
    for _ in range(60):
        assert key(game.fen()) == chess.polyglot.zobrist_hash(board), board.fen()
        moves = list(board.legal_moves)
        if not moves:
            break
        move = chance.choice(moves)
        board.push(move)
        game.push(game.parse(move.uci()))


def test_moves_are_sorted_by_weight_and_weight_0_is_left_out(book_path: str) -> None:
    game = Game()
    moves = Book(book_path).moves(game)
    assert [(game.coordinates(entry.move), entry.weight) for entry in moves] == [("e2e4", 64), ("d2d4", 36)]


def test_castling_and_promotion(book_path: str) -> None:
    book = Book(book_path)
    game = Game(CASTLING)
    assert [game.coordinates(entry.move) for entry in book.moves(game)] == ["e1c1", "e1g1"]
    game = Game(PROMOTION)
    assert [game.coordinates(entry.move) for entry in book.moves(game)] == ["a7a8q", "a7a8n"]


def test_positions_outside_the_book(book_path: str) -> None:
    game = Game()
    game.push(game.parse("h2h4"))
    assert Book(book_path).moves(game) == []


def test_the_whole_of_a_large_book_is_found(tmp_path: Path) -> None:
    chance = random.Random(1)
    lines = {}
    for _ in range(300):
        board = chess.Board()
        for _ in range(chance.randrange(1, 12)):
            board.push(chance.choice(list(board.legal_moves)))
        uci = [move.uci() for move in board.legal_moves][:3]
        lines[board.fen()] = {move: chance.randrange(1, 1000) for move in uci}
    book = Book(write_book(tmp_path / "large.bin", list(lines.items())))
    with chess.polyglot.open_reader(book.path) as oracle:
        for fen in lines:
            game = Game(fen)
            ours = {(game.coordinates(entry.move), entry.weight) for entry in book.moves(game)}
            theirs: dict[str, int] = {}
            for entry in oracle.find_all(chess.Board(fen)):
                theirs[entry.move.uci()] = theirs.get(entry.move.uci(), 0) + entry.weight
            assert ours == set(theirs.items())


def test_pick_follows_the_weights() -> None:
    moves = [BookMove(1, 3000), BookMove(2, 1000)]
    counts = [Shelf.pick(moves) for _ in range(4000)]
    assert 2700 < counts.count(1) < 3300


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        b"x" * 17,
        bytes(range(255, 0, -1)) + b"\0",  # whole records, but out of order
    ],
)
def test_a_damaged_file_is_one_note_and_no_book(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad.bin"
    path.write_bytes(data)
    notes: list[str] = []
    shelf = Shelf(notes.append)
    for _ in range(2):
        shelf.open(str(path))
        assert shelf.moves(Game()) == []
    assert len(notes) == 1 and str(path) in notes[0]


def test_a_missing_file_is_one_note_and_no_book(tmp_path: Path) -> None:
    notes: list[str] = []
    shelf = Shelf(notes.append)
    for path in (tmp_path / "none.bin", tmp_path):  # the second is a directory
        shelf.open(str(path))
        assert shelf.moves(Game()) == []
    assert len(notes) == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes among its files")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.bin"
    os.mkfifo(pipe)
    handle = os.open(pipe, os.O_RDWR)  # without a writer, who opens it to read waits for ever
    notes: list[str] = []
    Shelf(notes.append).open(str(pipe))
    os.close(handle)
    assert notes == [f"no book: {pipe}: is no regular file"]


def test_a_file_cut_off_while_in_use_is_one_note(tmp_path: Path, book_path: str) -> None:
    notes: list[str] = []
    shelf = Shelf(notes.append)
    shelf.open(book_path)
    assert shelf.moves(Game())
    with open(book_path, "r+b") as file:
        file.truncate(5)
    assert shelf.moves(Game()) == []
    assert len(notes) == 1


@settings(max_examples=100, deadline=None)
@given(st.binary(min_size=16, max_size=160))
def test_any_bytes_are_harmless(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("books") / "any.bin"
    path.write_bytes(data)
    shelf = Shelf(lambda note: None)
    shelf.open(str(path))
    for move in shelf.moves(Game()):
        assert move.move in Game().legal_moves()


def test_the_engine_plays_from_the_book_and_shows_it(book_path: str) -> None:
    with EngineProcess() as engine:
        engine.send("new", "post", "st 60", f"option BookFile={book_path}", "option OwnBook=1", "go")
        lines = engine.until("move ")
        assert lines[0] == "0 0 0 0 (e4 64%, d4 36%)" and lines[1] in ("move e2e4", "move d2d4")
        engine.send("new", "force", "bk")
        assert engine.until("$") == [" e4 64%", " d4 36%", ""]
        engine.send("exclude e2e4", "go")
        assert engine.move() == "d2d4"
        engine.send("force", f"setboard {PROMOTION}", "go")
        assert engine.move() in ("a7a8q", "a7a8n")
        engine.sync()  # a knight is not enough to win, and it says so
        engine.send("option OwnBook=0", "new", "st 0.1", "nopost", "go")
        assert engine.until("move ")[0].startswith("move ")


def test_a_bad_book_is_one_debug_line_in_the_engine(tmp_path: Path) -> None:
    path = tmp_path / "no such book.bin"
    with EngineProcess() as engine:
        engine.send(f"option BookFile={path}", "option OwnBook=1")
        notes = engine.sync()
        assert len(notes) == 1 and notes[0].startswith("# no book: ") and str(path) in notes[0]
        engine.send("st 0.1", "go")
        assert engine.until("move ")[0].startswith("move ")


def test_the_shipped_book_is_whole_and_knows_the_start() -> None:
    book = Book(shipped())
    keys = [book._record(index)[0] for index in range(book._count)]
    assert keys == sorted(keys)
    assert len(book.moves(Game())) >= 2
    with EngineProcess() as engine:
        engine.send("option OwnBook=1", "new", "post", "st 60", "go")
        lines = engine.until("move ")
        assert lines[0].startswith("0 0 0 0 (") and len(lines) == 2


def test_a_book_line_of_many_moves_stays_shorter_than_a_guis_buffer() -> None:
    shares = [f"Nb1xd{number} 1%" for number in range(10, 90)]
    line = book_line(shares)
    assert len(line) < 500
    assert line.startswith("0 0 0 0 (Nb1xd10 1%, ") and line.endswith(" 1%)")
    assert book_line(shares[:2]) == "0 0 0 0 (Nb1xd10 1%, Nb1xd11 1%)"
