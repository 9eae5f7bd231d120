"""The XBoard client: features and options read as GUIs read them, thinking lines, old engines, edit mode."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest
from fake_engines.table import FAST, player
from hypothesis import given
from hypothesis import strategies as st

from harness.engines import xboard
from harness.engines.client import Reply, Setup, StartFailed
from harness.engines.edit import edit_commands
from harness.engines.features import Features
from harness.engines.options import Option, WrongOption, lookup, parse_uci, parse_xboard
from harness.engines.xboard import XBoardClient, level_command
from harness.model import Limit, Player


def test_features_are_read_and_answered() -> None:
    features = Features()
    replies = features.take("feature ping=1 setboard=1 san=0 myname=\"Some Engine 1.0, 'beta'\" foo=3 reuse=0 done=0")
    assert (features.ping, features.setboard, features.san, features.reuse) == (True, True, False, False)
    assert features.myname == "Some Engine 1.0, 'beta'" and features.done is False
    assert replies == [*(f"accepted {n}" for n in ("ping", "setboard", "san", "myname")), "rejected foo"] + [
        "accepted reuse",
        "accepted done",
    ]
    features.take('feature variants="normal, fischerandom" option="Hash -spin 16 1 64" done=1')
    assert features.variants == ("normal", "fischerandom") and "Hash" in features.options and features.done


def test_without_features_an_engine_is_version_one() -> None:
    features = Features()
    assert not (features.ping or features.setboard or features.usermove or features.nps or features.any)
    assert features.time and features.draw and features.reuse and features.memory is None


@pytest.mark.parametrize(
    "low, high, value, range_", [(1, 9, "0", "1 to 9"), (1, None, "0", "1 or more"), (None, 9, "10", "up to 9")]
)
def test_a_number_out_of_range_is_told_the_bounds_that_there_are(
    low: int | None, high: int | None, value: str, range_: str
) -> None:
    with pytest.raises(WrongOption, match=f"option Hash takes {range_}, not {value}"):
        Option("Hash", "spin", "5", low, high).spelled(value, "1", "0")


@given(st.text(max_size=60))
def test_no_feature_line_can_break_the_reader(text: str) -> None:
    Features().take("feature " + text)
    parse_xboard(text)
    parse_uci("option name " + text)


@pytest.mark.parametrize(
    "text, value, spelled",
    [
        ("Hash -spin 16 1 1024", "64", "64"),
        ("Own Book -check 0", "true", "1"),
        ("Own Book -check 0", "off", "0"),
        ("Style -combo calm /// *wild /// mad", "Mad", "mad"),
        ("Clear Hash -button", "anything", None),
        ("LogFile -string ", "a b=c", "a b=c"),
        ("Book File -file /tmp/x y", "/z", "/z"),
    ],
)
def test_options_are_spelled_as_declared(text: str, value: str, spelled: str | None) -> None:
    option = parse_xboard(text)
    assert option is not None and option.spelled(value, "1", "0") == spelled


@pytest.mark.parametrize(
    "text, value, message",
    [
        ("Hash -spin 16 1 1024", "0", "1 to 1024"),
        ("Hash -spin 16 1 1024", "big", "whole number"),
        ("Own Book -check 0", "maybe", "true or false"),
        ("Style -combo calm /// *wild", "wiled", 'did you mean "wild"'),
    ],
)
def test_values_that_do_not_fit_are_refused(text: str, value: str, message: str) -> None:
    option = parse_xboard(text)
    assert option is not None
    with pytest.raises(WrongOption, match=message):
        option.spelled(value, "1", "0")


def test_options_are_found_without_regard_to_capitals_when_that_is_clear() -> None:
    options = {name: parse_xboard(f"{name} -check 0") for name in ("Hash", "hash", "Book")}
    assert all(options.values())
    assert lookup(options, "book").name == "Book" and lookup(options, "hash").name == "hash"  # type: ignore[arg-type]
    with pytest.raises(WrongOption, match='no option "HASH"'):
        lookup(options, "HASH")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "limit, line",
    [
        (Limit(base=60.0), "level 0 1 0"),
        (Limit(base=61.0, increment=0.05), "level 0 1:01 0.05"),
        (Limit(base=2400.0, moves_per_session=40), "level 40 40 0"),
        (Limit(base=0.3), "level 0 0:01 0"),
        (Limit(base=2.5, increment=1.0), "level 0 0:02 1"),
        (Limit(base=300.0, increment=0.00005), "level 0 5 0.00005"),
    ],
)
def test_levels(limit: Limit, line: str) -> None:
    assert level_command(limit) == line


@pytest.mark.parametrize(
    "line, expected",
    [
        ("9 156 1084 48000 Nf3 Nc6", (9, 48000, 156)),
        ("  12. -31 5 900\te2e4", (12, 900, -31)),
        ("5 100003 1 77 Qh7#", (5, 77, 100003)),
        ("3 x 1 2 e4", (3, None, None)),
        ("", (None, None, None)),
    ],
)
def test_thinking_lines(line: str, expected: tuple[int | None, ...]) -> None:
    client = XBoardClient.__new__(XBoardClient)
    client._thinking, client._report, client.warnings = line, "", {}
    depth, nodes, score, stats = client.thought()
    assert (depth, nodes, score) == expected and stats is None


class Said:
    """A process that has written some lines."""

    def __init__(self, *lines: str) -> None:
        self._lines = iter(lines)

    def line(self, deadline: float) -> str | None:
        return next(self._lines, None)


def test_the_move_of_an_old_engine_is_no_thinking_line() -> None:
    client = XBoardClient.__new__(XBoardClient)
    client.process = Said("5 -13 1 11153 Qxd2 d5", "11. ... d1d2", "My move is : d1d2")  # type: ignore[assignment]
    client._thinking, client._report, client._cap, client._old_move = "", "", 0, ("", "")
    assert client.answer(0.0) == (Reply.MOVE, "d1d2")
    assert client.thought()[:3] == (5, 11153, -13) and client.line() == "Qxd2 d5"


def test_statistics_that_cannot_be_read_are_a_warning() -> None:
    client = XBoardClient.__new__(XBoardClient)
    client._thinking, client._report, client.warnings = "", "{not json", {}
    assert client.thought().stats is None and client.warnings == {"stats": 1}
    client._report = '{"nodes": 3}'
    assert client.thought().stats == {"nodes": 3}


@pytest.mark.parametrize(
    "line, noise",
    [
        ("", False),
        ("# debug", False),
        ("tellics say hello", False),
        ("Hint: e2e4", False),
        ("1. e2e4", False),
        ("0 0 0 0 (book)", False),
        ("I am thinking", True),
        ("Loading book.bin", True),
    ],
)
def test_noise_is_what_is_no_protocol(line: str, noise: bool) -> None:
    assert XBoardClient._is_noise(line) is noise


@pytest.mark.parametrize(
    "line, named",
    [
        ("Illegal move: e2e4", True),
        ("Illegal move (in check): e2e4", True),
        ("Error (unknown command): usermove e2e4", True),
        ("Illegal move: sd 3", False),
        ("Error (unknown command): time 100", False),
        ("Illegal move", False),
    ],
)
def test_complaints_count_when_they_name_a_move(line: str, named: bool) -> None:
    client = XBoardClient.__new__(XBoardClient)
    client._sent = {"e2e4", "g1f3"}
    assert client._names_a_move(line) is named


@pytest.mark.parametrize("fen", ["4k3/8/8/8/8/8/3QP3/4K2R w K - 0 1", "r3k3/1p6/8/8/8/8/8/4K3 b q - 0 1"])
@pytest.mark.parametrize("san", [False, True])
def test_edit_sets_up_the_board(fen: str, san: bool) -> None:
    board = chess.Board(fen)
    built, colour = chess.Board(), chess.WHITE
    inside = False
    for line in edit_commands(board, "usermove ", san):
        if line.startswith("usermove"):
            assert not inside
            (built.push_san if san else built.push_uci)(line.split()[1])
        elif line == "edit":
            inside = True
        elif line == "#":
            built.clear_board()
            built.turn = board.turn
        elif line == "c":
            colour = not colour
        elif line != ".":
            piece = chess.Piece(chess.PIECE_SYMBOLS.index(line[0].lower()), colour)
            built.set_piece_at(chess.parse_square(line[1:]), piece)
    assert built.board_fen() == board.board_fen() and built.turn == board.turn


def test_memory_cores_options_and_init_lines_go_out_after_the_handshake(tmp_path: object) -> None:
    log = f"{tmp_path}/log"
    options = (("memory", "32"), ("cores", "2"), ("Hash", "64"), ("own book", "on"))
    client = XBoardClient(player(0, f"log={log}", options=options, init=("hello there", "post")), 5.0)
    try:
        client.handshake()
        assert client.name == "Scripted"
        client.new_game(Setup(chess.STARTING_FEN, True, (), True, FAST, FAST))
    finally:
        client.process.kill()
    with open(log) as file:
        told = file.read().split("\n")
    wanted = ["memory 32", "cores 2", "option Hash=64", "option Own Book=1", "hello there", "post", "new"]
    assert [line for line in told if line in wanted][:7] == wanted


SLOW = """#!/bin/sh
while read -r line; do
    case "$line" in
    protover*) sleep 0.3; echo 'feature myname="Slow" ping=1 done=1' ;;
    quit) exit ;;
    esac
done
"""


@pytest.mark.parametrize(
    ("program", "patience"),
    [
        pytest.param(SLOW, 60.0, id="slow"),  # one look at a process that happens to sleep does not settle it
        # GNU Chess misses protover in most of its starts: it has no use for a second line in one read.
        pytest.param(SLOW.replace("while", "read -r line; read -r line\nwhile", 1), 5.0, id="asked-again"),
    ],
)
def test_an_engine_that_is_slow_to_declare_itself_is_no_version_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, patience: float
) -> None:
    monkeypatch.setattr(xboard, "FEATURE_TIME", 0.05)
    monkeypatch.setattr(xboard, "QUIET_LOOKS", 300)
    (tmp_path / "slow").write_text(program)
    client = XBoardClient(Player(0, "slow", ("/bin/sh", str(tmp_path / "slow")), "xboard", FAST), patience)
    try:
        client.handshake()
        assert client.name == "Slow" and client.in_step
    finally:
        client.process.kill()


def test_a_value_out_of_range_fails_the_start() -> None:
    client = XBoardClient(player(0, options=(("Hash", "100000"),)), 5.0)
    with pytest.raises(StartFailed, match="1 to 1024"):
        client.handshake()
    client.process.kill()


@pytest.mark.parametrize(
    ("line", "moves"),
    [
        ("9 15 30 4000 e2e4 e7e5", "e2e4 e7e5"),
        ("9 15 30 4000\te4 e5", "e4 e5"),
        ("9 15 30 4000 12 1000 0\te2e4 e7e5 ", "e2e4 e7e5"),
        ("9 15 30 4000", ""),
        ("", ""),
    ],
)
def test_the_moves_of_a_thinking_line(line: str, moves: str) -> None:
    client = XBoardClient.__new__(XBoardClient)
    client._thinking = line
    assert client.line() == moves
