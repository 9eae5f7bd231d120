"""Made-up runs for the tests of the page: plain ones, and ones with malicious names."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import chess
import synthetic

from harness.analysis.screen_file import SCREEN_FILE
from harness.journal.journal import Journal
from harness.model import Fault, GameRecord, Job, MoveRecord, Opening
from harness.schedule import jobs as schedule

# Of a made-up run, all of whose games begin alike, so that there are no openings to compare.
SECTIONS = "verdict tradeoff ranking progress crosstable pentanomial variants endings machine provenance games".split()
HOSTILE = """</script><script>alert(1)</script><img src=x onerror=alert(1)>"'`${x}{{7*7}}<!--\u202e"""
STATS = {
    "main_nodes": 900,
    "q_nodes": 1100,
    "cutoffs": 50,
    "first_move_cutoffs": 40,
    "cut_index": [40, 6, 4, 0],
    "cut_stage": {"HASH": 20, "GOOD_NOISY": 18, "QUIETS": 12},
}
SCREEN: dict[str, Any] = {
    "depth": 9,
    "positions": 42,
    "base": "base",
    "variants": [
        {"name": "lmr-off", "nodes": 283, "ratio": 2.83, "error": 0.4, "low": 2.46, "high": 3.27},
        {"name": "tt-off", "nodes": 90, "ratio": 0.9, "error": 0.1, "low": 0.8, "high": 1.0},
    ],
    "left_out": 0,
}
FRENCH = "e2e4 e7e6 d2d4 d7d5 b1c3 g8f6 c1g5 f8e7 e4e5 f6d7 g5e7 d8e7 f2f4 e8g8 g1f3 c7c5".split()


def played(job: Job, rng_result: str, stats: dict[str, Any] | None = None) -> GameRecord:
    """A game whose moves are legal from the initial position."""
    job = replace(job, opening=Opening(chess.STARTING_FEN, tuple(FRENCH[:4]), "French"))
    moves = tuple(
        MoveRecord(move, 10.0 + n, 9.0, 0.1, 8, 2000, 30 if n % 2 == 0 else -20, stats)
        for n, move in enumerate(FRENCH[4:])
    )
    return synthetic.record(job, rng_result, moves=moves)


def made_up(folder: Path, text_: str = synthetic.TEXT, stats: dict[str, Any] | None = STATS) -> Path:
    """A finished run with a node screen, cutoff counts and a pair in each pairing."""
    found = synthetic.plan(folder, text_)
    results = ("1-0", "0-1", "1-0", "1/2-1/2", "0-1", "0-1", "1-0")
    games = [played(job, results[job.id % len(results)], stats) for job in schedule.jobs(found)]
    synthetic.journal(folder, found, games)
    (folder / SCREEN_FILE).write_text(json.dumps(SCREEN))
    return folder


class Shape(HTMLParser):
    """The elements of a page and the names of their attributes, without any text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action", "data", "srcset")]


# What is on the page --------------------------------------------------------------------------------------------------


def hostile(folder: Path, word: str) -> Path:
    """A run in which everything that an engine or an experiment can name or say is this word."""
    found = synthetic.plan(folder)
    players = tuple(replace(p, name=f"{p.index}{word}") if p.index != found.base else p for p in found.players)
    # A name is also used for a folder, so it cannot contain a slash.
    found = replace(found, name=word.replace("/", "|"), players=players)
    games = []
    for job in schedule.jobs(found):
        game = played(
            job, ("1-0", "0-1", "1/2-1/2")[job.id % 3], {"cutoffs": 3, "cut_stage": {word: 3}, "cut_index": [word, 3]}
        )
        game = replace(game, detail=word, host=word, warnings={0: {word: 2}})
        game = replace(game, job=replace(game.job, opening=replace(game.job.opening, name=word)))
        if job.id % 4 == 0:
            loser = job.black if game.result == "1-0" else job.white
            game = replace(game, reason="crash", fault=Fault(loser, "crash", word, (word, word), word, 1))
        games.append(game)
    meta = {"experiment": "", "seed": word, "scheduled": "16", "version": word, "command": word}
    synthetic.journal(folder, found, games)
    journal = Journal(folder)
    for key, value in meta.items():
        if key not in ("experiment", "scheduled"):
            journal._db.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))
    journal.set_engine_name(0, word)
    journal.add_failed_start(1, 3, word, {"transcript": [word], "stderr": word, "position": word})
    journal.close()
    screen = {**SCREEN, "base": players[-1].name, "variants": [{**SCREEN["variants"][0], "name": players[0].name}]}
    (folder / SCREEN_FILE).write_text(json.dumps(screen))
    return folder
