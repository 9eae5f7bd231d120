"""The table of what engines get wrong (protocol reference, section 10), a test for each row that is about time,
claims, pondering or hostile input."""

import contextlib
import ctypes
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

import pytest
from engine_process import COMMAND, PATIENCE, SHUFFLE, EngineProcess, environment
from positions import START


def seconds_for(engine: EngineProcess, *lines: str) -> tuple[float, float]:
    """What the lines up to the engine's move take: on the wall, which a busy machine lengthens, and of the processor."""
    began, used = time.monotonic(), engine.cpu_seconds()
    engine.send(*lines)
    engine.move()
    return time.monotonic() - began, engine.cpu_seconds() - used


def test_features_come_through_a_pipe_that_stays_open() -> None:
    with EngineProcess(handshake=False) as engine:
        engine.send("protover 2")
        engine.until("feature done=1")


@pytest.mark.parametrize(
    "line", ["?", "force", "new", "result 1-0 {x}", f"setboard {START}", "edit", "undo", "analyze", "remove"]
)
def test_every_interruption_of_a_long_search_is_immediate(engine: EngineProcess, line: str) -> None:
    engine.send("force", "e2e4", "e7e5", "st 6000", "go")
    assert engine.quiet(0.1) == []
    engine.send(line, "ping 99")
    lines = engine.until("pong 99$")
    assert any(text.startswith("move ") for text in lines) == (line == "?")
    assert engine.quiet(0.2) == []


def test_quit_while_thinking() -> None:
    for how in ("quit", "eof", "term"):
        with EngineProcess(handshake=False) as engine:
            engine.sync()
            engine.send("st 6000", "post", "go")
            engine.until(r"\d+ ")
            if how == "quit":
                engine.send("quit")
            elif how == "eof":
                engine.input.close()
            else:
                engine.process.terminate()
            assert engine.gone(PATIENCE), how


@pytest.mark.skipif(sys.platform != "linux", reason="signals of threads are sent by Linux's tgkill")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("thinking", [True, False])
def test_a_signal_that_no_wait_of_the_main_thread_sees_ends_it(number: signal.Signals, thinking: bool) -> None:
    """Sent to another thread it is noticed as late as by a main thread about to wait: with the next line, were handlers all."""
    with EngineProcess(handshake=False) as engine:
        engine.sync()
        if thinking:
            engine.send("st 6000", "post", "go")
            engine.until(r"\d+ ")
        pid = engine.process.pid
        threads = [int(name) for name in os.listdir(f"/proc/{pid}/task") if int(name) != pid]
        assert ctypes.CDLL(None).tgkill(pid, threads[0], number) == 0
        assert engine.gone(10.0)


def test_pong_comes_after_the_move_and_at_once_while_pondering(engine: EngineProcess) -> None:
    engine.send("st 0.3", "go", "ping 1", "ping 2")
    lines = engine.until("pong 2$")
    assert lines[0].startswith("move ") and lines[1:] == ["pong 1", "pong 2"]
    engine.send("force", "new", "hard", "usermove e2e4")
    engine.move()
    engine.send("ping 3")
    engine.until("pong 3$")  # it ponders until it is told otherwise


def test_abandoned_thinking_releases_its_pongs(engine: EngineProcess) -> None:
    engine.send("st 6000", "go", "ping 1", "force")
    assert engine.until("pong 1$") == ["pong 1"]


def test_no_late_move_after_force(engine: EngineProcess) -> None:
    engine.send("go")
    time.sleep(0.05)
    engine.send("force", "ping 3")
    lines = engine.until("pong 3$")
    if lines != ["pong 3"]:  # the move was out before force arrived
        assert lines[0].startswith("move ") and len(lines) == 2
    assert engine.quiet(0.3) == []


@pytest.mark.parametrize(
    ("level", "least", "most"),
    [
        ("level 40 0:30 0", 0.3, 3.5),  # 30 s for 40 moves: 0.75 s, four times that at the most
        ("level 0 0:05 0.1", 0.05, 1.2),
        ("level 0 0+5 9", 0.0, 0.3),  # no base time: at once
        ("level 0 0:02 0.5", 0.1, 1.2),
    ],
)
def test_level_with_seconds_fractions_and_junk(engine: EngineProcess, level: str, least: float, most: float) -> None:
    wall, used = seconds_for(engine, level, "go")
    assert wall >= least and used <= most


def test_level_and_st_replace_each_other(engine: EngineProcess) -> None:
    assert seconds_for(engine, "st 3", "level 0 0:02 0", "go")[1] < 1
    wall, used = seconds_for(engine, "force", "new", "level 0 60 0", "st 0.3", "go")
    assert wall > 0.15 and used < 1


def test_sd_stays_under_every_clock_until_new(engine: EngineProcess) -> None:
    engine.send("post", "sd 2")
    for control in ("st 5", "level 0 5 0", "level 40 5 0"):
        engine.send("force", control, "go")
        depths = {int(line.split()[0]) for line in engine.until("move ") if "\t" in line}
        assert max(depths) == 2
    engine.send("new", "st 0.3", "e2e4")
    assert max(int(line.split()[0]) for line in engine.until("move ") if "\t" in line) > 2


def test_time_is_in_centiseconds_and_obeyed(engine: EngineProcess) -> None:
    assert seconds_for(engine, "level 0 60 0", "time 50", "otim 360000", "go")[1] < 0.5


@pytest.mark.parametrize("clock", ["0", "1", "-300", "5"])
def test_no_time_left_still_means_a_move_at_once(engine: EngineProcess, clock: str) -> None:
    engine.send("level 0 5 0")  # seven seconds a move
    assert seconds_for(engine, f"time {clock}", "go")[1] < 1
    for _ in range(3):
        engine.send("force")
        assert seconds_for(engine, f"time {clock}", "go")[1] < 1


def test_node_limits_of_both_dialects(engine: EngineProcess) -> None:
    for control in (("nps 1", "st 2000"), ("st 1", "nps 2000")):
        engine.send("new", "post", *control, "e2e4")
        last = engine.until("move ")[-2]
        assert int(last.split()[3]) <= 2500
    engine.send("new", "nps -1", "st 0.1", "e2e4")
    engine.move()
    engine.send("new", "nps 0", "st 0.1", "e2e4")  # CPU seconds
    engine.move()


@pytest.mark.parametrize("side", ["white", "black"])
def test_repeating_sessions_never_run_out(side: str) -> None:
    """5 moves in 1 second, 12 moves: the engine's own bookkeeping against a clock kept here."""
    with EngineProcess() as engine:
        engine.send("new", "level 5 0:01 0", "force")
        if side == "black":
            engine.send("e2e3")
        clock, made = 1.0, 0
        while made < 12:
            engine.send(f"time {int(clock * 100)}")
            clock -= seconds_for(engine, "go")[1]  # of the processor: no other work may cost it the game
            made += 1
            assert clock > -0.05, f"lost on time at move {made}"
            if made % 5 == 0:
                clock += 1.0
            engine.send("force", "hint")
            reply = [line for line in engine.sync() if line.startswith("Hint: ")]
            if not reply:
                break
            engine.send("usermove " + reply[0].split()[1])
            assert engine.sync() == []
        assert made >= 5


def test_hash_is_not_allocated_again_for_the_same_size(engine: EngineProcess) -> None:
    engine.send("memory 64", "new")
    engine.sync()
    used = engine.cpu_seconds()
    for _ in range(50):
        engine.send("memory 64", "new")
        engine.sync()
    assert engine.cpu_seconds() - used < 50 * 0.02


def test_undo_past_setboard_and_300_undos(engine: EngineProcess) -> None:
    engine.send("force", f"setboard {START}", *(["e2e4"] + ["undo"] * 300))
    assert engine.sync() == ["Error (command not legal now): undo"] * 299


def test_fifty_moves_are_claimed_at_100_plies_and_not_at_99(engine: EngineProcess) -> None:
    lonely = "setboard 7k/8/6pK/6P1/8/8/8/R7 w - - {} 90"
    engine.send("force", lonely.format(99), "exclude all", "include a1b1", "go")
    assert engine.until("1/2") == ["offer draw", "move a1b1", "1/2-1/2 {50-move rule}"]
    engine.send("force", lonely.format(98), "exclude all", "include a1b1", "go")
    assert engine.until("move ") == ["move a1b1"]
    assert engine.sync() == []
    engine.send("force", lonely.format(100), "go")
    assert engine.sync() == ["1/2-1/2 {50-move rule}"]


def test_third_repetition_is_announced_before_our_move(engine: EngineProcess) -> None:
    engine.send("force", *SHUFFLE, *SHUFFLE[:3], "exclude all", "include f6g8", "go")
    assert engine.until("1/2") == ["offer draw", "move f6g8", "1/2-1/2 {Draw by repetition}"]


def test_third_repetition_by_the_opponent_is_claimed_without_a_move(engine: EngineProcess) -> None:
    for ponder in ("easy", "hard"):
        engine.send("new", "force", *SHUFFLE, *SHUFFLE[:3], ponder, "playother", "f6g8")
        assert engine.until("1/2") == ["1/2-1/2 {Draw by repetition}"]


def test_lost_castling_or_en_passant_rights_are_another_position(engine: EngineProcess) -> None:
    # the first occurrence still had castling rights, so the third look-alike is only the second repetition
    rooks = "setboard r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    circle = ("a1b1", "a8b8", "b1a1", "b8a8")
    engine.send("force", rooks, *circle, *circle, "exclude all", "include e1e2", "go")
    assert engine.until("move ") == ["move e1e2"]
    assert engine.sync() == []
    # e4 with a pawn on d4: en passant was possible the first time
    passant = "setboard 4k2n/8/8/8/3p4/8/4P3/4K2N w - - 0 1"
    hop = ("h8g6", "h1g3", "g6h8", "g3h1")
    engine.send("force", passant, "e2e4", *hop, *hop, "exclude all", "include e8e7", "go")
    assert engine.until("move ") == ["move e8e7"]
    engine.send("force", passant, "e2e4", *hop, *hop, *hop, "go")
    assert engine.until("1/2") == ["1/2-1/2 {Draw by repetition}"]


def test_a_draw_offer_does_not_cut_the_search_short(engine: EngineProcess) -> None:
    wall, used = seconds_for(engine, "st 1", "go", "draw")
    assert wall > 0.7 and used < 2


def test_setboard_loads_positions_with_the_old_move_number_reset(engine: EngineProcess) -> None:
    engine.send("level 40 0:10 0", "force", f"setboard {START[:-1]}99", "go")
    engine.move()


def pondered_move(engine: EngineProcess, control: str) -> tuple[list[str], str]:
    """The lines of a first move and the reply that the engine then ponders on; a line of play may lack one at times."""
    for opening in ("e2e4", "d2d4", "c2c4", "g1f3"):
        engine.send("new", control, "hard", "post", opening)
        lines = engine.until("move ")
        hints = [line.split()[1] for line in engine.sync() if line.startswith("Hint: ")]
        if hints:
            return lines, hints[0]
    raise AssertionError("no reply to ponder on in four games")


def test_ponder_hit_and_miss(engine: EngineProcess) -> None:
    _, hint = pondered_move(engine, "st 0.3")
    assert engine.quiet(0.3) == []  # not a line while pondering
    used = engine.cpu_seconds()
    engine.send(f"usermove {hint}")
    assert "\t" in engine.until("move ")[-2]
    assert engine.cpu_seconds() - used < 1.5
    engine.sync()
    engine.send("easy")
    assert engine.sync() == []
    engine.send("hard")  # starts again on the opponent's time
    replies = engine.sync()
    assert replies == []
    engine.send("undo", "usermove @@@@")
    engine.sync()


def test_ponder_hit_keeps_the_tree() -> None:
    """What was searched on the opponent's time counts: the answer is deeper than its own time allows."""
    with EngineProcess() as engine:
        lines, hint = pondered_move(engine, "st 0.5")
        first = max(int(line.split()[0]) for line in lines if "\t" in line)
        used = engine.cpu_seconds()
        while engine.cpu_seconds() - used < 1.0:  # twice what the first move had, however long that takes
            assert engine.quiet(0.1) == []
        engine.send("st 0.08", f"usermove {hint}")
        depth = int(engine.until("move ")[-2].split()[0])
        assert depth >= first - 3


def test_easy_in_a_row_with_hard(engine: EngineProcess) -> None:
    engine.send("hard", "easy", "e2e4")
    engine.move()
    engine.send("hard", "easy", "hard", "easy")
    assert engine.sync() == []


def test_over_long_binary_and_empty_input(engine: EngineProcess) -> None:
    engine.raw(b"\n\r\n   \n\x00\x00\xff\xfe\n")
    assert len(engine.sync()) == 1
    engine.raw(b"x" * 100_000 + b"\n")
    lines = engine.sync()
    assert len(lines) == 1 and lines[0].startswith("Error (unknown command): xxx") and len(lines[0]) < 300
    engine.raw(b"y" * 3_000_000 + b"\n")
    assert len(engine.sync()) == 1
    engine.raw(b"force\r\nusermove")
    time.sleep(0.05)
    engine.raw(b" e2e4\r\n  undo   \r\n")
    assert engine.sync() == []
    engine.raw("option BookFile=/dev/null/Müller\n".encode())
    assert engine.sync() == []


def test_partial_line_then_end_of_input() -> None:
    with EngineProcess(handshake=False) as engine:
        engine.raw(b"ping 5")
        engine.input.close()
        assert engine.rest() == ["pong 5"]
        assert engine.gone(PATIENCE)


def test_a_gui_that_reads_no_more_leaves_no_process_behind() -> None:
    read_end, write_end = os.pipe()
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=write_end, stderr=subprocess.PIPE, env=environment()
    )
    os.close(write_end)
    assert process.stdin and process.stderr
    try:
        process.stdin.write(b"post\nst 6000\ngo\n")
        process.stdin.flush()
        assert select.select([read_end], [], [], PATIENCE)[0]  # it thinks
        os.close(read_end)
        with contextlib.suppress(BrokenPipeError):  # it may have found out by itself
            process.stdin.write(b"ping 1\nforce\nping 2\n")
            process.stdin.flush()
        process.wait(PATIENCE)
        assert process.stderr.read() == b""
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()


def test_a_gui_that_never_reads_cannot_keep_it_from_leaving() -> None:
    read_end, write_end = os.pipe()
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=write_end, env=environment())
    try:
        assert process.stdin
        process.stdin.write(b"protover 2\n" * 200 + b"quit\n")  # it will print far more than a pipe holds
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
        os.close(read_end)
        os.close(write_end)


def test_two_games_alike_after_new(engine: EngineProcess) -> None:
    """No state leaks between games: same moves, same node counts."""
    played = []
    for _ in range(2):
        engine.send("new", "post", "force", "e2e4", "e7e5", "g1f3", "sd 6", "st 60")
        engine.send("go")
        lines = engine.until("move ")
        played.append([re.sub(r"^(\S+ \S+) \S+ (\S+ \S+) \S+", r"\1 \2", line) for line in lines[-2:]])
        engine.sync()
        engine.send("force")
    assert played[0] == played[1]


def test_interrupt_is_ignored_once_xboard_was_seen() -> None:
    with EngineProcess() as engine:
        engine.sync()
        engine.process.send_signal(signal.SIGINT)
        assert engine.sync() == []


@pytest.mark.skipif(os.name != "posix", reason="interrupts are sent otherwise here")
def test_an_interrupt_while_it_starts_is_silent() -> None:
    """Whatever moment of the start it hits, once our own code runs nothing is said."""
    for number in range(14):
        process = subprocess.Popen(
            [*COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
        )
        time.sleep(0.02 + 0.005 * number)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        assert b"_serve" not in errors, errors  # before that the interpreter itself is starting


def cpu_seconds(command: list[str]) -> float:
    """Least CPU time of several runs that greet the engine and leave; the least, because other work only adds."""
    least = float("inf")
    for _ in range(9):
        with tempfile.TemporaryFile() as greeting:  # a pipe would break when the bare interpreter leaves unasked
            greeting.write(b"xboard\nprotover 2\nquit\n")
            greeting.seek(0)
            process = subprocess.Popen(
                command, stdin=greeting, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
            )
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        least = min(least, usage.ru_utime + usage.ru_stime)
    return least


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="this system does not tell the CPU time of a process")
@pytest.mark.skipif("SORTIE_COMMAND" in os.environ, reason="another build is under test")
def test_start_up_costs_at_most_four_bare_interpreters() -> None:
    assert cpu_seconds(COMMAND) <= 4 * cpu_seconds([sys.executable, "-c", "pass"])
