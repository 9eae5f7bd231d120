"""The rules of the XBoard protocol that engines break most, each tried in a conversation: start and play."""

from __future__ import annotations

import re

from harness.conformance.probe import GRACE, QUIET_START, Fails, NotSupported, Probe, is_move, move_text
from harness.conformance.rule import RuleList

RULES = RuleList()
rule = RULES.rule

LATE = 2.0  # seconds more for features that no GUI waits for
RESULT = re.compile(r"(1-0|0-1|1/2-1/2)\b")
# Numbers of a length that can be one; GUIs read a score with a plus sign too.
THINKING = re.compile(r"\s*\d{1,4}[.&+\-*]?\s+[-+]?\d{1,9}\s+\d{1,18}\s+\d{1,18}\s+\S", re.ASCII)
ECHO = re.compile(r"\d+\.\s*\S+$")  # of a move that was sent, as version 1 has it


def is_result(line: str) -> bool:
    return bool(RESULT.match(line)) or line.lower().startswith(("resign", "checkmate", "stalemate"))


def is_complaint(line: str) -> bool:
    return line.lower().startswith(("illegal", "error", "invalid", "unknown"))


def think(probe: Probe, *limits: str) -> None:
    """Has the engine think about a quiet position, as White."""
    probe.new("force", "easy", "post", *limits)
    probe.usermove(*QUIET_START)
    probe.say("go")


def thinking(probe: Probe, seconds: float, *limits: str) -> None:
    """Has the engine think for a while; what it does then cannot be tried on one that moves sooner."""
    think(probe, *limits)
    if any(map(is_move, probe.collect(seconds))):
        raise NotSupported("it moves before it can be told")


def shallow(probe: Probe, seconds: float, *limits: str) -> list[str]:
    """Has the engine move under limits with a depth among them; returns its lines, and plays the move."""
    think(probe, *limits)
    lines = probe.until("move", lambda line: is_move(line) or is_complaint(line), seconds)
    if is_complaint(lines[-1]):
        raise NotSupported("refuses sd")
    probe.move_of(move_text(lines[-1]))
    return lines


def no_move(lines: list[str]) -> None:
    for line in lines:
        if is_move(line):
            raise Fails(f'unwanted "{line}"')


def no_complaint(lines: list[str]) -> None:
    for line in lines:
        if is_complaint(line):
            raise Fails(line)


def alive(probe: Probe) -> None:
    """Fails unless the engine still plays: the only proof without ping."""
    probe.sync()
    probe.new("easy", "st 1")
    probe.usermove("e2e4")
    probe.engine_move(4)


def no_late_move(probe: Probe) -> None:
    """Fails if a search that was to be dropped still ends in a move, or goes on."""
    no_move(probe.sync() + probe.collect(0.3))
    if not probe.features.ping:
        alive(probe)


def timed_move(probe: Probe, most: float) -> float:
    began = probe.now()
    probe.engine_move(most + 3)
    took = probe.now() - began
    if took > most + GRACE:
        raise Fails(f"moved after {took:.2f} s where {most:g} s were allowed")
    return took


# The start


@rule("features", "answers `protover 2` with features within 2 s")
def features(probe: Probe) -> None:
    if probe.xboard().any:
        return
    if any(line.startswith("feature ") for line in probe.collect(LATE)):
        raise Fails("they come later: GUIs take it for a version 1 engine")
    raise NotSupported("a version 1 engine")


@rule("done", "ends its features by done=1")
def done(probe: Probe) -> None:
    if not probe.xboard().any:
        raise NotSupported("a version 1 engine")
    if not probe.features.done:
        raise Fails("no done=1: every GUI waits until its patience ends")


@rule("feature-syntax", 'writes its features as NAME=VALUE or NAME="TEXT"')
def feature_syntax(probe: Probe) -> None:
    if not probe.xboard().any:
        raise NotSupported("a version 1 engine")
    for line in probe.declared:
        rest = re.sub(r'[A-Za-z0-9_]+=("[^"]*"|\'[^\']*\'|[^\s"\']+)', "", line.removeprefix("feature ")).strip()
        if rest:
            raise Fails(f'cannot be read: "{rest[:80]}"')


@rule("myname", "names itself by myname")
def myname(probe: Probe) -> None:
    if not probe.xboard().any:
        raise NotSupported("a version 1 engine")
    if not probe.features.myname:
        raise Fails("no feature myname")


@rule("options", "declares options that GUIs can show: spins with min <= default <= max, combos with choices")
def options(probe: Probe) -> None:
    features = probe.xboard()
    if features.unreadable:
        raise Fails(f'cannot be read: "{features.unreadable[0]}"')
    if not features.options:
        raise NotSupported("no options")
    for option in features.options.values():
        if option.kind in ("spin", "slider") and not option.holds_default():
            raise Fails(f"option {option.name}: {option.low} <= {option.default} <= {option.high} does not hold")
        if option.kind == "combo" and not all(option.choices):
            raise Fails(f"option {option.name}: an empty choice")


# Whether it moves at all: many of the later rules take a move for the proof that it lives.


@rule("black", "plays Black after `new` and a move, without `go`")
def black(probe: Probe) -> None:
    probe.xboard()
    probe.new("easy", "st 1")
    probe.usermove("e2e4")
    probe.engine_move(4)


@rule("white", "plays White after `new` and `go`")
def white(probe: Probe) -> None:
    probe.xboard()
    probe.new("easy", "st 1")
    probe.say("go")
    probe.engine_move(4)
    probe.usermove(next(iter(probe.board.legal_moves)).uci())
    probe.engine_move(4)


# The start, and commands that are not about moves


@rule("option-defaults", "takes every option back at its default without complaint")
def option_defaults(probe: Probe) -> None:
    declared = probe.xboard().options
    lines = [
        f"option {o.name}={o.default}"
        for o in declared.values()
        if o.kind in ("spin", "check", "combo", "slider", "string") and not (o.kind == "string" and not o.default)
    ]
    if not lines:
        raise NotSupported("no options")
    probe.say(*lines)
    no_complaint(probe.sync())
    alive(probe)


@rule("ping", "answers `ping N` by `pong N` at once")
def ping(probe: Probe) -> None:
    if not probe.xboard().ping:
        raise NotSupported("no ping")
    probe.sync()
    probe.new("force")
    began = probe.now()
    for _ in range(20):
        probe.sync()
    if probe.now() - began > 1.0 + GRACE:
        raise Fails(f"20 pings took {probe.now() - began:.2f} s")


@rule(
    "silent-commands",
    "takes accepted, rejected, name, rating, computer, random, hard, easy, post and nopost without complaint",
)
def silent_commands(probe: Probe) -> None:
    probe.xboard()
    probe.new("force")
    probe.sync()
    probe.say("accepted foo", "rejected foo", "name Somebody", "rating 2000 2100", "computer", "random")
    probe.say("hard", "easy", "post", "nopost", "random")
    no_complaint(probe.sync())
    alive(probe)


@rule("unknown-command", "answers an unknown command by one Error line and lives on")
def unknown_command(probe: Probe) -> None:
    probe.xboard()
    probe.new("force")
    probe.sync()
    probe.say("foobar")
    lines = probe.sync()
    alive(probe)
    if not any(is_complaint(line) for line in lines):
        raise Fails("no Error line")


@rule("odd-input", "survives empty, very long, binary and CRLF lines")
def odd_input(probe: Probe) -> None:
    probe.xboard()
    probe.new("force")
    probe.say("", "   ", "x" * 100_000, "\x00\x01\x02\x7f")
    probe.sync()
    if probe.features.ping:
        probe.say("ping 77\r")
        no_complaint(probe.until("pong after CRLF", lambda line: line == "pong 77" or is_complaint(line)))
    else:
        probe.say("post\r")
    alive(probe)


# Play


@rule("game", "plays twenty moves of a game legally, in coordinates, in play mode")
def game(probe: Probe) -> None:
    features = probe.xboard()
    probe.new("easy", "nopost", "level 0 1 0")
    pick = 7
    for _ in range(20):
        replies = sorted(move.uci() for move in probe.board.legal_moves)
        if not replies:
            return
        pick = pick * 75 % 65537
        reply = replies[pick % len(replies)]
        if features.time:
            probe.say("time 300", "otim 300")
        probe.usermove(reply)
        if probe.board.is_game_over():
            return
        probe.engine_move(6)
        if probe.board.is_game_over():
            return


@rule("force", "neither answers moves nor moves late in force mode")
def force(probe: Probe) -> None:
    probe.xboard()
    probe.new("force", "easy")
    probe.usermove(*QUIET_START)
    no_move(probe.sync() + probe.collect(0.2))
    think(probe, "st 30")
    probe.collect(0.05)
    probe.say("force")
    no_late_move(probe)


@rule("new-while-thinking", "drops its search at `new` without a move")
def new_while_thinking(probe: Probe) -> None:
    probe.xboard()
    thinking(probe, 0.1, "st 30")
    probe.new("force")
    no_late_move(probe)


@rule("setboard-while-thinking", "drops its search at `setboard` without a move")
def setboard_while_thinking(probe: Probe) -> None:
    if not probe.xboard().setboard:
        raise NotSupported("no setboard")
    thinking(probe, 0.1, "st 30")
    probe.say("setboard 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    no_late_move(probe)


@rule("result-while-thinking", "drops its search at `result` without a move")
def result_while_thinking(probe: Probe) -> None:
    probe.xboard()
    thinking(probe, 0.1, "st 30")
    probe.say("result 1/2-1/2 {agreed}", "force")
    no_late_move(probe)


@rule("move-now", "moves at once when told `?`")
def move_now(probe: Probe) -> None:
    probe.xboard()
    thinking(probe, 0.3, "st 60")
    probe.say("?")
    timed_move(probe, 0.2)


@rule("ping-while-thinking", "holds the pong back until it has moved")
def ping_while_thinking(probe: Probe) -> None:
    if not probe.xboard().ping:
        raise NotSupported("no ping")
    think(probe, "st 1")
    probe.say("ping 4711")
    lines = probe.until("pong", lambda line: line == "pong 4711", 5)
    if not any(is_move(line) for line in lines):
        raise Fails("pong came before the move")


@rule("post", "shows its thinking as PLY SCORE TIME NODES PV after `post`")
def post(probe: Probe) -> None:
    probe.xboard()
    think(probe, "st 1")
    lines = probe.until("move", is_move, 5)
    numbers = [line for line in lines if line[:1].isdigit() and not is_move(line) and not ECHO.match(line)]
    if not numbers:
        raise Fails("no thinking line before the move")
    wrong = [line for line in numbers if not THINKING.match(line) and "(" not in line]
    if wrong:
        raise Fails(f'not PLY SCORE TIME NODES PV: "{wrong[0][:80]}"')


@rule("nopost", "shows no thinking after `nopost`")
def nopost(probe: Probe) -> None:
    probe.xboard()
    probe.new("force", "easy", "nopost", "st 1")
    probe.usermove(*QUIET_START)
    probe.say("go")
    lines = probe.until("move", is_move, 5)
    shown = [line for line in lines if THINKING.match(line)]
    if shown:
        raise Fails(f'"{shown[0][:80]}"')


@rule("score-sign", "gives scores from its own side: Black a queen up is positive")
def score_sign(probe: Probe) -> None:
    probe.xboard()
    probe.new("easy", "post", "st 1", fen="3qk3/pppppppp/8/8/8/8/PPPPPPPP/4K3 b - - 0 1")
    probe.say("go")
    lines = probe.until("move", is_move, 5)
    scores = [int(line.split()[1]) for line in lines if THINKING.match(line)]
    if not scores:
        raise NotSupported("no scores")
    if scores[-1] <= 0:
        raise Fails(f"score {scores[-1]} when Black is a queen up")
