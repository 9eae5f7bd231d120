"""Every command in every state, with good and bad arguments: what it answers, and whether the engine thinks afterwards."""

from __future__ import annotations

import re

import psutil
import pytest
from engine_process import FOOLS_MATE, ILLEGAL_FEN, PATIENCE, EngineProcess

OPENED = ("force", "e2e4", "e7e5")  # White to move
STATES = {
    "idle": ("new",),
    "force": OPENED,
    "wait": (*OPENED, "playother"),
    "think": (*OPENED, "go"),
    "ponder": (*OPENED, "hard", "playother"),
    "analyze": (*OPENED, "analyze"),
    "edit": (*OPENED, "edit"),
    "paused": (*OPENED, "go", "pause"),
    "over": ("force", *FOOLS_MATE),
    "result": (*OPENED, "go", "result 1-0 {x}"),
    "bad": ("force", f"setboard {ILLEGAL_FEN}"),
}
AWAKE = ("idle", "force", "wait", "think", "ponder", "result")  # `go` means thinking
REPLIES = {
    "silent": "",
    "now": r"Error \(command not legal now\): {line}\n",
    "arg": r"Error \(bad argument\): {line}\n",
    "unknown": r"Error \(unknown command\): {line}\n",
    "option": r"Error \(unknown option\): {line}\n",
    "variant": r"Error \(unsupported variant\): {line}\n",
    "position": r"Error \(illegal position\): {line}\n",
    "illegal": r"Illegal move: {last}\n",
    "told": "tellusererror Illegal position\n",
    "mated": r"0-1 \{{Black mates\}}\n",
    "hint": r"Hint: \S+\n",
    "maybe": r"(Hint: \S+\n)?",
    "book": r"( \S+ \d+%\n)*\n",
    "status": r"stat01: \d+ \d+ \d+ \d+ \d+( \S+)?\n",
}
BARRED = {"edit": "now"}
MOVES = {"edit": "now", "paused": "now", "over": "illegal", "bad": "illegal"}
STOPS = ("",)  # nothing thinks afterwards
THINKS = (*AWAKE, "paused")

# line: (what it answers in most states, in which states otherwise, states in which the engine thinks afterwards);
# None in the third place: thinking goes on where there was thinking.
LINES: dict[str, tuple[str, dict[str, str], tuple[str, ...] | None]] = {
    "force": ("silent", {}, STOPS),
    "new": ("silent", {}, STOPS),
    "go": ("silent", {"analyze": "now", "edit": "now", "over": "mated", "bad": "position"}, THINKS),
    "playother": ("silent", {"analyze": "now", "edit": "now"}, STOPS),
    "white": ("silent", {"edit": "now", "bad": "now"}, STOPS),
    "black": ("silent", {"edit": "now", "bad": "now", "over": "now"}, STOPS),
    "usermove d2d4": ("silent", MOVES, ("idle", "wait", "ponder")),
    "d2d4": ("silent", {**MOVES, "edit": "unknown"}, ("idle", "wait", "ponder")),
    "usermove e2e5": ("illegal", {"edit": "now", "paused": "now"}, None),
    "usermove nonsense": ("illegal", {"edit": "now", "paused": "now"}, None),
    "usermove @@@@": (
        "illegal",
        {"edit": "now", "paused": "now", "force": "silent", "analyze": "silent", "result": "silent"},
        None,
    ),
    "usermove": ("arg", BARRED, None),
    "result 1-0 {White mates}": ("silent", {}, STOPS),
    "result * {stopped}": ("silent", {}, STOPS),
    "result nonsense": ("silent", {}, None),
    "setboard 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1": ("silent", BARRED, STOPS),
    "setboard 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 and more": ("silent", BARRED, STOPS),
    "setboard 4k3/8/8/8/8/8/4P3/4K3 w -": ("told", BARRED, STOPS),
    f"setboard {ILLEGAL_FEN}": ("told", BARRED, STOPS),
    "setboard": ("told", BARRED, STOPS),
    "edit": ("silent", BARRED, STOPS),
    "undo": ("silent", {**BARRED, "idle": "now", "bad": "now"}, STOPS),
    "remove": ("silent", {**BARRED, "idle": "now", "bad": "now"}, STOPS),
    "hint": (
        "hint",
        {"think": "silent", "paused": "silent", "over": "silent", "bad": "silent", "edit": "silent"},
        None,
    ),
    "bk": ("book", {}, None),
    "analyze": ("silent", BARRED, STOPS),
    "exclude d2d4": ("silent", {**BARRED, "over": "illegal", "bad": "now"}, None),
    "include d2d4": ("silent", {**BARRED, "over": "illegal", "bad": "now"}, None),
    "exclude all": ("silent", {**BARRED, "bad": "now"}, STOPS),
    "include all": ("silent", {**BARRED, "bad": "now"}, None),
    "exclude e2e5": ("illegal", {**BARRED, "bad": "now"}, None),
    "exclude": ("arg", BARRED, None),
    "include": ("arg", BARRED, None),
    "variant normal": ("silent", BARRED, STOPS),
    "variant fischerandom": ("silent", BARRED, STOPS),
    "variant atomic": ("variant", BARRED, STOPS),
    "variant": ("arg", BARRED, None),
    "pause": ("silent", {}, STOPS),
    "resume": ("silent", {}, ("think", "paused")),
    ".": ("silent", {"analyze": "status"}, None),
    "foobar 1 2": ("unknown", {}, None),
    "setscore 1 2": ("unknown", {}, None),
    "option NoSuch=1": ("option", {}, None),
    "option memory=5": ("option", {}, None),
    "ping": ("arg", {}, None),
}
ANYWHERE = """xboard|accepted debug|rejected san|random|post|nopost|hard|easy|draw|exit|level 40 5 0|level 0 0:30 0.5
level 0 25+5 5|st 60|st 0.5 x|sd 5|sd 0|sd -1|nps 100000|nps 0|nps -1|time 6000|time 0|time -5|otim 6000|otim -1|name X
rating 1 2|rating|ics h|computer|memory 8|memory 0|memory -1|cores 1|egtpath syzygy /a b|egtpath|lift e2|put e4
hover e4|partner|ptell hi|holding [] []|option Level=19|option ClearHash|option BookFile=|option OwnBook=false
option Preset=modern|option LogFile=|option  Level = 20"""
WRONG = """level|level 40|level 40 5|level x 5 0|level 40 x 0|level 40 5 x|level -1 5 0|level 40 5 -1|st|st 0|st -1|st x
sd|sd x|sd 1.5|nps|nps x|time|time x|otim|otim x|memory|memory x|cores|cores 0|cores -1|cores x|option|option =1
option Level|option Level=0|option Level=21|option Level=x|option OwnBook=maybe|option Preset=|option History=5
option LogFile=/no/such/folder/log"""
LINES |= {line: ("silent", {}, None) for line in ANYWHERE.replace("\n", "|").split("|")}
LINES |= {line: ("arg", {}, None) for line in WRONG.replace("\n", "|").split("|")}
LINES["exit"] = ("silent", {}, None)
LINES["hard"] = ("silent", {"think": "maybe"}, None)  # it ponders after its move, if its line has a reply by then
CLOCKS = ("level", "st", "time", "sd", "nps")  # these may end a search by themselves once they count


def thinks_after(line: str, state: str) -> bool:
    after = LINES[line][2]
    if after is None:
        return state == "think"
    return state in after


@pytest.mark.parametrize("state", STATES)
def test_every_command(state: str) -> None:
    with EngineProcess() as engine:
        for line, (usual, otherwise, _) in LINES.items():
            engine.send("exit", "new", "rejected debug", "easy", "nopost", "st 60", *STATES[state], "accepted debug")
            engine.send(line, "rejected debug", "?", "ping 99")
            lines = engine.until("pong 99$")[:-1]
            replies = [text for text in lines if not text.startswith(("# ", "tellusererror")) and "\t" not in text]
            told = lines.count("tellusererror Illegal position") - (state == "bad")
            moves = [text for text in replies if text.startswith("move ")]
            said = "".join(text + "\n" for text in replies if not text.startswith("move "))
            said += "tellusererror Illegal position\n" * told
            pattern = REPLIES[otherwise.get(state, usual)]
            if moves and state == "ponder":
                pattern = REPLIES["maybe"]  # it ponders on after its move, if its line has a reply by then
            if pattern.startswith("Hint") and state == "analyze":
                pattern = REPLIES["maybe"]  # nothing searched so far
            pattern = pattern.replace("{line}", re.escape(line)).replace("{last}", re.escape(line.split()[-1]))
            assert re.fullmatch(pattern.replace("{{", "{").replace("}}", "}"), said), (state, line, lines)
            assert len(moves) == thinks_after(line, state), (state, line, lines)
            engine.send("exit", "new", "sd 1", "e2e4")  # whatever came before, it plays
            engine.move()


def test_the_end_of_edit_leads_back_to_the_state_before(engine: EngineProcess) -> None:
    engine.send("e2e4")
    engine.move()
    engine.send("edit", ".", "d2d4")  # still Black's
    engine.move()
    engine.send("exit", "new", "post", "analyze", "edit", "hard", "memory 5", "cores 1")
    engine.sync()
    assert engine.quiet(0.2) == []  # nothing is searched while the board is being set up
    engine.send(".")
    engine.until(r"\d+ ")


def test_remove_while_thinking_keeps_the_colour(engine: EngineProcess) -> None:
    engine.send("st 60", "force", "e2e4", "e7e5", "go", "remove", "ping 1")
    assert engine.until("pong 1$") == ["pong 1"]
    engine.send("st 0.1", "d2d4", "d7d5")
    engine.move()


def test_quit_with_something_behind_it() -> None:
    with EngineProcess(handshake=False) as engine:
        engine.sync()  # the interpreter has started
        engine.send("st 60", "go", "quit now")
        assert engine.gone(PATIENCE)


@pytest.mark.parametrize("limits", [("sd 1",), ("st 60", "sd 2"), ("nps 1", "st 1")])
def test_a_search_that_ended_in_a_pause_brings_its_move_after_it(
    engine: EngineProcess, limits: tuple[str, ...]
) -> None:
    for end in ("resume", "go"):
        engine.send("new", "force", *limits, "go", "pause")
        assert engine.quiet(0.2) == []
        engine.send(end)
        engine.move()
        assert engine.sync() == []


def test_what_changes_the_search_in_a_pause_does_not_end_it(engine: EngineProcess) -> None:
    engine.send("post", "force", "analyze", "pause")
    engine.sync()
    engine.quiet(0.1)
    for line in ("exclude e2e4", "include all", "memory 5", "option ClearHash", "cores 1"):
        engine.send(line)
        engine.sync()
        assert engine.quiet(0.1) == [], line
    engine.send("resume")
    engine.until(r"\d+ ")
    engine.send("exit", "new", "nopost", "hard", "e2e4")
    engine.move()
    engine.sync()
    engine.send("pause", "memory 6", "option ClearHash", "resume", "d2d4")
    engine.move()
    engine.sync()
    engine.send("new", "force", "exclude all", "go", "pause", "include e2e4")
    assert engine.sync() == []
    assert engine.quiet(0.3) == []
    engine.send("resume")
    assert engine.move() == "e2e4"


def test_a_pause_costs_no_time_on_the_processors_clock(engine: EngineProcess) -> None:
    process = psutil.Process(engine.process.pid)
    engine.send("new", "force", "nps 0", "st 0.4", "go")
    engine.quiet(0.1)
    engine.send("pause")
    assert engine.quiet(1.5) == []
    before = process.cpu_times()
    engine.send("resume")
    engine.move(60)
    after = process.cpu_times()
    assert after.user + after.system - before.user - before.system < 0.9


def test_settings_that_came_while_thinking_apply_before_the_pong(engine: EngineProcess) -> None:
    engine.send("memory 8", "st 0.3", "force", "go", "memory 99999999", "ping 1")
    lines = engine.until("pong 1$")
    assert lines[0].startswith("move ") and lines[1].startswith("# no memory for a table") and lines[2] == "pong 1"
    engine.send("st 60", "go", "memory 99999999", "ping 2", "force")
    lines = engine.until("pong 2$")
    assert lines[0].startswith("# no memory for a table") and lines[1:] == ["pong 2"]
