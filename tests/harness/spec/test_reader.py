"""The experiment file: what it means, its defaults, every mistake by its exact line, and the way out and back."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.model import Limit
from harness.spec import reader as experiment
from harness.spec import writer
from harness.spec.settings import Experiment

FAKE = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).resolve().parents[2] / 'support' / 'fake_sortie.py'))}"
BASE = f"[base]\ncommand = {FAKE!r}\n"


def load(folder: Path, text: str, **overrides: object) -> Experiment:
    path = folder / "fast.toml"
    path.write_text(text, encoding="utf-8")
    return experiment.load(path, overrides)


def mistake(folder: Path, text: str) -> str:
    """The message without the folder before the file's name."""
    with pytest.raises(BadInput) as caught:
        load(folder, text)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{folder}/", "")


def test_defaults(tmp_path: Path) -> None:
    found = load(tmp_path, BASE + "[variants.lmr-off]\nLMR = 'off'\n")
    assert (found.name, found.kind, found.games, found.seed) == ("fast", "gauntlet", 100, 1)
    assert found.limit == Limit(base=2.0, increment=0.02)
    assert (found.margin, found.patience, found.max_moves) == (0.1, 10.0, 300)
    assert (found.ponder, found.chess960, found.restart) == (False, False, False)
    assert [player.name for player in found.players] == ["lmr-off", "base"]
    assert [player.index for player in found.players] == [0, 1]
    assert found.base == 1 and found.sortie_base is found.players[1]
    assert found.players[0].options == (("LMR", "off"),)
    assert found.players[0].sortie and found.players[0].protocol == "xboard"
    assert found.openings.shown == "sortie.tsv" and found.openings.order == "random"
    assert found.adjudication is None and found.sprt is None and found.screen is None


def test_a_network_that_sortie_cannot_use_is_refused(tmp_path: Path) -> None:
    """It would say so in a remark and play by its other evaluation: games of another player than was asked for."""
    (tmp_path / "foreign.net").write_bytes(b"no network")
    base = f"[base]\ncommand = '{shlex.quote(sys.executable)} -m engine'\n"
    said = mistake(tmp_path, base + f"[variants.x]\nNetworkFile = '{tmp_path / 'foreign.net'}'\n")
    assert said == "fast.toml: [variants.x] NetworkFile: foreign.net: is no network of Sortie"
    shipped = Path(__file__).resolve().parents[3] / "engine" / "evaluation" / "sortie.net"
    found = load(tmp_path, base + f"[variants.x]\nNetworkFile = '{shipped}'\n")
    assert found.players[0].options == (("NetworkFile", str(shipped)),)


def test_order_inheritance_and_own_limits(tmp_path: Path) -> None:
    text = """
[experiment]
nodes = 500
[engines.one]
command = "python3 x.py"
protocol = "uci"
options = { Hash = 8, Ponder = false, Name = "a b" }
init = ["hello"]
env = { A = "1" }
depth = 4
[engines.two]
command = "python3"
options = { memory = 32, Ponder = true }
movetime = 0.25
[variants.b]
Preset = "bare"
TT = false
[variants.a]
time = "40/60+0.5"
Killers = 1
[base]
History = "off"
"""
    found = load(tmp_path, text + f"command = {FAKE!r}\n")
    assert [player.name for player in found.players] == ["b", "a", "one", "two", "base"]
    b, a, one, two, base = found.players
    assert b.options == (("Preset", "bare"), ("History", "off"), ("TT", "0"))  # Preset first: it sets all the others
    assert a.options == (("History", "off"), ("Killers", "1"))
    assert base.options == (("History", "off"),)
    assert b.limit == base.limit == Limit(nodes=500)
    assert a.limit == Limit(base=60.0, increment=0.5, moves_per_session=40)
    assert one.limit == Limit(depth=4) and two.limit == Limit(movetime=0.25)
    assert one.options == (("Hash", "8"), ("Ponder", "false"), ("Name", "a b"))
    assert two.protocol == "auto" and two.options == (("memory", "32"), ("Ponder", "true"))
    assert one.init == ("hello",) and one.env == (("A", "1"),) and one.command[1] == "x.py"
    assert Path(one.command[0]).is_absolute()


def test_engines_alone_have_no_sortie(tmp_path: Path) -> None:
    found = load(tmp_path, "[engines.x]\ncommand = 'python3'\n[engines.y]\ncommand = 'python3'\n")
    assert [player.name for player in found.players] == ["x", "y"]
    assert found.base == 0 and found.sortie_base is None


def test_a_program_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "fish").symlink_to(sys.executable)
    found = load(tmp_path, ENGINES.replace("'python3'", "'~/fish ~/x.nnue'", 1))
    assert found.players[0].command == (str(tmp_path / "fish"), "~/x.nnue")


def test_empty_base_takes_part(tmp_path: Path) -> None:
    found = load(tmp_path, f"[base]\ncommand = {FAKE!r}\n[engines.y]\ncommand = 'python3'\n")
    assert [player.name for player in found.players] == ["y", "base"] and found.base == 1


HEAD = "[experiment]\n"
ENGINES = "[engines.x]\ncommand = 'python3'\n[engines.y]\ncommand = 'python3'\n"
MISTAKES = [
    (HEAD + "gmaes = 4\n", 'fast.toml: [experiment] unknown key "gmaes": did you mean "games"?'),
    (BASE + "[variants.x]\nLMR = 'tabel'\n", 'fast.toml: [variants.x] LMR has no level "tabel": did you mean "table"?'),
    (BASE + "Threads = 2\n", '[base] unknown option "Threads": did you mean options = { cores = 2 }?'),
    (BASE + "[variants.x]\nLRM = 'off'\n", 'fast.toml: [variants.x] unknown option "LRM": did you mean "LMR"?'),
    (BASE + "[variants.x]\nlmr = 'off'\n", 'fast.toml: [variants.x] unknown key "lmr": did you mean "LMR"?'),
    (BASE + "TT = 'maybe'\n[variants.x]\n", 'fast.toml: [base] TT has no level "maybe"; there are on and off'),
    (BASE + "Killers = 7\n[variants.x]\n", 'fast.toml: [base] Killers has no level "7"'),
    (BASE + "[variants.x]\nWindowWidth = 0\n", "fast.toml: [variants.x] WindowWidth must be 1 to 1000, not 0"),
    (BASE + "[variants.x]\nWindowWidth = 'w'\n", 'fast.toml: [variants.x] WindowWidth must be a whole number, not "w"'),
    (BASE + "[variants.x]\nClearHash = 1\n", "fast.toml: [variants.x] ClearHash is a button and holds no value"),
    (BASE + "[variants.x]\nLMR = ['off']\n", "fast.toml: [variants.x] LMR must be a string, a number or true/false"),
    (BASE + "[variants]\nLMR = 'off'\n", 'fast.toml: [variants.LMR] must be a table, not "off"'),
    (HEAD + f"margin = {'9' * 400}\n" + ENGINES, "fast.toml: [experiment] margin must be 0 or more and 1e+07 or less"),
    (
        ENGINES + "[sprt]\nelo0 = 0\nelo1 = 1e-300\n",
        "fast.toml: [sprt] elo0 and elo1 must be 0.001 apart or more, not 0 and 1e-300",
    ),
    (
        HEAD + "kind = 'knockout'\ngames = 999999999998\n" + ENGINES,
        "fast.toml: [experiment] games must be 100000 or less, not 999999999998",
    ),
    (HEAD + f"games = {'9' * 5000}\n" + ENGINES, "fast.toml: Exceeds the limit"),
    (HEAD + f"x = {'[' * 20000}\n" + ENGINES, "fast.toml: "),
    (
        "[engines.x]\ncommand = 'python3'\noptions = { memory = '²' }\n" + BASE,
        'fast.toml: [engines.x] options.memory must be a whole number above 0 (at most 12 digits), not "²"',
    ),
    (
        ENGINES + "[sprt]\nelo0 = 0\nelo1 = 5\nalpha = 1e-320\n",
        "fast.toml: [sprt] alpha must be 1e-09 or more, not",
    ),
    ("[experimnt]\n", 'fast.toml: unknown table "experimnt": did you mean "experiment"?'),
    (
        HEAD + "games = 7\n" + ENGINES,
        "fast.toml: [experiment] games must be even (every opening is played with both colours), not 7",
    ),
    (HEAD + "games = 0\n" + ENGINES, "fast.toml: [experiment] games must be 1 or more, not 0"),
    (HEAD + "games = '8'\n" + ENGINES, 'fast.toml: [experiment] games must be a whole number, not "8"'),
    (HEAD + "games = 8.0\n" + ENGINES, "fast.toml: [experiment] games must be a whole number, not 8.0"),
    (HEAD + "games = true\n" + ENGINES, "fast.toml: [experiment] games must be a whole number, not true"),
    (HEAD + "ponder = 1\n" + ENGINES, "fast.toml: [experiment] ponder must be true or false, not 1"),
    (HEAD + "margin = -1\n" + ENGINES, "fast.toml: [experiment] margin must be 0 or more, not -1"),
    (HEAD + "patience = 0\n" + ENGINES, "fast.toml: [experiment] patience must be more than 0, not 0"),
    (HEAD + "margin = nan\n" + ENGINES, "fast.toml: [experiment] margin must be a number, not nan"),
    (
        HEAD + "time = '1+1'\nmovetime = 5\n" + ENGINES,
        "fast.toml: [experiment] time and movetime: one limit only of time, movetime, nodes, depth, but that nodes and "
        "depth may stand beside time or movetime as caps",
    ),
    (
        HEAD + "time = 'soon'\n" + ENGINES,
        'fast.toml: [experiment] time must be a string like "2+0.02" or "40/60+0.5" (seconds), not "soon"',
    ),
    (
        HEAD + "time = 2\n" + ENGINES,
        'fast.toml: [experiment] time must be a string like "2+0.02" or "40/60+0.5" (seconds), not 2',
    ),
    (HEAD + "time = '0+1'\n" + ENGINES, "fast.toml: [experiment] time must start with more than 0 seconds"),
    (
        HEAD + f"time = '{'9' * 5000}/60'\n" + ENGINES,
        "fast.toml: [experiment] time must have 1 to 1000 moves a session",
    ),
    (HEAD + "nodes = 0\n" + ENGINES, "fast.toml: [experiment] nodes must be 1 or more, not 0"),
    (
        HEAD + "kind = 'guantlet'\n" + ENGINES,
        "fast.toml: [experiment] kind must be gauntlet, roundrobin, match, factorial, knockout, swiss, league or spsa, "
        'not "guantlet": did you mean "gauntlet"?',
    ),
    (
        HEAD + "kind = 'match'\n" + ENGINES + "[engines.z]\ncommand = 'python3'\n",
        'fast.toml: [experiment] kind "match" is for exactly two players, not 3',
    ),
    (HEAD + "base = 'z'\n" + ENGINES, 'fast.toml: [experiment] base names no player "z"; there are x and y'),
    (
        HEAD + "name = 'a/b'\n" + ENGINES,
        'fast.toml: [experiment] name must be usable as a folder name (no / or \\), not "a/b"',
    ),
    (HEAD, "fast.toml: 0 players: add [variants.NAME] or [engines.NAME]"),
    (BASE, "fast.toml: 1 player: add [variants.NAME] or [engines.NAME]"),
    (
        BASE + "[variants.x]\n[engines.x]\ncommand = 'python3'\n",
        'fast.toml: two players are called "x": each needs a name of its own',
    ),
    (
        "[engines.x]\n" + BASE,
        'fast.toml: [engines.x] command is missing: the program to run, e.g. command = "stockfish"',
    ),
    (
        "[engines.x]\ncommand = 'no-such-engine'\n" + BASE,
        'fast.toml: [engines.x] command "no-such-engine": no such program',
    ),
    ("[engines.x]\ncommand = './nothing'\n" + BASE, 'fast.toml: [engines.x] command "./nothing": no such program'),
    ("[engines.x]\ncommand = '/tmp'\n" + BASE, 'fast.toml: [engines.x] command "/tmp": is a folder, not a program'),
    (
        "[engines.x]\ncommand = '\"open'\n" + BASE,
        'fast.toml: [engines.x] command ""open" cannot be split into words: No closing quotation',
    ),
    ("[engines.x]\ncomand = 'y'\n" + BASE, 'fast.toml: [engines.x] unknown key "comand": did you mean "command"?'),
    (
        "[engines.x]\ncommand = 'python3'\nprotocol = 'cecp'\n" + BASE,
        'fast.toml: [engines.x] protocol must be xboard, uci or auto, not "cecp"',
    ),
    (
        "[engines.x]\ncommand = 'python3'\ninit = 'x'\n" + BASE,
        'fast.toml: [engines.x] init must be a list of strings like ["first", "second"], not "x"',
    ),
    ("[engines.x]\ncommand = 'python3'\noptions = 3\n" + BASE, "fast.toml: [engines.x] options must be a table, not 3"),
    (
        "[engines.x]\ncommand = 'python3'\noptions = { memory = 0 }\n" + BASE,
        "fast.toml: [engines.x] options.memory must be a whole number above 0 (at most 12 digits), not 0",
    ),
    (
        "[engines.x]\ncommand = 'python3'\ndirectory = 'gone'\n" + BASE,
        'fast.toml: [engines.x] directory "gone": no such folder',
    ),
    (
        ENGINES + "[openings]\nfile = 'none.pgn'\n",
        'fast.toml: [openings] file "none.pgn": no such file, nor is it shipped',
    ),
    (
        ENGINES + "[openings]\norder = 'randon'\n",
        'fast.toml: [openings] order must be random or sequential, not "randon": did you mean "random"?',
    ),
    (ENGINES + "env = {'A=B' = 'x'}\n", 'fast.toml: [engines.y] env: "A=B" cannot be the name of a variable'),
    (ENGINES + "env = {A = true}\n", "fast.toml: [engines.y] env.A must be a string or a number, not true"),
    (ENGINES + "options = {'' = 1}\n", 'fast.toml: [engines.y] options: "" cannot be the name of an option'),
    (ENGINES + 'init = ["a\\nb"]\n', 'fast.toml: [engines.y] init must hold one line a string, not "a\\nb"'),
    (ENGINES + "[openings]\nplys = 3\n", 'fast.toml: [openings] unknown key "plys": did you mean "plies"?'),
    (
        ENGINES + "[adjudication]\nresign_moves = 3\n",
        "fast.toml: [adjudication] resign_moves needs resign_score: without it the rule is off",
    ),
    (ENGINES + "[sprt]\nelo0 = 0\n", "fast.toml: [sprt] elo1 is missing: a test needs both elo0 and elo1"),
    (ENGINES + "[sprt]\nelo0 = 5\nelo1 = 0\n", "fast.toml: [sprt] elo0 must be below elo1, not 5 and 0"),
    (ENGINES + "[sprt]\nelo0 = 0\nelo1 = 5\nmodel = 'logisitc'\n", 'did you mean "logistic"?'),
    (ENGINES + "[sprt]\nelo0 = 0\nelo1 = 5\nalpha = 0.5\n", "fast.toml: [sprt] alpha must be"),
    (
        f"[variants.x]\noptions = {{ hash = [{{ a = 0x{'f' * 4000} }}] }}\n",
        "fast.toml: a has a whole number of 16000 bits, expected 64 or fewer",
    ),
    (ENGINES + "[screen]\n", "fast.toml: [screen] compares variants of Sortie"),
    (ENGINES + "[screen]\ndepht = 3\n", 'fast.toml: [screen] unknown key "depht": did you mean "depth"?'),
    (ENGINES + "[tournament]\nrounds = 3\n", 'fast.toml: [tournament] rounds is for kind "swiss", not for "gauntlet"'),
    (
        HEAD + "kind = 'swiss'\n" + ENGINES + "[tournament]\nrounds = 3\n",
        "fast.toml: [tournament] rounds must be 1 or less, not 3",
    ),
    (
        HEAD + "kind = 'league'\n" + ENGINES + "[tournament]\ndivisions = [['x', 'q']]\n",
        'fast.toml: [tournament] divisions name no player "q"',
    ),
    (
        HEAD + "kind = 'league'\n" + ENGINES + "[sprt]\nelo0 = 0\nelo1 = 5\n",
        'fast.toml: [sprt] does not go with kind "league"',
    ),
    (ENGINES + "directory = '~nobody-of-that-name/x'\n", 'directory "~nobody-of-that-name/x": no such folder'),
    (ENGINES + f"directory = '{'x' * 9000}'\n", f'directory "{"x" * 200}…": no such folder'),
    (ENGINES + "[openings]\nfile = '~nobody-of-that-name/x'\n", 'file "~nobody-of-that-name/x": no such file'),
    (ENGINES + f"[openings]\nfile = '{'x' * 9000}'\n", "no such file"),
    (ENGINES + "[adjudication]\nsyzygy = '~nobody-of-that-name'\n", 'syzygy "~nobody-of-that-name": no such folder'),
    (ENGINES + "[screen]\npositions = '~nobody-of-that-name'\n", 'positions "~nobody-of-that-name": no such file'),
    (
        ENGINES + "options = { a = 'x\\u0000' }\n".replace("'", '"'),
        "options.a must be a line of text, a number or true",
    ),
    (ENGINES + f"{'k' * 9000} = 1\n", f'unknown key "{"k" * 200}…"'),
    ("[experiment\n", "fast.toml: Expected ']' at the end of a table declaration (at line 1, column 12)"),
    ("experiment = 3\n", "fast.toml: experiment must be a table, not 3"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes(tmp_path: Path, text: str, message: str) -> None:
    assert message in mistake(tmp_path, text)


def test_binary_file_and_folder(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe\x00")
    os.mkfifo(tmp_path / "pipe")
    for name, word in (("x.toml", "UTF-8"), ("gone.toml", "no such file"), ("", "folder"), ("pipe", "no regular file")):
        with pytest.raises(BadInput, match=word):
            experiment.load(tmp_path / name)
    with pytest.raises(BadInput, match='shipped experiment "hedline": did you mean "headline"'):
        experiment.load("hedline")


def test_overrides(tmp_path: Path) -> None:
    found = load(tmp_path, HEAD + "games = 10\n" + ENGINES, games=4, concurrency=3, seed=9)
    assert (found.games, found.concurrency, found.seed) == (4, 3, 9)
    # What was given on the command line is not called the file's.
    with pytest.raises(BadInput, match="^--games must be even"):
        load(tmp_path, ENGINES, games=3)
    with pytest.raises(BadInput, match="^--seed must be 0 or more"):
        load(tmp_path, ENGINES, seed=-1)
    with pytest.raises(BadInput, match=f"seed must be {2**63 - 1} or less"):  # TOML's integers end there
        load(tmp_path, f"[experiment]\nseed = {2**63}\n{ENGINES}")


@pytest.mark.parametrize("own", ['LMR = "oneply"', 'options = { LMR = "oneply" }'])
@pytest.mark.parametrize("inherited", ['LMR = "off"', 'options = { LMR = "off" }'])
def test_a_variant_changes_an_option_however_the_base_writes_it(tmp_path: Path, inherited: str, own: str) -> None:
    found = load(tmp_path, f"{BASE}{inherited}\n[variants.x]\n{own}\n")
    assert [player.options for player in found.players] == [(("LMR", "oneply"),), (("LMR", "off"),)]


@pytest.mark.parametrize("own", ["'tune.a' = 2", "tune = { a = 2 }", "options = { 'tune.a' = 2 }"])
@pytest.mark.parametrize("inherited", ["'tune.a' = 1", "tune = { a = 1 }", "options = { 'tune.a' = 1 }"])
def test_a_variant_changes_a_parameter_however_the_base_writes_it(tmp_path: Path, inherited: str, own: str) -> None:
    found = experiment.parse(f"[base]\n{inherited}\n[variants.x]\n{own}\n", "x.toml", tmp_path, check=False)
    assert [player.options for player in found.players] == [(("tune.a", "2"),), (("tune.a", "1"),)]


@pytest.mark.parametrize(
    "lines",
    ['LMR = "off"\noptions = { LMR = "oneply" }', "'tune.a' = 1\ntune = { a = 2 }", "tune.a = 1\noptions.'tune.a' = 1"],
)
def test_an_option_is_given_once(tmp_path: Path, lines: str) -> None:
    with pytest.raises(BadInput, match=r"^x.toml: \[base\] (LMR|tune.a) is given twice"):
        experiment.parse(f"[base]\n{lines}\n[variants.x]\n", "x.toml", tmp_path, check=False)


FULL = [
    BASE + "[variants.'ö \"x\"']\nLMR = 'off'\nmovetime = 0.125\n",
    BASE + "io_log = true\n[variants.x]\nio_log = false\n[variants.y]\n",
    BASE + "init = ['a']\n[variants.x]\ninit = []\n[variants.y]\noptions = { memory = 3, cores = 2 }\n",
    BASE
    + "[variants.x]\n[adjudication]\nresign_score = 600\ndraw_score = 10\n[sprt]\nelo0 = -0.5\nelo1 = 4\n[screen]\ncount = 3\n",
    HEAD + "kind = 'swiss'\ndepth = 3\nname = 'a b'\n" + ENGINES + "[engines.z]\ncommand = 'python3 \"a b\"'\n",
    HEAD + "kind = 'league'\nchess960 = true\n" + ENGINES + "[tournament]\nseasons = 3\n",
    HEAD + "kind = 'knockout'\nbase = 'y'\n" + ENGINES + "[openings]\nplies = 8\norder = 'sequential'\n",
    HEAD + "time = '1.23456789012+0.0000000001'\n" + ENGINES,
    HEAD + "time = '40/60'\n" + BASE + "[variants.x]\n[claim]\nid = 'C1'\ntext = 'it is so'\n",
]


@pytest.mark.parametrize("text", FULL, ids=range(len(FULL)))
def test_dump_plays_the_same_again(tmp_path: Path, text: str) -> None:
    first = load(tmp_path, text)
    other = tmp_path / "results"
    other.mkdir()
    written = writer.dump(first)
    (other / "experiment.toml").write_text(written, encoding="utf-8")
    assert experiment.load(other / "experiment.toml") == first
    assert writer.dump(experiment.load(other / "experiment.toml")) == written
    for key in ("games", "concurrency", "seed", "margin", "patience", "max_moves", "ponder", "order"):
        assert f"\n{key} = " in written


def test_changed_openings_are_noticed(tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    written = writer.dump(load(tmp_path, ENGINES + "[openings]\nfile = 'book.epd'\n"))
    book.write_text("4k3/8/8/8/8/8/3P4/4K3 w - -\n")
    with pytest.raises(BadInput, match="its contents changed"):
        experiment.parse(written, "experiment.toml", tmp_path)


def test_shipped_openings_named_by_a_path_are_found_again_from_the_results(tmp_path: Path) -> None:
    (tmp_path / "openings").symlink_to(experiment.SHIPPED_OPENINGS)  # as in the folder of the project
    first = load(tmp_path, ENGINES + "[openings]\nfile = 'openings/sortie.tsv'\n")
    (tmp_path / "results").mkdir()
    assert experiment.parse(writer.dump(first), "experiment.toml", tmp_path / "results", "fast") == first


def test_reading_without_checks_needs_no_programs(tmp_path: Path) -> None:
    text = "[engines.x]\ncommand = '/gone/engine'\n[base]\ncommand = '/gone/sortie'\nLMR = 'off'\nTT = true\n"
    found = experiment.parse(text, "x.toml", tmp_path, check=False)
    assert found.players[1].options == (("LMR", "off"), ("TT", "on"))


@pytest.mark.parametrize("name", experiment.shipped_experiments())
def test_shipped_experiments_read(name: str) -> None:
    """Their options are checked against the built Sortie in test_shipped.py; here only the files."""
    path = experiment.find(name)
    found = experiment.parse(path.read_text(encoding="utf-8"), name, path.parent, name, check=False)
    assert found.name == name and len(found.players) >= 2
