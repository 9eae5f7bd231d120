"""The games in the page: which ones, packed so that a small script can step through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess
import chess.svg
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from harness.journal.journal import Reader
from harness.journal.record import first_mover
from harness.model import MATE, GameRecord
from harness.report.page.facts import Facts, Pair
from harness.report.page.text import clean, shortened

GAMES = 100  # in a page; the PGN has all
SIZE = 1_500_000  # bytes of all games in a page, however long they are
LONGEST = 400  # plies shown of a game
WON = ("1-0", "0-1")
SHARP = 10_000  # centipawns beyond which a score is drawn at the edge


def deciding(facts: Facts, most: int = GAMES) -> list[int]:
    """Ids of the won games of uneven pairs, the clearest pairs first, pairings in turn.

    Without uneven pairs: of won games, then of any, so that there is something to look at.
    """
    chosen: list[int] = []
    queues = _decisive(facts)
    for turn in range(max((len(queue) for queue in queues), default=0)):
        chosen += [queue[turn] for queue in queues if turn < len(queue)]
    if not chosen:
        chosen = [row.id for row in facts.rows if row.result in WON] or [row.id for row in facts.rows]
    return sorted(chosen[:most])


def chosen_words(facts: Facts) -> str:
    """What `deciding` has chosen."""
    if _decisive(facts):
        return "wins that decided their pair"
    return "won games" if any(row.result in WON for row in facts.rows) else "none is won"


def _decisive(facts: Facts) -> list[list[int]]:
    """For each pairing that has any the won games of its uneven pairs, the clearest pairs first."""
    queues = []
    for index, pairing in enumerate(facts.pairings):
        uneven = [pair for pair in facts.pairs[index] if pair.points != 1.0]
        uneven.sort(key=lambda pair: (-abs(pair.points - 1.0), pair.number))
        queue = []
        for pair in uneven:
            queue += [number for number in pair.games if _decided(facts, number, pairing.a, pair)]
        if queue:
            queues.append(queue)
    return queues


def _decided(facts: Facts, number: int, a: int, pair: Pair) -> bool:
    """Whether the winner of the pair won this game."""
    row = facts.scan.rows[number]
    points = row.points if row.white == a else 1.0 - (row.points or 0.0)
    return points == (1.0 if pair.points > 1.0 else 0.0)


def games(reader: Reader, facts: Facts, ids: Sequence[int]) -> list[dict[str, Any]]:
    """The games as the page's script reads them."""
    found = []
    size = 0
    for record in reader.games(ids):
        game = packed(record, facts)
        size += len(htmlsafe_json_dumps(game))
        if size > SIZE:
            break
        found.append(game)
    return found


def packed(record: GameRecord, facts: Facts) -> dict[str, Any]:
    """One game: names, where it starts, and for each ply SAN, what changes on the board, score, depth, time.

    `d` lists the changes as SQUARE-PIECE words ("e4P", "e2-"), the two squares of the move first; scores `v` are
    centipawns from white's view.
    """
    job = record.job
    board = chess.Board(job.opening.fen, chess960=facts.experiment.chess960)
    start = board.copy(stack=False)
    words = [*job.opening.moves, *(made.move for made in record.moves)]
    book = len(job.opening.moves)
    sans, deltas, scores, depths, times = [], [], [], [], []
    for ply, word in enumerate(words[:LONGEST]):
        try:
            move = board.parse_uci(word)
        except ValueError:
            break
        before = board.piece_map()
        mover = board.turn
        sans.append(board.san(move))
        board.push(move)
        deltas.append(_delta(before, board.piece_map(), move))
        made = record.moves[ply - book] if ply >= book else None
        value = made.score if made is not None else None
        scores.append(None if value is None else _drawable(value if mover else -value))
        depths.append(made.depth if made is not None else None)
        times.append(None if made is None else round(made.ms))
    names = [shortened(clean(facts.name(side)), 80) for side in (job.white, job.black)]
    return {
        "id": job.id,
        "round": f"{job.pair}.{job.leg}",
        "p": [job.white, job.black],
        "w": names[0],
        "b": names[1],
        "result": record.result,
        "reason": clean(record.reason),
        "detail": clean(record.detail)[:300],
        "opening": clean(job.opening.name)[:120],
        "book": book,
        "turn": "w" if start.turn else "b",
        "move": start.fullmove_number,
        "fen": start.board_fen(),
        "cut": len(words) > LONGEST,
        "misjudged": _misjudged(record),
        "s": sans,
        "d": deltas,
        "v": scores,
        "n": depths,
        "t": times,
    }


def _misjudged(record: GameRecord) -> int:
    """The best score that the loser reported, centipawns; 0 if it never was ahead, or nobody lost."""
    loser = {"1-0": 1, "0-1": 0}.get(record.result)
    if loser is None:
        return 0
    first = first_mover(record.job.opening.fen, record.job.opening.moves)
    own = record.moves[loser ^ first :: 2]
    return max(0, *(_drawable(made.score) for made in own if made.score is not None), 0)


def _drawable(score: int) -> int:
    """A score limited to what the script draws; mates keep their distance."""
    if abs(score) >= MATE:
        return score if abs(score) < 2 * MATE else (2 * MATE if score > 0 else -2 * MATE)
    return max(-SHARP, min(SHARP, score))


def _delta(before: dict[int, chess.Piece], after: dict[int, chess.Piece], move: chess.Move) -> str:
    """What a move changes, the squares of the move first."""
    changed = [square for square in chess.SQUARES if before.get(square) != after.get(square)]
    changed.sort(key=lambda square: (square != move.from_square, square != move.to_square))
    return " ".join(f"{chess.square_name(s)}{after[s].symbol() if s in after else '-'}" for s in changed)


def sprite() -> Markup:
    """The twelve pieces of chess.svg, defined once for all boards of the page."""
    symbols = []
    for letter, shape in chess.svg.PIECES.items():
        symbols.append(f'<symbol id="piece-{letter}" viewBox="0 0 45 45">{shape}</symbol>')
    return Markup(f'<svg class="sprite" aria-hidden="true" width="0" height="0">{"".join(symbols)}</svg>')


def board(placement: str, last: str = "", label: str = "board") -> Markup:
    """A board as the page's script draws it, for browsers without scripts and until the script runs."""
    pieces = chess.BaseBoard(placement).piece_map()
    marked = {chess.parse_square(word[:2]) for word in last.split()[:2]}
    parts = []
    for square in chess.SQUARES:
        x, y = chess.square_file(square), 7 - chess.square_rank(square)
        kind = "lit" if square in marked else "light" if (x + y) % 2 == 0 else "dark"
        parts.append(f'<rect class="{kind}" x="{x * 45}" y="{y * 45}" width="45" height="45"/>')
        if square in pieces:
            letter = pieces[square].symbol()
            parts.append(f'<use href="#piece-{letter}" x="{x * 45}" y="{y * 45}" width="45" height="45"/>')
    for n in range(8):
        parts.append(f'<text x="{45 * n + 42}" y="356" text-anchor="end">{"abcdefgh"[n]}</text>')
        parts.append(f'<text x="3" y="{45 * n + 13}">{8 - n}</text>')
    name = Markup.escape(clean(label))
    return Markup(f'<svg class="board" viewBox="0 0 360 360" role="img" aria-label="{name}">{"".join(parts)}</svg>')
