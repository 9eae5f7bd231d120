"""Features: every ordering and selectivity technique as a named level, and the stage program they compile to."""

import cython

from engine.model import Value
from engine.variant.parameters import PLACE, PREFIX, read, whole_number
from engine.variant.presets import PRESETS, resolve
from engine.variant.switches import ORDERING, PRESET_TEXT, SELECTIVITY, STATS

# Name of each stage and the moves it tries, in the order of their codes.
STAGE_TEXTS = {
    "END": "no more moves",
    "PV": "the move that the line of the last iteration has here",
    "HASH": "the move that the transposition table remembers",
    "NOISY": "captures and promotions, in the order of CaptureOrder",
    "GOOD_NOISY": "captures and promotions, in the order of CaptureOrder, but for those that BadCaptures puts off",
    "KILLERS": "quiet moves that cut off at this ply before",
    "COUNTER": "the quiet move that refuted the enemy's last move before",
    "COMBO": "the quiet move that followed our own last move before",
    "QUIETS": "the other quiet moves, by history",
    "BAD_NOISY": "the captures and promotions that had to wait",
    "MIXED": "all other moves, captures and quiet ones together, by history alone",
    "BASELINE": "all moves in the order of Baseline",
    "CHECKS": "quiet moves that give check, next to the main search only",
}
STAGE_NAMES = tuple(STAGE_TEXTS)


class Switch(Value):
    """A switch as an option: kind is combo, check or spin; levels belong to the first two, bounds to the last."""

    __slots__ = ()
    name: str
    kind: str
    levels: tuple
    default: str
    minimum: int
    maximum: int
    text: str
    source: str


def make_switches() -> tuple:
    """The switches as Python sees them, Preset first."""
    defaults = resolve("modern")
    defaults["Stats"] = "off"
    rows = [Switch("Preset", "combo", tuple(PRESETS), "modern", 0, 0, *PRESET_TEXT)]
    for name, levels, text, source in (*ORDERING, *SELECTIVITY, STATS):
        if isinstance(levels[0], int):
            rows.append(Switch(name, "spin", (), defaults[name], levels[0], levels[1], text, source))
        elif set(levels) == {"on", "off"}:
            rows.append(Switch(name, "check", ("on", "off"), defaults[name], 0, 0, text, source))
        else:
            rows.append(Switch(name, "combo", levels, defaults[name], 0, 0, text, source))
    return tuple(rows)


SWITCHES = make_switches()
BY_NAME = {switch.name: switch for switch in SWITCHES}
LEVELS = {name: levels for name, levels, _, _ in (*ORDERING, *SELECTIVITY, STATS)}
assert cython.sizeof(Ordering) == len(ORDERING) * cython.sizeof(cython.int), "one field a row"
assert cython.sizeof(Selectivity) == len(SELECTIVITY) * cython.sizeof(cython.int), "one field a row"
assert set(resolve("bare")) == {row[0] for row in (*ORDERING, *SELECTIVITY)}, "a level of bare for each row"
ORDERING_PLACE = {row[0]: i for i, row in enumerate(ORDERING)}
SELECTIVITY_PLACE = {row[0]: i for i, row in enumerate(SELECTIVITY)}
CHECK_WORDS = {"on": "on", "true": "on", "1": "on", "off": "off", "false": "off", "0": "off"}


def nearest(word, known):
    """`, did you mean X?` for the known word closest to `word`, empty if none is close."""
    import difflib  # only on the way to an error message

    folded = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), list(folded), n=1, cutoff=0.5)
    return f", did you mean {folded[close[0]]}?" if close else ""


class Features:
    """A full set of switches; starts as preset modern. Levels are strings, as XBoard options and experiments spell them."""

    def __init__(self):
        self.stats = False
        fill(cython.address(self.tuning))
        self.set("Preset", "modern")

    def slot(self, name):
        """Where the level of a switch is kept."""
        if name in ORDERING_PLACE:
            place: cython.int = ORDERING_PLACE[name]
            return cython.cast(cython.p_int, cython.address(self.ordering)) + place
        place = SELECTIVITY_PLACE[name]
        return cython.cast(cython.p_int, cython.address(self.selectivity)) + place

    def parameter(self, place):
        """Where a parameter is kept."""
        return cython.cast(cython.p_int, cython.address(self.tuning)) + place

    def set(self, name, value):
        """Set a switch, or a parameter as tune.NAME; ValueError with one plain sentence for an unknown name, level or number."""
        if name.startswith(PREFIX):
            place, amount = read(name.removeprefix(PREFIX), str(value))
            self.parameter(place)[0] = amount
            return
        switch = BY_NAME.get(name)
        if switch is None:
            raise ValueError(f"no switch is called {name!r}{nearest(name, BY_NAME)}")
        value = str(value)
        if name == "Preset":
            if value not in PRESETS:
                raise ValueError(f"Preset has no level {value!r}{nearest(value, PRESETS)} (levels: {', '.join(PRESETS)})")
            self.preset = value
            for other, level in resolve(value).items():
                self.set(other, level)
            return
        if switch.kind == "spin":
            number = whole_number(value)
            if number is None or not switch.minimum <= number <= switch.maximum:
                raise ValueError(f"{name} is a whole number from {switch.minimum} to {switch.maximum}, not {value!r}")
        else:
            if switch.kind == "check":
                value = CHECK_WORDS.get(value.lower(), value)
            levels = LEVELS[name]
            if value not in levels:
                raise ValueError(f"{name} has no level {value!r}{nearest(value, levels)} (levels: {', '.join(levels)})")
            number = levels.index(value)
        if name == "Stats":
            self.stats = number != 0
        else:
            self.slot(name)[0] = number

    def get(self, name):
        """The level of a switch, or as tune.NAME the value of a parameter; KeyError for an unknown name."""
        if name == "Preset":
            return self.preset
        if name.startswith(PREFIX):
            return str(self.parameter(PLACE[name.removeprefix(PREFIX)])[0])
        if name == "Stats":
            return "on" if self.stats else "off"
        number: cython.int = self.slot(name)[0]
        return str(number) if BY_NAME[name].kind == "spin" else LEVELS[name][number]

    def copy(self):
        """An independent copy."""
        twin = Features()
        twin.ordering = self.ordering
        twin.selectivity = self.selectivity
        twin.tuning = self.tuning
        twin.stats = self.stats
        twin.preset = self.preset
        return twin

    def settings(self):
        """Every switch and its level."""
        return {switch.name: self.get(switch.name) for switch in SWITCHES}

    def program(self):
        """Names of the stages that a node runs through, first to last."""
        codes = cython.declare(cython.int[MAX_PROGRAM])
        compile_main(cython.address(self.ordering), cython.address(self.selectivity), codes)
        return stage_list(codes)

    def quiescence_program(self):
        """Names of the stages of a quiescence node outside check."""
        codes = cython.declare(cython.int[MAX_PROGRAM])
        compile_quiescence(cython.address(self.ordering), cython.address(self.selectivity), codes, True)
        return stage_list(codes)


def stage_list(codes):
    """The names of a stage program, END included."""
    names = []
    i: cython.int = 0
    while codes[i] != STAGE_END:
        names.append(STAGE_NAMES[codes[i]])
        i += 1
    names.append("END")
    return names


def compile_main(o, s, program):
    """Write the stage program of a main-search node. A technique that is off has no stage and costs nothing.

    Baseline orders take the place of all but the PV and the hash move, where those are on (our reading).
    """
    n: cython.int = 0
    if o.pv_moves:
        program[n] = STAGE_PV
        n += 1
    if o.hash_move and s.tt:
        program[n] = STAGE_HASH
        n += 1
    if o.baseline:
        program[n] = STAGE_BASELINE
        program[n + 1] = STAGE_END
        return
    # Winglet: captures and quiet moves mixed, by history alone (W5).
    mixed: cython.bint = o.history == HISTORY_ORIGINAL and o.capture_order == CAPTURES_GENERATION
    noisy: cython.int = STAGE_NOISY if o.bad_captures == BAD_INPLACE else STAGE_GOOD_NOISY
    if not mixed and not o.refutations_first:
        program[n] = noisy
        n += 1
    if o.killers:
        program[n] = STAGE_KILLERS
        n += 1
    if o.counter:
        program[n] = STAGE_COUNTER
        n += 1
    if o.combo:
        program[n] = STAGE_COMBO
        n += 1
    if not mixed and o.refutations_first:
        program[n] = noisy
        n += 1
    program[n] = STAGE_MIXED if mixed else STAGE_QUIETS
    n += 1
    if not mixed and o.bad_captures != BAD_INPLACE:
        program[n] = STAGE_BAD_NOISY
        n += 1
    program[n] = STAGE_END


def compile_quiescence(o, s, program, checks):
    """Write the stage program of a quiescence node outside check; `checks` is true in its first ply."""
    n: cython.int = 0
    if o.hash_move and s.tt:
        program[n] = STAGE_HASH
        n += 1
    program[n] = STAGE_BASELINE if o.baseline else STAGE_NOISY
    n += 1
    if s.qsearch == Q_CHECKS and checks:
        program[n] = STAGE_CHECKS
        n += 1
    program[n] = STAGE_END
