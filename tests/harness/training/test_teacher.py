"""The teacher: what it sees of a position, that it learns, resumes, and gives positions its scores, by the commands."""

from __future__ import annotations

import importlib.util
import io
import json
import subprocess
import sys
from pathlib import Path

import chess
import numpy as np
import pytest

from harness.errors import BadInput
from harness.training import collect, positions
from harness.training.positions import Records
from harness.training.train import Epoch

LESSONS = ("--width", 32, "--blocks", 2, "--attention", 1, "--batch", 64, "--rate", 0.003)
needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed: pip install '.[teacher]'"
)


def gauntlet(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "harness", *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 3,000 positions of games and a teacher of two epochs."""
    found = tmp_path_factory.mktemp("teacher")
    assert gauntlet(found, "data", "--positions", 3000, "--nodes", 60, "--out", "own.pos").returncode == 0
    done = gauntlet(found, "teach", "own.pos", *LESSONS, "--epochs", 2, "--out", "two.teacher")
    assert done.returncode == 0, done.stderr
    return found


def record(fen: str) -> Records:
    return np.frombuffer(positions.pack(chess.Board(fen), 0, 1, 1), dtype=positions.RECORD)


@needs_torch
def test_it_sees_the_board_of_the_side_to_move() -> None:
    from harness.training import teacher

    board = chess.Board("r3k2r/pp3ppp/2n5/3qp3/8/2P2N2/PP3PPP/R2Q1RK1 b kq - 3 14")
    seen, rights = teacher.views(record(board.fen()))
    assert seen.shape == (1, 64) and rights.tolist() == [0b0011]
    for square in chess.SQUARES:
        piece = board.piece_at(square)
        wanted = 0 if piece is None else piece.piece_type + (0 if piece.color == board.turn else 6)
        assert seen[0, square ^ 56] == wanted
    twin, twins_rights = teacher.views(record(board.mirror().fen()))
    assert np.array_equal(seen, twin) and twins_rights.tolist() == rights.tolist()


@needs_torch
def test_without_castling_a_position_and_its_mirror_image_get_one_score() -> None:
    import torch

    from harness.training import teacher

    torch.manual_seed(3)
    net = teacher.Teacher(teacher.Shape(32, 1, 1), 120.0)
    fen = "8/5pk1/1p4p1/3R4/1r6/6P1/5PK1/8 w - - 0 40"
    other = chess.Board(fen).transform(chess.flip_horizontal).fen()
    device = torch.device("cpu")
    one, two = (net.scores(record(text), device)[0] for text in (fen, other))
    assert one == pytest.approx(two, abs=0.01) and one != 0


@needs_torch
def test_a_teacher_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A torn one would be taken for a foreign file, and the command that should go on refused."""
    import torch

    from harness.training import teacher

    net, path = teacher.Teacher(teacher.Shape(32, 1, 0), 120.0), tmp_path / "x.teacher"
    teacher.save(net, path)
    before = path.read_bytes()
    with pytest.raises(BadInput, match="cannot be written: No such file"):
        teacher.save(net, tmp_path / "none" / "x.teacher")

    def stopped(values: object, file: Path | io.BytesIO) -> None:
        with file.open("wb") if isinstance(file, Path) else file as begun:
            begun.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(torch, "save", stopped)
    with pytest.raises(KeyboardInterrupt):
        teacher.save(net, path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


@needs_torch
def test_a_teacher_that_has_gone_astray_is_refused(tmp_path: Path) -> None:
    import torch

    from harness.training import teacher

    net = teacher.Teacher(teacher.Shape(32, 1, 0), 120.0)
    for wrong in (float("nan"), 1e6):  # the second is beyond the 16 bits of the file
        torch.nn.init.constant_(net.points.weight, wrong)
        teacher.save(net, tmp_path / "x.teacher")
        with pytest.raises(BadInput, match="x.teacher: has weights that are no numbers"):
            teacher.read(tmp_path / "x.teacher")


@needs_torch
def test_it_learns(folder: Path) -> None:
    done = gauntlet(folder, "teach", "own.pos", *LESSONS, "--epochs", 8, "--out", "eight.teacher")
    assert done.returncode == 0, done.stderr
    card = json.loads((folder / "eight.teacher.json").read_text())
    first, last = card["epochs"][0], card["epochs"][-1]
    # Of so few games only a handful is held out, so their loss says little more than that it falls.
    assert last["number"] == 8 and last["loss"] < 0.3 * first["loss"] and last["held_out"] < 0.9 * first["held_out"]
    assert card["data"][0]["plan"]["nodes"] == 60 and not (folder / "eight.teacher.checkpoint").exists()
    # Its scores go with those of the searches, as far as so few positions teach.
    done = gauntlet(folder, "data", "--blend", "own.pos", "--share", 1, "--teacher", "eight.teacher", "--out", "t.pos")
    assert done.returncode == 0, done.stderr
    own, taught = positions.read(folder / "own.pos"), positions.read(folder / "t.pos")
    clear = np.abs(own["score"]) > 300
    assert clear.sum() > 100 and ((own["score"] > 0) == (taught["score"] > 0))[clear].mean() > 0.85


@needs_torch
def test_a_blend_takes_its_scores_and_says_whose_they_are(folder: Path) -> None:
    import torch

    from harness.training import teacher

    done = gauntlet(
        folder, "data", "--blend", "own.pos", "--share", 0.5, "--teacher", "two.teacher", "--out", "half.pos"
    )
    assert done.returncode == 0 and "0.5 of each score from the teacher" in done.stdout, done.stderr
    own, half = positions.read(folder / "own.pos"), positions.read(folder / "half.pos")
    said = teacher.read(folder / "two.teacher").scores(own, torch.device("cpu"))
    assert np.abs(half["score"] - np.round(0.5 * said + 0.5 * own["score"])).max() <= 1
    assert np.array_equal(half["result"], own["result"])
    told = json.loads(collect.record_path(folder / "half.pos").read_text())
    assert told["blend"]["teacher"].startswith("two.teacher ") and told["blend"]["card"]["loss"]["held_out"] > 0


@needs_torch
def test_after_a_stop_it_goes_on_and_ends_the_same(folder: Path, tmp_path: Path) -> None:
    import torch

    from harness.training import teach, teacher

    settings = teach.Settings(teacher.Shape(32, 2, 1), epochs=2, batch=64, rate=0.003)
    checkpoint = folder / "stopped.checkpoint"
    halves = []
    for _ in range(2):
        lessons = teach.Lessons([folder / "own.pos"], checkpoint, settings)
        halves.append(len(lessons.epochs))

        def stop(epochs: list[Epoch], done: int, speed: float) -> None:
            if len(epochs) == 1 and halves == [0] and done < 20:
                raise KeyboardInterrupt

        try:
            lessons.run(stop)
        except KeyboardInterrupt:
            continue
    assert halves == [0, 1]
    straight = teacher.read(folder / "two.teacher").state_dict()
    # On a graphics processor the order of a sum is chance: two runs that were stopped alike differed by up to 0.024 there.
    near = 2e-3 if lessons.device.type == "cpu" else 0.05
    for name, value in lessons.teacher.state_dict().items():
        assert torch.allclose(value.float().cpu(), straight[name].float(), atol=near), name
    with pytest.raises(BadInput, match="is of other data or settings"):
        teach.Lessons([folder / "own.pos"], checkpoint, teach.Settings(settings.shape, epochs=3, batch=64))
    # Other scores under the same name are other data, though there are as many.
    other = np.array(positions.read(folder / "own.pos"))
    other["score"][0] += 1
    positions.write(tmp_path / "own.pos", [other])
    with pytest.raises(BadInput, match="is of other data or settings"):
        teach.Lessons([tmp_path / "own.pos"], checkpoint, settings)


@needs_torch
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("teach", "own.pos", "--out", "own.pos"),
            "own.pos: is one of the files that are read, expected another",
        ),
        (("teach", "own.pos", "--out", "foreign"), "foreign: is there and no teacher, expected another --out"),
        (("teach", "own.pos", "--batch", 100_000, "--out", "x"), "expected 100000 positions or more"),
        (("data", "--blend", "own.pos", "--teacher", "foreign", "--out", "y.pos"), "foreign: is no teacher"),
        (("data", "--blend", "own.pos", "--teacher", "none", "--out", "y.pos"), "none: cannot be read"),
        (
            ("data", "--blend", "own.pos", "--teacher", "two.teacher", "--terms", 0.5, "--out", "y.pos"),
            "--terms means nothing with --teacher",
        ),
    ],
)
def test_what_cannot_be_is_said_in_a_line(folder: Path, words: tuple[object, ...], said: str) -> None:
    (folder / "foreign").write_text("not a teacher\n")
    done = gauntlet(folder, *words)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--width", 48), "--width: expected a multiple of 32, not 48"),
        (("--blocks", 2), "--attention: expected less than --blocks, 2, between which they stand, not 2"),
    ],
)
def test_a_shape_that_cannot_be_is_refused(tmp_path: Path, words: tuple[object, ...], said: str) -> None:
    done = gauntlet(tmp_path, "teach", "own.pos", *words, "--out", "x")
    assert (done.returncode, done.stderr) == (2, said + "\n")


def test_without_pytorch_a_line_says_what_to_install(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['torch'] = None; from harness.cli import main; main(['teach', 'a.pos', '--out', 'a.teacher'])"
    done = subprocess.run([sys.executable, "-c", hidden], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "the package torch is not installed; pip install 'sortie-chess[teacher]'" in done.stderr
