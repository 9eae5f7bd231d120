"""One game: the rules end it when they must, clocks run as told, scores and offers decide when they may."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import chess
import pytest
from fake_engines.table import FAST, one, play, player
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.game.adjudication import Adjudicator
from harness.game.game import Clock, Rules
from harness.game.referee import Referee, has_legal_move
from harness.model import Limit, Opening
from harness.spec.settings import Adjudication

# Clocks


@pytest.mark.parametrize("limit", [Limit(base=5.0), Limit(base=5.0, increment=0.5, moves_per_session=40)])
def test_a_clock_gains_no_more_than_the_limit_grants(limit: Limit) -> None:
    clock = Clock(limit, 10.0)
    clock.spend(-0.5)
    assert clock.left == 5.0 + limit.increment


# The referee


def judged(board: chess.Board) -> tuple[str, str] | None:
    """What python-chess says of a position, slowly."""
    if board.is_checkmate():
        return ("0-1" if board.turn else "1-0"), "mate"
    if board.is_stalemate():
        return "1/2-1/2", "stalemate"
    if board.is_repetition(3):
        return "1/2-1/2", "repetition"
    if board.halfmove_clock >= 100:
        return "1/2-1/2", "fifty"
    if board.is_insufficient_material():
        return "1/2-1/2", "material"
    return None


STARTS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/R3K2R w KQ - 90 60",
    "8/8/4k3/8/8/3BK3/8/8 b - - 0 1",
    "k7/8/1K6/8/8/8/8/6Q1 w - - 0 1",
    "4k3/4r3/8/8/4P3/8/4B3/4K3 w - - 0 1",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 959), pick=st.integers(0, 10**6))
def test_the_referee_agrees_in_fischer_random(seed: int, pick: int) -> None:
    rng = random.Random(pick)
    board = chess.Board.from_chess960_pos(seed)
    for square in rng.sample(range(64), 40):
        if board.piece_type_at(square) not in (None, chess.KING, chess.ROOK):
            board.remove_piece_at(square)
    if not board.is_valid():
        return
    referee = Referee(board.fen(), chess960=True)
    for _ in range(60):
        assert referee.ended() == judged(board)
        if referee.ended() is not None:
            return
        moves = list(board.legal_moves)
        castling = [move for move in moves if board.is_castling(move)]
        move = rng.choice(castling or moves)
        word = board.san(move) if castling else move.uci()
        assert referee.read(word) == move
        board.push(move)
        referee.push(move)
        assert referee.board.fen() == board.fen()


@settings(max_examples=25, deadline=None)
@given(start=st.sampled_from(STARTS), seed=st.integers(0, 10**6), home=st.floats(0, 0.7))
def test_the_referee_agrees_with_python_chess(start: str, seed: int, home: float) -> None:
    rng = random.Random(seed)
    board, referee = chess.Board(start), Referee(start)
    for ply in range(100):
        assert has_legal_move(board, board.is_check()) == any(board.legal_moves)
        assert referee.ended() == judged(board)
        if referee.ended() is not None:
            return
        moves = list(board.legal_moves)
        quiet = [m for m in moves if not board.is_zeroing(m)]
        # Going back where one came from makes the repetitions that random play never finds.
        back = [m for m in quiet if len(board.move_stack) > 1 and board.move_stack[-2].to_square == m.from_square]
        move = rng.choice(back) if back and rng.random() < home else rng.choice(moves)
        assert referee.read(move.uci()) == move
        origin, target = rng.sample(chess.SQUARE_NAMES, 2)
        assert (referee.read(origin + target) in moves) == (chess.Move.from_uci(origin + target) in moves)
        if ply % 5 == 0 or board.halfmove_clock > 96:
            expected = board.can_claim_threefold_repetition() or board.can_claim_fifty_moves()
            assert (referee.draw_claim() is not None) == expected
        trial = board.copy()
        trial.push(move)
        assert referee.after(move) == judged(trial)
        board.push(move)
        referee.push(move)
        assert referee.board.fen() == board.fen() and referee.board.occupied == board.occupied
        assert referee.board.occupied_co[True] == board.occupied_co[True]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("e2e4", "e2e4"),
        ("e4", "e2e4"),
        ("E2E4", "e2e4"),
        ("e2-e4", "e2e4"),
        ("Nf3", "g1f3"),
        ("Ng1f3", "g1f3"),
        ("e4!", "e2e4"),
        ("e2e5", None),
        ("Nd4", None),
        ("e7e5", None),
    ],
)
def test_moves_are_read_in_all_usual_spellings(text: str, expected: str | None) -> None:
    move = Referee(chess.STARTING_FEN).read(text)
    assert (move.uci() if move else None) == expected


@pytest.mark.parametrize("text", ["banana", "--", "", "e9e5", "x", "(none)"])
def test_what_is_no_move_is_told_apart_from_an_illegal_one(text: str) -> None:
    with pytest.raises(ValueError):
        Referee(chess.STARTING_FEN).read(text)


def test_castling_and_promotion_are_read_in_all_usual_spellings() -> None:
    fen = "r3k2r/P6p/8/8/8/8/7P/R3K2R w KQkq - 0 1"
    for text in ("e1g1", "O-O", "0-0", "e1h1"):
        assert Referee(fen).read(text) == chess.Move.from_uci("e1g1")
    assert Referee("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1").read("a7b8N") == chess.Move.from_uci("a7b8n")
    assert Referee("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1").read("axb8=Q+") == chess.Move.from_uci("a7b8q")
    assert Referee("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1").read("a7b8") is None
    two_bishops = "7k/8/8/4B3/8/8/8/KN2B3 w - - 0 1"
    for text, move in (("B1c3", "e1c3"), ("b1c3", "b1c3"), ("B1C3", "b1c3"), ("B5c3", "e5c3")):
        assert Referee(two_bishops).read(text) == chess.Move.from_uci(move)
    shuffled = Referee("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", chess960=True)
    for text in ("f1g1", "O-O"):
        assert shuffled.read(text) == chess.Move.from_uci("f1g1")


# How games end


def ends(opening: Opening, *words: str) -> tuple[str, str]:
    game = one([player(0, *words), player(1)], Rules(max_moves=3), opening)
    assert game.fault is None
    return game.result, game.reason


def test_the_rules_end_a_game_at_once() -> None:
    start = chess.STARTING_FEN
    mate = Opening("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    assert ends(mate, "instead=move_a1a8@1") == ("1-0", "mate")
    assert ends(Opening("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"), "instead=move_c1c7@1") == ("1/2-1/2", "stalemate")
    dance = Opening(start, ("g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"))
    assert ends(dance) == ("1/2-1/2", "repetition")
    assert ends(Opening("4k3/8/8/8/8/8/8/R3K3 w - - 99 80"), "instead=move_a1a2@1") == ("1/2-1/2", "fifty")
    assert ends(Opening("4k3/8/8/8/8/8/4q3/4K3 w - - 0 1"), "instead=move_e1e2@1") == ("1/2-1/2", "material")
    assert ends(Opening(start, ("e2e4",))) == ("1/2-1/2", "move-limit")


def test_a_draw_is_agreed_by_two_offers_and_not_by_one() -> None:
    game = one([player(0, "say=offer_draw@2"), player(1, "agree")])
    assert (game.result, game.reason, game.fault) == ("1/2-1/2", "agreement", None)
    assert len(game.moves) == 3
    assert one([player(0, "say=offer_draw@2"), player(1)]).reason == "move-limit"
    assert one([player(0, "after=offer_draw@2"), player(1, "agree")]).reason == "agreement"
    assert one([player(0, "say=offer_draw@2"), player(1, "instead=1/2-1/2_{agreed}@2")]).reason == "agreement"
    assert one([player(0, "say=offer_draw@2"), player(1, "instead=1-0_{agreed}@2")]).reason == "resign"
    assert one([player(0), player(1, "instead=1/2-1/2_{agreed}@2")]).reason == "claim"


@pytest.mark.parametrize("uci", [False, True])
def test_scores_adjudicate_when_both_agree(uci: bool) -> None:
    def reason(white: int, black: int, **words: int) -> tuple[str, str]:
        players = [player(0, f"score={white}", uci=uci), player(1, f"score={black}", uci=uci)]
        game = one(players, Rules(max_moves=12, adjudication=Adjudication(**words)))  # type: ignore[arg-type]
        return game.result, game.reason

    assert reason(900, -900, resign_score=600, resign_moves=3) == ("1-0", "adjudicated-win")
    assert reason(-900, 900, resign_score=600, resign_moves=3) == ("0-1", "adjudicated-win")
    assert reason(900, -100, resign_score=600, resign_moves=3)[1] == "move-limit"
    assert reason(5, -5, draw_score=10, draw_moves=2, draw_from=4) == ("1/2-1/2", "adjudicated-draw")
    assert reason(5, -50, draw_score=10, draw_moves=2, draw_from=4)[1] == "move-limit"


def test_adjudication_counts_moves_in_a_row() -> None:
    board = chess.Board()
    judge = Adjudicator(Adjudication(draw_score=10, draw_moves=2, draw_from=3))
    scores = [0, 0, 0, 50, 0, 0, 0, 0]
    verdicts = [judge.after(board, ply % 2, score, ply + 1) for ply, score in enumerate(scores)]
    assert verdicts == [None] * 7 + [("1/2-1/2", "adjudicated-draw")]
    judge = Adjudicator(Adjudication(draw_score=10, draw_moves=2, draw_from=3))
    assert [judge.after(board, ply % 2, 0, ply + 1) for ply in range(6)][4:] == [None, ("1/2-1/2", "adjudicated-draw")]
    judge = Adjudicator(Adjudication(resign_score=100, resign_moves=2))
    won = [judge.after(board, ply % 2, score, ply) for ply, score in enumerate([200, -200, None, -200, 200, -200, 200])]
    assert won == [None] * 6 + [("1-0", "adjudicated-win")]


# Clocks


def test_a_clock_gives_its_increment_and_its_sessions() -> None:
    clock = Clock(Limit(base=10.0, increment=0.5, moves_per_session=3), 5.0)
    assert (clock.left, clock.session) == (10.0, 3)
    clock.spend(2.0)
    assert (clock.left, clock.session) == (8.5, 2)
    clock.spend(9.0)
    assert (clock.left, clock.session) == (0.5, 1)
    clock.spend(0.25)
    assert (clock.left, clock.session) == (10.75, 3)


def test_a_move_time_does_not_add_up() -> None:
    clock = Clock(Limit(movetime=0.4), 5.0)
    clock.spend(0.1)
    assert clock.left == 0.4 and clock.clocked
    assert not Clock(Limit(nodes=5), 7.0).clocked and Clock(Limit(depth=5), 7.0).left == 7.0


def test_book_moves_count_for_the_session_and_cost_nothing() -> None:
    limit = Limit(base=5.0, moves_per_session=3)
    opening = Opening(chess.STARTING_FEN, ("e2e4", "e7e5", "g1f3"))
    game = one([player(0, limit=limit), player(1, limit=limit)], Rules(max_moves=2), opening)
    assert game.reason == "move-limit"


def sent(tmp_path: Path, limit: Limit, uci: bool, other: Limit = FAST, **more: object) -> list[str]:
    """Returns what an engine is told in a short game, as Black after one opening move and as White."""
    log = tmp_path / "log"
    rules = Rules(max_moves=2, **more)  # type: ignore[arg-type]
    play([player(0, "nps", limit=other), player(1, "nps", f"log={log}", uci=uci, limit=limit)], rules, 1)
    return log.read_text().split("\n")


@pytest.mark.parametrize(
    "limit, lines",
    [
        (Limit(base=60.0, increment=0.5), ["level 0 1 0.5", "time 6000"]),
        (Limit(base=90.0, moves_per_session=40), ["level 40 1:30 0", "time 9000"]),
        (Limit(base=2.0, increment=0.02), ["level 0 0:02 0.02", "time 200"]),
        (Limit(movetime=2.0), ["st 2", "time 200"]),
        (Limit(movetime=0.25), ["st 0.25", "time 25"]),
        (Limit(depth=7), ["sd 7"]),
        (Limit(nodes=1234), ["nps 1", "st 1234"]),
    ],
)
def test_limits_as_xboard_engines_are_told(tmp_path: Path, limit: Limit, lines: list[str]) -> None:
    told = sent(tmp_path, limit, uci=False)
    for line in lines:
        assert line in told
    assert told.index("new") < told.index("force") < told.index(lines[0]) < told.index("usermove e2e4")
    assert told.count("go") == 1 and "easy" in told and "post" in told
    assert ("time 200" in told) == ("time 200" in lines)
    assert not any(line.startswith("time") for line in told) or not (limit.depth or limit.nodes)


@pytest.mark.parametrize(
    "limit, go",
    [
        (Limit(base=60.0, increment=0.5), "go wtime 20000 btime 60000 winc 100 binc 500"),
        (Limit(base=60.0, moves_per_session=40), "go wtime 20000 btime 60000 winc 100 binc 0 movestogo 39"),
        (Limit(movetime=0.25), "go movetime 250"),
        (Limit(depth=7), "go depth 7"),
        (Limit(nodes=1234), "go nodes 1234"),
    ],
)
def test_limits_as_uci_engines_are_told(tmp_path: Path, limit: Limit, go: str) -> None:
    told = [line for line in sent(tmp_path, limit, uci=True) if line.startswith("go")]
    # The opponent's clock has run for a move: only its shape is the same.
    words, expected = told[0].split(), go.split()
    assert [w for w in words if not w.isdigit()] == [w for w in expected if not w.isdigit()]
    own = expected.index("btime") + 1 if "btime" in expected else -1
    assert words[own] == expected[own] and len(told) == 2


# Kinds of chess and of engines

SHUFFLED = "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1"


@pytest.mark.parametrize("uci", [False, True])
def test_moves_in_words_bare_moves_and_old_moves_are_played(uci: bool) -> None:
    for words in (("san",), ("bare",), ("oldmoves",)):
        game = one([player(0, *words), player(1, uci=uci)])
        assert (game.reason, len(game.moves), game.fault) == ("move-limit", 12, None)


@pytest.mark.parametrize("uci", [False, True])
def test_an_engine_is_told_moves_in_its_own_notation(tmp_path: Path, uci: bool) -> None:
    """Whatever the notation of its opponent, who made them."""
    log = tmp_path / "log"
    game = one([player(0, uci=uci), player(1, "san", f"log={log}")])
    board = chess.Board()
    for word in game.job.opening.moves:
        board.push_uci(word)
    expected = []
    for number, record in enumerate(game.moves):
        move = chess.Move.from_uci(record.move)
        expected += [f"usermove {board.san(move)}"] if number % 2 == 0 else []
        board.push(move)
    assert [line for line in log.read_text().split("\n") if line.startswith("usermove")][2:] == expected[:6]


def test_castling_in_fischer_random_is_told_to_xboard_engines_in_words(tmp_path: Path) -> None:
    log = tmp_path / "log"
    opening = Opening("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K2R w K - 0 1")
    players = [player(0, "instead=bestmove_e1h1@1", uci=True), player(1, "fischer", f"log={log}")]
    game = one(players, Rules(patience=60.0, max_moves=1, chess960=True), opening)
    assert game.moves[0].move == "e1h1" and "usermove O-O" in log.read_text().split("\n")


def test_statistics_behind_a_move_are_kept() -> None:
    game = one([player(0, "stats"), player(1)])
    assert game.moves[0].stats == {"nodes": 101} and game.moves[1].stats is None


def test_the_protocol_is_found_out_when_nobody_says_it() -> None:
    from dataclasses import replace

    players = [replace(player(0, uci=True), protocol="auto"), replace(player(1, "v1", "complain"), protocol="auto")]
    assert one(players).reason == "move-limit"


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot stop a process")
def test_a_pause_of_the_harness_costs_nobody_the_game(tmp_path: Path) -> None:
    """The slot is stopped for longer than the whole clock; its engine's time does not run meanwhile."""
    code = (
        "import sys; sys.path[:0] = sys.argv[1:3]\n"
        "from fake_engines.table import one, player\n"
        "from harness.game.game import Rules; from harness.model import Limit\n"
        "limit = Limit(movetime=2.0)\n"
        "print('go', flush=True)\n"
        "slow = player(0, 'pace=0.8', 'log=' + sys.argv[3], limit=limit)\n"
        "game = one([slow, player(1, limit=limit)], Rules(max_moves=3))\n"
        "print(game.reason, sum(words.get('lag', 0) for words in game.warnings.values()))"
    )
    here = Path(__file__).resolve().parents[2] / "support"
    log = tmp_path / "log"
    line = [sys.executable, "-c", code, str(here), str(here.parents[1]), str(log)]
    slot = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
    assert slot.stdout is not None and slot.stdout.readline() == "go\n"
    until = time.monotonic() + 60
    while not (log.exists() and re.search(r"^\W*go$", log.read_text(), re.MULTILINE)):
        assert time.monotonic() < until, "the engine was never told to move"
        time.sleep(0.02)
    time.sleep(0.2)  # it thinks for 0.8 s
    slot.send_signal(signal.SIGSTOP)
    time.sleep(3.0)
    slot.send_signal(signal.SIGCONT)
    reason, lag = slot.stdout.read().split()
    assert slot.wait(60) == 0 and reason == "move-limit" and int(lag) >= 1


@pytest.mark.parametrize("guesses", [True, False])
def test_pondering_plays_the_same_legal_game(guesses: bool) -> None:
    words = ("guess",) if guesses else ()
    quiet = one([player(0, uci=True), player(1, uci=True)])
    pondering = one([player(0, *words, uci=True), player(1, *words, uci=True)], Rules(max_moves=6, ponder=True))
    assert [m.move for m in quiet.moves] == [m.move for m in pondering.moves]
    words_of_all = {word for words in pondering.warnings.values() for word in words}
    assert words_of_all <= {"lag"}  # which tells of the machine, not of the engine


def test_pondering_is_told_to_xboard_engines(tmp_path: Path) -> None:
    assert "hard" in sent(tmp_path, FAST, uci=False, ponder=True)


def test_fischer_random_castling_is_king_takes_rook_in_the_record(tmp_path: Path) -> None:
    log = tmp_path / "log"
    opening = Opening("4k3/pppppppp/8/8/8/8/PPPPPPPP/5KR1 w G - 0 1")
    xboard = player(1, f"log={log}")
    from harness.engines.client import Setup
    from harness.engines.xboard import XBoardClient

    client = XBoardClient(xboard, 5.0)
    try:
        client.handshake()
        board = chess.Board(opening.fen, chess960=True)
        client.features.variants = ("normal", "fischerandom")
        client.new_game(Setup(opening.fen, False, (chess.Move.from_uci("f1g1"),), False, FAST, FAST, chess960=True))
        assert client.spell(board, chess.Move.from_uci("f1g1")) == "O-O"
    finally:
        client.process.kill()
    told = log.read_text().split("\n")
    assert "variant fischerandom" in told and "usermove O-O" in told
    assert told.index("variant fischerandom") < told.index(f"setboard {opening.fen}")


def test_an_engine_without_fischer_random_is_not_asked_to_play_it() -> None:
    (outcome,) = play([player(0, uci=True), player(1)], Rules(chess960=True), 1, Opening(SHUFFLED))
    assert not hasattr(outcome, "moves") and "Fischer" in outcome.detail
