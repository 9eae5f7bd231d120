"""The XBoard protocol, version 2: one method per command. Behaviour follows docs/operators.md and the protocol text."""

from __future__ import annotations

import _signal as signal  # without the enums that `signal` adds: they slow the start

from engine import __version__
from engine.play.clock import parse_decimal, parse_level, parse_whole, to_ms
from engine.play.options import LEAST_MEMORY, MOST_CORES, Settings, UnknownOption, offered
from engine.play.play import BLACK, WHITE, Play
from engine.play.thinking import Job
from engine.protocol.conversation import Conversation
from engine.protocol.lines import NULL_MOVE, looks_like_move, printable
from engine.protocol.output import Output
from engine.protocol.xboard_replies import XBoardReplies, feature_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.protocol.conversation import Events
    from engine.protocol.editor import Editor

MOST_PLIES = 10**6

FEATURES = (
    "ping=1 setboard=1 playother=1 usermove=1 san=0 time=1 draw=1 reuse=1 analyze=1 colors=0",
    'sigint=0 ics=0 name=1 pause=1 nps=1 memory=1 smp=1 exclude=1 egt="syzygy"',
    f'variants="normal,fischerandom" myname="Sortie {__version__}"',
)
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
# Commands that are refused between `edit` and `.`; all others keep their meaning.
NOT_IN_EDIT = ("go playother white black usermove setboard undo remove analyze exclude include variant edit").split()


class Refused(Exception):
    """A command that is answered with `Error (reason): LINE`."""


def bad_argument() -> Refused:
    """An argument that is missing or means nothing."""
    return Refused("bad argument")


def whole(words: list[str]) -> int:
    """The whole number that is the first argument."""
    try:
        return parse_whole(words[0])
    except (IndexError, ValueError):
        raise bad_argument() from None


def decimal(words: list[str]) -> float:
    """The number that is the first argument."""
    try:
        return parse_decimal(words[0])
    except (IndexError, ValueError):
        raise bad_argument() from None


def not_now() -> Refused:
    """A command that the present state does not allow."""
    return Refused("command not legal now")


class XBoard(Conversation):
    """The engine as an XBoard GUI sees it."""

    def __init__(self, settings: Settings, out: Output, events: Events) -> None:
        self.replies = XBoardReplies(out)
        super().__init__(settings, out, events, self.replies)
        self.play = Play(self.replies, settings, events.put)
        self.editor: Editor | None = None  # the board under construction between `edit` and `.`
        self.commands: dict[str, Callable[[list[str], str], None]] = {
            "xboard": self._xboard, "protover": self._protover, "accepted": self._accepted, "rejected": self._rejected,
            "new": self._new, "variant": self._variant, "random": self._ignore, "force": self._force, "go": self._go,
            "playother": self._playother, "white": self._white, "black": self._black, "level": self._level,
            "st": self._st, "sd": self._sd, "nps": self._nps, "time": self._time, "otim": self._otim,
            "usermove": self._usermove, "?": self._move_now, "ping": self._ping, "draw": self._draw,
            "result": self._result, "setboard": self._setboard, "edit": self._edit, "hint": self._hint, "bk": self._bk,
            "undo": self._undo, "remove": self._remove, "hard": self._hard, "easy": self._easy, "post": self._post,
            "nopost": self._nopost, "analyze": self._analyze, "exit": self._exit, ".": self._status,
            "name": self._ignore, "rating": self._ignore, "ics": self._ignore, "computer": self._ignore,
            "pause": self._pause, "resume": self._resume, "memory": self._memory, "cores": self._cores,
            "egtpath": self._egtpath, "option": self._option, "exclude": self._exclude, "include": self._include,
            "lift": self._ignore, "put": self._ignore, "hover": self._ignore, "partner": self._ignore,
            "ptell": self._ignore, "holding": self._ignore,
        }  # fmt: skip

    def finished(self, job: Job) -> None:
        """A search has ended."""
        self.play.finished(job)

    def obey(self, line: str) -> None:
        """Carry out one line that is not empty."""
        words = line.split()
        name, arguments = words[0], words[1:]
        try:
            if self.editor is not None and self._edited(self.editor, line):
                return
            method = self.commands.get(name)
            if method is not None:
                method(arguments, line)
            elif looks_like_move(name):
                self._move(name)
            else:
                raise Refused("unknown command")
        except Refused as refusal:
            self.out.line(f"Error ({refusal}): {printable(line)}")

    # ---- handshake

    def _xboard(self, words: list[str], line: str) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _protover(self, words: list[str], line: str) -> None:
        self.replies.raw = False
        lines = ["done=0", "debug=1", *FEATURES]
        for option in offered():
            value = "" if option.kind == "button" else self.settings.get(option.name)
            lines.append(f'option="{feature_value(option, value)}"')
        self.out.lines([f"feature {text}" for text in (*lines, "done=1")])

    def _accepted(self, words: list[str], line: str) -> None:
        if words[:1] == ["debug"]:
            self.replies.debug = True

    def _rejected(self, words: list[str], line: str) -> None:
        if words[:1] == ["debug"]:
            self.replies.debug = False

    def _ignore(self, words: list[str], line: str) -> None:
        """Nothing to do, and never an error."""

    def _ping(self, words: list[str], line: str) -> None:
        if not words:
            raise bad_argument()
        token = line[len("ping") :].strip()
        if self.play.thinking() and not self.play.paused:
            self.replies.pong_later(token)
        else:
            self.replies.pong(token)

    # ---- the game

    def _new(self, words: list[str], line: str) -> None:
        self.editor = None
        self.play.new_game()

    def _variant(self, words: list[str], line: str) -> None:
        if not words:
            raise bad_argument()
        if words[0] not in ("normal", "fischerandom"):
            self.play.refuse_moves()
            raise Refused("unsupported variant")
        self.play.set_variant(words[0] == "fischerandom")

    def _force(self, words: list[str], line: str) -> None:
        if not self.play.analyzing:
            self.play.stop()
            self.play.engine_side = None

    def _go(self, words: list[str], line: str) -> None:
        if self.play.analyzing:
            raise not_now()
        if self.play.bad:
            raise Refused("illegal position")
        self.play.go()

    def _playother(self, words: list[str], line: str) -> None:
        if self.play.analyzing:
            raise not_now()
        self.play.play_other()

    def _white(self, words: list[str], line: str) -> None:
        self._to_move(WHITE)

    def _black(self, words: list[str], line: str) -> None:
        self._to_move(BLACK)

    def _to_move(self, colour: int) -> None:
        if self.play.bad or not self.play.to_move(colour):
            raise not_now()

    def _usermove(self, words: list[str], line: str) -> None:
        if not words:
            raise bad_argument()
        self._move(words[0])

    def _move(self, text: str) -> None:
        if self.play.paused:
            raise not_now()
        if text == NULL_MOVE:
            if not self.play.null_move():
                self.out.line(f"Illegal move: {NULL_MOVE}")
            return
        move = 0 if self.play.bad else self.play.game.parse(text)
        if not move:
            self.out.line(f"Illegal move: {printable(text)}")
            return
        self.play.opponent_moves(move)

    def _move_now(self, words: list[str], line: str) -> None:
        self.play.move_now()

    def _draw(self, words: list[str], line: str) -> None:
        self.play.offer()

    def _result(self, words: list[str], line: str) -> None:
        if words[:1] and words[0] in RESULTS:
            self.play.over()

    def _undo(self, words: list[str], line: str) -> None:
        if not self.play.take_back(1):
            raise not_now()
        self.play.engine_side = None

    def _remove(self, words: list[str], line: str) -> None:
        if not self.play.take_back(2):
            raise not_now()

    # ---- clocks and limits

    def _level(self, words: list[str], line: str) -> None:
        try:
            self.play.clocks.set_level(parse_level(words))
        except ValueError:
            raise bad_argument() from None

    def _st(self, words: list[str], line: str) -> None:
        seconds = decimal(words)
        if seconds <= 0:
            raise bad_argument()
        self.play.clocks.set_st(max(1, to_ms(seconds)))

    def _sd(self, words: list[str], line: str) -> None:
        self.play.depth = max(0, min(whole(words), MOST_PLIES))

    def _nps(self, words: list[str], line: str) -> None:
        rate = whole(words)
        self.play.nps = rate if rate >= 0 else None

    def _time(self, words: list[str], line: str) -> None:
        self.play.clocks.set_time(to_ms(decimal(words) / 100))

    def _otim(self, words: list[str], line: str) -> None:
        self.play.clocks.set_otim(to_ms(decimal(words) / 100))

    # ---- positions

    def _setboard(self, words: list[str], line: str) -> None:
        self._positioned(self.play.set_position, " ".join(words[:6]))

    def _positioned(self, action: Callable[..., None], *arguments: str) -> None:
        """Carry out an action that sets a position; tell the GUI if that is impossible."""
        try:
            action(*arguments)
        except ValueError as error:
            self.out.line("tellusererror Illegal position")
            self.replies.note(f"position refused: {error}")

    def _edit(self, words: list[str], line: str) -> None:
        from engine.protocol.editor import Editor  # hardly any GUI asks for it

        self.play.edit()
        self.editor = Editor(self.play.game.fen(), self.play.game.chess960)

    def _edited(self, editor: Editor, line: str) -> bool:
        """Obey a line inside edit mode; False for a command that keeps its meaning there."""
        name = line.split()[0]
        if line == ".":
            self.editor = None
            self._positioned(self.play.set_position, editor.fen())
        elif not editor.command(line):
            if name in NOT_IN_EDIT:
                raise not_now()
            if name not in self.commands:
                raise Refused("unknown command")
            return False
        return True

    def _exclude(self, words: list[str], line: str) -> None:
        self._choose_roots(words, self.play.excluded.__or__)

    def _include(self, words: list[str], line: str) -> None:
        self._choose_roots(words, self.play.excluded.__sub__)

    def _choose_roots(self, words: list[str], combine: Callable[[set[int]], set[int]]) -> None:
        if not words:
            raise bad_argument()
        if self.play.bad:
            raise not_now()
        text = words[0]
        if text == "all":
            moves = set(self.play.game.legal_moves())
        else:
            moves = {self.play.game.parse(text)}
            if 0 in moves:
                self.out.line(f"Illegal move: {printable(text)}")
                return
        self.play.set_excluded(combine(moves))

    # ---- thinking output, pondering, analysis

    def _post(self, words: list[str], line: str) -> None:
        self.play.set_post(True)

    def _nopost(self, words: list[str], line: str) -> None:
        self.play.set_post(False)

    def _hard(self, words: list[str], line: str) -> None:
        self.play.hard = True
        self.play.ponder()

    def _easy(self, words: list[str], line: str) -> None:
        self.play.easy()

    def _analyze(self, words: list[str], line: str) -> None:
        self.play.analyze()

    def _exit(self, words: list[str], line: str) -> None:
        if self.play.analyzing:
            self.play.analyzing = False
            self.play.stop()

    def _status(self, words: list[str], line: str) -> None:
        if self.play.analyzing:
            self.out.line(self._status_line())

    def _status_line(self) -> str:
        """The `stat01:` line of the running analysis."""
        if self.play.thinker.job is None:
            return "stat01: 0 0 0 0 0"
        ms, nodes, depth, left, total, move = self.play.thinker.progress()
        line = f"stat01: {ms // 10} {nodes} {depth} {left} {total}"
        return f"{line} {self.play.game.san(move)}" if move in self.play.game.legal_moves() else line

    def _pause(self, words: list[str], line: str) -> None:
        self.play.pause()

    def _resume(self, words: list[str], line: str) -> None:
        if self.play.paused:
            self.play.resume()

    def _hint(self, words: list[str], line: str) -> None:
        move = self.play.hint()
        if move:
            self.out.line(f"Hint: {move}")

    def _bk(self, words: list[str], line: str) -> None:
        for text in self.play.book_lines():
            self.out.line(" " + text)
        self.out.line("")

    # ---- settings

    def _memory(self, words: list[str], line: str) -> None:
        wanted = whole(words)
        if wanted < LEAST_MEMORY:
            self.replies.note(f"memory {wanted} is too little, {LEAST_MEMORY} MiB used")
        if wanted != self.settings.memory:
            self.settings.set("memory", str(max(wanted, LEAST_MEMORY)))
            self.play.reconfigure()

    def _cores(self, words: list[str], line: str) -> None:
        wanted = whole(words)
        if wanted < 1:
            raise bad_argument()
        if min(wanted, MOST_CORES) != self.settings.cores:
            self.settings.set("cores", str(min(wanted, MOST_CORES)))
            self.play.reconfigure()

    def _egtpath(self, words: list[str], line: str) -> None:
        kind, _, path = line[len("egtpath") :].strip().partition(" ")
        if kind != "syzygy":
            self.replies.note(f"no {kind} tables are used, syzygy is" if kind else "egtpath: expected syzygy FOLDER")
            return
        self.settings.set("SyzygyPath", path.strip())
        self.play.reconfigure()

    def _option(self, words: list[str], line: str) -> None:
        name, equals, value = line[len("option") :].partition("=")
        name, value = name.strip(), value.strip()
        if not name:
            raise bad_argument()
        if name == "ClearHash":
            self.play.clear_hash()
            return
        if name in ("memory", "cores"):
            raise Refused("unknown option")
        try:
            if name == "LogFile":
                self.out.log.open(value)
            self.settings.set(name, value)
        except UnknownOption:
            raise Refused("unknown option") from None
        except ValueError as error:
            self.replies.note(str(error))
            raise bad_argument() from None
        if name == "MultiPV":
            self.play.refresh_analysis()
        elif name.startswith("Syzygy"):
            self.play.reconfigure()
        elif name in ("OwnBook", "BookFile") and self.settings.on("OwnBook"):
            self.play.library.open()
