"""Make openings/sortie.tsv: named theory, grown by plausible moves of an engine, kept where a deep search is level.

    python openings/make_openings.py --sortie .venv/bin/sortie --control stockfish

1. Every line of named_lines.tsv is a stem. COPIES lines grow from each, to a random length of MIN_PLIES or more.
2. At each step every legal move is scored by a search of the position after it (SHALLOW plies), the best few again
   (--choosing plies); one of those within MARGIN centipawns of the best is drawn, the better the likelier.
3. Lines that end in the same position count once. A line stays when Sortie at DEEP plies gives at most --limit
   centipawns to either side, and when another engine, which had no part in choosing, gives at most --control-limit.

The same seed and the same Sortie make the same file. Needs python-chess; nothing of it is used when games are played.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import random
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess
import chess.engine

HERE = Path(__file__).resolve().parent
MIN_PLIES, MAX_GROWTH = 8, 7
SHALLOW, FEW, MARGIN = 3, 6, 35
MATE = 20_000


class Sortie:
    """Scores by `sortie bench`: one process for a whole batch."""

    def __init__(self, command: str) -> None:
        self.command = shlex.split(command)

    def scores(self, fens: Sequence[str], depth: int) -> list[int]:
        """Centipawns from the side to move, one a position."""
        if not fens:
            return []  # bench takes no empty file
        with tempfile.TemporaryDirectory() as folder:
            suite = Path(folder) / "batch.epd"
            suite.write_text("".join(f"{fen}\n" for fen in fens))
            # Tables are emptied before each position: small ones where the search is small.
            memory = f"memory={1 if depth < 10 else 32}"
            words = [*self.command, "bench", "--depth", str(depth), "--suite", str(suite), "--option", memory, "--json"]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
        rows = json.loads(done.stdout.strip().splitlines()[-1])["positions"]
        assert len(rows) == len(fens)
        return [row["score"] for row in rows]


class Control:
    """Scores by any UCI engine."""

    def __init__(self, command: str) -> None:
        self.engine = chess.engine.SimpleEngine.popen_uci(shlex.split(command))

    def scores(self, fens: Sequence[str], depth: int) -> list[int]:
        found = []
        for fen in fens:
            info = self.engine.analyse(chess.Board(fen), chess.engine.Limit(depth=depth), game=fen)
            score = info["score"].relative.score(mate_score=MATE)
            assert score is not None
            found.append(score)
        return found

    def close(self) -> None:
        self.engine.quit()


Judge = Sortie | Control


@dataclass
class Line:
    """A line as it grows: its name, board with all moves, and how many plies it is to have."""

    name: str
    board: chess.Board
    plies: int
    scores: dict[str, int] = field(default_factory=dict)


def stems() -> Iterator[tuple[str, chess.Board]]:
    """The named lines, every move checked."""
    for text in (HERE / "named_lines.tsv").read_text().splitlines()[2:]:
        name, moves = text.split("\t")
        board = chess.Board()
        for word in moves.split():
            board.push_san(word)
        yield name, board


def after(fen: str) -> list[tuple[chess.Move, str]]:
    """Every legal move with the position it leads to; positions where the game is over are left out."""
    board = chess.Board(fen)
    found = []
    for move in board.legal_moves:
        board.push(move)
        if any(board.legal_moves):
            found.append((move, board.fen()))
        board.pop()
    return found


def choices(fens: Sequence[str], judge: Judge, depth: int) -> dict[str, list[tuple[chess.Move, int]]]:
    """For each position its plausible moves with what they lose against the best, in centipawns."""
    children = {fen: after(fen) for fen in fens}
    flat = [child for fen in fens for _, child in children[fen]]
    first = iter(judge.scores(flat, SHALLOW))
    few: dict[str, list[tuple[chess.Move, str]]] = {}
    for fen in fens:
        scored = sorted((next(first), i) for i in range(len(children[fen])))
        few[fen] = [children[fen][i] for _, i in scored[:FEW]]
    second = iter(judge.scores([child for fen in fens for _, child in few[fen]], depth))
    found = {}
    for fen in fens:
        scored_moves = [(-next(second), move) for move, _ in few[fen]]
        best = max((score for score, _ in scored_moves), default=0)  # none where every move ends the game
        found[fen] = [(move, best - score) for score, move in scored_moves if best - score <= MARGIN]
    return found


def grow(lines: list[Line], judge: Judge, rng: random.Random, depth: int) -> None:
    """Play each line on to its length; searches of `depth` plies choose among the best moves."""
    step = 0
    while open_lines := [line for line in lines if line.board.ply() < line.plies]:
        step += 1
        fens = sorted({line.board.fen() for line in open_lines})
        print(f"step {step}: {len(open_lines)} lines in {len(fens)} positions", file=sys.stderr, flush=True)
        plausible = choices(fens, judge, depth)
        for line in open_lines:
            moves = plausible[line.board.fen()]
            if not moves:
                line.plies = line.board.ply()
                continue
            weights = [math.exp(-loss / 20) for _, loss in moves]
            line.board.push(rng.choices([move for move, _ in moves], weights)[0])


def level(lines: list[Line], judge: Judge, depth: int, limit: int, key: str) -> list[Line]:
    """The lines whose last position this judge calls level; the score is kept with the line, from White's view."""
    kept = []
    for line, score in zip(lines, judge.scores([line.board.fen() for line in lines], depth), strict=True):
        line.scores[key] = score if line.board.turn else -score
        if abs(score) <= limit:
            kept.append(line)
    print(f"{key}: {len(kept)} of {len(lines)} within {limit} at depth {depth}", file=sys.stderr, flush=True)
    return kept


def distinct(lines: list[Line]) -> list[Line]:
    """One line for each last position."""
    seen: dict[str, Line] = {}
    for line in lines:
        seen.setdefault(line.board.epd(), line)
    return list(seen.values())


def chosen(arguments: argparse.Namespace, control: Control) -> list[Line]:
    """The lines grown from all stems that are level."""
    rng = random.Random(arguments.seed)
    judge: Judge = control if arguments.choose_by_control else Sortie(arguments.sortie)
    lines = [
        Line(name, board.copy(), max(MIN_PLIES, board.ply()) + rng.randint(1, MAX_GROWTH))
        for name, board in stems()
        for _ in range(arguments.copies)
    ]
    grow(lines, judge, rng, arguments.choosing)
    lines = distinct(lines)
    if not arguments.choose_by_control:
        lines = level(lines, judge, arguments.deep, arguments.limit, "sortie")
    return level(lines, control, arguments.control_depth, arguments.control_limit, "control")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sortie", default="sortie", help="the Sortie that chooses and judges")
    parser.add_argument("--control", default="stockfish", help="a UCI engine that judges again")
    parser.add_argument("--copies", type=int, default=8, help="lines to grow from each stem")
    parser.add_argument(
        "--choosing", type=int, default=8, help="depth of the searches that choose among the best moves"
    )
    parser.add_argument("--deep", type=int, default=14, help="Sortie's depth for the verdict")
    parser.add_argument("--limit", type=int, default=50, help="centipawns by Sortie")
    parser.add_argument("--control-depth", type=int, default=18)
    parser.add_argument("--control-limit", type=int, default=45, help="centipawns by the control engine")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HERE / "sortie.tsv")
    parser.add_argument("--choose-by-control", action="store_true", help="let the control engine choose as well")
    arguments = parser.parse_args()

    with contextlib.closing(Control(arguments.control)) as control:
        lines = chosen(arguments, control)
    rows = ["name\tmoves\tsortie\tcontrol"]
    for line in lines:
        moves = chess.Board().variation_san(line.board.move_stack)
        rows.append(f"{line.name}\t{moves}\t{line.scores.get('sortie', '')}\t{line.scores['control']}")
    arguments.out.write_text("\n".join(rows) + "\n")
    print(f"{len(lines)} lines in {arguments.out}", file=sys.stderr)


if __name__ == "__main__":
    main()
