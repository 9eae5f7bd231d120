"""Make openings/sortie.tsv: named theory, grown by plausible moves of an engine, kept where a deep search is level.

    python openings/make_openings.py --sortie .venv/bin/sortie --control stockfish

1. Every line of named_lines.tsv is a stem. COPIES lines grow from each, to a random length of MIN_PLIES or more.
2. At each step every legal move is scored by a search of the position after it (SHALLOW plies), the best few again
   (--choosing plies); one of those within MARGIN centipawns of the best is drawn, the better the likelier.
3. Lines that end in the same position count once. A line stays when Sortie at --deep plies gives at least --least and at most
   --limit centipawns to either side, and when another engine, which had no part in choosing, gives --control-least to
   --control-limit to the same side.

Uneven lines take other ones that are finished (--begin FILE) instead of steps 1 and 2, and end each by one move that loses
--slip LEAST MOST centipawns.

The same seed and the same Sortie make the same file. Needs python-chess; nothing of it is used when games are played.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import math
import random
import re
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


def finished(path: Path) -> list[Line]:
    """The lines of a file that this script made, plain or gzipped; they grow no more."""
    opener = gzip.open if path.suffix == ".gz" else open
    lines = []
    with opener(path, "rt") as file:
        for text in list(file)[1:]:
            name, moves = text.split("\t")[:2]
            board = chess.Board()
            for word in re.sub(r"\d+\.+ ?", "", moves).split():
                board.push_san(word)
            lines.append(Line(name, board, board.ply()))
    return lines


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


def slip(lines: list[Line], judge: Judge, rng: random.Random, depth: int, least: int, most: int) -> list[Line]:
    """The lines, each with one move more that loses `least` to `most` centipawns; lines without such a move are left out."""
    fens = [line.board.fen() for line in lines]
    children = {fen: after(fen) for fen in fens}
    shallow = iter(judge.scores([child for fen in fens for _, child in children[fen]], SHALLOW))
    few: dict[str, list[tuple[chess.Move, str]]] = {}
    for fen in fens:
        scored = [(-next(shallow), move, child) for move, child in children[fen]]
        best = max((score for score, _, _ in scored), default=0)
        slips = [(move, child) for score, move, child in scored if least <= best - score <= most]
        # The best move comes first: the others' loss is counted from its deeper score.
        few[fen] = [(move, child) for score, move, child in scored if score == best][:1] + rng.sample(
            slips, min(FEW, len(slips))
        )
    deep = iter(judge.scores([child for fen in fens for _, child in few[fen]], depth))
    found = []
    for line, fen in zip(lines, fens, strict=True):
        scores = [(move, -next(deep)) for move, _ in few[fen]]
        slips_left = [move for move, score in scores[1:] if least <= scores[0][1] - score <= most]
        if slips_left:
            line.board.push(rng.choice(slips_left))
            found.append(line)
    print(f"{len(found)} of {len(lines)} lines with a move that loses {least} to {most}", file=sys.stderr, flush=True)
    return found


def within(lines: list[Line], judge: Judge, depth: int, least: int, most: int, key: str) -> list[Line]:
    """The lines whose last position this judge gives `least` to `most` centipawns, to the side that earlier judges favour.

    The score is kept with the line, from White's view.
    """
    kept = []
    for line, score in zip(lines, judge.scores([line.board.fen() for line in lines], depth), strict=True):
        seen = score if line.board.turn else -score
        agreed = not least or all(seen * other > 0 for other in line.scores.values())
        line.scores[key] = seen
        if least <= abs(score) <= most and agreed:
            kept.append(line)
    print(f"{key}: {len(kept)} of {len(lines)} from {least} to {most} at depth {depth}", file=sys.stderr, flush=True)
    return kept


def distinct(lines: list[Line]) -> list[Line]:
    """One line for each last position."""
    seen: dict[str, Line] = {}
    for line in lines:
        seen.setdefault(line.board.epd(), line)
    return list(seen.values())


def chosen(arguments: argparse.Namespace, control: Control) -> list[Line]:
    """The lines, grown from all stems or read and ended by a slip, that both judges let stay."""
    rng = random.Random(arguments.seed)
    judge: Judge = control if arguments.choose_by_control else Sortie(arguments.sortie)
    if arguments.begin:
        lines = finished(arguments.begin)
    else:
        lines = [
            Line(name, board.copy(), max(MIN_PLIES, board.ply()) + rng.randint(1, MAX_GROWTH))
            for name, board in stems()
            for _ in range(arguments.copies)
        ]
        grow(lines, judge, rng, arguments.choosing)
    if arguments.slip:
        lines = slip(lines, judge, rng, arguments.choosing, *arguments.slip)
    lines = distinct(lines)
    if not arguments.choose_by_control:
        lines = within(lines, judge, arguments.deep, arguments.least, arguments.limit, "sortie")
    return within(lines, control, arguments.control_depth, arguments.control_least, arguments.control_limit, "control")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sortie", default="sortie", help="the Sortie that chooses and judges")
    parser.add_argument("--control", default="stockfish", help="a UCI engine that judges again")
    parser.add_argument("--copies", type=int, default=8, help="lines to grow from each stem")
    parser.add_argument("--begin", type=Path, help="a file of lines to take instead of growing them, plain or gzipped")
    parser.add_argument(
        "--slip",
        type=int,
        nargs=2,
        metavar=("LEAST", "MOST"),
        help="end each line by a move that loses so many centipawns",
    )
    parser.add_argument(
        "--choosing", type=int, default=8, help="depth of the searches that choose among the best moves"
    )
    parser.add_argument("--deep", type=int, default=14, help="Sortie's depth for the verdict")
    parser.add_argument("--least", type=int, default=0, help="centipawns by Sortie, at least")
    parser.add_argument("--limit", type=int, default=50, help="centipawns by Sortie, at most")
    parser.add_argument("--control-depth", type=int, default=18)
    parser.add_argument("--control-least", type=int, default=0, help="centipawns by the control engine, at least")
    parser.add_argument("--control-limit", type=int, default=45, help="centipawns by the control engine, at most")
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
