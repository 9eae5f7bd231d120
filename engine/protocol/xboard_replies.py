"""What Sortie says to an XBoard GUI: the lines of section 5 of the protocol reference, and those of its options."""

from __future__ import annotations

from engine.board.game import Game
from engine.model import Info
from engine.play.options import Option
from engine.protocol.lines import LONGEST, printable
from engine.protocol.output import Output

MARKS = {-1: " ?", 0: "", 1: " !"}


def line_of_play(fen: str, chess960: bool, moves: list[int], room: int) -> str:
    """The moves in SAN separated by blanks, as many as fit into `room` characters, up to the first illegal one."""
    board, words, length = Game(fen, chess960), [], 0
    for move in moves:
        if move not in board.legal_moves():
            break
        word = board.san(move)
        length += len(word) + 1
        if length > room:
            break
        words.append(word)
        board.push(move)
    return " ".join(words)


def thinking_line(info: Info, fen: str, chess960: bool) -> str:
    """`PLY SCORE TIME NODES SELDEPTH NPS TBHITS<tab>PV`, with a word after the PV for a fail high or low.

    Time is in centiseconds, the score from the engine's side, NPS in nodes, not thousands.
    """
    speed = info.nodes * 1000 // max(1, info.ms)
    head = f"{info.depth} {info.score} {info.ms // 10} {info.nodes} {info.seldepth} {speed} {info.hits}\t"
    return head + line_of_play(fen, chess960, info.pv, LONGEST - len(head)) + MARKS[info.bound]


def book_line(shares: list[str]) -> str:
    """`0 0 0 0 (e4 64%, d4 36%)`: the book's moves as a thinking line, as many as fit."""
    text = ""
    for share in shares:
        if len(text) + len(share) > LONGEST:
            break
        text += f", {share}" if text else share
    return f"0 0 0 0 ({text})"


def feature_value(option: Option, value: str) -> str:
    """The text between the quotes of `feature option="..."`; `value` is the present one.

    An empty value is followed by a blank, without which xboard rejects the option.
    """
    if option.kind == "check":
        return f"{option.name} -check {int(value == 'on')}"
    if option.kind == "spin":
        return f"{option.name} -spin {value} {option.minimum} {option.maximum}"
    if option.kind == "combo":
        return f"{option.name} -combo " + " /// ".join("*" * (level == value) + level for level in option.choices)
    if option.kind == "button":
        return f"{option.name} -button"
    return f"{option.name} -{option.kind} " + value.replace('"', "")


class XBoardReplies:
    """The door that writes a game's reports as XBoard lines."""

    def __init__(self, out: Output) -> None:
        self.out = out
        self.debug = False  # the GUI has accepted `# ` lines
        self.raw = True  # no protover yet: a person or a script is typing
        self._pings: list[str] = []  # answered once no search that must end in a move is running

    def note(self, text: str) -> None:
        """A `# ` line if the GUI accepts them or there is no GUI, else only in the log: GUIs take words in them for claims."""
        self._remark(printable(text, LONGEST))

    def _remark(self, text: str) -> None:
        if self.debug or self.raw:
            self.out.line("# " + text)
        else:
            self.out.log.write("=", text)

    def warn(self, text: str) -> None:
        """A message that the GUI shows; without a GUI a `# ` line."""
        self.out.line(f"{'#' if self.raw else 'telluser'} {printable(text, LONGEST)}")

    def thinking(self, info: Info, fen: str, chess960: bool) -> None:
        self.out.line(thinking_line(info, fen, chess960))

    def stats(self, counters: dict[str, object]) -> None:
        """`# stats {json}`, for GUIs that accept `#` lines and for sessions without a GUI."""
        import json  # only measuring runs pay for it

        self._remark("stats " + json.dumps(counters, separators=(",", ":")))

    def settled(self) -> None:
        pings, self._pings = self._pings, []
        for token in pings:
            self.pong(token)

    def book(self, shares: list[str]) -> None:
        self.out.line(book_line(shares))

    def move(self, text: str) -> None:
        self.out.line(f"move {text}")

    def hint(self, text: str) -> None:
        self.out.line(f"Hint: {text}")

    def game_over(self, result: str, reason: str) -> None:
        self.out.line(f"{result} {{{reason}}}")

    def offer_draw(self) -> None:
        self.out.line("offer draw")

    def resign(self) -> None:
        self.out.line("resign")

    def pong(self, token: str) -> None:
        self.out.line(f"pong {token}")

    def pong_later(self, token: str) -> None:
        """Answer this ping once we have moved."""
        self._pings.append(token)
