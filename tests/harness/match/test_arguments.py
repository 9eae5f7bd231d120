"""Lines of cutechess-cli and fastchess: the examples of their manuals, every option, and what is refused by name."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BadInput
from harness.match import arguments, request
from harness.spec import registry


def read(line: str) -> request.Request:
    return arguments.read(shlex.split(line))


def tables(line: str) -> dict[str, dict[str, object]]:
    return request.tables(read(line))  # type: ignore[return-value]


TWO = "-engine cmd=a proto=uci -engine cmd=b proto=xboard"


def test_ten_games_of_one_engine_against_itself() -> None:
    found = tables("-engine cmd=sloppy -engine cmd=sloppy -each proto=xboard tc=40/60 -rounds 10")
    assert list(found["engines"]) == ["sloppy", "sloppy-2"]
    assert found["engines"]["sloppy"] == {"command": "sloppy", "protocol": "xboard", "time": "40/60"}
    assert found["experiment"]["games"] == 10 and found["experiment"]["kind"] == "match"


def test_a_single_game() -> None:
    found = tables(
        r"-engine name=Atak cmd=Atak32.exe dir=/atak proto=xboard -engine cmd=glaurung proto=uci option.Threads=1 "
        "-each tc=40/1:30+1"
    )
    assert found["experiment"]["games"] == 1 and found["experiment"]["paired"] is False
    assert found["engines"]["Atak"] == {
        "command": "Atak32.exe",
        "directory": "/atak",
        "protocol": "xboard",
        "time": "40/90+1",
    }
    assert found["engines"]["glaurung"]["options"] == {"Threads": "1"}  # type: ignore[index]


def test_a_match_of_fastchess() -> None:
    asked = read(
        "-engine cmd=Engine1.exe name=Engine1 -engine cmd=Engine2.exe name=Engine2 -openings file=book.epd format=epd "
        "order=random -each tc=60+0.6 option.Hash=64 -rounds 200 -repeat -concurrency 4"
    )
    assert asked.style == "fastchess" and asked.rating_interval == 10
    assert asked.main == {"concurrency": 4, "games": 400}
    assert asked.openings == {"file": "book.epd", "order": "random"}


def test_what_is_said_of_a_game_and_its_end() -> None:
    asked = read(
        f"{TWO} -each nodes=1000 timemargin=50 restart=on -games 2 -rounds 50 -repeat -resign movecount=3 score=400 "
        "-draw movenumber=40 movecount=8 score=10 -maxmoves 200 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.1 -pgnout g.pgn fi "
        "-epdout e.epd -recover -srand 7 -event Cup -variant fischerandom -ratinginterval 20 -outcomeinterval 5"
    )
    assert asked.main == {
        **{
            "concurrency": 1,
            "games": 100,
            "restart": True,
            "max_moves": 200,
            "seed": 7,
            "name": "Cup",
            "chess960": True,
        }
    }
    assert [engine.keys["margin"] for engine in asked.engines] == [0.05, 0.05]
    assert asked.adjudication == {
        **{"resign_moves": 3, "resign_score": 400, "resign_sides": "loser"},
        **{"draw_from": 40, "draw_moves": 8, "draw_score": 10},
    }
    assert asked.sprt == {"elo0": 0.0, "elo1": 5.0, "alpha": 0.05, "beta": 0.1, "model": "logistic"}
    assert (asked.pgn, asked.epd, asked.style) == ("g.pgn", "e.epd", "cutechess")
    assert (asked.rating_interval, asked.score_interval) == (20, 5)


def test_the_test_of_a_line_does_not_depend_on_the_order_of_its_words() -> None:
    sprt, fast = "-sprt elo0=0 elo1=5", "-engine cmd=a -engine cmd=b -each nodes=1000 -repeat"
    for line in (f"{sprt} {fast}", f"{fast} {sprt}"):
        assert read(line).sprt["model"] == "normalized"
    for line in (f"{sprt} {TWO} -each nodes=1 -games 2", f"{TWO} -each nodes=1 -games 2 {sprt}"):
        assert read(line).sprt["model"] == "logistic"


@pytest.mark.parametrize(
    ("clock", "expected"),
    [("1234567", "1234567"), ("40/1:30.5+0.25", "40/90.5+0.25"), ("8+0.00005", "8+0.00005"), ("0/60", "60")],
)
def test_a_clock_of_another_program_is_one_that_the_experiment_file_takes(clock: str, expected: str) -> None:
    assert tables(f"{TWO} -each tc={clock}")["engines"]["a"]["time"] == expected  # type: ignore[index]


def test_an_opening_a_game_without_repeat() -> None:
    asked = read(f"{TWO} -each depth=3 -games 2 -rounds 3 -openings file=x.epd format=epd start=5")
    assert asked.main["paired"] is False and asked.openings["start"] == 5


def test_details_of_fastchess_files() -> None:
    asked = read(f"{TWO} -each st=0.1 -pgnout file=x.pgn nodes=true timeleft=true -output format=cutechess")
    assert asked.pgn_details == {"nodes", "timeleft"} and asked.style == "cutechess" and "pv" not in asked.main
    asked = read(f"{TWO} -each st=0.1 -pgnout file=x.pgn pv=true")
    assert asked.pgn_details == {"pv"} and asked.main["pv"] is True
    assert asked.main["games"] == 4  # two rounds of two games are fastchess's defaults


def test_caps_beside_a_clock_tables_and_processors() -> None:
    asked = read(f"{TWO} -each tc=8+0.08 nodes=5000 depth=12 -tb t -tbpieces 5 -tbignore50 -use-affinity")
    assert asked.engines[0].keys == {"protocol": "uci", "time": "8+0.08", "nodes": 5000, "depth": 12}
    assert asked.adjudication["syzygy_men"] == 5 and asked.adjudication["syzygy_fifty"] is False
    assert asked.main["affinity"] is True


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"{TWO} -each tc=1 -frobnicate", 'unknown option "-frobnicate"'),
        (f"{TWO} -each tc=1 -noswap", "-noswap: not supported: colours are swapped in every pair"),
        (f"{TWO} -each tc=1 -repeat 3", "-repeat 3: not supported"),
        (f"{TWO} -each tc=1 st=5", "tc and st: not supported together"),
        (f"{TWO} -each depth=1 nodes=5", "depth and nodes: not supported together"),
        (f"{TWO} -each tc=1 ponder=maybe", "ponder must be true or false, not maybe"),
        (f"{TWO} -each tc=soon", 'tc=soon: expected MOVES/TIME+INCREMENT like "40/60"'),
        (f"{TWO}", "expected a limit for every engine"),
        (f"{TWO} -each tc=1 whitepov=1", "whitepov: not supported"),
        (f"{TWO} -each tc=0+0.1", "tc=0+0.1: expected more than 0 seconds to begin with"),
        (f"{TWO} -each st=0", "st=0: expected a number above 0"),
        (f"{TWO} -each tc=1 tscale=0", "tscale=0: expected a number above 0"),
        (f"{TWO} -each tc=1 -sprt elo0=5 elo1=0", "-sprt: elo0 must be below elo1, not 5 and 0"),
        (f"{TWO} -each tc=1 proto=usi", "proto must be uci or xboard, not usi"),
        (f"{TWO} -each tc=1 frob=1", '-engine: unknown "frob=1"'),
        ("-engine name=x tc=1 -engine cmd=b tc=1", "-engine: cmd=COMMAND"),
        ("-engine cmd=b tc=1", "a match needs two engines, not 1"),
        ("-engine cmd=a tc=1 restart=on -engine cmd=b tc=1", "restart: must be the same for every engine"),
        (f"{TWO} -each tc=1 -games 3 -repeat", "-repeat: 3 games are no whole number of pairs"),
        (f"{TWO} -each tc=1 -games x", '-games: expected a whole number of 1 or more, not "x"'),
        (f"{TWO} -each tc=1 -games {'9' * 5000}", "-games: expected a whole number of 1 or more"),
        (f"{TWO} -each depth={'9' * 5000}", "depth=999"),
        (f"{TWO} -each tc={'9' * 5000}:10", "tc=999"),
        (f"{TWO} -each tc=1 -tournament pyramid", "-tournament pyramid: not supported"),
        (f"{TWO} -each tc=1 -openings order=random", "-openings: file=FILE is missing"),
        (f"{TWO} -each tc=1 -openings file=a format=txt", "-openings: format must be epd or pgn, not txt"),
        (f"{TWO} -each tc=1 -sprt elo0=0 elo1=x", '-sprt elo1: expected a number, not "x"'),
        (f"{TWO} -each tc=1 -sprt elo=0", "-sprt: expected elo0=, elo1="),
        (f"{TWO} -each tc=1 -sprt elo0=0 elo1=5 model=bayesian", "-sprt: model=bayesian: not supported"),
        (f"{TWO} -each tc=1 -pgnout x.pgn min", "-pgnout: min: not supported"),
        (f"{TWO} -each tc=1 -concurrency", "-concurrency: expected one value, not nothing"),
        (f"{TWO} -each tc=1 -use-affinity 0,1", "-use-affinity: a list of processors is not supported"),
        (f"{TWO} -each tc=1 -pgnout x -epdout x", "-pgnout and -epdout name the same file, x"),
        (f"{TWO} -each tc=1 -openings file=a order=random start=2", "-openings: start=2 needs order=sequential"),
        (f"{TWO} -each tc=1 -report x", "-report: expected penta=true or penta=false, not x"),
        (f"{TWO} -each tc=1 -recover now", "-recover: expected no value, not now"),
        (f"{TWO} -each tc=1 -epdout file=", "-epdout: expected a file"),
        (f"{TWO} -each tc=1 -pgnout file=", "-pgnout: expected a file"),
        (f"{TWO} -each tc=1 -openings file=", "-openings: file=FILE is missing"),
        (f"{TWO} -each tc=1 -sprt elo0=0 elo1=5", "-sprt: needs -repeat"),
        (f"{TWO} -each tc=1 -tbpieces 5", "-tbpieces and -tbignore50 need -tb FOLDER"),
        (f"{TWO} -each tc=1 -tb t -tbpieces 8", "-tbpieces: expected 3 to 7, not 8"),
        (f"{TWO} -each tc=1 -resign movecount=3 score=400 twosided=yes", "-resign twosided: expected true or false"),
        (f"{TWO} -each tc=1 -pgnout file=x.pgn append=false", "-pgnout: append=false: not supported"),
    ],
)
def test_what_is_not_done_is_refused_by_name(line: str, expected: str) -> None:
    with pytest.raises(BadInput) as refused:
        tables(line)
    assert str(refused.value).startswith(expected) and "\n" not in str(refused.value)


def test_which_lines_are_meant_for_other_programs() -> None:
    assert arguments.is_foreign(["-engine", "cmd=a"]) and not arguments.is_foreign(["a", "b", "-n", "4"])


def test_arguments_are_added_to_a_registered_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps its settings: with its arguments it was looked for as a program of the name."""
    monkeypatch.setenv("GAUNTLET_ENGINES", str(tmp_path / "engines.toml"))
    registry.save({"my own": {"command": "/bin/own --quiet", "protocol": "uci", "options": {"Hash": "99"}}})
    (tmp_path / "my own").touch()
    monkeypatch.chdir(tmp_path)
    found = tables('-engine "conf=my own" arg=--fast "arg=two words" -engine cmd=b -each tc=1 proto=uci')["engines"]
    assert found["my own"] == {
        "command": "/bin/own --quiet --fast 'two words'",
        "protocol": "uci",
        "options": {"Hash": "99"},
        "time": "1",
    }


def test_a_command_is_a_program_even_if_an_engine_is_registered_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAUNTLET_ENGINES", str(tmp_path / "engines.toml"))
    registry.save({"fish": {"command": "/opt/other", "protocol": "uci"}})
    found = tables("-engine cmd=fish name=a -engine conf=fish name=b -each tc=1 proto=uci")["engines"]
    assert found["a"]["command"] == "fish" and found["b"]["command"] == "/opt/other"  # type: ignore[index]


def test_what_is_the_default_for_one_engine_may_be_said_for_the_other() -> None:
    for word in ("restart=auto", "restart=off", "ponder=false", "tscale=1"):
        assert tables(f"-engine cmd=a {word} proto=uci -engine cmd=b proto=uci -each tc=1")
    with pytest.raises(BadInput, match="restart: must be the same"):
        read("-engine cmd=a restart=on proto=uci -engine cmd=b proto=uci -each tc=1")


def test_an_event_may_have_a_slash() -> None:
    assert tables(f'{TWO} -each tc=1 -event "CCRL 40/15"')["experiment"]["name"] == "CCRL 40-15"


def test_a_path_is_one_word_in_the_folder_of_its_engine_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    there = tmp_path / "sub folder"
    there.mkdir()
    for path in (there / "my engine", tmp_path / "it's"):
        path.touch()
    line = f"-engine 'cmd=./my engine' 'dir={there}' arg=-x -engine \"cmd=./it's\" -each tc=1 proto=uci"
    engines: Any = tables(line)["engines"]
    assert [shlex.split(table["command"]) for table in engines.values()] == [["./my engine", "-x"], ["./it's"]]


def test_games_of_a_meeting_in_a_knockout() -> None:
    line = f"{TWO} -each tc=1 -tournament knockout"
    assert "games" not in tables(line)["experiment"]
    assert tables(f"{line} -games 8 -rounds 1")["experiment"]["games"] == 8
    with pytest.raises(BadInput, match="-rounds: a knockout has the rounds that its engines need"):
        read(f"{line} -games 2 -rounds 3")


def test_the_words_of_pgnout_come_in_any_order() -> None:
    asked = read("-engine cmd=a -engine cmd=b -each tc=1 -pgnout notation=san nodes=true file=g.pgn")
    assert (asked.pgn, asked.style) == ("g.pgn", "fastchess") and asked.pgn_details == {"nodes"}
