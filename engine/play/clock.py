"""The time budget of one move, from the clock commands of the XBoard protocol: pure functions and a small ledger."""

from __future__ import annotations

from engine.model import Limits, Value

SAFETY_MS = 20  # the least that is kept back, whatever MoveOverhead says
INSTANT_MS = 100  # with no more than this on the clock, play the best move at depth 1
INSTANT_HARD_MS = 5
LOW_CLOCK_MS = 1000  # below this the plan keeps the clock above INSTANT_MS
RESERVE = 2  # so many times the worst lag is kept back, beside the overhead
BUSY_MS = 20  # a worst lag of this or more means a busy machine
FORGETTING = 0.97  # factor by which the worst lag fades with each move
ROUNDING_MS = 10  # GUIs send whole centiseconds
MOST_LAG_MS = 250  # a larger gap is not lag: the GUI has set another clock
FEWEST_MOVES = 18  # that a clock without increment, or a low clock, is planned to last
DEFAULT_MS = 5000  # for a move when no clock, depth or node rate was ever given
# Larger numbers are cut to this so that no sum overflows in the kernel; `nps 1` and `st N` mean N nodes, so it is not small.
LONGEST_MS = 10**15
MOST_NODES = 10**17


class TimeControl(Value):
    """`level MPS BASE INC`: moves per session (0: the whole game), milliseconds of both times."""

    __slots__ = ()
    moves: int
    base_ms: int
    increment_ms: int


class Lag(Value):
    """How much longer our recent moves took than planned: on average, and at worst."""

    __slots__ = ()
    usual_ms: float
    worst_ms: float


NO_LAG = Lag(0, 0)


class Situation(Value):
    """Everything that the budget of one move depends on.

    clock_ms: our clock now, None when none was ever given; control: of `level` or None; own_moves: our moves since `level`;
    men: on the board; st_ms: `st`, None when a level governs; depth: `sd`, 0 for no cap; nps: None off, 0 CPU time, else
    nodes a second; lag: what moves cost beyond the plan; most_ms: the most for this move, None without such a limit.
    """

    __slots__ = ()
    clock_ms: int | None = None
    control: TimeControl | None = None
    own_moves: int = 0
    men: int = 32
    st_ms: int | None = None
    depth: int = 0
    nps: int | None = None
    overhead_ms: int = SAFETY_MS
    lag: Lag = NO_LAG
    most_ms: int | None = None


def parse_decimal(text: str) -> float:
    """The number in decimal digits with an optional sign and fraction; ValueError for anything else (`inf`, `1e9`)."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    whole, _, fraction = digits.partition(".")
    if not (whole + fraction).isdecimal() or not digits.isascii() or len(digits) > 30:
        raise ValueError("expected a number")
    return float(text)


def parse_whole(text: str) -> int:
    """The whole number in decimal digits with an optional sign; ValueError for anything else."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 30:
        raise ValueError("expected a whole number")
    return int(text)


def _leading_number(text: str) -> tuple[float, str]:
    """The number `text` starts with and the rest; ValueError when it does not start with a digit."""
    end = 0
    while end < len(text) and text[end] in "0123456789":
        end += 1
    if end < len(text) - 1 and end and text[end] == "." and text[end + 1] in "0123456789":
        end += 1
        while end < len(text) and text[end] in "0123456789":
            end += 1
    return parse_decimal(text[:end]), text[end:]


def parse_base(text: str) -> int:
    """Milliseconds of `MIN` or `MIN:SEC`; what follows a valid start (`25+5`) is ignored. ValueError without one."""
    minutes, rest = _leading_number(text)
    seconds = 0.0
    if rest[:1] == ":" and rest[1:2].isdecimal():
        seconds, _ = _leading_number(rest[1:])
    return to_ms(minutes * 60 + seconds)


def parse_level(words: list[str]) -> TimeControl:
    """The time control that the words MPS BASE INC name; ValueError if they name none."""
    if len(words) < 3:
        raise ValueError("expected MPS BASE INC")
    moves = parse_whole(words[0])
    increment = parse_decimal(words[2])
    if moves < 0 or increment < 0:
        raise ValueError("expected numbers that are not negative")
    return TimeControl(min(moves, 10**6), parse_base(words[1]), to_ms(increment))


def to_ms(seconds: float) -> int:
    """Seconds as whole milliseconds, rounded and kept in the range that the kernel can count."""
    return round(max(-LONGEST_MS, min(seconds * 1000, LONGEST_MS)))


def moves_to_go(control: TimeControl | None, own_moves: int, men: int, clock_ms: int) -> float:
    """How many moves the clock has to last: known within a session, else from 34 with all men on the board down to 18.

    If the increment is a hundredth of the clock or more, from 22 down to 8: the increment is enough for an ending, and the clock
    is for the middlegame. With a smaller increment, in proportion between the two.
    """
    if control is not None and control.moves > 0:
        return control.moves - own_moves % control.moves
    full = max(0, min(men, 32) - 2) / 30
    patient = FEWEST_MOVES + 16 * full
    brisk = 8 + 14 * full
    increment = control.increment_ms if control is not None else 0
    return patient + (brisk - patient) * min(1, 100 * increment / max(1, clock_ms))


def share(
    clock_ms: int, control: TimeControl | None, own_moves: int, men: int, overhead_ms: int, lag: Lag = NO_LAG
) -> tuple[int, int]:
    """Soft and hard milliseconds for one move; (0, 0) if there is only time for a move at once.

    soft = T / moves to go + 0.85 increment; hard = the least of T - overhead, four times soft, and T / 3 + increment
    (0.7 T if moves per session are counted, so that even the last move of a session keeps a reserve). T is the clock less
    the overhead and RESERVE times the recent worst lag, but at least half the clock. A low clock with an increment also leaves
    out the last INSTANT_MS, in which moves are played at once, and is planned to last FEWEST_MOVES at least: it stays above.
    The usual lag comes off the share, at most half of it. When little else is left the increment is not spent in advance,
    so that the clock recovers.
    """
    reserve = overhead_ms + RESERVE * lag.worst_ms
    busy = lag.worst_ms >= BUSY_MS and clock_ms <= reserve
    if clock_ms <= INSTANT_MS or clock_ms <= overhead_ms or busy:
        return 0, 0
    left = moves_to_go(control, own_moves, men, clock_ms)
    counted = control is not None and control.moves > 0
    increment = control.increment_ms if control is not None else 0
    free = clock_ms - min(reserve, clock_ms / 2)
    if increment and clock_ms < LOW_CLOCK_MS:
        free = min(free, max(clock_ms - INSTANT_MS - overhead_ms, clock_ms / 8))
        left = max(left, FEWEST_MOVES)
    soft = free / left + min(0.85 * increment, free / 2)
    soft = max(soft - lag.usual_ms, soft / 2)
    most = 0.7 * free if counted else free / 3 + increment
    hard = min(clock_ms - overhead_ms, 4 * soft, most)
    return max(1, int(min(soft, hard))), max(1, int(hard))


def less_overhead(milliseconds: int, overhead: int) -> int:
    """What a search may use of a fixed time for one move, milliseconds."""
    return max(1, milliseconds - min(overhead, max(SAFETY_MS, milliseconds // 5)))


def budget(now: Situation) -> Limits:
    """The limits of the search for one move in this situation (protocol reference, section 7)."""
    overhead = max(now.overhead_ms, SAFETY_MS)
    if now.st_ms is not None:
        exact = max(1, now.st_ms)
        soft = hard = less_overhead(now.st_ms, overhead)
    elif now.clock_ms is not None:
        soft, hard = share(now.clock_ms, now.control, now.own_moves, now.men, overhead, now.lag)
        exact = soft
        if not hard:
            timed = 0 if now.nps else INSTANT_HARD_MS
            return Limits(depth=1, soft_ms=timed, hard_ms=timed, cpu_clock=now.nps == 0)
        if now.most_ms is not None:
            most = less_overhead(now.most_ms, overhead)
            soft, hard, exact = min(soft, most), min(hard, most), min(exact, now.most_ms)
    elif now.depth:
        return Limits(depth=now.depth)
    else:
        exact = soft = hard = DEFAULT_MS
    if now.nps:
        return Limits(depth=now.depth, nodes=max(1, min(exact * now.nps // 1000, MOST_NODES)))
    return Limits(depth=now.depth, soft_ms=soft, hard_ms=hard, cpu_clock=now.nps == 0)


def instant(limits: Limits) -> bool:
    """Whether these are the limits of a clock that has run down."""
    return limits.depth == 1 and limits.hard_ms == INSTANT_HARD_MS


class Clocks:
    """What the clock commands said and what has been used since; clocks belong to colours (0 white, 1 black)."""

    def __init__(self) -> None:
        self.control: TimeControl | None = None
        self.st_ms: int | None = None
        self.most_ms: int | None = None  # for the next move, beside a clock
        self._left: list[int | None] = [None, None]
        self._moves = [0, 0]
        self._own: int | None = None
        self._other: int | None = None
        self._foreseen: list[int | None] = [None, None]  # our clock after the last move we timed
        self._usual = self._worst = 0.0

    def set_level(self, control: TimeControl) -> None:
        """A level begins here: moves are counted from now; cancels `st`.

        Some GUIs repeat it before every move, so it is no reason to forget what the last move should have left.
        """
        self.control, self.st_ms, self.most_ms = control, None, None
        foreseen = self._foreseen
        self._restart()
        self._foreseen = foreseen

    def set_st(self, milliseconds: int) -> None:
        """Fixed time per move; cancels the level."""
        self.control, self.st_ms, self.most_ms = None, milliseconds, None
        self._restart()

    def set_time(self, milliseconds: int) -> None:
        """Our clock, valid from the next search on, whichever colour we then have."""
        self._own = milliseconds

    def set_otim(self, milliseconds: int) -> None:
        """The opponent's clock, as set_time."""
        self._other = milliseconds

    def told(self, colour: int, own_ms: int, moves: int, increment_ms: int, most_ms: int | None = None) -> None:
        """Our clock and increment, as UCI tells them before each move: `moves` are counted from here."""
        self.control, self.st_ms, self.most_ms = TimeControl(moves, 0, increment_ms), None, most_ms
        self._moves = [0, 0]
        self.set_time(own_ms)
        self.settle(colour)

    def new_game(self) -> None:
        """Both clocks are set to their base and no move is counted; the time control stays."""
        self._restart()

    def new_position(self) -> None:
        """Moves are counted from this position on; the clocks stay as they are."""
        self._moves = [0, 0]

    def settle(self, colour: int) -> None:
        """Assign the clocks of `time` and `otim` to the colours, ours being `colour`."""
        if self._own is not None:
            self._left[colour] = self._own
            self._learn_lag(colour)
        if self._other is not None:
            self._left[1 - colour] = self._other
        self._own = self._other = None

    def left_ms(self, colour: int) -> int | None:
        """The clock of `colour` as far as known, None if none was ever given."""
        return self._left[colour]

    def lag(self) -> Lag:
        """How much longer our recent moves took than planned (pipes, GUI, a busy machine); kept from game to game."""
        return Lag(int(self._usual), int(self._worst))

    def overrun(self, milliseconds: int) -> None:
        """Note that our last move exceeded its hard limit by this much."""
        self._worst = max(self._worst, min(milliseconds, MOST_LAG_MS))

    def _learn_lag(self, colour: int) -> None:
        """Compare the clock just received with the one expected after our last move."""
        foreseen, self._foreseen[colour] = self._foreseen[colour], None
        if foreseen is not None:
            gap = foreseen - self._left[colour] - ROUNDING_MS
            if gap <= MOST_LAG_MS:
                self._usual += (max(0, gap) - self._usual) / 4
                self._worst = max(gap, self._worst * FORGETTING)

    def moves(self, colour: int) -> int:
        """Moves of `colour` since the level began, forced ones included."""
        return self._moves[colour]

    def made(self, colour: int, used_ms: int = 0) -> None:
        """`colour` made a move that took `used_ms`: increments and the next session's base are added."""
        self._moves[colour] += 1
        left = self._left[colour]
        if left is not None:
            self._left[colour] = left - used_ms + self._bonus(self._moves[colour])
        self._foreseen[colour] = self._left[colour] if used_ms else None

    def unmade(self, colour: int) -> None:
        """A move of `colour` was taken back; the time it took stays used."""
        if self._moves[colour] == 0:
            return
        self._foreseen[colour] = None
        left = self._left[colour]
        if left is not None:
            self._left[colour] = left - self._bonus(self._moves[colour])
        self._moves[colour] -= 1

    def _bonus(self, moves: int) -> int:
        """Milliseconds that the clock gains on completing this many moves."""
        if self.control is None:
            return 0
        base = self.control.base_ms if self.control.moves and moves % self.control.moves == 0 else 0
        return self.control.increment_ms + base

    def _restart(self) -> None:
        base = self.control.base_ms if self.control is not None else None
        self._left = [base, base]
        self._foreseen = [None, None]
        self._moves = [0, 0]
        self._own = self._other = None
