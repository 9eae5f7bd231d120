"""Games of Sortie against itself in this process, and their positions, on which a network is trained.

A game is a function of the settings, the seed and its number: it begins with empty tables, and its opening comes from a
random generator seeded with both numbers. So games can be played in any order, anywhere, and give the same bytes.
"""

from __future__ import annotations

import random
import time
from typing import NamedTuple

from engine.board.game import Game
from engine.evaluation.network import Network
from engine.model import Limits
from engine.play.book import Book, shipped
from engine.search.threads import Searcher
from engine.tools.packed import RESULT_AT, is_calm, pack
from engine.variant.features import Features

MEMORY = 4  # MiB: a game of some hundred thousand nodes fills no more, and the table is emptied before each game
HARD = 2  # times the soft limit: there the last iteration is cut off
BALANCE = 400  # centipawns: an opening beyond this is replaced
DECIDED, DECIDED_PLIES = 2000, 4  # centipawns, plies: won once both sides' scores say so, twice each
LEVEL, LEVEL_PLIES, LEVEL_FROM = 8, 8, 80  # centipawns, plies, ply: drawn after so many such plies in a row, from this ply on
LONGEST = 400  # plies; then the game is drawn
BOOK_SHARE = 0.5  # of the games begin with moves of the book
AFTER_BOOK = 2  # least number of random plies after these, or the same games would come again
LONGEST_LINE = 60  # plies of a given book that a game follows
WIN, DRAW, LOSS = 2, 1, 0
UNKNOWN = 3  # the result of a stray
STRAY_PLIES = (1, 1, 1, 1, 1, 2, 2, 2, 3, 3)  # random moves that lead to a stray; each entry is equally likely
MOST_OPENINGS = 1000  # refused openings in a row before the settings are refused
GLANCE = 200  # nodes of a first search, which shows that most strays are not calm


class Settings(NamedTuple):
    """How games are played. `nodes`: no new iteration begins after so many; random_plies: least and most in the opening.

    `strays`: after so many moves in a hundred a position some random moves away is searched as well. `book`: a Polyglot file
    that every game follows to its end before its random plies; "": half of the games begin with a few moves of the shipped
    one, which count among the random plies. `balance`: centipawns; an opening whose first search scores beyond it is replaced.
    """

    nodes: int
    random_plies: tuple[int, int]
    seed: int
    strays: int = 0
    book: str = ""
    balance: int = BALANCE


class Played(NamedTuple):
    """A finished game: White's result (0, 1, 2), how it ended, and its packed positions one after the other."""

    game: int
    plies: int
    nodes: int
    seconds: float  # of processor time
    result: int
    reason: str
    records: bytes  # those of the game, then its strays


class Player:
    """Plays games by number. ValueError if there is a book and it cannot be read."""

    def __init__(self, settings: Settings, features: Features, network: Network | None = None) -> None:
        self.settings = settings
        self._features = features
        self._searcher = Searcher(MEMORY)
        self._searcher.set_network(network)
        self._limits = Limits(nodes=HARD * settings.nodes, soft_nodes=settings.nodes)
        path = settings.book or shipped()
        try:
            self._book = Book(path) if path else None
        except (OSError, ValueError) as error:
            raise ValueError(f"{path}: {getattr(error, 'strerror', None) or error}, expected a Polyglot book") from None

    def play(self, number: int) -> Played:
        """The game of this number. ValueError if the settings allow no opening."""
        began = time.process_time()
        chance = random.Random(f"{self.settings.seed}:{number}")
        self._searcher.clear()
        for _ in range(MOST_OPENINGS):
            game = self.opening(chance)
            if game is None:
                continue
            nodes, found = self._finish(game, number, chance)
            if found is not None:
                seconds = round(time.process_time() - began, 3)
                return Played(number, len(game.moves()), nodes, seconds, *found)
        raise ValueError(
            f"no opening in {MOST_OPENINGS} that goes on and is worth {self.settings.balance} centipawns at most: "
            "expected another book, other random plies or more balance"
        )

    def opening(self, chance: random.Random) -> Game | None:
        """A game after its opening of random moves, perhaps with book moves before them; None if it ended in the opening."""
        game = Game()
        plies = chance.randint(*self.settings.random_plies)
        if self.settings.book:
            self._follow_book(game, LONGEST_LINE, chance)
            plies += len(game.moves())
        elif self._book is not None and chance.random() < BOOK_SHARE:
            self._follow_book(game, chance.randint(2, 8), chance)
            plies = max(plies, len(game.moves()) + AFTER_BOOK)
        while len(game.moves()) < plies:
            moves = game.legal_moves()
            if not moves:
                return None
            game.push(chance.choice(moves))
        return game if game.outcome() is None else None

    def _follow_book(self, game: Game, most: int, chance: random.Random) -> None:
        """Play up to `most` moves of the book, drawn by their weights."""
        assert self._book is not None
        for _ in range(most):
            entries = self._book.moves(game)
            if not entries:
                break
            game.push(chance.choices([entry.move for entry in entries], [entry.weight for entry in entries])[0])

    def _finish(self, game: Game, number: int, chance: random.Random) -> tuple[int, tuple[int, str, bytes] | None]:
        """Play the game out: (nodes, (result, reason, records)), None for the latter if the opening is lopsided."""
        records: list[tuple[int, bytearray]] = []
        strays: list[bytearray] = []
        seen: set[int] = set()
        total, start, verdict = 0, len(game.moves()), Verdict()
        while (over := ended(game)) is None:
            found = self._searcher.search(game, self._features, self._limits)
            total += found.nodes
            if len(game.moves()) == start and abs(found.score) > self.settings.balance:
                return total, None
            over = verdict.after(-found.score if game.turn else found.score, len(game.moves()))
            if over is not None:
                break
            if abs(found.score) < DECIDED and game.key not in seen and is_calm(game, found.move):
                records.append((game.turn, pack(game, found.score, number)))
            seen.add(game.key)
            if self.settings.strays and chance.randrange(100) < self.settings.strays:
                nodes, stray = self._stray(game, number, chance)
                total += nodes
                strays += [stray] if stray is not None else []
            game.push(found.move)
        result, reason = over
        for side, record in records:
            record[RESULT_AT] = WIN - result if side else result
        return total, (
            result,
            reason,
            b"".join([bytes(record) for _, record in records] + [bytes(one) for one in strays]),
        )

    def _stray(self, game: Game, number: int, chance: random.Random) -> tuple[int, bytearray | None]:
        """The nodes and the record of a position one to three random moves away, None if it is not calm or is decided.

        Most positions of a search come from a bad move, and no game contains them: 0.6 million strays among 4.7 million positions
        took a twenty-fifth off the network's error on such positions (docs/network-trials.md).
        """
        stray, nodes = Game(game.fen()), 0
        for _ in range(chance.choice(STRAY_PLIES)):
            moves = stray.legal_moves()
            if not moves:
                return 0, None
            stray.push(chance.choice(moves))
        if ended(stray) is not None:
            return 0, None
        for limits in (Limits(nodes=GLANCE), self._limits):
            found = self._searcher.search(stray, self._features, limits)
            nodes += found.nodes
            if abs(found.score) >= DECIDED or not is_calm(stray, found.move):
                return nodes, None
        record = pack(stray, found.score, number)
        record[RESULT_AT] = UNKNOWN
        return nodes, record


def ended(game: Game) -> tuple[int, str] | None:
    """White's result and its reason if the rules or the number of moves end the game, else None."""
    over = game.outcome()
    if over is not None:
        return {"1-0": WIN, "0-1": LOSS}.get(over[0], DRAW), over[1]
    return (DRAW, "length") if len(game.moves()) >= LONGEST else None


class Verdict:
    """Ends games that both sides' scores call decided or level."""

    def __init__(self) -> None:
        self._won = self._level = 0  # plies in a row; won by White above 0, by Black below

    def after(self, white: int, ply: int) -> tuple[int, str] | None:
        """White's result and its reason, after a search with this score (White's view) at this ply; None: play on."""
        sign = (white > 0) - (white < 0)
        if abs(white) < DECIDED:
            self._won = 0
        else:
            self._won = self._won + sign if self._won * sign >= 0 else sign
        self._level = self._level + 1 if abs(white) <= LEVEL else 0
        if abs(self._won) >= DECIDED_PLIES:
            return (WIN if sign > 0 else LOSS), "score"
        if self._level >= LEVEL_PLIES and ply >= LEVEL_FROM:
            return DRAW, "level"
        return None
