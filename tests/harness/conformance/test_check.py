"""`gauntlet check`: a rule passes on an engine that keeps it and fails, in bounded time, on one that does not."""

from __future__ import annotations

import functools
import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_engines import command
from fake_engines.runs import begin, gauntlet, living
from here import refusal

from harness.conformance import probe, xboard_basics
from harness.conformance.check import check, rules_for
from harness.conformance.rule import FAIL, PASS, SKIP, UNTRIED, Finding, Rule, Test
from harness.conformance.uci import uciok
from harness.conformance.xboard_basics import black, ping
from harness.engines import detect as detect_module
from harness.engines.detect import detect

# While the engine waits for a processor the probe's clock goes slower, and a move that comes late may be seen.
TOO_LATE = "no move within|moved after"
SORTIE = f"{shlex.quote(sys.executable)} -m engine"


def outcome(rule: str, *words: str, uci: bool = False) -> tuple[str, str]:
    """Returns how a scripted engine does on one rule, and why."""
    rules = [one for one in rules_for("uci" if uci else "xboard") if one.name == rule]
    assert rules, rule
    (finding,) = check(command(*words, uci=uci), rules)
    assert bool(finding.transcript) == (finding.outcome == FAIL)
    return finding.outcome, finding.detail


def reading(answers: dict[str, str], first: str = ":") -> tuple[str, ...]:
    """Returns the command of an engine that answers a line by the text beside the first key it begins with, or not at all.

    `first` is what the shell does at the start.
    """
    cases = "".join(f"{shlex.quote(key)}*) printf '%s\\n' {shlex.quote(text)};; " for key, text in answers.items())
    return "sh", "-c", f"{first}; while read -r line; do case $line in {cases} esac; done"


def on(protocol: str, rule: str, answers: dict[str, str], first: str = ":") -> Finding:
    """Returns how such an engine does on one rule."""
    (found,) = check(reading(answers, first), [one for one in rules_for(protocol) if one.name == rule])
    return found


@functools.cache
def sortie_on(protocol: str, rule: str) -> Finding:
    """Returns how Sortie does on one rule."""
    return next(check(shlex.split(SORTIE), [one for one in rules_for(protocol) if one.name == rule]))


def with_a_fault(protocol: str, rule: str, told: str, said: str) -> Finding:
    """Returns how Sortie, which must pass as it is, does on one rule when told and heard through two scripts of sed."""
    assert sortie_on(protocol, rule).outcome == PASS, sortie_on(protocol, rule)
    faulty = f"sed -u {shlex.quote(told)} | {SORTIE} | sed -u {shlex.quote(said)}"
    return next(check(("sh", "-c", faulty), [one for one in rules_for(protocol) if one.name == rule]))


def test_names_of_rules_are_unique_and_every_rule_says_what_it_is_about() -> None:
    for protocol, least in (("xboard", 55), ("uci", 40)):
        rules = rules_for(protocol)
        assert len(rules) >= least
        assert len({rule.name for rule in rules}) == len(rules)
        assert all(rule.text for rule in rules)


@pytest.mark.parametrize("rule", ["features", "done", "ping", "black", "white", "game", "quit"])
def test_a_good_engine_passes(rule: str) -> None:
    assert outcome(rule) == (PASS, "")


def test_moves_in_san_are_no_fault() -> None:
    assert outcome("game", "san") == (PASS, "")


@pytest.mark.parametrize("seconds, found", [("0.1", PASS), ("2.5", SKIP)])
def test_an_engine_that_loads_on_a_busy_machine_is_not_one_of_version_1(
    seconds: str, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "FEATURES", 0.05)  # as if the machine gave it a fortieth of its time
    assert outcome("done", f"computes={seconds}")[0] == found


@pytest.mark.parametrize("rule", ["uciok", "options", "one-bestmove", "game", "position", "long-game", "quit"])
def test_a_good_uci_engine_passes(rule: str) -> None:
    assert outcome(rule, uci=True) == (PASS, "")


@pytest.mark.parametrize(
    "rule, words, reason",
    [
        ("done", ["nodone"], "no done=1"),
        ("ping", ["nopong"], "no pong"),
        ("black", ["illegal@1"], "illegal move e1e8"),
        ("black", ["hang@1"], "no move within"),
        ("white", ["abort@1"], "ended"),
        ("no-chatter", ["junk=1@1"], "blah"),
        ("quiet-stderr", ["stderr=5000@1"], "trouble"),
        ("quit", ["stay", "hang@1"], "still there"),
    ],
)
def test_a_bad_engine_fails(rule: str, words: list[str], reason: str) -> None:
    found, detail = outcome(rule, *words)
    assert found == FAIL and reason in detail


@pytest.mark.parametrize("uci", [False, True])
def test_an_engine_that_crashes_when_it_is_to_leave_fails(uci: bool) -> None:
    assert outcome("quit", "crashes", uci=uci) == (FAIL, "it crashes (signal 11)")


@pytest.mark.parametrize(
    "rule, told, said, reason",
    [
        ("setboard-while-thinking", "s/^setboard.*/?/", "", "unwanted"),
        ("level-after-st", "s/^level.*//", "", TOO_LATE),
        ("sd-until-new", "s/^level.*/sd 2/", "", "to depth 2 in a game"),
        ("sd-until-new", "s/^sd 2/sd 5/", "", "under `sd 2`"),
        ("level", "s/^level 0 0:05 0.1/st 30/", "", TOO_LATE),
        ("promotion", "s/a7a8n/a7a8q/", "", "Illegal move"),
        ("undo-past-setboard", "s/^setboard.*//", "", ""),
        ("edit", "s/^#$/c/", "", "it has setboard, and edit fails"),
        ("edit", "s/^#$/c/", "s/setboard=1/setboard=0/", ""),
        ("no-early-fifty", "s/98 90/99 90/", "", "claims"),
        ("nps", "s/^st 5000/sd 1/", "", "nodes where 5000"),
        ("chess960", "s/5KR1 w G/6K1 b -/; s/^usermove O-O$//", "", "illegal move"),
        ("mate-score", "", "s/ 100002 / 32765 /", "score 32765"),
        ("analyze-positions", "s/^new/exit/", "", "shows no lines"),
        ("analyze-positions", "s/^exit//", "", "no move within"),
    ],
)
def test_sortie_passes_and_with_a_fault_put_in_it_fails(rule: str, told: str, said: str, reason: str) -> None:
    """`told` changes what the engine is told, `said` what it answers, as sed does."""
    found = with_a_fault("xboard", rule, told, said)
    assert found.outcome == (SKIP if reason.startswith("it has setboard") else FAIL), found
    assert re.search(reason, found.detail), found.detail


@pytest.mark.parametrize(
    "rule, words, reason",
    [
        ("uciok", ["die=5"], "exit status 5"),
        ("game", ["banana@3"], "illegal move banana"),
        ("no-chatter", ["junk=2@1"], "blah"),
        ("end-of-input", ["stay"], "still there"),
    ],
)
def test_a_bad_uci_engine_fails(rule: str, words: list[str], reason: str) -> None:
    found, detail = outcome(rule, *words, uci=True)
    assert found == FAIL and reason in detail


@pytest.mark.parametrize(
    "rule, told, said, reason",
    [
        ("depth", "s/depth 3/depth 1/", "", "to depth 1"),
        ("depth", "s/depth 3/depth 4/", "", "to depth 4"),
        ("nodes", "s/nodes 5000/depth 1/", "", "nodes where 5000"),
        ("nodes", "s/nodes 5000/nodes 50000/", "", "nodes where 5000"),
        ("ponder-move", "", "s/ponder .*/ponder a1a1/", "illegal move"),
        ("searchmoves", "s/searchmoves [a-h1-8 ]*//", "", "played "),
        ("castling", "", "s/e1g1/e1h1/", "castled by e1h1"),
        ("chess960", "s/5KR1 w G - 0 1 moves f1g1/6K1 b - - 0 1/", "", "illegal move"),
        ("mate-in-moves", "", "s/mate 2/mate 3/", "mate 3 for a mate in two"),
        ("mated-sign", "", "s/mate -/mate /", "for the side that is mated"),
        ("go-mate", "s/^go mate 1/go/", "", "no bestmove"),
        ("infinite-to-the-end", "s/infinite/depth 8/", "", "without `stop`"),
        ("stop-at-once", "s/^stop//", "", "no bestmove"),
        ("ponder-to-the-end", "s/ponder depth/depth/", "", "before `ponderhit`"),
        ("multipv", "s/MultiPV value 3/MultiPV value 2/", "", "ranks [1, 2]"),
        ("multipv", "", "s/multipv 1 score cp/multipv 1 score cp -9/", "scores [-9"),
        ("option-case", "s/multipv/notthere/", "", "ranks [1]"),
        ("counts-grow", "", r"s/depth 5 \(.*\) nodes [0-9]*/depth 5 \1 nodes 1/", "nodes ["),
    ],
)
def test_sortie_under_uci_passes_and_with_a_fault_put_in_it_fails(rule: str, told: str, said: str, reason: str) -> None:
    found = with_a_fault("uci", rule, told, said)
    assert found.outcome == FAIL and reason in found.detail, found


@pytest.mark.parametrize(
    "move, reason", [("0000", "illegal move 0000"), ("Nf3", "illegal move Nf3"), ("", "without a move")]
)
@pytest.mark.parametrize("rule", ["option-case", "one-bestmove", "depth", "ponder-move", "castling"])
def test_only_a_legal_move_in_coordinates_is_a_best_move(rule: str, move: str, reason: str) -> None:
    known = {
        "ucinewgame": "",
        "uci": "option name MultiPV type spin default 1 min 1 max 3\nuciok",
        "isready": "readyok",
    }
    found = on("uci", rule, {**known, "go": f"bestmove {move}"})
    if rule == "castling" and move:
        assert (found.outcome, found.detail) == (SKIP, "searchmoves")  # it plays another move than it is told to
    else:
        assert found.outcome == FAIL and reason in found.detail, found


@pytest.mark.parametrize("move", ["--", "@@@@", "0000"])
def test_a_null_move_is_no_move(move: str) -> None:
    found = on("xboard", "black", {"protover": "feature done=1", "e2e4": f"move {move}"})
    assert found.outcome == FAIL and f"illegal move {move}" in found.detail, found


SIMPLE = {"protover": "feature setboard=1 done=1"}  # what an engine without ping says at the start
SIMPLE_UCI = {"ucinewgame": "", "uci": "uciok", "isready": "readyok"}


@pytest.mark.parametrize("rule", ["move-now", "draw-offer", "new-while-thinking", "result-while-thinking"])
def test_what_interrupts_a_search_cannot_be_tried_on_an_engine_that_moves_at_once(rule: str) -> None:
    # A busy machine may keep it from moving at once.
    assert any(outcome(rule) == (SKIP, "it moves before it can be told") for _ in range(5))


def test_an_engine_that_moves_before_it_says_that_it_is_ready_has_moved() -> None:
    assert outcome("isready", uci=True) == (PASS, "")


@pytest.mark.parametrize("rule", ["sd", "sd-until-new", "same-again"])
def test_an_engine_that_refuses_a_depth_is_not_blamed_for_thinking_on(rule: str) -> None:
    found = on("xboard", rule, {**SIMPLE, "sd": "Invalid move: sd"})
    assert (found.outcome, found.detail) == (SKIP, "refuses sd")


def test_without_ping_nobody_knows_how_long_memory_takes() -> None:
    found = on("xboard", "memory", {"protover": "feature memory=1 done=1"})
    assert (found.outcome, found.detail) == (SKIP, "no ping to time it by")


def test_a_long_move_leaves_room_for_the_position() -> None:
    assert outcome("black", "escape@1")[1].endswith(" b KQkq - 0 1")


@pytest.mark.parametrize("rule", ["force", "new-while-thinking", "setboard-while-thinking", "result-while-thinking"])
def test_without_ping_only_another_move_proves_that_a_search_was_dropped(rule: str) -> None:
    late = on("xboard", rule, {**SIMPLE, "e2e4": "move g1f3"})
    assert late.outcome == FAIL and "illegal move g1f3" in late.detail, late
    assert on("xboard", rule, {**SIMPLE, "e2e4": "move e7e5"}).outcome == PASS


def test_an_engine_that_wants_moves_in_san_gets_them_in_every_rule() -> None:
    found = on("xboard", "black", {"protover": "feature san=1 done=1", "e4": "move e7e5"})
    assert found.outcome == PASS, found


@pytest.mark.parametrize("rule", ["analyze", "analyze-positions"])
def test_an_engine_that_says_it_cannot_analyse_is_not_tried_in_it(rule: str) -> None:
    found = on("xboard", rule, {"protover": "feature setboard=1 analyze=0 done=1"})
    assert (found.outcome, found.detail) == (SKIP, "feature analyze=0")


def test_features_that_come_too_late_are_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "FEATURES", 0.05)
    monkeypatch.setattr(xboard_basics, "LATE", 1.5)
    engine = ("sh", "-c", "read -r line; read -r line; sleep 0.9; echo feature done=1; exec sleep 60")
    (found,) = check(engine, [Rule("features", "", xboard_basics.features)])
    assert found.outcome == FAIL and "later" in found.detail, found


@pytest.mark.parametrize(
    "option, reason", [("Foo -spin 3", 'read: "Foo -spin 3"'), ("Foo -spin x 0 9", "0 <= x <= 9 does not hold")]
)
def test_an_option_that_cannot_be_read_is_a_fault(option: str, reason: str) -> None:
    found = on("xboard", "options", {"protover": f'feature option="{option}" done=1'})
    assert found.outcome == FAIL and reason in found.detail, found


def test_a_line_that_ends_in_crlf_must_be_answered() -> None:
    answers = {"protover": "feature ping=1 done=1", "ping 7": "Error (bad argument): ping", "e2e4": "move e7e5"}
    answers.update({f"ping {number}": f"pong {number}" for number in range(1, 4)})
    found = on("xboard", "odd-input", answers)
    assert found.outcome == FAIL and "bad argument" in found.detail, found


@pytest.mark.parametrize("rule, expected", [("post", PASS), ("nopost", FAIL)])
def test_an_echo_is_no_line_of_thinking_and_a_score_may_have_a_plus_sign(rule: str, expected: str) -> None:
    found = on("xboard", rule, {**SIMPLE, "go": "1. a2a3\n1 +62 0 3 Nc3\nmove b1c3"})
    assert found.outcome == expected, found


def test_the_moves_to_choose_from_are_legal() -> None:
    played = on("uci", "searchmoves", {**SIMPLE_UCI, "go depth 4 searchmoves a1a2 b1c3": "bestmove b1c3"})
    assert played.outcome == PASS, played


@pytest.mark.parametrize("rule, uci", [("sd-until-new", False), ("post", False), ("depth", True), ("info", True)])
def test_a_number_without_end_is_no_traceback(rule: str, uci: bool) -> None:
    assert outcome(rule, "boast=5000", uci=uci)[0] in (PASS, FAIL, SKIP)


def test_lines_in_another_notation_are_a_fault() -> None:
    lines = "".join(f"info depth 1 multipv {n} score cp 1 pv {move}\n" for n, move in enumerate(("e4", "d4", "c4"), 1))
    declared = "option name MultiPV type spin default 1 min 1 max 3\nuciok"
    found = on("uci", "multipv", {**SIMPLE_UCI, "uci": declared, "go": f"{lines}bestmove e2e4"})
    assert found.outcome == FAIL and "played e2e4, not its first line" in found.detail, found


def test_words_of_a_line_may_stand_apart() -> None:
    line = "info depth  3  score  cp   20 nodes\t7 pv  b1c3"
    found = on("uci", "info", {**SIMPLE_UCI, "go": f"{line}\nbestmove b1c3"})
    assert found.outcome == PASS, found


def test_a_score_of_nothing_is_not_positive() -> None:
    found = on("uci", "score-sign", {**SIMPLE_UCI, "go": "info depth 4 score cp 0 nodes 1 pv a7a6\nbestmove a7a6"})
    assert found.outcome == FAIL and "score cp 0" in found.detail, found


def test_a_move_told_in_both_forms_of_version_1_is_one_and_comes_again_in_the_next_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(probe, "FEATURES", 0.05)
    found = on("xboard", "same-again", {"go": "3. ... e2e4\nMy move is : e2e4"})
    assert found.outcome == PASS, found


def test_both_forms_again_and_again_are_moves_again_and_again() -> None:
    found = on("xboard", "ponder", {**SIMPLE, "a2a3": "1. ... e7e5\nMy move is : e7e5\n" * 600})
    assert found.outcome == FAIL and 'unwanted "1. ... e7e5"' in found.detail, found


def test_an_engine_of_version_1_that_still_loads_is_waited_for() -> None:
    loads = "n=0; while [ $n -lt 100000 ]; do n=$((n+1)); done"
    engine = probe.Probe(reading({}, first=loads), probe.Known(version_1=True))
    try:
        engine.xboard()
        assert not engine.process.is_working()
    finally:
        engine.close()


def test_an_engine_of_version_1_that_never_rests_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "FEATURES", 0.05)
    monkeypatch.setattr(probe, "LOADING", 0.1)
    known = probe.Known()
    for restless in (False, True):
        assert known.restless == restless
        engine = probe.Probe(("sh", "-c", "while :; do :; done"), known)
        try:
            engine.xboard()
            assert (engine.process.cpu() or 0.0) < 5.0
        finally:
            engine.close()
        monkeypatch.setattr(probe, "LOADING", 8.0)


@pytest.mark.parametrize("features", ["feature ping=1", "feature done=0"])
def test_a_handshake_that_has_no_end_is_waited_for_once(features: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "FEATURES", 0.8)
    monkeypatch.setattr(probe, "HANDSHAKE", 1.0)
    known = probe.Known()
    for first in (True, False):
        engine = probe.Probe(reading({"protover": features}), known)
        began = engine.now()
        try:
            assert engine.xboard().any and known.endless
            took = engine.now() - began
        finally:
            engine.close()
        assert took >= 0.8 if first else took < 8.0
        monkeypatch.setattr(probe, "FEATURES", 600.0)
        monkeypatch.setattr(probe, "HANDSHAKE", 600.0)


def test_a_process_that_has_closed_its_output_is_waited_for_without_work() -> None:
    engine = probe.Probe(("sh", "-c", "exec >&- 2>&-; exec sleep 60"), probe.Known())
    before = time.process_time()
    try:
        with pytest.raises(probe.Fails, match="still there"):
            engine.gone(0.4)
    finally:
        engine.close()
    assert time.process_time() - before < 0.2


def test_the_transcript_ends_with_the_fault() -> None:
    (found,) = check(command("junk=1500@1", "banana@1"), [Rule("black", "", black)])
    assert found.outcome == FAIL and found.transcript[-1] == "< move banana"


def test_a_mistake_at_the_end_of_a_long_feature_line_is_seen() -> None:
    line = "feature " + 'option="Some Option -check 0" ' * 12 + "oops done=1"
    found = on("xboard", "feature-syntax", {"protover": line})
    assert found.outcome == FAIL and "oops" in found.detail, found


@pytest.mark.parametrize("rule", ["no-chatter", "one-bestmove"])
def test_blanks_behind_uciok_are_no_fault(rule: str) -> None:
    found = on("uci", rule, {"ucinewgame": "", "uci": "uciok ", "isready": "readyok", "go": "bestmove e2e4"})
    assert found.outcome == PASS, found


@pytest.mark.parametrize("written, shown", [("\n", '""'), ("boo\n\n", '"boo"'), ("\033[2Jboo", '"\ufffd[2Jboo"')])
def test_what_stands_on_standard_error_is_quoted_in_plain_text(written: str, shown: str) -> None:
    answers = {"ucinewgame": "", "uci": "uciok", "isready": "readyok", "go": "bestmove e2e4"}
    found = on("uci", "quiet-stderr", answers, first=f"printf {shlex.quote(written)} >&2")
    assert (found.outcome, found.detail) == (FAIL, shown)
    assert all(line.isprintable() for line in found.transcript)


def test_a_transcript_holds_no_control_characters() -> None:
    rules = [one for one in rules_for("xboard") if one.name == "odd-input"]
    (found,) = check(command("hang@1"), rules)
    assert found.outcome == FAIL and any("????" in line for line in found.transcript)
    assert all(line.isprintable() for line in found.transcript)


def test_a_version_1_engine_is_not_blamed_for_lacking_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "FEATURES", 0.3)
    monkeypatch.setattr(xboard_basics, "LATE", 0.1)
    for rule in ("features", "ping", "chess960"):
        assert outcome(rule, "v1", "complain")[0] == SKIP


def test_an_engine_that_does_nothing_is_done_with() -> None:
    assert outcome("black", "deaf")[0] == FAIL


def breaks(engine: probe.Probe) -> None:
    raise probe.Fails("as it was made to")


@pytest.mark.parametrize("proof", [black, ping])
def test_an_engine_that_has_answered_once_is_tried_in_full(proof: Test) -> None:
    rules = [Rule(str(number), "", breaks) for number in range(5)]
    assert [found.outcome for found in check(command(), rules)] == [FAIL] * 3 + [UNTRIED] * 2
    rules.insert(2, Rule("answers", "", proof))
    assert [found.outcome for found in check(command(), rules)] == [FAIL, FAIL, PASS, FAIL, FAIL, FAIL]


def test_a_handshake_is_not_yet_an_answer() -> None:
    rules = [Rule("handshake", "", uciok), *(Rule(str(number), "", breaks) for number in range(4))]
    assert [found.outcome for found in check(command(uci=True), rules)] == [PASS, FAIL, FAIL, FAIL, UNTRIED]


def test_what_never_answers_is_said_to_do_so_before_every_rule_has_waited() -> None:
    done = gauntlet("check", "sh -c 'exit 3'", "--protocol", "uci", "--json")
    assert done.returncode == 1
    *_, after, sentence, total, last = done.stdout.splitlines()
    assert after.startswith("not tried") and "exit 3' neither moves nor answers" in sentence
    left = len(rules_for("uci")) - 3
    assert total == f"uci: 0 pass, 3 fail, 0 not supported, {left} not tried"
    assert json.loads(last)["not tried"] == left


def test_the_command_prints_a_line_per_rule_and_its_status() -> None:
    line = shlex.join(command())
    done = gauntlet("check", line, "--protocol", "xboard", "--rule", "features", "--rule", "myname", "--json")
    assert done.returncode == 0, done.stdout
    first, second, total, last = done.stdout.splitlines()
    assert first.startswith("pass") and " features " in first and " myname " in second
    assert total == "xboard: 2 pass, 0 fail, 0 not supported"
    found = json.loads(last)
    assert found["pass"] == 2 and found["rules"][0] == {"rule": "features", "outcome": "pass", "detail": ""}
    bad = gauntlet("check", shlex.join(command("hang@1")), "--protocol", "xboard", "--rule", "black")
    assert bad.returncode == 1
    assert bad.stdout.startswith("fail") and "| > new" in bad.stdout


def test_a_check_that_is_stopped_leaves_no_process(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    line = shlex.join(command("hang@1", "stay", "child", f"pids={pids}"))
    run = begin("check", line, "--protocol", "xboard", "--rule", "black")
    deadline = time.monotonic() + 60
    while len(living(pids)) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=60)
    assert run.returncode == 143
    while living(pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not living(pids)


STOPPED_EARLY = """
import os, signal, sys, time
from harness.cli import main
from harness.engines import process
real = process.start_child
def start(*words, **settings):
    child = real(*words, **settings)
    while len(open(sys.argv[1]).read().split()) < 2:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGTERM)
    return child
process.start_child = start
main(sys.argv[2:])
"""


def test_a_check_that_is_stopped_while_it_starts_an_engine_leaves_no_process(tmp_path: Path) -> None:
    """The engine died with its parent; what the engine had started lived on."""
    pids = tmp_path / "pids"
    pids.touch()
    line = shlex.join(command("hang@1", "stay", "child", f"pids={pids}"))
    words = ("check", line, "--protocol", "xboard", "--rule", "black")
    done = subprocess.run([sys.executable, "-c", STOPPED_EARLY, str(pids), *words], timeout=60)
    assert done.returncode == 143 and len(pids.read_text().split()) == 2
    deadline = time.monotonic() + 20
    while living(pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not living(pids)


def test_the_protocol_is_found_out() -> None:
    for uci in (True, False):
        line = shlex.join(command("complain", uci=uci))
        done = gauntlet("check", line, "--rule", "quiet-stderr")
        assert done.stdout.splitlines()[-1].startswith("uci:" if uci else "xboard:")


@pytest.mark.parametrize("protocol", ["uci", "xboard"])
def test_an_engine_that_is_started_from_far_away_is_waited_for(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a script that sleeps, or ssh, it looks as idle as an engine that does not know `uci`."""
    monkeypatch.setattr(detect_module, "ASKING_TIME", 0.1)
    answers = {"uci": "id name Far\nuciok"} if protocol == "uci" else {"protover": "feature ping=1 done=1"}
    engine = reading(answers, first="sleep 0.5")
    began = time.monotonic()
    assert detect(probe.player_of(engine, "auto"), 20.0) == protocol
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("patience, first", [(10.0, "read -r line; echo id name Foo; exit"), (1.5, ":")])
def test_an_engine_that_never_ends_its_answer_to_uci_is_no_engine_of_xboard(patience: float, first: str) -> None:
    engine = reading({"uci": "id name Foo\nid author Bar"}, first)
    assert detect(probe.player_of(engine, "auto"), patience) == "uci"


@pytest.mark.parametrize(
    "words, expected",
    [
        (["no-such-engine-here"], "no-such-engine-here: no such program"),
        (["./no-such-engine-here"], "./no-such-engine-here: no such program"),
        (["/"], "/: is a folder, not a program"),
        ([__file__], f"{__file__}: may not be executed (chmod +x)"),
        (["", "--protocol", "uci"], "empty"),
        (["cat 'x", "--protocol", "uci"], "expected a command"),
        (["cat", "--protocol", "xbord"], "xbord"),
        (["cat", "--protocol", "uci", "--rule", "uciock"], 'did you mean "uciok"'),
    ],
)
def test_bad_input_is_one_line_and_status_2(words: list[str], expected: str) -> None:
    assert expected in refusal("check", *words)


def test_stockfish_keeps_the_rules_of_uci(peer: Callable[[str], str]) -> None:
    path = peer("stockfish")
    names = ["options", "isready", "movetime", "infinite", "chess960", "no-move", "score-sign"]
    rules = [rule for rule in rules_for("uci") if rule.name in names]
    assert [finding.outcome for finding in check((path,), rules)] == [PASS] * len(names)


def test_sortie_keeps_the_rules_of_xboard() -> None:
    names = ("feature-syntax", "options", "silent-commands", "odd-input", "force", "move-now", "mated", "quit")
    rules = [rule for rule in rules_for("xboard") if rule.name in names]
    found = list(check((sys.executable, "-m", "engine"), rules))
    assert [(f.rule.name, f.detail) for f in found if f.outcome == FAIL] == []
