"""Tests whether an engine keeps to its protocol: a line per rule, and the conversation where one fails."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.conformance import uci, uci_search, xboard_basics, xboard_clocks, xboard_games
from harness.conformance.probe import HANDSHAKE, Fails, Known, NotSupported, Probe, player_of
from harness.conformance.rule import FAIL, PASS, SKIP, UNTRIED, Finding, Rule
from harness.engines.children import adopting_orphans, find_command, why_not_found
from harness.engines.client import StartFailed, printable
from harness.engines.detect import detect
from harness.errors import BadInput

SHOWN = 30  # lines of a failure's transcript
# Rules that an engine may break before it has answered anything. To wait in each of the others would take minutes.
PATIENCE = 3


def split_command(command: str) -> tuple[str, ...]:
    """Returns a command line as words; raises BadInput when it is none or its program is missing."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise BadInput(f"{command}: {error}: expected a command as a shell takes it") from None
    if not words:
        raise BadInput("the command is empty: expected an engine's command line")
    words = (os.path.expanduser(words[0]), *words[1:])
    if find_command(words[0]) is None:
        raise BadInput(f"{words[0]}: {why_not_found(words[0], [Path(words[0])])}")
    return words


def rules_for(protocol: str) -> Sequence[Rule]:
    """Returns the rules of a protocol, in the order in which they are tried."""
    if protocol == "uci":
        return uci.RULES.all + uci_search.RULES.all
    return xboard_basics.RULES.all + xboard_clocks.RULES.all + xboard_games.RULES.all


@adopting_orphans()
def protocol_of(command: Sequence[str]) -> str:
    """Returns the protocol that an engine speaks."""
    try:
        return detect(player_of(command, "auto"), HANDSHAKE)
    except StartFailed as failed:
        raise BadInput(str(failed)) from None


def check(command: Sequence[str], rules: Sequence[Rule]) -> Iterator[Finding]:
    """Tries the rules one after the other, each on a process of its own, until it is clear that nothing answers."""
    known = Known()
    broken = 0
    for rule in rules:
        if broken >= PATIENCE and not known.answers:
            yield Finding(rule, UNTRIED)
            continue
        finding = _tried(command, rule, known)
        broken += finding.outcome == FAIL
        yield finding


@adopting_orphans()
def _tried(command: Sequence[str], rule: Rule, known: Known) -> Finding:
    try:
        probe = Probe(command, known)
    except OSError as error:
        raise BadInput(f"{command[0]}: {error.strerror or error}") from None
    try:
        rule.test(probe)
    except Fails as failure:
        transcript = list(probe.transcript)[-SHOWN:]
        tail = probe.process.stderr_tail().strip().split("\n")[-5:]
        transcript += [f"stderr: {printable(line)}" for line in tail if line]
        return Finding(rule, FAIL, printable(str(failure)), tuple(transcript))
    except NotSupported as reason:
        return Finding(rule, SKIP, printable(str(reason)))
    finally:
        probe.close()
    return Finding(rule, PASS)
