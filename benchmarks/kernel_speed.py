"""Speed of the kernel against Debian's Stockfish: ratios of nodes per CPU second, measured in turns in one run.

python benchmarks/kernel_speed.py [--rounds N] [--json]

Prints, each with its goal: perft (bulk-counted, start position at depth 6 and Kiwipete at 5) and search (eight
middlegames, Stockfish without its network) as ratios; time to the first `feature done=1` against a bare Python start;
resident memory above the hash table; how long a stopped search takes to answer.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
SORTIE = [sys.executable, "-m", "engine"]
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MIDDLEGAMES = (
    "r1bqkb1r/2p2ppp/p1n1pn2/1p1p4/3P4/P1N1P1P1/1PP1NP1P/R1BQKB1R w KQkq - 0 7",
    "r1bqk1nr/ppp3bp/2n2pp1/3p4/3Pp3/2N1PN2/PPPBBPPP/R2QK2R w KQkq - 0 9",
    "rnbq1rk1/pp2bpp1/4p2p/2ppP3/3P4/2PB1N2/PPQB1PPP/R4RK1 w - - 0 11",
    "r1b2rk1/2pq1ppp/ppn2n2/4p3/4P3/P1BP4/P3NPPP/2RQKB1R w K - 1 13",
    "r1b1r2k/1ppq2pp/p1nb4/3BppB1/3P4/2P3P1/P1P1NP1P/1R1Q1RK1 w - - 3 15",
    "r4rk1/p2qn1pp/1pn5/3ppp2/6B1/P2P2PP/1B1NPP2/R2Q1RK1 w - - 0 17",
    "1r4k1/4n1pp/1Np1b3/p1P1pp2/1p1rP3/P4P2/2P1B1PP/R3K2R w KQ - 0 19",
    "r4rk1/p1bb1p1p/1pn2qp1/2p1pP2/3pP2P/1PPQ1BP1/PN3B2/1K1R3R w - - 0 24",
)
SEARCH_NODES = 1_000_000
MEMORY = 64  # MiB


class Peer:
    """Stockfish as a process whose CPU time can be read before and after each command."""

    def __init__(self, command: str) -> None:
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.meter = psutil.Process(self.process.pid)
        self.ask("uci", "uciok")
        self.send("setoption name Use NNUE value false")
        self.send(f"setoption name Hash value {MEMORY}")
        self.ask("isready", "readyok")

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line: str, answer: str) -> list[str]:
        """Send a line and read until a line starts with `answer`."""
        self.send(line)
        assert self.process.stdout is not None
        lines = []
        for text in self.process.stdout:
            lines.append(text.strip())
            if text.startswith(answer):
                return lines
        raise RuntimeError(f"the peer ended before {answer!r}")

    def cpu(self) -> float:
        times = self.meter.cpu_times()
        return times.user + times.system

    def perft(self, fen: str, depth: int) -> float:
        """Nodes per CPU second."""
        self.send(f"position fen {fen}")
        before = self.cpu()
        lines = self.ask(f"go perft {depth}", "Nodes searched")
        return int(lines[-1].split()[-1]) / (self.cpu() - before)

    def search(self, nodes: int) -> float:
        """Nodes per CPU second over the middlegames, each from an empty table."""
        total, spent = 0, 0.0
        for fen in MIDDLEGAMES:
            self.send("ucinewgame")
            self.send(f"position fen {fen}")
            self.ask("isready", "readyok")
            before = self.cpu()
            lines = self.ask(f"go nodes {nodes}", "bestmove")
            spent += self.cpu() - before
            counts = [re.search(r" nodes (\d+)", line) for line in lines]
            total += max(int(match[1]) for match in counts if match)
        return total / spent

    def quit(self) -> None:
        self.send("quit")
        self.process.wait(10)


def our_perft(fen: str, depth: int) -> float:
    from engine.board.game import Game

    game = Game(fen)
    began = time.process_time()
    nodes = game.perft(depth)
    return float(nodes / (time.process_time() - began))


def our_search(nodes: int) -> float:
    from engine.board.game import Game
    from engine.model import Limits
    from engine.play.options import Settings, network_of
    from engine.search.threads import Searcher

    searcher, settings = Searcher(MEMORY), Settings()
    searcher.set_network(network_of(settings))
    total, spent = 0, 0.0
    for fen in MIDDLEGAMES:
        searcher.clear()
        began = time.process_time()
        total += searcher.search(Game(fen), settings.features, Limits(nodes=nodes)).nodes
        spent += time.process_time() - began
    return total / spent


def children_cpu(command: list[str], lines: str) -> float:
    """CPU seconds of a process fed these lines, without its own children."""
    before = os.times()
    subprocess.run(command, input=lines, capture_output=True, text=True, cwd=ROOT, timeout=60)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def start_ratio(rounds: int) -> float:
    """CPU time to start, send `feature done=1` and quit, over that of `python -c pass`; medians, measured in turns."""
    ours, bare = [], []
    for _ in range(rounds):
        bare.append(children_cpu([sys.executable, "-c", "pass"], ""))
        ours.append(children_cpu(SORTIE, "xboard\nprotover 2\nquit\n"))
    return statistics.median(ours) / statistics.median(bare)


def memory_above_table() -> float:
    """Resident MiB beyond `memory N` after a search that fills the table."""
    process = subprocess.Popen(SORTIE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=ROOT)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(f"xboard\nprotover 2\nmemory {MEMORY}\nnew\nst 3\ngo\n")
    process.stdin.flush()
    for line in process.stdout:
        if line.startswith("move "):
            break
    resident = psutil.Process(process.pid).memory_info().rss / 2**20
    process.stdin.write("quit\n")
    process.stdin.flush()
    process.wait(10)
    return resident - MEMORY


def stop_latency(rounds: int) -> float:
    """Median milliseconds from stop(), called by another thread, to the search's answer."""
    from engine.board.game import Game
    from engine.model import Limits
    from engine.play.options import Settings, network_of
    from engine.search.threads import Searcher

    searcher, settings = Searcher(MEMORY), Settings()
    searcher.set_network(network_of(settings))
    waits = []
    for _ in range(rounds):
        searcher.prepare(Limits())
        thread = threading.Thread(target=searcher.search, args=(Game(KIWIPETE), settings.features, Limits()))
        thread.start()
        time.sleep(0.1)
        began = time.perf_counter()
        searcher.stop()
        thread.join()
        waits.append(1000 * (time.perf_counter() - began))
    return statistics.median(waits)


def measure(stockfish: str, rounds: int) -> list[tuple[str, float, str]]:
    """(name, value, goal) of every figure."""
    peer = Peer(stockfish)
    ratios: dict[str, list[float]] = {"perft 6": [], "Kiwipete 5": [], "search": []}
    for _ in range(rounds):
        ratios["perft 6"].append(our_perft(START, 6) / peer.perft(START, 6))
        ratios["Kiwipete 5"].append(our_perft(KIWIPETE, 5) / peer.perft(KIWIPETE, 5))
        ratios["search"].append(our_search(SEARCH_NODES) / peer.search(SEARCH_NODES))
    peer.quit()
    return [
        ("perft 6, nodes per CPU second over Stockfish's", statistics.median(ratios["perft 6"]), "at least 1.3"),
        ("Kiwipete 5, the same", statistics.median(ratios["Kiwipete 5"]), "at least 1.3"),
        ("search, nodes per CPU second over Stockfish's", statistics.median(ratios["search"]), "at least 1"),
        ("start to feature done=1 over python -c pass", start_ratio(5 * rounds), "at most 4"),
        ("resident MiB beyond the hash table", memory_above_table(), "at most 40"),
        ("milliseconds from stop to answer", stop_latency(5 * rounds), "at most 50"),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="speed of the kernel against Debian's Stockfish")
    parser.add_argument("--rounds", type=int, default=3, help="how often each pair is measured in turns (default 3)")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"argument --rounds: expected 1 or more, not {arguments.rounds}")
    stockfish = shutil.which("stockfish", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
    if stockfish is None:
        print("stockfish is not installed (Debian package stockfish)", file=sys.stderr)
        return 2
    sys.path.insert(0, str(ROOT))
    figures = measure(stockfish, arguments.rounds)
    for what, value, goal in figures:
        print(f"{value:8.2f}  {what} ({goal})")
    if arguments.json:
        print(json.dumps({what: value for what, value, _ in figures}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
