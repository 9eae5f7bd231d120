"""Whether move ordering is worth the same under either evaluation: the two runs of the register side by side."""

from __future__ import annotations

import math

from harness.claims import words
from harness.claims.register import Register, Screen
from harness.claims.verdicts import Figure

CLASSICAL, NETWORK = "ordering-classical", "ordering-network"
HEAD = (
    "variant",
    "Elo with the terms",
    "Elo with the network",
    "difference",
    "nodes with the terms",
    "nodes with the network",
)


def rows(register: Register) -> list[tuple[str, ...]]:
    """A row for each variant that was played under both evaluations, in the order of its worth under the network."""
    found = _found(register)
    return [
        (
            f"`{name}`",
            words.elo(classical),
            words.elo(network),
            words.elo(difference(classical, network)),
            _nodes(register, CLASSICAL, name),
            _nodes(register, NETWORK, name),
        )
        for name, (classical, network) in sorted(found.items(), key=lambda one: one[1][1].elo or 0.0)
    ]


def answer(register: Register) -> str:
    """The answer in a sentence."""
    differences = {name: difference(*both) for name, both in _found(register).items()}
    apart = [
        name for name, one in differences.items() if one.low is None or one.high is None or one.low > 0 or one.high < 0
    ]
    if not apart:
        return f"Ordering is worth the same, as far as these games tell: none of the {len(differences)} differences excludes zero."
    named = ", ".join(f"`{name}`" for name in apart)
    return f"Of {len(differences)} differences these exclude zero: {named}. The others do not, and one in twenty does so by chance."


def _found(register: Register) -> dict[str, tuple[Figure, Figure]]:
    """The Elo of each variant that was played under both, the terms' first."""
    names = [match.variant for match in register.matches.values() if match.experiment == NETWORK]
    both = [name for name in names if f"{CLASSICAL}/{name}" in register.matches]
    return {name: (_figure(register, CLASSICAL, name), _figure(register, NETWORK, name)) for name in both}


def games(register: Register) -> tuple[int, int]:
    """The games of each of the two runs; all variants of a run share them."""
    played = [[m.games for m in register.matches.values() if m.experiment == name] for name in (CLASSICAL, NETWORK)]
    return max(played[0], default=0), max(played[1], default=0)


def limit(register: Register) -> str:
    """The limit a move of the two runs."""
    return next((words.limit(m) for m in register.matches.values() if m.experiment == NETWORK), "")


def difference(classical: Figure, network: Figure) -> Figure:
    """Network less classical: two independent samples, so the squares of the half intervals add up."""
    if None in (classical.elo, classical.low, classical.high, network.elo, network.low, network.high):
        return Figure(None, None, None)
    elo = _number(network.elo) - _number(classical.elo)
    half = math.hypot(_width(classical), _width(network)) / 2
    return Figure(elo, elo - half, elo + half)


def _number(value: float | None) -> float:
    assert value is not None
    return value


def _width(figure: Figure) -> float:
    return _number(figure.high) - _number(figure.low)


def _figure(register: Register, experiment: str, variant: str) -> Figure:
    return Figure.of(register.matches[f"{experiment}/{variant}"])


def _nodes(register: Register, experiment: str, variant: str) -> str:
    screen: Screen | None = register.screens.get(f"{experiment}/{variant}")
    return words.NONE if screen is None else words.ratio(screen)
