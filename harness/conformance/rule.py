"""A rule of a protocol, the list of a module's rules, and how an engine does on one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.conformance.probe import Probe

PASS, FAIL, SKIP, UNTRIED = "pass", "fail", "not supported", "not tried"

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


class RuleList:
    """A list of rules that is filled by decorating their tests."""

    def __init__(self) -> None:
        self.all: list[Rule] = []

    def rule(self, name: str, text: str) -> Callable[[Test], Test]:
        def keep(test: Test) -> Test:
            self.all.append(Rule(name, text, test))
            return test

        return keep
