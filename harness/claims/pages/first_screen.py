"""What README shows first: the headline comparisons, and how many claims are decided."""

from __future__ import annotations

from collections.abc import Mapping

from harness.claims import catalogue, words
from harness.claims.catalogue import SIDES
from harness.claims.pages.markdown import prose, table
from harness.claims.register import Match, Register, agreement
from harness.claims.verdicts import FAILS, HOLDS, OPEN, VERDICTS, Figure, tally

WORDS = {
    "history-off": "the history table",
    "see-early-exit": "exact exchange values instead of early exit",
    "see-none": "exchange evaluation as a whole",
    "lmr-off": "late-move reductions",
}  # what Sortie has and the variant lacks
ENGINES = {"own": "its own engine", "today": "today's Sortie"}
HEADS = {HOLDS: "hold", FAILS: "fail"}  # of many claims
AGREEMENT = {
    "they agree": "agrees",
    "they differ by more than chance": "differs by more than chance",
}  # of a figure beside another


def text(register: Register) -> str:
    """The findings in README: the headline comparisons, and how many claims are decided."""
    known = catalogue.read()
    rows, limits = [], []
    for variant, key in known.headline.items():
        long, short = register.matches.get(key), register.matches.get(f"headline/{variant}")
        among = register.matches.get(known.among.get(variant, ""))
        if long is not None or among is not None:
            rows.append((f"`{variant}`", _headline(long), _spot(short, long), _headline(among)))
        limits.append([words.limit(one) if one is not None else None for one in (long, short, among)])
    lines = []
    if rows:
        at = [f", {found}" if (found := next(filter(None, column), "")) else "" for column in zip(*limits, strict=True)]
        head = (
            "variant",
            f"against Sortie{at[0]}",
            f"what `make gauntlet` finds{at[1]}",
            f"with other parts on and off{at[2]}",
        )
        lines += [*prose(f"**{answer(known.headline, register)}**"), "", *table(head, rows), ""]
        lines += prose(
            "*Agrees*: it differs from the second column by no more than chance. The last column is an average: nine other parts "
            "of Sortie are switched on and off in the same games. How the figures change with the nodes a move: "
            "[docs/findings/by-nodes.md](docs/findings/by-nodes.md)."
        )
        lines += [""]
    lines += prose(
        "**What became of the 21 old claims**, each tested in the engine it was made in and in today's Sortie:"
    )
    lines += ["", *_verdicts(register), ""]
    lines += prose(
        "*Too small to matter* means within 10 Elo. Claim by claim: [docs/findings](docs/findings/README.md), or `gauntlet claims`."
    )
    return "\n".join(lines) + "\n"


def _verdicts(register: Register) -> list[str]:
    """How many claims have which verdict, a row for each engine."""
    counts = tally(register)
    known = [word for word in VERDICTS if any(counts[side].get(word) for side in SIDES)]
    rows = [(ENGINES[side], *(str(counts[side].get(word, words.NONE)) for word in known)) for side in SIDES]
    return table(("", *(HEADS.get(word, word) for word in known)), rows)


def answer(headline: Mapping[str, str], register: Register) -> str:
    """What each technique is worth, in a sentence; empty where nothing was played."""
    known = {variant: found for variant, key in headline.items() if (found := register.matches.get(key)) is not None}
    worth = [f"{WORDS[variant]} {words.elo(Figure.of(match).turned())}" for variant, match in known.items()]
    limit = words.common(words.limit(match) for match in known.values())
    if not worth or limit is None:
        return ""
    return f"What each technique is worth to Sortie at {limit}, in Elo [95 %]: {'; '.join(worth)}."


def _headline(match: Match | None) -> str:
    """`**weaker**: -95.6 [-107.4, -83.9], 3,606 games`."""
    if match is None:
        return words.NONE
    return f"**{match.word or OPEN}**: {_elo(match)}, {words.games(match, 'games')}"


def _elo(match: Match) -> str:
    return words.elo(Figure.of(match))


def _spot(match: Match | None, published: Match | None) -> str:
    """`-88.7 [-145.0, -36.7], 76 games: agrees`."""
    if match is None:
        return words.NONE
    told = f"{_elo(match)}, {match.games:,} games"
    if published is None:
        return told
    said = agreement(match.pairs, published, match.word is not None)
    return f"{told}: {AGREEMENT.get(said, said)}"
