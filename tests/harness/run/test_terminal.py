"""Commands that draw, in a real terminal of several widths: whole lines, a clean end, Ctrl-C as a person types it."""

from __future__ import annotations

import random
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest
import synthetic
from fake_engines import runs
from terminal import Terminal

from harness.model import MoveRecord
from harness.schedule import jobs as schedule

GAUNTLET = str(Path(sys.executable).with_name("gauntlet"))
NARROW = 50
WIDTHS = (NARROW, 200)  # those between: test_a_run_whose_terminal_changes_its_width
ENDLESS = "1000000"
SPRT = """
[experiment]
games = 1000
nodes = 300
concurrency = 2
[sprt]
elo0 = 0
elo1 = 50
[base]
[variants.lmr-off]
LMR = "off"
"""

# As the shipped one, with a tenth of its nodes.
SMOKE = """
[experiment]
games = 4
nodes = 200
[base]
[variants.history-off]
History = "off"
[variants.lmr-off]
LMR = "off"
"""


# Columns, then the words of the command line.
Starter = Callable[..., Terminal]


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Starter]:
    """command(columns, *words): gauntlet in a terminal; whatever happens to the test, nothing of it stays behind."""
    opened: list[Terminal] = []

    def begin(columns: int, *words: str, env: dict[str, str] | None = None) -> Terminal:
        opened.append(Terminal([GAUNTLET, *words], columns, env=env))
        return opened[-1]

    yield begin
    for terminal in opened:
        terminal.__exit__()


@pytest.fixture
def smoke(tmp_path: Path) -> str:
    """The path of SMOKE."""
    spec = tmp_path / "smoke.toml"
    spec.write_text(SMOKE)
    return str(spec)


def ended_well(terminal: Terminal, status: int = 0) -> None:
    """The command has ended with `status`, nothing of it lives on, and the terminal is as it was."""
    assert terminal.wait() == status, terminal.shown()
    assert "Traceback" not in terminal.shown()
    assert terminal.cursor_shown()
    assert not terminal.orphans()


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_run(command: Starter, smoke: str, tmp_path: Path, columns: int) -> None:
    terminal = command(columns, "run", smoke, "--out", str(tmp_path / "run"))
    terminal.read_until_screen("of 8 games")
    terminal.read_until_screen("elapsed   ETA")
    terminal.read_until_screen("faults: none")
    ended_well(terminal)
    assert "results: " in terminal.shown() and terminal.colours()
    assert not any("elapsed   ETA" in line for line in terminal.lines()), "the picture was left behind"


def test_a_run_whose_terminal_changes_its_width(command: Starter, tmp_path: Path) -> None:
    spec = tmp_path / "sprt.toml"
    spec.write_text(SPRT)
    terminal = command(100, "run", str(spec), "--games", ENDLESS, "--out", str(tmp_path / "run"))
    terminal.read_until_screen("games/min")
    for columns in (50, 200, 80, 50, 100):
        terminal.resize(columns)
        terminal.clear()
        lines = terminal.read_until_screen("faults: none")
        assert max(map(len, lines)) <= columns
        assert any(re.search(r"LLR .*├[─━]+┼[─━]+┤ 2\.94|├[─━]+┼[─━]+┤ 2\.94$", line) for line in lines), lines
        assert any("LOS" in line for line in lines)
        assert sum("faults: none" in line for line in lines) == 1
    terminal.type("\x03")
    ended_well(terminal, 130)


def test_ctrl_c_ends_a_run_and_resume_goes_on(command: Starter, tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    first = command(NARROW, "run", "smoke", "--games", "200", "--out", out)
    first.read_until_screen("games/min")
    first.type("\x03")
    ended_well(first, 130)
    again = command(NARROW, "resume", out)
    again.read_until_screen("of 400 games")
    again.read_until_screen("faults: none")
    again.type("\x03")
    ended_well(again, 130)


def test_ctrl_z_leaves_the_shell_a_cursor_and_fg_draws_anew() -> None:
    words = shlex.join([GAUNTLET, "run", "smoke", "--games", "2000"])
    with Terminal(["bash", "--norc", "-i"], 100, env={"PS1": "$ "}) as shell:
        shell.type(f"cd $(mktemp -d) && {words}\r")
        shell.read_until_screen("faults: none")
        shell.type("\x1a")
        shell.read_until_screen("Stopped")
        assert shell.cursor_shown() and not any("faults: none" in line for line in shell.lines())
        shell.type("fg\r")
        lines = shell.read_until_screen("faults: none")
        assert any("Stopped" in line for line in lines), "what the shell wrote was erased"
        shell.type("\x03\x03")
        shell.read_until_screen("results: ")
        shell.type("exit\r")
        shell.wait()
        assert not shell.orphans()


def test_a_terminal_that_cannot_be_redrawn_gets_plain_lines(command: Starter, smoke: str, tmp_path: Path) -> None:
    """Emacs' shell; nothing was shown until the end."""
    terminal = command(80, "run", smoke, "--out", str(tmp_path / "run"), env={"TERM": "dumb"})
    terminal.read_until("smoke: 8 games")  # the line that a run without a picture begins with
    ended_well(terminal)
    assert "\x1b[" not in terminal.shown()


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_a_long_name_costs_no_figure_of_a_table(command: Starter, tmp_path: Path, columns: int) -> None:
    """Figures were cut to `1…` instead, which looks like one."""
    names = ("Stockfish dev-20261101-nnue-default-architecture", "history-off")
    text = SMOKE.replace("history-off", f'"{names[0]}"').replace("lmr-off", names[1])
    found = synthetic.plan(tmp_path, text + '[openings]\nfile = "book.tsv"\n')
    synthetic.journal(tmp_path, found, synthetic.random_games(found))
    terminal = command(columns, "show", str(tmp_path))
    ended_well(terminal)
    rows = [
        line for line in terminal.shown().splitlines() if line.strip().startswith(("Stockfish d", "Stock", "history"))
    ]
    assert rows and all(len(line.rstrip()) <= columns for line in rows)
    figures = [word for line in rows for word in line.split()[1:]]
    assert not any(word.endswith("…") for word in figures) and figures.count("4") >= 2


def test_a_node_screen(command: Starter) -> None:
    terminal = command(NARROW, "nodes", "smoke", "--depth", "6")
    terminal.read_until_screen("node screen, depth 6")
    terminal.read_until("searches")
    ended_well(terminal)
    assert not any("elapsed" in line for line in terminal.lines()) and terminal.colours()


def test_ctrl_c_ends_a_node_screen(command: Starter) -> None:
    terminal = command(80, "nodes", "smoke", "--depth", "30")
    terminal.read_until_screen("node screen, depth 30")
    terminal.type("\x03")
    ended_well(terminal, 130)


def test_an_ablation_draws_its_screen_and_its_games(command: Starter, tmp_path: Path) -> None:
    words = ("--switch", "CheckExtension", "--depth", "4", "--nodes", "100", "--games", "20")
    terminal = command(NARROW, "ablate", *words, "--out", str(tmp_path / "run"))
    terminal.read_until_screen("node screen, depth 4")
    terminal.read_until_screen("of 20 games")
    ended_well(terminal)
    assert sum("each switch changed alone" in line for line in terminal.lines()) == 1
    assert not any("In the lines below" in line or line.startswith("So far") for line in terminal.lines())


def test_ctrl_c_ends_the_games_of_an_ablation(command: Starter, tmp_path: Path) -> None:
    words = ("--switch", "CheckExtension", "--depth", "4", "--nodes", "300", "--games", ENDLESS)
    terminal = command(80, "ablate", *words, "--out", str(tmp_path / "run"))
    terminal.read_until_screen("games/min")
    terminal.type("\x03")
    ended_well(terminal, 130)


def test_a_run_on_a_cluster(command: Starter, smoke: str, tmp_path: Path) -> None:
    words = ("run", smoke, "--cluster", "local:2")
    terminal = command(NARROW, *words, "--out", str(tmp_path / "run"))
    terminal.read_until_screen("of 8 games", 120)
    terminal.read_until_screen("faults: none", 120)
    ended_well(terminal)


def test_ctrl_c_ends_a_run_on_a_cluster(command: Starter, smoke: str, tmp_path: Path) -> None:
    words = ("run", smoke, "--games", ENDLESS, "--cluster", "local:2")
    terminal = command(80, *words, "--out", str(tmp_path / "run"))
    terminal.read_until_screen("games/min", 120)
    terminal.type("\x03")
    ended_well(terminal, 130)


def test_a_live_page_ends_with_ctrl_c(command: Starter, smoke: str, tmp_path: Path) -> None:
    run = command(80, "run", smoke, "--games", "2", "--out", str(tmp_path / "run"))
    ended_well(run)
    terminal = command(80, "watch", str(tmp_path / "run"), "--port", "0")
    terminal.read_until("http://127.0.0.1:")
    terminal.type("\x03")
    ended_well(terminal)


def test_a_replay(command: Starter, tmp_path: Path) -> None:
    spec = tmp_path / "fixed.toml"
    spec.write_text("[experiment]\nname = 'fixed'\ngames = 4\nnodes = 100\n[base]\n[variants.lmr-off]\nLMR = 'off'\n")
    out = str(tmp_path / "run")
    ended_well(command(100, "run", str(spec), "--out", out))
    terminal = command(NARROW, "verify", out)
    terminal.read_until_screen("of 4 games")
    ended_well(terminal)
    assert terminal.lines()[0] == "4 games replayed move for move, 0 differ"
    assert not any("elapsed" in line for line in terminal.lines())


def test_ctrl_c_ends_a_replay(command: Starter, tmp_path: Path) -> None:
    spec = tmp_path / "fixed.toml"
    spec.write_text("[experiment]\ngames = 2\nnodes = 4000\n[base]\n[variants.lmr-off]\nLMR = 'off'\n")
    out = str(tmp_path / "run")
    ended_well(command(100, "run", str(spec), "--out", out))
    terminal = command(80, "verify", out, "--concurrency", "1")
    terminal.read_until_screen("of 2 games")
    terminal.type("\x03")
    ended_well(terminal, 130)


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_book(command: Starter, tmp_path: Path, columns: int) -> None:
    out = tmp_path / "book.bin"
    lines = tmp_path / "lines.tsv"
    lines.write_text("A00\ta\t1. e4 e5 2. Nf3 Nc6\nA00\tb\t1. d4 d5 2. c4 e6\n")
    terminal = command(columns, "book", str(lines), "--out", str(out))
    ended_well(terminal)
    assert out.exists() and "2 lines" in terminal.shown().replace("\r\n", "")


def games_by_chance(folder: Path) -> None:
    """A finished run of random moves, which take a twentieth of the time of searches."""
    found = synthetic.plan(folder, synthetic.TEXT.replace("games = 8", "games = 80"))
    chance, games = random.Random(1), []
    for job in schedule.jobs(found):
        board = chess.Board(job.opening.fen)
        for word in job.opening.moves:
            board.push_uci(word)
        moves = []
        for _ in range(40):
            move = chance.choice(list(board.legal_moves) or [chess.Move.null()])
            if not move:
                break
            moves.append(MoveRecord(move.uci(), 10.0, 9.0, 0.1, 8, 2000, 31))
            board.push(move)
        games.append(synthetic.record(job, chance.choice(("1-0", "0-1", "1/2-1/2")), moves=tuple(moves)))
    synthetic.journal(folder, found, games)


def test_tuning_shows_its_reading_its_tracing_and_its_fit(command: Starter, tmp_path: Path) -> None:
    games_by_chance(tmp_path)
    weights = tmp_path / "weights.py"
    terminal = command(60, "tune", str(tmp_path), "--rounds", "3", "--out", str(weights))
    for title in ("reading", "weights in each position", "fit"):
        terminal.read_until(title)
    ended_well(terminal)
    assert weights.exists()


@pytest.mark.parametrize("word", ["run", "nodes"])
def test_no_colour_where_none_is_wanted(command: Starter, smoke: str, tmp_path: Path, word: str) -> None:
    words = ("--games", "2", "--out", str(tmp_path / "run")) if word == "run" else ("--depth", "4")
    plain = command(100, word, smoke, *words, env={"NO_COLOR": "1"})
    ended_well(plain)
    assert not plain.colours()


@pytest.mark.parametrize("where", ("terminal", "disk"))
def test_a_run_outlives_its_output(where: str, tmp_path: Path) -> None:
    """Nothing can be written any more: the terminal was closed (after `disown`), or the disk of the log is full.

    The faults are notes, which are printed at once.
    """
    text = "[experiment]\nkind = 'match'\ngames = 4\ndepth = 1\nconcurrency = 1"
    spec = runs.experiment(tmp_path, text, a="pace=0.1 illegal@6", b="uci")
    line = f"{shlex.quote(GAUNTLET)} run {shlex.quote(str(spec))} --out {shlex.quote(str(tmp_path / 'out'))}"
    if where == "disk":
        assert subprocess.run(["sh", "-c", f"{line} >/dev/full 2>&1"], timeout=60).returncode == 1
    else:
        with Terminal(["sh", "-c", f"trap '' HUP; exec {line}"]) as terminal:
            terminal.read_until("White")  # of the table of games in play
            terminal.hang_up()
            assert terminal.wait() == 1
    assert "end: exit status 1, 4 of 4 games" in (tmp_path / "out" / "run.log").read_text()
