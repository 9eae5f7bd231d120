"""Opening files of every kind, whole and broken, and the order in which they are dealt."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import chess
import chess.polyglot
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.books import openings
from harness.errors import BadInput
from harness.model import Opening

EN_PASSANT = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"
BARE = "4k3/8/8/8/8/8/4P3/4K3 w - -"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    data = text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("name", ["x.epd", "x.epd.gz", "X.EPD"])
def test_epd(tmp_path: Path, name: str) -> None:
    lines = ["# a comment", "", BARE + ' id "one"; c0 "a;b";', EN_PASSANT, "  ", BARE + " bm e4;", f"{BARE} 3 40"]
    found = openings.read(write(tmp_path, name, "\r\n".join(lines)))
    assert [opening.fen for opening in found] == [f"{BARE} 0 1", EN_PASSANT, f"{BARE} 3 40"]  # the repeated one once
    assert found[0].name == "one" and found[0].moves == ()


PGN = """[Event "x"]
[Opening "Fool \\"x\\""]

1. e4 {good; (yes)} e5 ; to the end
2. Nf3 (2. f4 exf4 (2... d5) 3. Nf3) 2... Nc6 $1 3.Bb5!? a6 *

% an escaped line
[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"]
[SetUp "1"]

1... Kd7 2. e4 1-0

1. d4 d5 1/2-1/2
"""


def test_pgn_of_old(tmp_path: Path) -> None:
    """En passant named, a double check with two signs."""
    passing = "1. e4 a6 2. e5 d5 3. exd6{} Nc6 *\n\n"
    checks = "1. e4 e5 2. Nf3 f5 3. Nxe5 fxe4 4. Qe2 d6 5. Nc6++ Kf7 6. Qxe4 Nxc6 *\n"
    text = "".join(map(passing.format, ("e.p.", " e.p.", "e.p.!", ""))) + checks
    one, two = openings.read(write(tmp_path, "x.pgn", text))
    assert one.moves[4:] == ("e5d6", "b8c6") and two.moves[8:10] == ("e5c6", "e8f7")


@pytest.mark.parametrize("end", ["½-½", "1/2", "1/2-1/2"])
def test_a_draw_however_it_is_written_ends_a_game(tmp_path: Path, end: str) -> None:
    found = openings.read(write(tmp_path, "x.pgn", f"1. e4 e5 {end}\n1. d4 d5 {end}\n"))
    assert [one.moves for one in found] == [("e2e4", "e7e5"), ("d2d4", "d7d5")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_pgn(tmp_path: Path, end: str) -> None:
    path = tmp_path / "x.pgn"
    path.write_bytes(PGN.replace("\n", end).encode("utf-8-sig"))
    one, two, three = openings.read(path)
    assert one.moves == ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6") and one.name == 'Fool "x"'
    assert two.fen.startswith("4k3/8") and two.moves == ("e8d7", "e2e4")
    assert three.moves == ("d2d4", "d7d5") and three.fen == chess.STARTING_FEN
    assert openings.read(path, 3)[0].moves == ("e2e4", "e7e5", "g1f3")


@pytest.mark.parametrize(
    "text",
    [
        "eco\tname\tpgn\nC20\tKing's Pawn\t1. e4 e5 2. Nf3\n",
        "# moves\tfen\ne2e4 e7e5 g1f3\trnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2\n",
        "King's Pawn\te2e4 e7e5 g1f3\n",
        "moves\te\n1.e4 e5 2.Nf3 *\tx\n",
    ],
)
def test_tsv(tmp_path: Path, text: str) -> None:
    (found,) = openings.read(write(tmp_path, "x.tsv", text))
    assert found.moves == ("e2e4", "e7e5", "g1f3") and found.fen == chess.STARTING_FEN


def test_tsv_without_a_header_may_begin_with_a_code_or_any_name(tmp_path: Path) -> None:
    found = openings.read(write(tmp_path, "x.tsv", "A00\tGrob\t1. g4\nfaced\te4 e5\nC00\te4 e6\n"))
    assert [(one.name, one.moves[0]) for one in found] == [("Grob", "g2g4"), ("faced", "e2e4"), ("C00", "e2e4")]


def test_tsv_with_positions_only(tmp_path: Path) -> None:
    (found,) = openings.read(write(tmp_path, "x.tsv.gz", f"name\tfen\nending\t{BARE}\n"))
    assert found == Opening(f"{BARE} 0 1", (), "ending")


def test_lines_that_end_the_game_are_left_out(tmp_path: Path) -> None:
    mate = "1. f3 e5 2. g4 Qh4#"
    found = openings.read(write(tmp_path, "x.tsv", f"pgn\n{mate}\n1. e4\n"))
    assert [opening.moves for opening in found] == [("e2e4",)]
    assert openings.read(write(tmp_path, "y.tsv", f"pgn\n{mate}\n"), 2)[0].moves == ("f2f3", "e7e5")


BROKEN = [
    ("x.epd", f"{BARE}\n\nrnbqkbnr/8 w - -\n", "x.epd:3: not a position: "),
    ("x.epd", f"# c\n{BARE}\n8/8/8/8/8/8/8/K7 w - -\n", "x.epd:3: not a legal position: no black king"),
    ("x.epd", "4k3/8/8/8/8/8/8/4K3 w - -\n", "x.epd:1: the game is over before it begins"),
    ("x.epd", "7k/5Q2/6K1/8/8/8/8/8 b - -\n", "x.epd:1: the game is over before it begins"),
    ("x.epd", "hello world\n", "x.epd:1: not a position: 2 of the four fields"),
    ("x.epd", "nqbrnbkr/pppppppp/8/8/8/8/PPPPPPPP/NQBRNBKR w KQkq - 0 1\n", "chess960 = true"),
    ("x.epd", "\n\n# nothing\n", "x.epd: holds no opening"),
    ("x.pgn", '[Event "x"]\n\n1. e4 e5\n2. Nf3 Nf6\n3. Ke3 *\n', 'x.pgn:5: "Ke3" is not a legal move'),
    ("x.pgn", "1. e4 e5 2. Nz3\n", 'x.pgn:1: "Nz3" is not a legal move'),
    ("x.pgn", '\n\n[FEN "8/8 w"]\n\n1. e4 *\n', "x.pgn:3: not a position"),
    ("x.tsv", "pgn\n1. e4\n1. e5\n", 'x.tsv:3: "e5" is not a legal move after 0 plies'),
    ("x.pgn", "1. e4 e5\n2. Ke4 *\n", 'x.pgn:2: "Ke4" is not a legal move after 2 plies'),
    ("x.pgn", "1. e4 e4 *\n", 'x.pgn:1: "e4" is not a legal move after 1 ply'),
    ("x.epd", "4k3/8/8/8/8/8/4P3/4K3 w - - 100 80\n", "x.epd:1: the game is over before it begins"),
    ("x.pgn", '1. e4 *\n\n1. d4 (1. c4\nd5 *\n\n[Event "y"]\n\n1. c4 *\n', "x.pgn:3: a side line ( is never closed"),
    ("x.pgn", "1. e4 (1. d4 e5 *\n", "x.pgn:1: a side line ( is never closed"),
    ("x.pgn", "1. e4 *\n\n1. d4 {best d5 *\n\n1. c4 *\n", "x.pgn:3: a comment { is never closed"),
    ("x.pgn", '1. e4\n{a d5 *\n\n[Event "y"]\n\n1. c4 {b} *\n', "x.pgn:2: a comment { is never closed"),
    ("x.tsv", "name\tmoves\nonly a name\n", "x.tsv:2: neither moves nor a FEN"),
    ("x.txt", BARE, "x.txt: openings must be .epd, .pgn, .tsv or .bin, perhaps with .gz"),
    ("x.bin", "123", "x.bin: is not a Polyglot book: 3 bytes"),
]


@pytest.mark.parametrize(("name", "text", "message"), BROKEN, ids=range(len(BROKEN)))
def test_broken_files_name_the_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        openings.read(write(tmp_path, name, text))
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_torn_gzip(tmp_path: Path) -> None:
    path = write(tmp_path, "x.epd.gz", f"{BARE}\n" * 50)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BadInput, match="not a whole gzip file"):
        openings.read(path)


def test_fischer_random(tmp_path: Path) -> None:
    text = (
        "nqbrnbkr/pppppppp/8/8/8/8/PPPPPPPP/NQBRNBKR w KQkq -\nrkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w CAca -\n"
    )
    found = openings.read(write(tmp_path, "x.epd", text), None, True)
    assert len(found) == 2
    assert all(chess.Board(opening.fen, chess960=True).is_valid() for opening in found)


def test_polyglot(tmp_path: Path) -> None:
    """A book of two lines, castling written as king takes rook, and one that ends in mate."""
    entries = []
    for line in (["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"], ["d4", "d5"], ["e4", "f6", "d4", "g5", "Qh5#"]):
        board = chess.Board()
        for word in line:
            move = board.parse_san(word)
            target = chess.H1 if move.uci() == "e1g1" else move.to_square
            raw = target | move.from_square << 6
            entries.append((chess.polyglot.zobrist_hash(board), raw, 2 if word == "d4" else 1, 0))
            board.push(move)
    path = tmp_path / "x.bin"
    path.write_bytes(b"".join(openings.ENTRY.pack(*entry) for entry in sorted(set(entries))))
    found = openings.read(path)
    assert [opening.moves for opening in found] == [
        ("d2d4", "d7d5"),
        ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1"),
    ]
    assert [opening.moves for opening in openings.read(path, 1)] == [("d2d4",), ("e2e4",)]


@given(st.integers(1, 40), st.integers(0, 2**40), st.sampled_from(["random", "sequential"]))
def test_every_opening_once_before_any_twice(count: int, seed: int, order: str) -> None:
    place, again = openings.pick_by_pair(count, order, seed), openings.pick_by_pair(count, order, seed)
    dealt = [place(pair) for pair in range(1, 3 * count + 1)]
    for cycle in range(3):
        assert sorted(dealt[cycle * count : (cycle + 1) * count]) == list(range(count))
    # Asked in another order it answers the same.
    assert [again(pair) for pair in range(3 * count, 0, -1)][::-1] == dealt


def test_seed_changes_the_order() -> None:
    first, second = ([openings.pick_by_pair(50, "random", seed)(pair) for pair in range(1, 51)] for seed in (1, 2))
    assert first != second != list(range(50))


@pytest.mark.parametrize("name", ["a.tsv", "8moves_v3_sample.tsv", "uho_4060_v4_sample.epd", "frc_openings.epd"])
def test_collections(name: str, shared: Callable[[str], Path]) -> None:
    found = openings.read(shared(f"openings/{name}"), None, name.startswith("frc"))
    assert len(found) > 400


def test_shipped_book() -> None:
    """At least 500 lines of eight plies or more, level by both engines that judged them, each ending elsewhere."""
    from harness.spec.reader import DEFAULT_BOOK, DEFAULT_BOOK_960, SHIPPED_OPENINGS

    path = SHIPPED_OPENINGS / DEFAULT_BOOK
    book = openings.read(path)
    assert len(book) >= 500
    ends = set()
    for opening in book:
        assert opening.fen == chess.STARTING_FEN and len(opening.moves) >= 8
        board = chess.Board()
        for move in opening.moves:
            board.push_uci(move)
        ends.add(board.epd())
    assert len(ends) == len(book)
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    columns = header.split("\t")
    for row in rows:
        cells = dict(zip(columns, row.split("\t"), strict=True))
        assert abs(int(cells["sortie"])) <= 60 and abs(int(cells["control"])) <= 60
    assert len(openings.read(SHIPPED_OPENINGS / DEFAULT_BOOK_960, None, True)) == 960
