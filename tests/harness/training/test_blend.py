"""Mixed scores: a share of Sortie's static ones, the same whatever the number of processes, and a record that says so."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from here import gauntlet, refusal

from harness.training import blend, collect, positions


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    done = gauntlet("data", "--positions", "300", "--nodes", "60", "--out", "own.pos", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "own.pos"


def test_a_share_of_the_score_is_static(games: Path, tmp_path: Path) -> None:
    words = ("--blend", games, "--out", "half.pos", "--share", "0.5", "--terms", "0.2")
    done = gauntlet("data", *words, cwd=tmp_path)
    assert done.returncode == 0 and "0.5 of each score from the static evaluation" in done.stdout, done.stderr
    own, half = positions.read(games), positions.read(tmp_path / "half.pos")
    static = blend.scores_of(own, blend.Blend(0.5, 0.2).command())
    assert np.array_equal(half["score"], np.round(0.5 * static + 0.5 * own["score"]).astype(int))
    for field in ("occupancy", "pieces", "game", "result", "side", "rule50", "rights"):
        assert np.array_equal(half[field], own[field])
    told = json.loads(collect.record_path(tmp_path / "half.pos").read_text())
    assert told["blend"] == {"share": 0.5, "men": 0, "terms": 0.2, "networks": "shipped"}
    assert told["of"][0]["file"] == "own.pos" and told["of"][0]["plan"]["nodes"] == 60


def test_few_men_keep_their_own_score(games: Path, tmp_path: Path) -> None:
    for men, name in ((0, "all.pos"), (20, "many.pos")):
        words = ("--blend", games, "--out", name, "--share", "1", "--men", str(men))
        done = gauntlet("data", *words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    own, every, many = (positions.read(path) for path in (games, tmp_path / "all.pos", tmp_path / "many.pos"))
    few = np.bitwise_count(own["occupancy"]) < 20
    assert few.any() and not few.all()
    assert np.array_equal(many["score"], np.where(few, own["score"], every["score"]))


def test_processes_do_not_matter(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blend, "PART", 37)
    shown: list[int] = []
    for name, count in (("one.pos", 1), ("three.pos", 3)):
        written = blend.blend([games, games], tmp_path / name, blend.Blend(1.0, 0.5), count, shown.append)
        assert written == 2 * len(positions.read(games))
    assert (tmp_path / "one.pos").read_bytes() == (tmp_path / "three.pos").read_bytes()
    assert shown[-1] == written and len(shown) > 10


@pytest.mark.parametrize(
    ("field", "value"), [("result", 9), ("side", 7), ("score", 28_888), ("pieces", 0xFF), ("rights", 255)]
)
def test_damaged_positions_are_refused(games: Path, tmp_path: Path, field: str, value: int) -> None:
    bad = np.array(positions.read(games))
    bad[3][field] = value
    positions.write(tmp_path / "bad.pos", [bad])
    told = refusal("data", "--blend", "bad.pos", "--out", "y.pos", cwd=tmp_path)
    assert "bad.pos: position 4 is damaged: expected" in told and not (tmp_path / "y.pos").exists()


def test_nothing_to_blend_and_a_damaged_record(games: Path, tmp_path: Path) -> None:
    positions.write(tmp_path / "none.pos", [])
    told = refusal("data", "--blend", "none.pos", "--out", "y.pos", cwd=tmp_path)
    assert "none.pos: no positions to blend" in told
    (tmp_path / "own.pos").write_bytes(games.read_bytes())
    for text in ("garbage", "[1, 2]", '{"plan": 3}'):
        (tmp_path / "own.pos.json").write_text(text)
        told = refusal("data", "--blend", "own.pos", "--out", "y.pos", cwd=tmp_path)
        assert "own.pos.json: is no record of gauntlet data" in told
        assert not (tmp_path / "y.pos").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--blend", "--out", "x.pos"], "name the folders or files to read"),
        (["--blend", "x", "--out", "x"], "x: is one of the files that are read"),
        (["--blend", "none.pos", "--out", "x.pos"], "none.pos: cannot be read"),
        (["--blend", "--shuffle", "x", "--out", "y"], "exclude each other"),
        (
            ["--blend", "OWN", "--out", "y", "--network=~/no.net"],
            f"{Path.home() / 'no.net'}: cannot be read: No such file",
        ),
        (["--blend", "OWN", "--out", "y", "--share", "2"], "2.0 is not in the range"),
    ],
)
def test_bad_words(games: Path, tmp_path: Path, words: list[str], message: str) -> None:
    assert message in refusal("data", *[games if word == "OWN" else word for word in words], cwd=tmp_path)
    assert not (tmp_path / "y").exists()
