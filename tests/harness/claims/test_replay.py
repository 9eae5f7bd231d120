"""A run beside what is published: which figures are compared, and when two of them disagree."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
import synthetic
from claim_register import match

from harness.claims import catalogue, replay
from harness.claims.register import Register, agreement, read
from harness.errors import BadInput
from harness.schedule import jobs as schedule
from harness.spec import reader

LEVEL = (100, 200, 400, 200, 100)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ((5, 10, 20, 10, 5), "they agree"),
        ((30, 10, 10, 0, 0), "they differ by more than chance"),
        ((0, 0, 10, 10, 30), "they differ by more than chance"),
        ((0, 0, 0, 0, 0), "too few games to compare"),
        ((0, 0, 1, 0, 0), "too few games to compare"),
    ],
)
def test_two_results_of_one_comparison(pairs: tuple[int, ...], said: str) -> None:
    assert agreement(list(pairs), match(LEVEL), False) == said


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ((0, 0, 40, 0, 0), "they agree"),
        ((0, 1, 38, 1, 0), "they agree"),
        ((0, 0, 10, 0, 0), "too few games to compare"),
        ((0, 0, 0, 0, 40), "they differ by more than chance"),
    ],
)
def test_engines_that_play_alike_are_compared_too(pairs: tuple[int, ...], said: str) -> None:
    assert agreement(list(pairs), match((0, 0, 500, 0, 0)), False) == said


def test_a_match_that_ended_when_it_was_settled_may_lie_farther_out() -> None:
    assert agreement((10, 5, 10, 3, 2), match(LEVEL), False) == "they differ by more than chance"
    assert agreement((10, 5, 10, 3, 2), match(LEVEL), True) == "they agree"


def test_a_line_for_each_pairing_with_a_published_figure(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path, synthetic.TEXT.replace("games = 8", "games = 60"))
    # Of three pairs the variant wins one, draws one and loses one.
    results = [("1-0", "0-1"), ("1/2-1/2", "1/2-1/2"), ("0-1", "1-0")]
    games = [synthetic.record(job, results[job.pair % 3][job.white != job.pairing]) for job in schedule.jobs(found)]
    synthetic.journal(tmp_path, found, games)
    register = Register({"long/lmr-off": match(LEVEL, "lmr-off"), "smoke/tt-off": match((900, 90, 9, 1, 0), "tt-off")})
    lines = replay.checked(tmp_path, {"lmr-off": "long/lmr-off"}, "smoke", register)
    assert [line.partition(":")[0] for line in lines] == ["lmr-off vs base", "tt-off vs base"]
    assert "published 0.0 [" in lines[0] and "2,000 games at 2,000 nodes a move" in lines[0]
    assert lines[0].endswith("they agree") and lines[1].endswith("they differ by more than chance")
    assert replay.checked(tmp_path, {}, "smoke", Register()) == []


def test_a_claim_of_time_is_played_on_the_clock() -> None:
    claim = catalogue.read().claim("C4")
    assert replay._wanted([claim], "own") == {"claim-c04-picking": ["sort"]}
    assert reader.load("claim-c04-picking", check=False).limit.base == 1.0


def test_what_time_comes_to_stands_beside_the_games(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path, synthetic.TEXT.replace("[variants.lmr-off]\nLMR", "[variants.sort]\nLMR"))
    synthetic.journal(tmp_path, found, [synthetic.record(job, "1/2-1/2") for job in schedule.jobs(found)])
    lines = replay.checked(tmp_path, {}, "claim-c04-picking", read())
    assert len(lines) == 2 and lines[0].startswith("sort vs base: by the time it takes ")
    assert "400 games at 1+0.01 s: " in lines[1] and lines[1].startswith("sort vs base: published ")


def test_a_claim_is_played_only_where_it_is_asked(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="^C2 is not tested in today's Sortie$"):
        replay.play(catalogue.read().claim("C2"), "today", {}, str(tmp_path / "out"))


def played(monkeypatch: pytest.MonkeyPatch, status: int) -> list[str | None]:
    """The folders in which runs begin; each ends with this status."""
    folders: list[str | None] = []

    def begin(experiment: object, folder: str | None, *_: object, **__: object) -> int:
        folders.append(folder)
        return status

    monkeypatch.setattr(replay, "begin", begin)
    return folders


def test_each_experiment_of_a_claim_has_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = played(monkeypatch, 0)
    assert replay.play(catalogue.read().claim("C8"), "own", {}, f"{tmp_path}/c8/") == 0
    assert folders == [f"{tmp_path}/c8", f"{tmp_path}/c8-2"]


def test_a_signal_ends_more_than_the_experiment_that_it_meets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = played(monkeypatch, 130)
    assert replay.play(catalogue.read().claim("C8"), "own", {}, None) == 130
    assert folders == [None]


def test_the_second_folder_is_looked_at_before_the_first_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = played(monkeypatch, 0)
    (tmp_path / "c8-2").mkdir()
    (tmp_path / "c8-2" / "games.db").touch()
    with pytest.raises(BadInput, match="c8-2: there are results already"):
        replay.play(catalogue.read().claim("C8"), "own", {}, str(tmp_path / "c8"))
    assert folders == []


def test_all_claims_go_on_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = played(monkeypatch, 130)
    monkeypatch.setenv("HOME", str(tmp_path))
    resumed = []

    def resume(folder: Path, display: object, concurrency: int | None, end: partial[None]) -> int:
        assert end.func is replay.end  # the published figures are shown however often it was stopped
        resumed.append((folder, concurrency))
        return 130

    monkeypatch.setattr(replay, "resume", resume)
    claims = [catalogue.read().claim("C3")]
    replay.play_all(claims, "own", {"concurrency": 1}, "~/all")
    assert len(folders) == 1 and folders[0] is not None
    Path(folders[0]).mkdir(parents=True)
    (Path(folders[0]) / "games.db").touch()
    replay.play_all(claims, "own", {"concurrency": 1}, "~/all")
    assert len(folders) == 1 and resumed == [(Path(folders[0]), 1)] and folders[0].startswith(str(tmp_path))
    begun = reader.load("claim-c03-weight", {"games": 2}, check=False)
    monkeypatch.setattr("harness.claims.replay.summaries.read", lambda _: (begun, None, None))
    with pytest.raises(BadInput, match="was begun with --games 2, not 40: give the same number, or another --out"):
        replay.play_all(claims, "own", {"games": 40}, "~/all")
    replay.play_all(claims, "own", {"games": 2}, "~/all")
    assert len(resumed) == 2


def test_games_of_a_factorial_fill_whole_rounds() -> None:
    assert replay._fitting({"games": 10}, "parts-jazz") == {"games": 16}
    assert replay._fitting({"games": 10}, "claim-c05-window") == {"games": 10}
