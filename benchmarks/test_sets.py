"""How many positions of a test set Sortie solves: best moves, moves to avoid, mates.

python benchmarks/test_sets.py FILE.epd... (--ms N | --nodes N) [--option NAME=VALUE]... [--most-mate N] [--list]

A line is an EPD with `bm` or `am` (solved if the final move is, or is not, among them) or `dm N` (solved if
the score is a mate in N moves or fewer). Every position is searched from an empty table, on one thread. Node limits give
the same result on every machine; a time limit needs an idle one.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import chess
from regret import whole

from engine.board.game import Game
from engine.model import Limits
from engine.play.options import Settings, network_of
from engine.search.threads import Searcher

MEMORY = 64  # MiB
MATE = 100_000  # a mate in N moves scores MATE + N


class Position:
    """One line of a test set; ValueError with the reason if it is invalid."""

    def __init__(self, line: str) -> None:
        words = line.split(None, 4)
        if len(words) < 5:
            raise ValueError("expected a position and an operation: bm, am or dm")
        self.board = chess.Board(" ".join([*words[:4], "0", "1"]))
        named = re.search(r'\bid "([^"]*)"', words[4])
        self.name = named.group(1) if named else line
        wanted = re.match(r"(bm|am|dm) ([^;]+);", words[4] + ";") or re.search(r"\b(bm|am|dm) ([^;]+);", words[4] + ";")
        if not wanted:
            raise ValueError("expected an operation: bm, am or dm")
        self.kind, operand = wanted.group(1), wanted.group(2)
        self.mate = int(operand) if self.kind == "dm" else 0
        self.moves = (
            [] if self.mate else [self.board.parse_san(text).uci() for text in operand.replace(",", " ").split()]
        )

    def solved(self, move: str, score: int) -> bool:
        """Whether this answer is right; the score is centipawns for the side to move."""
        if self.kind == "dm":
            return MATE < score <= MATE + self.mate
        return (move in self.moves) == (self.kind == "bm")


def read(path: Path) -> list[Position]:
    """The positions of a file; SystemExit names an invalid line."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig", errors="replace").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            try:
                found.append(Position(line.strip()))
            except ValueError as error:
                sys.exit(f"{path}:{number}: {error}")
    return found


def failures(positions: list[Position], limits: Limits, settings: Settings) -> list[str]:
    """The names of the positions not solved within the limits. ValueError for a network that cannot be used."""
    searcher, missed = Searcher(MEMORY), []
    searcher.set_network(network_of(settings))
    for position in positions:
        game = Game(position.board.fen())
        searcher.clear()
        result = searcher.search(game, settings.features, limits)
        if not position.solved(game.coordinates(result.move), result.score):
            missed.append(position.name)
    return missed


def main() -> None:
    """Print a line for each file: how many are solved, of how many, and with --list those that are not."""
    parser = argparse.ArgumentParser(description="how many positions of a test set Sortie solves")
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    limit = parser.add_mutually_exclusive_group(required=True)
    limit.add_argument("--ms", type=whole, help="milliseconds a position")
    limit.add_argument("--nodes", type=whole, help="nodes a position")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="a switch of Sortie")
    parser.add_argument("--most-mate", type=int, default=99, metavar="N", help="leave out longer mates than N moves")
    parser.add_argument("--list", action="store_true", help="name what was not solved")
    given = parser.parse_args()
    settings = Settings()
    for text in given.option:
        name, _, value = text.partition("=")
        try:
            settings.set(name, value)
        except ValueError as error:
            sys.exit(f"--option {text}: {error}")
    limits = Limits(nodes=given.nodes or 0, soft_ms=given.ms or 0, hard_ms=given.ms or 0)
    for path in given.files:
        try:
            positions = [position for position in read(path) if position.mate <= given.most_mate]
        except OSError as error:
            sys.exit(f"{path}: {error.strerror}")
        try:
            missed = failures(positions, limits, settings)
        except ValueError as error:
            sys.exit(str(error))
        print(f"{path.stem:<24}{len(positions) - len(missed):5} of {len(positions)}", flush=True)
        if given.list:
            for name in missed:
                print(f"  {name}")


if __name__ == "__main__":
    main()
