"""Games of other programs: PGN of cutechess, fastchess, xboard or lichess, read into a journal for every command."""

from __future__ import annotations

import io
import logging
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import chess
import chess.pgn

from harness.books import pgn_reader
from harness.books.openings import decode
from harness.engines.client import MOST_DEPTH, MOST_NODES, MOST_SCORE, reported
from harness.errors import BadInput
from harness.files import refuse_twice
from harness.journal.journal import Journal
from harness.journal.record import pack
from harness.model import FAULTS, MATE, Fault, GameRecord, Job, Limit, MoveRecord, Opening, Player
from harness.spec.toml_table import LONGEST, Table, quoted, section_name

# It would log each mistake on a line of its own; they are also in a game's errors.
logging.getLogger("chess.pgn").disabled = True

RESULTS = ("1-0", "0-1", "1/2-1/2")
MOST_PLAYERS = 1000  # each has a pairing with every other: these take some seconds and half a gigabyte
# What those programs write about the end of a game, in its tags or last comment, and our word for the reason.
LOST = (
    ("time", re.compile(r"time forfeit|on time|flag", re.I)),
    ("illegal", re.compile(r"illegal move", re.I)),
    ("stall", re.compile(r"stall", re.I)),
    ("crash", re.compile(r"disconnect|abandoned|crash|terminated", re.I)),
    ("protocol", re.compile(r"\bprotocol\b", re.I)),  # our own word; the tag Termination calls it a rules infraction
    ("claim", re.compile(r"false .*claim|rules infraction", re.I)),
    ("resign", re.compile(r"resign", re.I)),
    ("adjudicated-win", re.compile(r"adjudicat", re.I)),
)
DRAWN = (
    ("repetition", re.compile(r"repetition", re.I)),
    ("fifty", re.compile(r"fifty|50.move", re.I)),
    ("material", re.compile(r"insufficient|material", re.I)),
    ("stalemate", re.compile(r"stalemate", re.I)),
    ("agreement", re.compile(r"agree", re.I)),
    ("move-limit", re.compile(r"move-limit", re.I)),
)
# A number of seconds is no score: without a score there is only the time.
_THOUGHT = re.compile(
    r"(?P<score>[+-]?(?:M\d+|\d+\.\d+))(?![\d.]*\s*s\b)(?:/(?P<depth>\d+))?(?:\s+(?P<minutes>\d+(?=:\d\d\b))?:?(?P<time>\d+(?:\.\d+)?)\s*s?\b)?"
)
_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*s\b")
_NODES = re.compile(r"\bn(?:odes)?=(\d+)")
_REMARK = re.compile(r"[ \t]*\{[^}]*\}")  # behind a result, on its line


@dataclass(frozen=True, slots=True)
class Rename:
    """A rule that merges names: a name that matches `pattern` becomes `name` (\\1 stands for a group)."""

    pattern: re.Pattern[str]
    name: str


def rename_rule(text: str) -> Rename:
    """The rule in `PATTERN=NAME`; raises BadInput."""
    pattern, mark, name = text.partition("=")
    if not mark or not pattern or not name:
        raise BadInput(f'--rename: expected PATTERN=NAME, not "{text}"')
    try:
        rule = Rename(re.compile(pattern), name)
    except re.error as error:
        raise BadInput(f"--rename: {pattern}: {error}") from None
    try:
        if matched := re.match(f"{pattern}|", ""):  # anything, so that the groups of the name can be looked up
            matched.expand(name)
    except (re.error, IndexError) as error:
        raise BadInput(f"--rename: {name}: {error}") from None
    return rule


@contextmanager
def results(paths: Sequence[str], rules: Sequence[Rename] = ()) -> Iterator[list[Path]]:
    """Yields results folders: those among `paths`, and a temporary one made of all PGN files among them.

    Raises BadInput for a folder or file that is named twice: its games would count twice.
    """
    refuse_twice(paths)
    folders = [Path(path) for path in paths if Path(path).is_dir() or not is_pgn(path)]
    files = [Path(path) for path in paths if Path(path) not in folders]
    if rules and not files:
        raise BadInput("--rename is for PGN files")
    if not files:
        yield folders
        return
    with tempfile.TemporaryDirectory(prefix="gauntlet-pgn-") as made:
        take(files, Path(made), rules)
        yield [*folders, Path(made)]


def is_pgn(path: str) -> bool:
    """Whether this is the name of a PGN file."""
    return path.lower().endswith(".pgn")


def take(files: Sequence[Path], folder: Path, rules: Sequence[Rename] = ()) -> None:
    """Makes the journal of a round robin out of the finished games of PGN files; raises BadInput naming the file."""
    found: list[tuple[str, str, GameRecord]] = []
    names: list[str] = []
    clocks: list[str] = []
    kinds: list[bool] = []
    for file in files:
        for game in _read(file):
            white, black = (_name(game.headers.get(tag, "?"), rules) for tag in ("White", "Black"))
            if game.headers.get("Result") not in RESULTS or white == black:
                continue
            names += [name for name in (white, black) if name not in names]
            board = game.board()
            if board.uci_variant != "chess":
                kind = game.headers.get("Variant", "?")
                raise BadInput(
                    f"{file}: round {game.headers.get('Round', '?')}: variant {kind}, expected chess or Chess960"
                )
            clocks.append(_clock(game))
            kinds.append(board.chess960)
            found.append((white, black, _record(game, file)))
    if not found:
        raise BadInput(f"{', '.join(map(str, files))}: no finished game of two players")
    if len(names) > MOST_PLAYERS:
        raise BadInput(
            f"{', '.join(map(str, files))}: games of {len(names)} players, expected {MOST_PLAYERS} at most "
            "(--rename PATTERN=NAME makes one of several)"
        )
    limit = clocks[0] if clocks[0] and len(set(clocks)) == 1 else "1"
    players = [Player(index, name, ("?",), "uci", Limit(base=1.0)) for index, name in enumerate(names)]
    source = ", ".join(file.name for file in files)
    text = _experiment(source, names, limit, len(found), any(kinds))
    meta = {"experiment": text, "seed": "0", "scheduled": str(len(found)), "version": "-", "command": source}
    journal = Journal.create(folder, meta, players)
    try:
        journal.begin()
        for record in _paired(found, names):
            journal.add(pack(record))
        journal.end(0, True)
    finally:
        journal.close()


def _read(file: Path) -> Iterator[chess.pgn.Game]:
    try:
        text = decode(file.read_bytes()).replace("½-½", "1/2-1/2")  # as some books and web pages print a draw
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from None
    try:
        cut = list(pgn_reader.games(text))
    except pgn_reader.Unclosed as unclosed:  # python-chess would take what follows for part of it
        raise BadInput(f"{file}:{unclosed.line}: {unclosed}") from None
    for one in cut:
        if not one.tags:
            continue  # a remark behind a result; a game without tags is nobody's
        game = chess.pgn.read_game(io.StringIO(_alone(text, one)))
        assert game is not None
        if game.errors:
            raise BadInput(_fault(file, one) or f"{file}:{one.line}: {game.errors[0]}")
        if game.headers.get("Result") == "1/2":  # as old programs write it
            game.headers["Result"] = "1/2-1/2"
        yield game


def _alone(text: str, game: pgn_reader.PgnGame) -> str:
    """The text of one game with an empty line after its tags and nowhere else, by which python-chess knows where it ends.

    Joined files have none between two games, and some programs leave others out or put them between moves.
    """
    # It takes a value up to the last quotation mark, and a tag with any other name for the beginning of the moves.
    values = {name: value.replace("\n", " ") for name, value in game.tags.items()}
    tags = [f'[{name} "{value}"]' for name, value in values.items() if name.isascii() and name[0] != "_"]
    remark = _REMARK.match(text, game.end)
    moves = text[game.begin : remark.end() if remark else game.end].split("\n")
    return "\n".join([*tags, "", *(line for line in moves if line.strip()), ""])


def _fault(file: Path, game: pgn_reader.PgnGame) -> str:
    """The illegal position or first illegal move of a game, with its line; "" if there is none."""
    fen = game.tags.get("FEN", chess.STARTING_FEN)
    try:
        board = chess.Board(fen, chess960=chess.pgn.Headers(game.tags).is_chess960())
    except ValueError:
        return f'{file}:{game.line}: "{fen}" is not a position'
    for line, word in game.moves:
        try:
            board.push_san(word)
        except ValueError:
            return f'{file}:{line}: "{word}" is not a legal move'
    return ""


def _name(name: str, rules: Sequence[Rename]) -> str:
    for rule in rules:
        if match := rule.pattern.search(name):
            name = match.expand(rule.name)
            break
    return "".join(letter if letter.isprintable() else "?" for letter in name).strip() or "?"


def _clock(game: chess.pgn.Game) -> str:
    """The TimeControl tag as an experiment writes it, '' if it gives none."""
    told = game.headers.get("TimeControl", "").strip()
    try:
        Table("TimeControl", {"time": told}).limit()
    except BadInput:
        return ""
    return told


def _record(game: chess.pgn.Game, file: Path) -> GameRecord:
    """The game as the journal keeps it; players and ids are filled in with the pairs."""
    moves: list[MoveRecord] = []
    opening: list[str] = []
    board = game.board()
    start = board.fen()
    for node in game.mainline():
        word = node.move.uci()
        comment = node.comment
        if not moves and comment.strip().lower().startswith("book"):
            opening.append(word)
        else:
            moves.append(_move(word, comment))
    last = game.end()
    result = game.headers["Result"]
    reason = _reason(game, last.board(), result, last.comment)
    fault = None
    if reason in FAULTS:
        fault = Fault(1 if result == "1-0" else 0, reason, last.board().fen(), (f"read from {file.name}",))
    job = Job(0, 0, 0, 1, 0, 1, Opening(start, tuple(opening)))
    return GameRecord(job, result, reason, tuple(moves), 0.0, sum(move.ms for move in moves) / 1000, "", fault)


def _move(word: str, comment: str) -> MoveRecord:
    words = comment.split("]")[-1]
    thought, alone = _THOUGHT.search(words), _TIME.match(words)
    nodes = _NODES.search(comment)
    score = depth = None
    seconds = float(alone[1]) if alone else 0.0
    if thought:
        text = thought["score"]
        if "M" in text:
            moves = reported(text.split("M")[1], MOST_DEPTH)
            if moves is not None:
                score = -MATE - moves if text.startswith("-") else MATE + moves
        elif abs(float(text)) <= MOST_SCORE / 100:
            score = round(100 * float(text))
        depth = reported(thought["depth"], MOST_DEPTH) if thought["depth"] else None
        seconds = float(thought["time"]) if thought["time"] else 0.0
        seconds += 60 * float(thought["minutes"]) if thought["minutes"] else 0.0  # xboard's 1:30
    if seconds > LONGEST:
        seconds = 0.0
    return MoveRecord(word, 1000 * seconds, None, None, depth, reported(nodes[1], MOST_NODES) if nodes else None, score)


def _reason(game: chess.pgn.Game, board: chess.Board, result: str, comment: str) -> str:
    """How the game ended: by the board, else by the tags and the last comment."""
    told = f"{game.headers.get('Termination', '')} {game.headers.get('Reason', '')} {comment}"
    if result == "1/2-1/2":
        if board.is_stalemate():
            return "stalemate"
        if board.is_insufficient_material():
            return "material"
        reason = next((word for word, pattern in DRAWN if pattern.search(told)), None)
        if reason is None and board.is_repetition(3):
            reason = "repetition"
        return reason or ("adjudicated-draw" if "adjudicat" in told.lower() else "agreement")
    if board.is_checkmate():
        return "mate"
    return next((word for word, pattern in LOST if pattern.search(told)), "resign")


def _experiment(source: str, names: list[str], clock: str, games: int, chess960: bool) -> str:
    lines = ["[experiment]", f"name = {quoted(source)}", 'kind = "roundrobin"', f"games = {games + games % 2}"]
    lines += [f"time = {quoted(clock)}", f"source = {quoted(source)}", f"chess960 = {'true' if chess960 else 'false'}"]
    for name in names:
        lines += [f"[{section_name('engines', name)}]", 'command = "?"', 'protocol = "uci"']
    return "\n".join(lines) + "\n"


def _paired(found: Sequence[tuple[str, str, GameRecord]], names: list[str]) -> Iterator[GameRecord]:
    """The games with their ids: two games from one opening with colours swapped are a pair, other games are single."""
    place = {couple: number for number, couple in enumerate(combinations(range(len(names)), 2))}
    waiting: dict[tuple[int, int, str, tuple[str, ...]], list[int]] = {}
    index = {name: place for place, name in enumerate(names)}
    pairs: Counter[int] = Counter()
    for number, (white_name, black_name, record) in enumerate(found, 1):
        white, black = index[white_name], index[black_name]
        pairing = place[min(white, black), max(white, black)]
        opening = record.job.opening
        known = bool(opening.moves) or opening.fen != chess.STARTING_FEN
        partner = waiting.get((black, white, opening.fen, opening.moves)) if known else None
        if partner:
            pair, leg = partner.pop(0), 2
        else:
            pairs[pairing] += 1
            pair, leg = pairs[pairing], 1
            if known:
                waiting.setdefault((white, black, opening.fen, opening.moves), []).append(pair)
        job = Job(number, pairing, pair, leg, white, black, opening)
        fault = record.fault
        if fault is not None:
            culprit = white if fault.player == 0 else black
            fault = Fault(culprit, fault.reason, fault.position, fault.transcript)
        yield GameRecord(job, record.result, record.reason, record.moves, 0.0, record.seconds, "", fault)
