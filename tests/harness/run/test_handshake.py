"""Engines whose protocol nobody has named: asked once before the first game, and a run that stops when they fail."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from fake_engines import command
from fake_engines.runs import book, gauntlet, show

from harness.engines.children import process_start
from harness.run.handshake import introduced
from harness.spec import reader

HEAD = '[experiment]\ngames = 2\ndepth = 2\nmax_moves = 4\npatience = 60\n[openings]\nfile = "{book}"\n'


def spec(folder: Path, **engines: str) -> Path:
    """An experiment with these commands, not a word about protocols; " | " parts what follows the command's line."""
    text = HEAD.format(book=book(folder))
    for name, line in engines.items():
        words, _, more = line.partition(" | ")
        text += f"[engines.{name}]\ncommand = {json.dumps(words)}\n{more}\n"
    path = folder / "test.toml"
    path.write_text(text)
    return path


def script(*words: str, uci: bool = False) -> str:
    return shlex.join(command(*words, uci=uci))


def refused(folder: Path, **engines: str) -> str:
    """The one line with which a run between these engines stops before it has begun."""
    return stopped(spec(folder, **engines))


def stopped(path: Path) -> str:
    done = gauntlet("run", path, "--out", path.parent / "out")
    assert done.returncode == 2 and not (path.parent / "out").exists()
    (line,) = done.stderr.splitlines()
    return line


def test_two_engines_of_ones_own_one_of_each_protocol(tmp_path: Path) -> None:
    logs = {name: tmp_path / f"{name}.log" for name in ("u", "x", "old")}
    path = spec(
        tmp_path,
        u=script(f"log={logs['u']}", uci=True),
        x=script(f"log={logs['x']}"),
        old=script("v1", "complain", f"log={logs['old']}"),
    )
    done = gauntlet("run", path, "--out", tmp_path / "out", "--games", "4", "--concurrency", "2")
    assert done.returncode == 0, done.stderr
    found = show(tmp_path / "out")
    assert found["state"] == "done" and found["reasons"] == {"move-limit": 8}
    # What was found out stands in the run's own file, and nobody asks again.
    text = (tmp_path / "out" / "experiment.toml").read_text()
    assert text.count('protocol = "uci"') == 1 and text.count('protocol = "xboard"') == 2 and "auto" not in text
    assert logs["x"].read_text().splitlines().count("< uci") <= 1
    assert gauntlet("resume", tmp_path / "out").returncode == 0


def test_what_is_no_engine_stops_the_run_with_the_reason(tmp_path: Path) -> None:
    x = script()
    path = spec(tmp_path, x=x, bad="cat")
    path.write_text(path.read_text().replace("patience = 60", "patience = 5"))  # all of it goes by in silence
    line = stopped(path)
    assert "[engines.bad]" in line and "is no engine" in line and "protover 2" in line
    dying = shlex.join([sys.executable, "-c", "import sys; sys.exit('no weights here')"])
    line = refused(tmp_path, x=x, bad=dying)
    assert line == "[engines.bad] ended before the handshake was over (exit status 1): no weights here"


def test_an_engine_that_cannot_keep_the_limit_stops_the_run(tmp_path: Path) -> None:
    path = spec(tmp_path, u=script(uci=True), x=script())
    path.write_text(path.read_text().replace("depth = 2", "nodes = 50"))
    done = gauntlet("run", path, "--out", tmp_path / "out")
    assert done.returncode == 2 and not (tmp_path / "out").exists()
    assert done.stderr == "[engines.x] cannot count nodes (no feature nps=1)\n"


def test_an_engine_that_cannot_play_fischer_random_stops_the_run(tmp_path: Path) -> None:
    path = spec(tmp_path, u=script(uci=True), x=script())
    path.write_text(path.read_text().replace("depth = 2", "depth = 2\nchess960 = true"))
    assert stopped(path) == "[engines.x] cannot play Fischer random (variants without fischerandom)"


@pytest.mark.parametrize("protocol", ["", 'protocol = "xboard"'])
def test_a_cap_of_nodes_beside_a_clock_is_refused_to_xboard(tmp_path: Path, protocol: str) -> None:
    limit = 'time = "1+0.1"\nnodes = 100'
    line = refused(tmp_path, a=f"{script()} | {limit}\n{protocol}", b=f"{script(uci=True)} | {limit}")
    assert "cannot count nodes" in line if not protocol else "a: a cap of nodes beside a clock" in line


@pytest.mark.parametrize("uci", [False, True])
def test_an_option_it_does_not_have_is_told_with_what_it_offers(tmp_path: Path, uci: bool) -> None:
    line = refused(tmp_path, x=script(), y=script(uci=uci) + " | options = { Quux = 3 }")
    assert line.startswith('[engines.y] no option "Quux": it offers ')
    offered = line.partition("it offers ")[2].split(", ")
    assert "Hash" in offered if uci else "memory" in offered


def test_a_named_protocol_is_asked_about_options_alone(tmp_path: Path) -> None:
    line = refused(tmp_path, x=script(), y=script() + ' | protocol = "xboard"\noptions = { Quux = 3 }')
    assert line.startswith('[engines.y] no option "Quux"')
    path = spec(tmp_path, x=script(), y='false | protocol = "xboard"')
    done = gauntlet("run", path, "--out", tmp_path / "out")
    assert done.returncode == 1 and "its other games stay unplayed" in done.stdout


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux gives orphans to another than init")
def test_a_child_that_left_its_engines_session_ends_with_the_handshake(tmp_path: Path) -> None:
    for uci in (False, True):
        pids = tmp_path / f"pids{uci}"
        leaver = script("child", "daemon", f"pids={pids}", uci=uci)
        refused(tmp_path, leaver=leaver, bad=shlex.join([sys.executable, "-c", ""]))
        gone(pids, 4)  # it was started twice: to be asked, and to shake hands
        pids.unlink()
        assert gauntlet("check", leaver, "--rule", "uciok" if uci else "features").returncode == 0
        gone(pids, 4)


def gone(pids: Path, least: int) -> None:
    """None of the processes lives that wrote their numbers there, of which there are so many."""
    numbers = [int(word) for word in pids.read_text().split()]
    assert len(numbers) >= least and not [number for number in numbers if process_start(number)]


def test_one_program_may_play_by_both_protocols_in_a_sweep(tmp_path: Path) -> None:
    text = "[experiment]\nkind = 'match'\n[sweep]\nnodes = [10, 20]\n"
    text += "".join(f"[engines.{name}]\ncommand = 'both'\nprotocol = '{name}'\n" for name in ("uci", "xboard"))
    found = introduced(reader.parse(text, "x.toml", tmp_path, check=False))
    assert [player.protocol for player in found.players] == ["uci", "xboard"] * 2
