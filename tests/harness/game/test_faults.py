"""Every way an engine can misbehave, tried on a scripted engine: the right word, the right loser, the games go on."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import chess
import pytest
from fake_engines.scripted import Engine
from fake_engines.table import FAST, SHORT, one, play, play_patiently, player

from harness.game.game import Rules
from harness.model import GameRecord, Limit, Opening
from harness.slots.interface import Failed

BOTH = pytest.mark.parametrize("uci", [False, True], ids=["xboard", "uci"])
QUICK = Limit(base=0.6)


def stalled(outcome: GameRecord | Failed) -> bool:
    return isinstance(outcome, GameRecord) and outcome.reason == "stall"


def lost_by_black(game: GameRecord, reason: str) -> None:
    assert (game.result, game.reason) == ("1-0", reason), game
    assert game.fault is not None and game.fault.player == 1 and game.fault.reason == reason
    assert game.fault.transcript and chess.Board(game.fault.position).is_valid()


@BOTH
@pytest.mark.parametrize("limit", [Limit(depth=4), Limit(nodes=100)], ids=["depth", "nodes"])
def test_f1_hang_without_a_clock_is_a_stall(uci: bool, limit: Limit) -> None:
    players = [player(0, "nps", limit=limit), player(1, "hang", "nps", uci=uci, limit=limit)]
    first, second = play_patiently(players, stalled, 2, max_moves=4)
    assert isinstance(first, GameRecord) and isinstance(second, GameRecord)
    lost_by_black(first, "stall")
    assert second.result == "0-1" and second.reason == "stall"


@BOTH
def test_f2_hang_on_the_clock_is_a_stall_and_the_next_game_starts_at_once(uci: bool) -> None:
    games = play([player(0), player(1, "hang", uci=uci, limit=QUICK)], SHORT, 2)
    assert [game.reason for game in games if isinstance(game, GameRecord)] == ["stall", "stall"]


@BOTH
def test_overrun_with_an_answer_is_a_time_loss_and_the_process_plays_on(uci: bool, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    late = player(1, "ponderous", f"pids={pids}", uci=uci, limit=QUICK)
    first, second = play([player(0), late], SHORT, 2)
    assert isinstance(first, GameRecord) and isinstance(second, GameRecord)
    lost_by_black(first, "time")
    assert second.reason == "time" and second.result == "0-1"
    assert len(pids.read_text().split()) == 1


@BOTH
def test_a_move_within_the_margin_stands(uci: bool) -> None:
    limit = Limit(base=0.4)
    game = one([player(0), player(1, "slow=0.55", uci=uci, limit=limit)], Rules(margin=1.0, max_moves=3))
    assert game.reason == "move-limit"


@BOTH
def test_time_per_move_is_enforced(uci: bool) -> None:
    game = one([player(0), player(1, "slow=0.9@3", uci=uci, limit=Limit(movetime=0.3))])
    lost_by_black(game, "time")
    assert len(game.moves) == 5


@BOTH
@pytest.mark.parametrize("how, code", [("abort", -6), ("exit=7", 7)])
def test_f3_death_is_a_crash_with_its_evidence(uci: bool, how: str, code: int) -> None:
    games = play([player(0), player(1, how, uci=uci)], SHORT, 2)
    assert all(isinstance(game, GameRecord) and game.reason == "crash" for game in games)
    game = games[0]
    assert isinstance(game, GameRecord) and game.fault is not None
    lost_by_black(game, "crash")
    assert game.fault.exit_code == code
    assert ("assertion failed" in game.fault.stderr) == (how == "abort")


@BOTH
def test_closed_output_is_a_crash(uci: bool) -> None:
    lost_by_black(one([player(0), player(1, "close", uci=uci)]), "crash")


@BOTH
def test_f4_illegal_move_loses_with_position_and_move(uci: bool) -> None:
    game = one([player(0), player(1, "illegal", uci=uci)])
    lost_by_black(game, "illegal")
    assert "e1e8" in game.detail
    assert game.fault is not None and "e1e8" in game.fault.transcript[-1]


@BOTH
def test_what_is_no_move_is_a_protocol_fault(uci: bool) -> None:
    lost_by_black(one([player(0), player(1, "banana", uci=uci)]), "protocol")


def test_no_move_at_all_is_a_protocol_fault() -> None:
    lost_by_black(one([player(0), player(1, "none", uci=True)]), "protocol")


def test_refusing_a_legal_move_is_a_protocol_fault() -> None:
    game = one([player(0), player(1, "refuse")])
    lost_by_black(game, "protocol")
    assert "Illegal move" in game.detail


@BOTH
def test_f5_no_process_outlives_its_game(uci: bool, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    play([player(0), player(1, "stay", "child", f"pids={pids}", uci=uci)], SHORT, 1)
    for word in pids.read_text().split():
        with pytest.raises(ProcessLookupError):
            for _ in range(100):
                os.kill(int(word), 0)
                if Path(f"/proc/{word}/stat").read_text().split()[2] == "Z":
                    raise ProcessLookupError  # dead, and waiting for init to notice
                time.sleep(0.02)


@BOTH
def test_f7_a_flood_of_junk_is_one_warning_with_a_count(uci: bool) -> None:
    game = one([player(0), player(1, "junk=20000", uci=uci)])
    assert game.reason == "move-limit"
    assert game.warnings[1]["noise"] == 20000


def test_blanks_before_a_line_are_allowed_in_uci() -> None:
    game = one([player(0), player(1, "indent", uci=True)])
    assert game.reason == "move-limit" and set(game.warnings.get(1, {})) <= {"lag"}
    assert all(move.depth for move in game.moves)


@BOTH
def test_f8_a_flood_on_standard_error_is_drained(uci: bool) -> None:
    game = one([player(0), player(1, "stderr=3000000", uci=uci)])
    assert game.reason == "move-limit"


@BOTH
def test_an_endless_line_is_cut(uci: bool) -> None:
    game = one([player(0), player(1, "longline=1000000", uci=uci)])
    assert game.reason == "move-limit"
    assert game.warnings[1]["long-line"] >= 1


@BOTH
def test_bytes_that_are_no_text_do_no_harm(uci: bool) -> None:
    game = one([player(0), player(1, "binary", uci=uci)])
    assert game.reason == "move-limit"
    assert game.warnings[1]["noise"] > 0


@BOTH
def test_f9_death_at_the_start_gives_no_game(uci: bool) -> None:
    (outcome,) = play([player(0), player(1, "die=4", uci=uci)])
    assert isinstance(outcome, Failed)
    assert outcome.player == 1 and "exit status 4" in outcome.detail and "network" in outcome.stderr


@BOTH
def test_death_before_the_first_game_gives_no_game(uci: bool) -> None:
    (outcome,) = play([player(0), player(1, "dienew", uci=uci)])
    assert isinstance(outcome, Failed) and outcome.player == 1


def test_an_engine_that_leaves_after_each_game_is_started_again() -> None:
    left, again = play([player(0), player(1, "leavenew")], games=2)
    assert isinstance(left, GameRecord) and isinstance(again, GameRecord) and again.reason == "move-limit"
    _, died = play([player(0), player(1, "dienew=2")], games=2)
    assert isinstance(died, GameRecord) and died.reason == "crash"


@BOTH
def test_an_unknown_program_gives_no_game(uci: bool) -> None:
    ghost = player(1, uci=uci)
    from dataclasses import replace

    (outcome,) = play([player(0), replace(ghost, command=("no-such-engine-anywhere",))])
    assert isinstance(outcome, Failed) and "no-such-engine-anywhere" in outcome.detail


@BOTH
def test_no_end_of_the_handshake_gives_no_game(uci: bool) -> None:
    words = ("nodone",) if uci else ("done0=30",)
    players = [player(0), player(1, *words, uci=uci)]
    (outcome,) = play_patiently(players, lambda found: isinstance(found, Failed) and found.player == 1)
    assert isinstance(outcome, Failed) and re.search(r"within \d+ s", outcome.detail)


def test_f10_version_one_without_anything() -> None:
    opening = Opening(chess.STARTING_FEN, ("d2d4",))
    game = one([player(0, "v1"), player(1)], opening=opening)
    assert game.reason == "move-limit" and len(game.moves) == 12


def test_f10_a_complaint_about_protover_ends_the_wait() -> None:
    began = time.monotonic()
    rules = Rules(patience=100.0, max_moves=6)
    game = one([player(0, "v1", "complain"), player(1, "oldmoves", "v1", "complain")], rules)
    assert game.reason == "move-limit"
    assert time.monotonic() - began < 100


def test_f10_slow_start_is_allowed_by_done_0() -> None:
    assert one([player(0, "done0=2.5"), player(1)], Rules(patience=60.0, max_moves=2)).reason == "move-limit"


def test_f10_an_engine_that_is_still_loading_is_not_taken_for_version_one() -> None:
    limit = Limit(nodes=500)
    game = one(
        [player(0, "nps", "loads=3.5", limit=limit), player(1, "nps", limit=limit)], Rules(patience=60.0, max_moves=2)
    )
    assert game.reason == "move-limit"


def test_f10_a_position_without_setboard_goes_by_edit() -> None:
    opening = Opening("4k3/8/8/8/8/8/3QP3/4K2R b K - 0 1")
    game = one([player(0, "nosetboard"), player(1, "nosetboard", "bare")], opening=opening)
    assert game.reason in ("move-limit", "mate", "stalemate")


def test_f11_a_complaint_that_names_no_move_is_a_warning() -> None:
    limit = Limit(depth=3)
    game = one([player(0, limit=limit), player(1, "nosd", limit=limit)])
    assert game.reason == "move-limit"
    assert game.warnings[1]["error"] == 1
    # A lag tells of the machine, not of the engine.
    assert set(game.warnings[1]) <= {"error", "lag"} and set(game.warnings.get(0, {})) <= {"lag"}


def test_f12_fractions_of_a_second_go_out_as_they_are(tmp_path: Path) -> None:
    log = tmp_path / "log"
    game = one([player(0), player(1, f"log={log}", limit=Limit(movetime=0.25))])
    assert game.reason == "move-limit"
    assert "st 0.25" in log.read_text().split("\n")


def test_f12_an_engine_that_refuses_fractions_gets_a_clock(tmp_path: Path) -> None:
    log = tmp_path / "log"
    game = one([player(0), player(1, "nofraction", f"log={log}", limit=Limit(movetime=0.25))])
    assert game.reason == "move-limit"
    lines = log.read_text().split("\n")
    assert "level 1 0:01 0" in lines and lines.count("time 25") == 6


@BOTH
def test_f13_every_move_has_wall_processor_and_lag(uci: bool) -> None:
    game = one([player(0), player(1, "pace=0.02", uci=uci)])
    slow = game.moves[1::2]
    assert len(slow) == 6
    for move in slow:
        assert move.ms >= 19.0
        assert move.cpu_ms is not None and 0.0 <= move.cpu_ms <= move.ms + 20
        assert move.lag_ms is not None and move.lag_ms >= 0.0
        assert move.depth is not None and move.nodes == 100 + move.depth and move.score == 10 * move.depth


REPEAT = ("g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1")  # the next move brings the third repetition
FIFTY = "4k3/8/8/8/8/8/8/R3K3 b - - 99 80"


def test_f14_a_false_claim_loses() -> None:
    game = one([player(0), player(1, "say=0-1_{Black_mates}")])
    lost_by_black(game, "claim")
    lost_by_black(one([player(0), player(1, "say=1/2-1/2_{Draw_by_repetition}")]), "claim")


def test_f14_a_claim_one_move_early_is_right() -> None:
    opening = Opening(chess.STARTING_FEN, REPEAT)
    game = one([player(0), player(1, "say=1/2-1/2_{repetition}@1")], opening=opening)
    assert (game.result, game.reason, game.fault) == ("1/2-1/2", "repetition", None)
    game = one([player(0), player(1, "say=1/2-1/2_{50-move_rule}@1")], opening=Opening(FIFTY))
    assert (game.result, game.reason, game.fault) == ("1/2-1/2", "fifty", None)


def test_f14_a_claim_before_the_move_that_makes_it_true() -> None:
    opening = Opening("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    mating = "instead=1-0_{White_mates}\nmove_a1a8@1"
    game = one([player(0, mating), player(1)], opening=opening)
    assert (game.result, game.reason, game.fault) == ("1-0", "mate", None)


def test_claiming_ones_own_loss_is_resigning() -> None:
    for words in ("say=1-0_{White_wins}", "say=resign", "say=1-0_{Black_resigns}"):
        game = one([player(0), player(1, words)])
        assert (game.result, game.reason, game.fault) == ("1-0", "resign", None)


def test_f15_stale_lines_are_dropped_and_counted() -> None:
    games = play([player(0), player(1, "stale", "oldpong", "after=pong_1")], SHORT, 2)
    assert all(isinstance(game, GameRecord) and game.reason == "move-limit" for game in games)
    game = games[1]
    assert isinstance(game, GameRecord)
    assert game.warnings[1]["turn"] == 1 and game.warnings[1]["pong"] == 2


@BOTH
def test_a_second_line_with_the_same_move_is_a_warning(uci: bool) -> None:
    word = "bestmove" if uci else "move"
    game = one([player(0, "pace=0.05"), player(1, f"after={word}_h7h6@2", uci=uci)])
    assert game.reason == "move-limit" and game.warnings[1]["turn"] == 1


@BOTH
def test_a_move_that_came_before_it_was_asked_for_is_not_the_answer(uci: bool) -> None:
    """It is legal and lies in the pipe for as long as the opponent thinks; that time was given to the clock."""
    foresight = Engine([])
    game = foresight.game
    for move in ("e2e4", "e7e5"):
        game.push(game.parse(move))
    for _ in range(3):
        game.push(foresight.pick())
    word = f"{'bestmove' if uci else 'move'}_{game.coordinates(foresight.pick())}"
    played = one([player(0, "pace=0.3"), player(1, f"after={word}@1", uci=uci, limit=Limit(base=5.0))])
    assert played.reason == "move-limit" and played.warnings[1]["turn"] == 1
    assert all(move.ms >= 0 for move in played.moves)


def test_f20_players_of_one_name_are_told_apart() -> None:
    from dataclasses import replace

    twins = [replace(player(i), name="Zwilling ♞ / x") for i in (0, 1)]
    game = one([twins[0], replace(player(1, "illegal"), name=twins[0].name)])
    lost_by_black(game, "illegal")


@BOTH
def test_an_engine_that_reads_nothing_cannot_block_us(uci: bool) -> None:
    players = [player(0), player(1, "deaf", uci=uci, limit=QUICK)]
    (outcome,) = play_patiently(players, lambda found: getattr(found, "player", 1) == 1)
    if uci:
        assert isinstance(outcome, Failed) and outcome.player == 1
    else:
        assert isinstance(outcome, GameRecord) and outcome.reason in ("stall", "time")


@BOTH
def test_no_answer_to_ping_is_a_stall(uci: bool) -> None:
    (game,) = play_patiently([player(0), player(1, "nopong", uci=uci)], stalled)
    assert isinstance(game, GameRecord)
    lost_by_black(game, "stall")
    assert game.moves == ()


def test_nodes_without_the_feature_gives_no_game() -> None:
    limit = Limit(nodes=100)
    (outcome,) = play([player(0, limit=limit, uci=True), player(1, limit=limit)])
    assert isinstance(outcome, Failed) and "nps" in outcome.detail


@BOTH
@pytest.mark.parametrize(
    "name, value, expected",
    [("Hsh", "16", 'did you mean "Hash"'), ("Hash", "many", "whole number"), ("Hash", "4096", "1 to 1024")],
)
def test_an_option_that_does_not_exist_gives_no_game(uci: bool, name: str, value: str, expected: str) -> None:
    (outcome,) = play([player(0), player(1, uci=uci, options=((name, value),))])
    assert isinstance(outcome, Failed) and expected in outcome.detail


def test_faults_elsewhere_do_not_touch_other_games() -> None:
    """The games of two honest engines are the same whether or not a hostile one plays in between."""
    honest = [player(0, "seed=a", limit=FAST), player(1, "seed=b"), player(2, "abort@3")]
    from harness.journal.record import unpack_moves
    from harness.model import Job
    from harness.slots.worker import SlotSpec, Worker

    opening = Opening(chess.STARTING_FEN, ("c2c4",))
    worker = Worker(SlotSpec(tuple(honest), SHORT), lambda news: None)
    lines = []
    for number, (white, black) in enumerate([(0, 1), (0, 2), (0, 1)]):
        outcome = worker.play(Job(number + 1, 0, 1, 1, white, black, opening))
        assert not isinstance(outcome, Failed)
        lines.append([move.move for move in unpack_moves(outcome.moves)])
    worker.close()
    assert lines[0] == lines[2] and len(lines[0]) == 12 and len(lines[1]) < 12
