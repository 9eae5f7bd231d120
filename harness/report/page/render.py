"""Renders facts as one self-contained HTML file: foreign text is escaped, only the page's own script may run."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from harness.report.page import designs, evidence, searches, view, viewer
from harness.report.page.facts import Facts
from harness.report.page.text import clean
from harness.terminal.numbers import duration, noun
from harness.version import version

FOLDER = Path(__file__).with_name("templates")
CONTENTS = (
    ("verdict", "Verdict"),
    ("parameters", "Parameters"),
    ("sweep", "Elo at each limit"),
    ("matches", "Matches"),
    ("tradeoff", "Nodes against Elo"),
    ("ranking", "Ranking"),
    ("progress", "Through the run"),
    ("crosstable", "Crosstable"),
    ("pentanomial", "Pairs"),
    ("variants", "Depth, nodes and time"),
    ("openings", "Openings"),
    ("endings", "Endings and faults"),
    ("machine", "CPU, lag and load"),
    ("provenance", "To play it again"),
    ("games", "Games"),
)


def _final(value: object) -> object:
    """Every expression of a template passes through this before it is escaped."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return clean(value)


@cache
def environment() -> Environment:
    """The templates, escaping on for all of them."""
    return Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_final,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def source(name: str) -> Markup:
    """A style sheet or script of the page, as it is."""
    return Markup((FOLDER / name).read_text(encoding="utf-8"))


def style() -> Markup:
    """The style sheet of the page."""
    return source("charts.css") + source("style.css")


def policy(script: str) -> str:
    """A content security policy under which nothing is fetched and only this script runs."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def script(live: bool = False) -> Markup:
    """The script of the page, with the newlines that a browser hashes."""
    names = ("page.js", "live.js") if live else ("page.js",)
    return Markup("").join(source(name).replace("\r\n", "\n") for name in names)


def html(facts: Facts, games: Sequence[Mapping[str, Any]], live: bool = False) -> str:
    """The page; the live one has its policy from the server."""
    values = context(facts, games)
    values |= {"style": style(), "script": script(live), "policy": policy(script()), "live": live}
    return environment().get_template("report.html").render(values)


def context(facts: Facts, games: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Everything the template shows."""
    summary = facts.summary
    ranking, cfs = view.ranking(facts)
    cards, more = evidence.faults(facts)
    return {
        "name": summary.name,
        "kind": summary.kind,
        "state": summary.state,
        "played": f"{summary.played:,}",
        "games_played": f"{summary.played:,} {noun(summary.played, 'game')}",
        "games_total": summary.played,
        "scheduled": f"{summary.scheduled:,} {noun(summary.scheduled, 'game')}",
        "plies": f"{summary.plies:,} {'ply' if summary.plies == 1 else 'plies'}" if summary.plies else "",
        "hours": duration(summary.seconds),
        "made": evidence.moment(time.time()),
        "version": version(),
        "contents": sections(facts, games),
        "titles": dict(CONTENTS),
        "sprite": viewer.sprite(),
        "sentence": designs.sentence(facts) or view.sentence(facts),
        "claim": facts.experiment.claim,
        "bounds": view.bounds(facts),
        "block": designs.block(facts) or view.block(facts),
        "parameters": designs.parameters(facts),
        "sweep": designs.sweep(facts),
        "matches": designs.matches(facts),
        "tradeoff": view.tradeoff(facts),
        "ranking": ranking,
        "cfs": cfs,
        "standings": view.standings(facts),
        "progress": [figure for figure in view.progress_figures(facts) if figure.picture or figure.table],
        "crosstable": view.crosstable_of(facts),
        "pentanomial": view.pentanomial(facts),
        "variants": searches.variants(facts),
        "cutoffs": [figure for figure in searches.cutoffs(facts) if figure.picture or figure.table],
        "openings": view.opening_tables(facts),
        "endings": evidence.endings(facts),
        "blame": evidence.blame(facts),
        "faults": cards,
        "more_faults": evidence.kept(more) if more else "",
        "engine_cpu": evidence.engine_cpu(facts),
        "machines": evidence.machines(facts),
        "load": evidence.load(facts),
        "provenance": evidence.provenance(facts),
        "experiment": facts.experiment_text,
        "games": games,
        "most": viewer.GAMES,
        "chosen": viewer.chosen_words(facts),
        "folder": str(facts.folder),
        "first_board": _first_board(games),
    }


def sections(facts: Facts, games: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Ids and titles of the sections that this run has, in the order of the page."""
    summary = facts.summary
    begun = bool(summary.played)
    # The two sides of a tuning run are one engine: what they scored against each other says nothing.
    fixed = summary.spsa is None
    paired = any(facts.pairs) and fixed
    says = {
        "parameters": summary.spsa is not None,
        "sweep": summary.sweep is not None,
        "matches": summary.matches is not None,
        "tradeoff": any(pairing.nodes for pairing in summary.pairings),
        "ranking": begun
        and len(summary.players) > 2
        and not facts.experiment.entrants,  # of two players the verdict has said it
        "progress": paired,
        "crosstable": begun and fixed and summary.matches is None,  # of a factorial the matches have said it
        "pentanomial": paired,
        "variants": begun or facts.screen is not None,
        "openings": fixed and bool(view.opening_tables(facts)),
        "endings": begun or bool(facts.failed),
        "machine": begun,
        "games": bool(games),
    }
    return [(name, title) for name, title in CONTENTS if says.get(name, True)]


def _first_board(games: Sequence[Mapping[str, Any]]) -> Markup:
    """The end of the first game, for browsers without scripts."""
    if not games:
        return Markup("")
    import chess

    game = games[0]
    board = chess.BaseBoard(game["fen"])
    for changes in game["d"]:
        for word in changes.split():
            piece = None if word[2] == "-" else chess.Piece.from_symbol(word[2])
            board.set_piece_at(chess.parse_square(word[:2]), piece)
    last = game["d"][-1] if game["d"] else ""
    return viewer.board(board.board_fen(), last, f"end of game {game['id']}")
