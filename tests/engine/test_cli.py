"""The command line of the engine: tools, options, the ini file, and one plain line for every mistake."""

import json
import os
import re
import shlex
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import chess
import pytest
from engine_process import PATIENCE, ROOT, EngineProcess, run_cli
from peers import need_peer

from engine import __version__, cli
from engine.play.options import offered
from engine.tools.bench import POSITIONS, SIGNATURE
from engine.tools.listing import PRESET_TEXTS
from engine.variant.presets import PRESETS

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
START = chess.STARTING_FEN
EXCHANGE = "6k1/8/3p1p2/4b3/3P4/8/4Q3/6K1 w - - 0 1"


def last_json(result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def mistake(*arguments: str, cwd: Path | None = None, naming: Iterable[str] = ()) -> str:
    """The command line fails with status 2 and one plain line that names what is wrong."""
    result = run_cli(*arguments, cwd=cwd)
    assert result.returncode == 2, result
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert "Traceback" not in lines[0]
    for word in naming:
        assert word in lines[0], lines[0]
    return lines[0]


# ---- the processor


@pytest.mark.peers
def test_a_processor_without_popcnt_is_one_plain_line() -> None:
    emulator = need_peer("qemu-x86_64")
    for arguments in ([], ["bench"], ["--version"]):
        command = [emulator, "-cpu", "core2duo", sys.executable, "-m", "engine", *arguments]
        done = subprocess.run(command, cwd=ROOT, input="uci\nquit\n", capture_output=True, text=True)
        assert done.returncode == 2 and done.stdout == "", done
        assert done.stderr.count("\n") == 1 and "POPCNT" in done.stderr and "make native" in done.stderr


@pytest.mark.parametrize(
    ("reason", "told"), [("CPU ISA level is lower than required", True), ("undefined symbol", False)]
)
def test_only_the_loaders_word_about_the_processor_is_put_plainly(
    reason: str, told: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: object) -> int:
        raise ImportError(f"features.so: {reason}")

    monkeypatch.setattr(cli, "_serve", refused)
    if told:
        assert cli.main([]) == 2 and "POPCNT" in capsys.readouterr().err
    else:
        with pytest.raises(ImportError, match=reason):
            cli.main([])


# ---- perft


def test_perft_counts() -> None:
    result = run_cli("perft", "4", "--json")
    assert result.returncode == 0
    answer = last_json(result)
    assert answer["nodes"] == 197281 and answer["seconds"] >= 0 and answer["nps"] >= 0
    assert run_cli("perft", "3", "--fen", KIWIPETE).stdout.startswith("97862 ")
    assert last_json(run_cli("perft", "0", "--json"))["nodes"] == 1


def test_perft_divide_adds_up() -> None:
    result = run_cli("perft", "3", "--divide", "--fen", KIWIPETE, "--json")
    parts = dict(line.split(": ") for line in result.stdout.splitlines()[:-1])
    assert len(parts) == 48 and sum(map(int, parts.values())) == 97862 == last_json(result)["nodes"]
    assert set(parts) == {move.uci() for move in chess.Board(KIWIPETE).legal_moves}


def test_perft_chess960() -> None:
    fen = "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9"
    assert last_json(run_cli("perft", "3", "--fen", fen, "--chess960", "--json"))["nodes"] == 10471


def test_perft_suite_reports_each_mismatch(tmp_path: Path) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_bytes(
        f"# a comment\r\n\r\n{START} ;D1 20 ;D2 400 ;D3 8902\r\n{KIWIPETE} ;D1 47 ;D2 2039 ;id x\r\n"
        f"{START} ;D1 20 ;D2 401\r\n".encode()
    )
    result = run_cli("perft", "--suite", str(suite))
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(f"{suite}:4:") and "47" in lines[0] and "48" in lines[0]
    assert lines[1].startswith(f"{suite}:5:") and "401" in lines[1] and "400" in lines[1]


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_mismatch_in_a_file_whose_name_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "caf\udce9.epd").write_text(f"{START} ;D1 21\n")
    done = subprocess.run(
        [sys.executable, "-m", "engine", "perft", "--suite", "caf\udce9.epd"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
    )
    assert done.returncode == 1 and b"\\udce9.epd:1: depth 1: expected 21, counted 20" in done.stdout, done


def test_perft_suite_leaves_out_large_counts(tmp_path: Path) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_text(f"{START} ;D1 20 ;D2 400 ;D3 999999999\n")
    result = run_cli("perft", "--suite", str(suite), "--max-nodes", "1000")
    assert result.returncode == 0 and "2 counts" in result.stdout


@pytest.mark.parametrize(
    ("text", "naming"),
    [("", ["no positions"]), ("\n\n", ["no positions"]), (f"{START}\n", [":1:", "no move counts"])]
    + [
        (f"{START} ;D1 20\nnonsense ;D1 5\n", [":2:"]),
        (f"{START} ;D1 x\n", [":1:", "D1"]),
        (f"{START} ;D31 1\n", [":1:", "up to 30", "D31"]),
        (f"{START} ;D99999999999 20\n", [":1:", "up to 30"]),
        (f"{START} ;D1\n", [":1:"]),
    ],
)
def test_bad_perft_suites(tmp_path: Path, text: str, naming: list[str]) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_text(text)
    mistake("perft", "--suite", str(suite), naming=[str(suite), *naming])


@pytest.mark.parametrize("name", ["standard", "tricky_popular", "random_sample", "chess960"])
def test_shared_perft_suites(name: str, shared: Callable[[str], Path]) -> None:
    flags = ["--chess960"] if name == "chess960" else []
    result = run_cli("perft", "--suite", str(shared(f"perft/{name}.epd")), "--max-nodes", "100000", *flags)
    assert result.returncode == 0, result.stdout


# ---- bench


def test_bench_is_deterministic_and_complete() -> None:
    plain, first, second = (run_cli("bench", "--depth", "5", *extra) for extra in ([], ["--json"], ["--json"]))
    one, two = last_json(first), last_json(second)
    assert set(one) == {"nodes", "seconds", "nps", "positions"}
    assert one["nodes"] == two["nodes"] == sum(line["nodes"] for line in one["positions"])
    assert re.search(rf"^{one['nodes']} nodes", plain.stdout, re.M)
    assert [line["fen"] for line in one["positions"]] == list(POSITIONS)
    for line in one["positions"]:
        assert set(line) == {"fen", "depth", "score", "bestmove", "pv", "nodes", "qnodes", "seconds", "stats"}
        board = chess.Board(line["fen"])
        assert line["depth"] == 5 and line["pv"][0] == line["bestmove"] and 0 <= line["qnodes"] <= line["nodes"]
        for move in line["pv"]:
            board.push_uci(move)


def test_the_built_in_positions_are_legal_distinct_and_enough() -> None:
    assert len(set(POSITIONS)) == len(POSITIONS) >= 8
    for fen in POSITIONS:
        board = chess.Board(fen)
        assert board.is_valid() and not board.is_game_over()


def test_bench_takes_epd_fen_crlf_blank_lines_and_ended_positions(tmp_path: Path) -> None:
    suite = tmp_path / "suite.epd"
    mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
    mate = "k7/8/1K6/8/8/8/8/7R w - - 0 1"
    lines = ["", f'{" ".join(START.split()[:4])} bm e4; id "one";', KIWIPETE, mated, mate, ""]
    suite.write_bytes("\r\n".join(lines).encode())
    answer = last_json(run_cli("bench", "--suite", str(suite), "--depth", "4", "--json"))
    assert len(answer["positions"]) == 4
    assert answer["positions"][2]["bestmove"] is None and answer["positions"][2]["pv"] == []
    assert answer["positions"][3]["score"] == 100001 and answer["positions"][3]["bestmove"] == "h1h8"


def test_bench_limits(tmp_path: Path) -> None:
    nodes = last_json(run_cli("bench", "--nodes", "3000", "--json"))
    assert all(line["nodes"] <= 3500 for line in nodes["positions"])
    timed = last_json(run_cli("bench", "--movetime", "20", "--json"))
    # A busy machine may hold up a few of them.
    assert statistics.median(line["seconds"] for line in timed["positions"]) < 0.5


def test_bench_options_change_the_tree() -> None:
    base = last_json(run_cli("bench", "--depth", "3", "--json"))["nodes"]
    bare = last_json(run_cli("bench", "--depth", "3", "--option", "Preset=bare", "--json"))["nodes"]
    assert bare > base
    on, one = (run_cli("bench", "--depth", "3", "--option", f"HashMove={value}", "--json") for value in ("false", "0"))
    assert last_json(on)["nodes"] == last_json(one)["nodes"]


# ---- see, eval, options


@pytest.mark.parametrize(("form", "value"), [("linear", -600), ("early-exit", 200), ("swap", 200)])
def test_see_forms(form: str, value: str) -> None:
    assert last_json(run_cli("see", EXCHANGE, "d4e5", "--form", form, "--json")) == {"value": value}


def test_see_takes_san_and_prints_plainly() -> None:
    assert run_cli("see", EXCHANGE, "dxe5").stdout == "200\n"


def test_eval_is_from_the_side_to_move() -> None:
    white = last_json(run_cli("eval", "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", "--json"))
    black = last_json(run_cli("eval", "4k3/8/8/8/8/8/8/Q3K3 b - - 0 1", "--json"))
    assert white["score"] > 500 > -500 > black["score"]
    assert len(white) > 1
    plain = run_cli("eval", START).stdout.splitlines()
    assert plain[-1].split()[0] == "score" and len(plain) > 1


def test_options_lists_everything() -> None:
    listed = last_json(run_cli("options", "--json"))["options"]
    assert [entry["name"] for entry in listed] == [option.name for option in offered()]
    for entry in listed:
        assert {"name", "type", "default", "choices", "description", "source"} <= set(entry)
        assert entry["description"] and entry["source"]
        if entry["type"] == "combo":
            assert entry["default"] in entry["choices"]
    text = run_cli("options").stdout
    for option in offered():
        assert option.text in text and f"source: {option.source}" in text
        line = next(line for line in text.splitlines() if line.startswith(option.name + " "))
        assert all(choice in line for choice in option.choices)
        assert option.kind == "button" or line.endswith(f"; default {option.default or 'none'}")


def test_options_of_a_preset() -> None:
    """Every switch with its level, then each stage of the program with the moves it tries."""
    plain = run_cli("options", "--preset", "jazz").stdout.splitlines()
    answer = last_json(run_cli("options", "--preset", "jazz", "--json"))
    assert answer["switches"]["Preset"] == "jazz" and answer["program"][-1] == "END"
    assert plain[:2] == ["Preset=jazz", PRESET_TEXTS["jazz"]] and set(PRESET_TEXTS) == set(PRESETS)
    for name, level in answer["switches"].items():
        assert name == "Preset" or any(line.split()[:2] == [name, level] for line in plain)
    order = "The moves of a node are tried in this order: " + " ".join(answer["program"])
    assert [line.split()[0] for line in plain[plain.index(order) + 1 :]][: len(answer["program"]) - 1] == answer[
        "program"
    ][:-1]
    captures = "The moves of quiescence are tried in this order: " + " ".join(answer["quiescence_program"])
    assert [line.split()[0] for line in plain[plain.index(captures) + 1 :]] == answer["quiescence_program"][:-1]


# ---- every mistake is one plain line


@pytest.mark.parametrize(
    ("arguments", "naming"),
    [
        (["perf"], ["perf", "perft"]),
        (["--optoin", "x"], ["--optoin", "--option"]),
        (["--option"], ["--option"]),
        (["--option", "nonsense"], ["nonsense", "NAME=VALUE"]),
        (["--option", "Histry=off"], ["Histry", "History"]),
        (["--option", "Memory=64"], ["Memory", "did you mean memory?"]),
        (["--option", "Hash=64"], ["Hash", "did you mean memory?"]),
        (["--option", "Threads=2"], ["Threads", "did you mean cores?"]),
        (["options", "--preset", "foo"], ["'foo' (levels: modern, winglet, "]),
        (["--option", "History=sometimes"], ["History", "sometimes"]),
        (["--option", "Level=0"], ["Level", "1", "20"]),
        (["--option", "memory=none"], ["memory", "none"]),
        (["--option", "cores=0"], ["cores"]),
        (["--option", "ClearHash=1"], ["ClearHash"]),
        (["--log"], ["--log"]),
        (["--log", "/no/such/dir/x.log"], ["/no/such/dir/x.log"]),
        (["--config", "/no/such.ini"], ["/no/such.ini"]),
        (["perft"], ["DEPTH"]),
        (["perft", "x"], ["x"]),
        (["perft", "-1"], ["-1", "whole number"]),
        (["perft", "1_0"], ["1_0", "whole number"]),
        (["perft", "2", "--fen"], ["--fen"]),
        (["--log", ""], ["--log", "FILE"]),
        (["--config="], ["--config", "FILE"]),
        (["--option", "Zzyzx=1"], ["Zzyzx", "sortie options"]),
        (["bench", "--option", "memory=999999999"], ["memory", "999999999"]),
        (["--option", "memory=99999999"], ["memory", "99999999"]),
        (["bench", "--option", "memory=999999999999999"], ["memory", "999999999999999"]),
        (["trace", "/no/such.epd"], ["/no/such.epd"]),
        (["trace", str(ROOT / "engine")], ["engine"]),
        (["perft", "2", "3"], []),
        (["perft", "2", "--fen", "nonsense"], ["nonsense"]),
        (["perft", "2", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"], []),
        (["perft", "--suite", "/no/such.epd"], ["/no/such.epd"]),
        (["perft", "--siute", "x"], ["--siute", "--suite"]),
        (["perft", "2", "--suite", "x"], ["--suite"]),
        (["perft", "2", "--max-nodes", "5"], ["--max-nodes"]),
        (["perft", "--suite", "x", "--max-nodes", "many"], ["--max-nodes", "many"]),
        (["bench", "--depth", "0"], ["--depth", "0"]),
        (["bench", "--depth", "3", "--nodes", "5"], ["--depth", "--nodes"]),
        (["bench", "--movetime", "soon"], ["--movetime", "soon"]),
        (["bench", "--option", "TT=maybe"], ["TT", "maybe"]),
        (["bench", "--suite", "/no/such.epd"], ["/no/such.epd"]),
        (["bench", "extra"], ["extra"]),
        (["see"], []),
        (["see", EXCHANGE, "a1a2"], ["a1a2"]),
        (["see", EXCHANGE, "d4e5", "--form", "swp"], ["swp", "swap"]),
        (["see", "x", "d4e5"], ["x"]),
        (["eval", "x"], ["x"]),
        (["options", "--preset", "jaz"], ["jaz", "jazz"]),
    ],
)
def test_mistakes(arguments: list[str], naming: list[str]) -> None:
    mistake(*arguments, naming=naming)


def test_advice_is_the_near_word_or_where_to_look() -> None:
    assert mistake("perf") == "sortie: unknown tool 'perf', did you mean perft?"
    assert mistake("--optoin", "x") == "sortie: unknown argument '--optoin', did you mean --option?"
    assert mistake("--zzyzx") == "sortie: unknown argument '--zzyzx', see sortie --help"
    mistake("zzyzx", naming=["'zzyzx', expected one of perft, bench, "])


def test_trace_reads_what_bench_reads(tmp_path: Path) -> None:
    suite = tmp_path / "positions.epd"
    suite.write_bytes(f'# two\r\n\r\n{START}\r\n{EXCHANGE.rsplit(" ", 2)[0]} id "x";\r\n'.encode())
    lines = [json.loads(line) for line in run_cli("trace", str(suite)).stdout.splitlines()]
    assert len(lines) == 3 and "layout" in lines[0] and all("quiet" in line for line in lines[1:])
    for content in (b"", b"\xff\xfe\x00\x01", b"8/8/8/8/8/8/8/8 w - - 0 1\n"):
        suite.write_bytes(content)
        mistake("trace", str(suite), naming=[str(suite)])


def test_perft_takes_file_letters_as_fischer_random() -> None:
    fen = "rk6/8/8/8/8/8/8/RK6 w Aa - 0 1"
    plain, named = (run_cli("perft", "3", "--fen", fen, "--json", *more) for more in ([], ["--chess960"]))
    assert last_json(plain)["nodes"] == last_json(named)["nodes"] > 500


def test_bad_suite_position_names_file_and_line(tmp_path: Path) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_text(f"{START}\n\n8/8/8/8 w - -\n")
    mistake("bench", "--suite", str(suite), naming=[f"{suite}:3:"])
    suite.write_bytes(b"\xff\xfe\x00binary")
    mistake("bench", "--suite", str(suite), naming=[str(suite)])


def test_version_and_help() -> None:
    said = re.fullmatch(
        r"Sortie (\d+\.\d+\S*), bench (\d+), compiled by (\S.*) \d+\.\d+.* for \S+\n", run_cli("--version").stdout
    )
    assert said and said[1] == __version__ and int(said[2]) == SIGNATURE
    text = run_cli("--help").stdout
    assert all(word in text for word in ("--option", "--log", "--config", "perft", "bench", "see", "eval", "options"))
    for tool in ("perft", "bench", "see", "eval", "options"):
        result = run_cli(tool, "--help")
        assert result.returncode == 0 and tool in result.stdout


# ---- settings from command line and file


def defaults_of(engine: EngineProcess) -> dict[str, str]:
    """Option name to its announced text."""
    return {line.split('"')[1].split()[0]: line.split('"')[1] for line in engine.features if "option=" in line}


def test_command_line_beats_the_file_and_the_gui_beats_both(tmp_path: Path) -> None:
    ini = tmp_path / "my.ini"
    ini.write_text('; for old GUIs\n\n[sortie]\nLevel = 7\nMoveOverhead=100\nBookFile="a b.bin"\nmemory = 8\ncores=1\n')
    with EngineProcess("--config", str(ini), "--option", "Level=9", "--option=Resign=true") as engine:
        found = defaults_of(engine)
        assert found["Level"] == "Level -spin 9 1 20"
        assert found["MoveOverhead"].startswith("MoveOverhead -spin 100 ")
        assert found["BookFile"] == "BookFile -file a b.bin"
        assert found["Resign"] == "Resign -check 1"
        engine.send("option Level=20", "st 0.1", "new", "go")
        engine.move()


@pytest.mark.parametrize(
    ("text", "naming"),
    [
        ("Level=99\n", [":1:", "Level"]),
        ("\nLevle=3\n", [":2:", "Levle", "Level"]),
        ("Level\n", [":1:", "NAME=VALUE"]),
        ("[other]\n", [":1:", "[other]"]),
        ("=3\n", [":1:"]),
    ],
)
def test_a_bad_line_in_the_file_is_named(tmp_path: Path, text: str, naming: list[str]) -> None:
    ini = tmp_path / "bad.ini"
    ini.write_text(text)
    mistake("--config", str(ini), naming=[str(ini), *naming])


@pytest.mark.skipif(os.name == "nt", reason="descriptors are POSIX's")
@pytest.mark.parametrize(
    ("arguments", "closed", "status"),
    [([], 0, 0), ([], 1, 0), (["--log", "x.log"], 1, 0), (["selfplay"], 0, 0), (["score"], 0, 0), (["selfplay"], 1, 2)],
)
def test_a_closed_stream_is_at_its_end(tmp_path: Path, arguments: list[str], closed: int, status: int) -> None:
    """No other file takes the place of a standard stream that is closed."""
    done = subprocess.run(
        [sys.executable, "-m", "engine", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=None if closed == 0 else b"1\nprotover 2\n",
        capture_output=True,
        preexec_fn=lambda: os.close(closed),
        timeout=PATIENCE,
    )
    assert done.returncode == status and done.stderr.count(b"\n") == (status > 0), done.stderr
    log = tmp_path / "x.log"
    assert not log.exists() or all(re.match(r"\d{4}-.* [<>] ", line) for line in log.read_text().splitlines())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize("words", ["--help", "--version", "options", "perft 3", "perft 2 --json", "bench --depth 1"])
def test_output_that_nobody_takes_is_one_plain_line_or_none(words: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m engine {words}"
    full = subprocess.run(f"{command} > /dev/full", shell=True, cwd=ROOT, capture_output=True, text=True)
    assert (full.returncode, full.stderr) == (2, "sortie: standard output: No space left on device\n")
    inlet, outlet = os.pipe()
    os.close(inlet)
    gone = subprocess.run(command, shell=True, cwd=ROOT, stdout=outlet, stderr=subprocess.PIPE, text=True)
    os.close(outlet)
    assert (gone.returncode, gone.stderr) == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_an_interrupt_while_a_tool_loads_is_no_traceback() -> None:
    code = "import engine.cli as c, os, signal; c.TOOLS; import builtins; old = builtins.__import__\n"
    code += "def load(name, *rest):\n    name == 'click' and os.kill(os.getpid(), signal.SIGINT)\n    return old(name, *rest)\n"
    code += "builtins.__import__ = load\nc.main(['perft', '2'])\n"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_a_file_of_options_in_another_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.ini").write_text("Level = 3\n", "utf-16")
    mistake("--config", str(tmp_path / "x.ini"), naming=["x.ini: expected a text file in UTF-8"])


def test_log_from_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "sortie.log"
    with EngineProcess("--log", str(path)) as engine:
        engine.sync()
    text = path.read_text()
    assert " > protover 2\n" in text and " < feature done=1\n" in text
