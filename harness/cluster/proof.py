"""What a machine must prove before it plays in a run: that it has the same engines, and how fast it is.

The proof is made in a process of its own (`python -m harness.cluster.proof`, the players as a pickle on its input, the
proof as a JSON object on its output), because engines must be started from a single-threaded process.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.engines.children import adopt_orphans, boot, die_with_parent, kill_group, own_python
from harness.engines.client import StartFailed
from harness.engines.sortie import beside, release
from harness.errors import BadInput
from harness.model import Limit, Player
from harness.slots.worker import make_client
from harness.version import version

SIGNATURE_DEPTH = 6  # plies: enough to tell two builds apart in a fraction of a second
SPEED_DEPTH = 10  # plies of the reference search
SPEED_RUNS = 2  # the fastest counts: the machine may be busy for a moment
PATIENCE = 120.0  # seconds for one bench


class ProofFailed(Exception):
    """A machine cannot play in the run. The message is one line."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What a machine has proved; `engines` by player index; `nps` is None if no limit depends on time."""

    host: str
    machine: str
    version: str
    engines: tuple[tuple[int, str], ...]
    nps: float | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """What to prove. `sortie` is the Sortie beside the run's harness, if there is one."""

    players: tuple[Player, ...]
    patience: float
    sortie: str | None


def timed(players: Sequence[Player]) -> bool:
    """Says whether the speed of a machine affects the games."""
    return any(player.limit.timed for player in players)


def localised(players: Sequence[Player], sortie: str | None) -> tuple[Player, ...]:
    """Returns the players with this machine's programs: Sortie, if it was the run's own, is the one beside our Python."""
    if sortie is None or not any(player.sortie and player.command[0] == sortie for player in players):
        return tuple(players)
    own = beside()
    return tuple(
        dataclasses.replace(player, command=(own, *player.command[1:]))
        if player.sortie and player.command[0] == sortie
        else player
        for player in players
    )


def scaled(limit: Limit, factor: float) -> Limit:
    """Returns a limit with its times multiplied; nodes and plies stay the same."""
    return dataclasses.replace(
        limit,
        base=None if limit.base is None else limit.base * factor,
        increment=limit.increment * factor,
        movetime=None if limit.movetime is None else limit.movetime * factor,
    )


def machine() -> str:
    """Returns what identifies a machine: its name and when it was started."""
    return f"{socket.gethostname()} {boot()}"


def _output(player: Player | None, command: Sequence[str], *words: str) -> str:
    environment = {**os.environ, **dict(player.env)} if player is not None else None
    line = [*command, *words]
    try:
        done = subprocess.run(
            line,
            cwd=player.directory if player is not None else None,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = error.strerror if isinstance(error, OSError) else f"no answer within {PATIENCE:g} s"
        raise ProofFailed(f"{command[0]}: {reason}") from None
    text = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode or not text:
        complaints = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = complaints[-1] if complaints else f"exit status {done.returncode}"
        raise ProofFailed(f"{command[0]}: `{' '.join(words)}` fails: {reason}")
    return text.splitlines()[-1]


def _bench(player: Player | None, command: Sequence[str], depth: int) -> tuple[int, float]:
    """Returns the nodes of the bench set at a depth, and nodes per second."""
    line = _output(player, command, "bench", "--depth", str(depth), "--json")
    try:
        printed = json.loads(line)
        return int(printed["nodes"]), float(printed["nps"])
    except (ValueError, KeyError, TypeError):
        raise ProofFailed(f"{command[0]}: `bench --json` gives no nodes and nps (is it Sortie?)") from None


def identify(player: Player, patience: float) -> str:
    """Returns what identifies an engine: Sortie's version and bench signature, another engine's own name."""
    if player.sortie:
        version = release(_output(player, player.command, "--version"))
        nodes, _ = _bench(player, player.command, SIGNATURE_DEPTH)
        return f"{version}, bench {nodes}"
    try:
        client = make_client(player, patience)
    except StartFailed as failed:
        raise ProofFailed(f"{player.name}: {failed}") from None
    client.quit()
    return client.name or "no name"


def speed(players: Sequence[Player]) -> float:
    """Returns the nodes per second of the reference search: the bench of the run's Sortie, else of the one beside us."""
    player = next((player for player in players if player.sortie), None)
    command = player.command if player is not None else (beside(),)
    return max(_bench(player, command, SPEED_DEPTH)[1] for _ in range(SPEED_RUNS))


def make(task: Task) -> Proof:
    """Makes this machine's proof; raises ProofFailed."""
    try:
        players = localised(task.players, task.sortie)
        known: dict[object, str] = {}
        engines = []
        for player in players:
            # Variants of one program differ only in options.
            what = (player.command, player.env, player.directory, player.sortie)
            if what not in known:
                known[what] = identify(player, task.patience)
            engines.append((player.index, known[what]))
        nps = speed(players) if timed(players) else None
    except BadInput as error:
        raise ProofFailed(str(error)) from None
    return Proof(socket.gethostname(), machine(), version(), tuple(engines), nps)


def difference(players: Sequence[Player], own: Proof, expected: Proof) -> str | None:
    """Says how a machine differs from the expected one; None if it may play."""
    if own.version != expected.version:
        return f"gauntlet {own.version}, expected {expected.version}"
    wanted = dict(expected.engines)
    for index, what in own.engines:
        if what != wanted.get(index):
            return f'{players[index].name} is "{what}", expected "{wanted.get(index)}"'
    return None


def time_factor(own: Proof, expected: Proof) -> float:
    """Returns the factor for times on a machine: the reference machine's speed divided by its own."""
    if own.nps is None or expected.nps is None or own.machine == expected.machine:
        return 1.0
    return expected.nps / own.nps


def prove(task: Task, started: Callable[[subprocess.Popen[bytes]], None] | None = None) -> Proof:
    """Makes this machine's proof in a process of its own; raises ProofFailed.

    `started` is called with the process, which leads a process group: killing the group ends the whole proof.
    """
    process = subprocess.Popen(
        own_python("harness.cluster.proof"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    if started is not None:
        started(process)
    try:
        output, _ = process.communicate(pickle.dumps(task, pickle.HIGHEST_PROTOCOL))
    except BaseException:
        kill_group(process.pid)
        process.wait()
        raise
    try:
        found = json.loads(output.decode().splitlines()[-1])
    except (ValueError, IndexError):
        raise ProofFailed(f"the proof ended with exit status {process.returncode}") from None
    if "failed" in found:
        raise ProofFailed(str(found["failed"]))
    engines = tuple((int(index), str(what)) for index, what in found.pop("engines"))
    return Proof(engines=engines, **found)


def main() -> None:
    """The process `python -m harness.cluster.proof`."""
    die_with_parent(signal.SIGKILL)
    adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    task = pickle.loads(sys.stdin.buffer.read())
    try:
        print(json.dumps(dataclasses.asdict(make(task))))
    except ProofFailed as failed:
        print(json.dumps({"failed": " ".join(str(failed).split())}))


if __name__ == "__main__":
    main()
