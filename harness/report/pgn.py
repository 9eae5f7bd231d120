"""Finished games as PGN, one at a time from the journal, so that a run of any size needs the memory of one game."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator

import chess

from harness.analysis.summary import of_journal
from harness.errors import BadInput, nearest
from harness.game.game import Clock
from harness.journal.journal import Reader
from harness.model import MATE, GameRecord, Limit, MoveRecord
from harness.spec.settings import Experiment
from harness.spec.toml_table import clock_text
from harness.terminal.numbers import plain

TERMINATION = {
    **dict.fromkeys(("mate", "stalemate", "repetition", "fifty", "material", "resign", "agreement"), "normal"),
    **dict.fromkeys(("adjudicated-win", "adjudicated-draw", "move-limit"), "adjudication"),
    **dict.fromkeys(("claim", "protocol"), "rules infraction"),
    "time": "time forfeit",
    "stall": "stalled connection",
    "crash": "abandoned",
    "illegal": "illegal move",
}
DETAILS = ("nodes", "timeleft", "eval", "clk", "pv")  # of each move, besides score, depth and time
WIDTH = 80
NULL_MOVE = "0000"


def details_of(text: str, option: str) -> frozenset[str]:
    """The details in a comma-separated list; raises BadInput, with the option's name, for an unknown one."""
    wanted = [word.strip() for word in text.split(",") if word.strip()]
    for word in wanted:
        if word not in DETAILS:
            expected = ", ".join(DETAILS)
            raise BadInput(f'{option}: no detail "{word}" (there are {expected}){nearest(word, DETAILS)}')
    return frozenset(wanted)


def games(reader: Reader, details: Collection[str] = ()) -> Iterator[str]:
    """Every finished game of the journal as PGN text, ordered by id; see `game` for the details."""
    experiment = of_journal(reader)
    for record in reader.games():
        try:
            yield game(record, experiment, details)
        except (ValueError, IndexError):
            raise reader.damaged(record.job.id) from None


def game(record: GameRecord, experiment: Experiment, details: Collection[str] = ()) -> str:
    """One game with its tags and annotated moves, ending in a blank line.

    `details` adds to each move, where it is known: "nodes" `n=12345`, "timeleft" `tl=1.234s`, "eval" `[%eval 0.31]` in
    pawns from White's view, "clk" `[%clk 0:00:01]`, the time left after the move, "pv" `pv="Nf3 Nc6"`, the moves that the
    engine expected from this one on, of a run that kept them (key `pv`).
    """
    job = record.job
    board = chess.Board(job.opening.fen, chess960=experiment.chess960)
    tags = _tags(record, experiment, board)
    words = list(_movetext(record, experiment, board, details))
    head = "".join(f'[{name} "{_escape(value)}"]\n' for name, value in tags)
    # Lines are broken only between tokens, and a comment is one token.
    return f"{head}\n{_wrap([*words, record.result])}\n\n"


def _tags(record: GameRecord, experiment: Experiment, board: chess.Board) -> list[tuple[str, str]]:
    job = record.job
    white, black = experiment.players[job.white], experiment.players[job.black]
    tags = [
        ("Event", experiment.name),
        ("Site", record.host or "?"),
        ("Date", time.strftime("%Y.%m.%d", time.gmtime(record.started))),
        ("Round", f"{job.pair}.{job.leg}"),
        ("White", white.name),
        ("Black", black.name),
        ("Result", record.result),
        ("GameId", str(job.id)),
        ("Termination", TERMINATION.get(record.reason, "unterminated")),
        ("Reason", record.reason),
        *_limits(white.limit, black.limit),
        ("PlyCount", str(len(job.opening.moves) + len(record.moves))),
    ]
    if job.opening.name:
        tags.append(("Opening", job.opening.name))
    if experiment.chess960:
        tags.append(("Variant", "fischerandom"))
    if job.opening.fen != chess.STARTING_FEN:
        tags += [("SetUp", "1"), ("FEN", job.opening.fen)]
    return tags


def _limits(white: Limit, black: Limit) -> list[tuple[str, str]]:
    """TimeControl, and Limit where it says nothing; a tag for each colour where the limits differ."""
    if white == black:
        return _limit(white, "")
    return [("TimeControl", "?"), *_limit(white, "White"), *_limit(black, "Black")]


def _limit(limit: Limit, colour: str) -> list[tuple[str, str]]:
    most = (("nodes", limit.most_nodes), ("depth", limit.most_depth))
    told = ",".join(f"{name}<={cap}" for name, cap in most if cap is not None)
    caps = [(f"{colour}Limit", told)] if told else []
    if limit.movetime is not None:
        return [(f"{colour}TimeControl", f"{plain(limit.movetime)}/move"), *caps]
    if limit.nodes is not None:
        return [(f"{colour}TimeControl", "-"), (f"{colour}Limit", f"nodes={limit.nodes}")]
    if limit.depth is not None:
        return [(f"{colour}TimeControl", "-"), (f"{colour}Limit", f"depth={limit.depth}")]
    return [(f"{colour}TimeControl", clock_text(limit)), *caps]


def _movetext(
    record: GameRecord, experiment: Experiment, board: chess.Board, details: Collection[str]
) -> Iterator[str]:
    """Moves in SAN with move numbers and comments."""
    opening = record.job.opening.moves
    limits = [experiment.players[player].limit for player in (record.job.white, record.job.black)]
    clocks = [Clock(limit, 0.0) for limit in limits]
    first = True
    for index in range(len(opening) + len(record.moves)):
        if index < len(opening):
            word, comment = opening[index], "{book}"
            clocks[not board.turn].count()
        else:
            made = record.moves[index - len(opening)]
            clock = clocks[not board.turn]
            clock.spend(made.ms / 1000)
            left = clock.left if clock.limit.base is not None else None
            expected = line_of_play(board, made) if "pv" in details else ""
            word, comment = made.move, remark(made, details, left, board.turn, expected)
        if board.turn:
            yield f"{board.fullmove_number}."
        elif first:
            yield f"{board.fullmove_number}..."
        first = False
        try:
            move = board.parse_uci(word)
        except ValueError:
            # The journal holds only legal moves, unless somebody has edited it.
            yield f"{{unreadable move {_plain(word)}}}"
            return
        yield board.san(move)
        yield comment
        board.push(move)


def line_of_play(board: chess.Board, made: MoveRecord) -> str:
    """The moves that an engine expected, in SAN, from the board before its move; '' if they do not begin with that move.

    Engines write coordinates or SAN, perhaps with move numbers; the line ends at the first word that is no legal move.
    """
    board = board.copy(stack=False)
    words: list[str] = []
    for word in made.line.split():
        if word == NULL_MOVE:  # it is not the number of a move
            break
        text = word.lstrip("0123456789.") if word[0].isdigit() and "-" not in word else word
        if not text:
            continue
        try:
            move = board.parse_uci(text)
        except ValueError:
            try:
                move = board.parse_san(text)
            except ValueError:
                break
        if not move:  # a null move in one of its other forms, which python-chess takes for legal
            break
        if not words and move != board.parse_uci(made.move):
            return ""
        words.append(board.san_and_push(move))
    return " ".join(words)


def remark(
    made: MoveRecord,
    details: Collection[str] = (),
    left: float | None = None,
    white: bool = True,
    expected: str = "",
) -> str:
    """`{+0.31/12 0.050s}`: score in pawns from the mover's view, depth, wall time; unknown figures are left out.

    `left` is the mover's remaining time in seconds, `white` whether White moved, `expected` the line of play in SAN; see
    `game` for the details.
    """
    score = ""
    if made.score is not None:
        if abs(made.score) >= MATE:
            score = f"{'+' if made.score > 0 else '-'}M{abs(made.score) - MATE}"
        else:
            score = f"{made.score / 100:+.2f}"
        if made.depth is not None:
            score += f"/{made.depth}"
        score += " "
    words = [f"{score}{made.ms / 1000:.3f}s"]
    if "nodes" in details and made.nodes is not None:
        words.append(f"n={made.nodes}")
    if "timeleft" in details and left is not None:
        words.append(f"tl={left:.3f}s")
    if expected:
        words.append(f'pv="{expected}"')
    commands = ""
    if "eval" in details and made.score is not None:
        commands += f"[%eval {_eval(made.score if white else -made.score)}] "
    if "clk" in details and left is not None:
        commands += f"[%clk {int(left) // 3600}:{int(left) // 60 % 60:02d}:{int(left) % 60:02d}] "
    return f"{{{commands}{', '.join(words)}}}"


def _eval(score: int) -> str:
    """A score from White's view in the form of `[%eval]`: pawns, or `#3` for a mate in three."""
    if abs(score) >= MATE:
        return f"#{'-' if score < 0 else ''}{abs(score) - MATE}"
    return f"{score / 100:.2f}"


def _plain(text: str) -> str:
    return re.sub(r"[{}\x00-\x1f\x7f]", "?", text)


def _escape(value: str) -> str:
    """A tag's value: quotes and backslashes escaped, control characters made visible."""
    value = re.sub(r"[\x00-\x1f\x7f]", "?", value)
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _wrap(words: list[str]) -> str:
    lines: list[str] = []
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])
