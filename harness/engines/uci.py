"""The client side of the UCI protocol."""

from __future__ import annotations

from itertools import takewhile

import chess

from harness.engines.client import (
    MOST_DEPTH,
    MOST_NODES,
    MOST_SCORE,
    NO_THOUGHT,
    Answer,
    Client,
    OptionRefused,
    Reply,
    Setup,
    Stalled,
    StartFailed,
    Thought,
    read_handshake,
    reported,
)
from harness.engines.options import Option, WrongOption, lookup, parse_uci
from harness.engines.process import Gone, monotonic
from harness.model import MATE, Limit, Options

_BLANKS = (" ", "\t")  # allowed before every word
# What may follow the moves of a line: most engines end with them, but the protocol fixes no order.
_AFTER_MOVES = {"depth", "seldepth", "time", "nodes", "score", "multipv", "nps", "hashfull", "tbhits", "wdl", "string"}
_IGNORED = ("info", "Info", "readyok", "option ", "id ", "copyprotection", "registration")


class UciClient(Client):
    """An engine that speaks UCI."""

    strict_lines = True

    def handshake(self) -> None:
        self.options: dict[str, Option] = {}
        self._info = ""
        self._bound = ""
        self._pondering = ""  # the guess it ponders on
        self._owed = 0  # moves that answer a `stop` of ours and mean nothing
        self._position = ""
        self._go = ""
        self._clocked = False
        self._ponder_move = ""
        self.process.send("uci\n")
        if not read_handshake(self.process, monotonic() + self.patience, self._declared):
            raise StartFailed(f"no uciok within {self.patience:g} s")
        lines = [*self.option_lines(self.player.options), *self.player.init]
        if lines:
            self.process.send("\n".join(lines) + "\n")

    def option_lines(self, options: Options) -> list[str]:
        lines = []
        for name, value in options:
            if name in self.player.hidden:
                lines.append(f"setoption name {name} value {value}")
                continue
            try:
                option = lookup(self.options, name)
                spelled = option.spelled(value, "true", "false")
            except WrongOption as wrong:
                raise OptionRefused(str(wrong)) from None
            lines.append(f"setoption name {option.name}" + ("" if spelled is None else f" value {spelled}"))
        return lines

    def _declared(self, line: str) -> bool:
        line = line.strip()
        if line.startswith("option "):
            option = parse_uci(line)
            if option is None:
                self.warn("option")
            else:
                self.options[option.name] = option
        elif line.startswith("id name "):
            self.name = line[8:].strip()
        return line == "uciok"

    def _switch(self, name: str, on: bool) -> str:
        return f"setoption name {name} value {'true' if on else 'false'}\n" if name in self.options else ""

    def new_game(self, setup: Setup) -> None:
        if setup.chess960:
            self.refuse_chess960()
        self._ponder_move = ""
        text = self._switch("UCI_Chess960", setup.chess960) if setup.chess960 else ""
        text += self._switch("Ponder", setup.ponder) if setup.ponder else ""
        self._setup = setup
        self._position = "position startpos" if setup.standard else f"position fen {setup.fen}"
        self._joint = " moves "
        for move in setup.moves:
            self._append(move.uci())
        self._limit(setup.limit)
        text = "".join(f"{line}\n" for line in self.option_lines(setup.options)) + text
        self.process.send(text + "ucinewgame\nisready\n")
        self._ready(setup.patience)

    def refuse_chess960(self) -> None:
        if "UCI_Chess960" not in self.options:
            raise StartFailed("cannot play Fischer random (no option UCI_Chess960)")

    def _limit(self, limit: Limit) -> None:
        self._clocked = limit.base is not None
        self._caps = f" nodes {limit.most_nodes}" if limit.most_nodes is not None else ""
        self._caps += f" depth {limit.most_depth}" if limit.most_depth is not None else ""
        if limit.movetime is not None:
            self._go = f"go movetime {max(1, round(limit.movetime * 1000))}{self._caps}"
        elif limit.nodes is not None:
            self._go = f"go nodes {limit.nodes}"
        elif limit.depth is not None:
            self._go = f"go depth {limit.depth}"
        own, other = round(limit.increment * 1000), round(self._setup.other.increment * 1000)
        self._increments = (own, other) if self._setup.white else (other, own)

    def _append(self, move: str) -> None:
        self._position += self._joint + move
        self._joint = " "

    def _ready(self, patience: float) -> None:
        deadline = monotonic() + patience
        while (line := self.process.line(deadline)) is not None:
            line = line.lstrip()  # the protocol allows blanks anywhere
            if line.startswith("readyok"):
                self.fresh = False
                # An engine that reads in one thread and searches in another may say so before its search has stopped.
                while self._owed:
                    self._owed -= 1
                    self._drop_ponder_move()
                return
            if line.startswith("bestmove"):
                self._unasked()
            elif line and not line.startswith(_IGNORED):
                self.refuse_hidden(line)
                self.warn("noise")
        raise Stalled(f"no readyok within {patience:g} s")

    def _clocks(self, own: float, other: float, session: int, ponder: str = "") -> str:
        if not self._clocked:
            return f"go{ponder}{self._go[2:]}\n"
        mine, theirs = int(own * 1000 + 0.5) or 1, int(other * 1000 + 0.5) or 1
        white, black = (mine, theirs) if self._setup.white else (theirs, mine)
        white_more, black_more = self._increments
        tail = f" movestogo {session}{self._caps}" if session else self._caps
        return f"go{ponder} wtime {white} btime {black} winc {white_more} binc {black_more}{tail}\n"

    def go(self, move: str, own: float, other: float, session: int, draw: bool) -> None:
        self._info = self._bound = ""
        if move:
            self._append(move)
        if self._pondering:
            guess, self._pondering = self._pondering, ""
            if guess == move:
                self.process.send("ponderhit\n")
                return
            self.process.send("stop\n")
            self._owed += not self._drop_ponder_move()
        self.process.sift(self._too_early)
        self.process.send(f"{self._position}\n{self._clocks(own, other, session)}")

    def _too_early(self, line: str) -> bool:
        """Says whether a line is a move that was not asked for."""
        if line.lstrip().startswith("bestmove"):
            self._unasked()
            return True
        return False

    def _unasked(self) -> None:
        """Counts a move that was not asked for: it answers a `stop` of ours, or comes out of turn."""
        if self._owed:
            self._owed -= 1
        else:
            self.warn("turn")

    def _drop_ponder_move(self) -> bool:
        """Waits for the move that answers a `stop`; False if it has not come in time."""
        deadline = monotonic() + min(1.0, self.patience)
        try:
            while (line := self.process.line(deadline)) is not None:
                if line.lstrip().startswith("bestmove"):
                    return True
        except Gone:
            return True  # the wait for the move will notice too
        return False

    def answer(self, deadline: float) -> Answer:
        line_of = self.process.line
        while True:
            line = line_of(deadline)
            if line is None:
                return Reply.LATE, ""
            if line[:1] in _BLANKS:
                line = line.lstrip()
            if "\t" in line:
                line = line.replace("\t", " ")
            if line.startswith("info "):
                if " score " in line and " pv " in line:
                    # Of several lines of play (option MultiPV) the first is that of the move.
                    _, several, rank = line.partition(" multipv ")
                    if not several or rank.lstrip().startswith("1 "):
                        self._info = line
                elif " nodes " in line:
                    self._bound = line
            elif line.startswith("bestmove"):
                if self._owed:
                    self._owed -= 1
                    self._info = self._bound = ""
                    continue
                words = line.split()
                self._ponder_move = words[3] if len(words) > 3 and words[2] == "ponder" else ""
                move = words[1] if len(words) > 1 else ""
                if not move or move in ("(none)", "0000", "none", "NULL"):
                    return Reply.REFUSED, f'answered "{line}" where it has legal moves'
                return Reply.MOVE, move
            elif line and not line.startswith(_IGNORED):
                self.warn("noise")

    def made(self, move: str, board: chess.Board, own: float, other: float, session: int) -> None:
        self._append(move)
        if self._setup.ponder and self._ponder_move:
            try:
                legal = board.is_legal(chess.Move.from_uci(self._ponder_move))
            except ValueError:
                legal = False
            if legal:
                self._pondering = self._ponder_move
                self.process.send(f"{self._position} {self._pondering}\n{self._clocks(own, other, session, ' ponder')}")
            else:
                self.warn("ponder")

    def hurry(self) -> None:
        self.process.send("stop\n")

    def over(self, result: str, comment: str) -> None:
        if self._pondering:
            self.process.send("stop\n")
            self._owed += 1
            self._pondering = ""

    def variation(self) -> list[str]:
        return list(takewhile(lambda word: word not in _AFTER_MOVES, self._info.partition(" pv ")[2].split()))

    def thought(self) -> Thought:
        if not self._info and not self._bound:
            return NO_THOUGHT
        depth = nodes = score = None
        words = (self._info or self._bound).split()
        for key, value in zip(words, words[1:], strict=False):
            if key == "depth":
                depth = reported(value, MOST_DEPTH)
            elif key == "nodes":
                nodes = reported(value, MOST_NODES)
            elif key == "cp":
                score = reported(value, MOST_SCORE, -MOST_SCORE)
            elif key == "mate" and (moves := reported(value, MOST_DEPTH, -MOST_DEPTH)) is not None:
                score = MATE + moves if moves > 0 else -MATE + moves
        if self._bound:
            after = self._bound.partition(" nodes ")[2].split(None, 1)
            bound = reported(after[0], MOST_NODES) if after else None
            nodes = nodes if bound is None else max(nodes or 0, bound)
        return Thought(depth, nodes, score, None)

    def line(self) -> str:
        return " ".join(self.variation())
