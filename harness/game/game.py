"""One game between two clients, from the opening to the verdict. Every wait in it has a deadline."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, fields

import chess

from harness.books.tablebase import Tablebase
from harness.engines.client import (
    Answer,
    Client,
    Refused,
    Reply,
    Setup,
    Stalled,
    StartFailed,
    exit_note,
    printable,
)
from harness.engines.process import Gone, monotonic, run_delay
from harness.game.adjudication import Adjudicator
from harness.game.checks import faults
from harness.game.referee import DRAW, Referee
from harness.model import Fault, GameRecord, Job, Limit, MoveRecord
from harness.spec.settings import Adjudication, Experiment

LAST_WORD = 1.0  # seconds for an engine to answer `?` or `stop` once its clock has run out
SECOND_THOUGHTS = 0.25  # seconds for a claim to be followed by the move that makes it true
LAG_WARNING = 20.0  # milliseconds for which a move may wait for a processor without a warning
SHORT = 1.0  # milliseconds: a move this short cannot have waited long
LONGEST_LINE = 400  # characters kept of an engine's expected line
LIVE_EVERY = 1.0  # seconds between two reports of a game in play

_STANDARD = (chess.STARTING_FEN, chess.STARTING_FEN[:-4])
_HOST = socket.gethostname()


@dataclass(frozen=True, slots=True)
class Rules:
    """How games are played: keys of the experiment file; times are in seconds."""

    margin: float = 0.1
    patience: float = 10.0
    max_moves: int = 300
    ponder: bool = False
    chess960: bool = False
    restart: bool = False
    checks: bool = False
    adjudication: Adjudication | None = None
    pv: bool = False

    @staticmethod
    def of(experiment: Experiment) -> Rules:
        """The rules of an experiment."""
        return Rules(**{field.name: getattr(experiment, field.name) for field in fields(Rules)})


class NotStarted(Exception):
    """A game that cannot be played because a player cannot take part."""

    def __init__(self, seat: int, detail: str) -> None:
        super().__init__(detail)
        self.seat = seat
        self.detail = detail


class Left(Exception):
    """A player has ended in good order, with status 0, since its last game: another process must take its seat."""

    def __init__(self, seat: int) -> None:
        super().__init__(seat)
        self.seat = seat


@dataclass(slots=True, eq=False)
class _Verdict(Exception):
    """Ends the game: a result, its reason, and for a fault the seat that caused it."""

    result: str
    reason: str
    detail: str = ""
    seat: int | None = None


class Clock:
    """The time that a side has left, in seconds; without a clock in the limit it never runs out."""

    __slots__ = ("allowed", "clocked", "left", "limit", "moves")

    def __init__(self, limit: Limit, patience: float) -> None:
        self.limit = limit
        self.clocked = limit.timed
        self.left = limit.base if limit.base is not None else limit.movetime if limit.movetime is not None else patience
        self.allowed = self.left
        self.moves = 0

    @property
    def session(self) -> int:
        """Moves to the next time control, 0 if there is none."""
        per = self.limit.moves_per_session
        return per - self.moves % per if per else 0

    def count(self) -> None:
        """Counts a move that cost no time."""
        self.moves += 1

    def spend(self, seconds: float) -> None:
        """Subtracts a move's time (negative counts as 0) and adds what the limit grants for the move."""
        limit = self.limit
        self.moves += 1
        if limit.base is None:
            return
        left = self.left - seconds if seconds > 0.0 else self.left
        self.left = (left if left > 0.0 else 0.0) + limit.increment
        if limit.moves_per_session and self.moves % limit.moves_per_session == 0:
            self.left += limit.base


class Game:
    """One job being played. `live` is called about once a second; `clients` are White's and Black's."""

    def __init__(
        self,
        job: Job,
        clients: tuple[Client, Client],
        rules: Rules,
        tables: Tablebase | None = None,
        live: Callable[[Game], None] | None = None,
    ) -> None:
        self.job = job
        self.clients = clients
        self.rules = rules
        self.limits = (clients[0].player.limit, clients[1].player.limit)
        self._margins = tuple(
            rules.margin if client.player.margin is None else client.player.margin for client in clients
        )
        self.clocks = tuple(Clock(limit, rules.patience) for limit in self.limits)
        self.referee = Referee(job.opening.fen, rules.chess960)
        self.moves: list[MoveRecord] = []
        self._adjudicator = Adjudicator(rules.adjudication, tables) if rules.adjudication else None
        self._live = live
        self._next_live = 0.0
        self._warnings: dict[int, dict[str, int]] = {}

    def play(self) -> GameRecord:
        """Plays to the end; raises NotStarted or Left if there is no game to score."""
        started, began = time.time(), monotonic()
        try:
            self._set_up()
            self._loop()
            raise AssertionError("the loop ends by a verdict")
        except _Verdict as verdict:
            return self._finish(verdict, started, monotonic() - began)

    # Before the first move

    def _set_up(self) -> None:
        board = self.referee.board
        job, rules = self.job, self.rules
        standard = not rules.chess960 and job.opening.fen in _STANDARD
        moves = []
        for word in job.opening.moves:
            self.clocks[not board.turn].count()
            move = board.parse_uci(word) if rules.chess960 else chess.Move.from_uci(word)
            moves.append(move)
            self.referee.push(move)
        self._opening_plies = len(moves)
        for seat in (0, 1):
            client = self.clients[seat]
            own, other = self.limits[seat], self.limits[1 - seat]
            setup = Setup(
                job.opening.fen,
                standard,
                tuple(moves),
                seat == 0,
                own,
                other,
                rules.chess960,
                rules.ponder,
                rules.patience,
                job.options[seat],
            )
            fresh = client.fresh
            try:
                client.new_game(setup)
            except StartFailed as failed:
                raise NotStarted(seat, str(failed)) from None
            except Gone:
                detail = f"ended before the game began{exit_note(client.process)}"
                if fresh:
                    raise NotStarted(seat, detail) from None
                if client.process.exit_code == 0:
                    raise Left(seat) from None
                raise self._fault(seat, "crash", detail) from None
            except Stalled as stalled:
                raise self._fault(seat, "stall", str(stalled)) from None
            except Refused as refused:
                raise self._fault(seat, "protocol", str(refused)) from None

    # Move by move

    def _loop(self) -> None:
        board, referee, clients, clocks, moves = self.referee.board, self.referee, self.clients, self.clocks, self.moves
        most = 2 * self.rules.max_moves
        ending = referee.ended()
        word = ""
        offered = False
        self._delay = run_delay()
        ponder = self.rules.ponder
        # Without pondering an engine is idle while the other thinks, so its CPU clock need not be read twice.
        cpus: list[float | None] = [None, None]
        while ending is None:
            seat = 0 if board.turn else 1
            client, clock = clients[seat], clocks[seat]
            process = client.process
            cpu = process.cpu() if ponder or cpus[seat] is None else cpus[seat]
            process.paused = 0.0
            sent = monotonic()
            client.go(word, clock.left, clocks[1 - seat].left, clock.session, offered)
            move, own_word = self._answer(seat, client, clock, sent)
            # A move that a pondering engine had ready took no time.
            seconds = process.arrived - sent - process.paused
            ms = seconds * 1000 if seconds > 0.0 else 0.0
            if self.rules.checks:
                self._check(client, move)
            opponent = clients[1 - seat]
            word = opponent.spell(board, move) if opponent.spells else own_word
            offered = client.offered
            referee.push(move)
            cpus[seat] = self._keep(own_word, ms, cpu, client)
            clock.spend(ms / 1000)
            ending = referee.ended()
            if ending is None:
                if len(moves) >= most:
                    ending = DRAW, "move-limit"
                elif self._adjudicator is not None:
                    ply = self._opening_plies + len(moves)
                    ending = self._adjudicator.after(board, seat, moves[-1].score, ply)
            if ending is None:
                client.made(own_word, board, clock.left, clocks[1 - seat].left, clock.session)
            if self._live is not None and sent >= self._next_live:
                self._next_live = sent + LIVE_EVERY
                self._live(self)
        raise _Verdict(*ending)

    def _check(self, client: Client, move: chess.Move) -> None:
        """Warns of an engine's false statements about its move."""
        words = client.variation()
        for kind in (
            faults(self.referee.board, words, move, client.thought().score, client.strict_lines) if words else ()
        ):
            client.warn(kind)

    def _answer(self, seat: int, client: Client, clock: Clock, sent: float) -> tuple[chess.Move, str]:
        """Returns the legal move that the engine made in time, with its coordinates; raises the verdict otherwise."""
        margin = self._margins[seat] if clock.clocked else 0.0
        deadline = sent + clock.left + margin
        try:
            kind, text = client.answer(deadline)
            if kind == Reply.CLAIM:
                kind, text = self._judge(seat, client, text, deadline)
        except Gone:
            raise self._fault(seat, "crash", f"ended during the game{exit_note(client.process)}") from None
        if kind == Reply.MOVE:
            try:
                move = self.referee.read(text)
            except ValueError:
                raise self._fault(seat, "protocol", f'answered "{text}", which is no move') from None
            spent = client.process.arrived - sent - client.process.paused
            if clock.clocked and spent > clock.left + margin:
                raise self._out_of_time(seat, clock, spent)
            if move is None:
                raise self._fault(seat, "illegal", f"illegal move {text}")
            return move, self.referee.word(move, text)
        if kind == Reply.LATE:
            raise self._late(seat, client, clock, sent)
        if kind == Reply.RESIGN:
            raise _Verdict(("0-1", "1-0")[seat], "resign", text)
        if kind == Reply.AGREED:
            raise _Verdict(DRAW, "agreement")
        assert kind == Reply.REFUSED
        raise self._fault(seat, "protocol", text)

    def _late(self, seat: int, client: Client, clock: Clock, sent: float) -> _Verdict:
        if not clock.clocked:
            return self._fault(seat, "stall", f"no move within {self.rules.patience:g} s")
        client.hurry()
        deadline = monotonic() + LAST_WORD
        try:
            kind, _ = client.answer(deadline)
        except Gone:
            return self._fault(seat, "crash", f"ended during the game{exit_note(client.process)}")
        if kind == Reply.LATE:
            return self._fault(seat, "stall", f"no answer within {LAST_WORD:g} s of being told to move")
        return self._out_of_time(seat, clock, client.process.arrived - sent - client.process.paused)

    def _out_of_time(self, seat: int, clock: Clock, spent: float) -> _Verdict:
        delay = (run_delay() - self._delay) / 1e9
        waited = delay > self._margins[seat] / 2
        starved = f", {delay:.3f} s of it the harness waited for a processor" if waited else ""
        return self._fault(seat, "time", f"used {spent:.3f} s of {clock.left:.3f} s{starved}")

    def _judge(self, seat: int, client: Client, text: str, deadline: float) -> Answer:
        """Judges a claim: returns the move that follows it and makes it true; raises the verdict otherwise."""
        claimed = DRAW if text.startswith("1/2") else text[:3]
        if claimed == ("0-1", "1-0")[seat]:
            raise _Verdict(claimed, "resign", text)
        reason = self.referee.draw_claim() if claimed == DRAW else None
        if reason:
            raise _Verdict(DRAW, reason, f"claimed: {text}")
        # A claim may come before the move that makes it true.
        kind, word = client.answer(min(deadline, monotonic() + SECOND_THOUGHTS))
        move = None
        if kind == Reply.MOVE:
            try:
                move = self.referee.read(word)
            except ValueError:
                pass
        if move is not None:
            trial = self.referee.after(move)
            if trial is not None and trial[0] == claimed:
                return kind, word
        raise self._fault(seat, "claim", f'claimed "{text}", which is not so')

    def _keep(self, word: str, ms: float, cpu: float | None, client: Client) -> float | None:
        now = client.process.cpu()
        used = None if cpu is None or now is None else (now - cpu) * 1000
        lag = 0.0
        if ms > SHORT or client.process.paused:
            total = run_delay()
            # Waiting from earlier moves that were too short to be measured does not belong to this move.
            lag = min((total - self._delay) / 1e6, ms) + client.process.paused * 1000
            self._delay = total
            if lag > LAG_WARNING:
                client.warn("lag")
        line = printable(client.line(), LONGEST_LINE) if self.rules.pv else ""
        self.moves.append(MoveRecord(word, ms, used, lag, *client.thought(), line))
        return now

    # The end

    def _fault(self, seat: int, reason: str, detail: str) -> _Verdict:
        return _Verdict(("0-1", "1-0")[seat], reason, detail, seat)

    def _finish(self, verdict: _Verdict, started: float, seconds: float) -> GameRecord:
        fault = None
        for seat, client in enumerate(self.clients):
            warnings = client.take_warnings()
            if warnings:
                self._warnings[client.player.index] = warnings
            if verdict.seat == seat:
                process = client.process
                fault = Fault(
                    client.player.index,
                    verdict.reason,
                    self.referee.board.fen(),
                    process.last_lines(),
                    process.stderr_tail(),
                    process.exit_code,
                )
            client.over(verdict.result, verdict.reason)
        return GameRecord(
            self.job,
            verdict.result,
            verdict.reason,
            tuple(self.moves),
            started,
            seconds,
            printable(verdict.detail),
            fault,
            self._warnings,
            _HOST,
        )
