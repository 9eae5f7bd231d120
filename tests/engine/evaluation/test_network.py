"""The network in the engine: bit by bit the arithmetic that docs/network.md describes, however the sums came about."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import chess
import numpy as np
import pytest
from engine_process import EngineProcess, UciProcess
from packed_positions import boards, by_lot
from positions import KIWIPETE, QUIET, SHARP, START, features, mirror

from engine.board.game import Game
from engine.evaluation import accumulator
from engine.evaluation.network import Network
from engine.model import Limits
from engine.search.threads import Searcher
from harness.training import network, positions
from harness.training.network import Arrays

WIDTHS = ((32, 8), (128, 8), (256, 16), (512, 64))
CASTLES = ("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1", "4k2r/6P1/8/1pP5/8/8/1p4p1/R3K2R w KQk b6 0 1")


def write(path: Path, hidden: int, seed: int, spread: float = 1.0, second: int = 8) -> Path:
    """A network by lot; a larger spread fills the range of its weights."""
    bounds = (*[network.BOUND] * 4, network.SECOND_BOUND, *[network.HEAD_BOUND] * 2)
    parts = by_lot(hidden, second, seed)
    drawn = Arrays(*(np.clip(part * spread, -most, most) for part, most in zip(parts, bounds, strict=True)))
    path.write_bytes(network.quantise(drawn).pack())
    return path


@pytest.fixture(scope="module", params=WIDTHS)
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    hidden, second = request.param
    return write(tmp_path_factory.mktemp("net") / "some.net", hidden, hidden, 6.0, second)


@pytest.fixture
def builds() -> Iterator[list[ModuleType]]:
    """The builds of the loops; the fastest is back in use afterwards."""
    found = accumulator.builds()
    yield found
    accumulator.use(found[-1])


def test_scores_are_those_of_plain_arithmetic_in_every_build(file: Path, builds: list[ModuleType]) -> None:
    assert len({build.__file__ for build in builds}) == len(builds)
    sample = boards(400, 5)
    packed = b"".join(positions.pack(board, 0, 0, 0) for board in sample)
    wanted = network.read(file).scores(np.frombuffer(packed, dtype=positions.RECORD)).tolist()
    own = Network(str(file))
    assert len(set(wanted)) > 100
    for build in builds:
        accumulator.use(build)
        assert [own.score(Game(board.fen())) for board in sample] == wanted, build.__name__


def test_each_build_is_there_where_it_runs(builds: list[ModuleType]) -> None:
    """Each under its own name: a build for AVX2 once gave itself out as the plain one, which then no test ran."""
    levels = ["", *(f"_{level}" for level in ("avx2", "avx512") if accumulator.supports(level))]
    assert [build.__name__ for build in builds] == [f"engine.evaluation.vectors{level}" for level in levels]
    assert [Path(build.__file__ or "").name.partition(".")[0] for build in builds] == [
        f"vectors{level}" for level in levels
    ]
    assert accumulator.fastest() is builds[-1]


@pytest.mark.parametrize("fen", [*CASTLES, KIWIPETE, *SHARP, *QUIET[:4]])
def test_twins_score_alike(file: Path, fen: str) -> None:
    own = Network(str(file))
    assert own.score(Game(fen)) == own.score(Game(mirror(fen)))
    worth, twin = own.worth(Game(fen)), own.worth(Game(mirror(fen)))
    assert {square[0] + str(9 - int(square[1])): value for square, value in worth.items()} == twin


def test_a_board_mirrored_left_to_right_scores_alike(file: Path) -> None:
    own = Network(str(file))
    for board in boards(60, 8):
        board.castling_rights = chess.BB_EMPTY
        board.ep_square = None
        assert own.score(Game(board.fen())) == own.score(Game(board.transform(chess.flip_horizontal).fen()))


def test_incremental_sums_are_those_from_scratch(file: Path, probe: ModuleType) -> None:
    """A million steps, all widths together, of all kinds of moves; kings that cross the board's middle among them."""
    own = Network(str(file))
    starts = [(fen, False) for fen in (START, KIWIPETE, *CASTLES, *SHARP)]
    starts += [(chess.Board.from_chess960_pos(number).fen(), True) for number in (0, 137, 311, 518, 690, 959)]
    starts += [("1r2k1r1/8/8/8/8/8/8/R1K4R w KQkq - 0 1", True), ("rk5r/8/8/8/8/8/8/R5KR w KQkq - 0 1", True)]
    total: dict[str, int] = {}
    for number, (fen, chess960) in enumerate(starts):
        for kind, count in probe.walk(
            own, Game(fen, chess960), 340_000 // len(starts), 88172645463325252 + number
        ).items():
            total[kind] = total.get(kind, 0) + count
    assert all(count > 100 for count in total.values()), total
    assert total["compared"] > 100_000


def test_a_walk_sees_a_wrong_sum(file: Path, probe: ModuleType, builds: list[ModuleType]) -> None:
    """Sums of one network taken for those of another are found: the comparison is alive."""
    own = Network(str(file))
    with pytest.raises(AssertionError, match="step"):
        probe.walk(own, Game(KIWIPETE), 2000, 5, True)


def found_by(searcher: Searcher, fen: str, evaluation: str) -> tuple[int, int, int]:
    result = searcher.search(Game(fen), features(Evaluation=evaluation), Limits(depth=7))
    return result.move, result.score, result.nodes


def test_a_search_does_not_depend_on_the_build(file: Path, builds: list[ModuleType]) -> None:
    own = Network(str(file))
    seen = set()
    for build in builds:
        accumulator.use(build)
        searcher = Searcher(2)
        searcher.set_network(own)
        seen.add(tuple(found_by(searcher, fen, "network") for fen in QUIET[:4]))
    assert len(seen) == 1


def test_twins_cost_equal_nodes(file: Path) -> None:
    own = Network(str(file))
    for fen in QUIET[:4]:
        found = []
        for twin in (fen, mirror(fen)):
            searcher = Searcher(2)
            searcher.set_network(own)
            found.append(found_by(searcher, twin, "network")[1:])
        assert found[0] == found[1]


def test_the_tables_are_emptied_when_the_evaluation_changes(tmp_path: Path) -> None:
    one, two = Network(str(write(tmp_path / "1", 32, 1))), Network(str(write(tmp_path / "2", 32, 2)))
    fen = QUIET[3]

    def alone(own: Network | None, evaluation: str) -> tuple[int, int, int]:
        searcher = Searcher(2)
        searcher.set_network(own)
        return found_by(searcher, fen, evaluation)

    searcher = Searcher(2)
    searcher.set_network(one)
    plan = [(one, "classical"), (one, "network"), (two, "network"), (two, "classical"), (one, "network")]
    for own, evaluation in plan:
        searcher.set_network(own)
        assert found_by(searcher, fen, evaluation) == alone(own, evaluation)
    assert len({alone(own, evaluation)[1:] for own, evaluation in plan}) == 3
    # Without a network there is the classical evaluation.
    assert alone(None, "network") == alone(one, "classical")


def test_a_cleared_engine_searches_as_a_fresh_one(tmp_path: Path) -> None:
    """Node for node, under networks by lot, whose wild scores show whatever an earlier search has left behind."""
    used = Searcher(2)
    for seed in range(1, 5):
        own = Network(str(write(tmp_path / str(seed), 32, seed)))
        for fen in QUIET:
            fresh = Searcher(2)
            for searcher in (used, fresh):
                searcher.clear()
                searcher.set_network(own)
            assert found_by(used, fen, "network") == found_by(fresh, fen, "network"), (seed, fen)


def test_helpers_use_the_network_too(file: Path) -> None:
    searcher = Searcher(2)
    searcher.set_network(Network(str(file)))
    found_by(searcher, QUIET[0], "network")
    searcher.set_cores(3)
    assert searcher.search(Game(QUIET[0]), features(Evaluation="network"), Limits(depth=8)).depth >= 8


@pytest.mark.parametrize(
    ("fen", "least"),
    [
        ("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", 8000),  # queen against a bare king
        ("k7/8/K7/P7/8/8/8/8 w - - 0 1", 0),  # king and pawn, drawn by the exact table
        ("8/8/4k3/8/8/4K3/8/1N3N2 w - - 0 1", 0),  # two knights
    ],
)
def test_what_is_known_stays_known(file: Path, fen: str, least: int) -> None:
    searcher = Searcher(1)
    searcher.set_network(Network(str(file)))
    score = searcher.search(Game(fen), features(Evaluation="network"), Limits(depth=1)).score
    assert score >= least if least else score == 0
    shown = json.loads(tool("eval", fen, "--json", "--option", f"NetworkFile={file}").stdout)
    assert shown["score"] == shown["network"] and (shown["score"] >= least if least else shown["score"] == 0)


@pytest.mark.parametrize(
    ("fen", "nearly_drawn"),
    [
        ("8/8/8/4k3/7r/4K3/8/1N2R3 w - - 0 1", True),  # rook and knight against rook
        ("8/8/8/4k3/7r/4K3/8/1N2R3 b - - 0 1", True),  # the same seen from the weaker side
        ("8/8/8/4k3/7n/4K3/8/4R3 w - - 0 1", True),  # rook against knight
        ("8/8/8/4k3/7r/4K3/8/4Q3 w - - 0 1", False),  # queen against rook
        ("8/8/8/4k3/7r/4K3/4P3/1N2R3 w - - 0 1", False),  # a pawn as well
    ],
)
def test_without_pawns_a_minor_piece_too_many_counts_a_tenth(fen: str, nearly_drawn: bool) -> None:
    network, game = Network(), Game(fen)
    plain, found = network.score(game), network.evaluation(game)
    assert abs(plain) > 10
    assert found == (int(plain * 6 / 64) if nearly_drawn else plain)


def spoiled(folder: Path) -> list[tuple[Path, str]]:
    good = write(folder / "good", 32, 1).read_bytes()
    turned, wide = bytearray(good), bytearray(good)
    turned[9000] ^= 4
    wide[20] = 48
    small, tailed = bytearray(good), bytearray(good)
    small[36:40] = (3).to_bytes(4, "little")  # the unit
    tailed[63] = 1
    files = (
        *(("turned", bytes(turned), "is damaged"), ("cut", good[:-3], "is damaged"), ("wide", bytes(wide), "shape")),
        *(("small", bytes(small), "is damaged"), ("tailed", bytes(tailed), "is damaged")),
    )
    for name, data, _ in (*files, ("foreign", b"\x7fELF" * 100, ""), ("empty", b"", "")):
        (folder / name).write_bytes(data)
    found = [(folder / name, words) for name, _, words in files]
    foreign = [(folder / name, "is no network of Sortie") for name in ("foreign", "empty")]
    return [*found, *foreign, (folder / "missing", "No such file"), (folder, "Is a directory")]


def test_files_that_are_no_network(tmp_path: Path) -> None:
    for path, words in spoiled(tmp_path):
        with pytest.raises(ValueError, match=words) as caught:
            Network(str(path))
        assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_the_command_line_names_what_is_wrong_with_a_network(tmp_path: Path) -> None:
    for path, words in spoiled(tmp_path):
        done = tool("bench", "--depth", "1", "--option", "Evaluation=network", "--option", f"NetworkFile={path}")
        assert done.returncode == 2 and words in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_file_without_end_is_not_waited_for(tmp_path: Path) -> None:
    """A pipe would keep the engine waiting, a device or a file of gigabytes would fill its memory."""
    pipe, large = tmp_path / "pipe", tmp_path / "large"
    os.mkfifo(pipe)
    with large.open("wb") as file:
        file.write(write(tmp_path / "good", 32, 1).read_bytes())
        file.truncate(8 << 30)
    for path, words in ((pipe, "is no regular file"), (Path("/dev/zero"), "is no regular file"), (large, "is damaged")):
        command = ["timeout", "60", sys.executable, "-m", "engine", "eval", KIWIPETE, "--option", f"NetworkFile={path}"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr
            said = process.stderr.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 2 and f"{path}: {words}" in said and len(said.splitlines()) == 1
        assert used.ru_maxrss < 4 << 20  # KiB; the sanitizers take one GiB


def tool(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "engine", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_game_goes_on_without_its_network(tmp_path: Path) -> None:
    """One message, which the GUI shows, says so; the moves are those of the classical evaluation."""

    def play(*options: str) -> tuple[list[str], list[str]]:
        with EngineProcess() as process:
            process.send(*options, "new", "st 60", "sd 5", "nopost")
            said = []
            for move in ("e2e4", "a2a3"):
                process.send(f"usermove {move}")
                said += process.until("move ")
        return [line for line in said if line.startswith("move")], [line for line in said if "classical" in line]

    moves, remarks = play("option Evaluation=network", f"option NetworkFile={tmp_path / 'none'}")
    assert len(remarks) == 1 and remarks[0].startswith("telluser ") and "none: No such file" in remarks[0]
    assert len(moves) == 2 and (moves, []) == play("option Evaluation=classical")


def test_eval_shows_both(file: Path) -> None:
    own = Network(str(file))
    for fen in (KIWIPETE, QUIET[2], mirror(QUIET[2])):
        terms = ["--option", "Evaluation=classical"]
        plain = json.loads(tool("eval", fen, "--json", *terms).stdout)
        assert plain["score"] == plain["classical"]
        option = ["--option", f"NetworkFile={file}"]
        both = json.loads(tool("eval", fen, "--json", *terms, *option).stdout)
        assert both["score"] == both["classical"] == plain["classical"] and both["network"] == own.score(Game(fen))
        chosen = json.loads(tool("eval", fen, "--json", *option, "--option", "Evaluation=network").stdout)
        assert chosen["score"] == chosen["network"] == both["network"]
        # Worth is the score with a piece less that without, to the piece's side.
        board = chess.Board(fen)
        for square, piece in board.piece_map().items():
            if piece.piece_type == chess.KING:
                assert chess.square_name(square) not in both["worth"]
                continue
            without = board.copy()
            without.remove_piece_at(square)
            if without.is_valid():
                change = both["network"] - own.score(Game(without.fen()))
                wanted = change if piece.color == board.turn else -change
                assert both["worth"][chess.square_name(square)] == wanted
    shown = tool("eval", KIWIPETE, *option).stdout
    assert "classical" in shown and "network" in shown and " 8 " not in shown.splitlines()[0]


def test_uci_eval_shows_what_plays(file: Path) -> None:
    with UciProcess() as process:
        process.send("setoption name Evaluation value classical", f"setoption name NetworkFile value {file}")
        process.send(f"position fen {KIWIPETE}", "eval")
        terms = process.until("score ")
        process.send("setoption name Evaluation value network", "eval")
        both = [line.split() for line in process.until("score ")]
        process.transcript.clear()  # words for people, not the protocol's
    own = str(Network(str(file)).score(Game(KIWIPETE)))
    assert not any(line.startswith("network") for line in terms)
    assert ["network", own] in both and ["score", own] in both
