"""The end of the findings' index: how a claim is decided, what the figures rest on, how to check one."""

from __future__ import annotations

from harness.claims.pages.markdown import points, prose
from harness.claims.register import Register

VERDICTS = (
    "**Holds:** the interval excludes zero on the side that the claim expects.",
    "**Fails:** it excludes zero on the other side.",
    "**Too small to matter:** the whole interval lies within 10 Elo of zero, and rests on 1,000 games or more. This verdict "
    "comes before the other two; but a claim that something does not help holds in this case.",
    "**Open:** anything else.",
)
GAMES = (
    "**Ending early.** The interval is looked at while the games are played. Before the last game only one of 99.9 % can settle a "
    "comparison, so looking costs next to nothing ([harness.md](../harness.md#games-until-it-is-settled)). A comparison that "
    "ends early has mostly had a run of luck, and its Elo lies too far from zero: checks in Jazz's quiescence (C10) were settled "
    "after 82 games at 96 Elo, and after 2,000 games were worth a fifth of that. The claims' own experiments therefore settle "
    "nothing before 1,000 games; rows with fewer are older than this rule.",
    "**Playing on.** A comparison that is open after its last game may be played on with another seed and other openings. This "
    "was done once, for early exit at 40,000 nodes. Looking twice at an interval of 95 % makes a verdict wrong in up to eight "
    "cases of a hundred instead of five. The other rows of [tables.md](tables.md) with several seeds had been settled by the "
    "first, and were played on for a narrower interval.",
)
REST = (
    "**Equal nodes.** Where a technique changes the tree, both sides get the same nodes for each move. Other load on the machine "
    "cannot disturb the result, and a run can be repeated move for move.",
    "**Equal trees.** Where a technique changes only the time, both sides search the same tree to the node. Equal searches are "
    "timed in turns ([tables.md](tables.md#time)), and the time saved is turned into Elo by what twice the nodes are worth to the "
    "same engine. The interval takes the ends of both intervals together. Games on the clock are shown beside it, but hundreds "
    "of games cannot show so small a saving.",
    "**Nodes.** Ratios are geometric means over positions searched to the same depth, with a 95 % bootstrap interval.",
    "**Figures that a claim names**, such as 60 % of the nodes, stand beside what was measured. The verdict is on the Elo; *less "
    "than claimed* is on the size.",
    "**Builds.** Sortie goes on changing, and the verdicts on it with it. The last column of each table is the build that played "
    "or was counted: its node count in `sortie bench`. That count does not see what one move leaves in the hash table for the "
    "next: the runs of bench 345186 up to 23 November 2026 were played as with `RenewAge` off. The old engines search the same "
    "trees in every build from 431375 on.",
)


def lines(register: Register) -> list[str]:
    """The lines of the page from `How a claim is decided` on."""
    told = ["## How a claim is decided", "", "The 95 % interval of the Elo decides a test:", "", *points(VERDICTS), ""]
    told += prose(
        "A claim of several parts fails if one part fails, and holds if all parts hold. If none fails and one is open, it is "
        "open; else, if one is too small to matter, so is the claim. A verdict in brackets is that of a test which stands beside "
        "the claim and does not decide it."
    )
    told += ["", *points((*GAMES, *_openings(register), *REST)), "", "## Check a figure", ""]
    told += prose(
        "Every figure here comes from the register (`harness/claims/register.json`). For each run it has the command, the seed, "
        "the build, the pairs of games by score, and a hash of all moves; [tables.md](tables.md) prints it."
    )
    told += [
        "",
        *points(
            (
                "`gauntlet claims C7` tells the story of one claim on the terminal.",
                "`gauntlet claims C7 --play --games 400` plays its games again.",
                "`gauntlet stats --pentanomial 0,0,0,0,0`, with the five counts of a row, works its Elo out again.",
            )
        ),
    ]
    return told


def _openings(register: Register) -> list[str]:
    """What is wrong with the rows whose run drew from few openings; nothing where there are none."""
    old = [one for one in register.matches.values() if not one.openings]
    if not old:
        return []
    return [
        f"**Openings.** {len(old)} of the {len(register.matches)} rows in [tables.md](tables.md) name no openings: those runs drew "
        "from 682. At fixed nodes the same opening can give the same game, which tells nothing new, so their intervals are too "
        "narrow. With all games from one opening as one sample (`gauntlet show` prints these intervals) their verdicts stand, "
        "that on `mvvlva` in Vicki (C19) only just: -7.7 [-15.3, -0.1]. Long runs now draw from 11,700 openings."
    ]
