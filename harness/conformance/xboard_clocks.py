"""The rules of the XBoard protocol that engines break most: clocks and limits."""

from __future__ import annotations

import re

from harness.conformance.probe import GRACE, QUIET_START, Fails, NotSupported, Probe, is_move
from harness.conformance.rule import RuleList
from harness.conformance.xboard_basics import THINKING, shallow, think, thinking, timed_move
from harness.model import keeps_to

RULES = RuleList()
rule = RULES.rule


@rule("st", "keeps to `st 1`, also after a long `level`")
def st(probe: Probe) -> None:
    probe.xboard()
    think(probe, "level 0 60 0", "st 1")
    timed_move(probe, 1.0)


@rule("level-after-st", "keeps to a `level` that comes after a long `st`")
def level_after_st(probe: Probe) -> None:
    probe.xboard()
    think(probe, "st 30", "level 0 0:04 0")
    timed_move(probe, 2.5)


@rule("sd", "keeps to `sd 2` under a long clock")
def sd(probe: Probe) -> None:
    probe.xboard()
    began = probe.now()
    shallow(probe, 5, "level 0 60 0", "sd 2")
    if (took := probe.now() - began) > 2.0 + GRACE:
        raise Fails(f"moved after {took:.2f} s")


@rule("sd-until-new", "keeps `sd` through a new `level` and forgets it at `new`")
def sd_until_new(probe: Probe) -> None:
    probe.xboard()
    depths = []
    for limits in (("sd 2", "level 40 0:40 0"), ("level 40 0:40 0",)):
        lines = shallow(probe, 10, *limits)
        depths.append([int(re.split(r"[^0-9]", line.strip())[0]) for line in lines if THINKING.match(line)])
        probe.say("force")
        probe.sync()
    if not all(depths):
        raise NotSupported("no thinking lines that tell the depth")
    if max(depths[0]) > 2:
        raise Fails(f"searched to depth {max(depths[0])} under `sd 2`")
    if max(depths[1]) <= 2:
        raise Fails(f"searched only to depth {max(depths[1])} in a game after the one with `sd 2`")


@rule("level", "reads MIN:SEC, fractions of an increment and trailing text in `level`")
def level(probe: Probe) -> None:
    probe.xboard()
    lines = (("level 0 0:05 0.1", 3.0), ("level 40 0:20 0", 4.0), ("level 0 0:04 0", 2.5), ("level 40 1+5 0", 8.0))
    for line, most in lines:
        think(probe, line)
        timed_move(probe, most)
        probe.say("force")
        probe.sync()


@rule("time", "takes `time` as centiseconds: half a second left of an hour is half a second")
def time_left(probe: Probe) -> None:
    if not probe.xboard().time:
        raise NotSupported("feature time=0")
    probe.new("force", "easy", "level 0 60 0")
    probe.usermove(*QUIET_START)
    probe.say("time 50", "otim 360000", "go")
    timed_move(probe, 0.5)


@rule("no-time", "moves when `time` is 1, 0 or negative")
def no_time(probe: Probe) -> None:
    if not probe.xboard().time:
        raise NotSupported("feature time=0")
    for left in ("1", "0", "-300"):
        probe.new("force", "easy", "level 0 5 0")
        probe.usermove(*QUIET_START)
        probe.say(f"time {left}", "otim 1000", "go")
        timed_move(probe, 1.0)
        probe.say("force")
        probe.sync()


@rule("sessions", "plays through two time controls of four moves in two seconds without overstepping")
def sessions(probe: Probe) -> None:
    if not probe.xboard().time:
        raise NotSupported("feature time=0")
    probe.new("easy", "level 4 0:02 0")
    left = 2.0
    for number in range(8):
        replies = sorted((move.uci() for move in probe.board.legal_moves), reverse=True)
        if not replies:
            return
        probe.say(f"time {int(left * 100)}", "otim 200")
        probe.usermove(replies[number % len(replies)])
        if probe.board.is_game_over():
            return
        began = probe.now()
        probe.engine_move(left + 3)
        left -= probe.now() - began
        if left < -GRACE:
            raise Fails(f"overstepped control {number // 4 + 1} by {-left:.2f} s at its move {number + 1}")
        if number == 3:
            left = max(left, 0.0) + 2.0


@rule("draw-offer", "is not hurried by `draw`")
def draw_offer(probe: Probe) -> None:
    if not probe.xboard().draw:
        raise NotSupported("feature draw=0")
    think(probe, "st 2")
    first = timed_move(probe, 2.0)
    probe.say("force")
    probe.sync()
    began = probe.now()
    thinking(probe, 0.2, "st 2")
    probe.say("draw")
    probe.engine_move(5)
    took = probe.now() - began
    if took < min(first, 1.0) / 2:
        raise Fails(f"moved after {took:.2f} s with an offer, after {first:.2f} s without")


@rule("nps", "stops at about N nodes under `nps 1` and `st N`")
def nps(probe: Probe) -> None:
    if not probe.xboard().nps:
        raise NotSupported("no feature nps=1")
    think(probe, "nps 1", "st 5000")
    began = probe.now()
    lines = probe.until("move", is_move, 10)
    counts = [int(line.split()[3]) for line in lines if THINKING.match(line)]
    if counts and not keeps_to(5000, counts[-1]):
        raise Fails(f"{counts[-1]} nodes where 5000 were asked for")
    if probe.now() - began > 5:
        raise Fails("5000 nodes took more than 5 s")
