"""Tests whether an engine keeps to its protocol: a rule each, a line each, the conversation where it fails."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from harness.errors import BadInput
from harness.probe import HANDSHAKE, Fails, NotSupported, Probe, player_of
from harness.process import find_command

PASS, FAIL, SKIP = "pass", "fail", "not supported"
SHOWN = 30  # lines of a failure's transcript

Test = Callable[[Probe], None]


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that an engine must do; `test` gets a fresh process and raises Fails or NotSupported."""

    name: str
    text: str
    test: Test


@dataclass(frozen=True, slots=True)
class Finding:
    """How an engine does on a rule."""

    rule: Rule
    outcome: str
    detail: str = ""
    transcript: tuple[str, ...] = ()


class Rules:
    """A list of rules that is filled by decorating their tests."""

    def __init__(self) -> None:
        self.all: list[Rule] = []

    def rule(self, name: str, text: str) -> Callable[[Test], Test]:
        def keep(test: Test) -> Test:
            self.all.append(Rule(name, text, test))
            return test

        return keep


def split_command(command: str) -> tuple[str, ...]:
    """Returns a command line as words; raises BadInput when it is none or its program is missing."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise BadInput(f"{command}: {error}: expected a command as a shell takes it") from None
    if not words:
        raise BadInput("the command is empty: expected an engine's command line")
    if find_command(words[0]) is None:
        raise BadInput(f"{words[0]}: no such program")
    return words


def rules_for(protocol: str) -> Sequence[Rule]:
    if protocol == "uci":
        from harness.rules_uci import RULES

        return RULES.all
    from harness.rules_xboard import RULES as PLAY
    from harness.rules_xboard_clocks import RULES as CLOCKS
    from harness.rules_xboard_games import RULES as GAMES

    return PLAY.all + CLOCKS.all + GAMES.all


def protocol_of(command: Sequence[str]) -> str:
    """Returns the protocol that an engine speaks."""
    from harness.detect import StartFailed, detect

    try:
        return detect(player_of(command, "auto"), HANDSHAKE)
    except StartFailed as failed:
        raise BadInput(str(failed)) from None


def check(command: Sequence[str], rules: Sequence[Rule]) -> Iterator[Finding]:
    """Tries the rules one after the other, each on a process of its own."""
    known: dict[str, bool] = {}
    for rule in rules:
        try:
            probe = Probe(command, known)
        except OSError as error:
            raise BadInput(f"{command[0]}: {error.strerror or error}") from None
        try:
            rule.test(probe)
        except Fails as failure:
            transcript = probe.transcript[-SHOWN:]
            tail = probe.process.stderr_tail().strip().split("\n")[-5:]
            transcript += [f"stderr: {line}" for line in tail if line]
            yield Finding(rule, FAIL, str(failure), tuple(transcript))
        except NotSupported as reason:
            yield Finding(rule, SKIP, str(reason))
        else:
            yield Finding(rule, PASS)
        finally:
            probe.close()
