"""Tables: the Syzygy files of some folders, their result for a game's position, and the root moves that keep it."""

import os
import re
import stat

import cython
from cython import address, cast

from engine.model import Ruling

KINDS = {".rtbw": False, ".rtbz": True}  # ending of a file's name: whether it holds distances
MEN = "PNBRQK"
SIDE = "K[QRBNP]*"
NAME = re.compile(f"({SIDE})v({SIDE})")

# The fifty-move rule, in plies. A distance may be a ply short, so the last ply is not relied on.
FIFTY = 99
# Plies without a capture or pawn move in which the search may choose among all winning moves; then the shortest way is taken.
FREE = 20
SURE = 10_000  # the rank of a win, and less the rank of a loss


def material_in(name):
    """How many of each man (kind + 1 | colour << 3) a file's name gives, as 16 bytes; None if it is not a table's name."""
    match = NAME.fullmatch(name)
    if match is None or sum(map(len, match.groups())) > MOST_MEN:
        return None
    counts = bytearray(16)
    for colour, men in enumerate(match.groups()):
        for letter in men:
            counts[MEN.index(letter) + 1 | colour << 3] += 1
    return bytes(counts)


def files_in(path):
    """(name, path) of each table in the folders of `path`, the first of equal names, and a line for each that is no folder."""
    found = {}
    faults = []
    for folder in filter(None, path.split(os.pathsep)):
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    name, kind = os.path.splitext(entry.name)
                    if kind in KINDS and material_in(name) is not None:
                        found.setdefault(entry.name, entry.path)
        except OSError as error:
            faults.append(f"{folder}: {error.strerror or error}")
    return sorted(found.items()), faults


class Tables:
    """The tables in the folders of `path`, with the system's separator between them.

    Damaged ones, and folders that are not there, are named in `faults`.

    men: the most men of a position to ask about; depth: the least remaining depth, plies, for positions with as many men as
    that; fifty: the fifty-move rule counts. ValueError, one plain line, if there is no table.
    """

    def __cinit__(self):
        self.endings = cython.NULL
        self.shelf.places = cython.NULL
        self.count = 0

    def __init__(self, path, men=MOST_MEN, depth=1, fifty=True):
        most: cython.int = men
        self.path = path
        self.largest = 0
        files, self.faults = files_in(path)
        if not files:
            raise ValueError("; ".join(self.faults) or f"{path}: no Syzygy tables (.rtbw, .rtbz) there")
        room: U64 = 64
        while room < 4 * cast(U64, len(files)):
            room *= 2
        self.shelf.places = cast(cython.pointer(Place), allocate_zeroed(room * cython.sizeof(Place)))
        self.endings = cast(
            cython.pointer(cython.pointer(Ending)), allocate_zeroed(len(files) * cython.sizeof(cython.p_void))
        )
        if self.shelf.places == cython.NULL or self.endings == cython.NULL:
            raise MemoryError("no memory for the tables")
        self.shelf.mask = room - 1
        for file, place in files:
            name, kind = os.path.splitext(file)
            fault = self.add(place, material_in(name), KINDS[kind])
            if fault:
                self.faults.append(f"{place}: {fault}")
        self.shelf.oracle.answer = answer
        self.shelf.oracle.men = min(most, self.largest)
        self.shelf.oracle.depth = depth
        self.shelf.oracle.fifty = fifty

    def __dealloc__(self):
        i: cython.int
        for i in range(self.count):
            close_ending(self.endings[i])
            free_zeroed(self.endings[i])
        free_zeroed(self.endings)
        free_zeroed(self.shelf.places)

    def capsule(self):
        """The Oracle that a Searcher asks; it must not outlive this object."""
        return PyCapsule_New(address(self.shelf.oracle), "engine.syzygy.Oracle", cython.NULL)

    def summary(self):
        """In words: how many tables there are, and with how many men they are used."""
        return f"{self.count} Syzygy tables, used with up to {self.shelf.oracle.men} men"

    def add(self, path, counts, dtz):
        """Open one file; return what is wrong with it in a few words, "" if nothing is."""
        e = cast(cython.pointer(Ending), allocate_zeroed(cython.sizeof(Ending)))
        raw: cython.p_char = counts
        man: cython.int
        colour: cython.int
        if e == cython.NULL:
            return "no memory for it"
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe might keep the engine waiting for ever
                free_zeroed(e)
                return "is no regular file"
            handle: cython.int = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except OSError as error:
            free_zeroed(e)
            return error.strerror or str(error)
        e.size = os.fstat(handle).st_size
        e.start = map_file(handle, e.size) if e.size else cython.NULL
        os.close(handle)
        if e.start == cython.NULL or not open_ending(e, cast(cython.pointer(cython.const[U8]), raw), dtz):
            if e.start != cython.NULL:
                close_ending(e)
            free_zeroed(e)
            return "is no Syzygy table, or not the whole of one"
        self.endings[self.count] = e
        self.count += 1
        own: U64 = 0
        other: U64 = 0
        for colour in range(2):
            for man in range(KING):
                own += material_unit[man | colour << 3] * counts[man + 1 | colour << 3]
                other += material_unit[man | (1 - colour) << 3] * counts[man + 1 | colour << 3]
        self.put_in(own, False, e)
        if own != other:
            self.put_in(other, True, e)
        if not dtz:
            self.largest = max(self.largest, e.men)
        return ""

    def put_in(self, material, turned, e):
        """Enter an ending under its material (Position.material)."""
        place = place_of(address(self.shelf), material)
        place.material = material
        place.turned = turned
        if e.dtz:
            place.dtz = e
        else:
            place.wdl = e

    def wdl(self, game):
        """For the side to move of a Game: 2 win, 1 win but a draw by the fifty-move rule, 0 draw, -1, -2; None: not known."""
        pos = address(cast(Game, game).position)
        ignored: cython.bint = False
        if pos.rights or popcount(occupied(pos)) > self.largest:
            return None
        found: cython.int = result_of(address(self.shelf), pos, False, address(ignored))
        return None if found == UNKNOWN else found

    def dtz(self, game):
        """Plies to the capture or pawn move that keeps the result, 0 for a draw, negative for the loser; None: not known.

        Beyond 100 the fifty-move rule makes it a draw.
        """
        pos = address(cast(Game, game).position)
        if pos.rights or popcount(occupied(pos)) > self.largest:
            return None
        found: cython.int = distance_of(address(self.shelf), pos)
        return None if found == NO_DISTANCE else found

    def number(self, game):
        """The index of a Game's position in its WDL file, None if there is no such file; for tests."""
        pos = address(cast(Game, game).position)
        place = place_of(address(self.shelf), pos.material)
        where = cython.declare(cython.pointer(cython.const[Sequence]))
        if place.material == 0 or place.wdl == cython.NULL:
            return None
        turned: cython.bint = pos.side == BLACK if place.wdl.symmetric else place.turned
        return number_of(place.wdl, pos, turned, pos.side ^ turned, address(where))

    def rule(self, game, moves):
        """The tables' Ruling on a Game's position if these moves may be played, None if they cannot tell.

        The search may choose among all moves that keep the result. A win has FREE plies for that; then, or once a position
        has been repeated, only the shortest way to the next capture or pawn move is left, so that the game ends.
        """
        pos = address(cast(Game, game).position)
        if not moves or pos.rights or popcount(occupied(pos)) > self.shelf.oracle.men:
            return None
        game = game.copy()
        distances = {move: self.distance_after(game, move) for move in moves}
        if None in distances.values():
            results = {move: self.result_after(game, move) for move in moves}
            if None in results.values():
                return None
            sure = {WIN: SURE, LOSS: -SURE} if self.shelf.oracle.fifty else {1: SURE, WIN: SURE, -1: -SURE, LOSS: -SURE}
            ranks = {move: sure.get(result, result) for move, result in results.items()}
            exact = False
        else:
            clock = game.halfmove_clock
            hurry = clock >= FREE or came_back(game)
            ranks = {move: self.rank(distance, clock, hurry) for move, distance in distances.items()}
            exact = True
        best = max(ranks.values())
        score = TABLE_WIN if best > SURE // 2 else -TABLE_WIN if best < -SURE // 2 else 0
        return Ruling(score, exact, frozenset(move for move in moves if ranks[move] == best))

    def rank(self, distance, clock, hurry):
        """How good a move is: `distance` counts the move itself, `clock` the plies without a capture or pawn move before it."""
        if distance == 0:
            return 0
        length = abs(distance)
        fifty = self.shelf.oracle.fifty
        if distance > 0:
            if fifty and length + clock > FIFTY + (length == 1):  # of one move the length is certain
                return SURE // 2 - length  # a draw, if the opponent knows the way
            return SURE - length if hurry else SURE
        if fifty and length + clock > FIFTY:
            return length - SURE // 2
        return -SURE

    def outcome(self, game):
        """As the game's, except that fifty moves without progress end nothing where the tables are to ignore that rule."""
        over = game.outcome()
        return over if self.shelf.oracle.fifty or over is None or over[1] != "50-move rule" else None

    def distance_after(self, game, move):
        """The distance in plies if this move is played, the move included; 0 if it draws, None: not known."""
        pos = address(cast(Game, game).position)
        code: cython.int = move
        zeroing = is_zeroing(pos, code)
        game.push(move)
        try:
            over = self.outcome(game)
            if over:
                return 0 if over[0] == "1/2-1/2" else 1
            if zeroing:
                result = self.wdl(game)
                return None if result is None else at_once(-result)
            distance = self.dtz(game)
            if distance is None:
                return None
            return -distance + (distance < 0) - (distance > 0)
        finally:
            game.pop()

    def result_after(self, game, move):
        """2 win to -2 loss for the side that makes the move; None: not known."""
        game.push(move)
        try:
            over = self.outcome(game)
            if over:
                return 0 if over[0] == "1/2-1/2" else WIN
            result = self.wdl(game)
            return None if result is None else -result
        finally:
            game.pop()


def came_back(game):
    """Whether a position has been repeated since the last capture or pawn move."""
    earlier: Game = game.copy()
    for _ in range(min(game.halfmove_clock, game.ply)):
        if earlier.repetitions():
            return True
        earlier.pop()
    return False
