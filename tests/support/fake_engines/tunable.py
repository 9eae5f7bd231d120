"""An XBoard engine whose strength is a known function of its options X and Y: best at X = 70, Y = 20.

Usage: tunable.py [--silent]. It plays any legal move and resigns at random, more often the weaker it
is, so that of two engines the one `strength` Elo ahead wins as often as Elo predicts. All chance is a function of position and
options. --silent: the options are accepted but not announced.
"""

from __future__ import annotations

import hashlib
import sys

from engine.board.game import Game

BEST = {"X": 70, "Y": 20}
WIDTH = 50.0  # of the hill: at this distance from the best values it loses 300 Elo
LEAST_CHANCE, MOST_CHANCE = 0.12, 0.95  # probability of resigning at a move


def strength(options: dict[str, float]) -> float:
    """Elo, 0 at the best values."""
    return -300.0 * sum(((options[name] - best) / WIDTH) ** 2 for name, best in BEST.items())


def resigns(fen: str, options: dict[str, float]) -> bool:
    """Whether it resigns in a position."""
    chance = min(MOST_CHANCE, LEAST_CHANCE * 10.0 ** (-strength(options) / 400.0))
    return bool(_number(f"{fen} {sorted(options.items())} resign") / 2**32 < chance)


def pick(game: Game) -> int:
    """Any legal move, always the same in a position."""
    moves: list[int] = sorted(game.legal_moves(), key=game.coordinates)
    return moves[_number(game.fen()) % len(moves)]


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")


class Engine:
    def __init__(self, silent: bool) -> None:
        self.silent = silent
        self.options: dict[str, float] = {"X": 30, "Y": 60}
        self.game = Game()
        self.force = True

    def say(self, text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def set(self, name: str, value: str) -> None:
        if name not in self.options:
            self.say(f"Error (unknown option): option {name}={value}")
        else:
            self.options[name] = float(value)

    def think(self) -> None:
        if self.game.outcome():
            return
        if resigns(self.game.fen(), self.options):
            self.say("resign")
            return
        move = pick(self.game)
        self.say(f"move {self.game.coordinates(move)}")
        self.game.push(move)

    def xboard(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "protover":
            options = "" if self.silent else ' option="X -spin 30 0 100" option="Y -spin 60 0 100"'
            self.say(f'feature ping=1 setboard=1 usermove=1 colors=0 nps=1 option="Hash -spin 1 1 9"{options} done=1')
        elif word == "option":
            self.set(*rest.split("=", 1))
        elif word == "new":
            self.game, self.force = Game(), False
        elif word == "setboard":
            self.game = Game(rest)
        elif word == "force":
            self.force = True
        elif word == "ping":
            self.say(f"pong {rest}")
        elif word == "usermove":
            self.game.push(self.game.parse(rest))
            if not self.force:
                self.think()
        elif word == "go":
            self.force = False
            self.think()
        elif word == "quit":
            sys.exit()
        elif word == "uci":
            self.say(f"Error (unknown command): {line}")


def main() -> None:
    engine = Engine("--silent" in sys.argv)
    for line in sys.stdin:
        engine.xboard(line.strip())


if __name__ == "__main__":
    main()
