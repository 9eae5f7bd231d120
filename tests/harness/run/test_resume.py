"""What a run that is taken up again makes of its journal: the same tournament, the same verdicts."""

from __future__ import annotations

import random
import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest
import synthetic
from paper_slots import Outcome, PaperSlots, Play, work

from harness.analysis.summary import read
from harness.errors import BadInput
from harness.journal import control
from harness.journal.database import DiskFull
from harness.journal.journal import Journal, Reader
from harness.model import Job
from harness.run import start
from harness.run.display import Display
from harness.run.folder import show_end
from harness.schedule import jobs as schedule
from harness.schedule.rounds import stages
from harness.slots.interface import Failed
from harness.spec import reader as experiments
from harness.spec.settings import Experiment
from harness.tables.summaries import unplayed_line
from harness.terminal.progress import Progress

KINDS = {
    "swiss": (6, "[tournament]\nrounds = 4\n"),
    "knockout": (6, "[tournament]\ntiebreaks = 1\n"),
    "league": (6, '[tournament]\ndivisions = [["p0", "p1", "p2"], ["p3", "p4", "p5"]]\nseasons = 3\n'),
}


def rounds(folder: Path, kind: str) -> Experiment:
    """A tournament by rounds in a folder with a new journal."""
    players, more = KINDS[kind]
    (folder / "book.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    text = f'[experiment]\nkind = "{kind}"\ngames = 2\nconcurrency = 2\n{more}[openings]\nfile = "book.epd"\n'
    text += "".join(f'[engines.p{n}]\ncommand = "python3"\n' for n in range(players))
    found = experiments.parse(text, "x.toml", folder)
    synthetic.journal(folder, found, [])
    return found


def clashes(experiment: Experiment, folder: Path, results: dict[int, str]) -> list[int]:
    """Games of the journal whose players are not those that the schedule has under that id."""
    dealt = {job.id: job for job in schedule.jobs(experiment, results)}
    with Reader(folder) as reader:
        return [
            row.id
            for row in reader.rows()
            if row.id not in dealt or (row.white, row.black) != (dealt[row.id].white, dealt[row.id].black)
        ]


def script(rng: random.Random, games: int, broken: int | None = None) -> Play:
    """Random results, and Ctrl-C after so many games; the broken player never starts."""
    left = iter(range(games))

    def play(job: Job) -> Outcome:
        if next(left, None) is None:
            return None
        if broken in (job.white, job.black):
            return Failed(broken, job, "does not start")
        return rng.choice(("1-0", "0-1", "1/2-1/2"))

    return play


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_an_engine_that_starts_again_after_a_stop_changes_no_round_that_was_played(
    tmp_path: Path, kind: str, seed: int
) -> None:
    """A player that fails to start in some sessions and plays in others, with stops at random moments."""
    rng = random.Random(seed)
    found = rounds(tmp_path, kind)
    broken = rng.randrange(len(found.players))

    for number in range(40):
        fails, games = number < 39 and rng.random() < 0.6, rng.randrange(1, 12) if number < 39 else 10_000

        play = script(rng, games, broken if fails else None)
        ended = work(found, tmp_path, play, seed=rng.randrange(1000))
        assert clashes(found, tmp_path, ended.results) == []
        with Reader(tmp_path) as reader:
            if reader.state() == "done":
                break
    assert [job.id for job in schedule.jobs(found, ended.results) if job.id not in ended.results] == []


@pytest.mark.parametrize("note", ["no JSON", "[]", '{"workers": [1]}'])
def test_a_damaged_note_on_the_cluster_stops_no_run(tmp_path: Path, note: str) -> None:
    found = rounds(tmp_path, "knockout")
    with sqlite3.connect(tmp_path / "games.db") as db:
        db.execute("INSERT INTO meta VALUES ('cluster', ?)", (note,))
    ended = work(found, tmp_path, lambda job: "1-0")
    assert ended.tally.played == ended.tally.scheduled


@pytest.mark.parametrize("kind", KINDS)
def test_a_lost_game_that_ends_otherwise_this_time_takes_the_rounds_after_it_along(tmp_path: Path, kind: str) -> None:
    """What was dealt on its first result is played anew; the books agree, and run.log tells what was dropped."""
    found = rounds(tmp_path, kind)
    work(found, tmp_path, lambda job: "1-0" if job.white < job.black else "0-1")
    with sqlite3.connect(tmp_path / "games.db") as db:
        for table in ("games", "moves"):
            db.execute(f"DELETE FROM {table} WHERE id IN (1, 2)")
        db.execute("UPDATE runs SET complete = 0")
    ended = work(found, tmp_path, lambda job: "0-1" if job.white < job.black else "1-0")
    assert clashes(found, tmp_path, ended.results) == []
    assert [job.id for job in schedule.jobs(found, ended.results)] == sorted(ended.results)
    assert "was dealt on other results" in (tmp_path / "run.log").read_text()
    with Reader(tmp_path) as reader:
        assert reader.count() == ended.tally.played == ended.tally.scheduled


def without_verdict(folder: Path) -> Experiment:
    """A run that died between the game that ended the test of its first pairing and the verdict."""
    found = synthetic.plan(
        folder, synthetic.TEXT.replace("games = 8", "games = 200") + "[sprt]\nelo0 = 0\nelo1 = 100\n"
    )
    first = [job for job in schedule.jobs(found) if job.pairing == 0]
    games = [synthetic.record(job, "1-0" if job.white == 0 else "0-1") for job in first[:60]]
    synthetic.journal(folder, found, games)
    return found


def test_a_verdict_that_was_not_written_down_is_found_again(tmp_path: Path) -> None:
    """No pair may be played after the one that ended the test."""
    found = without_verdict(tmp_path)
    played: list[int] = []

    def play(job: Job) -> Outcome:
        played.append(job.pairing)
        return None if len(played) > 3 else "1/2-1/2"

    work(found, tmp_path, play)
    assert 0 not in played
    with Reader(tmp_path) as reader:
        assert [(one.pairing, one.verdict, one.pairs) for one in reader.verdicts().values()] == [(0, "H1", 30)]


def test_a_verdict_for_which_the_disk_has_no_room_ends_the_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = without_verdict(tmp_path)
    stopped: list[Display] = []

    def full(*_: object) -> None:
        raise DiskFull("games.db: disk is full")

    monkeypatch.setattr(Journal, "add_verdict", full)
    monkeypatch.setattr(Display, "stop", lambda display: stopped.append(display))
    work(found, tmp_path, lambda job: "1-0")
    assert len(stopped) == 1 and f"gauntlet resume {tmp_path} goes on" in capsys.readouterr().err
    with Reader(tmp_path) as reader:
        assert reader.state() == "stopped" and reader.runs()[-1].status == 1


def test_a_folder_that_is_renamed_or_removed_ends_the_run_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    found = synthetic.plan(folder, synthetic.TEXT)
    synthetic.journal(folder, found, [])
    played: list[Job] = []

    def play(job: Job) -> Outcome:
        played.append(job)
        if len(played) == 3:
            folder.rename(tmp_path / "moved")
        return "1-0"

    slots = PaperSlots(2, play, random.Random(1))
    assert start._work(found, folder, Display, lambda *_: slots, show_end, local=False) == 1
    assert len(played) == 3
    assert capsys.readouterr().err.startswith(f"{folder}: was removed or renamed during the run")
    with Reader(tmp_path / "moved") as reader:
        assert reader.count() == 2


@pytest.mark.parametrize(("least", "pairs"), [("", 30), ("least = 120\n", 60)])
def test_a_pairing_that_is_settled_ends_and_the_other_goes_on(tmp_path: Path, least: str, pairs: int) -> None:
    text = synthetic.TEXT.replace("games = 8", "games = 200") + f"[decide]\nwithin = 10\n{least}"
    found = synthetic.plan(tmp_path, text)
    synthetic.journal(tmp_path, found, [])
    played = [0, 0]

    def play(job: Job) -> Outcome:
        """lmr-off wins every game; the others draw two pairs of three and win every third by turns: nothing is settled."""
        played[job.pairing] += 1
        if job.pairing == 0:
            return "1-0" if job.white == 0 else "0-1"
        return "1/2-1/2" if job.pair % 3 else "1-0" if (job.white == 1) == (job.pair % 2 == 0) else "0-1"

    ended = work(found, tmp_path, play)
    assert 2 * pairs <= played[0] <= 2 * pairs + 20 and played[1] == 200
    assert ended.unplayed() == 0 and ended.status() == 0
    with Reader(tmp_path) as reader:
        assert [(one.pairing, one.verdict, one.pairs) for one in reader.verdicts().values()] == [(0, "stronger", pairs)]
    _, summary, _ = read(tmp_path)
    assert [row.worth for row in summary.pairings] == ["stronger", None]
    assert unplayed_line(tmp_path, summary) is None


def test_a_game_of_other_players_than_the_schedule_has_is_refused(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path)
    games = synthetic.random_games(found)[:4]
    job = games[2].job
    games[2] = replace(games[2], job=replace(job, white=job.black, black=job.white))
    synthetic.journal(tmp_path, found, games)
    with pytest.raises(BadInput, match="games.db: game 3 is not the one that .* has scheduled"):
        work(found, tmp_path, lambda job: "1-0")


def test_a_run_of_single_games_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    text = synthetic.TEXT.replace("games = 8", "games = 7\npaired = false")
    found = synthetic.plan(tmp_path, text)
    synthetic.journal(tmp_path, found, [])
    played: list[tuple[int, int, int]] = []

    def play(job: Job) -> Outcome:
        if len(played) == 5:
            played.append((0, 0, 0))
            return None
        played.append((job.id, job.white, job.black))
        return "1/2-1/2"

    work(found, tmp_path, play)
    work(found, tmp_path, play)
    planned = [(job.id, job.white, job.black) for job in schedule.jobs(found)]
    assert len(planned) == 14 and sorted(played) == [(0, 0, 0), *planned]
    with Reader(tmp_path) as reader:
        assert reader.state() == "done"


@pytest.mark.parametrize("wins", [0, 2])
def test_a_player_that_does_not_start_is_out_of_a_knockout(tmp_path: Path, wins: int) -> None:
    """Although it is the better seed, and even if it was ahead before it failed."""
    found = rounds(tmp_path, "knockout")

    def play(job: Job) -> Outcome:
        if 0 not in (job.white, job.black):
            return "1/2-1/2"
        if job.pair <= wins // 2:
            return "1-0" if job.white == 0 else "0-1"
        return Failed(0, job, "does not start")

    found = replace(found, games=2 + wins)
    results = work(found, tmp_path, play).results
    (order,) = stages(found, results)[-1].groups
    assert [player for player, _ in order][:2] == [1, 3], "the final is between others"
    assert {job.pairing for job in schedule.jobs(found, results) if 0 in (job.white, job.black)} == {2}
    with Reader(tmp_path) as reader:
        assert reader.state() == "done"


def test_a_game_given_up_is_half_a_pair_of_a_resumed_tuning_run(tmp_path: Path) -> None:
    """The game is noted of both its players; the other game of its pair is still to be played."""
    (tmp_path / "book.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    text = '[experiment]\ndepth = 1\n[openings]\nfile = "book.epd"\n[spsa]\ngames = 8\nlag = 1\n'
    text += '[spsa.parameters.Style]\nleast = 0\nmost = 100\nstart = 50\nstep = 9\n[engines.p]\ncommand = "python3"\n'
    found = experiments.parse(text, "x.toml", tmp_path)
    synthetic.journal(tmp_path, found, [])
    journal = Journal(tmp_path)
    for player in (0, 1):
        journal.add_failed_start(player, 1, "2 slots died of it", {"reason": "crash"})
    journal.close()
    ended = work(found, tmp_path, lambda job: "1-0" if job.white == 0 else "0-1")
    assert ended.tuning is not None and ended.tuning.results.known == {1: 1, 2: 2, 3: 2, 4: 2}


def test_a_run_stopped_in_its_node_screen_names_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The screen takes minutes, and its folder has a name that the user may not have chosen."""

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("harness.analysis.node_screen.screen", stopped)
    monkeypatch.setattr("harness.engines.sortie.bench", lambda _: None)
    text = '[experiment]\nname = "two words"\nnodes = 100\n[variants.x]\nLMR = "off"\n[screen]\n'
    found = experiments.parse(text, "x.toml", tmp_path, check=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        start.begin(found, None, Display)
    lines = capsys.readouterr().out.splitlines()
    assert "gauntlet resume 'results/two words'" in lines[-2] and lines[-1] == "results: results/two words"


def test_a_run_in_its_node_screen_is_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It can be stopped, and cannot be resumed beside itself; afterwards it is stopped."""
    monkeypatch.setattr("harness.engines.sortie.bench", lambda _: None)
    text = '[experiment]\nname = "s"\nnodes = 100\n[variants.x]\nLMR = "off"\n[screen]\n'
    found = experiments.parse(text, "x.toml", tmp_path, check=False)

    def screened(_: Experiment, progress: Progress) -> None:
        with pytest.raises(BadInput, match="a run is at work there"):
            start.resume(tmp_path / "out", Display)
        assert read(tmp_path / "out")[1].state == "running"
        progress.advance(0)
        control.ask(tmp_path / "out", control.STOP)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            progress.advance(0)
            time.sleep(0.05)

    monkeypatch.setattr("harness.analysis.node_screen.screen", screened)
    with pytest.raises(KeyboardInterrupt):
        start.begin(found, str(tmp_path / "out"), Display)
    assert read(tmp_path / "out")[1].state == "stopped"


def test_an_engine_starts_where_the_run_began(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files may have names that begin there, and a run may be resumed from elsewhere."""
    monkeypatch.setattr("harness.run.start._work", lambda *_: 0)
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "there")
    text = synthetic.TEXT + '[engines.foreign]\ncommand = "python3"\nprotocol = "uci"\n'
    text += '[engines.settled]\ncommand = "python3"\nprotocol = "uci"\ndirectory = "/"\n'
    found = synthetic.plan(tmp_path, text)
    monkeypatch.setattr("harness.engines.sortie.bench", lambda _: None)
    start.begin(found, "out", Display)
    players = experiments.load(tmp_path / "there/out/experiment.toml", check=False).players
    places = {player.name: player.directory for player in players if not player.sortie}
    assert places == {"foreign": str(tmp_path / "there"), "settled": "/"}
