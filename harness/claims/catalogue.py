"""The claims as their authors made them, and the variants that decide each: `claims.toml` as values."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from harness.errors import BadInput, nearest

FILE = Path(__file__).with_name("claims.toml")
AMOUNTS = ("saved", "growth", "plies", "plies lost")
EXPECTATIONS = ("stronger", "weaker", "not-stronger", "not-weaker", "differs")
SIDES = ("own", "today")


@dataclass(frozen=True, slots=True)
class Trial:
    """A variant that speaks to a claim, and what the claim expects of it against the base of its experiment.

    `speed` is what was counted where only time differs, "nodes" or "instructions", and `pace` the experiment that says
    what twice the nodes are worth. Tests that do not decide stand beside the verdict.
    """

    side: str
    engine: str
    experiment: str
    variant: str
    expects: str
    speed: str = ""
    pace: str = ""
    decides: bool = True

    @property
    def key(self) -> str:
        """Where its figures stand in the register."""
        return f"{self.experiment}/{self.variant}"

    @property
    def turned(self) -> int:
        """-1 if the variant lacks what the claim speaks for, so that its worth is the variant's loss; else 1."""
        return -1 if self.expects in ("weaker", "not-stronger") else 1


@dataclass(frozen=True, slots=True)
class Amount:
    """A figure that a claim names: `said` in words, from `least` to `most`, of the variant whose key it bears.

    `kind` is what is compared: "saved" (share of the nodes), "growth" (nodes a ply over those of a ply less), "plies" (depth that
    the variant gains at equal nodes) or "plies lost" (depth that it loses, where it lacks the technique).
    """

    kind: str
    key: str
    said: str
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Claim:
    """What somebody said, how it was tested, and what they could not see. The words are ours.

    `shows` names a figure of its own beside Elo and nodes: "ebf2", "researches" or "depth".
    """

    id: str
    title: str
    author: str
    year: int
    source: str
    page: str
    text: str
    tested: str
    unseen: str
    tests: tuple[Trial, ...]
    amounts: tuple[Amount, ...] = ()
    circa: bool = False
    shows: str = ""

    @property
    def when(self) -> str:
        return f"about {self.year}" if self.circa else str(self.year)

    def of(self, side: str) -> tuple[Trial, ...]:
        """Its tests in the engine it was made in, or in that of today."""
        return tuple(test for test in self.tests if test.side == side)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All claims, and by variant of the headline experiment where its published figure stands in the register.

    `among` is the same for what a variant is worth as a mean over other parts being there or not.
    """

    claims: tuple[Claim, ...]
    headline: dict[str, str]
    among: dict[str, str]

    def claim(self, name: str) -> Claim:
        """The claim of that number, in either case. Raises BadInput."""
        known = {one.id: one for one in self.claims}
        found = known.get(name.upper())
        if found is None:
            raise BadInput(f'no claim "{name}"{nearest(name.upper(), list(known)) or "; there are C1 to C21"}')
        return found


@cache
def read() -> Catalogue:
    """The shipped catalogue."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    claims = []
    for table in data["claim"]:
        tests = tuple(Trial(**test) for test in table.pop("test", ()))
        amounts = tuple(Amount(**amount) for amount in table.pop("amount", ()))
        for test in tests:
            assert test.side in SIDES and test.expects in EXPECTATIONS, test
        assert all(amount.kind in AMOUNTS for amount in amounts), amounts
        words: dict[str, Any] = {
            key: " ".join(value.split()) if isinstance(value, str) else value for key, value in table.items()
        }
        claims.append(Claim(**words, tests=tests, amounts=amounts))
    return Catalogue(tuple(claims), dict(data["headline"]), dict(data["among"]))
