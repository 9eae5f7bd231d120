"""Whatever reads a results folder names a damaged journal in one line, wherever the damage is."""

from __future__ import annotations

import io
import random
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import pytest
import synthetic

from harness.analysis import summary
from harness.errors import BadInput
from harness.journal.journal import Reader
from harness.model import MoveRecord
from harness.report import write
from harness.tables import summaries

PAGE = 4096


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of forty games, on some twenty pages."""
    folder = tmp_path_factory.mktemp("whole")
    found = synthetic.plan(folder, synthetic.TEXT.replace("games = 8", "games = 20"))
    rng = random.Random(1)
    games = []
    for game in synthetic.random_games(found):
        moves = [
            MoveRecord(
                rng.choice("abcdefgh") + "2" + rng.choice("abcdefgh") + "4", rng.random() * 100, 1.0, 0.1, 8, 9, 31
            )
            for _ in range(60)
        ]
        games.append(synthetic.record(game.job, game.result, moves=tuple(moves)))
    synthetic.journal(folder, found, games)
    return folder


def read_all(folder: Path) -> dict[str, Callable[[], object]]:
    """Every reader of a results folder, by name."""

    def games() -> None:
        with Reader(folder) as reader:
            for _ in reader.games():
                pass

    return {
        "show": lambda: summaries.print_show(folder),
        "show --json": lambda: summary.read(folder)[1].as_json(),
        "final": lambda: summaries.print_final(folder),
        "report": lambda: write.write(folder, str(folder / "page.html"), "html"),
        "games": games,
    }


def complaints(folder: Path) -> tuple[int, list[str]]:
    """How many readers named the damage, and what came out of the others but an answer."""
    named, wrong = 0, []
    for name, read in read_all(folder).items():
        try:
            with redirect_stdout(io.StringIO()):
                read()
        except BadInput as error:
            named += 1
            # Damage to the experiment's own text is told as that text's.
            if "\n" in str(error) or not ("games.db" in str(error) or "experiment.toml" in str(error)):
                wrong.append(f"{name}: {error}")
        except Exception as error:
            wrong.append(f"{name}: {type(error).__name__}: {error}")
    return named, wrong


@pytest.mark.parametrize("how", ["zeros", "ones", "noise", "flips"])
def test_no_damaged_page_ends_in_a_traceback(tmp_path: Path, whole: Path, how: str) -> None:
    rng = random.Random(how)
    data = (whole / "games.db").read_bytes()
    named = 0
    wrong = []
    for page in range(1, len(data) // PAGE):
        shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
        hurt = bytearray(data)
        start = page * PAGE
        if how == "flips":
            for spot in rng.sample(range(start, start + PAGE), 40):
                hurt[spot] ^= 1 << rng.randrange(8)
        else:
            fill = {"zeros": bytes(PAGE), "ones": b"\xff" * PAGE, "noise": rng.randbytes(PAGE)}[how]
            hurt[start : start + PAGE] = fill
        (tmp_path / "games.db").write_bytes(hurt)
        seen, found = complaints(tmp_path)
        named += seen
        wrong += [f"page {page + 1}, {line}" for line in found]
    assert wrong == []
    assert named > len(data) // PAGE
