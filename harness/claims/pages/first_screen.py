"""What README shows first: the headline comparisons, and how many claims are decided."""

from __future__ import annotations

from collections.abc import Mapping

from harness.claims import catalogue, words
from harness.claims.pages.markdown import prose, table
from harness.claims.register import Match, Register, agreement
from harness.claims.verdicts import OPEN, Figure, tally

WORDS = {
    "history-off": "the history table",
    "see-early-exit": "the full swap list instead of an early exit",
    "see-none": "exchange values at all",
    "lmr-off": "late-move reductions",
}  # what Sortie has and the variant lacks


def text(register: Register) -> str:
    """The findings in README: the headline comparisons, and how many claims are decided."""
    known, counts = catalogue.read(), tally(register)
    rows, limits = [], []
    for variant, key in known.headline.items():
        long, short = register.matches.get(key), register.matches.get(f"headline/{variant}")
        among = register.matches.get(known.among.get(variant, ""))
        if long is not None or among is not None:
            rows.append((f"`{variant}`", _headline(long), _spot(short, long), _headline(among)))
        limits.append([words.limit(one) if one is not None else None for one in (long, short, among)])
    lines = []
    if rows:
        at = [
            f" ({found})" if (found := next(filter(None, column), "")) else "" for column in zip(*limits, strict=True)
        ]
        head = (
            "variant",
            f"against Sortie as it is{at[0]}",
            f"`make gauntlet` spot-checks it{at[1]}",
            f"mean over nine other parts, each in or out{at[2]}",
        )
        lines += [*prose(f"**{answer(known.headline, register)}**"), "", *table(head, rows), ""]
    lines += prose(
        f"Of the 21 old claims, in the engines they were made in {words.tally(counts['own'])}; in the engine of "
        f"today {words.tally(counts['today'])}: [docs/findings](docs/findings/README.md), or `gauntlet claims`. How this changes "
        "with the nodes a move: [docs/findings/by-nodes.md](docs/findings/by-nodes.md)."
    )
    return "\n".join(lines) + "\n"


def answer(headline: Mapping[str, str], register: Register) -> str:
    """What each technique is worth, in a sentence; empty where nothing was played."""
    known = {variant: found for variant, key in headline.items() if (found := register.matches.get(key)) is not None}
    worth = [f"{WORDS[variant]} {words.elo(Figure.of(match).turned())}" for variant, match in known.items()]
    limit = words.common(words.limit(match) for match in known.values())
    if not worth or limit is None:
        return ""
    return f"What each is worth to Sortie at {limit}, in Elo [95 %]: {'; '.join(worth)}."


def _headline(match: Match | None) -> str:
    """`**weaker**: -95.6 [-107.4, -83.9], 3,606 games`."""
    if match is None:
        return words.NONE
    return f"**{match.word or OPEN}**: {_elo(match)}, {words.games(match, 'games')}"


def _elo(match: Match) -> str:
    return words.elo(Figure.of(match))


def _spot(match: Match | None, published: Match | None) -> str:
    """`-88.7 [-145.0, -36.7], 76 games: they agree`."""
    if match is None:
        return words.NONE
    told = f": {agreement(match.pairs, published, match.word is not None)}" if published is not None else ""
    return f"{_elo(match)}, {match.games:,} games{told}"
