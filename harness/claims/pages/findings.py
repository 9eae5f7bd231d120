"""Writes docs/findings (an index with a picture, a page for each author, the tables) and the findings in README."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.claims import amounts, catalogue, remaining, words
from harness.claims.catalogue import SIDES, Catalogue, Claim
from harness.claims.pages import by_evaluation, by_nodes, first_screen, method, picture
from harness.claims.pages.markdown import points, prose, table
from harness.claims.register import Count, Match, Register
from harness.claims.verdicts import NOT_ASKED, VERDICTS, Figure, Finding, by_side, findings, telling, verdict
from harness.errors import BadInput
from harness.files import store

TITLES = {
    "winglet": "Winglet: iterative deepening, move ordering and the history table",
    "moreland": "Moreland: aspiration windows",
    "jazz": "Jazz and Sjaak: quiet moves, quiescence, check extension and null move",
    "mediocre": "Mediocre: staged generation, captures and fractional depth",
    "vicki": "Vicki: the principal variation and exchange evaluation",
    "uiterwijk": "Uiterwijk: the counter move",
}
FROM_TIME = (
    "*From time*: both sides play alike, and the time saved is turned into Elo by games that show what twice the nodes are worth. "
    "*Games* counts those."
)
LEGEND = (
    "*Elo* and *nodes* are the variant's, against the engine in the first column, with 95 % intervals. Nodes are those that it "
    "needs for the same depth, as a multiple of that engine's.",
    FROM_TIME,
    "The *engines* are presets of Sortie: *modern* is today's, *bare* is plain alpha-beta.",
    "A *verdict* in brackets does not count towards the claim's: see [how a claim is decided](README.md#how-a-claim-is-decided).",
    "*Build* is the node count of `sortie bench`, which names a version of Sortie.",
)  # of the pages of the authors
BEGIN, END = "<!-- made by gauntlet claims --write: begin -->", "<!-- made by gauntlet claims --write: end -->"


def write(folder: Path, readme: Path | None, register: Register) -> list[Path]:
    """Writes all pages, and README's findings between their two marks; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {folder / name: text for name, text in pages(register).items()}
    if readme is not None:
        try:
            text = readme.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise BadInput(f"{readme}: is not UTF-8 text") from None
        files[readme] = with_part(text, first_screen.text(register), readme)
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
    games = sum(_played_once(register).values())
    lines = ["# Findings: what became of the old claims", ""]
    lines += prose(
        "Between 1992 and 2011 six authors made 21 claims about the order in which a chess program should try its moves and about "
        "what it should search further. They had one machine, few positions and no means to play thousands of games. Here each "
        "claim is tested in games, twice: in the engine it was made in, rebuilt as a preset of Sortie, and in today's Sortie."
    )
    lines += ["", *table(("verdict", "in its own engine", "in today's Sortie"), _verdicts(known, register)), ""]
    lines += ["![All claims: nodes saved against Elo gained, coloured by verdict](claims.svg)", ""]
    lines += prose(
        "Each point is a claim in its own engine, and shows what the technique that it speaks for gains. Claims whose "
        "variants search the same tree stand on the line of equal nodes, with the Elo that the time saved is worth."
    )
    lines += ["", "## The claims", ""]
    rows = []
    for claim in known.claims:
        said = by_side(claim, register)
        first = telling(findings(claim, "own", register))
        rows.append(
            (
                _link(claim),
                f"{claim.author}, {claim.when}",
                claim.text,
                f"**{said['own']}**{amounts.beside(claim, register)}",
                f"**{said['today']}**",
                f"`{first.test.variant}`",
                words.elo_of(first),
                words.work(first),
            )
        )
    head = ("", "author", "claim", "own engine", "today's Sortie", "variant", "its Elo [95 %]", "its nodes [95 %]")
    lines += table(head, rows)
    lines += [
        "",
        *prose(
            "The variant shown is the one that gave the claim its verdict in its own engine; the linked page has the others. Its "
            "Elo and its nodes are measured against that engine, the nodes as a multiple. Some variants have the technique and "
            "some lack it, so a claim can hold because the variant without it is weaker. *From time*: both sides play alike, and "
            "the time saved is turned into Elo."
        ),
        "",
        *prose(
            f"{games:,} games stand behind this page. Two questions that the authors could not ask have pages of their own: "
            "[how the worth of a technique changes with the nodes a move](by-nodes.md), and [whether move ordering is worth the "
            "same under a network](by-evaluation.md)."
        ),
        "",
    ]
    lines += _left(register)
    return "\n".join([*lines, *method.lines(register)]) + "\n"


def _verdicts(known: Catalogue, register: Register) -> list[tuple[str, ...]]:
    """A row for each verdict: how many claims have it, and which."""
    found = [by_side(claim, register) for claim in known.claims]
    rows = []
    for word in VERDICTS:
        named = [
            [_link(one) for one, said in zip(known.claims, found, strict=True) if said[side] == word] for side in SIDES
        ]
        if any(named):
            rows.append((f"**{word}**", *(f"{len(ids)}: {', '.join(ids)}" if ids else words.NONE for ids in named)))
    return rows


def _left(register: Register) -> list[str]:
    """What is open, and how many games would settle it."""
    rows = [
        (one.claim.id, one.side, f"`{one.test.variant}`", words.elo(one.elo), f"{one.played:,}", one.text())
        for one in remaining.of(catalogue.read().claims, register)
    ]
    if not rows:
        return []
    told = prose(
        "These tests keep a claim open. The last column estimates how many games in all would settle the test before its end if "
        "its Elo stays as it is now. After few games the estimate is poor."
    )
    head = ("claim", "engine", "variant", "Elo [95 %]", "games so far", "settled after about")
    return ["## What is open", "", *told, "", *table(head, rows), ""]


def _link(claim: Claim) -> str:
    return f"[{claim.id}]({claim.page}.md#{_anchor(claim)})"


def _anchor(claim: Claim) -> str:
    """The anchor that Markdown renderers give a claim's heading."""
    kept = "".join(c for c in f"{claim.id} {claim.title}".lower() if c.isalnum() or c in " -")
    return kept.replace(" ", "-")


def _page(title: str, claims: Sequence[Claim], register: Register) -> str:
    links = (
        "[All findings](README.md)",
        f"[how to read the tables]({claims[0].page}.md#how-to-read-the-tables)",
        "[sources](../sources.md)",
        "[all figures](tables.md)",
    )
    lines = [f"# {title}", "", " · ".join(links)]
    for claim in claims:
        lines += ["", f"## {claim.id} {claim.title}", ""]
        lines += prose(f"**{claim.author}, {claim.when}** ({claim.source}): {claim.text}.")
        lines += ["", *prose(f"**Verdict.** {words.sentence(claim, register)}"), ""]
        rows = [_row(one) for side in SIDES for one in findings(claim, side, register)]
        lines += table(("engine", "variant", "claim expects", "Elo", "games", "nodes", "verdict", "build"), rows)
        for told in filter(None, (words.beside(claim, register), words.on_the_clock(claim, register))):
            lines += ["", *prose(told)]
        lines += ["", *prose(f"**How it was tested.** {claim.tested}")]
        lines += ["", *prose(f"**What the author could not see.** {claim.unseen}")]
    timed = any(test.speed for claim in claims for test in claim.tests)
    lines += ["", "## How to read the tables", "", *points(text for text in LEGEND if timed or text != FROM_TIME)]
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
    rows = by_evaluation.rows(register)
    if rows:
        lines += [*prose(f"**{by_evaluation.answer(register)}**"), ""]
    lines += prose(
        "Every published figure on move ordering was measured with an evaluation of hand-written terms. Here the same parts of one "
        "engine are left out or changed under both evaluations, with the same nodes a move: `gauntlet run ordering-classical`, "
        "`gauntlet run ordering-network`. All parts of a run are tried in the same games, each of them on and off, so each figure "
        "is an average with the other parts on and off. The builds that played are in [tables.md](tables.md)."
    )
    if not rows:
        return "\n".join([*lines, "", "This has not been played under both yet: the question is open."]) + "\n"
    classical, network = by_evaluation.games(register)
    lines += [
        "",
        f"{by_evaluation.limit(register)}; {classical:,} games with the terms, {network:,} with the network.",
        "",
    ]
    lines += [*table(by_evaluation.HEAD, rows), ""]
    lines += prose(
        "Elo is the variant's against the engine as it is. Nodes are those that it needs for the same depth, as a multiple of that "
        "engine's. Both have 95 % intervals. The difference is the network's figure less that of the terms."
    )
    return "\n".join(lines) + "\n"


def _by_nodes(register: Register) -> str:
    lines = ["# How the worth of a technique changes with the nodes a move", "", "[All findings](README.md)", ""]
    found = by_nodes.curves(register)
    if found:
        lines += [*prose(f"**{by_nodes.answer(found)}**"), ""]
    lines += prose(
        "The old authors argued on machines that searched a few thousand nodes a move; today's engines search millions. Here the "
        "same parts of Sortie are left out or changed at four limits: `gauntlet run worth-by-nodes`, `gauntlet run "
        "worth-by-nodes-wide` (at 16,000 and 64,000 nodes the first with `--games 1808`, the second with `--games 400`). The "
        "builds that played are in [tables.md](tables.md)."
    )
    if not found:
        return "\n".join([*lines, "", "None of it has been played yet: the question is open."]) + "\n"
    lines += [""]
    lines += [
        f"![Elo of each variant against nodes a move, with 95 % bands]({_drawing(sweep)})\n"
        for sweep in by_nodes.SWEEPS
        if by_nodes.curves(register, (sweep,))
    ]
    lines += prose(
        "Each variant lacks a part of Sortie or has another in its place, and plays against Sortie as it is. The first table gives "
        "the slope of a weighted line through its results: the Elo that it gains each time the nodes are multiplied by four."
    )
    head = ("variant", "Elo gained with four times the nodes [95 %]", "its distance from Sortie")
    lines += ["", *table(head, by_nodes.trends(found)), ""]
    lines += table(("variant", "nodes a move", "games", "Elo [95 %]", "verdict"), by_nodes.rows(found))
    return "\n".join(lines) + "\n"


def _drawing(sweep: str) -> str:
    """The file of a sweep's picture: by-nodes.svg, by-nodes-wide.svg."""
    return f"{sweep.removeprefix('worth-')}.svg"


def _tables(register: Register) -> str:
    lines = ["# The tables behind the findings", "", "[All findings](README.md)", "", "## Matches", ""]
    lines += prose(
        "Results from the variant's point of view. *Pairs*: how many complete pairs of games scored 0, 1/2, 1, 3/2 and 2 points; "
        "the Elo comes from these alone. *Depth*: the mean depth that variant and base reached. Where there are several seeds, "
        "each later run counts without its games from openings that the earlier ones played. *Played*: the day on which the "
        "(first) run began. *Hash*: of players and moves, so the same games have the same; in rows without openings it is that of "
        "the whole run. Games are marked *so far* where there are fewer than the experiment asks for and they settle nothing yet. "
        "A dash stands for what was not noted: the depth in a factorial, the openings of older runs ([682 "
        "lines](README.md#how-a-claim-is-decided))."
    )
    lines += [""]
    lines += table(
        (
            "variant",
            "limit",
            "games",
            "won, drawn, lost",
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
        "*Nodes*: to the same depth, as a multiple of the base's, with a 95 % interval. *EBF*: effective branching factor over the "
        "last two plies, the base's in brackets. *Re-searches*: root searches repeated, as a share of the iterations."
    )
    lines += [""]
    lines += table(
        (
            "variant",
            "depth",
            "positions",
            "nodes",
            "EBF",
            "cutoffs by the first move",
            "re-searches",
            "cutoffs by the hash move",
            "bench",
        ),
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
        "Instructions and time as multiples of the base's, which searches the same tree; 95 % intervals. Timed on an idle machine: "
        "each round is a process of its own, in which base and variant search every position twice, in turns."
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
    return picture.draw(points, "The 21 claims: nodes saved against Elo gained")
