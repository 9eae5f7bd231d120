"""Repair: every whole game is kept, whatever its id, and a crash in the midst of it costs nothing."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from synthetic import sample_game

from harness.errors import BadInput
from harness.journal import repair
from harness.journal.journal import Journal, Reader
from harness.journal.record import pack
from harness.model import Limit, Player

PAGE = 4096
PLAYERS = [Player(i, name, ("engine",), "xboard", Limit(nodes=10)) for i, name in enumerate(("a", "b"))]


def filled(folder: Path, games: range, scheduled: int) -> Path:
    meta = {"experiment": "[experiment]\n", "seed": "1", "scheduled": str(scheduled), "version": "0"}
    journal = Journal.create(folder, meta, PLAYERS)
    for number in games:
        assert journal.add(pack(sample_game(number)))
    journal.close()
    return folder / "games.db"


def pages_of(path: Path, table: str) -> list[int]:
    """The leaves of a table, as SQLite itself lays them out."""
    with sqlite3.connect(path) as db:
        try:
            query = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path"
            return [row[0] for row in db.execute(query, (table,))]
        except sqlite3.OperationalError:
            pytest.skip("this SQLite is built without dbstat")


def hurt(path: Path, *pages: int) -> None:
    with open(path, "r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(b"\xff" * PAGE)


def ids(folder: Path) -> set[int]:
    with Reader(folder) as reader:
        return reader.ids()


@pytest.mark.parametrize("scheduled", [10, 10**12])
def test_games_are_found_by_their_ids_and_not_by_the_schedule(tmp_path: Path, scheduled: int) -> None:
    """The tie-breaks of a knockout have ids beyond it, and a test is given far more games than it needs."""
    path = filled(tmp_path, range(1, 201, 2), scheduled)
    leaves = pages_of(path, "games")
    assert len(leaves) > 5
    hurt(path, leaves[0], leaves[3], leaves[-1])
    assert repair.repair(path) > 0
    kept = ids(tmp_path)
    assert len(kept) > 100 * (len(leaves) - 4) / len(leaves)
    assert max(kept) > 150
    assert len([game for game in Reader(tmp_path).games() if game.moves]) == len(kept)


def test_a_crash_in_the_midst_of_a_repair_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with games in its log alone and a damaged page, repaired with a crash at each step of the exchange."""
    live = tmp_path / "live"
    live.mkdir()
    hurt(filled(live, range(1, 101), 100), 0 or pages_of(live / "games.db", "moves")[5])
    journal = Journal(live)
    for number in range(101, 111):
        assert journal.add(pack(sample_game(number)))
    for name in ("games.db", "games.db-wal"):
        shutil.copy(live / name, tmp_path / name)
    journal.close()

    def broken(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        for one in ("games.db", "games.db-wal"):
            shutil.copy(tmp_path / one, folder / one)
        return folder

    calm = broken("calm")
    assert repair.repair(calm / "games.db") > 0
    wanted = ids(calm)
    assert set(range(101, 111)) < wanted

    for fatal in range(20):
        folder = broken(f"crash-{fatal}")
        steps = iter(range(20))
        crashed = False

        def dying(real: Callable[..., None], steps: Iterator[int] = steps, fatal: int = fatal) -> Callable[..., None]:
            def step(*files: Path) -> None:
                if next(steps) == fatal:
                    raise KeyboardInterrupt
                real(*files)

            return step

        with monkeypatch.context() as patch:
            for name in ("link", "replace"):
                patch.setattr(os, name, dying(getattr(os, name)))
            try:
                repair.repair(folder / "games.db")
            except KeyboardInterrupt:
                crashed = True
        repair.repair(folder / "games.db")
        assert ids(folder) == wanted, f"crash at step {fatal}"
        assert (folder / "games.damaged.db").exists()
        assert not (folder / "games.db-wal").exists()
        if not crashed:
            return
    raise AssertionError("the repair has more steps than this test knows")


def test_what_is_beyond_repair_is_left_as_it_is(tmp_path: Path) -> None:
    path = filled(tmp_path, range(1, 11), 10)
    os.truncate(path, PAGE + 1)  # what says which run this is stood behind it
    before = path.read_bytes()
    with pytest.raises(BadInput, match=r"damaged beyond repair \(.* which run this is\)"):
        repair.repair(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_a_repair_without_room_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> int:
        raise sqlite3.OperationalError("database or disk is full")

    path = filled(tmp_path, range(1, 201), 200)
    hurt(path, pages_of(path, "games")[0])
    monkeypatch.setattr(repair, "_salvage", full)
    with pytest.raises(BadInput, match="games.db: cannot be repaired: database or disk is full$"):
        repair.repair(path)


def test_a_folder_left_between_two_renames_is_put_right(tmp_path: Path) -> None:
    """Version 0.1 put the damaged file away first, and a crash then left no journal at all."""
    path = filled(tmp_path, range(1, 11), 10)
    path.rename(tmp_path / "games.salvaged")
    assert repair.repair(path) > 0
    assert ids(tmp_path) == set(range(1, 11))
