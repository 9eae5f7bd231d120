"""How figures are worded, in every table, page and sentence: Elo with its interval, LOS, LLR, the decision of a test.

An interval is printed by its two ends, as it is not symmetric; the `±` of the lines for programs is half its width.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.model import Player, keeps_to
from harness.stats.elo import Outcome
from harness.terminal.numbers import noun

UNKNOWN = "not determined"
OPEN = "open"
NODES_NOTE = (
    "Depth and nodes are those of an engine's last line before its move; with some engines what they searched after their "
    "last full iteration is missing."
)


def signed(value: float, digits: int = 1) -> str:
    """A number with so many digits, never -0.0."""
    text = f"{value:.{digits}f}"
    return text[1:] if text.strip("-0.") == "" and text.startswith("-") else text


def plus(value: float, digits: int = 1) -> str:
    """A number that always shows its sign, 0 without one: `+12.3`, `-4.0`, `0.0`."""
    text = signed(value, digits)
    return text if text.startswith("-") or not text.strip("0.") else f"+{text}"


def bar(value: float | None, error: float | None, digits: int = 1) -> str:
    """`-62.1 ± 24.0`, with words for a missing figure: the form of the lines for programs, and of ratios."""
    if value is None:
        return UNKNOWN
    return f"{signed(value, digits)} ± {UNKNOWN if error is None else f'{error:.{digits}f}'}"


def interval(low: float | None, high: float | None, digits: int = 1) -> str:
    """`-86.1 to +12.3`, `above +277.4` and `below -277.4` where an end is open."""
    if low is None and high is None:
        return UNKNOWN
    if high is None:
        return f"above {plus(low or 0.0, digits)}"
    return f"below {plus(high, digits)}" if low is None else f"{plus(low, digits)} to {plus(high, digits)}"


def elo(found: Outcome, digits: int = 1) -> str:
    """`-39.3 [-94.1, +12.3]`; the interval alone if the games give no figure, as when all were won."""
    if found.elo is None:
        return interval(found.low, found.high, digits)
    low, high = (OPEN if end is None else plus(end, digits) for end in (found.low, found.high))
    return f"{plus(found.elo, digits)} [{low}, {high}]"


def probability(value: float | None, digits: int = 1) -> str:
    """LOS, CFS: `97.9 %`, never rounded to certainty; words if there is none."""
    if value is None:
        return UNKNOWN
    text, step = f"{100 * value:.{digits}f}", 10.0**-digits
    if float(text) in (0.0, 100.0):
        return f"{'>' if value > 0.5 else '<'} {100 - step if value > 0.5 else step:.{digits}f} %"
    return f"{text} %"


def llr(value: float, lower: float, upper: float, verdict: str | None, digits: int = 2) -> str:
    """`LLR 2.95 [-2.94, 2.94], H1 accepted`."""
    ends = f"[{lower:.{digits}f}, {upper:.{digits}f}]"
    return f"LLR {signed(value, digits)} {ends}, {decision(verdict)}"


def decision(verdict: str | None) -> str:
    """What a test has decided: `H0 accepted`, `H1 accepted`, `undecided`."""
    return f"{verdict} accepted" if verdict else "undecided"


def comparison(a: str, b: str, found: Outcome, figures: bool = True) -> str | None:
    """`lmr-off is weaker than base by 109 to 239 Elo`, without `figures` no numbers; None while the interval includes 0."""
    if not found.sign:
        return None
    near, far = (found.low, found.high) if found.sign > 0 else (found.high, found.low)
    assert near is not None
    by = f"more than {abs(near):.0f}" if far is None else f"{abs(near):.0f} to {abs(far):.0f}"
    return f"{a} is {'stronger' if found.sign > 0 else 'weaker'} than {b}" + (f" by {by} Elo" if figures else "")


def rating(value: float | None, error: float | None, counts: tuple[float, float, float]) -> str:
    """A joint rating, `-62.1 ± 24.0`; for a player without one, how all its games ended."""
    wins, draws, losses = counts
    if value is None and wins + draws + losses and sum(map(bool, counts)) == 1:
        return "all won" if wins else "all drawn" if draws else "all lost"
    return bar(value, error)


# Warnings about an engine that are no faults: the journal's word and plain ones.
WARNINGS = {
    "noise": ("line outside the protocol", "lines outside the protocol"),
    "error": ("complaint that names no move of the game", "complaints that name no move of the game"),
    "told": ("message for its user", "messages for its user"),
    "turn": ("move out of turn", "moves out of turn"),
    "pong": ("answer to an older ping", "answers to an older ping"),
    "ponder": ("illegal move to ponder on", "illegal moves to ponder on"),
    "option": ("option that could not be read or set", "options that could not be read or set"),
    "stats": ("unreadable # stats line", "unreadable # stats lines"),
    "pv": ("line of thinking with an illegal move", "lines of thinking with an illegal move"),
    "bestmove": ("move that does not begin its line of thinking", "moves that do not begin their line of thinking"),
    "mate": ("announced mate that is none", "announced mates that are none"),
    "lag": ("move held up by a busy machine", "moves held up by a busy machine"),
    "long-line": ("line too long to read", "lines too long to read"),
}


def warnings_text(warnings: Mapping[str, int]) -> str:
    """The warnings of the journal in plain words, `3 moves out of turn, 1 line too long to read`."""
    named = ((count, WARNINGS.get(word, (word, word))) for word, count in warnings.items())
    return ", ".join(f"{count:,} {one if count == 1 else many}" for count, (one, many) in named)


def faults_text(faults: Mapping[str, int]) -> str:
    """The faults of a player: `0`, `2 time`, or `3: 2 time, 1 crash`."""
    words = ", ".join(f"{count} {word}" for word, count in sorted(faults.items()))
    return f"{sum(faults.values())}: {words}" if len(faults) > 1 else words or "0"


def loose_limit(player: Player, nodes: float | None) -> str | None:
    """A sentence if these are not the nodes a move that the player was to search; None where it has no limit or tells none.

    Games that are all mates in a few moves look the same, hence "seems".
    """
    asked = player.limit.nodes
    if not asked or nodes is None or keeps_to(asked, nodes):
        return None
    return (
        f"{player.name} searched {nodes:,.0f} nodes a move on average, where {asked:,} were asked for: "
        "it seems not to keep to a number of nodes"
    )


def more_processors(player: Player, processors: float | None) -> str | None:
    """A sentence if a player on a clock uses clearly more processors than its options ask for; None if not.

    The games must be without pondering.
    """
    if not player.limit.timed or processors is None or processors < player.threads + 0.5:
        return None
    asked = f"{player.threads} {noun(player.threads, 'thread')}"
    return (
        f"{player.name} used {processors:.1f} processors for {asked}: "
        "it has more threads than its options say, or thinks in its opponent's time"
    )


def conjunction(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
