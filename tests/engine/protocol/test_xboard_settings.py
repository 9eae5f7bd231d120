"""Options, memory, cores, Level, Stats and the log, in every state."""

import json
import re
from pathlib import Path

import psutil
import pytest
from engine_process import EngineProcess


def test_memory_and_cores_in_every_state(engine: EngineProcess) -> None:
    engine.send("memory 8", "cores 2", "memory 8", "cores 1")
    assert engine.sync() == []
    engine.send("st 0.3", "go", "memory 4", "cores 2")
    engine.move()
    engine.send("analyze", "memory 5", "cores 1")
    assert engine.sync() == []
    engine.send("exit", "memory 1")
    assert engine.sync() == []
    engine.send("memory -5")
    assert len(engine.sync()) == 1


@pytest.mark.parametrize("again", [False, True])
def test_the_table_is_ready_before_the_game_begins(again: str) -> None:
    """Pages that the first search had to be given would be paid for by its clock."""
    with EngineProcess() as engine:
        resident = psutil.Process(engine.process.pid).memory_info
        engine.send("memory 32", "new")
        engine.sync()
        if again:
            engine.send("sd 3", "go")
            engine.move()
            engine.send("memory 64", "new")
            engine.sync()
        ready = resident().rss
        assert ready > (64 if again else 32) << 20
        engine.send("sd 8", "go")
        engine.move()
        assert resident().rss < ready + (8 << 20)


def test_what_is_so_already_does_not_disturb_the_analysis(engine: EngineProcess) -> None:
    def centiseconds(*lines: str) -> int:
        engine.send(*lines, ".")
        return int(engine.until("stat01: ")[-1].split()[1])

    before = centiseconds("memory 8", "cores 1", "analyze")
    while before < 60:
        before = centiseconds()
    assert centiseconds("memory 8", "cores 1") >= before
    assert centiseconds("cores 2") < before  # it has begun again


def test_memory_that_cannot_be_had_keeps_the_old_tables(engine: EngineProcess) -> None:
    for lines in (["memory 99999999999999"], ["memory 8", "memory 99999999"], ["memory 2147483647"]):
        engine.send(*lines)
        assert any(line.startswith("# no memory") for line in engine.sync())
        engine.send("force", "go")
        engine.move()


def test_egtpath_that_leads_nowhere_is_a_line_and_play_goes_on(engine: EngineProcess) -> None:
    engine.send("egtpath syzygy /no/such directory", "egtpath", "egtpath nonsense x")
    assert engine.sync() == [
        "# /no/such directory: No such file or directory; no tables are used",
        "# egtpath: expected syzygy FOLDER",
        "# no nonsense tables are used, syzygy is",
    ]
    engine.send("go")
    engine.move()


def test_every_offered_option_takes_its_own_default(engine: EngineProcess) -> None:
    for line in engine.features:
        match = re.fullmatch(r'feature option="(\w+) -(\w+) ?(.*)"', line)
        if not match:
            continue
        name, kind, rest = match.groups()
        if kind == "button":
            engine.send(f"option {name}")
        elif kind == "combo":
            for level in rest.replace("*", "").split(" /// "):
                if name != "Preset":
                    engine.send(f"option {name}={level}")
            engine.send(f"option {name}={rest.partition('*')[2].split()[0]}")
        elif kind == "check":
            for value in ("1", "0", "on", "off", "true", "false", rest):
                engine.send(f"option {name}={value}")
        elif kind == "spin":
            default, least, most = rest.split()
            engine.send(f"option {name}={least}", f"option {name}={most}", f"option {name}={default}")
            engine.send(f"option {name}={int(most) + 1}")
            assert [x for x in engine.sync() if not x.startswith("# ")][-1].startswith("Error (bad argument)")
        else:
            engine.send(f"option {name}={rest}")
        assert not any(text.startswith("Error") for text in engine.sync()), line
    engine.send("go")
    engine.move()


def test_level_plays_on_every_step(engine: EngineProcess) -> None:
    for level in ("1", "5", "10", "19"):
        engine.send("new", f"option Level={level}", "usermove e2e4")
        engine.move()


def test_stats_after_each_search(engine: EngineProcess) -> None:
    engine.send("option Stats=1", "go")
    lines = engine.until("move ")
    stats = [line for line in lines if line.startswith("# stats ")]
    assert len(stats) == 1 and isinstance(json.loads(stats[0][len("# stats ") :]), dict)


def test_stats_are_held_back_from_a_gui_that_did_not_agree() -> None:
    with EngineProcess(handshake=False) as engine:
        engine.send("xboard", "protover 2", "option Stats=1", "st 0.1", "go")
        lines = engine.until("move ")
        assert not any(line.startswith("#") for line in lines)
    with EngineProcess(handshake=False) as engine:  # nobody parses a session without protover
        engine.send("option Stats=1", "st 0.1", "go")
        assert any(line.startswith("# stats {") for line in engine.until("move "))


def test_log_file_holds_both_directions_with_milliseconds(engine: EngineProcess, tmp_path: Path) -> None:
    path = tmp_path / "debug log.txt"
    engine.send(f"option LogFile={path}", "go")
    engine.move()
    engine.send("option LogFile=")
    engine.sync()
    lines = path.read_text().splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [<>=] ", line) for line in lines)
    assert any(line.endswith(" > go") for line in lines)
    assert any(re.search(r" < move \w+$", line) for line in lines)
    engine.send(f"option LogFile={tmp_path}")
    assert engine.sync() == [f"# log {tmp_path}: Is a directory", f"Error (bad argument): option LogFile={tmp_path}"]
