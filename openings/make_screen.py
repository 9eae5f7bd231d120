"""Make openings/screen.epd: the positions of the node screen, from games that Sortie plays with itself.

    python openings/make_screen.py --sortie .venv/bin/sortie --control stockfish

The games start from lines of sortie.tsv and go on by plausible moves (see make_openings.py). From each at most one
position is taken, at a random ply: opening, middlegame or ending. Left out are positions in check, with fewer than
eight legal moves, or that Sortie or the control engine puts beyond 150 centipawns. Of the rest as many tactical ones
(the best move is a capture, a promotion or a check) as quiet ones are kept in each phase, where there are enough.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.engine
from make_openings import HERE, Control, Sortie, choices

LIMIT = 150
CHOOSING = 8  # depth of the searches that choose among the best moves
# Name, plies after which a position is taken, and how many of each kind are kept.
PHASES = (("opening", 14, 24, 8), ("middlegame", 28, 56, 14), ("ending", 64, 120, 8))


@dataclass
class Game:
    """A game on its way to the position that is wanted of it."""

    board: chess.Board
    phase: str
    plies: int
    over: bool = False


def play(games: list[Game], judge: Sortie, rng: random.Random) -> None:
    """Play each game to its ply, or to its end."""
    while open_games := [game for game in games if not game.over and game.board.ply() < game.plies]:
        fens = sorted({game.board.fen() for game in open_games})
        plausible = choices(fens, judge, CHOOSING)
        for game in open_games:
            moves = plausible[game.board.fen()]
            if not moves or game.board.is_repetition(2) or game.board.halfmove_clock > 40:
                game.over = True
                continue
            game.board.push(rng.choice([move for move, loss in moves if loss <= 20]))
        if len(open_games) % 20 == 0:
            print(f"{len(open_games)} games go on", file=sys.stderr, flush=True)


def tactical(board: chess.Board, engine: chess.engine.SimpleEngine) -> bool:
    """Whether the best move is a capture, a promotion or a check."""
    move = engine.play(board, chess.engine.Limit(depth=14), game=object()).move
    assert move is not None
    return board.is_capture(move) or move.promotion is not None or board.gives_check(move)


def count(rows: list[str], phase: str) -> dict[bool, int]:
    """How many tactical (True) and quiet (False) positions of this phase there are."""
    words = {True: "tactical", False: "quiet"}
    return {kind: sum(f'"{phase} {word} ' in row for row in rows) for kind, word in words.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sortie", default="sortie")
    parser.add_argument("--control", default="stockfish")
    parser.add_argument("--book", type=Path, default=HERE / "sortie.tsv")
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--games", type=int, default=240)
    parser.add_argument("--append", action="store_true", help="keep the positions of the file and add what is missing")
    parser.add_argument("--out", type=Path, default=HERE / "screen.epd")
    arguments = parser.parse_args()

    rng = random.Random(arguments.seed)
    judge, control = Sortie(arguments.sortie), Control(arguments.control)
    lines = [line.split("\t")[1] for line in arguments.book.read_text().splitlines()[1:]]
    rows = arguments.out.read_text().splitlines() if arguments.append else []
    known = {row.split(" id ")[0] for row in rows}
    missing = [phase for phase in PHASES if min(count(rows, phase[0]).values()) < phase[3]]
    games = []
    for number, line in enumerate(rng.sample(lines, arguments.games)):
        name, first, last, _ = missing[number % len(missing)]
        board = chess.Board()
        for word in line.split():
            if not word.endswith("."):
                board.push_san(word)
        games.append(Game(board, name, rng.randint(max(first, board.ply()), max(last, board.ply() + 4))))
    play(games, judge, rng)

    fit = [
        game for game in games if not game.over and not game.board.is_check() and game.board.legal_moves.count() >= 8
    ]
    fens = [game.board.fen() for game in fit]
    verdicts = zip(judge.scores(fens, 12), control.scores(fens, 16), strict=True)
    fit = [game for game, scores in zip(fit, verdicts, strict=True) if max(abs(score) for score in scores) <= LIMIT]
    for name, _, _, wanted in missing:
        kept = count(rows, name)
        for game in fit:
            if game.phase != name or min(kept.values()) == wanted or game.board.epd() in known:
                continue
            kind = tactical(game.board, control.engine)
            if kept[kind] < wanted:
                kept[kind] += 1
                word = "tactical" if kind else "quiet"
                rows.append(game.board.epd(id=f"{name} {word} {kept[kind]}"))
        print(f"{name}: {kept[True]} tactical, {kept[False]} quiet", file=sys.stderr)
    control.close()
    arguments.out.write_text("".join(f"{row}\n" for row in rows))
    print(f"{len(rows)} positions in {arguments.out}", file=sys.stderr)


if __name__ == "__main__":
    main()
