"""Sortie under python-chess's XBoard client: every limit, analysis, options, Chess960, cancelling, closing."""

import asyncio
from collections.abc import Iterator

import chess
import chess.engine
import pytest
from chess.engine import SimpleEngine
from engine_process import COMMAND, PATIENCE, environment

MATE = "k7/8/1K6/8/8/8/8/7R w - - 0 1"
LIMITS = (
    chess.engine.Limit(time=0.1),
    chess.engine.Limit(depth=4),
    chess.engine.Limit(nodes=2000),
    chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.05, black_inc=0.05),
    chess.engine.Limit(white_clock=3, black_clock=1, remaining_moves=20),
    chess.engine.Limit(white_clock=0.05, black_clock=0.05),
    chess.engine.Limit(time=0.5, depth=3),
)


@pytest.fixture
def engine() -> Iterator[SimpleEngine]:
    with SimpleEngine.popen_xboard(COMMAND, env=environment(), timeout=PATIENCE) as client:
        yield client


@pytest.mark.parametrize("limit", LIMITS)
def test_play_under_every_limit(engine: SimpleEngine, limit: chess.engine.Limit) -> None:
    board = chess.Board()
    for _ in range(6):
        result = engine.play(board, limit, info=chess.engine.INFO_ALL)
        assert result.move is not None and result.move in board.legal_moves
        assert result.info["pv"][0] == result.move
        board.push(result.move)
    if limit.depth:
        assert result.info["depth"] <= limit.depth
    if limit.nodes:
        assert result.info["nodes"] <= limit.nodes + 500


def test_a_whole_short_game_with_pondering(engine: SimpleEngine) -> None:
    board = chess.Board()
    game = object()
    pondered = 0
    for _ in range(30):
        if board.is_game_over():
            break
        result = engine.play(
            board, chess.engine.Limit(white_clock=1, black_clock=1, white_inc=0.02), game=game, ponder=True
        )
        if result.move is None:
            break
        board.push(result.move)
        if result.ponder:
            pondered += 1
            assert result.ponder in board.legal_moves
            board.push(result.ponder)
    assert pondered > 5


def test_a_changed_line_and_another_game(engine: SimpleEngine) -> None:
    game = object()
    board = chess.Board()
    for moves in ("e2e4 e7e5 g1f3", "e2e4 e7e5", "e2e4", "d2d4 d7d5 c2c4 e7e6 b1c3"):
        board = chess.Board()
        for uci in moves.split():
            board.push_uci(uci)
        move = engine.play(board, chess.engine.Limit(time=0.05), game=game).move
        assert move is not None and move in board.legal_moves
    assert engine.play(chess.Board(MATE), chess.engine.Limit(time=0.05), game=object()).move == chess.Move.from_uci(
        "h1h8"
    )


def test_a_black_to_move_position(engine: SimpleEngine) -> None:
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 3 2")
    move = engine.play(board, chess.engine.Limit(time=0.05)).move
    assert move is not None and move in board.legal_moves


def test_ended_games_give_no_move_and_do_not_hang(engine: SimpleEngine) -> None:
    for fen in ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "k6R/8/1K6/8/8/8/8/8 b - - 0 1", "7k/8/6K1/8/8/8/8/R7 w - - 100 90"):
        assert engine.play(chess.Board(fen), chess.engine.Limit(time=0.05), game=object()).move is None


def test_analysis_with_limits(engine: SimpleEngine) -> None:
    board = chess.Board()
    info = engine.analyse(board, chess.engine.Limit(depth=6))
    assert info["depth"] >= 6 and info["pv"][0] in board.legal_moves
    assert engine.analyse(board, chess.engine.Limit(nodes=5000))["nodes"] >= 5000
    info = engine.analyse(chess.Board(MATE), chess.engine.Limit(mate=1), game=object())
    assert info["score"].white() == chess.engine.Mate(1)
    board = chess.Board("1k6/8/8/8/8/8/8/K6q w - - 0 1")
    assert engine.analyse(board, chess.engine.Limit(time=0.1))["score"].white().score(mate_score=10000) < -300


def test_root_moves(engine: SimpleEngine) -> None:
    board = chess.Board()
    moves = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h3")]
    assert engine.analyse(board, chess.engine.Limit(depth=5), root_moves=moves)["pv"][0] in moves


def test_endless_analysis_is_stopped(engine: SimpleEngine) -> None:
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 7:
                break
        analysis.stop()
    assert analysis.info["depth"] >= 7
    assert engine.play(chess.Board(), chess.engine.Limit(time=0.05)).move


def test_options(engine: SimpleEngine) -> None:
    assert engine.id["name"].startswith("Sortie ")
    for name in (
        "OwnBook",
        "BookFile",
        "Resign",
        "MoveOverhead",
        "LogFile",
        "Level",
        "Preset",
        "History",
        "memory",
        "cores",
    ):
        assert name in engine.options, name
    engine.configure({"memory": 8, "cores": 1, "Level": 20, "OwnBook": False, "Preset": "bare", "MoveOverhead": 20})
    assert engine.play(chess.Board(), chess.engine.Limit(time=0.1)).move
    with pytest.raises(chess.engine.EngineError):
        engine.configure({"NoSuch": 1})
    for option in engine.options.values():
        if option.type == "combo":
            assert option.var is not None and option.default in option.var
        elif option.type == "spin" and option.max is not None:
            assert option.min is not None and option.min <= int(option.default or 0) <= option.max


def test_chess960_games(engine: SimpleEngine) -> None:
    for number in (0, 518, 959):
        board = chess.Board.from_chess960_pos(number)
        game = object()
        for _ in range(10):
            result = engine.play(board, chess.engine.Limit(nodes=300), game=game)
            assert result.move is not None and result.move in board.legal_moves
            board.push(result.move)
    board = chess.Board("4k3/p6p/8/8/8/8/P6P/1R1K1R2 w FB - 0 1", chess960=True)
    castle = board.parse_san("O-O")
    assert engine.analyse(board, chess.engine.Limit(depth=4), root_moves=[castle], game=object())["pv"][0] == castle


def test_cancelling_and_going_on() -> None:
    """With ponder=True: without it python-chess 1.11 waits forever for its own ping after a cancelled play()."""

    async def scenario() -> None:
        _, engine = await chess.engine.popen_xboard(COMMAND, env=environment())
        task = asyncio.ensure_future(engine.play(chess.Board(), chess.engine.Limit(time=6000), ponder=True))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        result = await asyncio.wait_for(engine.play(chess.Board(), chess.engine.Limit(time=0.1), game=1), PATIENCE)
        assert result.move
        await engine.quit()

    asyncio.run(scenario())


@pytest.mark.parametrize("how", ["quit", "close"])
def test_closing_while_it_thinks(how: str) -> None:
    async def scenario() -> None:
        transport, engine = await chess.engine.popen_xboard(COMMAND, env=environment())
        task = asyncio.ensure_future(engine.play(chess.Board(), chess.engine.Limit(time=60)))
        await asyncio.sleep(0.3)
        if how == "quit":
            await asyncio.wait_for(engine.quit(), PATIENCE)
        else:
            transport.close()
        assert await asyncio.wait_for(engine.returncode, PATIENCE) in (0, -9)
        with pytest.raises(chess.engine.EngineError):
            await task

    asyncio.run(scenario())


@pytest.fixture
def uci_engine() -> Iterator[SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(COMMAND, env=environment(), timeout=PATIENCE) as client:
        yield client


@pytest.mark.parametrize("limit", LIMITS)
def test_uci_under_every_limit(uci_engine: SimpleEngine, limit: chess.engine.Limit) -> None:
    board = chess.Board()
    for _ in range(6):
        result = uci_engine.play(board, limit, info=chess.engine.INFO_ALL, ponder=True)
        assert result.move is not None and result.move in board.legal_moves
        assert result.info["pv"][0] == result.move
        board.push(result.move)
    if limit.depth:
        assert result.info["depth"] <= limit.depth
    if limit.nodes:
        assert result.info["nodes"] <= limit.nodes


def test_uci_analysis_with_several_lines_root_moves_and_options(uci_engine: SimpleEngine) -> None:
    uci_engine.configure({"Hash": 16, "Threads": 2, "LMR": "oneply", "Contempt": 10})
    uci_engine.configure({"Move Overhead": 100, "Threads": 1, "Hash": 32})  # as lichess-bot does without being told
    lines = uci_engine.analyse(chess.Board(), chess.engine.Limit(depth=6), multipv=3)
    assert [line["multipv"] for line in lines] == [1, 2, 3]
    assert len({line["pv"][0] for line in lines}) == 3
    only = [chess.Move.from_uci("a2a3")]
    assert uci_engine.analyse(chess.Board(), chess.engine.Limit(depth=4), root_moves=only)["pv"][0] == only[0]
    with uci_engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 6:
                break
    assert uci_engine.play(chess.Board(MATE), chess.engine.Limit(mate=1)).move == chess.Move.from_uci("h1h8")


def test_uci_chess960(uci_engine: SimpleEngine) -> None:
    board = chess.Board.from_chess960_pos(518)
    board.set_fen("4k3/8/8/8/8/8/8/4K2R w H - 0 1")
    board.chess960 = True
    castle = chess.Move.from_uci("e1h1")
    assert uci_engine.play(board, chess.engine.Limit(depth=3), root_moves=[castle]).move == castle
