"""Fuzz of the UCI door: lines at random, lines with damage in them, and the lines that tools get wrong.

Whatever is sent, the engine stays alive, in the grammar and silent on stderr, and each `go` gets its one `bestmove`.
SORTIE_FUZZ_LINES asks for more lines than the quick default, as in test_xboard_fuzz.py.
"""

from __future__ import annotations

import random

import pytest
from engine_process import UciProcess
from fuzzing import LEAVES, LINES, damaged, noise

FENS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    "k7/8/1K6/8/8/8/8/7R w - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "7k/P7/8/8/8/8/8/K7 w - - 99 80",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
    "k7/8/8/8/8/8/8/K7 w KQkq e3 -5 99999999999999999999",
    "nonsense",
    "",
]
MOVES = "e2e4 e7e5 g1f3 b8c6 e1g1 e1h1 a7a8q a7a8 O-O Nf3 0000 e9e4 e2e4e5 (none) \u00e9\u00e92".split()
NUMBERS = "0 1 -1 7 250 -300 x 1e9 0.5 99999999999999999999 +3 \u0663".split()
VALUES = "true false on 1 0 20 -5 off modern bare gated <empty> x 99999999999999999999".split()
NAMES = """Hash Threads Ponder MultiPV UCI_Chess960 UCI_LimitStrength UCI_Elo OwnBook Contempt Level Preset History Stats
Evaluation Move\u00a0Overhead nosuch value name""".replace("\u00a0", " ").split()
PLAIN = ["ucinewgame", "stop", "ponderhit", "isready", "debug on", "debug off", "register later", "uci", "", "xboard"]
WORDS = ["wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime"]
COMMANDS = "uci debug isready setoption register ucinewgame position go stop ponderhit bench eval d".split()


def random_go(chance: random.Random) -> str:
    words = ["go"]
    for _ in range(chance.randrange(4)):
        kind = chance.random()
        if kind < 0.6:
            words += [chance.choice(WORDS), chance.choice(NUMBERS)]
        elif kind < 0.75:
            words.append(chance.choice(["infinite", "ponder", "fast"]))
        else:
            words += ["searchmoves", *chance.sample(MOVES, 3)]
    return " ".join(words)


def random_position(chance: random.Random) -> str:
    start = chance.choice(["startpos", f"fen {chance.choice(FENS)}", chance.choice(FENS)])
    moves = " ".join(chance.choice(MOVES) for _ in range(chance.randrange(5)))
    return f"position {start}{chance.choice([' moves ', ' moves', ' ', ' moves moves '])}{moves}"


def random_setting(chance: random.Random) -> str:
    name, value = chance.choice(NAMES), chance.choice(VALUES)
    if name == "Threads" and value == "20":
        value = "2"
    return chance.choice(
        [f"setoption name {name} value {value}", f"setoption name {name}", f"setoption {name} {value}"]
    )


def random_line(chance: random.Random) -> str:
    """A command with arguments that may or may not belong to it, or noise."""
    kind = chance.random()
    if kind < 0.3:
        return random_go(chance)
    if kind < 0.55:
        return random_position(chance)
    if kind < 0.7:
        return random_setting(chance)
    if kind < 0.95:
        return chance.choice(PLAIN)
    return noise(chance)


def command_of(line: str) -> list[str]:
    """The command in a line with its arguments: words before the first that is one do not count."""
    words = line.split()
    return next((words[place:] for place, word in enumerate(words) if word in COMMANDS), [])


def count(lines: list[str], command: str) -> int:
    """How many of the lines are this command."""
    return sum(command_of(line)[:1] == [command] for line in lines)


@pytest.mark.parametrize("seed", [1, 2])
def test_thousands_of_random_lines(seed: int) -> None:
    chance = random.Random(seed)
    with UciProcess() as engine:
        for _ in range(max(1, LINES // 4 // 40)):
            batch = [random_line(chance) for _ in range(40)]
            batch = [line for line in batch if not {"quit", "bench", "d", "eval"} & set(line.split())]
            engine.send(*batch, "stop", "isready")
            said = [line for _ in range(count(batch, "isready") + 1) for line in engine.until("readyok")]
            assert sum(line.startswith("bestmove") for line in said) == count(batch, "go"), batch
            engine.check_grammar()
            engine.transcript = engine.transcript[-200:]
        engine.send("setoption name Stats value false", "quit")
        assert engine.gone(LEAVES)


@pytest.mark.parametrize("seed", [3, 4])
def test_damaged_lines(seed: int) -> None:
    chance = random.Random(seed)
    lines = 0
    with UciProcess() as engine:
        while lines < LINES * 3 // 20:
            data = b"".join(damaged(chance, random_line(chance)) for _ in range(20))
            if chance.random() < 0.2:
                data += chance.randbytes(chance.randrange(1, 400))
            # Nothing that ends the process, takes minutes, asks for gigabytes or prints for people.
            for word in (b"quit", b"bench", b"perft", b"eval", b"d", b"Threads", b"Hash", b"LogFile"):
                data = data.replace(word, b"isready" if word == b"d" else b"")
            lines += data.count(b"\n")
            cut = chance.randrange(len(data))
            engine.raw(data[:cut])
            engine.raw(data[cut:] + b"\nstop\nuci\n")
            engine.until("uciok")
            engine.send("isready")
            engine.until("readyok")
            engine.check_grammar()
            engine.transcript = engine.transcript[-200:]
        engine.raw(b"setoption name Stats value false\nquit\n")
        assert engine.gone(LEAVES)


WRONG = [
    "position",
    "position fen",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/8 w KQkq - 0 1",
    "position fen kkkkkkkk/8/8/8/8/8/8/KKKKKKKK w - - 0 1",
    "position fen k7/8/8/8/8/8/8/K6R b KQkq a9 x y",
    "position startpos moves e2e5",
    "position startpos moves e2e4 e7e5 e1e8 zzzz",
    "position startpos e2e4",
    "position startpos moves " + "g1f3 g8f6 f3g1 f6g8 " * 500 + "g1g1",
    "position fen " + "9" * 5000,
    "setoption",
    "setoption name",
    "setoption name  value 3",
    "setoption value 3",
    "setoption name Nonsense value 3",
    "setoption name Hash value -1",
    "setoption name Hash value",
    "setoption name Hash",
    "setoption name Threads value 0",
    "setoption name MultiPV value 99999999999999999999999",
    "setoption name UCI_Elo value strong",
    "setoption name Ponder value perhaps",
    "setoption name History value nosuchlevel",
    "setoption name BookFile value /no/such/book.bin",
    "setoption name LogFile value /no/such/folder/log",
    "setoption name NetworkFile value " + "/no" * 2000,
    "setoption name " + "x" * 5000 + " value " + "y" * 5000,
    "setoption name tune.nothing value 3",
]


@pytest.mark.parametrize("line", WRONG, ids=lambda line: line[:40])
def test_a_wrong_line_costs_one_line_at_most(line: str) -> None:
    with UciProcess() as engine:
        engine.send("position startpos moves e2e4", line)
        said = engine.ready()
        assert len(said) <= 1 and all(text.startswith("info string ") and len(text) < 500 for text in said)
        engine.send("position startpos")
        assert engine.go("depth 2")[-1].startswith("bestmove ")


@pytest.mark.parametrize(
    "words",
    ["depth", "depth x", "depth -3", "depth 0", "nodes 0", "movetime -1", "movetime 0", "wtime -5 btime -5", "wtime x"]
    + ["wtime 1 btime 1 winc -9 movestogo -1", "searchmoves a1a8 depth 2", "mate 0", "mate -1", "perft x"]
    + ["depth 99999999999999999999 nodes 5", "nodes 1e5", "wtime 0", "depth 2 depth", "searchmoves", "wtime"],
)
def test_a_wrong_go_is_answered_once(words: str) -> None:
    with UciProcess() as engine:
        engine.send(f"go {words}", "stop")
        said = engine.ready()
        assert sum(line.startswith("bestmove ") for line in said) == 1
        assert sum(line.startswith("info string ") for line in said) <= 1
