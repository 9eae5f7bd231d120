"""The handshake, unknown words and bad arguments: what every command does before a game begins."""

import os
import re
import subprocess
import sys

import pytest
from engine_process import ILLEGAL_FEN, ROOT, EngineProcess, forced


def test_features_are_complete_framed_and_in_time(engine: EngineProcess) -> None:
    lines = engine.features
    assert lines[0] == "feature done=0" and lines[-1] == "feature done=1"
    text = " ".join(lines)
    for feature in (
        "ping=1 setboard=1 playother=1 usermove=1 san=0 time=1 draw=1 reuse=1 analyze=1 colors=0 sigint=0 ics=0 name=1 "
        'pause=1 nps=1 debug=1 memory=1 smp=1 exclude=1 egt="syzygy"'
    ).split():
        assert f" {feature} " in text + " ", feature
    assert 'variants="normal,fischerandom"' in text
    assert re.search(r'myname="Sortie \d[^",{}]*"', text)
    assert "setscore" not in text and "highlight" not in text and "sigterm=0" not in text
    assert all(line.count('"') % 2 == 0 and len(line) < 500 for line in lines)


def test_option_names_have_no_blanks_and_none_contains_another(engine: EngineProcess) -> None:
    matches = [re.fullmatch(r'feature option="(.*)"', line) for line in engine.features]
    values = [match.group(1) for match in matches if match]
    names = [value.split(" -")[0] for value in values]
    assert len(names) == len(set(names)) > 10
    for name in names:
        assert re.fullmatch(r"[A-Za-z0-9]+", name)
        assert name.lower() not in ("memory", "cores", "random", "computer", "ponder")
        assert not any(name != other and name.lower() in other.lower() for other in names), name
    syntax = re.compile(
        r"\w+ -(check [01]|spin -?\d+ -?\d+ -?\d+|combo \S+( /// \S+)*|button|(string|file|path) .*)", re.ASCII
    )
    for value in values:
        assert syntax.fullmatch(value), value
        if "-combo" in value:
            assert value.count("*") == 1
        if "-spin" in value:
            default, least, most = map(int, value.split()[-3:])
            assert least <= default <= most


@pytest.mark.parametrize("version", ["2", "3", "99", "x", ""])
def test_protover_accepts_any_number(version: str) -> None:
    with EngineProcess(handshake=False) as engine:
        engine.send(f"protover {version}")
        engine.until("feature done=1")


def test_silent_commands_stay_silent_in_every_state(engine: EngineProcess) -> None:
    silent = ["accepted x", "rejected y", "name Kasparov, Garry", "rating 2000 2100", "rating", "ics chess.org"]
    silent += [
        "computer",
        "random",
        ".",
        "exit",
        "draw",
        "?",
        "resume",
        "lift e2",
        "put e4",
        "hover e4",
        "partner",
        "xboard",
    ]
    silent += ["ptell hello", "holding [] []", "nopost", "easy", "result", "result nonsense", "exit"]
    assert engine.sync() == []
    engine.send(*silent)
    assert engine.sync() == []
    forced(engine, "e2e4")
    engine.send(*silent)
    assert engine.sync() == []
    engine.send("setboard " + ILLEGAL_FEN)
    engine.sync()
    engine.send(*silent)
    assert engine.sync() == []


@pytest.mark.parametrize(
    "line", ["foobar", "foobar 1 2", "Quit", "e2e9", "setscore 1 2", "\x00\x00", "depth", "movee2e4"]
)
def test_unknown_command_is_one_error_line(engine: EngineProcess, line: str) -> None:
    engine.send(line)
    shown = line.replace("\x00", "?")
    assert engine.sync() == [f"Error (unknown command): {shown}"]


@pytest.mark.parametrize(
    "line",
    ["level", "level 40", "level x 5 0", "level 40 x 0", "level 40 5 x", "level -1 5 0", "st", "st 0", "st -1", "st x"]
    + ["sd", "sd x", "nps", "nps x", "time", "time x", "otim", "otim x", "memory", "memory x", "cores", "cores x"]
    + ["cores 0", "ping", "usermove", "variant", "option", "option Level=0", "option Level=21", "option OwnBook=maybe"]
    + ["option Level", "exclude", "include", "option Preset=nonsense", "option MoveOverhead=x"],
)
def test_bad_argument_is_one_error_line_and_changes_nothing(engine: EngineProcess, line: str) -> None:
    engine.send(line)
    answer = [text for text in engine.sync() if not text.startswith("# ")]
    assert answer == [f"Error (bad argument): {line}"]
    engine.send("go")  # st 0.1 is still the time control
    engine.move()


def test_unknown_option_is_named(engine: EngineProcess) -> None:
    engine.send("option NoSuch=1", "option memory=5")
    assert engine.sync() == ["Error (unknown option): option NoSuch=1", "Error (unknown option): option memory=5"]


def test_ping_echoes_its_argument_unchanged(engine: EngineProcess) -> None:
    engine.send("ping  7 x")
    engine.until("pong 7 x$")


def test_debug_lines_wait_for_accepted_debug() -> None:
    with EngineProcess(handshake=False) as engine:
        engine.send("xboard", "protover 2")
        engine.until("feature done=1")
        engine.send("memory 0")
        assert engine.sync() == []
        engine.send("accepted debug", "memory 0")
        notes = engine.sync()
        assert len(notes) == 1 and notes[0].startswith("# memory")


# Start-up is measured: what is slow to load waits until something needs it.
SLOW = {"collections", "dataclasses", "functools", "json", "struct", "threading", "typing", "zlib"}
LATER = {
    "engine.evaluation.network",
    "engine.play.book",
    "engine.protocol.uci",
    "engine.search.threads",
    "engine.syzygy.tables",
}


@pytest.mark.skipif("SORTIE_COMMAND" in os.environ, reason="another build is under test")
@pytest.mark.parametrize(
    ("then", "loaded"), [("", set()), ("new\n", {"engine.search.threads", "engine.evaluation.network"})]
)
def test_a_handshake_loads_only_what_it_needs(then: str, loaded: set[str]) -> None:
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from engine.cli import main; main([])"
    # -S: site-packages may load anything at all.
    command = [sys.executable, "-S", "-X", "importtime", "-c", start]
    done = subprocess.run(
        command, input=f"xboard\nprotover 2\n{then}quit\n", capture_output=True, text=True, timeout=60
    )
    assert "feature done=1" in done.stdout
    names = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "engine.protocol.xboard" in names
    assert names & LATER == loaded
    if not then:
        assert not names & SLOW
