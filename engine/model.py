"""The value types that rooms of the engine hand to each other: a search's limits, reports and result."""

from __future__ import annotations

from _operator import itemgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self


MATE_SCORE = 100_000  # a mate in N moves scores N more, being mated in N moves the negative of that


class Value(tuple):
    """A tuple with named fields, which a subclass annotates; the last ones may have defaults.

    typing.NamedTuple and dataclasses do the same, but importing them, or collections, would take a tenth of the start-up.
    """

    __slots__ = ()
    FIELDS: tuple[str, ...] = ()
    DEFAULTS: dict[str, Any] = {}

    def __init_subclass__(cls) -> None:
        cls.FIELDS = tuple(cls.__annotations__)
        cls.DEFAULTS = {name: getattr(cls, name) for name in cls.FIELDS if hasattr(cls, name)}
        for place, name in enumerate(cls.FIELDS):
            setattr(cls, name, property(itemgetter(place)))

    def __new__(cls, *values: Any, **named: Any) -> Self:
        """TypeError for a field that is missing, unknown or given twice."""
        if named or len(values) != len(cls.FIELDS):
            rest = cls.FIELDS[len(values) :]
            given = {**cls.DEFAULTS, **named}
            if len(values) > len(cls.FIELDS) or not named.keys() <= set(rest) <= given.keys():
                raise TypeError(f"{cls.__name__} has the fields {', '.join(cls.FIELDS)}, not {values} and {named}")
            values += tuple(given[name] for name in rest)
        return tuple.__new__(cls, values)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.as_dict().items())})"

    def as_dict(self) -> dict[str, Any]:
        """{name: value} of the fields, in their order."""
        return dict(zip(self.FIELDS, self, strict=True))

    def replace(self, **changes: Any) -> Self:
        """The same with other values in the fields that are named."""
        return type(self)(**{**self.as_dict(), **changes})


class Limits(Value):
    """What a search may spend: depth in plies, nodes of all threads, milliseconds; 0: no such limit; all 0: until stop().

    With Stability soft_ms stretches and shrinks by how settled the search is; hard_ms is never overrun. If the two are equal
    they are used up in full. After soft_nodes no new iteration begins; give another limit too, to end an iteration too long.
    """

    __slots__ = ()
    depth: int = 0
    nodes: int = 0
    soft_ms: int = 0
    hard_ms: int = 0
    cpu_clock: bool = False
    soft_nodes: int = 0


class Info(Value):
    """A line of thinking: score in centipawns (mates as in MATE_SCORE), bound -1 fail low, 0 exact, 1 fail high.

    line: 1 for the best root move, 2 for the next, ...; the lines of one iteration are reported together, best first.
    hits: positions that the endgame tables settled.
    """

    __slots__ = ()
    depth: int
    seldepth: int
    score: int
    ms: int
    nodes: int
    bound: int
    pv: list[int]
    line: int = 1
    hits: int = 0


class Result(Value):
    """The result of a search: score as in Info; nodes of all threads, those of quiescence (qnodes) included.

    move is 0 only when no root move was allowed, ponder when no reply is known; both are kernel codes.
    """

    __slots__ = ()
    move: int
    ponder: int
    score: int
    depth: int
    seldepth: int
    nodes: int
    qnodes: int
    ms: int
    pv: list[int]
    stats: dict[str, Any]


class Ruling(Value):
    """The endgame tables' verdict on a root: its score, and the moves that keep it, for the search to choose among.

    exact: distances were known, so any of the moves makes progress.
    """

    __slots__ = ()
    score: int
    exact: bool
    moves: frozenset[int]
