"""The journal: a game is in it once or not at all, whatever happens to the process, the disk or the file."""

from __future__ import annotations

import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import synthetic
from synthetic import sample_game

from harness.errors import BadInput
from harness.journal.database import Damaged, DiskFull, plain_errors
from harness.journal.journal import FILE, Journal, Reader
from harness.journal.record import pack, row_checksum, unpack
from harness.journal.repair import repair
from harness.model import GameRecord, Limit, MoveRecord, Player

PLAYERS = [Player(i, name, ("engine",), "xboard", Limit(nodes=10)) for i, name in enumerate(("a", "b"))]


def repaired(folder: Path) -> tuple[Journal, int]:
    """The journal as a run goes on with it, and how many damaged games were dropped."""
    dropped = repair(folder / FILE)
    return Journal(folder), dropped


def new(folder: Path, scheduled: int = 1000) -> Journal:
    meta = {"experiment": "[experiment]\n", "seed": "1", "scheduled": str(scheduled), "version": "0"}
    return Journal.create(folder, meta, PLAYERS)


def rounded(record: GameRecord) -> list[tuple[object, ...]]:
    return [(m.move, round(m.ms, 3), m.depth, m.nodes, m.score, m.stats) for m in record.moves]


def test_a_game_comes_back_as_it_was(tmp_path: Path) -> None:
    journal = new(tmp_path)
    games = [sample_game(n, fault=n == 4) for n in range(1, 8)]
    for record in reversed(games):
        assert journal.add(pack(record))
    journal.close()
    with Reader(tmp_path) as reader:
        back = list(reader.games())
    assert [g.job for g in back] == [g.job for g in games]
    for was, now in zip(games, back, strict=True):
        assert rounded(was) == rounded(now)
        assert (was.result, was.reason, was.fault, was.warnings) == (now.result, now.reason, now.fault, now.warnings)
        assert (was.started, was.seconds, was.host) == (now.started, now.seconds, now.host)


def test_statistics_of_a_move_are_kept() -> None:
    job = sample_game(1).job
    moves = (MoveRecord("e7e5", 1.0, stats={"nodes": 7}), MoveRecord("d2d4", 2.0))
    packed = pack(GameRecord(job, "*", "start", moves, 0.0, 0.0))
    assert unpack(packed.row, packed.moves, packed.evidence).moves == moves


def test_sums_belong_to_the_colour_that_moved() -> None:
    job = sample_game(1).job  # three opening moves: Black makes the first move of its own
    moves = (
        MoveRecord("a7a6", 10.0, 1.0, depth=4, nodes=100),
        MoveRecord("a2a3", 5.0),
        MoveRecord("b7b6", 20.0, depth=6),
    )
    row = pack(GameRecord(job, "1-0", "mate", moves, 0.0, 0.0)).row
    assert (row.b_moves, row.b_ms, row.b_cpu, row.b_depths, row.b_depth) == (2, 30.0, 1.0, 2, 10)
    assert (row.b_timed, row.b_counted, row.b_nodes) == (10.0, 1, 100)
    assert (row.w_moves, row.w_ms, row.w_depths, row.w_counted) == (1, 5.0, 0, 0)


def test_the_same_id_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    journal = new(tmp_path)
    assert journal.add(pack(sample_game(5)))
    twin = pack(sample_game(5, moves=3))
    assert not journal.add(twin)
    assert not journal.add(twin)
    assert [g.moves for g in journal.games()][0][3].move == sample_game(5).moves[3].move
    assert journal.count() == 1
    journal.close()


def test_a_second_journal_in_one_folder_is_refused(tmp_path: Path) -> None:
    new(tmp_path).close()
    with pytest.raises(BadInput, match="gauntlet resume"):
        new(tmp_path)


@pytest.mark.parametrize("make", ["nothing", "folder", "text"])
def test_what_is_no_journal_is_named(tmp_path: Path, make: str) -> None:
    folder = tmp_path / "there"
    if make != "nothing":
        folder.mkdir()
    if make == "text":
        (folder / "games.db").write_text("no database at all" * 500)
    with pytest.raises(BadInput, match="there"):
        Reader(folder)
    with pytest.raises(BadInput, match="there"):
        Journal(folder)


def test_a_journal_that_cannot_be_written_is_a_journal_all_the_same(tmp_path: Path) -> None:
    new(tmp_path).close()
    uri = (tmp_path / FILE).as_uri() + "?mode=ro"
    with (
        closing(sqlite3.connect(uri, uri=True)) as db,
        pytest.raises(BadInput, match="readonly database: expected a journal and a folder") as found,
    ):
        with plain_errors(tmp_path / FILE):
            db.execute("DELETE FROM meta")
    assert not isinstance(found.value, Damaged)


def test_games_in_the_log_are_not_missed_where_one_may_not_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There SQLite cannot read the log without its index, which a copy of the folder may lack."""
    new(tmp_path).close()
    connect = sqlite3.connect

    def unwritable(name: str, **settings: Any) -> sqlite3.Connection:
        made: sqlite3.Connection = connect(name if "immutable" in name else "file:/nowhere/x?mode=ro", **settings)
        return made

    monkeypatch.setattr(sqlite3, "connect", unwritable)
    with Reader(tmp_path) as reader:
        assert reader.count() == 0
    (tmp_path / f"{FILE}-wal").touch()
    with pytest.raises(BadInput, match="unable to open database file: expected a journal and a folder"):
        Reader(tmp_path)


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from synthetic import sample_game
from harness.journal.journal import FILE, Journal
from harness.journal.record import pack
from harness.journal.repair import repair
repair(Path(sys.argv[1]) / FILE)
journal = Journal(Path(sys.argv[1]))
journal.begin()
done = journal.ids()
for number in range(1, 100000):
    if number not in done:
        assert journal.add(pack(sample_game(number)))
        print(number, flush=True)
"""


def test_kill_9_at_any_moment_loses_nothing_that_was_told(tmp_path: Path) -> None:
    new(tmp_path).close()
    rng = random.Random(7)
    told: set[int] = set()
    for _ in range(4):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(Path(synthetic.__file__).parent)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
        )
        assert writer.stdout is not None
        first = writer.stdout.readline()
        with Reader(tmp_path) as reader:
            assert reader.state() == "running"
        time.sleep(rng.random() * 0.2)
        writer.send_signal(signal.SIGKILL)
        told.update(int(line) for line in (first + writer.stdout.read()).split("\n") if line)
        writer.wait()
        with Reader(tmp_path) as reader:
            assert reader.state() == "stopped"
            assert told <= reader.ids()
            assert reader.ids() == set(range(1, reader.count() + 1))
            assert [g.job.id for g in reader.games()] == sorted(reader.ids())


def test_two_runs_cannot_work_on_one_journal(tmp_path: Path) -> None:
    first = new(tmp_path)
    first.begin()
    second = Journal(tmp_path)
    with pytest.raises(BadInput, match="at work"):
        second.begin()
    first.end(0, True)
    assert first.state() == "done"
    second.begin()
    second.end(130, False)
    assert second.state() == "stopped"
    second.close()
    first.close()


def begun_elsewhere(folder: Path, heard: float) -> None:
    """A journal that a process on another machine works on, last heard of so many seconds ago."""
    journal = new(folder)
    journal.begin()
    journal._db.execute("UPDATE runs SET host = 'elsewhere', began = began - 86400")
    journal.close()
    (folder / "live.json").write_text("{}")
    os.utime(folder / "live.json", (time.time() - heard,) * 2)


def test_a_run_that_was_killed_on_another_host_can_be_gone_on_with(tmp_path: Path) -> None:
    begun_elsewhere(tmp_path, 3600)
    with Reader(tmp_path) as reader:
        assert reader.state() == "stopped"
    journal = Journal(tmp_path)
    journal.begin()
    journal.end(0, True)
    assert [run.host for run in journal.runs()] == ["elsewhere", socket.gethostname()]
    journal.close()


def test_a_run_on_another_host_that_was_heard_of_is_left_alone_unless_one_insists(tmp_path: Path) -> None:
    begun_elsewhere(tmp_path, 1)
    journal = Journal(tmp_path)
    assert journal.state() == "running"
    with pytest.raises(BadInput, match=r"at work there \(process \d+ on elsewhere, .*: gauntlet resume .* --force"):
        journal.begin()
    journal.begin(force=True)
    assert journal.state() == "running"
    journal.end(0, True)
    assert journal.state() == "done"
    journal.close()


def test_a_journal_of_another_format_is_neither_read_nor_written(tmp_path: Path) -> None:
    new(tmp_path).close()
    with sqlite3.connect(tmp_path / "games.db") as db:
        db.execute("UPDATE meta SET value = '2' WHERE key = 'format'")
    for kind in (Reader, Journal):
        with pytest.raises(BadInput, match="journal format 2, expected 1"):
            kind(tmp_path)


def filled(folder: Path, games: int) -> Path:
    journal = new(folder)
    for number in range(1, games + 1):
        journal.add(pack(sample_game(number)))
    journal.close()
    return folder / "games.db"


def test_a_flipped_byte_costs_one_game(tmp_path: Path) -> None:
    path = filled(tmp_path, 40)
    victim = pack(sample_game(17)).moves
    data = bytearray(path.read_bytes())
    spot = data.find(victim[:60])
    assert spot > 0
    data[spot + 30] ^= 0x55
    path.write_bytes(data)
    journal, dropped = repaired(tmp_path)
    assert dropped == 1
    assert journal.ids() == set(range(1, 41)) - {17}
    assert journal.add(pack(sample_game(17)))
    assert len(list(journal.games())) == 40
    journal.close()


def test_a_changed_result_is_found_by_its_checksum(tmp_path: Path) -> None:
    path = filled(tmp_path, 10)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE games SET result = '0-1' WHERE id = 3")
    journal, dropped = repaired(tmp_path)
    assert dropped == 1 and 3 not in journal.ids()
    journal.close()


@pytest.mark.parametrize("keep", [0.5, 0.9, 0.999])
def test_a_torn_file_keeps_what_is_whole(tmp_path: Path, keep: float) -> None:
    path = filled(tmp_path, 200)
    size = path.stat().st_size
    with open(path, "r+b") as file:
        file.truncate(int(size * keep))
    journal, dropped = repaired(tmp_path)
    whole = journal.ids()
    assert dropped > 0
    assert whole < set(range(1, 201)) and (keep < 0.9 or len(whole) > 100)
    for record in journal.games():
        assert rounded(record) == rounded(sample_game(record.job.id))
    for number in set(range(1, 201)) - whole:
        assert journal.add(pack(sample_game(number)))
    assert journal.count() == 200
    journal.close()
    assert keep > 0.99 or (tmp_path / "games.damaged.db").exists()


def test_a_full_disk_is_told_plainly_and_loses_nothing(tmp_path: Path) -> None:
    journal = new(tmp_path)
    for number in range(1, 11):
        journal.add(pack(sample_game(number)))
    pages = journal._db.execute("PRAGMA page_count").fetchone()[0]
    journal._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(DiskFull, match="full"):
        for number in range(11, 100):
            journal.add(pack(sample_game(number)))
    kept = journal.ids()
    assert set(range(1, 11)) <= kept
    journal._db.execute("PRAGMA max_page_count = 1000000")
    assert journal.add(pack(sample_game(100)))
    assert {g.job.id for g in journal.games()} == kept | {100}
    journal.close()


def test_verdicts_and_failed_starts_stay(tmp_path: Path) -> None:
    journal = new(tmp_path)
    journal.add_verdict(0, "H1", 2.95, 40)
    journal.add_verdict(0, "H0", -3.0, 41)
    journal.add_failed_start(1, 7, "no handshake", {"stderr": "x"})
    journal.set_engine_name(1, "Engine 2.0")
    journal.close()
    with Reader(tmp_path) as reader:
        assert reader.verdicts()[0].verdict == "H1" and reader.verdicts()[0].pairs == 40
        assert [(f.player, f.game, f.detail) for f in reader.failed_starts()] == [(1, 7, "no handshake")]
        assert reader.engine_names() == {0: "", 1: "Engine 2.0"}


def test_twenty_thousand_games_are_counted_quickly(tmp_path: Path) -> None:
    journal = new(tmp_path, 20000)
    sample = pack(sample_game(1))
    journal._db.execute("BEGIN")
    from harness.journal.journal import _INSERT_ROW

    for number in range(1, 20001):
        row = sample.row._replace(id=number)
        journal._db.execute(_INSERT_ROW, (*row, row_checksum(row)))
        journal._db.execute("INSERT INTO moves VALUES (?, ?, '', ?)", (number, sample.moves, sample.moves_crc))
    journal._db.execute("COMMIT")
    journal.close()
    began = time.process_time()
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        assert len(list(database.execute("SELECT * FROM games"))) == 20000
    bare = time.process_time() - began
    with Reader(tmp_path) as reader:
        assert sum(row.points or 0 for row in reader.rows()) == 20000
        assert time.process_time() - began - bare < 10 * bare  # measured against the machine it runs on
