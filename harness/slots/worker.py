"""The worker of a slot: plays one game after another with engines of its own, and survives whatever they do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness.books.tablebase import Tablebase
from harness.engines.client import Client, StartFailed, printable
from harness.engines.detect import detect
from harness.engines.uci import UciClient
from harness.engines.xboard import XBoardClient
from harness.game.game import Game, Left, NotStarted, Rules
from harness.journal.record import PackedGame, pack
from harness.model import Job, Player
from harness.slots.interface import Failed, Live, Named

Report = Callable[[Named | Live], None]
NAME_LENGTH = 200  # characters kept of an engine's name


@dataclass(frozen=True, slots=True)
class SlotSpec:
    """All that a slot needs to know about a run. The file `record` lists the engines started, for `children.sweep`."""

    players: tuple[Player, ...]
    rules: Rules
    record: Path | None = None


def make_client(player: Player, patience: float, record: Path | None = None, protocol: str | None = None) -> Client:
    """Starts an engine and shakes hands; raises StartFailed with the evidence in its attributes."""
    protocol = protocol or player.protocol
    if protocol == "auto":
        protocol = detect(player, patience)
    client = (UciClient if protocol == "uci" else XBoardClient)(player, patience, record)
    try:
        client.handshake()
    except BaseException as error:
        tail = client.process.stderr_tail()
        before = client.process.kill()
        if isinstance(error, StartFailed):
            error.transcript = client.process.last_lines()
            error.stderr = tail
            error.exit_code = before
        raise
    return client


class Worker:
    """Plays jobs one after another and keeps the engines of the last one for the next."""

    def __init__(self, spec: SlotSpec, report: Report) -> None:
        self.spec = spec
        self.report = report
        self.clients: dict[int, Client] = {}
        self._whole_seconds: set[int] = set()  # players that crashed on a time with a fraction of a second
        rules = spec.rules
        ends = rules.adjudication
        self._tables = Tablebase(ends.syzygy, ends.syzygy_men, ends.syzygy_fifty) if ends and ends.syzygy else None

    def play(self, job: Job) -> PackedGame | Failed:
        """Plays one game and returns it, or the start that failed; no engine can make it fail otherwise."""
        for index in [known for known in self.clients if known not in (job.white, job.black)]:
            self.clients.pop(index).quit()
        seats = []
        for index in (job.white, job.black):
            try:
                seats.append(self._client(index))
            except StartFailed as failed:
                return Failed(index, job, printable(str(failed)), failed.transcript, failed.stderr, failed.exit_code)
        game = Game(job, (seats[0], seats[1]), self.spec.rules, self._tables, self._live)
        try:
            record = game.play()
        except Left as left:
            # Whether it is seen to have ended before the game is set up or only then is chance, and must not matter.
            self.clients.pop(seats[left.seat].player.index).process.kill()
            return self.play(job)
        except NotStarted as failure:
            client = self.clients.pop(seats[failure.seat].player.index)
            tail = client.process.stderr_tail()
            code = client.process.kill()
            transcript = client.process.last_lines()
            if client.sent_fraction and code is not None and client.player.index not in self._whole_seconds:
                self._whole_seconds.add(client.player.index)
                return self.play(job)
            return Failed(client.player.index, job, printable(failure.detail), transcript, tail, code)
        for client in seats:
            index = client.player.index
            at_fault = record.fault is not None and record.fault.player == index
            if at_fault and (record.reason != "time" or not client.in_step):
                # An engine that misbehaved cannot be trusted; one that hangs would not even read `quit`.
                self.clients.pop(index).process.kill()
            elif self.spec.rules.restart or not client.reusable:
                self.clients.pop(index).quit()
        return pack(record)

    def _client(self, index: int) -> Client:
        client = self.clients.get(index)
        if client is not None and client.process.exit_code == 0:  # one that crashed loses the game that it cannot begin
            client.process.kill()
            del self.clients[index]
            client = None
        if client is None:
            spec = self.spec
            player = spec.players[index]
            client = make_client(player, spec.rules.patience, spec.record)
            client.takes_fractions = index not in self._whole_seconds
            self.clients[index] = client
            if client.name:
                self.report(Named(index, printable(client.name, NAME_LENGTH)))
        return client

    def _live(self, game: Game) -> None:
        self.report(Live(live_state(game)))

    def close(self) -> None:
        """Lets the engines quit."""
        for client in self.clients.values():
            client.quit()
        self.clients.clear()


def live_state(game: Game) -> dict[str, object]:
    """Returns the state of a game in play, for those who watch."""
    scores: list[int | None] = [None, None]
    depths: list[int | None] = [None, None]
    board = game.referee.board
    last = 1 if board.turn else 0
    for back, record in enumerate(reversed(game.moves[-2:])):
        seat = last ^ back
        scores[seat], depths[seat] = record.score, record.depth
    return {
        "game": game.job.id,
        "pairing": game.job.pairing,
        "pair": game.job.pair,
        "leg": game.job.leg,
        "white": game.job.white,
        "black": game.job.black,
        "fen": board.fen(),
        "last": game.moves[-1].move if game.moves else None,
        "moves": len(game.moves),
        "scores": scores,
        "depths": depths,
        "clocks": [round(clock.left, 3) if clock.clocked else None for clock in game.clocks],
    }
