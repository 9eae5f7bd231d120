"""What Sortie says to a UCI GUI: info lines, moves in UCI's notation, the board for a person."""

from __future__ import annotations

from engine.board.game import Game, square_name
from engine.model import MATE_SCORE, Info
from engine.protocol.lines import LONGEST, printable
from engine.protocol.output import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

CASTLING = 3  # the kind of a move code (types.pxd); its target is the rook's square
BOUNDS = {-1: " upperbound", 0: "", 1: " lowerbound"}


def move_text(game: Game, move: int) -> str:
    """e2e4, e7e8q; castling as e1g1, in Fischer random as king takes rook."""
    if game.chess960 and move >> 14 == CASTLING:
        return square_name(move & 63) + square_name(move >> 6 & 63)
    return game.coordinates(move)


def line_of_play(fen: str, chess960: bool, moves: list[int]) -> str:
    """The moves separated by blanks, up to the first that is not legal."""
    board, words = Game(fen, chess960), []
    for move in moves:
        if move not in board.legal_moves():
            break
        words.append(move_text(board, move))
        board.push(move)
    return " ".join(words)


def score_text(score: int) -> str:
    """`cp 34`, `mate 3`, `mate -2`: for the side to move."""
    if abs(score) < MATE_SCORE:
        return f"cp {score}"
    return f"mate {score - MATE_SCORE if score > 0 else score + MATE_SCORE}"


def effort(nodes: int, ms: int, hash_full: int, hits: int) -> str:
    """The cost of a search so far: nodes, speed, table use and time."""
    return f"nodes {nodes} nps {nodes * 1000 // max(1, ms)} hashfull {hash_full} tbhits {hits} time {ms}"


def info_line(info: Info, fen: str, chess960: bool, hash_full: int) -> str:
    """`info depth ...`: a line of thinking, exact or a bound."""
    return (
        f"info depth {info.depth} seldepth {info.seldepth} multipv {info.line} score {score_text(info.score)}"
        f"{BOUNDS[info.bound]} {effort(info.nodes, info.ms, hash_full, info.hits)} pv {line_of_play(fen, chess960, info.pv)}"
    )


def board_lines(game: Game) -> list[str]:
    """The board as White sees it, then FEN and key."""
    rows = []
    for rank, row in zip("87654321", game.fen().split()[0].split("/"), strict=True):
        squares = "".join("." * int(letter) if letter.isdigit() else letter for letter in row)
        rows.append(f"{rank}  {' '.join(squares)}")
    return [*rows, "   a b c d e f g h", f"Fen: {game.fen()}", f"Key: {game.key:016X}"]


class UciReplies:
    """The door that writes a search's reports as UCI lines."""

    def __init__(self, out: Output) -> None:
        self.out = out
        self.hash_full: Callable[[], int] = lambda: 0

    def note(self, text: str) -> None:
        self.out.line(f"info string {printable(text, LONGEST)}")

    warn = note

    def thinking(self, info: Info, fen: str, chess960: bool) -> None:
        self.out.line(info_line(info, fen, chess960, self.hash_full()))

    def stats(self, counters: dict[str, object]) -> None:
        """`info string stats {json}`."""
        import json  # only measuring runs pay for it

        self.out.line("info string stats " + json.dumps(counters, separators=(",", ":")))

    def settled(self) -> None:
        """Nothing to do: in UCI nothing waits for the end of a search."""
