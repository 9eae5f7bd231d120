"""Fuzz: commands in any order against a model of what must hold, and raw bytes.

SORTIE_FUZZ_LINES in the environment asks for more lines than the quick default: a fifth of them goes to the state
machine, half to random lines, the rest to bytes.
"""

import random

import pytest
from engine_process import EngineProcess
from fuzzing import LEAVES, LINES, damaged, noise
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

FENS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "k7/8/1K6/8/8/8/8/7R w - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "7k/P7/8/8/8/8/8/K7 w - - 99 80",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    "4k3/8/8/8/8/8/P6P/5KR1 w G - 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    "nonsense",
    "",
]
MOVES = "e2e4 e7e5 g1f3 b8c6 d2d4 e4d5 e1g1 O-O 0-0-0 a7a8q a7a8 Nf3 exd5 e8=Q+ @@@@ a1a1 h7h8n b1c3 g8f6".split()
NUMBERS = [
    "0",
    "1",
    "-1",
    "2",
    "5",
    "40",
    "0.1",
    "-300",
    "x",
    "",
    "1e9",
    "99999999999999999999",
    "0:05",
    "0:00",
    "25+5",
]
PLAIN = """xboard protover new random force go playother white black ? draw result setboard edit . c # hint bk undo
remove hard easy post nopost analyze exit name rating ics computer pause resume egtpath partner holding lift put hover
accepted rejected Pa4 xa4 Ke1 ke8 xx quitt 1-0 {x} feature option usermove variant ping exclude include""".split()
OPTIONS = ["Level=1", "Level=20", "Preset=bare", "Preset=modern", "History=off", "Stats=1", "Stats=0", "ClearHash"]
OPTIONS += [
    "OwnBook=1",
    "OwnBook=0",
    "Contempt=-60",
    "Contempt=",
    "AcceptDraws=0",
    "BookFile=/dev/null",
    "BookFile=",
    "Resign=1",
    "MoveOverhead=0",
    "LogFile=",
    "=",
    "x=y",
]


def lines() -> st.SearchStrategy[str]:
    """Any line that a GUI, an old GUI or a broken one might send."""
    number = st.sampled_from(NUMBERS)
    return st.one_of(
        st.sampled_from(PLAIN),
        st.sampled_from(MOVES),
        st.sampled_from(MOVES).map("usermove {}".format),
        st.sampled_from(MOVES + ["all"]).map("exclude {}".format),
        st.sampled_from(MOVES + ["all"]).map("include {}".format),
        st.sampled_from(FENS).map("setboard {}".format),
        st.sampled_from(OPTIONS).map("option {}".format),
        st.tuples(st.sampled_from(["st", "sd", "nps", "time", "otim", "memory", "cores"]), number).map(" ".join),
        st.tuples(number, number, number).map(lambda three: "level " + " ".join(three)),
        st.sampled_from(["normal", "fischerandom", "atomic", ""]).map("variant {}".format),
        st.sampled_from(["1-0 {x}", "1/2-1/2", "*", "?"]).map("result {}".format),
        st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=30).filter(
            lambda text: text.strip() != "quit"
        ),
    )


def harmless(line: str) -> str:
    """The same line, but one that does not ask for gigabytes or hundreds of threads."""
    word, _, argument = line.strip().partition(" ")
    if word in ("memory", "cores"):
        digits = argument.strip()
        return f"{word} 2" if len(digits) > 1 and digits.isdecimal() else line
    return line


class Commands(RuleBasedStateMachine):
    """Whatever is sent, the engine stays alive, silent on stderr, in the grammar, and answers a ping after force."""

    @initialize()
    def start(self) -> None:
        self.engine = EngineProcess()
        self.engine.send("st 0.05")

    @rule(several=st.lists(lines(), min_size=1, max_size=6))
    def say(self, several: list[str]) -> None:
        self.engine.send(*map(harmless, several))

    @rule()
    def play(self) -> None:
        self.engine.send("resume", "exit", ".", "new", "st 0.02", "usermove e2e4")
        self.engine.sync()

    @rule()
    def answers(self) -> None:
        self.engine.send("force")
        self.engine.sync()
        self.engine.send("st 0.05")

    @rule()
    def no_move_is_ever_made_in_analysis(self) -> None:
        self.engine.send(".", "force", "exit", "new", "analyze", "usermove e2e4")
        assert not any(line.startswith("move ") for line in self.engine.sync()[1:])
        self.engine.send("exit")

    @invariant()
    def alive(self) -> None:
        if hasattr(self, "engine"):
            assert self.engine.process.poll() is None

    def teardown(self) -> None:
        if hasattr(self, "engine"):
            self.engine.send("force")
            self.engine.sync()
            with self.engine:
                self.engine.send("quit")
                assert self.engine.gone(LEAVES)


STEPS = 60  # of four lines or so
Commands.TestCase.settings = settings(
    max_examples=max(8, LINES // 5 // (4 * STEPS)),
    stateful_step_count=STEPS,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestCommands = Commands.TestCase


def random_line(chance: random.Random) -> str:
    """A line at random: a command with arguments that may or may not belong to it, or noise."""
    kind = chance.random()
    if kind < 0.25:
        return chance.choice(MOVES)
    if kind < 0.5:
        return chance.choice(PLAIN)
    if kind < 0.6:
        return f"setboard {chance.choice(FENS)}"
    if kind < 0.7:
        word = chance.choice(["sd", "nps", "time", "otim", "memory", "cores"])
        return f"{word} {chance.choice(NUMBERS)}"
    if kind < 0.75:
        return f"option {chance.choice(OPTIONS)}"
    if kind < 0.95:
        return f"{chance.choice(['usermove', 'exclude', 'include', 'variant', 'result'])} {chance.choice(MOVES)}"
    return noise(chance)


@pytest.mark.parametrize("seed", [1, 2])
def test_thousands_of_random_lines(seed: int) -> None:
    chance = random.Random(seed)
    with EngineProcess() as engine:
        engine.send("st 0.01")
        for _ in range(max(1, LINES // 4 // 50)):
            batch = [harmless(random_line(chance)) for _ in range(50)]
            engine.send(*(line for line in batch if line.strip() != "quit"))
            engine.send("force", "st 0.01")
            engine.sync()
            engine.check_grammar()
            engine.transcript = engine.transcript[-200:]
        engine.send("option Stats=0", "exit", ".", "quit")
        assert engine.gone(LEAVES)


def harmless_bytes(data: bytes) -> bytes:
    """The same bytes, but none that ends the process or asks for gigabytes."""
    for word in (b"quit", b"memory", b"cores", b"LogFile"):
        data = data.replace(word, b"")
    return data


@pytest.mark.parametrize("seed", [3, 4])
def test_raw_bytes(seed: int) -> None:
    """Noise, and commands with damaged bytes, in pieces that end anywhere."""
    chance = random.Random(seed)
    lines = 0
    with EngineProcess() as engine:
        while lines < LINES * 3 // 20:
            data = b"".join(damaged(chance, random_line(chance)) for _ in range(20))
            if chance.random() < 0.2:
                data += chance.randbytes(chance.randrange(1, 400))
            data = harmless_bytes(data)
            lines += data.count(b"\n")
            cut = chance.randrange(len(data))
            engine.raw(data[:cut])
            engine.raw(data[cut:] + b"\nexit\n.\nresume\nforce\nst 0.01\n")
            engine.sync()
            engine.check_grammar()
            engine.transcript = engine.transcript[-200:]
        engine.raw(b"option Stats=0\nquit\n")
        assert engine.gone(LEAVES)
