"""Made-up runs for tests: a results folder with a real journal, filled with games that nobody played."""

from __future__ import annotations

import random
import shlex
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from positions import START

from harness.journal.journal import Journal
from harness.journal.record import moves_checksum, pack, row_checksum
from harness.model import Fault, GameRecord, Job, MoveRecord, Opening
from harness.schedule import jobs as schedule
from harness.spec import reader as experiment
from harness.spec.settings import Experiment
from harness.spec.writer import dump

FAKE = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).with_name('fake_sortie.py')))}"
TEXT = f"""
[experiment]
name = "made-up"
games = 8
nodes = 2000
[base]
command = {FAKE!r}
[variants.lmr-off]
LMR = "off"
[variants.tt-off]
TT = false
[openings]
file = "book.tsv"
"""
LINES = ["1. e4 e5 2. Nf3 Nc6", "1. d4 d5 2. c4 e6", "1. c4 e5", "1. Nf3 d5 2. g3 g6 3. Bg2"]


# The fields that remain a game's own when it is given another game's moves.
OWN = ("id", "pairing", "pair", "leg", "white", "black", "result", "reason", "line", "opening")


def plan(folder: Path, text: str = TEXT, only: Sequence[str] = ()) -> Experiment:
    """The experiment of a made-up run, with its opening file in the folder."""
    (folder / "book.tsv").write_text("moves\n" + "\n".join(LINES) + "\n")
    return experiment.parse(text, "made-up.toml", folder, only=only)


def comes_back(found: Experiment, folder: Path) -> bool:
    """Whether the experiment is the same after writing and reading, except for the name of its opening file."""
    again = experiment.parse(dump(found), "again.toml", folder)
    return replace(again, openings=found.openings) == found


def record(job: Job, result: str, reason: str = "", moves: tuple[MoveRecord, ...] = (), **more: object) -> GameRecord:
    """A finished game."""
    word = reason or ("repetition" if result == "1/2-1/2" else "mate")
    return GameRecord(job, result, word, moves, started=1_800_000_000.0 + job.id, seconds=1.5, **more)  # type: ignore[arg-type]


def fault(player: int, reason: str) -> Fault:
    return Fault(player, reason, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", ("< move e2e5",), "", 1)


def journal(folder: Path, found: Experiment, games: list[GameRecord]) -> None:
    """Write the run into its folder, as finished."""
    meta = {
        "experiment": dump(found),
        "seed": str(found.seed),
        "scheduled": str(schedule.scheduled(found)),
        "version": "test",
        "command": "test",
    }
    writer = Journal.create(folder, meta, found.players)
    writer.begin()
    for game in games:
        assert writer.add(pack(game))
    writer.end(0, len(games) == schedule.scheduled(found))
    writer.close()


def bulk(folder: Path, found: Experiment, games: list[GameRecord], plies: int) -> None:
    """Write many games in a single transaction, all with the same moves, which are not checked."""
    journal(folder, found, [])
    like = pack(replace(games[0], moves=tuple(MoveRecord("e2e4", 10.0, 9.0, 0.1, 8, 2000, 31) for _ in range(plies))))
    rows = []
    for game in games:
        counts = pack(game).row
        rows.append(like.row._replace(**{name: getattr(counts, name) for name in OWN}))
    moves_crc = moves_checksum(like.moves, "")
    db = sqlite3.connect(folder / "games.db")
    marks = ",".join("?" * (len(like.row) + 1))
    db.executemany(f"INSERT INTO games VALUES ({marks})", ((*row, row_checksum(row)) for row in rows))
    db.executemany("INSERT INTO moves VALUES (?, ?, '', ?)", ((row.id, like.moves, moves_crc) for row in rows))
    db.commit()
    db.close()


def random_games(found: Experiment, seed: int = 1) -> list[GameRecord]:
    """All games of an experiment with random results."""
    rng = random.Random(seed)
    return [record(job, rng.choice(["1-0", "0-1", "1/2-1/2"])) for job in schedule.jobs(found)]


def sample_game(number: int, moves: int = 80, fault: bool = False) -> GameRecord:
    """A game of two players with random words for moves, the same for the same number."""
    rng = random.Random(number)
    words = [rng.choice("abcdefgh") + rng.choice("12345678") + "e4" for _ in range(moves)]
    records = tuple(
        MoveRecord(
            w, rng.random() * 100, rng.random(), None, rng.randrange(30), rng.randrange(10**6), -rng.randrange(900)
        )
        for w in words
    )
    pair, leg = divmod(number - 1, 2)
    job = Job(number, 0, pair + 1, leg + 1, leg, 1 - leg, Opening(START, ("e2e4", "e7e5", "g1f3"), "open"))
    evidence = Fault(leg, "crash", START, ("> go", "< Ünreadable"), "trap", -11) if fault else None
    warnings = {1: {"noise": 3}} if number % 3 == 0 else {}
    reason = "crash" if fault else "mate"
    return GameRecord(job, "1-0", reason, records, 1.5 + number, 2.25, "", evidence, warnings, "host")
