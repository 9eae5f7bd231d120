"""Collecting positions: the file is a function of the plan, however often the work was stopped, and whoever played."""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import chess
import numpy as np
import pytest
import synthetic
from fake_engines import runs
from here import gauntlet, refusal

from harness.commands.learn import data
from harness.engines import sortie
from harness.errors import BadInput
from harness.model import MoveRecord, Opening
from harness.schedule import jobs as schedule
from harness.training import collect, plan, positions, selfplay
from harness.training.collect import Progress
from harness.training.plan import DataPlan
from harness.training.selfplay import Game, bench

SPEC = """
[data]
positions = 400
nodes = 120
random_plies = "8-9"
seed = 3
[base]
LMR = "off"
"""


class Fake:
    """Games of three records each; stops by an exception after some."""

    def __init__(self, last: int | None = None) -> None:
        self.last = last
        self.asked: list[int] = []

    def games(self, first: int) -> Iterator[Game]:
        self.asked.append(first)
        for number in itertools.count(first):
            if self.last is not None and number > self.last:
                raise KeyboardInterrupt
            yield Game(number, 60, 1000, 0.25, number % 3, "score", bytes([number]) * 96)


def gather(path: Path, source: Fake, count: int = 30, **changes: object) -> Progress:
    asked = DataPlan(("sortie",), positions=count, **changes)  # type: ignore[arg-type]
    return collect.collect(path, asked, "Sortie 1, bench 7", source, lambda progress: None)


def test_a_stopped_collection_goes_on(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.pos", tmp_path / "parts.pos"
    done = gather(whole, Fake())
    assert (done.games, done.positions, done.plies, done.seconds) == (10, 30, 600, 2.5)
    assert (done.won, done.drawn, done.lost) == (3, 4, 3)
    with pytest.raises(KeyboardInterrupt):
        gather(parts, Fake(4))
    with parts.open("ab") as file:
        file.write(b"torn")  # what a crash left behind the last record
    second = Fake()
    assert gather(parts, second).games == 10 and second.asked == [5]
    assert parts.read_bytes() == whole.read_bytes()
    more = Fake()
    assert gather(parts, more, 40).games == 14 and more.asked == [11]
    nothing = Fake()
    assert gather(parts, nothing, 40).games == 14 and not nothing.asked


def test_a_stop_while_a_game_is_counted_counts_it_not_at_all(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.pos", tmp_path / "parts.pos"
    gather(whole, Fake())

    class Stopped:
        records, plies, seconds = bytes(96), 60, 0.25

        @property
        def nodes(self) -> int:
            raise KeyboardInterrupt

    class Once(Fake):
        def games(self, first: int) -> Iterator[Game]:
            for game in super().games(first):
                yield Stopped() if game.number == 4 else game  # type: ignore[misc]

    with pytest.raises(KeyboardInterrupt):
        gather(parts, Once())
    assert gather(parts, Fake()).games == 10
    assert parts.read_bytes() == whole.read_bytes()


def test_a_file_that_has_enough_loses_what_a_crash_left_behind_it(tmp_path: Path) -> None:
    """Or nothing could read it, though the command said it was done."""
    path = tmp_path / "x.pos"
    gather(path, Fake())
    whole = path.read_bytes()
    path.write_bytes(whole + bytes(96) + b"torn")
    assert gather(path, Fake(), 20).positions == 30
    assert path.read_bytes() == whole


def test_another_plan_or_build_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.pos"
    gather(path, Fake())
    with pytest.raises(BadInput, match="holds positions with seed 1, expected 2"):
        gather(path, Fake(), 60, seed=2)
    with pytest.raises(BadInput, match="engine"):
        collect.collect(path, DataPlan(("sortie",)), "Sortie 1, bench 8", Fake(), lambda progress: None)
    path.write_bytes(path.read_bytes()[:-64])
    with pytest.raises(BadInput, match="shorter than its record says"):
        gather(path, Fake(), 60)
    collect.record_path(path).write_text("[]")
    with pytest.raises(BadInput, match="no record of gauntlet data"):
        gather(path, Fake(), 60)
    collect.record_path(path).write_text('{"shuffled": {"seed": 1}}')
    with pytest.raises(BadInput, match="holds positions that were not played for it: give another --out"):
        gather(path, Fake(), 60)
    collect.record_path(path).unlink()
    with pytest.raises(BadInput, match="not its record"):
        gather(path, Fake(), 60)


def test_who_compiled_a_build_does_not_matter(tmp_path: Path) -> None:
    """It plays the same games; records of before named the compiler."""
    path, program = tmp_path / "some.pos", tmp_path / "sortie"
    program.write_text(
        "#!/bin/sh\n"
        "test \"$1\" = --version && echo 'Sortie 1, bench 7, compiled by clang 14 (A, B) for x86-64-v2' || echo '{\"nodes\": 7}'\n"
    )
    program.chmod(0o755)
    assert bench((str(program),)) == "Sortie 1, bench 7"
    gather(path, Fake())
    beside = collect.record_path(path)
    beside.write_text(beside.read_text().replace("bench 7", "bench 7, compiled by GCC 12 with a profile, bench 7"))
    assert gather(path, Fake(), 60).positions == 60
    assert json.loads(beside.read_text())["plan"]["engine"] == "Sortie 1, bench 7"


def test_another_book_is_another_plan(tmp_path: Path) -> None:
    """It may lie elsewhere, but its contents are part of the plan."""
    path, book, copy = tmp_path / "x.pos", tmp_path / "book.bin", tmp_path / "copy" / "book.bin"
    copy.parent.mkdir()
    for file in (book, copy):
        file.write_bytes(bytes(16))
    gather(path, Fake(), book=str(book))
    assert gather(path, Fake(), 60, book=str(copy)).positions == 60
    copy.write_bytes(bytes(32))
    with pytest.raises(BadInput, match="book"):
        gather(path, Fake(), 90, book=str(copy))


@pytest.mark.parametrize("changes", [{"strays": 50}, {"balance": 120}, {"book": "book.bin"}])
def test_a_setting_left_out_is_another_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object]
) -> None:
    """The plan on record has the setting, the one asked for its default, which no record names."""
    monkeypatch.chdir(tmp_path)
    Path("book.bin").write_bytes(bytes(16))
    path = tmp_path / "x.pos"
    gather(path, Fake(), 30, **changes)
    before = path.read_bytes()
    with pytest.raises(BadInput, match=f"holds positions with {next(iter(changes))} "):
        gather(path, Fake(), 60)
    assert path.read_bytes() == before and gather(path, Fake(), 60, **changes).positions == 60


def test_another_network_is_another_plan(tmp_path: Path) -> None:
    path, net = tmp_path / "x.pos", tmp_path / "n.net"
    net.write_bytes(b"one")
    gather(path, Fake(), options=(("NetworkFile", str(net)),))
    net.write_bytes(b"two")
    with pytest.raises(BadInput, match="holds positions with options"):
        gather(path, Fake(), 60, options=(("NetworkFile", str(net)),))


def test_the_reason_of_a_stop_begins_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal it stood behind the line of progress."""

    class Failing(Fake):
        def games(self, first: int) -> Iterator[Game]:
            raise BadInput("out of luck")

    monkeypatch.setattr(selfplay, "bench", lambda command: "Sortie 1, bench 7")
    monkeypatch.setattr(selfplay, "local", lambda plan, slots: contextlib.nullcontext(Failing()))
    for terminal, left in ((True, "\r\x1b[K"), (False, "")):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
        with pytest.raises(BadInput, match="out of luck"):
            data._play(DataPlan(("sortie",)), tmp_path / "x.pos", 1, None)
        assert capsys.readouterr().err == left


def test_what_was_begun_in_vain_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "x.pos"
    with pytest.raises(KeyboardInterrupt):
        gather(path, Fake(0), seed=1)
    assert gather(path, Fake(), seed=2).positions == 30


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "x.pos"

    class Second(Fake):
        def games(self, first: int) -> Iterator[Game]:
            with pytest.raises(BadInput, match="another gauntlet data is writing it"):
                gather(path, Fake())
            return super().games(first)

    assert gather(path, Second()).positions == 30


@pytest.mark.parametrize("progress", ['"x"', "-3", "1.5", "true", "null"])
def test_a_damaged_record_is_one_line(tmp_path: Path, progress: str) -> None:
    path = tmp_path / "x.pos"
    gather(path, Fake())
    record = collect.record_path(path)
    record.write_text(record.read_text().replace('"positions": 30', f'"positions": {progress}'))
    with pytest.raises(BadInput, match="is no record of gauntlet data"):
        gather(path, Fake(), 60)
    record.write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(BadInput, match="is no record of gauntlet data"):
        gather(path, Fake(), 60)


@pytest.mark.parametrize("words", [["--shuffle", "x.pos"], ["--blend", "x.pos"], ["--from", "."]])
def test_positions_that_were_played_for_are_not_replaced(tmp_path: Path, words: list[str]) -> None:
    for name in ("x.pos", "y.pos"):
        gather(tmp_path / name, Fake())
    before = (tmp_path / "y.pos").read_bytes()
    for name, message in (("y.pos", "holds positions that were played for"), ("notes", "is no file of positions")):
        (tmp_path / "notes").write_text("mine")
        assert f"{name}: {message}" in refusal("data", *words, "--out", name, cwd=tmp_path)
    assert (tmp_path / "y.pos").read_bytes() == before and (tmp_path / "notes").read_text() == "mine"


@pytest.mark.parametrize(
    "words", [["--shuffle", "y.json"], ["--blend", "y.json"], ["--blend", "x.pos", "--network", "y.json"], ["y.json"]]
)
def test_a_record_is_not_written_over_what_is_read(tmp_path: Path, words: list[str]) -> None:
    gather(tmp_path / "x.pos", Fake())
    (tmp_path / "y.json").write_bytes(before := (tmp_path / "x.pos").read_bytes())
    told = refusal("data", *words, "--out", "y", cwd=tmp_path)
    assert told == "y.json: is one of the files that are read, expected another\n"
    assert (tmp_path / "y.json").read_bytes() == before and not (tmp_path / "y").exists()


def test_one_position_is_no_plural(tmp_path: Path) -> None:
    gather(tmp_path / "x.pos", Fake(), 1)
    (tmp_path / "x.pos").write_bytes((tmp_path / "x.pos").read_bytes()[:64])
    done = gauntlet("data", "--shuffle", "x.pos", "--out", "y.pos", cwd=tmp_path)
    assert done.stdout == "1 position, shuffled, in y.pos\n"


MOVES = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f6e4 d2d4 b7b5 a4b3 d7d5".split()  # castles, takes on ply 10


def run_of(folder: Path, score: int) -> None:
    """A results folder with two games of these moves, one won by White, one drawn."""
    made = tuple(MoveRecord(text, 1.0, score=score + place) for place, text in enumerate(MOVES))
    found = synthetic.plan(folder)
    games = [
        replace(
            synthetic.record(job, result, moves=made), job=replace(job, opening=Opening(chess.STARTING_FEN, (), ""))
        )
        for job, result in zip(schedule.jobs(found), ("1-0", "1/2-1/2"), strict=False)
    ]
    synthetic.journal(folder, found, games)


def test_positions_come_from_finished_runs(tmp_path: Path) -> None:
    run_of(tmp_path, 20)
    found = np.concatenate(list(collect.from_journals([tmp_path])))
    board, wanted = chess.Board(), []
    for place, text in enumerate(MOVES):
        move = board.parse_uci(text)
        if place >= collect.SKIP_FIRST and not board.is_capture(move):
            wanted.append((board.board_fen(), board.turn, 20 + place))
        board.push(move)
    boards = [positions.board_of(record) for record in found]
    scores = [int(score) for score in found["score"]]
    assert [(b.board_fen(), b.turn, score) for b, score in zip(boards, scores, strict=True)] == 2 * wanted
    won = [2 if turn else 0 for _, turn, _ in wanted]
    assert found["result"].tolist() == won + [1] * len(wanted)
    assert found["game"].tolist() == [1] * len(wanted) + [2] * len(wanted)


def test_a_run_without_calm_positions_replaces_nothing(tmp_path: Path) -> None:
    run_of(tmp_path, positions.MOST_SCORE)
    (tmp_path / "x.pos").write_bytes(before := positions.HEADER + bytes(32))
    told = refusal("data", "--from", ".", "--out", "x.pos", cwd=tmp_path)
    assert "no calm position with a score in the finished games of ." in told
    assert (tmp_path / "x.pos").read_bytes() == before and not (tmp_path / "x.pos.json").exists()


def test_a_shuffled_file_says_where_it_is_from(tmp_path: Path) -> None:
    gather(tmp_path / "x.pos", Fake())
    for _ in range(2):  # it may be made again
        done = gauntlet("data", "--shuffle", "x.pos", "--out", "y.pos", "--seed", "4", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "y.pos.json").read_text())
    assert told["shuffled"] == {"seed": 4} and told["of"][0]["plan"]["seed"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[data]\nnods = 3", 'unknown key "nods": did you mean "nodes"?'),
        ("[data]\nnodes = 0", "nodes must be 1 or more"),
        ('[data]\nbook = "none.bin"', "none.bin: no such file, expected a Polyglot book"),
        ("[data]\nbalance = 0", "balance must be 1 or more, not 0"),
        ("[data]\nstrays = 101", "strays must be 100 or less, not 101"),
        ('[data]\nrandom_plies = "10-8"', 'random_plies must be a number, or "LEAST-MOST"'),
        ("[data]\nrandom_plies = [1, 2, 3]", "random_plies must be"),
        ("[dta]", 'unknown key "dta"'),
        ('[base]\nLMR = "tabel"', 'LMR has no level "tabel": did you mean "table"?'),
        ("[data", "Expected"),
        pytest.param("a = " + "[" * 5000, "lists or tables within each other too deep", id="deep"),
        ("[base]\nnodes = 500", "[base] takes a command and options here, no nodes"),
        ("[base]\nio_log = true", "[base] takes a command and options here, no io_log"),
        ('[base]\ninit = ["nopost"]', "[base] takes a command and options here, no init"),
        ("[base]\noptions = { memory = 64 }", "[base] takes no memory here"),
        ("[base]\noptions = { cores = 2 }", "[base] takes no cores here"),
    ],
)
def test_mistakes_in_the_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        plan.load(str(path))
    assert message in str(caught.value) and "x.toml" in str(caught.value)


def test_the_file_as_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.toml"
    path.write_text(SPEC)
    found = plan.load(str(path))
    assert (found.positions, found.nodes, found.random_plies, found.seed) == (400, 120, (8, 9), 3)
    assert found.options == (("LMR", "off"),)
    assert found.arguments()[:3] == ["selfplay", "--nodes", "120"] and "LMR=off" in found.arguments()
    assert "--strays" not in found.arguments() and found.strays == 0
    path.write_text("[data]\nstrays = 25")
    assert "--strays 25" in " ".join(plan.load(str(path)).arguments())
    (tmp_path / "lines.bin").write_bytes(bytes(16))
    path.write_text('[data]\nbook = "lines.bin"\nbalance = 90')
    words = " ".join(plan.load(str(path)).arguments())
    assert f"--book {tmp_path / 'lines.bin'}" in words and "--balance 90" in words
    monkeypatch.setenv("HOME", str(tmp_path))
    path.write_text('[data]\nbook = "~/lines.bin"')
    assert plan.load(str(path)).book == str(tmp_path / "lines.bin")
    path.write_text("[data]\nrandom_plies = 6")
    assert plan.load(str(path)).random_plies == (6, 6)


def test_positions_from_nothing(tmp_path: Path) -> None:
    """One process, two processes, and a kill in between: the same bytes; then shuffled and checked."""
    (tmp_path / "x.toml").write_text(SPEC)
    done = gauntlet("data", "x.toml", "--out", "one.pos", "--concurrency", "1", cwd=tmp_path)
    assert done.returncode == 0 and "positions a processor hour" in done.stdout, done.stderr
    words = ("data", "x.toml", "--out", "two.pos", "--concurrency", "2")
    began = subprocess.Popen([sys.executable, "-m", "harness", *words], cwd=tmp_path)
    while not collect.record_path(tmp_path / "two.pos").exists():
        assert began.poll() is None
        time.sleep(0.01)
    began.send_signal(signal.SIGKILL)
    began.wait()
    done = gauntlet(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "one.pos").read_bytes() == (tmp_path / "two.pos").read_bytes()
    record = json.loads((tmp_path / "one.pos.json").read_text())
    assert record["progress"]["positions"] >= 400 and "bench" in record["plan"]["engine"]
    done = gauntlet("data", "--shuffle", "one.pos", "two.pos", "--out", "mixed.pos", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = gauntlet("data", "--check", "mixed.pos", cwd=tmp_path)
    assert done.returncode == 0 and "White won" in done.stdout and "positions that stood there before: " in done.stdout
    found = positions.check(tmp_path / "mixed.pos")
    assert found.positions == 2 * record["progress"]["positions"] and found.repeated >= 0.5


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("echo 'sortie: a.py is newer than its compiled module: run make build' >&2; exit 2", "run make build"),
        ("exit 0", "exit status 0, nothing printed"),
        ("echo hello", "gives no nodes (is it Sortie?)"),
    ],
)
def test_a_sortie_that_cannot_play_says_why(tmp_path: Path, body: str, reason: str) -> None:
    program = tmp_path / "sortie"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    with pytest.raises(BadInput) as caught:
        bench((str(program),))
    assert str(caught.value).startswith(f"{program}: `") and str(caught.value).endswith(reason)


def test_an_engine_that_says_something_else_is_told_of_and_not_waited_for(tmp_path: Path) -> None:
    """It lives on, so its standard error has no end before it is killed."""
    program = tmp_path / "sortie"
    program.write_text("#!/bin/sh\nread number\necho 'its own words' >&2\necho a wrapper\nexec sleep 600\n")
    program.chmod(0o755)
    found: queue.Queue[str] = queue.Queue()

    def play() -> None:
        with selfplay.local(DataPlan((str(program),)), 1) as slots:
            try:
                next(slots.games(1))
            except BadInput as error:
                found.put(str(error))

    threading.Thread(target=play, daemon=True).start()
    assert found.get(timeout=30) == "its own words"


def test_a_game_cut_short_by_a_kill_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its records would end within one, and all that came after it in the file would be read askew."""
    program = tmp_path / "sortie"
    head = json.dumps({"game": 1, "plies": 9, "nodes": 9, "seconds": 1, "result": 1, "reason": "fifty", "positions": 2})
    program.write_text(f"#!/bin/sh\nread number\necho '{head}'\nprintf '%040d' 7\n")
    program.chmod(0o755)
    with selfplay.local(DataPlan((str(program),)), 1) as slots, pytest.raises(BadInput, match="ended before its game"):
        next(slots.games(1))
    monkeypatch.setattr(selfplay, "bench", lambda _: "its build")
    with pytest.raises(BadInput, match="sortie selfplay: exit status 0"):
        selfplay.play_batch((str(program),), [], 1, 1, "its build")


def test_what_a_full_disk_left_is_begun_again(tmp_path: Path) -> None:
    (tmp_path / "x.pos").touch()
    assert gather(tmp_path / "x.pos", Fake()).positions == 30


def test_a_cluster_plays_the_same_games(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    words = ("data", "--positions", "200", "--nodes", "80", "--out")
    assert gauntlet(*words, "here.pos", "--concurrency", "1", cwd=tmp_path).returncode == 0
    done = runs.gauntlet(*words, "there.pos", "--cluster", "local:2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "here.pos").read_bytes() == (tmp_path / "there.pos").read_bytes()


class FakeCluster:
    """A client of a cluster of `slots` slots: its tasks end as the script says, one after the other."""

    def __init__(self, slots: int, *script: object) -> None:
        self.script = list(script)
        self.submitted: list[object] = []
        self.status = "running"
        identity = {"workers": {"one": {"resources": {"slot": slots}}}}
        self.scheduler = SimpleNamespace(identity=lambda: identity)

    def sync(self, function: Callable[[], object]) -> object:
        return function()

    def submit(self, function: object, *arguments: object, **_: object) -> FakeCluster:
        if function is selfplay.play_batch:
            self.submitted.append(arguments[2])
        return self

    def result(self, _: float) -> object:
        said = self.script.pop(0)
        if isinstance(said, Exception):
            self.status = "closed" if type(said) is OSError else "running"
            raise said
        return said


def on_fake(monkeypatch: pytest.MonkeyPatch, client: FakeCluster, most: int | None = None) -> Iterator[Game]:
    monkeypatch.setattr(sortie, "beside", lambda: "sortie")
    return selfplay.ClusterSlots(client, DataPlan(("sortie",)), "its build", "local:2", 0.0, most).games(1)


@pytest.mark.parametrize(("most", "tasks"), [(None, 8), (3, 3), (100, 8)])
def test_a_cluster_plays_no_more_games_at_a_time_than_asked_for(
    monkeypatch: pytest.MonkeyPatch, most: int | None, tasks: int
) -> None:
    """Of four slots, each of which has a task waiting."""
    client = FakeCluster(4, None, [Game(1, 1, 1, 0.1, 1, "", b"")])
    next(on_fake(monkeypatch, client, most))
    assert client.submitted == [1 + selfplay.BATCH * number for number in range(tasks)]


def test_on_a_cluster_what_a_worker_died_of_is_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    killed = pytest.importorskip("distributed").KilledWorker("task", SimpleNamespace(address="one"), 0)
    game = Game(1, 60, 1000, 0.25, 1, "score", b"")
    script = (killed, None, TimeoutError(), killed, killed, [game])
    assert next(on_fake(monkeypatch, FakeCluster(1, *script))) is game
    with pytest.raises(BadInput, match=r"^--cluster local:2: the same games have cost 3 workers$"):
        next(on_fake(monkeypatch, FakeCluster(1, None, killed, killed, killed)))


@pytest.mark.parametrize(
    ("slots", "said", "message"),
    [
        (0, TimeoutError(), "no worker came within 0 s: start some with dask worker"),
        (1, OSError("closed"), "the scheduler is gone"),
        (1, ImportError("no module harness"), "ImportError: no module harness"),
        (1, BadInput("a worker runs another"), "a worker runs another"),
    ],
)
def test_a_cluster_that_fails_is_one_line(
    monkeypatch: pytest.MonkeyPatch, slots: int, said: Exception, message: str
) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(BadInput, match=f"^--cluster local:2: {message}[^\\n]*$"):
        next(on_fake(monkeypatch, FakeCluster(slots, None, said)))


def test_each_worker_must_run_the_same_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfplay, "bench", lambda _: "another build")
    with pytest.raises(BadInput, match="a worker runs another build, expected its build"):
        selfplay.play_batch(("sortie",), [], 1, 1, "its build")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "--out FILE is missing"),
        (["--check"], "name the folders or files"),
        (["--check", "--shuffle", "x"], "exclude each other"),
        (["--shuffle", "x", "./x", "--out", "x"], "x: is one of the files that are read"),
        (["--from", "run", "./run", "--out", "x.pos"], "./run: is named twice, and its games would count twice"),
        (["--from", "run", "--out", "./run/games.db"], "run/games.db: is one of the files that are read"),
        (["none.toml", "--out", "x.pos"], "none.toml: cannot be read"),
        (["--out", "no/such/folder/x.pos"], "expected a file in a folder that exists"),
        (["--check", "x.pos"], "x.pos: cannot be read"),
        (["a", "b", "--out", "x.pos"], "one SPEC at most"),
        (["--share", "0.3", "--out", "x.pos"], "--share means nothing without --blend"),
        (["--shuffle", "a", "--out", "x.pos", "--positions", "3"], "--positions means nothing with --shuffle"),
        (["--check", "a", "--out", "x.pos"], "--out means nothing with --check"),
        (["--shuffle", "a", "--out", "/dev/null"], "/dev/null: is no regular file"),
    ],
)
def test_bad_words(tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "run").mkdir()
    assert message in refusal("data", *words, cwd=tmp_path)
