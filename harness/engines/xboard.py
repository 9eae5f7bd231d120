"""The client side of the XBoard protocol, versions 1 and 2."""

from __future__ import annotations

import json
import re

import chess

from harness.engines.client import (
    MOST_DEPTH,
    MOST_NODES,
    MOST_SCORE,
    NO_THOUGHT,
    Answer,
    Client,
    OptionRefused,
    Refused,
    Reply,
    Setup,
    Stalled,
    StartFailed,
    Thought,
    read_handshake,
    reported,
)
from harness.engines.edit import edit_commands, normal_fen
from harness.engines.features import Features
from harness.engines.options import WrongOption, lookup
from harness.engines.process import monotonic
from harness.model import Limit, Options
from harness.terminal.numbers import plain

FEATURE_TIME = 2.0  # seconds for the first `done`: an engine that sends nothing by then knows only version 1
QUIET = 0.1  # seconds of silence that stand for a pong from an engine that has no ping
QUIET_LOOKS = 5  # so often in a row, QUIET apart, it waits for input before it is believed to know only version 1

# How a check is spelled, for an engine that does not say which of its options is one.
_UNDECLARED = {"true": "1", "false": "0"}
_OLD_MOVE = re.compile(r"(?:My move is\s*:?\s*|\d+\s*\.\s*\.\.\.\s*)(\S+)")
_RESULTS = ("1-0", "0-1", "1/2")
_QUIET_WORDS = (
    *("feature", "pong", "Hint", "tell", "stat01", "ask", "accepted", "rejected", "White", "Black", "book", "Book"),
    *("setup", "piece", "highlight", "choice", "click", "++", "--", "warning", "Warning"),
)


def level_command(limit: Limit) -> str:
    """Returns the `level` line of a clock. Seconds are whole there; `time` before each move is exact."""
    seconds = max(1, round(limit.base or 0))
    base = f"{seconds // 60}" if seconds % 60 == 0 else f"{seconds // 60}:{seconds % 60:02d}"
    return f"level {limit.moves_per_session} {base} {plain(limit.increment)}"


class XBoardClient(Client):
    """An engine that speaks XBoard. In a game it stays in play mode: each ply is one write of both clocks and a move.

    `takes_fractions` is false for an engine that refuses `st 0.5` or dies of it: it then gets a clock for one move, in
    centiseconds.
    """

    def handshake(self) -> None:
        self.features = Features()
        self._pings = 0
        self._sent: set[str] = set()
        self._thinking = ""
        self._report = ""
        self._in_force = True
        self._draw_asked = False
        self._depth_cap = 0  # the depth that the limit asks for
        self._cap = 0  # the same during a search, until `?` is sent
        self.process.send("xboard\nprotover 2\n")
        deadline = self.started + self.patience
        heard = read_handshake(self.process, min(deadline, monotonic() + FEATURE_TIME), self._feature)
        if not heard and self.features.done is None:
            # GNU Chess loses a line that comes together with another.
            self.process.send("protover 2\n")
        # On a busy machine loading may take that long: only an engine that keeps waiting for input counts as silent.
        quiet = 0
        while not heard and self.features.done is None and monotonic() < deadline and quiet < QUIET_LOOKS:
            quiet = 0 if self.process.is_working() else quiet + 1
            heard = read_handshake(self.process, min(deadline, monotonic() + QUIET), self._feature)
        if self.features.done is False and not read_handshake(self.process, deadline, self._feature):
            raise StartFailed(f"no feature done=1 within {self.patience:g} s")
        self.reusable = self.features.reuse
        self.in_step = self.features.ping
        self.name = self.features.myname
        self.spells = self.features.san
        lines = [*self.option_lines(self.player.options), *self.player.init]
        if lines:
            self.process.send("\n".join(lines) + "\n")

    def _feature(self, line: str) -> bool:
        if line.startswith("feature "):
            was = self.features.done
            replies = self.features.take(line)
            if replies:
                self.process.send("\n".join(replies) + "\n")
            if self.features.done:
                return True
            return was is None and self.features.done is False
        # An engine that complains of protover has read it and has no features to wait for.
        return "protover" in line and line.lstrip().lower().startswith(("error", "illegal"))

    def option_lines(self, options: Options) -> list[str]:
        features = self.features
        lines = []
        for name, value in options:
            if name in ("memory", "cores"):
                if (features.memory if name == "memory" else features.smp) is False:
                    self.warn("option")
                else:
                    lines.append(f"{name} {value}")
                continue
            if not features.options or name in self.player.hidden:
                # It declares none, so nothing can be checked; some engines take options all the same.
                lines.append(f"option {name}={_UNDECLARED.get(value, value)}")
                continue
            try:
                option = lookup(features.options, name, self._commands())
                spelled = option.spelled(value, "1", "0")
            except WrongOption as wrong:
                raise OptionRefused(str(wrong)) from None
            lines.append(f"option {option.name}" + ("" if spelled is None else f"={spelled}"))
        return lines

    def _commands(self) -> list[str]:
        """The settings for which XBoard has commands."""
        features = self.features
        return [name for name, has in (("memory", features.memory), ("cores", features.smp)) if has]

    # A new game

    def new_game(self, setup: Setup) -> None:
        features = self.features
        lines = [*self.option_lines(setup.options), "new"]
        if setup.chess960:
            self.refuse_chess960()
            lines.append("variant fischerandom")
        lines.append("force")
        lines += self._limit_commands(setup.limit, setup.patience)
        lines += ["hard" if setup.ponder else "easy", "post"]
        self._setup = setup
        self._sent = set()
        self._chess960 = setup.chess960
        self.spells = features.san or setup.chess960
        if not setup.standard:
            if features.setboard:
                lines.append(f"setboard {normal_fen(setup.fen, setup.chess960)}")
            else:
                board = chess.Board(setup.fen, chess960=setup.chess960)
                lines += edit_commands(board, self._move_command(""), features.san)
        for text in self._spelled(setup):
            self._sent.add(text)
            lines.append(self._move_command(text))
        self._in_force = True
        self._old_move = ("", "")
        self._draw_asked = self.offered = False
        self.process.send("\n".join(lines) + "\n")
        self._sync(setup.patience)

    def refuse_limit(self, limit: Limit) -> None:
        if limit.nodes is not None and not self.features.nps:
            raise StartFailed("cannot count nodes (no feature nps=1)")
        if limit.most_nodes is not None:
            raise StartFailed("cannot count nodes beside a clock: XBoard's protocol has no word for it")

    def refuse_chess960(self) -> None:
        if self.features.variants is None or "fischerandom" not in self.features.variants:
            raise StartFailed("cannot play Fischer random (variants without fischerandom)")

    def _spelled(self, setup: Setup) -> list[str]:
        """The opening's moves as this engine wants them."""
        if not self.spells:
            return [move.uci() for move in setup.moves]
        board, words = chess.Board(setup.fen, chess960=setup.chess960), []
        for move in setup.moves:
            words.append(self.spell(board, move))
            board.push(move)
        return words

    def _limit_commands(self, limit: Limit, patience: float) -> list[str]:
        self._depth_cap = limit.most_depth or 0
        capped = [f"sd {limit.most_depth}"] if limit.most_depth else []
        self._tell_time = self.features.time
        self.refuse_limit(limit)
        if limit.nodes is not None:
            self._tell_time = False
            return ["nps 1", f"st {limit.nodes}"]
        if limit.depth is not None:
            # The clock must not stop the search before the depth is reached: whoever takes longer than the patience stalls.
            self._tell_time = False
            self._depth_cap = limit.depth
            return [f"st {int(2 * patience) + 1}", f"sd {limit.depth}"]
        if limit.movetime is not None:
            whole = limit.movetime == int(limit.movetime)
            if self.takes_fractions or whole:
                self.sent_fraction = not whole
                return [f"st {plain(limit.movetime)}", *capped]
            return ["level 1 0:01 0", *capped]
        return [level_command(limit), *capped]

    def _move_command(self, move: str) -> str:
        return f"usermove {move}" if self.features.usermove else move

    def _sync(self, patience: float) -> None:
        """Waits until the engine has obeyed all that was sent, and drops what it has written."""
        complaints = False
        if self.features.ping:
            self._pings += 1
            pong = f"pong {self._pings}"
            self.process.send(f"ping {self._pings}\n")
            deadline = monotonic() + patience
            while (line := self.process.line(deadline)) is not None:
                if line.strip() == pong:
                    break
                complaints |= self._stale(line)
            else:
                raise Stalled(f"no pong within {patience:g} s")
        else:
            deadline = monotonic() + QUIET
            end = monotonic() + patience
            while monotonic() < end and (line := self.process.line(min(deadline, end))) is not None:
                complaints |= self._stale(line)
                deadline = monotonic() + QUIET
        self.fresh = False
        if complaints and self._setup.limit.movetime is not None and not self.takes_fractions:
            # It refused the fraction: give the same time as a clock of one move instead.
            self.process.send("\n".join(self._limit_commands(self._setup.limit, patience)) + "\n")

    def _stale(self, line: str) -> bool:
        """Looks at a line from before the game: returns True if it refuses `st`, raises Refused for other complaints."""
        if line.startswith("move "):
            self.warn("turn")
        elif line.startswith("pong"):
            self.warn("pong")
        elif line.startswith("feature "):
            replies = self.features.take(line)
            if replies:
                self.process.send("\n".join(replies) + "\n")
        elif line.startswith(("tellusererror Illegal", "tellusererror illegal")):
            raise Refused(f'refuses the start position: "{line}"')
        elif line[:5].lower() in ("error", "illeg", "inval"):
            self.refuse_hidden(line)
            if self._names_a_move(line):
                raise Refused(f'refuses a legal move: "{line}"')
            self.warn("error")
            if re.search(r"\bst\b", line):
                self.takes_fractions = False
                return True
        elif line.startswith("telluser "):
            self.warn("told")
        elif self._is_noise(line):
            self.warn("noise")
        return False

    def _names_a_move(self, line: str) -> bool:
        words = line.partition(":")[2].replace("usermove", " ").split()
        return any(word.strip("().,'\"") in self._sent for word in words)

    @staticmethod
    def _is_noise(line: str) -> bool:
        text = line.strip()
        if not text or text[0].isdigit() or text.startswith(("#", *_QUIET_WORDS)):
            return False
        return not text.startswith(("resign", "offer draw", "move", "1/2", "*"))

    # Playing

    def spell(self, board: chess.Board, move: chess.Move) -> str:
        if self.features.san:
            return board.san(move)
        if self._chess960 and board.is_castling(move):
            return "O-O" if chess.square_file(move.to_square) > chess.square_file(move.from_square) else "O-O-O"
        return move.uci()

    def go(self, move: str, own: float, other: float, session: int, draw: bool) -> None:
        self.process.sift(self._too_early)
        self._thinking = self._report = ""
        self.offered = False
        self._draw_asked = draw
        self._cap = self._depth_cap
        text = f"time {int(own * 100)}\notim {int(other * 100)}\n" if self._tell_time else ""
        if draw and self.features.draw:
            text += "draw\n"
        if move:
            self._sent.add(move)
            text += f"usermove {move}\n" if self.features.usermove else f"{move}\n"
        if self._in_force:
            self._in_force = False
            text += "go\n"
        self.process.send(text)

    def _too_early(self, line: str) -> bool:
        """Says whether a line is a move that was not asked for; claims and resignations may come at any time."""
        if line.startswith("move "):
            self.warn("turn")
            return True
        text = line.strip()
        match = _OLD_MOVE.match(text) if text[:1].isdigit() or text.startswith("My move is") else None
        if match is None:
            return False
        form = "words" if text[:1] == "M" else "dots"
        if self._is_new(form, match[1]):
            self.warn("turn")
        return True

    def answer(self, deadline: float) -> Answer:
        line_of = self.process.line
        while True:
            line = line_of(deadline)
            if line is None:
                return Reply.LATE, ""
            if line.startswith("move "):
                self._look_ahead()
                return Reply.MOVE, line[5:].strip()
            head = line.lstrip()[:1]
            if head.isdigit():
                if line[:3] in _RESULTS:
                    # Old engines take a draw that is offered by saying that the game is one.
                    agreed = self._draw_asked and line.startswith("1/2")
                    return Reply.AGREED if agreed else Reply.CLAIM, line.strip()
                if self._cap and self._too_deep(line):
                    self._cap = 0
                    self.hurry()
                match = _OLD_MOVE.match(line.strip()) if "..." in line else None
                if match is None:
                    self._thinking = line
                elif self._is_new("dots", match[1]):
                    return Reply.MOVE, match[1]
            elif head == "#":
                if line.startswith("# stats {"):
                    self._report = line[8:]
            elif head:
                answer = self._text(line)
                if answer is not None:
                    return answer

    def _text(self, line: str) -> Answer | None:
        """Returns the answer in a line that begins with a letter, None if it holds none."""
        lower = line.strip().lower()
        if lower.startswith(("resign", "tellics resign", "tellicsnoalias resign")):
            return Reply.RESIGN, line.strip()
        if lower.startswith(("offer draw", "tellics draw")):
            if self._draw_asked:
                return Reply.AGREED, line.strip()
            self.offered = True
        elif lower.startswith(("illegal", "error", "invalid move")):
            if self._names_a_move(line):
                return Reply.REFUSED, f'refuses a legal move: "{line.strip()}"'
            self.warn("error")
        elif lower.startswith("pong"):
            self.warn("pong")
        elif lower.startswith("my move is"):
            match = _OLD_MOVE.match(line.strip())
            if match and self._is_new("words", match[1]):
                return Reply.MOVE, match[1]
        elif lower == "move":
            return Reply.REFUSED, 'answered "move" without one'
        elif lower.startswith("telluser "):
            self.warn("told")
        elif self._is_noise(line):
            self.warn("noise")
        return None

    def _is_new(self, form: str, move: str) -> bool:
        """Says whether a version 1 move is new: GNU Chess sends each in both forms."""
        last, self._old_move = self._old_move, (form, move)
        return last[0] == form or last[1] != move

    def _too_deep(self, line: str) -> bool:
        depth = line.split(None, 1)[0].rstrip(".&+-*")
        return (reported(depth, MOST_DEPTH) or 0) > self._cap

    def _look_ahead(self) -> None:
        """Takes a draw offer that came right behind the move; other lines wait for their turn."""
        process = self.process
        while (line := process.peek()) is not None and line.startswith("offer draw"):
            process.ready()
            self.offered = True

    def made(self, move: str, board: chess.Board, own: float, other: float, session: int) -> None:
        """Nothing to send: an engine in play mode has made its move itself."""

    def hurry(self) -> None:
        self.process.send("?\n")

    def over(self, result: str, comment: str) -> None:
        self.process.send(f"result {result} {{{comment}}}\nforce\n")

    def variation(self) -> list[str]:
        return self._thinking.split()[4:]

    def thought(self) -> Thought:
        if not self._thinking and not self._report:
            return NO_THOUGHT
        depth = nodes = score = None
        words = self._thinking.split(None, 4)
        if len(words) >= 4:
            depth = reported(words[0].rstrip(".&+-*"), MOST_DEPTH)
            score = None if depth is None else reported(words[1], MOST_SCORE, -MOST_SCORE)
            nodes = None if score is None else reported(words[3], MOST_NODES)
        stats: dict[str, object] | None = None
        if self._report:
            try:
                stats = json.loads(self._report)
            except (ValueError, RecursionError):
                self.warn("stats")
        return Thought(depth, nodes, score, stats if isinstance(stats, dict) else None)

    def line(self) -> str:
        _, tab, moves = self._thinking.partition("\t")  # where there are more than four figures the moves follow a tab
        words = self._thinking.split(None, 4)
        return moves.strip() if tab else words[4].strip() if len(words) == 5 else ""
