"""`gauntlet match` as its users type it: two engines, a script of cutechess-cli, registered engines, growing files."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import chess.pgn
import fake_engines
import pytest
import synthetic
from click.testing import CliRunner
from here import refusal

from harness.commands.tools import engines
from harness.conformance import check
from harness.errors import BadInput
from harness.match.files import open_for_games, refuse_unwritable
from harness.match.markdown import table
from harness.schedule import jobs as schedule
from harness.spec import registry

ROOT = Path(__file__).resolve().parents[3]


def command(protocol: str = "xboard") -> str:
    """A scripted engine's command line."""
    return shlex.join(fake_engines.command(uci=protocol == "uci"))


def gauntlet(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GAUNTLET_ENGINES": str(folder / "engines.toml")}
    line = [sys.executable, "-m", "harness.cli", *words]
    return subprocess.run(line, cwd=folder, env=environment, text=True, capture_output=True, timeout=120)


@pytest.fixture(autouse=True)
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engines of the user are those of the test."""
    monkeypatch.setenv("GAUNTLET_ENGINES", str(tmp_path / "engines.toml"))


def test_no_input_is_written_over(tmp_path: Path) -> None:
    """Neither the book nor the experiment nor the run's own files take the games, and no file takes them twice."""
    words = ("match", command(), command("uci"), "-n", "2", "--depth", "1", "--out", "out")
    (tmp_path / "book.pgn").write_text("1. e4 e5 *\n\n1. d4 d5 *\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "link.pgn").symlink_to("book.pgn")
    own = ("--openings", "book.pgn")
    for files, named in (
        ((*own, "--pgn", "book.pgn"), "book.pgn"),
        ((*own, "--epd", "link.pgn"), "link.pgn"),
        (("--pgn", "out/games.db"), "out/games.db"),
        (("--pgn", "both", "--epd", "./both"), "./both"),
    ):
        assert named in refusal(*words, *files, cwd=tmp_path)
    assert (tmp_path / "book.pgn").read_text() == "1. e4 e5 *\n\n1. d4 d5 *\n" and not list(
        (tmp_path / "out").iterdir()
    )
    assert gauntlet(tmp_path, *words, *own, "--pgn", "games.pgn").returncode == 0
    games = (tmp_path / "out" / "games.db").read_bytes()
    spec = (tmp_path / "out" / "experiment.toml").read_text()
    for line in (
        ("run", "out/experiment.toml", "--pgn", "out/experiment.toml", "--out", "again"),
        ("pgn", "out", "--out", "out/games.db"),
        ("report", "out", "--out", "out/games.db"),
        ("report", "out", "--out", "out/experiment.toml"),
        ("report", "games.pgn", "--out", "games.pgn"),
    ):
        assert "is one of the files that are read" in refusal(*line, cwd=tmp_path)
    assert (tmp_path / "out" / "games.db").read_bytes() == games and (tmp_path / "again").exists() is False
    assert (tmp_path / "out" / "experiment.toml").read_text() == spec
    assert (tmp_path / "games.pgn").read_text().startswith("[Event")


def test_a_registered_engine_answers_and_is_found_from_any_folder(tmp_path: Path) -> None:
    for words in (("true",), ("cat",), ("sh -c 'echo boom >&2; exit 3'",), ("true", "--protocol", "uci")):
        assert refusal("engines", "add", "bad", *words, cwd=tmp_path).startswith("[engines.bad] ")
    assert "expected another name" in refusal("engines", "add", "sortie", command(), cwd=tmp_path)
    assert not (tmp_path / "engines.toml").exists()
    program = tmp_path / "my fish"
    program.write_text(f"#!/bin/sh\nexec {command()}\n")
    program.chmod(0o755)
    assert gauntlet(tmp_path, "engines", "add", "fish", "'./my fish'").returncode == 0
    (tmp_path / "elsewhere").mkdir()
    os.replace(tmp_path / "engines.toml", tmp_path / "elsewhere" / "engines.toml")
    done = gauntlet(tmp_path / "elsewhere", "match", "fish", f"'{program}'", "-n", "2", "--depth", "1")
    assert done.returncode == 0 and "fish vs my fish" in done.stdout, done.stdout + done.stderr


def test_two_engines_in_one_line(tmp_path: Path) -> None:
    words = ("match", command(), command("uci"), "-n", "4", "--depth", "1", "--pgn", "games.pgn", "--markdown")
    done = gauntlet(tmp_path, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\S+ vs \S+   Elo .* of 4$", done.stdout, re.MULTILINE)
    assert "| match | games | W/D/L |" in done.stdout
    with open(tmp_path / "games.pgn") as file:
        games = [chess.pgn.read_game(file) for _ in range(5)]
    assert all(game is not None and not game.errors for game in games[:4]) and games[4] is None


@pytest.mark.parametrize("others, head", [("b", "faults"), ("bc", "faults in all games")])
def test_the_table_for_pasting_says_whose_faults_it_counts(tmp_path: Path, others: str, head: str) -> None:
    """Those of a player are counted over the whole run, so with three players not in the match of the row alone."""
    engines = "".join(f"[engines.{name}]\ncommand = {synthetic.FAKE!r}\n" for name in f"a{others}")
    text = f"[experiment]\nkind = 'roundrobin'\ngames = 2\nnodes = 1\n{engines}[openings]\nfile = 'book.tsv'\n"
    found = synthetic.plan(tmp_path, text)
    jobs = list(schedule.jobs(found))
    crash = synthetic.record(jobs[0], "1-0", "crash", fault=synthetic.fault(jobs[0].black, "crash"))
    synthetic.journal(tmp_path, found, [crash, *(synthetic.record(job, "1/2-1/2") for job in jobs[1:])])
    lines = table(tmp_path).splitlines()
    assert lines[0].endswith(f"| LOS | {head} |") and lines[2].endswith("| b 1 |")


def test_a_link_to_a_file_that_is_yet_to_be_made_stays_one(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "games.pgn").symlink_to("there/all.pgn")
    refuse_unwritable(str(tmp_path / "games.pgn"))
    assert (tmp_path / "games.pgn").is_symlink() and not list((tmp_path / "there").iterdir())


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "games.pgn").symlink_to("games.pgn")
    with pytest.raises(BadInput, match=r"games\.pgn: cannot be written: Too many levels of symbolic links"):
        refuse_unwritable(str(tmp_path / "games.pgn"))


def test_games_do_not_go_to_standard_output(tmp_path: Path) -> None:
    told = refusal("run", "smoke", "--out", "out", "--pgn", "-", cwd=tmp_path)
    assert told.startswith('"-": games cannot go to standard output')
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "words", [("run", "nosuch"), ("match", "nosuch", "nosuch"), ("run", "smoke", "--out", "taken")]
)
def test_a_refused_run_leaves_no_pgn_behind(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "taken").write_text("")
    refusal(*words, "--pgn", "games.pgn", cwd=tmp_path)
    assert not (tmp_path / "games.pgn").exists()


def test_a_pgn_that_cannot_be_written_stops_the_run_before_it_begins(tmp_path: Path) -> None:
    told = refusal("run", "smoke", "--out", "out", "--pgn", "nowhere/games.pgn", cwd=tmp_path)
    assert told == "nowhere/games.pgn: cannot be written: No such file or directory\n"
    assert not (tmp_path / "out").exists()


def test_a_line_of_cutechess_prints_its_lines(tmp_path: Path) -> None:
    engines = ["-engine", f"cmd={command()}", "proto=xboard", "name=A", "-engine", f"cmd={command('uci')}", "proto=uci"]
    rest = "name=B -each depth=1 -games 2 -rounds 2 -repeat -ratinginterval 2 -sprt elo0=0 elo1=400".split()
    done = gauntlet(tmp_path, "match", *engines, *rest)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert sum(line.startswith("Started game ") for line in lines) == 4
    finished = re.compile(r"Finished game \d \((A vs B|B vs A)\): (1-0|0-1|1/2-1/2) \{.+\}")
    assert sum(finished.fullmatch(line) is not None for line in lines) == 4
    assert any(re.fullmatch(r"Score of A vs B: \d - \d - \d  \[\d\.\d{3}\] 4", line) for line in lines)
    assert any(
        re.fullmatch(r"SPRT: llr -?[\d.e-]+ \(-?[\d.]+%\), lbound -2\.94, ubound 2\.94.*", line) for line in lines
    )
    assert lines[-2] == "Finished match" and lines[-1].startswith("results: ")
    assert "inf" not in done.stdout and "nan" not in done.stdout


def test_fastchess_prints_its_block(tmp_path: Path) -> None:
    engines = ["-engine", f"cmd={command('uci')}", "name=A", "-engine", f"cmd={command('uci')}", "name=B"]
    done = gauntlet(tmp_path, "match", *engines, *"-each depth=1 -rounds 2 -games 2 -repeat".split())
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^Results of A vs B \(1 plies, .*\):$", done.stdout, re.MULTILINE)
    assert re.search(r"^Games: 4, Wins: \d, Losses: \d, Draws: \d, Points: \d\.\d \(.* %\)$", done.stdout, re.MULTILINE)
    assert re.search(r"^Ptnml\(0-2\): \[\d, \d, \d, \d, \d\]$", done.stdout, re.MULTILINE)


def test_a_list_of_engines_that_is_a_link_stays_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link, file = tmp_path / "engines.toml", tmp_path / "dotfiles.toml"
    link.symlink_to(file)
    monkeypatch.setenv("GAUNTLET_ENGINES", str(link))
    registry.save({"fast": {"command": "quick"}})
    assert link.is_symlink() and registry.load() == {"fast": {"command": "quick"}}
    assert "quick" in file.read_text()


def test_a_device_is_no_file_of_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAUNTLET_ENGINES", "/dev/zero")
    with pytest.raises(BadInput, match="/dev/zero: is no regular file"):
        registry.load()


def test_a_file_of_engines_from_a_windows_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "engines.toml"
    file.write_bytes(b'\xef\xbb\xbf[engines.fast]\ncommand = "quick"\n')
    monkeypatch.setenv("GAUNTLET_ENGINES", str(file))
    assert registry.load() == {"fast": {"command": "quick"}}
    file.write_text("x = " + "[" * 10_000)
    with pytest.raises(BadInput, match="within each other too deep"):
        registry.load()


def test_a_quoted_home_folder_is_known_where_an_engine_is_registered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "fish").symlink_to(sys.executable)
    words = ["add", "mine", command("uci").replace(sys.executable, "~/fish"), "--directory=~"]
    done = gauntlet(tmp_path, "engines", *words)
    assert done.returncode == 0, done.stderr
    (table,) = tomllib.loads((tmp_path / "engines.toml").read_text())["engines"].values()
    assert table["command"].startswith(f"{tmp_path}/fish ") and table["directory"] == str(tmp_path)


def test_engines_are_known_by_name(tmp_path: Path) -> None:
    added = gauntlet(tmp_path, "engines", "add", "mine", command("uci"))
    assert added.returncode == 0 and added.stdout.rstrip().endswith("(uci)"), added.stderr
    assert gauntlet(tmp_path, "engines", "add", "yours", command()).returncode == 0
    assert [line.split()[:2] for line in gauntlet(tmp_path, "engines", "list").stdout.splitlines()] == [
        ["mine", "uci"],
        ["yours", "xboard"],
    ]
    done = gauntlet(tmp_path, "match", "mine", "yours", "-n", "2", "--depth", "1")
    assert done.returncode == 0 and "mine vs yours" in done.stdout, done.stdout + done.stderr
    # Kept where a link points, as people keep their settings.
    (tmp_path / "engines.toml").rename(tmp_path / "kept.toml")
    (tmp_path / "engines.toml").symlink_to("kept.toml")
    assert gauntlet(tmp_path, "engines", "remove", "yours").returncode == 0
    assert (tmp_path / "engines.toml").is_symlink() and "yours" not in (tmp_path / "kept.toml").read_text()
    told = refusal("engines", "remove", "mime", cwd=tmp_path)
    assert told == 'no engine is registered as "mime": did you mean "mine"?\n'


def test_an_engine_registered_by_hand_is_started_as_it_is_registered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "fish").write_text(f"#!/bin/sh\nexec {command('uci')}\n")
    (tmp_path / "there" / "fish").chmod(0o755)
    directory = f'directory = "{tmp_path}/there"\n'
    (tmp_path / "engines.toml").write_text(
        f'[engines.fish]\ncommand = "./fish"\nprotocol = "auto"\n{directory}'
        '[engines.none]\nprotocol = "uci"\n[engines.odd]\ncommand = "true"\noptions = 3\n'
        '[engines.slip]\ncommand = "true"\nprotocol = "xbord"\n'
    )
    monkeypatch.chdir(tmp_path)
    rules = check.rules_for
    monkeypatch.setattr(check, "rules_for", lambda protocol: rules(protocol)[:1])
    found = CliRunner().invoke(engines.command, ["check", "fish"])
    assert "uci: 1 pass, 0 fail" in found.stdout, found
    assert refusal("engines", "check", "none").endswith("engines.toml: none has no command, a string\n")
    assert 'slip: protocol must be xboard, uci or auto, not "xbord"' in refusal("engines", "check", "slip")
    assert refusal("match", "odd", "fish", "--depth", "1").endswith("options of odd must be a table, not 3\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["match"], "Missing argument"),
        (["match", "-engine", "conf=nosuchengine", "-each", "depth=1"], 'no engine is registered as "nosuchengine"'),
        (["match", "nosuchengine", "nosuchengine"], "no such program"),
        (["match", "a", "b", "--tc", "1", "--nodes", "5"], "--tc and --nodes: one limit only"),
        (["match", "true", "true", "-n", "3"], "--games must be even"),
        (["match", "true", "true", "--tc", "x"], "--tc must be a string like"),
        (["match", "true", "true", "--st", "0"], "--st must be more than 0"),
        (["match", "true", "true", "--seed", "-1"], "--seed must be 0 or more"),
        (["match", "a", "b", "--sprt", "5"], "--sprt: expected ELO0,ELO1"),
        (["match", "a", "b", "--option", "Hash"], "--option: expected NAME=VALUE"),
        (["match", "-engine", "cmd=a", "-noswap"], "-noswap: not supported"),
    ],
)
def test_mistakes_end_in_one_plain_line(tmp_path: Path, words: list[str], expected: str) -> None:
    assert expected in refusal(*words, cwd=tmp_path)


def test_the_lines_that_engines_expected_are_kept_on_request(tmp_path: Path) -> None:
    sortie = shlex.join([sys.executable, "-m", "engine"])
    # One at a time: the file has the games as they end, gauntlet pgn by number.
    words = (
        "match",
        sortie,
        sortie,
        "-n",
        "2",
        "--nodes",
        "300",
        "--concurrency",
        "1",
        "--pgn",
        "games.pgn",
        "--out",
        "games",
    )
    refused = refusal(*words, "--pgn-details", "nodes,pvs", cwd=tmp_path)
    assert refused.startswith('--pgn-details: no detail "pvs"')
    done = gauntlet(tmp_path, *words, "--pgn-details", "nodes,pv")
    assert done.returncode == 0, done.stdout + done.stderr
    text = gauntlet(tmp_path, "pgn", "games", "--details", "nodes,pv").stdout
    assert text == (tmp_path / "games.pgn").read_text()
    assert 'pv="' not in gauntlet(tmp_path, "pgn", "games").stdout
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    told = 0
    for node in game.mainline():
        if found := re.search(r', n=\d+, pv="([^"]+)"', node.comment):
            board = node.parent.board()
            for number, word in enumerate(found[1].split()):
                move = board.push_san(word)
                assert number or move == node.move
            told += 1
    assert told > 10


def test_in_the_style_of_others_what_went_wrong_is_said_beside_their_lines(tmp_path: Path) -> None:
    """Tools read standard output, people the other one."""
    words = (
        "-engine",
        "name=a",
        "cmd=/bin/false",
        "proto=xboard",
        "-engine",
        "name=b",
        "cmd=/bin/false",
        "proto=xboard",
    )
    done = gauntlet(tmp_path, "match", *words, "-each", "depth=1", "-rounds", "2", "-repeat", "-out", "games")
    assert done.returncode == 1
    assert "does not start" not in done.stdout and "Finished match" in done.stdout
    assert "does not start" in done.stderr and "2 of 2 games were not played" in done.stderr


@pytest.mark.parametrize(
    ("before", "after"), [("", "new"), ("old\n", "old\nnew"), ("1. e4 1-0", "1. e4 1-0\n\nnew"), (None, "new")]
)
def test_a_game_begins_on_a_line_of_its_own(tmp_path: Path, before: str | None, after: str) -> None:
    path = tmp_path / "games.pgn"
    if before is not None:
        path.write_text(before)
    with open_for_games(str(path), "\n\n") as file:
        file.write("new")
    assert path.read_text() == after


def test_a_mistake_is_blamed_on_the_word_of_the_line(tmp_path: Path) -> None:
    engines = f"-engine cmd={sys.executable} proto=uci name=a -engine cmd={sys.executable} proto=uci name=b -each tc=1"
    for more, said in (
        ("-tournament knockout -games 3", "-games must be even"),
        ("-event ..", "-event must be usable"),
    ):
        assert refusal("match", *f"{engines} {more}".split(), cwd=tmp_path).startswith(said)
