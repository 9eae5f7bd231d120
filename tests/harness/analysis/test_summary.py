"""What `gauntlet show` says of a journal: counts, figures, null where nothing is determined, and its speed."""

from __future__ import annotations

import io
import json
import random
import re
import sqlite3
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import synthetic
from click.testing import CliRunner
from rich.console import Console
from synthetic import fault, record

from harness.analysis import screen_file, summary
from harness.commands.results.ratings import command as ratings_command
from harness.commands.results.show import command as show
from harness.commands.results.stats import command as stats_command
from harness.errors import BadInput
from harness.journal import distinct
from harness.journal.journal import Journal, Reader
from harness.model import GameRecord, Job, MoveRecord, Opening
from harness.schedule import jobs as schedule
from harness.spec.settings import Experiment
from harness.stats import elo as stats
from harness.stats.stopped import sprt_elo
from harness.tables import grid, numbers
from harness.tables import summaries as tables
from harness.tables.verdict import games_needed, verdict

KEYS = ["name", "kind", "state", "scheduled", "played", "plies", "seconds", "reasons", "players", "pairings"]
PLAYER_KEYS = [
    *("name", "games", "wins", "draws", "losses", "points", "white", "black", "faults", "warnings"),
    *("elo", "elo_error", "depth", "nodes", "nps", "ms"),
    "processors",
]
PAIRING_KEYS = [
    *("a", "b", "scheduled", "played", "wins", "draws", "losses", "pentanomial", "unpaired"),
    *("score", "elo", "elo_error", "los", "nelo", "nelo_error", "draw_ratio", "nodes", "sprt", "elo_low", "elo_high"),
    "worth",
]
SPRT_KEYS = ["elo0", "elo1", "alpha", "beta", "model", "llr", "lower", "upper", "verdict"]


def results(found: Experiment, words: str) -> Iterator[GameRecord]:
    """Games of the first pairing from a string of w, d, l seen from a; the rest stays unplayed."""
    jobs = [job for job in schedule.jobs(found) if job.pairing == 0]
    for job, word in zip(jobs, words, strict=False):
        of_white = {"w": "1-0", "l": "0-1", "d": "1/2-1/2"}
        turned = {"w": "0-1", "l": "1-0", "d": "1/2-1/2"}
        yield record(job, (of_white if job.white == 0 else turned)[word])


def shown(folder: Path) -> dict[str, Any]:
    done = CliRunner().invoke(show, [str(folder), "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    found: dict[str, Any] = json.loads(done.output)
    return found


def test_keys_and_counts(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, list(results(found, "wwwdldd")))
    data = shown(tmp_path)
    assert list(data) == KEYS
    assert (data["name"], data["kind"], data["state"]) == ("made-up", "gauntlet", "stopped")
    assert (data["scheduled"], data["played"], data["reasons"]) == (16, 7, {"mate": 4, "repetition": 3})
    first, second = data["pairings"]
    assert list(first) == PAIRING_KEYS
    assert (first["a"], first["b"], first["scheduled"], first["played"]) == ("lmr-off", "base", 8, 7)
    assert (first["wins"], first["draws"], first["losses"]) == (3, 3, 1)
    assert first["pentanomial"] == [0, 1, 0, 1, 1] and first["unpaired"] == 1
    wanted = stats.estimate([0, 1, 0, 1, 1])
    assert first["elo"] == pytest.approx(wanted.elo) and first["los"] == pytest.approx(wanted.los)
    assert first["score"] == pytest.approx(4.5 / 7) and first["draw_ratio"] == pytest.approx(3 / 7)
    assert first["nodes"] is None and first["sprt"] is None
    assert second["played"] == 0 and second["score"] is second["elo"] is second["los"] is None
    lmr, tt, base = data["players"]
    assert list(lmr) == PLAYER_KEYS
    assert (lmr["games"], lmr["points"], lmr["white"], lmr["black"]) == (7, 4.5, [2, 1, 1], [1, 2, 0])
    assert (base["wins"], base["losses"], base["points"]) == (1, 3, 2.5)
    assert lmr["elo"] + base["elo"] == pytest.approx(0) and lmr["elo"] > 0
    assert tt["elo"] is None and tt["games"] == 0 and tt["depth"] is None


def test_single_games_count_until_there_is_a_pair(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path)
    games = list(results(found, "w.d.l".replace(".", "d")))
    synthetic.journal(tmp_path, found, [games[0], games[2], games[4]])
    pairing = shown(tmp_path)["pairings"][0]
    assert pairing["pentanomial"] == [0] * 5 and pairing["unpaired"] == 3
    assert pairing["elo"] == pytest.approx(stats.estimate([1, 1, 1]).elo)


def test_a_killed_run_took_until_its_last_game(tmp_path: Path) -> None:
    """It could not say when it ended, and time goes on."""
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, list(results(found, "wwwd")))
    with sqlite3.connect(tmp_path / "games.db") as db:
        (ended,) = db.execute("SELECT max(started + seconds) FROM games").fetchone()
        db.execute("UPDATE runs SET began = ?, ended = NULL, pid_start = 1", (ended - 90,))
    db.close()
    assert (shown(tmp_path)["state"], shown(tmp_path)["seconds"]) == ("stopped", 90)
    with sqlite3.connect(tmp_path / "games.db") as db:
        db.execute("UPDATE runs SET began = ?", (ended + 5,))
    db.close()
    assert shown(tmp_path)["seconds"] == 0


def lines(folder: Path) -> list[str]:
    """The line of each pairing, as they stand at the end of a run."""
    _, found, screen = summary.read(folder)
    return ["   ".join(tables.pairing_parts(pairing, screen is not None)) for pairing in found.pairings]


@pytest.mark.parametrize(("words", "los"), [("wwwwwwww", 1 - 2**-9), ("llll", 2**-5), ("dddd", 0.5)])
def test_what_is_not_determined_is_null(tmp_path: Path, words: str, los: float) -> None:
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, list(results(found, words)))
    data = shown(tmp_path)
    pairing = data["pairings"][0]
    assert [pairing[key] for key in ("elo", "elo_error", "nelo", "nelo_error")] == [None] * 4
    assert pairing["los"] == pytest.approx(los)
    assert [player["elo"] for player in data["players"]] == [None] * 3
    assert "NaN" not in json.dumps(data) and "Infinity" not in json.dumps(data)
    assert lines(tmp_path)[0].startswith("lmr-off vs base   Elo not determined   +")


def test_a_match_without_spread_among_its_pairs_is_even(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, list(results(found, "wldd")))
    data = shown(tmp_path)
    pairing = data["pairings"][0]
    assert pairing["pentanomial"] == [0, 0, 2, 0, 0]
    assert (
        pairing["elo"] == 0.0 and pairing["los"] == 0.5 and pairing["elo_error"] == pytest.approx(pairing["elo_high"])
    )
    assert lines(tmp_path)[0].startswith("lmr-off vs base   Elo 0.0 ± ")
    rated = [player["elo"] for player in data["players"]]
    assert rated == [0.0, None, 0.0]


def test_pairs_that_were_all_shared_leave_little_room_everywhere(tmp_path: Path) -> None:
    """Two that play alike: of 200 pairs each won one game, or drew both, and the field is rated no less surely."""
    text = synthetic.TEXT.replace("games = 8", "games = 400").replace("[variants.tt-off]\nTT = false\n", "")
    found = synthetic.plan(tmp_path, text)
    synthetic.journal(tmp_path, found, list(results(found, "wlddwl" * 66 + "wldd")))
    data = shown(tmp_path)
    (pairing,) = data["pairings"]
    assert pairing["pentanomial"] == [0, 0, 200, 0, 0] and pairing["elo"] == 0.0
    assert pairing["elo_high"] == -pairing["elo_low"] == pytest.approx(5.17, abs=0.01)
    assert lines(tmp_path)[0].startswith("lmr-off vs base   Elo 0.0 ± 5.2 ")
    assert [player["elo_error"] for player in data["players"]] == [pytest.approx(5.17 / 2, abs=0.01)] * 2


def rows_of(output: str) -> list[str]:
    """The first word of each line."""
    return [line.split()[0] for line in output.splitlines() if line.strip()]


def test_who_won_everything_stands_first(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path)
    games = list(results(found, "wwwwwwww"))
    games += [record(job, "1-0" if job.white == 2 else "0-1") for job in schedule.jobs(found) if job.pairing == 1]
    synthetic.journal(tmp_path, found, games)
    state = summary.read(tmp_path)[1]
    assert [player.name for player in summary.ranked(state.players)] == ["lmr-off", "base", "tt-off"]
    table = tables.players_table(state)
    assert [row[:2] for row in table.rows] == [
        ["lmr-off", "all won"],
        ["base", "not determined"],
        ["tt-off", "all lost"],
    ]
    listed = CliRunner().invoke(ratings_command, [str(tmp_path)], catch_exceptions=False).output
    assert [word for word in rows_of(listed) if word in ("lmr-off", "base", "tt-off")] == ["lmr-off", "base", "tt-off"]
    experiment, state, screen = summary.read(tmp_path)
    sentence = verdict(experiment, state, screen)
    assert "lmr-off is stronger than base by more than 118 Elo and tt-off is weaker than base" in sentence
    assert "Who is better is open" not in sentence
    assert [row[1] for row in tables.final_table(state, None).rows] == ["above +118.1", "below -118.1"]


@pytest.mark.parametrize("words", ["wdwdldww", "wldd", "wwwwwwww", "wwwwwwwl", "wlwldddw"])
def test_show_and_ratings_agree(tmp_path: Path, words: str) -> None:
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, list(results(found, words)))
    here = {player["name"]: player for player in shown(tmp_path)["players"]}
    done = CliRunner().invoke(ratings_command, [str(tmp_path), "--json"], catch_exceptions=False)
    for player in json.loads(done.output)["players"]:
        for key in ("elo", "elo_error", "games", "points"):
            assert player[key] == here[player["name"]][key]


def test_a_stopped_test_is_told_with_its_corrected_interval(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path, SPRT)
    synthetic.journal(tmp_path, found, list(results(found, "wwwdldwd")))
    journal = Journal(tmp_path)
    journal.add_verdict(0, "H1", 3.0, 4)
    journal.close()
    experiment, state, screen = summary.read(tmp_path)
    pairing = state.pairings[0]
    test, outcome = pairing.sprt, pairing.outcome()
    assert test is not None and test.verdict == "H1" and outcome.corrected
    assert experiment.sprt is not None
    corrected = sprt_elo(pairing.pentanomial, *experiment.sprt.law)
    assert corrected == (test.elo, test.elo_low, test.elo_high) == (outcome.elo, outcome.low, outcome.high)
    assert pairing.elo == stats.estimate(pairing.pentanomial).elo != test.elo
    shown_interval = numbers.interval(test.elo_low, test.elo_high)
    assert tables.final_table(state, screen).rows[0][1] == shown_interval
    said = verdict(experiment, state, screen)
    assert ("is stronger" in said) == ((test.elo_low or 0) > 0)
    line = tables.sprt_line(pairing)
    assert line is not None and line.endswith(f"H1 accepted; Elo corrected for the stop {numbers.plus(test.elo or 0)}")


@pytest.mark.parametrize("told, said", [(7, "7"), (199, "199"), (200, ""), (2000, ""), (6000, ""), (61_000, "61,000")])
def test_a_player_that_ignores_its_number_of_nodes_is_named(tmp_path: Path, told: int, said: str) -> None:
    found = synthetic.plan(tmp_path)  # 2,000 nodes a move
    moves = (MoveRecord("e2e4", 1.0, nodes=2000), MoveRecord("e7e5", 1.0, nodes=told))
    job = next(job for job in schedule.jobs(found) if job.white == 2)  # the base has White
    synthetic.journal(tmp_path, found, [record(job, "1-0", moves=moves)])
    name = found.players[job.black].name
    expected = f"{name} searched {said} nodes a move on average, where 2,000 were asked for"
    listed = CliRunner().invoke(show, [str(tmp_path)], catch_exceptions=False).output
    for text in (verdict(*summary.read(tmp_path)), listed):
        assert (expected in text) == bool(said) and text.count("were asked for") == bool(said)


@pytest.mark.parametrize(
    "ms, cpu, cores, ponder, said",
    [
        (3000.0, 3100.0, 1, False, ""),
        (3000.0, 5700.0, 1, False, "lmr-off used 1.9 processors for 1 thread"),
        (3000.0, 5700.0, 2, False, ""),
        (3000.0, 9000.0, 2, False, "lmr-off used 3.0 processors for 2 threads"),
        (3000.0, 5700.0, 1, True, ""),
        (1000.0, 1900.0, 1, False, ""),  # too short a time to tell
    ],
)
def test_a_player_that_uses_more_processors_than_it_was_given_is_named(
    tmp_path: Path, ms: float, cpu: float, cores: int, ponder: bool, said: str
) -> None:
    text = synthetic.TEXT.replace("nodes = 2000", f'time = "9+0.1"\nponder = {str(ponder).lower()}')
    found = synthetic.plan(tmp_path, text.replace('LMR = "off"', f'LMR = "off"\noptions = {{cores = {cores}}}'))
    moves = (MoveRecord("e2e4", ms, cpu), MoveRecord("e7e5", 3000.0, 3000.0))
    job = next(job for job in schedule.jobs(found) if found.players[job.white].name == "lmr-off")
    synthetic.journal(tmp_path, found, [record(job, "1-0", moves=moves)])
    listed = CliRunner().invoke(show, [str(tmp_path)], catch_exceptions=False).output
    for words in (verdict(*summary.read(tmp_path)), listed):
        assert said in words and words.count(" processors for ") == bool(said)


def test_faults_warnings_and_means(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path)
    jobs = list(schedule.jobs(found))
    moves = (
        MoveRecord("e2e4", 20.0, 19.0, 0.1, 10, 3000, 31),
        MoveRecord("e7e5", 5.0, 4.0, 0.1, 7, 1000, -20),
        MoveRecord("g1f3", 40.0, 39.0, 0.1, None, None, None),
    )
    line = Job(1, 0, 1, 1, 0, 2, Opening("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"))
    games = [
        record(line, "0-1", "crash", moves, fault=fault(0, "crash"), warnings={0: {"junk": 3}, 2: {"old pong": 1}}),
        record(jobs[1], "1-0", "time", fault=fault(0, "time"), warnings={0: {"junk": 2}}),
        record(jobs[2], "1-0", "illegal", fault=fault(2, "illegal")),
    ]
    synthetic.journal(tmp_path, found, games)
    data = shown(tmp_path)
    lmr, tt, base = data["players"]
    assert lmr["faults"] == {"crash": 1, "time": 1} and base["faults"] == {"illegal": 1} and tt["faults"] == {}
    assert lmr["warnings"] == {"junk": 5} and base["warnings"] == {"old pong": 1}
    assert (lmr["depth"], lmr["nodes"], lmr["ms"]) == (10, 3000, 30)
    assert lmr["nps"] == pytest.approx(150_000)
    assert (base["depth"], base["nodes"], base["ms"]) == (7, 1000, 5)
    assert data["plies"] == 3


SPRT = synthetic.TEXT.replace("[base]", "[sprt]\nelo0 = 0\nelo1 = 10\n[base]")


def test_sprt_counts_complete_pairs_only(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path, SPRT)
    synthetic.journal(tmp_path, found, list(results(found, "wwwdldd")))
    test = shown(tmp_path)["pairings"][0]["sprt"]
    assert list(test) == [*SPRT_KEYS, "elo", "elo_low", "elo_high", "los"]
    assert [test[key] for key in ("elo", "elo_low", "elo_high", "los")] == [None] * 4
    assert test["llr"] == pytest.approx(stats.llr([0, 1, 0, 1, 1], 0, 10))
    assert (test["model"], test["verdict"]) == ("normalized", None)
    assert test["upper"] == pytest.approx(2.944439, abs=1e-6) == -test["lower"]
    text = CliRunner().invoke(show, [str(tmp_path)], catch_exceptions=False).output
    line = f"lmr-off vs base: SPRT of 0 against 10 normalized Elo, LLR {test['llr']:.2f} [-2.94, 2.94], undecided"
    assert line in text
    other = shown(tmp_path)["pairings"][1]["sprt"]
    assert other["llr"] == 0.0


ROW = {"name": "lmr-off", "ratio": 1.84, "error": 0.11, "low": 1.7, "high": 1.92, "time_ratio": 1.5, "time_error": 0.2}
SCREEN = {
    "depth": 9,
    "positions": 60,
    "base": "base",
    "variants": [ROW],
}


def test_lines_tables_and_the_closing_sentence(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path)
    games = [*results(found, "wdwdldww"), *[record(job, "1/2-1/2") for job in schedule.jobs(found) if job.pairing == 1]]
    synthetic.journal(tmp_path, found, games)
    (tmp_path / screen_file.SCREEN_FILE).write_text(json.dumps(SCREEN))
    first, second = lines(tmp_path)
    found_elo = stats.estimate([0, 1, 0, 2, 1])
    elo = f"{found_elo.elo:.1f} ± {found_elo.elo_error or 0:.1f}"
    assert first == f"lmr-off vs base   Elo {elo}   nodes 1.84 ± 0.11   +4 =3 -1 of 8"
    assert second == "tt-off vs base   Elo not determined   nodes not determined   +0 =8 -0 of 8"
    nodes = shown(tmp_path)["pairings"][0]["nodes"]
    assert nodes == {"ratio": 1.84, "error": 0.11, "low": 1.7, "high": 1.92, "depth": 9, "positions": 60}
    done = CliRunner().invoke(show, [str(tmp_path)], catch_exceptions=False)
    assert "lmr-off" in done.output and "1.84 [1.70, 1.92]" in done.output and "games ended by: " in done.output
    experiment, state, screen = summary.read(tmp_path)
    sentence = verdict(experiment, state, screen)
    assert sentence.startswith("Measured: 16 games at 2000 nodes a move") and sentence.endswith(".")
    assert "Who is better is open at 95 %: lmr-off vs base and tt-off vs base, whose intervals include 0." in sentence
    assert sentence.count("\n") == 0


def test_an_interval_is_no_verdict_where_a_confidence_was_asked_for(tmp_path: Path) -> None:
    """Of six pairings of equals looked at again and again one interval in four leaves 0 out at some time."""
    text = synthetic.TEXT.replace("games = 8", "games = 400")
    sure = f"{text}[decide]\nwithin = 5\nconfidence = 0.99\n"
    for form, said in (
        (text, "lmr-off is stronger than base"),
        (sure, "Who is better is open at 99 %: lmr-off vs base"),
    ):
        folder = tmp_path / str(len(form))
        folder.mkdir()
        found = synthetic.plan(folder, form)
        synthetic.journal(folder, found, list(results(found, "wd" * 12 + "wl" * 20 + "dl" * 3)))
        assert said in verdict(*summary.read(folder)[:2], None)


def test_a_pairing_that_the_answer_did_not_need_is_left_open(tmp_path: Path) -> None:
    text = synthetic.TEXT.replace("[base]", 'kind = "roundrobin"\n[decide]\nuntil = "best"\nconfidence = 0.9\n[base]')
    found = synthetic.plan(tmp_path, text.replace("games = 8", "games = 400"))
    synthetic.journal(tmp_path, found, list(results(found, "wd" * 30)))
    journal = Journal(tmp_path)
    journal.begin()
    journal.add_verdict(0, "not needed", 0.0, 30)
    journal.end(0, True)
    journal.close()
    said = verdict(*summary.read(tmp_path)[:2], None)
    assert "did not need it: lmr-off vs tt-off" in said and "stronger" not in said


def test_how_many_games_a_difference_takes_where_all_pairs_were_shared(tmp_path: Path) -> None:
    """40 pairs all shared leave 25.1 Elo, 100 leave 10.3 (docs/harness.md): the error falls with their number, not its root."""
    found = synthetic.plan(tmp_path, synthetic.TEXT.replace("games = 8", "games = 400"))
    synthetic.journal(tmp_path, found, list(results(found, "wl" * 40)))
    assert games_needed(summary.read(tmp_path)[1].pairings[0]) == 210


def test_a_run_in_play_misses_no_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, list(results(found, "wd")))
    tables.print_show(tmp_path)
    assert "games were not played: the run was stopped" in capsys.readouterr().out
    journal = Journal(tmp_path)
    journal.begin()
    tables.print_show(tmp_path)
    journal.end(130, False)
    journal.close()
    shown = capsys.readouterr().out
    assert ", running, 2 of " in shown and "not played" not in shown


def test_final_table_is_printed_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = synthetic.plan(tmp_path, synthetic.TEXT.replace("lmr-off", '"[red]<b>\\u00e9"'))
    synthetic.journal(tmp_path, found, list(results(found, "wdwdldww")))
    tables.print_final(tmp_path)
    out = capsys.readouterr().out
    assert "[red]<b>é vs base" in out and "against base" in out and "+4 =3 -1 of 8" in out
    # Every figure once: the table has what the line has not.
    interval = tables.final_table(summary.read(tmp_path)[1], None).rows[0][1]
    assert out.count(interval) == 1 and out.count("4/3/1") == 0


def test_of_one_game_with_moves_it_is_said_that_it_has_some() -> None:
    """`gauntlet show` ended in the words `one game` where the others were lost before their first move."""
    assert distinct.Distinct(1, 0).sentence() == "one game has moves"


def test_a_field_that_played_nothing_has_no_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = synthetic.plan(tmp_path, synthetic.TEXT.replace("games = 8", 'games = 8\nkind = "roundrobin"'))
    synthetic.journal(tmp_path, found, [])
    tables.print_final(tmp_path)
    out = capsys.readouterr().out
    assert "No game was played." in out and "pairing" not in out
    done = CliRunner().invoke(stats_command, [str(tmp_path)], catch_exceptions=False)
    assert done.output == f"no pairing with games in {tmp_path}\n"


def test_a_line_too_long_for_a_terminal_is_parted_between_its_parts(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, list(results(found, "wdwdldww")))
    pairing = summary.read(tmp_path)[1].pairings[0]
    parts = tables.pairing_parts(pairing, True)
    for width, terminal in ((200, True), (30, False), (50, True), (30, True)):
        out = io.StringIO()
        console = Console(file=out, width=width, force_terminal=terminal, highlight=False, color_system=None)
        tables._print_line(console, parts)
        lines = out.getvalue().rstrip("\n").split("\n")
        assert " ".join(" ".join(lines).split()) == " ".join(" ".join(parts).split())
        if terminal:
            assert all(len(line) <= max(width, *(len(part) + 3 for part in parts)) for line in lines)
        assert (len(lines) == 1) == (width == 200 or not terminal)


def test_an_even_field_is_rated_nought_not_minus_nought(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, list(results(found, "wdldwldd")))
    text = json.dumps(shown(tmp_path))
    assert '"elo": 0.0' in text and "-0.0" not in text


@pytest.mark.parametrize("width", [80, 60, 200])
def test_tables_fit_the_terminal_and_lose_nothing(tmp_path: Path, width: int) -> None:
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, list(results(found, "wdwdldww")))
    (tmp_path / screen_file.SCREEN_FILE).write_text(json.dumps(SCREEN))
    _, state, screen = summary.read(tmp_path)
    for table in (
        tables.final_table(state, screen),
        tables.players_table(state),
        tables.pairings_table(state),
    ):
        out = io.StringIO()
        table.print(Console(file=out, width=width, force_terminal=True, highlight=False, color_system=None))
        text = out.getvalue()
        assert max(map(len, text.split("\n"))) <= width and "…" not in text
        for cell in (cell for row in table.rows for cell in row):
            assert cell in text or grid.short(cell) in text
        for word in " ".join(table.columns).split(" "):
            assert word in text


def test_dynamic_kinds_show_standings(tmp_path: Path) -> None:
    text = '[experiment]\nkind = "league"\n[openings]\nfile = "book.tsv"\n'
    text += "".join(f'[engines.p{n}]\ncommand = "python3"\n' for n in range(3))
    found = synthetic.plan(tmp_path, text)
    synthetic.journal(
        tmp_path, found, [record(job, "1-0" if job.white < job.black else "0-1") for job in schedule.jobs(found)]
    )
    data = shown(tmp_path)
    assert data["scheduled"] == data["played"] == 6 and data["state"] == "done"
    assert len(data["pairings"]) == 3
    done = CliRunner().invoke(show, [str(tmp_path)], catch_exceptions=False)
    assert "season 1 of 1, division 1: 1 p0 (4), 2 p1 (2), 3 p2 (0)" in done.output


def test_a_field_that_meets_each_other_is_rated_by_all_its_games(tmp_path: Path) -> None:
    """Two games a pairing determine no Elo of the pairing, but a round of them places the players."""
    text = '[experiment]\nkind = "roundrobin"\ngames = 2\n[openings]\nfile = "book.tsv"\n'
    text += "".join(f'[engines.p{n}]\ncommand = "python3"\n' for n in range(4))
    found = synthetic.plan(tmp_path, text)

    def result(job: Job) -> str:
        upset = {job.white, job.black} == {0, 3}
        return "1-0" if (job.white < job.black) != upset else "0-1"

    synthetic.journal(tmp_path, found, [record(job, result(job)) for job in schedule.jobs(found)])
    data = shown(tmp_path)
    assert [pairing["elo"] for pairing in data["pairings"]] == [None] * 6
    elos = [player["elo"] for player in data["players"]]
    assert elos[0] == pytest.approx(elos[1]) and elos[2] == pytest.approx(elos[3])
    assert elos[0] > 50 and sum(elos) == pytest.approx(0)
    assert all(player["elo_error"] > 100 for player in data["players"])


def test_the_end_of_a_field_begins_with_its_ranking(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A player's faults stand there, once: in a pairing's row they would seem to be those of that meeting."""
    text = '[experiment]\nkind = "roundrobin"\ngames = 2\n[openings]\nfile = "book.tsv"\n'
    text += "".join(f'[engines.p{n}]\ncommand = "python3"\n' for n in range(4))
    found = synthetic.plan(tmp_path, text)
    games = []
    for job in schedule.jobs(found):
        result = "1-0" if job.white > job.black else "0-1"
        late = job.id == 1
        games.append(record(job, result, "time" if late else "", fault=fault(0, "time") if late else None))
    synthetic.journal(tmp_path, found, games)
    tables.print_final(tmp_path)
    printed = capsys.readouterr().out
    rows = [line.split() for line in printed.splitlines()]
    assert [row[0] for row in rows if len(row) > 1 and row[0] in ("p0", "p1", "p2", "p3") and row[1] != "vs"] == [
        *("p3", "p2", "p1", "p0")
    ]
    assert printed.count("1 time") == 1 and printed.index("p3") < printed.index("p0 vs p1")


def test_the_end_of_a_field_that_was_stopped_leaves_out_who_has_not_met(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '[experiment]\nkind = "roundrobin"\ngames = 2\n[openings]\nfile = "book.tsv"\n'
    found = synthetic.plan(tmp_path, text + "".join(f'[engines.p{n}]\ncommand = "python3"\n' for n in range(4)))
    games = [record(job, "1-0") for job in schedule.jobs(found) if job.pairing in (0, 3)]
    synthetic.journal(tmp_path, found, games)
    tables.print_final(tmp_path)
    printed = capsys.readouterr().out
    rows = [line.strip()[:8] for line in printed.splitlines() if re.match(r" ?p\d vs ", line)]
    assert rows == ["p0 vs p1", "p1 vs p2"] * 2 and "No game yet: p0 vs p2" in printed


def test_repeated_games_are_told(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path)
    jobs = list(schedule.jobs(found))
    line = (MoveRecord("a2a3", 1.0), MoveRecord("a7a6", 2.0))
    slower = (MoveRecord("a2a3", 9.0), MoveRecord("a7a6", 9.0))
    games = [
        record(jobs[0], "1-0", moves=line),
        record(jobs[1], "0-1", moves=slower),
        record(jobs[2], "1-0", moves=line[:1]),
    ]
    synthetic.journal(tmp_path, found, games)
    sentence = "1 of 3 games repeats another move for move: it tells nothing new"
    assert sentence in CliRunner().invoke(show, [str(tmp_path)], catch_exceptions=False).output


def test_long_games_are_compared_to_their_last_move(tmp_path: Path) -> None:
    found = synthetic.plan(tmp_path)
    rng = random.Random(1)
    words = [rng.choice("abcdefgh") + rng.choice("12345678") + rng.choice("abcdefgh") + "4" for _ in range(2500)]
    line = tuple(MoveRecord(word, 1.0) for word in words)
    assert len(zlib.compress(" ".join(words).encode(), 1)) > 2 * distinct.BEGINNING
    lines = [line, (*line[:-1], MoveRecord("h7h8q", 1.0)), line, line[:-1], ()]
    games = [record(job, "1-0", moves=moves) for job, moves in zip(schedule.jobs(found), lines, strict=False)]
    synthetic.journal(tmp_path, found, games)
    with Reader(tmp_path) as reader:
        assert distinct.distinct(reader) == distinct.Distinct(4, 1)


def test_not_a_results_folder(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="games.db"):
        summary.read(tmp_path)
    found = synthetic.plan(tmp_path)
    synthetic.journal(tmp_path, found, [])
    (tmp_path / screen_file.SCREEN_FILE).write_text("{")
    with pytest.raises(BadInput, match="screen.json"):
        summary.read(tmp_path)


def test_ten_thousand_games(tmp_path: Path) -> None:
    """`gauntlet show` of a long run costs little more than to read its rows; measured against the machine it runs on."""
    found = synthetic.plan(tmp_path, synthetic.TEXT.replace("games = 8", "games = 5000"))
    games = synthetic.random_games(found)
    assert len(games) == 10_000
    synthetic.bulk(tmp_path, found, games, plies=90)
    began = time.process_time()
    with Reader(tmp_path) as reader:
        assert len(list(reader.rows())) == 10_000
    rows = time.process_time() - began
    _, state, _ = summary.read(tmp_path)
    tables.print_show(tmp_path)
    spent = time.process_time() - began - rows
    assert spent < 30 * rows, f"{spent:.2f} s, the rows alone {rows:.2f} s"
    assert state.played == 10_000 and sum(state.pairings[0].pentanomial) == 2_500
