"""Runs spread over a cluster: the same games, none lost, none twice, nothing left behind."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import synthetic
from fake_engines.runs import begin, experiment, gauntlet, living, show, wait_for
from kill_nine import moves
from positions import START

from harness.cluster import connect as cluster
from harness.cluster import proof as cluster_proof
from harness.cluster.pool import LOSSES, ClusterPool
from harness.cluster.proof import Proof, difference, localised, scaled
from harness.cluster.worker import Spoiled
from harness.errors import BadInput
from harness.game.game import Rules
from harness.journal.record import PackedGame, pack
from harness.model import Job, Limit, Opening, Player
from harness.run.display import Display
from harness.run.start import resume, start
from harness.slots.interface import Broken, News, Note, PairLost, WorkerReady
from harness.slots.local import SlotsFailed

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")

SHORT = "[experiment]\nmax_moves = 5\npatience = 60\nconcurrency = 2\n"


# Addresses


@pytest.mark.parametrize(
    "text, found",
    [
        ("local:1", 1),
        ("local:12", 12),
        ("tcp://10.0.0.1:8786", "tcp://10.0.0.1:8786"),
        ("host.name:8786", "tcp://host.name:8786"),
        ("tls://[fe80::1]:99/", "tls://[fe80::1]:99"),
    ],
)
def test_addresses_are_read(text: str, found: object) -> None:
    assert cluster.parse(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "local",
        "local:",
        "local:0",
        "local:x",
        "local:-1",
        "host",
        "host:",
        "host:0",
        "host:70000",
        "tcp:/a:1",
        "x y:1",
    ]
    + [
        "ftp://host:8786",
        "http://host:8786",
        "ucx://host:8786",
        "tcp://host:8786/path",
        "local:99999",
        "local:" + "9" * 5000,
    ],
)
def test_bad_addresses_are_one_line_and_status_2(text: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as error:
        cluster.parse(text)
    assert "\n" not in str(error.value) and f"--cluster {text}" in str(error.value) and "expected" in str(error.value)


def test_the_command_line_refuses_a_bad_address(tmp_path: Path) -> None:
    spec = experiment(tmp_path, SHORT + "games = 2\ndepth = 3\n", a="", b="")
    done = gauntlet("run", spec, "--out", tmp_path / "out", "--cluster", "local:none")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "local:N" in done.stderr
    assert not (tmp_path / "out").exists()


def test_without_the_library_the_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(BadInput, match=r"^--cluster: the package .* is not installed; .*pip install"):
        cluster.library()


def test_a_mistake_in_the_configuration_of_dask_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dask

    for value in ("abc", "", [1], None, -5, 0):
        with (
            dask.config.set({cluster.CONFIG_WAIT: value}),
            pytest.raises(BadInput, match=r"^gauntlet.worker-wait = .* in the Dask configuration: expected a time"),
        ):
            cluster.worker_wait()
    with dask.config.set({cluster.CONFIG_WAIT: "5m"}):
        assert cluster.worker_wait() == 300
    bad = tmp_path / "bad.yaml"
    bad.write_text("a: [\n")
    for name in ("dask", "dask.config"):
        monkeypatch.delitem(__import__("sys").modules, name)
    monkeypatch.setenv("DASK_CONFIG", str(bad))
    with pytest.raises(BadInput, match=r"^--cluster: A dask config file at '.*bad.yaml' is malformed[^\n]*$"):
        cluster.library()


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT", 0.5)
    with pytest.raises(BadInput, match="127.0.0.1:9: no scheduler answers"), cluster.client_of("127.0.0.1:9"):
        pass


def test_a_secure_address_needs_certificates(tmp_path: Path) -> None:
    import dask

    with pytest.raises(BadInput, match="no certificates: .*ca-file"), cluster.client_of("tls://127.0.0.1:9"):
        pass
    names = ("ca-file", "client.cert", "client.key")
    missing = {f"distributed.comm.tls.{name}": str(tmp_path / name) for name in names}
    with (
        dask.config.set(missing),
        pytest.raises(BadInput, match="the certificates of the Dask configuration"),
        cluster.client_of("tls://127.0.0.1:9"),
    ):
        pass


# Proof


def players(*limits: Limit) -> tuple[Player, ...]:
    return tuple(Player(n, f"p{n}", ("sortie",), "xboard", limit, sortie=True) for n, limit in enumerate(limits))


def test_times_are_scaled_and_nodes_are_not() -> None:
    assert scaled(Limit(base=2.0, increment=0.02, moves_per_session=40), 1.5) == Limit(3.0, 0.03, 40)
    assert scaled(Limit(movetime=0.1), 0.5) == Limit(movetime=0.05)
    assert scaled(Limit(nodes=1000), 2.0) == Limit(nodes=1000)
    assert scaled(Limit(depth=5), 0.1) == Limit(depth=5)
    assert cluster_proof.timed(players(Limit(nodes=5), Limit(movetime=1.0)))
    assert not cluster_proof.timed(players(Limit(nodes=5), Limit(depth=1)))


def test_a_different_build_is_seen() -> None:
    both = players(Limit(nodes=1), Limit(nodes=1))
    own = Proof("h", "m", "1.0", ((0, "Sortie 1, bench 7"), (1, "Other 2")))
    assert difference(both, own, own) is None
    assert difference(both, Proof("x", "y", "1.0", own.engines, 5.0), own) is None
    assert difference(both, Proof("h", "m", "1.1", own.engines), own) == "gauntlet 1.1, expected 1.0"
    other = Proof("h", "m", "1.0", ((0, "Sortie 1, bench 8"), (1, "Other 2")))
    assert difference(both, other, own) == 'p0 is "Sortie 1, bench 8", expected "Sortie 1, bench 7"'


def test_a_sortie_is_known_by_its_bench_whoever_compiled_it(tmp_path: Path) -> None:
    program = tmp_path / "sortie"
    program.write_text(
        "#!/bin/sh\n"
        "test $1 = --version && echo 'Sortie 1, bench 9, compiled by clang 14' || echo '{\"nodes\": 7, \"nps\": 1}'\n"
    )
    program.chmod(0o755)
    built = Player(0, "base", (str(program),), "xboard", Limit(nodes=1), sortie=True)
    assert cluster_proof.identify(built, 5.0) == "Sortie 1, bench 7"


def test_the_default_sortie_is_the_one_of_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.cluster.proof.beside", lambda: "/there/sortie")
    named = Player(1, "x", ("/opt/sortie",), "xboard", Limit(nodes=1), sortie=True)
    foreign = Player(2, "y", ("/here/sortie",), "uci", Limit(nodes=1))
    default = Player(0, "base", ("/here/sortie",), "xboard", Limit(nodes=1), sortie=True)
    found = localised((default, named, foreign), "/here/sortie")
    assert [player.command for player in found] == [("/there/sortie",), ("/opt/sortie",), ("/here/sortie",)]


def test_a_proof_says_what_engines_there_are(tmp_path: Path) -> None:
    from fake_engines import command

    a = Player(0, "a", command("seed=1"), "xboard", Limit(depth=1))
    b = Player(1, "b", command("seed=1", uci=True), "uci", Limit(depth=1))
    proof = cluster_proof.prove(cluster_proof.Task((a, b), 20.0, None))
    assert dict(proof.engines).keys() == {0, 1} and all(dict(proof.engines).values()) and proof.nps is None
    gone = Player(0, "gone", ("/no/such/engine",), "xboard", Limit(depth=1))
    with pytest.raises(cluster_proof.ProofFailed, match="gone: /no/such/engine"):
        cluster_proof.prove(cluster_proof.Task((gone,), 20.0, None))


# The pool, with a client made of paper


class Future:
    def __init__(self, key: str, values: tuple[Any, ...], where: str) -> None:
        self.key, self.values, self.where = key, values, where
        self.status = "pending"
        self.outcome: Any = None
        self.released = False
        self.callbacks: list[Callable[[Any], None]] = []

    def add_done_callback(self, function: Callable[[Any], None]) -> None:
        self.callbacks.append(function)

    def end(self, status: str, outcome: Any = None) -> None:
        self.status, self.outcome = status, outcome
        for function in self.callbacks:
            function(self)

    def result(self, timeout: float) -> Any:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome

    def release(self) -> None:
        self.released = True

    def exception(self) -> Any:
        return self.outcome


class Client:
    """Does what a client of Dask is asked for here, without a network."""

    def __init__(self) -> None:
        self.id = "client-1"
        self.status = "running"
        self.loop = SimpleNamespace(add_callback=self._call)
        self.scheduler = SimpleNamespace(identity=self._identity)
        self.workers: dict[str, dict[str, Any]] = {}
        self.futures: list[Future] = []
        self.handlers: dict[str, Callable[[Any], None]] = {}
        self.ran: list[tuple[Any, ...]] = []

    def _call(self, function: Callable[[], Any]) -> None:
        try:
            function().send(None)
        except StopIteration:
            pass

    async def _identity(self) -> dict[str, Any]:
        return {"workers": dict(self.workers)}

    def subscribe_topic(self, topic: str, handler: Callable[[Any], None]) -> None:
        self.handlers[topic] = handler

    def unsubscribe_topic(self, topic: str) -> None:
        del self.handlers[topic]

    def submit(self, function: Any, *values: Any, key: str, workers: list[str], **more: Any) -> Future:
        assert more == {"pure": False, "allow_other_workers": False, "resources": {"slot": 1}}
        self.futures.append(Future(key, values, workers[0]))
        return self.futures[-1]

    def run(self, *values: Any, **_: Any) -> None:
        self.ran.append(values)

    # What happens to it

    def join(self, address: str, slots: int = 1) -> None:
        self.workers[address] = {"host": "h", "resources": {"slot": slots} if slots else {}}
        self.handlers["all"]((0.0, {"action": "add-worker", "worker": address}))

    def leave(self, address: str, expected: bool = False) -> None:
        del self.workers[address]
        self.handlers["all"]((0.0, {"action": "remove-worker", "worker": address, "expected": expected}))

    def say(self, task: str, word: str, value: Any, run: str = "run") -> None:
        self.handlers[self.id]((0.0, {"run": run, "task": task, "word": word, "value": value}))


EXPECTED = Proof("here", "here 1", "1", ((0, "A"), (1, "B")), 1000.0)
BOTH = tuple(Player(n, "ab"[n], ("x",), "xboard", Limit(base=1.0)) for n in (0, 1))


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def pool(client: Client) -> Iterator[ClusterPool]:
    with ClusterPool(client, "paper", "run", BOTH, Rules(), None, EXPECTED, 0.5) as made:
        yield made


def pair(number: int) -> list[Job]:
    opening = Opening(START)
    return [Job(2 * number - 1, 0, number, 1, 0, 1, opening), Job(2 * number, 0, number, 2, 1, 0, opening)]


def news(pool: ClusterPool) -> list[News]:
    return [message.news for _ in range(2) for message in pool.messages(0)]


def lost_of(pool: ClusterPool) -> PairLost:
    """The one pair that was lost just now."""
    (found,) = (one for one in news(pool) if isinstance(one, PairLost))
    return found


def ready_of(pool: ClusterPool) -> WorkerReady:
    """The worker that may play from now on."""
    (found,) = news(pool)
    assert isinstance(found, WorkerReady)
    return found


def admit(pool: ClusterPool, client: Client, address: str, nps: float = 1000.0, **more: Any) -> list[News]:
    client.join(address, **more)
    news(pool)
    proof = Proof("there", "there 2", "1", EXPECTED.engines, nps)
    client.futures[-1].end("finished", proof)
    return news(pool)


def packed(job: Job) -> list[Any]:
    game = pack(synthetic.record(job, "1-0"))
    return [list(game.row), game.row_crc, game.moves, game.evidence, game.moves_crc]


def test_a_worker_plays_once_it_has_proved_itself(pool: ClusterPool, client: Client) -> None:
    client.join("w1")
    assert news(pool) == [] and pool.idle() == [] and client.futures[0].where == "w1"
    client.futures[0].end("finished", Proof("there", "there 2", "1", EXPECTED.engines, 500.0))
    assert ready_of(pool).factor == 2.0  # half as fast, twice the time
    assert len(pool.idle()) == 1
    pool.play(pool.idle()[0], pair(1))
    task = client.futures[-1]
    assert task.where == "w1" and task.values[:2] == ("run", 2.0) and task.values[3] == pair(1)
    assert task.key.startswith("gauntlet-run-pair-0.1-") and pool.idle() == [] and pool.busy == 1


def test_our_own_machine_is_the_measure(pool: ClusterPool, client: Client) -> None:
    client.join("w1")
    news(pool)
    client.futures[0].end("finished", Proof("here", "here 1", "1", EXPECTED.engines, 700.0))
    assert ready_of(pool).factor == 1.0


def test_a_worker_with_another_build_or_no_slots_never_plays(pool: ClusterPool, client: Client) -> None:
    client.join("w1")
    client.join("w2", slots=0)
    news(pool)
    client.futures[0].end("finished", Proof("there", "x", "1", ((0, "A"), (1, "C"))))
    assert news(pool)[-1] == Note('worker w1 does not play: b is "C", expected "B"', shown=True)
    assert pool.idle() == [] and len(client.futures) == 1
    with pytest.raises(Broken, match="w2 does not play: offers no slots"):
        pool.wait()


def test_a_proof_that_cannot_be_fetched_is_made_again(pool: ClusterPool, client: Client) -> None:
    """The worker has died, or is frozen, and the scheduler does not know it yet: the run must not wait for it."""
    client.join("w1")
    news(pool)
    client.futures[0].end("finished", TimeoutError())
    assert news(pool) == [] and pool.idle() == []
    client.join("w2")  # who is there is asked anew
    news(pool)
    again = next(future for future in client.futures[1:] if future.where == "w1")
    again.end("finished", Proof("there", "there 2", "1", EXPECTED.engines, 500.0))
    assert ready_of(pool).address == "w1" and not pool.refused


def test_a_worker_refused_long_ago_is_not_why_all_others_have_left(pool: ClusterPool, client: Client) -> None:
    client.join("w1", slots=0)
    admit(pool, client, "w2")
    client.leave("w2")
    news(pool)
    pool._nobody_since = 0.0
    with pytest.raises(Broken, match="no worker came within 0.5 s"):
        news(pool)


def test_games_are_taken_once_and_only_as_they_were_asked_for(pool: ClusterPool, client: Client) -> None:
    admit(pool, client, "w1")
    pool.play(0, pair(1))
    key = client.futures[-1].key
    damaged = packed(pair(1)[0])
    damaged[2] = damaged[2][:-1] + b"?"
    for value in (damaged, packed(pair(2)[0]), packed(Job(1, 0, 1, 1, 1, 0, Opening(START))), ["nonsense"]):
        client.say(key, "game", value)
        assert [type(one) for one in news(pool)] == [Note]
    client.say(key, "game", packed(pair(1)[0]), run="another")
    assert news(pool) == []
    client.say(key, "game", packed(pair(1)[0]))
    client.say(key, "game", packed(pair(1)[0]))
    first, second = news(pool)
    assert first == pack(synthetic.record(pair(1)[0], "1-0"))
    assert second == Note("game 1 came a second time: dropped")
    client.say(key, "game", packed(pair(1)[1]))
    client.futures[-1].end("finished", 2)
    assert [type(one) for one in news(pool)] == [PackedGame] and pool.idle() == [0] and pool.busy == 0


def test_a_task_that_ends_without_its_games_is_lost(pool: ClusterPool, client: Client) -> None:
    admit(pool, client, "w1")
    pool.play(0, pair(1))
    client.say(client.futures[-1].key, "game", packed(pair(1)[0]))
    client.futures[-1].end("finished", 2)
    lost = lost_of(pool)
    assert lost.jobs == (pair(1)[1],) and pool.idle() == [0]


def test_the_third_lost_worker_ends_a_pair(pool: ClusterPool, client: Client) -> None:
    for turn in range(1, LOSSES + 1):
        admit(pool, client, f"w{turn}")
        pool.play(pool.idle()[0], pair(1))
        client.leave(f"w{turn}")
        left, lost = news(pool)
        assert isinstance(left, Note) and isinstance(lost, PairLost)
        assert lost.losses == turn and lost.final == (turn == LOSSES)
        assert lost.jobs == tuple(pair(1)) and pool.busy == 0 and pool.idle() == []
        # Else the scheduler keeps the task for a worker that comes back with the same address.
        assert client.futures[-1].released
    # What a worker that was taken for lost delivers later is still a game of this run.
    client.say("an old task", "game", packed(pair(1)[0]))
    assert [type(one) for one in news(pool)] == [PackedGame]


def test_a_worker_that_leaves_in_order_is_nobodys_fault(pool: ClusterPool, client: Client) -> None:
    admit(pool, client, "w1")
    pool.play(0, pair(1))
    client.leave("w1", expected=True)
    lost = lost_of(pool)
    assert lost.losses == 0 and not lost.final


def test_a_pair_that_kills_its_slots_is_not_retried(pool: ClusterPool, client: Client) -> None:
    admit(pool, client, "w1")
    pool.play(0, pair(1))
    client.futures[-1].end("error", Spoiled("game 1: 3 slots died of it"))
    lost = lost_of(pool)
    assert lost.final and "3 slots died" in lost.why


def test_a_failure_of_the_harness_is_charged_to_nobody(pool: ClusterPool, client: Client) -> None:
    """An error of our own in a slot says nothing about the engines: the run breaks off, the pair is still to be played."""
    admit(pool, client, "w1")
    pool.play(0, pair(1))
    client.futures[-1].end("error", SlotsFailed("game 1: 3 slots failed in it"))
    with pytest.raises(Broken, match="worker w1: game 1: 3 slots failed in it"):
        news(pool)


@pytest.mark.parametrize("kind", [TypeError, MemoryError])
def test_an_error_of_the_task_itself_is_charged_to_nobody(
    pool: ClusterPool, client: Client, kind: type[Exception]
) -> None:
    for turn in range(1, LOSSES + 1):
        admit(pool, client, f"w{turn}")
    for turn in range(1, LOSSES):
        pool.play(turn - 1, pair(1))
        client.futures[-1].end("error", kind("oops"))
        lost = lost_of(pool)
        assert lost.losses == 0 and not lost.final
    pool.play(LOSSES - 1, pair(1))
    client.futures[-1].end("error", kind("oops"))
    with pytest.raises(Broken, match=f"worker w3: {kind.__name__}: oops"):
        news(pool)


def test_a_word_that_comes_after_the_end_is_written_into_no_other_file(client: Client, tmp_path: Path) -> None:
    """The descriptor of the bell is given to the next file that is opened."""
    with ClusterPool(client, "paper", "run", BOTH, Rules(), None, EXPECTED, 0.5):
        handlers = dict(client.handlers)
    others = [open(tmp_path / str(n), "w+b", buffering=0) for n in range(8)]
    handlers["all"]((0.0, {"action": "add-worker", "worker": "w1"}))
    assert [file.seek(0, 2) for file in others] == [0] * 8
    for file in others:
        file.close()


def test_without_workers_or_scheduler_the_run_breaks_off(pool: ClusterPool, client: Client) -> None:
    with pytest.raises(Broken, match=r"--cluster paper: no worker came within 0.5 s: start some with dask worker"):
        pool.wait()
    client.status = "closed"
    with pytest.raises(Broken, match="the scheduler is gone"):
        news(pool)


# Real clusters


class Quiet(Display):
    def note(self, text: str) -> None:
        pass


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A scheduler with two workers on this machine, started once; `pids()` are those of the workers."""
    scratch = tmp_path_factory.mktemp("scratch")
    with (
        cluster.local(cluster.library(), 2, str(scratch)) as made,
        distributed.Client(made, set_as_default=False) as watcher,
    ):
        yield SimpleNamespace(address=made.scheduler_address, pids=lambda: list(watcher.run(os.getpid).values()))


def during(out: Path, games: int, action: Callable[[], None]) -> threading.Thread:
    """Does something once so many games are in the journal."""

    def work() -> None:
        wait_for(lambda: (out / "games.db").exists())
        with sqlite3.connect(out / "games.db", timeout=60) as db:
            wait_for(lambda: db.execute("SELECT count(*) FROM games").fetchone()[0] >= games)
        action()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_local_workers_play_the_games_of_one_machine(tmp_path: Path) -> None:
    spec = experiment(tmp_path, SHORT + "games = 4\nnodes = 50\n", a="nps seed=1", b="uci seed=2", c="nps seed=3")
    done = gauntlet("run", spec, "--out", tmp_path / "one")
    assert done.returncode == 0, done.stderr
    done = gauntlet("run", spec, "--out", tmp_path / "two", "--cluster", "local:2", seconds=120)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.splitlines()[-1] == f"results: {tmp_path / 'two'}"
    assert moves(tmp_path / "one") == moves(tmp_path / "two")
    log = (tmp_path / "two" / "run.log").read_text()
    assert log.count("runs the same engines, 1 slot\n") == 2


def test_a_frozen_and_a_killed_worker_cost_no_game(tmp_path: Path, workers: SimpleNamespace) -> None:
    pids, out = tmp_path / "pids", tmp_path / "out"
    text = SHORT + "games = 12\ndepth = 3\n"
    spec = experiment(tmp_path, text, a=f"seed=1 pids={pids} stay", b=f"uci seed=2 pids={pids} pace=0.1")
    frozen, killed = workers.pids()

    def harm() -> None:
        os.kill(frozen, signal.SIGSTOP)
        os.kill(killed, signal.SIGKILL)
        time.sleep(1.5)
        os.kill(frozen, signal.SIGCONT)

    # The first game is there: both workers are in the middle of a pair.
    thread = during(out, 1, harm)
    status = start(str(spec), {}, str(out), Quiet, workers.address)
    thread.join()
    assert status == 0
    assert sorted(moves(out)) == list(range(1, 13))
    log = (out / "run.log").read_text()
    assert "is lost; played again" in log and "second time" not in log
    assert pids.read_text().split()
    wait_for(lambda: not living(pids))


def test_ctrl_c_ends_the_engines_on_the_workers_and_resume_goes_on(tmp_path: Path, workers: SimpleNamespace) -> None:
    pids, out = tmp_path / "pids", tmp_path / "out"
    text = SHORT + "games = 12\ndepth = 3\n"
    spec = experiment(tmp_path, text, a=f"seed=1 pids={pids} stay", b=f"uci seed=2 pids={pids} pace=0.05")
    run = begin("run", spec, "--out", out, "--cluster", workers.address)
    during(out, 1, lambda: run.send_signal(signal.SIGINT)).join()
    output, _ = run.communicate(timeout=60)
    assert run.returncode == 130 and "Traceback" not in output
    wait_for(lambda: not living(pids))
    kept = moves(out)
    assert show(out)["state"] == "stopped" and 0 < len(kept) < 12
    assert resume(out, Quiet, workers.address) == 0
    after = moves(out)
    assert sorted(after) == list(range(1, 13)) and all(after[game] == line for game, line in kept.items())


def test_a_pair_that_kills_three_workers_is_charged_to_its_engines(tmp_path: Path) -> None:
    spec = experiment(tmp_path, SHORT + "games = 2\ndepth = 3\n", a="seed=1", b="murder=2")
    done = gauntlet("run", spec, "--out", tmp_path / "out", "--cluster", "local:3", seconds=180)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    found = show(tmp_path / "out")
    assert (found["played"], found["scheduled"], found["state"]) == (0, 2, "done")
    assert [player["faults"] for player in found["players"]] == [{"crash": 2}] * 2
    log = (tmp_path / "out" / "run.log").read_text()
    assert log.count("it has cost 3 workers: a fault of its engines, not played again") == 1


def test_a_verdict_stops_the_run_on_complete_pairs(tmp_path: Path, workers: SimpleNamespace) -> None:
    text = SHORT + "games = 100\ndepth = 3\n[sprt]\nelo0 = 0\nelo1 = 200\n"
    spec = experiment(tmp_path, text, a="seed=1", b="seed=2 instead=resign@1")
    status = start(str(spec), {}, str(tmp_path / "out"), Quiet, workers.address)
    found = show(tmp_path / "out")
    assert status == 0 and found["state"] == "done"
    (only,) = found["pairings"]
    assert only["sprt"]["verdict"] == "H1" and only["played"] < 100 and only["unpaired"] == 0


def test_a_scheduler_without_workers_is_waited_for_so_long(
    tmp_path: Path, workers: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dask

    spec = experiment(tmp_path, SHORT + "games = 2\ndepth = 3\n", a="", b="")
    with (
        cluster.local(cluster.library(), 0, str(tmp_path)) as empty,
        dask.config.set({cluster.CONFIG_WAIT: "1s"}),
        pytest.raises(BadInput, match="no worker came within 1 s"),
    ):
        start(str(spec), {}, str(tmp_path / "out"), Quiet, empty.scheduler_address)
    assert not (tmp_path / "out").exists()
