"""Writes docs/findings (an index with a picture, a page for each author, the tables) and the findings in README."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.claims import amounts, catalogue, remaining, words
from harness.claims.catalogue import SIDES, Catalogue, Claim
from harness.claims.pages import by_evaluation, by_nodes, first_screen, picture
from harness.claims.pages.markdown import prose, table
from harness.claims.register import Count, Match, Register
from harness.claims.verdicts import NOT_ASKED, Figure, Finding, by_side, findings, tally, telling, verdict
from harness.errors import BadInput
from harness.files import store

TITLES = {
    "winglet": "Winglet: deepening, order and the history table",
    "moreland": "Aspiration windows",
    "jazz": "Jazz and Sjaak: what orders quiet moves, and what is searched further",
    "mediocre": "Mediocre: stages, and fractional depth",
    "vicki": "Vicki: the line, and the exchange",
    "uiterwijk": "The counter move",
}
BEGIN, END = "<!-- made by gauntlet claims --write: begin -->", "<!-- made by gauntlet claims --write: end -->"


def write(folder: Path, readme: Path | None, register: Register) -> list[Path]:
    """Writes all pages, and README's findings between their two marks; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {folder / name: text for name, text in pages(register).items()}
    if readme is not None:
        files[readme] = with_part(readme.read_text(encoding="utf-8"), first_screen.text(register), readme)
    for path, text in files.items():
        store(path, text.encode())
    return list(files)


def with_part(text: str, part: str, path: Path) -> str:
    """A document with the text between the marks replaced. Raises BadInput if the marks are missing."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise BadInput(f"{path}: the marks {BEGIN} and {END} are missing")
    return f"{before}{BEGIN}\n{part}{END}{after}"


def pages(register: Register) -> dict[str, str]:
    """The files of docs/findings by name."""
    known = catalogue.read()
    found = {"README.md": _index(known, register), "claims.svg": _picture(known, register)}
    for page, title in TITLES.items():
        found[f"{page}.md"] = _page(title, [one for one in known.claims if one.page == page], register)
    found["by-evaluation.md"] = _by_evaluation(register)
    found["by-nodes.md"] = _by_nodes(register)
    for sweep in by_nodes.SWEEPS:
        if drawn := by_nodes.picture(by_nodes.curves(register, (sweep,))):
            found[_drawing(sweep)] = picture.alone(drawn)
    found["tables.md"] = _tables(register)
    return found


def _played_once(register: Register) -> dict[tuple[str, ...], int]:
    """Games by what they were played for: all variants of a factorial share theirs."""
    return {
        (one.experiment, one.hash, one.limit, "" if one.kind == "factorial" else one.variant): one.games
        for one in register.matches.values()
    }


def _index(known: Catalogue, register: Register) -> str:
    counts = tally(register)
    games = sum(_played_once(register).values())
    lines = ["# Findings: what became of the old claims", ""]
    lines += prose(
        "Between 1992 and 2011 six authors wrote what orders the moves of a chess program best, and what it should "
        "search further. They had one machine, few positions and no means to play thousands of games. Here each of their "
        "21 claims is put to games: in the engine it was made in, which Sortie can be, and in Sortie as it is today."
    )
    lines += ["", "![All claims: nodes saved against Elo earned, coloured by verdict](claims.svg)", ""]
    lines += prose(
        f"**In their own engines:** {words.tally(counts['own'])}. **In the engine of today:** {words.tally(counts['today'])}. "
        f"{games:,} games stand behind this page. A point of the picture is a claim in its own engine, from the view of "
        "the technique that it speaks for; those of equal trees stand on the line of equal nodes, with the Elo that "
        "their time is worth."
    )
    lines += [""]
    rows = []
    for claim in known.claims:
        said = by_side(claim, register)
        first = telling(findings(claim, "own", register))
        rows.append(
            (
                f"[{claim.id}]({claim.page}.md#{_anchor(claim)})",
                f"{claim.author}, {claim.when}",
                claim.text,
                f"**{said['own']}**{amounts.beside(claim, register)}",
                f"`{first.test.variant}`",
                words.elo_of(first),
                words.work(first),
                f"**{said['today']}**",
            )
        )
    lines += table(("", "who", "claim", "own engine", "variant", "Elo", "nodes", "today"), rows)
    lines += [
        "",
        *prose(
            "Variant, Elo and nodes are those of the first test that gave a claim its verdict in its own engine; each page "
            "has the others. Elo and nodes are the variant's, against the engine as it was; the variant has the technique "
            "or lacks it, so a claim may hold because what lacks it is weaker. Each page says what was expected of it."
        ),
        "",
        "Two questions that the authors could not ask have pages of their own: [how worth changes with time](by-nodes.md), and",
        "[whether ordering is worth the same under a network](by-evaluation.md).",
        "",
    ]
    lines += _left(register)
    lines += ["## How a claim is decided", ""]
    lines += prose(
        "*Holds* and *fails*: the 95 % interval of the Elo excludes zero, on the side that the claim expects or on the "
        "other. *Too small to matter*: the whole interval lies within 10 Elo of zero, and if it comes from games they "
        "are 1,000 or more; where both are true, this is the verdict. All else is *open*, and says so. A claim of several parts "
        "fails if one of them fails and holds if all of them hold; a verdict in brackets is that of a test which stands beside "
        "the claim and does not decide it. Games are looked at while they are played: before the last one only an interval "
        "of 99.9 % settles a comparison, so looking costs next to nothing ([harness.md](../harness.md#games-until-it-is-settled))."
    )
    lines += [""]
    lines += prose(
        "A comparison that ends early mostly ends on a run of luck, and its Elo lies too far from zero: checks in the quiescence "
        "of Jazz (C10) were worth 96 Elo after 82 games, when they were settled, and a fifth of that after 2,000. So the claims' "
        "own experiments settle nothing before 1,000 games; their rows of fewer are older than this rule. A comparison that is "
        "open after its last game may be played on, by another seed and from other openings (rows of several seeds in "
        "[tables.md](tables.md)): the early exit at 40,000 nodes was, once. Looked at twice, a verdict of 95 % is wrong in up to "
        "eight of a hundred cases instead of five."
    )
    lines += [""]
    if old := [one for one in register.matches.values() if not one.openings]:
        lines += prose(
            f"{len(old)} of the {len(register.matches)} rows in [tables.md](tables.md) name no openings: those runs drew from 682. "
            "At fixed nodes the same opening can give the same game, which tells nothing new, so their intervals are too narrow. "
            "With all games from one opening as one sample (`gauntlet show` has these intervals) their verdicts stand, C19's by a "
            "hair: -7.7 [-15.3, -0.1]. Long runs now draw from 11,700 openings."
        )
        lines += [""]
    lines += prose(
        "Where a technique changes the tree, both sides have the same nodes for each move, so no other load of the "
        "machine can disturb a result, and a run can be repeated move for move. Where it changes time alone the trees "
        "are equal to the node; then equal searches are timed in turns ([tables.md](tables.md#time)), and the time saved is turned "
        "into Elo by what twice the nodes are worth to the same engine, the ends of both intervals taken together. Games on the "
        "clock stand beside it: so small a saving is beyond what hundreds of games can see. Node ratios are geometric means "
        "over positions searched to one depth, with a 95 % bootstrap interval. A figure that a claim names, such as 60 % of "
        "the nodes, is set beside what was measured: the verdict is on the Elo, and *less than said* on the size."
    )
    lines += [""]
    lines += prose(
        "The engine of today goes on changing, and its verdicts with it: the last column of each table is the build (the "
        "node count of `sortie bench`) that played or was counted. That count does not see what one move leaves in the table "
        "for the next: the runs of bench 345186 up to 23 November 2026 were played as with `RenewAge` off. "
        "The old engines search the same trees in every build."
    )
    lines += [""]
    lines += prose(
        "`gauntlet claims C7` tells one story on the terminal, `gauntlet claims C7 --play --games 400` plays it again. "
        "Every figure here comes from the register (`harness/claims/register.json`), which names command, seed, build "
        "(the node count of `sortie bench`), the pairs of games by score, and a hash of all moves; "
        "[tables.md](tables.md) prints it. `gauntlet stats --pentanomial 0,0,0,0,0` with the five counts of a row works "
        "its Elo out again."
    )
    return "\n".join(lines) + "\n"


def _left(register: Register) -> list[str]:
    """What is open, and how many games would settle it."""
    rows = [
        (one.claim.id, one.side, f"`{one.test.variant}`", words.elo(one.elo), f"{one.played:,}", one.text())
        for one in remaining.of(catalogue.read().claims, register)
    ]
    if not rows:
        return []
    told = prose(
        "The tests that keep a claim open. The last column is how many games in all would settle a test before its end, were "
        "its Elo what it seems to be by now: a guess, and a poor one after few games."
    )
    head = ("claim", "engine", "variant", "Elo", "games", "settled by about")
    return ["## What is open", "", *told, "", *table(head, rows), ""]


def _anchor(claim: Claim) -> str:
    """The anchor that Markdown renderers give a claim's heading."""
    kept = "".join(c for c in f"{claim.id} {claim.title}".lower() if c.isalnum() or c in " -")
    return kept.replace(" ", "-")


def _page(title: str, claims: Sequence[Claim], register: Register) -> str:
    lines = [f"# {title}", "", "[All findings](README.md) · [sources](../sources.md) · [tables](tables.md)"]
    for claim in claims:
        lines += ["", f"## {claim.id} {claim.title}", ""]
        lines += prose(f"**{claim.author}, {claim.when}** ({claim.source}): {claim.text}.")
        lines += ["", *prose(f"**How it was tested.** {claim.tested}"), ""]
        rows = [_row(one) for side in SIDES for one in findings(claim, side, register)]
        lines += table(("engine", "variant", "expected", "Elo", "games", "nodes", "verdict", "build"), rows)
        for told in filter(None, (words.beside(claim, register), words.on_the_clock(claim, register))):
            lines += ["", *prose(told)]
        lines += ["", *prose(f"**What the author could not see.** {claim.unseen}"), ""]
        lines += prose(f"**Verdict.** {words.sentence(claim, register)}")
    return "\n".join(lines) + "\n"


def _row(found: Finding) -> tuple[str, ...]:
    test = found.test
    verdict = found.verdict if test.decides else f"({found.verdict})"
    expected = test.expects.replace("-", " ")
    return (
        test.engine,
        f"`{test.variant}` of `{test.experiment}`",
        expected,
        words.elo_of(found),
        words.games_of(found),
        words.work(found),
        verdict,
        words.build(found),
    )


def _by_evaluation(register: Register) -> str:
    lines = ["# Is move ordering worth the same under a network?", "", "[All findings](README.md)", ""]
    lines += prose(
        "Every published figure on move ordering was measured under an evaluation of terms. Here the same parts are "
        "left out or changed under both evaluations of the same engine, at the same nodes a move: `gauntlet run "
        "ordering-classical`, `gauntlet run ordering-network`. All parts of a run are tried in the same games, each "
        "against its opposite, so a figure is the worth of the part as a mean over the others being there or not."
    )
    rows = by_evaluation.rows(register)
    if not rows:
        return "\n".join([*lines, "", "It has not been played yet under both: the question is open."]) + "\n"
    classical, network = by_evaluation.games(register)
    lines += [
        "",
        f"{by_evaluation.limit(register)}; {classical:,} games under the terms, {network:,} under the network.",
        "",
    ]
    lines += [*prose(f"**{by_evaluation.answer(register)}**"), ""]
    lines += [*table(by_evaluation.HEAD, rows), ""]
    lines += prose(
        "Elo of the variant against the engine as it is, nodes over those of the engine as it is at equal depth, both "
        "with intervals of 95 %; the difference is the network's figure less that of the terms."
    )
    return "\n".join(lines) + "\n"


def _by_nodes(register: Register) -> str:
    lines = ["# How worth changes with time", "", "[All findings](README.md)", ""]
    lines += prose(
        "The old authors argued on machines that searched a few thousand nodes a move; engines of today search millions. The same "
        "parts of Sortie, put in or left out, at four limits: `gauntlet run worth-by-nodes`, `gauntlet run worth-by-nodes-wide`; "
        "at 16,000 and 64,000 nodes with `--games 1808` and `--games 400`."
    )
    found = by_nodes.curves(register)
    if not found:
        return "\n".join([*lines, "", "None of it has been played yet: all of it is open."]) + "\n"
    lines += ["", *prose(f"**{by_nodes.answer(found)}**"), ""]
    lines += [
        f"![Elo of each variant against nodes a move, with bands of 95 %]({_drawing(sweep)})\n"
        for sweep in by_nodes.SWEEPS
        if by_nodes.curves(register, (sweep,))
    ]
    lines += prose(
        "A variant lacks a part of Sortie or has another in its place. A line fitted to its Elo, by weights, rises by so much "
        "with each fourfold of the nodes:"
    )
    lines += ["", *table(("variant", "Elo a fourfold [95 %]", "the difference"), by_nodes.trends(found)), ""]
    lines += table(("variant", "nodes a move", "games", "Elo [95 %]", "verdict"), by_nodes.rows(found))
    return "\n".join(lines) + "\n"


def _drawing(sweep: str) -> str:
    """The file of a sweep's picture: by-nodes.svg, by-nodes-wide.svg."""
    return f"{sweep.removeprefix('worth-')}.svg"


def _tables(register: Register) -> str:
    lines = ["# The tables behind the findings", "", "[All findings](README.md)", "", "## Matches", ""]
    lines += prose(
        "From the variant's view. Pairs: both games lost, a loss and a draw, one point, a win and a draw, both won. "
        "Depth: the mean depth that variant and base reached. Of several seeds the later ones count without the games from "
        "openings of those before."
    )
    lines += [""]
    lines += table(
        (
            "variant",
            "limit",
            "games",
            "+ = -",
            "pairs",
            "Elo [95 %]",
            "depth",
            "openings",
            "seed",
            "bench",
            "played",
            "hash",
        ),
        [_match_row(key, one) for key, one in sorted(register.matches.items())],
    )
    lines += ["", "## Node screens", ""]
    lines += prose(
        "Nodes over those of the base at equal depth; EBF2: growth a ply over the last two plies, base in brackets; "
        "first: cutoffs by the first move; again: root searches repeated for each iteration; hash: cutoffs by the "
        "table's move."
    )
    lines += [""]
    lines += table(
        ("variant", "depth", "positions", "nodes", "EBF2", "first", "again", "hash", "bench"),
        [
            (
                f"`{key}`",
                str(one.depth),
                str(one.positions),
                words.ratio(one),
                f"{_plain(one.ebf2)} ({_plain(one.base_ebf2)})",
                _share(one.first_move),
                _share(one.researches),
                _share(one.hash_cutoffs),
                _plain_int(one.bench),
            )
            for key, one in sorted(register.screens.items())
        ],
    )
    lines += ["", "## Time", ""]
    lines += prose(
        "Instructions over those of the base, which searches the same tree, and time over its time, on an idle machine: in each of "
        "so many rounds, each a process of its own, base and variant search every position twice and in turns."
    )
    lines += [""]
    lines += table(
        ("variant", "depth", "positions", "instructions", "time", "rounds", "bench"),
        [
            (f"`{key}`", str(one.depth), str(one.positions), words.ratio(one, 4), *_time(one), _plain_int(one.bench))
            for key, one in sorted(register.counts.items())
        ],
    )
    return "\n".join(lines) + "\n"


def _match_row(key: str, one: Match) -> tuple[str, ...]:
    depth = words.NONE if one.depth is None or one.base_depth is None else f"{one.depth:.2f}, {one.base_depth:.2f}"
    counts = f"{one.wins} {one.draws} {one.losses}"
    head = (f"`{key}`", words.limit(one), words.games(one), counts, words.counts(one), words.elo(Figure.of(one)), depth)
    seeds, hashes = ", ".join(str(run.seed) for run in one.runs), ", ".join(f"`{run.hash[:12]}`" for run in one.runs)
    book = one.openings.partition(" ")[0] or words.NONE
    return (*head, book, seeds, _plain_int(one.bench), one.played, hashes)


def _time(one: Count) -> tuple[str, str]:
    if one.time is None:
        return words.NONE, words.NONE
    return "{:.4f} [{:.4f}, {:.4f}]".format(*one.spent), str(one.rounds)


def _plain(value: float | None) -> str:
    return words.NONE if value is None else f"{value:.2f}"


def _plain_int(value: int | None) -> str:
    return words.NONE if value is None else str(value)


def _share(value: float | None) -> str:
    return words.NONE if value is None else f"{100 * value:.0f} %"


def _picture(known: Catalogue, register: Register) -> str:
    points = []
    for claim in known.claims:
        found = findings(claim, "own", register)
        word = verdict(found)
        point = picture.point_of(claim.id, word, telling(found)) if word != NOT_ASKED else None
        if point is not None:
            points.append(point)
    return picture.draw(points, "The 21 claims: nodes saved against Elo earned")
