"""The UCI protocol: one method per command. The GUI says what to search and when; the engine keeps no game of its own."""

from __future__ import annotations

from itertools import zip_longest

from engine import __version__
from engine.board.game import STARTPOS
from engine.model import Limits, Value
from engine.play.clock import LONGEST_MS, MOST_NODES, parse_whole
from engine.play.options import Settings, network_of
from engine.play.record import Record
from engine.play.session import Session
from engine.play.thinking import ANALYZE, PONDER, THINK, Job
from engine.protocol.conversation import Conversation
from engine.protocol.output import Output
from engine.protocol.uci_options import UciOptions
from engine.protocol.uci_replies import UciReplies, board_lines, effort, move_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.protocol.conversation import Events

TICK_S = 1.0  # a search that has been silent for this long reports what it is doing
DEEPEST = 10**6
MOST_PERFT = 30
# Words of `go` that take a number, with its least and greatest value; others are clipped to these.
NUMBERS = {
    "wtime": (-LONGEST_MS, LONGEST_MS),
    "btime": (-LONGEST_MS, LONGEST_MS),
    "winc": (0, LONGEST_MS),
    "binc": (0, LONGEST_MS),
    "movestogo": (0, 10**6),
    "depth": (1, DEEPEST),
    "nodes": (1, MOST_NODES),
    "mate": (1, 1000),
    "movetime": (1, LONGEST_MS),
    "perft": (0, MOST_PERFT),
}
FLAGS = ("ponder", "infinite")
CLOCKS = (("wtime", "winc"), ("btime", "binc"))


class Go(Value):
    """What `go` asks for: the numbers by word, the flags, the words after searchmoves, a sentence for each bad number."""

    __slots__ = ()
    numbers: dict[str, int]
    flags: set[str]
    searchmoves: list[str]
    faults: list[str]


def parse_go(words: list[str]) -> Go:
    """Parse the words after `go`. A bad number is left out; if nothing else limits the search, it is one ply deep."""
    go = Go({}, set(), [], [])
    behind_searchmoves = False
    for word, value in zip_longest(words, words[1:], fillvalue=""):
        if word in NUMBERS:  # the value may be missing, and be a word of its own
            behind_searchmoves = False
            try:
                number = parse_whole(value)
            except ValueError:
                go.faults.append(f"go {word}: expected a whole number, not '{value}'")
                continue
            least, most = NUMBERS[word]
            go.numbers[word] = max(least, min(number, most))
        elif word in FLAGS:
            go.flags.add(word)
            behind_searchmoves = False
        elif word == "searchmoves":
            behind_searchmoves = True
        elif behind_searchmoves:
            go.searchmoves.append(word)
    if go.faults and not go.flags and not go.numbers:
        go.numbers["depth"] = 1  # the GUI waits for an answer
    return go


class UCI(Conversation):
    """The engine as a UCI GUI sees it. `bench` runs the bench and returns its summary line."""

    def __init__(self, settings: Settings, out: Output, events: Events, bench: Callable[[Settings], str]) -> None:
        self.replies = UciReplies(out)
        super().__init__(settings, out, events, self.replies)
        self.session = Session(self.replies, settings, events.put)
        self.session.post = True
        self.replies.hash_full = self.session.thinker.hash_full
        self.options = UciOptions(settings)
        self._bench = bench
        self._debug = False
        self._impossible = False  # the last position received was impossible
        self._start = (STARTPOS, False)  # FEN and rules from which the moves received begin
        self._moves: list[str] = []
        self._asked = Go({}, set(), [], [])  # the last `go` that began a search
        self._timed = False  # it named a clock or a time
        self.commands: dict[str, Callable[[list[str], str], None]] = {
            "uci": self._uci, "debug": self._set_debug, "isready": self._isready, "setoption": self._setoption,
            "register": self._ignore, "ucinewgame": self._ucinewgame, "position": self._position, "go": self._go,
            "stop": self._stop, "ponderhit": self._ponderhit, "bench": self._run_bench, "eval": self._eval,
            "d": self._display,
        }  # fmt: skip

    def obey(self, line: str) -> None:
        """Carry out one line: words before the first known command are skipped, a line without one is ignored."""
        words = line.split()
        for place, word in enumerate(words):
            method = self.commands.get(word)
            if method is not None:
                method(words[place + 1 :], line[line.index(word) + len(word) :].strip())
                return
        if self._debug:
            self.replies.note(f"unknown command: {line}")

    # ---- handshake and settings

    def _uci(self, words: list[str], rest: str) -> None:
        name = [f"id name Sortie {__version__}", "id author the Sortie developers"]
        self.out.lines([*name, *self.options.lines(), "uciok"])

    def _set_debug(self, words: list[str], rest: str) -> None:
        self._debug = words[:1] == ["on"]

    def _ignore(self, words: list[str], rest: str) -> None:
        """Nothing to do."""

    def _isready(self, words: list[str], rest: str) -> None:
        try:
            if self.session.thinker.job is None:
                self.session.configure()  # allocate memory now, not on the clock
        finally:
            self.out.line("readyok")

    def _setoption(self, words: list[str], rest: str) -> None:
        """Options that touch the tables wait for the end of a running search; others take effect with the next search."""
        if words[:1] != ["name"] or words[1:2] in ([], ["value"]):
            self.replies.note("setoption: expected name NAME value VALUE")
            return
        end = words.index("value") if "value" in words else len(words)
        # A value, such as a file name, keeps the white space within.
        name, value = " ".join(words[1:end]), "".join(rest.split(None, end + 1)[end + 1 :])
        try:
            if name.lower() == "logfile":
                self.out.log.open("" if value == "<empty>" else value)
            name = self.options.set(name, value)
        except ValueError as error:
            self.replies.note(str(error))
            return
        if name in ("Hash", "Threads"):
            self.session.reconfigure()
        elif name == "Clear Hash":
            self.session.clear_hash()
        elif name.startswith("Syzygy"):
            self.session.reconfigure()
        elif name in ("OwnBook", "BookFile") and self.settings.on("OwnBook"):
            self.session.library.open()

    # ---- games and positions

    def _ucinewgame(self, words: list[str], rest: str) -> None:
        self._stop(words, rest)
        self.session.clocks.new_game()
        self.session.configure()
        self.session.thinker.clear()

    def _position(self, words: list[str], rest: str) -> None:
        """Set up a position; a running search keeps its own. If the moves extend the last ones, only the new ones are made."""
        split = words.index("moves") if "moves" in words else len(words)
        setup, moves = words[:split], words[split + 1 :]
        if setup[:1] not in (["startpos"], ["fen"]):
            self.replies.note("position: expected startpos or fen FEN, then moves MOVE ...")
            return
        if extra := setup[1 if setup[0] == "startpos" else 7 :]:
            self.replies.note(f"position: expected the word moves, not {extra[0]}")
        start = (STARTPOS if setup[0] == "startpos" else " ".join(setup[1:7]), self.options.on("UCI_Chess960"))
        known = len(self._moves)
        if self._impossible or start != self._start or moves[:known] != self._moves:
            self._impossible = True
            try:
                self.session.record = Record(*start)
            except ValueError as error:
                self.replies.note(f"position: {error}")
                return
            self._impossible, self._start, self._moves = False, start, []
        for word in moves[len(self._moves) :]:
            move = self.session.game.parse(word)
            if not move:
                self.replies.note(f"position: illegal move {word}")
                return
            self.session.record.push(move)
            self._moves.append(word)

    # ---- searching

    def _go(self, words: list[str], rest: str) -> None:
        """Search the position; a search that is still running is answered first."""
        self._stop([], "")
        go = parse_go(words)
        for fault in go.faults:
            self.replies.note(fault)
        if self._impossible:
            self.out.line("bestmove (none)")
        elif "perft" in go.numbers:
            self._perft(go.numbers["perft"])
        elif not self._from_book(go):
            self._search(go)

    def _from_book(self, go: Go) -> bool:
        """Answer with a book move, if there is one and only a move is wanted."""
        game = self.session.game
        analysis = go.flags or not go.numbers or "mate" in go.numbers
        entries = [] if analysis else self.session.library.playable(game, self._left_out(go))
        if entries:
            self.replies.note("book " + ", ".join(self.session.library.lines(game)))
            self.out.line(f"bestmove {move_text(game, self.session.library.pick(entries))}")
        return bool(entries)

    def _left_out(self, go: Go) -> set[int]:
        """The legal moves that searchmoves does not name; none if it names no legal move."""
        game = self.session.game
        wanted = {game.parse(word) for word in go.searchmoves} - {0}
        return set(game.legal_moves()) - wanted if wanted else set()

    def _search(self, go: Go) -> None:
        self._asked = go
        session, numbers = self.session, go.numbers
        clock = self._told_clock(numbers)
        self._timed = clock or "movetime" in numbers
        limited = self._timed or bool({"depth", "nodes"} & numbers.keys())
        endless = "infinite" in go.flags or not (limited or "mate" in numbers)
        # Where there is no mate, a search for one ends with its depths: without any limit it would wait for `stop`.
        session.depth = numbers.get("depth", 0 if limited or endless else DEEPEST)
        limits = Limits(depth=session.depth)
        kind = PONDER if "ponder" in go.flags else ANALYZE if endless else THINK
        if kind == THINK and self._timed:
            limits = session.limits()
        # On the clock, lines are paced; in analysis, every depth is reported.
        job = session.new_job(kind, session.game.copy(), limits.replace(nodes=numbers.get("nodes", 0)), not clock)
        job.excluded = frozenset(self._left_out(go))
        job.mate = numbers.get("mate", 0)
        job.lines = self.settings.number("MultiPV")
        if kind != ANALYZE:
            job.contempt = self.settings.number("Contempt")
            job.level = self.options.level()
        if session.start(job):
            self._answer(job)

    def _told_clock(self, numbers: dict[str, int]) -> bool:
        """Pass on the clocks in `go`; return whether it names one. If ours is missing the opponent's is used."""
        clocks, side = self.session.clocks, self.session.game.turn
        (own, increment), (other, _) = CLOCKS[side], CLOCKS[1 - side]
        fixed = numbers.get("movetime")
        if own in numbers or other in numbers:
            left = numbers.get(own, numbers.get(other, 0))
            clocks.told(side, left, numbers.get("movestogo", 0), numbers.get(increment, 0), fixed)
            return True
        if fixed is not None:
            clocks.set_st(fixed)
        return False

    def _stop(self, words: list[str], rest: str) -> None:
        """End the running search, whatever it is for, and answer it."""
        job = self.session.thinker.job
        if job is not None:
            self.session.thinker.hurry()
            self._answer(job)

    def _ponderhit(self, words: list[str], rest: str) -> None:
        job = self.session.thinker.job
        if job is None or job.kind != PONDER:
            return
        if job.failure:  # perhaps there was no thread for it: the move must not be one that nobody searched
            self.replies.note(f"search failed: {job.failure}")
            self.session.halt()
            self._search(self._asked.replace(flags=self._asked.flags - {"ponder"}))
            return
        if self._timed:
            if not self.session.hit(job):
                self._answer(job)
            return
        job.kind = THINK
        if job.ended():
            self._answer(job)

    def finished(self, job: Job) -> None:
        """A search has ended; under `go infinite` and `go ponder` its answer waits for stop or ponderhit."""
        if job is self.session.thinker.job and job.kind == THINK:
            self._answer(job)

    def _answer(self, job: Job) -> None:
        """Send `bestmove` for a search that has ended: one for each `go`."""
        self.session.thinker.job = None
        if job.failure:
            self.replies.note(f"search failed: {job.failure}")
        game, result = job.game, job.result
        free = [move for move in game.legal_moves() if move not in job.excluded]
        best = guess = 0
        if free and result is not None and result.move in free:
            best, guess = result.move, result.ponder
            used = self.session.conclude(job, result)
            if self._timed and job.kind == THINK:  # the clock that ran while we pondered was the opponent's
                self.session.clocks.made(game.turn, used)
        elif free:  # the search failed: any move is better than none
            best = free[0]
        if best:
            text = f"bestmove {move_text(game, best)}"
            game.push(best)
            self.out.line(f"{text} ponder {move_text(game, guess)}" if guess in game.legal_moves() else text)
        else:
            self.out.line(f"info depth 0 score {'mate' if game.in_check() else 'cp'} 0")
            self.out.line("bestmove (none)")
        self.session.settle()  # a larger table may take a second, which is not for the clock

    def pulse(self) -> float | None:
        """Seconds between two reports on a running search; None without one."""
        job = self.session.thinker.job
        return TICK_S if job is not None and not job.ended() else None

    def tick(self) -> None:
        """Report what a long search is doing."""
        job = self.session.thinker.job
        if job is None or job.ended():
            return
        ms, nodes, depth, left, total, move = self.session.thinker.progress()
        used = effort(nodes, ms, self.session.thinker.hash_full(), self.session.thinker.tablebase_hits())
        if move in job.game.legal_moves():
            at = f"depth {depth} currmove {move_text(job.game, move)} currmovenumber {max(1, total - left)} "
            self.out.line(f"info {at}{used}")
        else:
            self.out.line(f"info {used}")

    # ---- beyond the protocol, for people

    def _perft(self, depth: int) -> None:
        total = 0 if depth else 1
        game = self.session.game
        for move, (_, count) in zip(game.legal_moves(), game.divide(depth), strict=True) if depth else ():
            total += count
            self.out.line(f"{move_text(game, move)}: {count}")
        self.out.line(f"Nodes searched: {total}")

    def _run_bench(self, words: list[str], rest: str) -> None:
        self._stop(words, rest)
        try:
            self.out.line(self._bench(self.settings))
        except (ValueError, MemoryError) as error:
            self.replies.note(str(error))

    def _eval(self, words: list[str], rest: str) -> None:
        from engine.evaluation.report import evaluation_lines, evaluation_of

        game = self.session.game
        network = None
        try:
            network = network_of(self.settings)
        except (ValueError, MemoryError) as error:
            self.replies.note(f"{error}; the classical evaluation is used")
        self.out.lines(evaluation_lines(game.fen(), evaluation_of(game, network, network is not None)))

    def _display(self, words: list[str], rest: str) -> None:
        self.out.lines(board_lines(self.session.game))
